//! Conversion of rule results to findings with positions, headings and ids.

use std::collections::HashMap;

use review_document::markdown::HeadingPath;
use review_document::workspace::{Document, Workspace};
use review_document::{Fault, LineIndex, Position, Span};
use review_types::excerpt;

use crate::finding::{Finding, Fix, Ids};
use crate::{Rule, Severity};

/// The maximum number of findings of one rule in one file.
const MAX_PER_FILE: usize = 200;

/// The maximum length of a heading in a finding, in characters.
const MAX_HEADING: usize = 120;

/// The maximum number of bytes of a finding's text that are part of its id.
const MAX_HASHED: usize = 1024;

/// A finding without position and id.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    rule: Rule,
    severity: Severity,
    path: String,
    span: Span,
    position: Position,
    message: String,
    suggestion: String,
    fix: Option<Fix>,
}

impl Draft {
    /// Replaces the severity of the rule.
    pub(crate) fn severity(&mut self, severity: Severity) -> &mut Self {
        self.severity = severity;
        self
    }

    /// Sets the fix.
    pub(crate) fn fix(&mut self, fix: Option<Fix>) -> &mut Self {
        self.fix = fix;
        self
    }
}

/// Collects the findings of one rule.
#[derive(Debug)]
pub(crate) struct Sink {
    rule: Rule,
    looked: usize,
    drafts: Vec<Draft>,
    /// The number of findings in each file.
    counts: HashMap<String, usize>,
    /// The last finding above the limit.
    dropped: Option<Draft>,
}

impl Sink {
    pub(crate) fn new(rule: Rule) -> Self {
        Self {
            rule,
            looked: 0,
            drafts: Vec::new(),
            counts: HashMap::new(),
            dropped: None,
        }
    }

    /// Records that the rule checked `things` items.
    pub(crate) fn look_at(&mut self, things: usize) {
        self.looked += things;
    }

    pub(crate) fn looked(&self) -> usize {
        self.looked
    }

    /// Adds a finding about a span of a document.
    pub(crate) fn push(
        &mut self,
        document: &Document,
        span: Span,
        message: String,
        suggestion: String,
    ) -> &mut Draft {
        self.draft(
            &document.path,
            span,
            Position::default(),
            message,
            suggestion,
        )
    }

    /// Adds a finding for a fault found when the files were parsed.
    pub(crate) fn push_fault(&mut self, fault: &Fault, suggestion: String) -> &mut Draft {
        let message = sentence(fault.to_string());
        let place = fault.place;
        self.draft(&fault.path, place.span, place.position, message, suggestion)
    }

    fn draft(
        &mut self,
        path: &str,
        span: Span,
        position: Position,
        message: String,
        suggestion: String,
    ) -> &mut Draft {
        let draft = Draft {
            rule: self.rule,
            severity: self.rule.severity(),
            path: path.to_owned(),
            span,
            position,
            message,
            suggestion,
            fix: None,
        };
        let count = match self.counts.get_mut(path) {
            Some(count) => count,
            None => self.counts.entry(path.to_owned()).or_default(),
        };
        *count += 1;
        if *count > MAX_PER_FILE {
            return self.dropped.insert(draft);
        }
        self.drafts.push(draft);
        let last = self.drafts.len() - 1;
        &mut self.drafts[last]
    }

    /// The number of dropped findings in each file that exceeds the limit.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = (&str, usize)> {
        let counts = self.counts.iter();
        let left_out =
            counts.map(|(path, count)| (path.as_str(), count.saturating_sub(MAX_PER_FILE)));
        left_out.filter(|(_, count)| *count > 0)
    }

    /// The findings, at most [`MAX_PER_FILE`] per file.
    pub(crate) fn into_drafts(self) -> Vec<Draft> {
        self.drafts
    }
}

/// The findings in the order of documents and positions.
pub(crate) fn findings(workspace: &Workspace, mut drafts: Vec<Draft>) -> Vec<Finding> {
    let order: HashMap<&str, usize> = workspace
        .documents
        .iter()
        .enumerate()
        .map(|(index, document)| (document.path.as_str(), index))
        .collect();
    let place = |draft: &Draft| {
        let place = order.get(draft.path.as_str()).copied();
        place.unwrap_or(usize::MAX)
    };
    drafts.sort_by(|one, other| {
        let key = |draft: &Draft| (place(draft), draft.span.start, draft.rule);
        key(one)
            .cmp(&key(other))
            .then_with(|| one.path.cmp(&other.path))
    });
    let mut pages: HashMap<usize, Page<'_>> = HashMap::new();
    let mut ids = Ids::default();
    let found = drafts.into_iter().map(|draft| {
        let place = place(&draft);
        let document = workspace.documents.get(place);
        let page = document.map(|document| {
            let page = pages.entry(place);
            &*page.or_insert_with(|| Page::new(document))
        });
        finding(draft, page, &mut ids)
    });
    found.collect()
}

/// A document with its line index.
struct Page<'a> {
    document: &'a Document,
    lines: LineIndex,
    /// Whether its first line ends with CRLF, and thus each line that a fix adds.
    has_crlf: bool,
}

impl<'a> Page<'a> {
    fn new(document: &'a Document) -> Self {
        let first = document.source.split_once('\n');
        Self {
            document,
            lines: LineIndex::new(&document.source),
            has_crlf: first.is_some_and(|(line, _)| line.ends_with('\r')),
        }
    }
}

