//! A task with its commands, its listed tests and its deliverables parsed.

use std::cell::OnceCell;

use review_document::command::{Invocation, RunsTests, Script, Vacuous};
use review_document::workspace::Document;
use review_document::{ListedTest, Span, Spanned, TaskFile, listed_tests};
use review_types::excerpt;

use super::{Deliverables, Facts, Ordinal};
use crate::select::Selection;

/// The maximum number of steps of a task that rules examine.
const MAX_STEPS: usize = 2000;

/// The maximum length of a file name in a message.
const MAX_NAME: usize = 80;

/// A task file with its parsed commands and tables.
pub(crate) struct Task<'a> {
    pub(crate) document: &'a Document,
    pub(crate) file: &'a TaskFile,
    /// Its commands.
    pub(crate) steps: Vec<Step<'a>>,
    /// The tests that its Must Pass tables name as code.
    pub(crate) tests: Vec<ListedTest<'a>>,
    /// The files that it creates or changes.
    pub(crate) deliverables: Deliverables<'a>,
    selection: OnceCell<Option<Selection<'a>>>,
    ordinal: OnceCell<Option<Ordinal>>,
}

/// A backpressure command.
pub(crate) struct Step<'a> {
    pub(crate) text: &'a str,
    pub(crate) script: Script<'a>,
    /// The value in the file, with its quotes.
    value: Span,
    /// The start of the command in the file; `None` if the file writes it with escapes
    /// or on several lines.
    start: Option<usize>,
}

impl<'a> Task<'a> {
    pub(crate) fn new(file: &'a TaskFile, document: &'a Document) -> Self {
        let steps = file.backpressure.iter().take(MAX_STEPS);
        Self {
            document,
            file,
            steps: steps
                .map(|step| Step::new(step, &document.source))
                .collect(),
            tests: listed_tests(&document.outline)
                .into_iter()
                .filter(|test| test.is_code)
                .collect(),
            deliverables: Deliverables::of(document),
            selection: OnceCell::new(),
            ordinal: OnceCell::new(),
        }
    }

    /// The name in messages: its number, or its file if it has none.
    pub(crate) fn label(&self) -> String {
        match &self.file.number {
            Some(number) => format!("task {}", number.value),
            None => format!("`{}`", excerpt(self.file.file_name(), MAX_NAME)),
        }
    }

    /// The position that it states.
    pub(crate) fn ordinal(&self) -> Option<&Ordinal> {
        let ordinal = self.ordinal.get_or_init(|| Ordinal::of(self.document));
        ordinal.as_ref()
    }

    /// The tests that its filters select; see [`Selection::of`].
    pub(crate) fn selection(&self, facts: &Facts<'_>) -> Option<&Selection<'a>> {
        let selection = self.selection.get_or_init(|| Selection::of(self, facts));
        selection.as_ref()
    }
}

impl<'a> Step<'a> {
    fn new(command: &'a Spanned<String>, source: &str) -> Self {
        let value = command.place.span;
        let written = value.slice(source).unwrap_or_default();
        let quote = written.chars().next().filter(|c| matches!(c, '"' | '\''));
        let inner = written.strip_prefix(['"', '\'']).unwrap_or(written);
        let inner = quote
            .and_then(|quote| inner.strip_suffix(quote))
            .unwrap_or(inner);
        let quoted = usize::from(quote.is_some());
        let blanks = inner.len() - inner.trim_start().len();
        let same = inner.trim() == command.value.trim();
        let lead = command.value.len() - command.value.trim_start().len();
        let start = (value.start + quoted + blanks)
            .checked_sub(lead)
            .filter(|_| same);
        Self {
            text: &command.value,
            script: Script::parse(&command.value),
            value,
            start,
        }
    }

    /// Its content with blanks in place of a suffix that discards its exit status; `None`
    /// if it has none.
    pub(crate) fn without_suffix(&self) -> Option<String> {
        let (Vacuous::Tail(ending) | Vacuous::Background(ending)) = self.script.vacuous()? else {
            return None;
        };
        let mut text = self.text.to_owned();
        text.replace_range(ending.start..ending.end, &" ".repeat(ending.len()));
        Some(text)
    }

    /// Whether it certainly runs no test. Commands that do nothing, or that are not
    /// parsed to the end, are excluded.
    pub(crate) fn runs_no_tests(&self) -> bool {
        let none = |run: &Invocation<'_>| run.runner.runs_tests() == RunsTests::No;
        let runs = &self.script.invocations;
        !self.script.is_unfinished
            && !matches!(self.script.vacuous(), Some(Vacuous::Whole(_)))
            && !runs.is_empty()
            && runs.iter().all(none)
    }

    /// The span of a part of the command in the file; the whole value if the part
    /// cannot be located.
    pub(crate) fn locate(&self, part: Span) -> Span {
        self.exact(part).unwrap_or(self.value)
    }

    /// The span of a part of the command in the file, if the file has it verbatim.
    pub(crate) fn exact(&self, part: Span) -> Option<Span> {
        self.start.map(|start| part.shifted(start))
    }
}

/// The commands of a task, one per line; `None` without commands.
pub(crate) fn commands(task: &TaskFile) -> Option<String> {
    let steps = task.backpressure.iter().map(|step| step.value.as_str());
    let steps: Vec<_> = steps.collect();
    (!steps.is_empty()).then(|| steps.join("\n"))
}

#[cfg(test)]
mod tests {
    use review_document::workspace::DocumentRole;

    use super::*;

    fn read(text: &str) -> (TaskFile, Document) {
        (
            TaskFile::parse("t.md", text),
            Document::parse("t.md", DocumentRole::Task, text),
        )
    }

    #[test]
    fn tests_are_cells_with_one_code_span() {
        let text = "---\ntask: 1\n---\n# T\n\n## Must pass\n\n| # | Test |\n|---|---|\n| 1 | `a` |\n| 2 | Compilation |\n| 3 | `b` and more |\n| 4 | `c` `d` |\n\n## Other\n\n| Test |\n|---|\n| `e` |\n";
        let (file, document) = read(text);
        let task = Task::new(&file, &document);
        let names: Vec<_> = task.tests.iter().map(|test| test.name).collect();
        assert_eq!(names, ["a"]);
        assert_eq!(task.tests[0].span.slice(text), Some("`a`"));
    }

    #[test]
    fn parts_of_a_command_are_located_in_the_file() {
        for (value, exact) in [
            ("go test -run X", true),
            ("\"go test -run X\"", true),
            ("'go test -run X'", true),
            ("\"  go test -run X \"", true),
            ("\"go test \\x2drun X\"", false),
        ] {
            let text = format!("---\ntask: 1\nbackpressure: {value}\n---\n");
            let (file, document) = read(&text);
            let task = Task::new(&file, &document);
            let step = &task.steps[0];
            let filter = step.script.invocations[0].filters[0].span;
            let expected = if exact { "-run X" } else { value };
            assert_eq!(step.locate(filter).slice(&text), Some(expected), "{value}");
            assert_eq!(step.exact(filter).is_some(), exact, "{value}");
        }
    }
}
