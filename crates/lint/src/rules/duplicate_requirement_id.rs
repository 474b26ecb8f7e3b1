//! R1.

use std::collections::HashMap;

use review_types::excerpt;

use crate::facts::{Facts, Form, Requirement, Requirements, Section};
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a requirement id that two requirements of a document have.
    ///
    /// ## What it does
    /// Compares the ids of list items, paragraphs, headings and table rows that state a
    /// requirement, separately for each form: `FR-1`, `REQ-003`, `R1`. Sections about
    /// tests, acceptance, coverage, history or notes only refer to requirements and are
    /// not checked. Both must be in one section, or below headings with the word
    /// "requirements": elsewhere the second may refer to the first.
    ///
    /// ## Why is this bad
    /// Tasks and tests refer to a requirement by its id. If two have the same id, it is
    /// unknown which of them is covered.
    ///
    /// ## Example
    /// ```md
    /// - **FR-2**: Reads the file.
    /// - **FR-2**: Writes the file.
    /// ```
    ///
    /// ## Fix
    /// Give the second one the next free number, and check the tasks and tests that
    /// refer to the id. The fix is unsafe for that reason.
    DuplicateRequirementId {
        code: "R1",
        name: "duplicate-requirement-id",
        criterion: Consistency,
        severity: Error,
        fixes: [Unsafe],
        summary: "Two requirements have the same id.",
    }
}

impl DuplicateRequirementId {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for requirements in facts.requirements() {
            sink.look_at(requirements.with_id().count());
            examine(requirements, sink);
        }
    }
}

fn examine(requirements: &Requirements<'_>, sink: &mut Sink) {
    let document = requirements.document;
    let mut next = next_numbers(requirements);
    let mut first: HashMap<(Form, &str), &Requirement<'_>> = HashMap::new();
    for (requirement, id) in requirements.with_id() {
        let Some(earlier) = first.get(&(requirement.form, id.text)) else {
            first.insert((requirement.form, id.text), requirement);
            continue;
        };
        if !is_certain(earlier, requirement) {
            continue;
        }
        let free = next.entry(id.stem).or_default();
        let text = id.with_number(*free);
        *free = free.saturating_add(1);
        let stated = earlier.text.slice(&document.source).unwrap_or_default();
        let stated = excerpt(stated.trim(), 60);
        let draft = sink.push(
            document,
            id.span,
            format!("The id `{}` is already used by \"{stated}\".", id.text),
            format!(
                "Write `{text}` here, and in the tasks and tests that refer to this requirement."
            ),
        );
        draft.fix(Some(Fix::one(Safety::Unsafe, id.span, text)));
    }
}

/// The next free number of each stem.
fn next_numbers<'a>(requirements: &Requirements<'a>) -> HashMap<&'a str, u32> {
    let mut next: HashMap<&str, u32> = HashMap::new();
    for (_, id) in requirements.with_id() {
        let free = next.entry(id.stem).or_default();
        *free = (*free).max(id.number.saturating_add(1));
    }
    next
}

/// Whether neither of two requirements can be a repetition of the other.
fn is_certain(one: &Requirement<'_>, other: &Requirement<'_>) -> bool {
    one.heading == other.heading
        || (one.section == Section::Requirements && other.section == Section::Requirements)
}
