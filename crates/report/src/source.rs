//! A remark on a place in a file, shown with the lines around it.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::text::printable;

/// A place longer than this is shown up to here.
const MAX_SHOWN: usize = 400;

/// The severity of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteLevel {
    /// It must be fixed.
    Error,
    /// It should be looked at.
    Warning,
    /// It may be of interest.
    Info,
}

/// A remark on a place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceNote {
    level: NoteLevel,
    code: Option<String>,
    title: String,
    path: String,
    lines: String,
    first_line: usize,
    span: Range<usize>,
    note: Option<String>,
    help: Option<String>,
}

impl SourceNote {
    /// A remark on the bytes `span` of `text`, which is what the file `path`
    /// holds; they begin in `line`. Only the lines of the place are kept.
    #[must_use]
    pub fn new(
        level: NoteLevel,
        title: impl Into<String>,
        path: impl Into<String>,
        text: &str,
        (line, span): (usize, Range<usize>),
    ) -> Self {
        let start = floor(text, span.start);
        let end = floor(text, span.end.clamp(start, start.saturating_add(MAX_SHOWN)));
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
        let line_end = floor(text, line_end.min(end.saturating_add(MAX_SHOWN)));
        Self {
            level,
            code: None,
            title: title.into(),
            path: path.into(),
            lines: text[line_start..line_end].to_owned(),
            first_line: line,
            span: start - line_start..end - line_start,
            note: None,
            help: None,
        }
    }

    /// Adds the code that `ralph explain` knows.
    #[must_use]
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Adds help: how to fix it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The file, the line and the remark, in one line.
    #[must_use]
    pub fn brief(&self) -> String {
        format!("{}:{}: {}", self.path, self.first_line, self.title)
    }

    /// The remark for people, with styles and a line end.
    #[must_use]
    pub fn render(&self) -> String {
        let level = match self.level {
            NoteLevel::Error => Level::ERROR,
            NoteLevel::Warning => Level::WARNING,
            NoteLevel::Info => Level::INFO,
        };
        let title = printable(&self.title);
        let mut title = level.primary_title(title);
        if let Some(code) = &self.code {
            title = title.id(code.as_str());
        }
        let place = AnnotationKind::Primary.span(self.span.clone());
        let snippet = Snippet::source(self.lines.as_str())
            .line_start(self.first_line)
            .path(self.path.as_str())
            .annotation(place);
        let mut group: Group<'_> = title.element(snippet);
        if let Some(note) = &self.note {
            group = group.element(Level::NOTE.message(printable(note)));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(printable(help)));
        }
        let renderer = Renderer::styled().decor_style(DecorStyle::Ascii);
        format!("{}\n", renderer.render(&[group]))
    }
}

/// The nearest character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(note: &SourceNote) -> String {
        crate::style::plain(&note.render())
    }

    #[test]
    fn a_note_shows_its_line_with_the_place_marked() {
        let text = "first = 1\nsecnd = 2\nthird = 3\n";
        let note = SourceNote::new(
            NoteLevel::Error,
            "unknown key",
            "ralph.toml",
            text,
            (2, 10..15),
        )
        .code("config")
        .note("it is not here")
        .help("did you mean second?");
        assert_eq!(note.brief(), "ralph.toml:2: unknown key");
        assert_eq!(
            plain(&note),
            "error[config]: unknown key\n\
             \x20--> ralph.toml:2:1\n\
             \x20 |\n\
             2 | secnd = 2\n\
             \x20 | ^^^^^\n\
             \x20 |\n\
             \x20 = note: it is not here\n\
             \x20 = help: did you mean second?\n"
        );
    }

    #[test]
    fn places_beyond_the_text_or_inside_a_character_are_moved_to_where_they_can_be_shown() {
        for (text, start, end) in [("", 0, 9), ("ä", 1, 2), ("a\nb", 7, 3), ("x\n", 2, 2)] {
            let note = SourceNote::new(NoteLevel::Warning, "w", "f", text, (1, start..end));
            assert!(plain(&note).starts_with("warning: w\n"), "{text:?}");
        }
    }

    #[test]
    fn a_long_place_is_cut() {
        let text = "x".repeat(1_000_000);
        let note = SourceNote::new(NoteLevel::Info, "i", "f", &text, (1, 0..text.len()));
        assert!(note.lines.len() <= 2 * MAX_SHOWN);
    }
}
