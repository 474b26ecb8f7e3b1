//! Styles in output for users.

use anstream::adapter::strip_str;
use anstyle::{AnsiColor, Reset, Style};

/// The word `error`, and what failed.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The word `warning`.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// The word `hint`, and other asides.
pub const HINT: Style = AnsiColor::Cyan.on_default().bold();
/// What passed.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// A line that a diff adds.
pub const ADDED: Style = AnsiColor::Green.on_default();
/// A line that a diff removes.
pub const REMOVED: Style = AnsiColor::Red.on_default();
/// Headings and names.
pub const STRONG: Style = Style::new().bold();
/// What matters less.
pub const FAINT: Style = Style::new().dimmed();
/// Ends any style.
pub const RESET: Reset = Reset;

/// Whether text for people has styles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Styling {
    /// Text alone.
    #[default]
    Plain,
    /// Text with the escape sequences of terminals.
    Ansi,
}

impl Styling {
    /// Returns the string with its styles, or without.
    #[must_use]
    pub fn apply(self, text: String) -> String {
        match self {
            Self::Plain => plain(&text),
            Self::Ansi => text,
        }
    }
}

/// Removes escape sequences.
pub(crate) fn plain(text: &str) -> String {
    strip_str(text).to_string()
}
