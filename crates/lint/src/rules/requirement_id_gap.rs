//! R3.

use std::cell::LazyCell;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use review_document::workspace::DocumentRole;

use crate::facts::{Facts, RequirementId, Requirements, Section};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds gaps in the numbers of requirement ids.
    ///
    /// ## What it does
    /// Compares the numbers of ids with the same prefix in a document, such as `FR-1`,
    /// `FR-2` and `FR-5`. Outside of specs, ids count below headings with the word
    /// "requirements" or "constraints". Gaps of more than three numbers are not
    /// reported, since ids may be numbered by chapter or in tens; neither is a number
    /// that the document mentions anywhere else.
    ///
    /// ## Why is this bad
    /// A withdrawn requirement cannot be distinguished from a lost one.
    ///
    /// ## Example
    /// ```md
    /// - **FR-1**: Reads the file.
    /// - **FR-3**: Writes the file.
    /// ```
    ///
    /// ## Fix
    /// State that the number is withdrawn: `FR-2 is withdrawn.` Do not renumber the
    /// others, since tasks and tests refer to them.
    RequirementIdGap {
        code: "R3",
        name: "requirement-id-gap",
        criterion: Consistency,
        severity: Info,
        summary: "The numbers of requirement ids have a gap.",
    }
}

/// The maximum size of a gap that is reported.
const MAX_GAP: usize = 3;

impl RequirementIdGap {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for requirements in facts.requirements() {
            examine(requirements, sink);
        }
    }
}

fn examine(requirements: &Requirements<'_>, sink: &mut Sink) {
    let mut stems: BTreeMap<&str, BTreeMap<u32, &RequirementId<'_>>> = BTreeMap::new();
    let is_spec = requirements.document.role == DocumentRole::Spec;
    for (requirement, id) in requirements.with_id() {
        if !is_spec && requirement.section != Section::Requirements {
            continue;
        }
        let ids = stems.entry(id.stem).or_default();
        ids.entry(id.number).or_insert(id);
    }
    let source = &requirements.document.source;
    let mentioned = LazyCell::new(|| mentioned(source));
    for ids in stems.into_values().filter(|ids| ids.len() > 1) {
        sink.look_at(ids.len());
        for (before, after) in ids.values().zip(ids.values().skip(1)) {
            let missing: Vec<_> = left_out(before, after)
                .filter(|number| !mentioned.contains(&(before.stem, *number)))
                .map(|number| before.with_number(number))
                .collect();
            report(requirements, before, after, &missing, sink);
        }
    }
}

/// The numbers between two ids, if the gap is small.
fn left_out(before: &RequirementId<'_>, after: &RequirementId<'_>) -> Range<u32> {
    let numbers = before.number + 1..after.number;
    if numbers.len() > MAX_GAP {
        0..0
    } else {
        numbers
    }
}

fn report(
    requirements: &Requirements<'_>,
    before: &RequirementId<'_>,
    after: &RequirementId<'_>,
    missing: &[String],
    sink: &mut Sink,
) {
    if missing.is_empty() {
        return;
    }
    let is = if missing.len() == 1 { "is" } else { "are" };
    let names = missing.join(", ");
    sink.push(
        requirements.document,
        after.span,
        format!(
            "`{names}` {is} missing between `{}` and `{}`.",
            before.text, after.text
        ),
        format!(
            "Write `{names} {is} withdrawn.` after `{}`, or add the missing requirement.",
            before.text
        ),
    );
}

/// The stems and numbers of all ids in a string.
fn mentioned(text: &str) -> HashSet<(&str, u32)> {
    let mut in_word = false;
    let starts = text.char_indices().filter(|(_, char)| {
        let starts = !in_word && char.is_ascii_uppercase();
        in_word = char.is_alphanumeric() || matches!(char, '-' | '_');
        starts
    });
    starts
        .filter_map(|(at, _)| RequirementId::parse(&text[at..], at))
        .map(|id| (id.stem, id.number))
        .collect()
}