fn finding(draft: Draft, page: Option<&Page<'_>>, ids: &mut Ids) -> Finding {
    let mut span = draft.span;
    let (mut position, mut end_line) = (draft.position, draft.position.line);
    let mut heading = HeadingPath::default();
    let mut text = "";
    let mut fix = draft.fix;
    if let Some(page) = page {
        fix = fix.map(|fix| if page.has_crlf { fix.with_crlf() } else { fix });
        text = span.slice(&page.document.source).unwrap_or_default();
        text = text.trim_end();
        span.end = span.start + text.len();
        position = page.lines.position(span.start);
        let last = span.end.saturating_sub(1).max(span.start);
        end_line = page.lines.position(last).line;
        heading = shortened(&page.document.outline.heading_path(span.start));
    }
    Finding {
        id: ids.next(draft.rule, &draft.path, &heading, beginning(text)),
        rule: draft.rule,
        severity: draft.severity,
        path: draft.path,
        span,
        position,
        end_line,
        heading,
        message: draft.message,
        suggestion: draft.suggestion,
        fix,
    }
}

/// The part of a finding's text that its id depends on.
fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_HASHED)]
}

fn shortened(path: &HeadingPath) -> HeadingPath {
    let names = path.0.iter();
    HeadingPath(names.map(|name| excerpt(name, MAX_HEADING)).collect())
}

/// Converts a string to a sentence, with a capital and a full stop.
pub(crate) fn sentence(mut text: String) -> String {
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    if !text.ends_with(['.', '?', '!']) {
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use review_document::LineIndex;
    use review_document::workspace::DocumentRole;

    use super::*;

    fn workspace(text: &str) -> Workspace {
        Workspace {
            documents: vec![Document::parse("a.md", DocumentRole::Spec, text)],
            ..Workspace::default()
        }
    }

    fn found(workspace: &Workspace, spans: &[(usize, usize)]) -> Vec<Finding> {
        let mut sink = Sink::new(Rule::UndecidedText);
        for &(start, end) in spans {
            let document = &workspace.documents[0];
            sink.push(
                document,
                Span::new(start, end),
                "m".to_owned(),
                "s".to_owned(),
            );
        }
        findings(workspace, sink.into_drafts())
    }

    #[test]
    fn a_finding_has_its_lines_and_its_heading() {
        let workspace = workspace("# A\n\n## B\n\nx\ny\n");
        let finding = &found(&workspace, &[(11, 15)])[0];
        assert_eq!(finding.position, Position { line: 5, column: 1 });
        assert_eq!(finding.end_line, 6);
        assert_eq!(finding.heading.to_string(), "B");
        assert_eq!(finding.span, Span::new(11, 14));
        assert_eq!(finding.severity, Severity::Error);
    }

    #[test]
    fn an_id_survives_edits_elsewhere_and_distinguishes_repeats() {
        let before = workspace("# A\n\nTBD\n\nTBD\n");
        let after = workspace("# A\n\nNew text.\n\nTBD\n\nTBD\n");
        let ids = |workspace: &Workspace, spans: &[(usize, usize)]| -> Vec<_> {
            found(workspace, spans)
                .into_iter()
                .map(|finding| finding.id)
                .collect()
        };
        let old = ids(&before, &[(5, 8), (10, 13)]);
        assert_eq!(old, ids(&after, &[(16, 19), (21, 24)]));
        assert_ne!(old[0], old[1]);
        assert_eq!(old[0].as_str().len(), 16);
        assert_eq!(old[0].to_string(), old[0].as_str());
        let moved = workspace("# A\n\n## B\n\nTBD\n");
        assert_ne!(ids(&moved, &[(11, 14)])[0], old[0]);
    }

    #[test]
    fn findings_are_in_document_order() {
        let workspace = workspace("abc");
        let starts: Vec<_> = found(&workspace, &[(2, 3), (0, 1), (1, 2)])
            .iter()
            .map(|finding| finding.span.start)
            .collect();
        assert_eq!(starts, [0, 1, 2]);
    }

    #[test]
    fn findings_of_a_rule_in_a_file_are_limited() {
        let workspace = workspace("abc");
        assert_eq!(
            found(&workspace, &[(0, 1); MAX_PER_FILE + 5]).len(),
            MAX_PER_FILE
        );
    }

    #[test]
    fn a_fault_in_an_unavailable_file_keeps_its_position() {
        let mut sink = Sink::new(Rule::BadFrontMatter);
        let fault = Fault {
            path: "b.md".to_owned(),
            place: LineIndex::new("x\ny").place(Span::new(2, 3)),
            kind: review_document::FaultKind::MissingNumber,
        };
        sink.push_fault(&fault, "s".to_owned())
            .severity(Severity::Info);
        let found = findings(&Workspace::default(), sink.into_drafts());
        assert_eq!(found[0].position, Position { line: 2, column: 1 });
        assert_eq!((found[0].end_line, found[0].path.as_str()), (2, "b.md"));
        assert_eq!(found[0].message, "The task has no number.");
        assert_eq!(found[0].severity, Severity::Info);
    }

    #[test]
    fn a_sentence_has_a_capital_and_an_end() {
        assert_eq!(sentence("what?".to_owned()), "What?");
        assert_eq!(sentence("it fails".to_owned()), "It fails.");
    }
}
