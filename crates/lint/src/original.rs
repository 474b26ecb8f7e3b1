//! Front matter values that a fix copies, and whether they are reliable.

use std::collections::HashMap;

use review_document::{Span, Spanned, TaskFile};

use crate::{Finding, Severity};

/// The front matter values that a fix copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Original {
    path: String,
    values: Vec<Span>,
    /// The front matter, if a value is missing: it may be added anywhere.
    head: Option<Span>,
    /// The suggestion if the values themselves have a problem.
    correct_first: String,
}

impl Original {
    /// No values of `task` yet.
    pub(crate) fn of(task: &TaskFile, correct_first: &str) -> Self {
        Self {
            path: task.path.clone(),
            values: Vec::new(),
            head: None,
            correct_first: correct_first.to_owned(),
        }
    }

    /// Adds the number.
    pub(crate) fn number(mut self, task: &TaskFile) -> Self {
        self.values
            .extend(task.number.as_ref().map(|number| number.place.span));
        self
    }

    /// Adds the list of dependencies.
    pub(crate) fn dependencies(mut self, task: &TaskFile) -> Self {
        match task.depends_on_place {
            Some(place) => self.values.push(place.span),
            None => self.head = task.front_matter.map(|head| head.yaml),
        }
        self
    }

    /// Adds the commands.
    pub(crate) fn commands(mut self, task: &TaskFile) -> Self {
        let places = task
            .backpressure
            .iter()
            .map(|step: &Spanned<_>| step.place.span);
        self.values.extend(places);
        self
    }
}

/// Withdraws fixes that copy a value which another finding reports or fixes, and
/// replaces their suggestion.
pub(crate) fn withdraw_copies(findings: &mut [Finding]) {
    if findings.iter().all(|finding| finding.original.is_none()) {
        return;
    }
    let doubts = Doubts::of(findings);
    let is_doubtful = |finding: &Finding| {
        let original = finding.original.as_deref();
        original.is_some_and(|original| doubts.concern(original))
    };
    let is_doubtful: Vec<_> = findings.iter().map(is_doubtful).collect();
    for (finding, is_doubtful) in findings.iter_mut().zip(is_doubtful) {
        if let Some(original) = finding.original.take().filter(|_| is_doubtful) {
            finding.fix = None;
            finding.suggestion = original.correct_first;
        }
    }
}

/// The spans that findings report or fix, by file.
struct Doubts<'f>(HashMap<&'f str, InFile>);

#[derive(Default)]
struct InFile {
    found: Ranges,
    edited: Ranges,
}

impl<'f> Doubts<'f> {
    fn of(findings: &'f [Finding]) -> Self {
        let mut files: HashMap<&str, InFile> = HashMap::new();
        for finding in findings {
            let file = files.entry(&finding.path).or_default();
            if finding.severity != Severity::Info {
                file.found.0.push((finding.span, 0));
            }
            let fix = finding.fix.iter();
            let edits = fix.flat_map(|fix| &fix.edits);
            file.edited.0.extend(edits.map(|edit| (edit.span, 0)));
        }
        for file in files.values_mut() {
            file.found.index();
            file.edited.index();
        }
        Self(files)
    }

    fn concern(&self, original: &Original) -> bool {
        let Some(file) = self.0.get(original.path.as_str()) else {
            return false;
        };
        let mut values = original.values.iter();
        let mut head = original.head.iter();
        values.any(|&value| file.found.touch(value) || file.edited.touch(value))
            || head.any(|&head| file.edited.touch(head))
    }
}

/// Ranges by their start, each with the maximum end so far.
#[derive(Default)]
struct Ranges(Vec<(Span, usize)>);

impl Ranges {
    fn index(&mut self) {
        self.0.sort_unstable_by_key(|(span, _)| span.start);
        let mut reached = 0;
        for (span, reach) in &mut self.0 {
            reached = reached.max(span.end);
            *reach = reached;
        }
    }

    fn touch(&self, span: Span) -> bool {
        let before = self.0.partition_point(|(other, _)| other.start <= span.end);
        let last = before.checked_sub(1).and_then(|last| self.0.get(last));
        last.is_some_and(|&(_, reach)| span.start <= reach)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_touches_if_any_range_reaches_it() {
        let mut ranges = Ranges(
            [(20, 22), (2, 10), (4, 5)]
                .map(|(a, b)| (Span::new(a, b), 0))
                .to_vec(),
        );
        ranges.index();
        for (start, end, touches) in [
            (0, 1, false),
            (0, 2, true),
            (7, 8, true),
            (10, 12, true),
            (11, 19, false),
            (22, 30, true),
            (23, 30, false),
        ] {
            assert_eq!(
                ranges.touch(Span::new(start, end)),
                touches,
                "{start}..{end}"
            );
        }
        assert!(!Ranges::default().touch(Span::new(0, 9)));
    }
}
