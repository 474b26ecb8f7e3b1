//! A1.

use review_document::{Edit, Span};

use crate::Severity;
use crate::copies::{Change, in_plan};
use crate::facts::{AddedDependencies, Deliverable, Facts, FileUse, SharedFile, Sharing};
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::{Sink, sentence};

rule! {
    /// Finds a file that two tasks create.
    ///
    /// ## What it does
    /// Compares the files that the deliverables of the unit's tasks mark as created: in
    /// trees, lists and tables, or below a heading such as `Files to Create`. If one
    /// task depends on the other the finding is a warning, otherwise an error.
    ///
    /// ## Why is this bad
    /// The second task overwrites the work of the first, or fails because the file
    /// already exists. Without a dependency, either may run last.
    ///
    /// ## Example
    /// `02-parser.md` and `03-printer.md` both list `ast.go  # CREATE`.
    ///
    /// ## Fix
    /// Create the file in one task. Mark it `MODIFY` in the other, and let that task
    /// depend on the first.
    FileCreatedTwice {
        code: "A1",
        name: "file-created-twice",
        criterion: Architecture,
        severity: Error,
        fixes: [Unsafe],
        summary: "Two tasks create the same file.",
    }
}

impl FileCreatedTwice {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let tasks = &facts.tasks;
        sink.look_at(facts.known_files());
        let Some(sharing) = facts.sharing() else {
            return;
        };
        let files = sharing.files.iter();
        let twice: Vec<_> = files
            .flat_map(|file| {
                file.creates
                    .windows(2)
                    .map(move |pair| (file, pair[0], pair[1]))
            })
            .collect();
        let pairs: Vec<_> = twice
            .iter()
            .map(|&(_, first, second)| (first, second))
            .collect();
        let clashes = clashes(sharing, &twice);
        let mut waiting = AddedDependencies::default();
        for ((&(first, second), waits), clashes) in
            pairs.iter().zip(sharing.waits(&pairs)).zip(clashes)
        {
            let (one, two) = (first.task(tasks), second.task(tasks));
            let path = &second.file(tasks).path;
            let unordered = waits == Some(false);
            let message = if unordered {
                format!(
                    "{} and {} both create `{path}`, and neither depends on the other.",
                    one.label(),
                    two.label()
                )
            } else {
                format!(
                    "{} creates `{path}`, which {} already creates.",
                    two.label(),
                    one.label()
                )
            };
            let order = if unordered {
                format!(" and add {} to its `depends_on`", one.label())
            } else {
                String::new()
            };
            let suggestion = format!(
                "Mark `{path}` as `MODIFY` in {}{order}, or use another file in one of the two.",
                two.label()
            );
            let mut edits: Vec<_> = mark(&two.document.source, second.file(tasks))
                .into_iter()
                .collect();
            if unordered {
                edits.extend(waiting.edit(facts, first, second));
            }
            let whole = 1 + usize::from(unordered);
            let fix = (edits.len() == whole && !clashes).then(|| Fix::of(Safety::Unsafe, edits));
            let fix = fix.and_then(|fix| match one.number().filter(|_| unordered) {
                Some(number) => in_plan(facts, &two.file.path, Change::Adds(number), fix),
                None => Some(fix),
            });
            let draft = sink.push(
                two.document,
                second.file(tasks).span,
                sentence(message),
                suggestion,
            );
            draft.fix(fix);
            if !unordered {
                draft.severity(Severity::Warning);
            }
        }
    }
}

/// For each file that is created twice, whether another task changes it and neither
/// that task nor the second creator depends on the other: if both only changed the
/// file, another rule would report that.
fn clashes(sharing: &Sharing, twice: &[(&SharedFile, FileUse, FileUse)]) -> Vec<bool> {
    let beside = |&(file, _, second): &(&SharedFile, _, FileUse)| -> Vec<_> {
        sharing.beside(file, second).collect()
    };
    let beside: Vec<Vec<_>> = twice.iter().map(beside).collect();
    let mut answers = sharing.waits(&beside.concat()).into_iter();
    let is_clash = |pairs: &Vec<_>| {
        let answers: Vec<_> = answers.by_ref().take(pairs.len()).collect();
        answers.contains(&Some(false))
    };
    beside.iter().map(is_clash).collect()
}

/// Replaces the mark of a created file with that of a modified one.
fn mark(source: &str, file: &Deliverable) -> Option<Edit> {
    let line = file.span.slice(source)?;
    let (from, at, to) = if line.starts_with("Create:") {
        ("Create", 0, "Modify")
    } else {
        let note = line.find(char::is_whitespace)?;
        let find = |mark| Some((mark, note + line[note..].find(mark)?, "MODIFY"));
        find("CREATE").or_else(|| find("NEW"))?
    };
    let start = file.span.start + at;
    Some(Edit {
        span: Span::new(start, start + from.len()),
        text: to.to_owned(),
    })
}
