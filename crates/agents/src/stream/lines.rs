//! Lines out of bytes as they arrive.

/// A buffer larger than this is not kept for the next line.
const KEPT: usize = 1024 * 1024;

/// A line without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// The whole line.
    Whole(&'a [u8]),
    /// A line longer than the limit, of which nothing is kept.
    TooLong,
}

/// Cuts bytes into lines and holds at most one line, never more than the
/// limit. How the bytes are split over calls makes no difference.
#[derive(Debug)]
pub(crate) struct Lines {
    held: Vec<u8>,
    limit: usize,
    skipping: bool,
}

impl Lines {
    /// Lines of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            held: Vec::new(),
            limit,
            skipping: false,
        }
    }

    /// Takes bytes and passes on every line that they end.
    pub(crate) fn push(&mut self, bytes: &[u8], each: &mut dyn FnMut(Line<'_>)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            match part.strip_suffix(b"\n") {
                Some(end) => {
                    self.hold_back(end, each);
                    self.end_line(each);
                }
                None => self.hold_back(part, each),
            }
        }
    }

    /// Passes on what was not ended by a line end.
    pub(crate) fn finish(&mut self, each: &mut dyn FnMut(Line<'_>)) {
        if !self.held.is_empty() {
            self.end_line(each);
        }
    }

    fn hold_back(&mut self, part: &[u8], each: &mut dyn FnMut(Line<'_>)) {
        if self.skipping {
            return;
        }
        if part.len() > self.limit - self.held.len() {
            self.skipping = true;
            self.held = Vec::new();
            each(Line::TooLong);
            return;
        }
        self.held.extend_from_slice(part);
    }

    fn end_line(&mut self, each: &mut dyn FnMut(Line<'_>)) {
        if !std::mem::take(&mut self.skipping) {
            each(Line::Whole(&self.held));
        }
        self.held.clear();
        self.held.shrink_to(KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(limit: usize, parts: &[&str]) -> Vec<String> {
        let mut lines = Lines::new(limit);
        let mut seen = Vec::new();
        let mut each = |line: Line<'_>| {
            seen.push(match line {
                Line::Whole(line) => String::from_utf8(line.to_vec()).unwrap(),
                Line::TooLong => "TOO LONG".to_owned(),
            });
        };
        for part in parts {
            lines.push(part.as_bytes(), &mut each);
        }
        lines.finish(&mut each);
        seen
    }

    #[test]
    fn a_line_ends_at_its_end_however_it_arrives() {
        for parts in [&["ab\n\ncd"][..], &["a", "b\n", "\nc", "d"]] {
            assert_eq!(lines(2, parts), ["ab", "", "cd"], "{parts:?}");
        }
        assert_eq!(lines(2, &["ab\n", ""]), ["ab"]);
    }

    #[test]
    fn a_line_over_the_limit_is_reported_once_and_the_next_one_is_complete() {
        for parts in [
            &["abc\nde\nfghi"][..],
            &["ab", "c", "x\n", "de", "\nfg", "h", "i"],
        ] {
            assert_eq!(lines(2, parts), ["TOO LONG", "de", "TOO LONG"], "{parts:?}");
        }
    }

    #[test]
    fn the_buffer_of_a_long_line_is_given_back() {
        let mut lines = Lines::new(8 * KEPT);
        lines.push(&vec![b'x'; 4 * KEPT], &mut |_| {});
        assert!(lines.held.capacity() >= 4 * KEPT);
        lines.push(b"\n", &mut |_| {});
        assert!(lines.held.capacity() <= KEPT);
    }
}
