//! Annotations for GitHub Actions, as workflow commands.

use std::fmt;

/// How an annotation is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnnotationLevel {
    /// In red.
    Error,
    /// In yellow.
    Warning,
    /// In grey.
    Notice,
}

impl AnnotationLevel {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

/// A remark on lines of a file. Its `Display` is one workflow command,
/// without a line end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Annotation<'a> {
    /// How it is shown.
    pub(crate) level: AnnotationLevel,
    /// The file, relative to the repository.
    pub(crate) path: &'a str,
    /// First line, from 1.
    pub(crate) line: usize,
    /// Last line, from 1.
    pub(crate) end_line: usize,
    /// First column, from 1.
    pub(crate) column: usize,
    /// A short title.
    pub(crate) title: &'a str,
    /// The remark.
    pub(crate) message: &'a str,
}

impl fmt::Display for Annotation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "::{} file={},line={},endLine={},col={},title={}::{}",
            self.level.as_str(),
            property(self.path),
            self.line,
            self.end_line,
            self.column,
            property(self.title),
            data(self.message)
        )
    }
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_escapes_what_would_end_it() {
        let annotation = Annotation {
            level: AnnotationLevel::Warning,
            path: "tasks/a,b:c.md",
            line: 3,
            end_line: 4,
            column: 7,
            title: "B4: 50%",
            message: "first, line: 100%\r\nsecond",
        };
        assert_eq!(
            annotation.to_string(),
            "::warning file=tasks/a%2Cb%3Ac.md,line=3,endLine=4,col=7,title=B4%3A 50%25\
             ::first, line: 100%25%0D%0Asecond"
        );
    }
}
