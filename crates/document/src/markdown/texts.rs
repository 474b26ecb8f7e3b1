//! Many short texts in one buffer.

use crate::Span;

/// Texts, one behind the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Texts(String);

impl Texts {
    /// Expects so many bytes.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self(String::with_capacity(bytes))
    }

    /// Where the next text begins.
    pub(super) fn end(&self) -> usize {
        self.0.len()
    }

    /// Adds a text and says where it stands.
    pub(super) fn push(&mut self, text: &str) -> Span {
        let start = self.end();
        self.0.push_str(text);
        Span::new(start, self.end())
    }

    /// The place of all that was added since `start`, without the blanks
    /// around it.
    pub(super) fn trimmed(&self, start: usize) -> Span {
        let whole = &self.0[start..];
        if let [first, .., last] = whole.as_bytes()
            && first.is_ascii_graphic()
            && last.is_ascii_graphic()
        {
            return Span::new(start, self.end());
        }
        let start = self.end() - whole.trim_start().len();
        Span::new(start, start + whole.trim().len())
    }

    /// The text that stands at `place`.
    pub(super) fn read(&self, place: Span) -> &str {
        place.slice(&self.0).unwrap_or_default()
    }
}
