//! The suites around a test, by the indentation of their titles.

/// Maximum nesting of suites.
const MAX_DEPTH: usize = 16;

/// Maximum number of bytes of a suite's title.
const MAX_TITLE: usize = 1024;

/// The suites around a line.
#[derive(Debug, Default)]
pub(super) struct Suites {
    open: Vec<(usize, String)>,
}

impl Suites {
    pub(super) fn clear(&mut self) {
        self.open.clear();
    }

    /// Adds the title of a suite.
    pub(super) fn open(&mut self, indent: usize, title: &str) {
        self.close(indent);
        if self.open.len() < MAX_DEPTH && title.len() <= MAX_TITLE {
            self.open.push((indent, title.to_owned()));
        }
    }

    /// Closes the suites that a line does not belong to.
    pub(super) fn close(&mut self, indent: usize) {
        let kept = self.open.partition_point(|(outer, _)| *outer < indent);
        self.open.truncate(kept);
    }

    /// Returns the titles, from the outermost.
    pub(super) fn titles(&self) -> impl Iterator<Item = &str> {
        self.open.iter().map(|(_, title)| title.as_str())
    }
}
