//! C1.

use review_document::Span;
use review_document::markdown::inside;
use review_document::workspace::Document;

use crate::facts::{Facts, Task, named_file};
use crate::rule::rule;
use crate::sink::{Sink, sentence};

rule! {
    /// Finds a task that does not state what it produces.
    ///
    /// ## What it does
    /// Looks for files in trees, lists and tables, for announced functions, for code
    /// below `Deliverables`, for `paths` in the front matter, and for any file that the
    /// task names; its spec and other tasks count only below `Deliverables`. A section
    /// that consists of `None` is valid.
    ///
    /// ## Why is this bad
    /// The implementer has to guess where the code belongs, and it is unknown whether
    /// two tasks change the same file.
    ///
    /// ## Example
    /// A task that consists of `Improve the cache.`
    ///
    /// ## Fix
    /// List the files under `## Deliverables`, each marked `CREATE` or
    /// `MODIFY`.
    NoDeliverable {
        code: "C1",
        name: "no-deliverable",
        criterion: Completeness,
        severity: Warning,
        summary: "A task does not state what it produces.",
    }
}

impl NoDeliverable {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        sink.look_at(facts.tasks.len());
        for task in &facts.tasks {
            if task.document.outline.is_blank() || is_stated(task) || names_a_file(facts, task) {
                continue;
            }
            let message = format!(
                "{} names no file or function that it creates or changes.",
                task.label()
            );
            let suggestion =
                "List the files under `## Deliverables`, each marked `CREATE` or `MODIFY`."
                    .to_owned();
            sink.push(task.document, place(task), sentence(message), suggestion);
        }
    }
}

/// Whether the task lists what it produces, or states that it produces nothing.
fn is_stated(task: &Task<'_>) -> bool {
    let found = &task.deliverables;
    !found.files.is_empty()
        || found.functions.is_some()
        || !task.file.paths.is_empty()
        || found
            .section
            .is_some_and(|section| has_code_or_none(task.document, section))
}

fn has_code_or_none(document: &Document, section: Span) -> bool {
    let has_code = !inside(&document.outline.code_blocks, section, |block| block.span).is_empty();
    let text = section.slice(&document.source).unwrap_or_default();
    let first = text.lines().skip(1).find(|line| !line.trim().is_empty());
    let mut words = first
        .unwrap_or_default()
        .split(|c: char| !c.is_alphanumeric());
    let word = words.find(|word| !word.is_empty()).unwrap_or_default();
    has_code || word.eq_ignore_ascii_case("none") || word.eq_ignore_ascii_case("no")
}

/// Whether a task names a file: any file in the deliverables, and elsewhere one that
/// is neither the spec nor another task.
fn names_a_file(facts: &Facts<'_>, task: &Task<'_>) -> bool {
    let outline = &task.document.outline;
    let spec = task.file.parent_spec.as_ref();
    let spec = spec.and_then(|spec| named_file(&spec.value));
    let section = task.deliverables.section.unwrap_or_default();
    let counts = |(at, word): (usize, &str)| {
        named_file(word).is_some_and(|path| {
            let is_known = spec == Some(path) || facts.document(path).is_some();
            !is_known || section.contains(at)
        })
    };
    let codes = outline.code_spans.iter();
    let codes = codes.map(|code| (code.span.start, code.text.as_str()));
    let links = outline.links.iter();
    let links = links.map(|link| (link.span.start, link.target.as_str()));
    let prose = outline.prose.iter();
    let prose = prose.filter_map(|run| Some((run.start, run.slice(&task.document.source)?)));
    let words = prose.flat_map(|(at, text)| text.split_whitespace().map(move |word| (at, word)));
    codes.chain(links).chain(words).any(counts)
}

/// The heading under which the files belong, or the title.
fn place(task: &Task<'_>) -> Span {
    let outline = &task.document.outline;
    let title = outline.headings.first().map(|heading| heading.span);
    task.deliverables
        .heading
        .or(title)
        .unwrap_or_else(|| Span::empty(task.document.body))
}
