//! The styles of texts for people. A stream without colours drops them.

use clap::builder::styling::{AnsiColor, Reset, Style};

/// The word `error`, and what failed.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The word `warning`.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// The word `hint`, and other asides.
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default().bold();
/// What passed.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// A line that a diff adds.
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
/// A line that a diff removes.
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
/// Headings and names.
pub(crate) const STRONG: Style = Style::new().bold();
/// What matters less.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// Ends any style.
pub(crate) const RESET: Reset = Reset;
