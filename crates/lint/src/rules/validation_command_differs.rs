//! B7.

use std::borrow::Cow;

use review_document::command::Script;
use review_document::markdown::{CodeBlock, CodeKind, Outline, inside};
use review_document::{Edit, Span};
use review_types::excerpt;

use crate::facts::{Facts, Step, Task, commands};
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::select::Selection;
use crate::sink::Sink;
use crate::words::{WordList, contains};

use super::tests_not_run;

rule! {
    /// Finds a Validation Command section whose command differs from the front matter.
    ///
    /// ## What it does
    /// Compares the code block below a heading "Validation Command" with
    /// `backpressure`. Quotes, line continuations, `-v`, the order of a test runner's
    /// options, and filters that are split over several commands are ignored. A section
    /// with several blocks is not checked.
    ///
    /// ## Why is this bad
    /// A reader checks the task with one command and the gate with another, so one may
    /// pass and the other fail.
    ///
    /// ## Example
    /// `backpressure: "go test ./store/... -run Keep"`, where the section has
    /// `go test ./store/...`.
    ///
    /// ## Fix
    /// Copy the command that proves the task to the other place.
    ValidationCommandDiffers {
        code: "B7",
        name: "validation-command-differs",
        criterion: Consistency,
        severity: Warning,
        fixes: [Unsafe],
        summary: "The Validation Command section differs from the front matter.",
    }
}

/// The maximum length of a block in bytes.
const MAX_BLOCK: usize = 16 << 10;

impl ValidationCommandDiffers {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for task in facts.tasks.iter().filter(|task| !task.steps.is_empty()) {
            if let Some(section) = Section::of(task) {
                sink.look_at(1);
                report(task, &section, facts, sink);
            }
        }
    }
}

/// The command in the section of a task.
pub(crate) struct Section<'a> {
    /// The code without blanks around it.
    text: &'a str,
    span: Span,
    /// Whether it is a fenced block outside of lists and quotes.
    is_plain: bool,
}

impl<'a> Section<'a> {
    /// The section of a task; `None` if it has none or one that is too long.
    pub(crate) fn of(task: &Task<'a>) -> Option<Self> {
        let document = task.document;
        let block = block(&document.outline).filter(|block| block.content.len() <= MAX_BLOCK)?;
        let code = block.content.slice(&document.source)?;
        let start = block.content.start + code.len() - code.trim_start().len();
        let text = code.trim();
        Some(Self {
            text,
            span: Span::new(start, start + text.len()),
            is_plain: document.source[..block.span.start].ends_with('\n')
                && block.kind == CodeKind::Fenced,
        })
    }

    /// Whether its command differs from the task's; `None` if one of them has none or
    /// cannot be parsed.
    pub(crate) fn differs(&self, task: &Task<'_>) -> Option<bool> {
        let run = commands(task.file)?;
        let said = without_prompts(self.text);
        if [self.text, said.trim()].contains(&run.trim()) {
            return Some(false);
        }
        let run = script(task, &run);
        let said = Script::parse(&said);
        let is_readable =
            |script: &Script<'_>| !script.is_unfinished && !script.commands().is_empty();
        let are_readable = is_readable(&run) && is_readable(&said);
        are_readable.then(|| run.normal_form() != said.normal_form())
    }

    /// The edit that replaces its command with `command`.
    pub(crate) fn rewritten(&self, command: &str) -> Option<Edit> {
        self.is_plain.then(|| Edit {
            span: self.span,
            text: command.trim().to_owned(),
        })
    }
}

/// The commands of a task; the only one is already parsed.
fn script<'t>(task: &'t Task<'_>, run: &'t str) -> Cow<'t, Script<'t>> {
    match task.steps.as_slice() {
        [only] => Cow::Borrowed(&only.script),
        _ => Cow::Owned(Script::parse(run)),
    }
}

/// The only block below the heading.
fn block(outline: &Outline) -> Option<&CodeBlock> {
    let names = |text: &str| contains(text, "validation command");
    let heading = outline
        .headings
        .iter()
        .find(|heading| names(&heading.text))?;
    let blocks = inside(&outline.code_blocks, heading.section, |block| block.span);
    let block = blocks.first().filter(|_| blocks.len() == 1)?;
    let language = block.language.as_str();
    let is_shell = WordList::Shell.has(language) || ["", "text"].contains(&language);
    let is_shell = is_shell && block.kind != CodeKind::Unclosed;
    is_shell.then_some(block)
}

/// Whether the command of a task proves it, if B2 to B5 can determine that. A command
/// that does not is not copied.
pub(super) fn is_proof(task: &Task<'_>, facts: &Facts<'_>) -> bool {
    let can_fail = |step: &Step<'_>| step.script.vacuous().is_none();
    let misses = |found: &Selection<'_>| !found.missed.is_empty();
    task.steps.iter().all(can_fail)
        && !task.selection(facts).is_some_and(misses)
        && !tests_not_run::runs_none(task)
}

fn report(task: &Task<'_>, section: &Section<'_>, facts: &Facts<'_>, sink: &mut Sink) {
    let Some(run) = commands(task.file).filter(|_| section.differs(task) == Some(true)) else {
        return;
    };
    let said = without_prompts(section.text);
    let is_proof = is_proof(task, facts);
    let (said_line, run_line) = (one_line(&said), one_line(&run));
    let shared = shared_lead(&said_line, &run_line);
    let message = format!(
        "The section has `{}`, but the command of the task is `{}`.",
        from(&said_line, shared),
        from(&run_line, shared)
    );
    let suggestion = if is_proof {
        format!(
            "Write `{}` here, or change `backpressure` to the command of the section.",
            excerpt(&run_line, 400)
        )
    } else {
        "Change `backpressure` to a command that proves the task, and copy it here.".to_owned()
    };
    let says_more = Script::parse(&said).commands().len() > script(task, &run).commands().len();
    let edit = section.rewritten(&run).filter(|_| is_proof && !says_more);
    let fix = edit.map(|edit| Fix::of(Safety::Unsafe, vec![edit]));
    sink.push(task.document, section.span, message, suggestion)
        .fix(fix);
}

/// Removes the `$ ` in front of lines.
fn without_prompts(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    for line in text.lines().map(str::trim_start) {
        let gap = if said.is_empty() { "" } else { "\n" };
        said.extend([gap, line.strip_prefix("$ ").unwrap_or(line)]);
    }
    said
}

fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for next in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(open) = line.strip_suffix('\\') {
            line.truncate(open.trim_end().len());
            line.push(' ');
        } else if !line.is_empty() {
            line.push_str("; ");
        }
        line.push_str(next);
    }
    line
}

/// The length of the common start of two long commands that is not shown, except for
/// its last words.
fn shared_lead(one: &str, two: &str) -> usize {
    const KEPT: usize = 40;
    let pairs = one.bytes().zip(two.bytes());
    let shared = pairs.take_while(|(a, b)| a == b).count();
    let end = shared.saturating_sub(KEPT);
    one.as_bytes()[..end]
        .iter()
        .rposition(|&byte| byte == b' ')
        .map_or(0, |space| space + 1)
}

fn from(line: &str, start: usize) -> String {
    let rest = excerpt(line.get(start..).unwrap_or(line), 160);
    if start == 0 {
        rest
    } else {
        format!("… {rest}")
    }
}
