//! R7.

use review_document::Span;

use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds `should`, `might` and `could` in requirements with an id. The rule is
    /// enabled by the profile `ears`.
    ///
    /// ## What it does
    /// Searches the content of requirements for these words. In a clause that starts with
    /// a condition or a relative pronoun, as in `requests that could fail`, they do not
    /// state the requirement and do not count; neither does `could not`, nor a word in
    /// quotes or code.
    ///
    /// ## Why is this bad
    /// It is unclear whether a product without it is complete.
    ///
    /// ## Example
    /// `FR-1: The store should count reads.`
    ///
    /// ## Fix
    /// Write `shall`, or move optional wishes out of the requirements.
    WeakModal {
        code: "R7",
        name: "weak-modal",
        criterion: Testability,
        severity: Info,
        summary: "A requirement uses should, might or could.",
    }
}

const MODALS: [&str; 3] = ["should", "might", "could"];

/// Words after which a clause states no requirement.
const SUBORDINATE: [&str; 12] = [
    "as", "because", "if", "in", "since", "that", "when", "where", "which", "while", "who", "whose",
];

impl WeakModal {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for requirements in facts.requirements() {
            let document = requirements.document;
            for (requirement, id) in requirements.with_id() {
                sink.look_at(1);
                let text = requirement.text.slice(&document.source).unwrap_or_default();
                for found in weak_modals(text) {
                    let span = found.shifted(requirement.text.start);
                    if !document.outline.is_prose(span) {
                        continue;
                    }
                    let word = span.slice(&document.source).unwrap_or_default();
                    sink.push(
                        document,
                        span,
                        format!("`{word}` in `{}` leaves open whether it is required.", id.text),
                        format!("Write `shall` instead of `{word}`, or move the sentence out of the requirement."),
                    );
                }
            }
        }
    }
}

/// The modal verbs of a string that state a requirement.
fn weak_modals(text: &str) -> Vec<Span> {
    let is_in_word =
        |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '"' | '”' | '-' | '_');
    let mut found = Vec::new();
    let mut subordinate = false;
    let mut at = 0;
    for piece in text.split_inclusive(|c: char| !is_in_word(c)) {
        let word = piece.trim_end_matches(|c: char| !is_in_word(c));
        let is = |known: &[&str]| known.iter().any(|one| word.eq_ignore_ascii_case(one));
        let rest = text[at + word.len()..].trim_start();
        let denied = word.eq_ignore_ascii_case("could") && rest.starts_with("not ");
        if is(&SUBORDINATE) {
            subordinate = true;
        } else if is(&MODALS) && !subordinate && !denied {
            found.push(Span::new(at, at + word.len()));
        }
        if piece.ends_with([',', '.', ';', ':', '(', ')']) {
            subordinate = false;
        }
        at += piece.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modals_count_in_main_clauses() {
        let cases: [(&str, &[&str]); 8] = [
            (
                "The store should stop, and might start.",
                &["should", "might"],
            ),
            ("It retries requests that could fail.", &[]),
            ("If it could fail, it Should stop.", &["Should"]),
            ("It could not stop. It could", &["could"]),
            ("the \"should\" of 'might'", &[]),
            ("could-do", &[]),
            ("which (as said) should", &["should"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let seen: Vec<_> = weak_modals(text)
                .into_iter()
                .map(|span| span.slice(text).unwrap())
                .collect();
            assert_eq!(seen, expected, "{text}");
        }
    }
}
