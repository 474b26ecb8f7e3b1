//! Whether two issues are about the same thing in other words.

use std::collections::BTreeSet;

use crate::mask::{is_name, words};
use crate::quoted;
use crate::stem::{Stems, is_stop_word};

/// The least Dice similarity of the names and stems of two similar issues.
const SIMILAR: f64 = 0.4;

/// Maximum number of words of an issue that are read.
const MAX_WORDS: usize = 512;

/// Words before a number that changes with every revision and is not a name.
const PLACES: [&str; 11] = [
    "line",
    "lines",
    "page",
    "pages",
    "round",
    "rounds",
    "iteration",
    "section",
    "sections",
    "chapter",
    "\u{a7}",
];

/// An issue in the words of a reviewer.
///
/// Two issues are similar if they name the same things (identifiers, numbers, code and
/// quoted words) and the Dice similarity of their stems, 2·|A∩B| / (|A|+|B|), is at
/// least 0.4. Similar issues need not be the same one.
///
/// ```
/// use review_text::Issue;
///
/// let similarity = |text| Issue::of("FR-1 has no acceptance criterion").similarity(&Issue::of(text));
/// assert!(similarity("There are no acceptance criteria for FR-1").is_some());
/// assert!(similarity("There are no acceptance criteria for FR-2").is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Issue {
    names: BTreeSet<String>,
    stems: BTreeSet<String>,
}

impl Issue {
    /// Parses an issue.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut names = BTreeSet::new();
        let mut plain = String::new();
        let mut from = 0;
        for span in quoted::spans(text) {
            plain.push_str(text.get(from..span.start).unwrap_or_default());
            plain.push(' ');
            names.extend(name(text.get(span.clone()).unwrap_or_default()));
            from = span.end;
        }
        plain.push_str(text.get(from..).unwrap_or_default());
        let mut before = String::new();
        for chunk in plain.split_whitespace().take(MAX_WORDS) {
            let is_place = PLACES.contains(&before.as_str());
            if is_name(chunk) && !is_place {
                names.extend(name(chunk));
            }
            before = chunk
                .trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase();
        }
        let stemmer = Stems::english();
        let said = words(&plain).take(MAX_WORDS);
        let said = said.filter(|word| !is_stop_word(word));
        Self {
            names,
            stems: said.map(|word| stemmer.of_word(&word)).collect(),
        }
    }

    /// What it names, and the stems of its words: what similar issues have in common.
    pub fn terms(&self) -> impl Iterator<Item = &str> {
        self.names.iter().chain(&self.stems).map(String::as_str)
    }

    /// Returns the similarity of another issue, from 0.4 to 1; `None` if it is not similar.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> Option<f64> {
        if self.names != other.names {
            return None;
        }
        let common = self.names.len() + self.stems.intersection(&other.stems).count();
        let all = self.terms().count() + other.terms().count();
        // Both are far below 2^52.
        let similarity = 2.0 * common as f64 / all.max(1) as f64;
        (similarity >= SIMILAR).then_some(similarity)
    }
}

/// Returns a name as it is compared: a number without its unit, everything else in lower
/// case without the signs around it.
fn name(written: &str) -> Option<String> {
    let bare = written.trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
    let bare = bare.trim_end_matches('-').to_lowercase();
    let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let number = bare.trim_end_matches(|c: char| !is_of_number(c));
    let name = match number.chars().all(is_of_number) && !number.is_empty() {
        true => number.trim_end_matches(['.', ',']).to_owned(),
        false => bare,
    };
    (!name.is_empty()).then_some(name)
}

/// Returns an issue as it is compared with an equal one: with single blanks, without a dot
/// at its end.
#[must_use]
pub fn issue_key(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let key = words.join(" ");
    match key.strip_suffix('.') {
        Some(said) if !said.is_empty() && !said.ends_with('.') => said.to_owned(),
        _ => key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_an_issue_has_its_words_as_they_are() {
        let key = issue_key("The limit `*` is missing");
        for (text, is_same) in [
            ("The  limit\n`*` is missing.", true),
            ("The limit `?` is missing", false),
            ("The limit * is missing", false),
            ("the limit `*` is missing", false),
            ("The limit `*` is still missing", false),
            ("The limit `*` is missing...", false),
        ] {
            assert_eq!(issue_key(text) == key, is_same, "{text}");
        }
        assert_eq!(issue_key("."), ".");
    }

    #[test]
    fn names_are_identifiers_numbers_code_and_quotations() {
        for (text, expected) in [
            ("FR-1 and `shorten` fail", &["fr-1", "shorten"][..]),
            ("shorten() of 30s or 30 s", &["30", "shorten"]),
            ("line 42 of section 4.2", &[]),
            ("a \"fast\" path in src/main.rs", &["fast", "src/main.rs"]),
            (
                "maxRetries, Store::open and snake_case",
                &["maxretries", "snake_case", "store::open"],
            ),
            ("--quiet or --json", &["--json", "--quiet"]),
            ("1,000 rows, 95 %", &["1,000", "95"]),
            ("Plain words only", &[]),
        ] {
            let names: Vec<_> = Issue::of(text).names.into_iter().collect();
            assert_eq!(names, expected, "{text}");
        }
    }

    #[test]
    fn similar_issues_have_the_same_names_and_four_tenths_of_their_words() {
        for (one, other, expected) in [
            ("one two three", "one two three", Some(1.0)),
            ("alpha beta gamma", "alpha delta epsilon", None),
            ("alpha beta", "alpha gamma delta", Some(0.4)),
            ("alpha beta", "alpha gamma delta zeta", None),
            ("FR-1 fails", "FR-1 breaks", Some(0.5)),
            ("FR-1 fails", "FR-2 fails", None),
            ("FR-1 fails", "it fails", None),
            ("the", "of", None),
            ("", "", None),
        ] {
            let (one, other) = (Issue::of(one), Issue::of(other));
            assert_eq!(one.similarity(&other), expected, "{one:?} {other:?}");
            assert_eq!(other.similarity(&one), expected);
        }
    }
}
