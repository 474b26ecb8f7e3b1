//! The id of a requirement, such as `FR-1`, `NFR-PERF-02`, `R1`, `REQ-3.2` or
//! `FR-4a`.

use crate::words::WordList;
use review_document::Span;

/// The maximum length of an id in bytes.
const MAX_LENGTH: usize = 40;

/// The kind of an id's prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    /// A requirement.
    Requirement,
    /// An unknown prefix.
    Unknown,
    /// Another kind of id.
    Other,
}

/// The id of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequirementId<'a> {
    pub(crate) text: &'a str,
    /// Its span, without the characters around it.
    pub(crate) span: Span,
    /// The id without its last number, as in `FR-` or `REQ-3.`.
    pub(crate) stem: &'a str,
    /// Its last number.
    pub(crate) number: u32,
    pub(crate) prefix: Prefix,
}

impl<'a> RequirementId<'a> {
    /// Parses the id at the start of `text`, which starts at the byte `offset`.
    pub(crate) fn parse(text: &'a str, offset: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let letters = prefix_length(bytes);
        let digits = |from: usize| count(&bytes[from..], u8::is_ascii_digit);
        let (mut stem, mut end) = (letters, letters + digits(letters));
        while bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
            stem = end + 1;
            end = stem + digits(stem);
        }
        let digits_end = end;
        if bytes.get(end).is_some_and(u8::is_ascii_alphabetic) {
            end += 1;
        }
        let name = text[..letters].trim_end_matches(['-', '_']);
        if letters == 0 || digits_end == stem || end > MAX_LENGTH || goes_on(&text[end..]) {
            return None;
        }
        Some(Self {
            text: &text[..end],
            span: Span::new(offset, offset + end),
            stem: &text[..stem],
            number: text[stem..digits_end].parse().ok()?,
            prefix: prefix(name, name.len() < letters),
        })
    }

    /// Returns the id with another last number, padded to the same width.
    pub(crate) fn with_number(&self, number: u32) -> String {
        let digits = self.text[self.stem.len()..].trim_end_matches(char::is_alphabetic);
        let width = if digits.starts_with('0') {
            digits.len()
        } else {
            0
        };
        format!("{}{number:0width$}", self.stem)
    }
}

fn count(bytes: &[u8], test: impl Fn(&u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| test(byte)).count()
}

/// The length of `FR-`, `NFR-PERF-` or `R`; 0 if the content has no such prefix.
fn prefix_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let letters = count(&bytes[at..], u8::is_ascii_uppercase);
        if letters == 0 || at + letters > MAX_LENGTH {
            return 0;
        }
        at += letters;
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'-' | b'_'), Some(next)) if next.is_ascii_digit() => return at + 1,
            (Some(b'-' | b'_'), Some(next)) if next.is_ascii_uppercase() => at += 1,
            (Some(next), _) if next.is_ascii_digit() => return at,
            _ => return 0,
        }
    }
}

/// Whether a word continues after what looked like an id.
fn goes_on(rest: &str) -> bool {
    let mut chars = rest.chars();
    match chars.next() {
        Some('-' | '/' | '+' | '_') => chars.next().is_some_and(char::is_alphanumeric),
        next => next.is_some_and(char::is_alphanumeric),
    }
}

fn prefix(name: &str, has_mark: bool) -> Prefix {
    let mut parts = name.split(['-', '_']);
    if parts
        .clone()
        .any(|part| WordList::Requirement.words().contains(&part))
    {
        Prefix::Requirement
    } else if has_mark && !parts.any(|part| WordList::OtherId.words().contains(&part)) {
        Prefix::Unknown
    } else {
        Prefix::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_prefix_and_a_number() {
        let cases = [
            ("FR-1: x", "FR-1", "FR-", 1),
            ("NFR-PERF-02 x", "NFR-PERF-02", "NFR-PERF-", 2),
            ("R1. x", "R1", "R", 1),
            ("REQ_003**", "REQ_003", "REQ_", 3),
            ("FR-3.12: x", "FR-3.12", "FR-3.", 12),
            ("FR-4a: x", "FR-4a", "FR-", 4),
            ("FR-7_", "FR-7", "FR-", 7),
            ("FR-7- x", "FR-7", "FR-", 7),
        ];
        for (text, whole, stem, number) in cases {
            let id = RequirementId::parse(text, 10).unwrap();
            assert_eq!((id.text, id.stem, id.number), (whole, stem, number));
            assert_eq!(id.span, Span::new(10, 10 + whole.len()));
            assert_eq!(id.prefix, Prefix::Requirement, "{text}");
        }
    }

    #[test]
    fn other_words_are_not_ids() {
        let long = format!("{}-1", "A".repeat(40));
        let digits = format!("R{}", "1".repeat(12));
        let texts = [
            "", "FR", "FR-", "FR-x", "fr-1", "1", "-1", "FR-1ab", "FR-1a-2", "FR-1-2", "FR-1/2",
            "FR-1_2", "FR-1é", "FR--1", "É-1", &long, &digits,
        ];
        for text in texts {
            assert_eq!(RequirementId::parse(text, 0), None, "{text}");
        }
    }

    #[test]
    fn an_id_has_a_maximum_length() {
        let id = |length: usize| format!("{}-1", "A".repeat(length - 2));
        let read = |text: &str| RequirementId::parse(text, 0).map(|id| id.text.len());
        assert_eq!(read(&id(MAX_LENGTH)), Some(MAX_LENGTH));
        assert_eq!(read(&id(MAX_LENGTH + 1)), None);
    }

    #[test]
    fn the_prefix_distinguishes_requirements_from_other_ids() {
        let prefix = |text| RequirementId::parse(text, 0).map(|id| id.prefix);
        assert_eq!(prefix("AUTH-REQ-1"), Some(Prefix::Requirement));
        assert_eq!(prefix("AUTH-1"), Some(Prefix::Unknown));
        for text in ["AUTH1", "UTF-8", "AC-1", "D3", "API-TEST-1"] {
            assert_eq!(prefix(text), Some(Prefix::Other), "{text}");
        }
    }

    #[test]
    fn another_number_is_padded_to_the_same_width() {
        let id = |text| RequirementId::parse(text, 0).unwrap();
        assert_eq!(id("FR-9").with_number(10), "FR-10");
        assert_eq!(id("REQ-009").with_number(10), "REQ-010");
        assert_eq!(id("FR-10").with_number(2), "FR-2");
        assert_eq!(id("FR-04a").with_number(5), "FR-05");
        assert_eq!(id("FR-2.1").with_number(3), "FR-2.3");
    }
}
