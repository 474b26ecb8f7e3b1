//! The repairs during parsing.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Parsed;

/// A repair during parsing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// The kind.
    pub code: RepairCode,
    /// The offset in bytes in the answer.
    pub at: usize,
    /// Whether it was a guess.
    pub class: RepairClass,
}

impl Repair {
    pub(crate) const fn new(code: RepairCode, at: usize) -> Self {
        Self {
            code,
            at,
            class: code.class(),
        }
    }
}

/// The certainty of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepairClass {
    /// There is only one interpretation.
    Lossless,
    /// It was guessed: the answer can be `needs_revision`, never a pass.
    Guess,
}

macro_rules! repair_codes {
    ($($(#[$doc:meta])* $name:ident => $word:literal,)*) => {
        /// The kind of a repair.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum RepairCode {
            $($(#[$doc])* $name,)*
        }

        impl RepairCode {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the word in JSON and in reports.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }
    };
}

repair_codes! {
    /// Bytes that are not UTF-8 became U+FFFD.
    InvalidUtf8 => "invalid_utf8",
    /// The answer was UTF-16.
    Utf16 => "utf16",
    /// The answer was YAML.
    Yaml => "yaml",
    /// The whole answer was one JSON string.
    JsonString => "json_string",
    /// The review was inside another object.
    Envelope => "envelope",
    /// There was a byte order mark or a Unicode space between tokens.
    UnicodeBlank => "unicode_blank",
    /// There was a comment between tokens.
    Comment => "comment",
    /// There was a comma before a closing bracket.
    TrailingComma => "trailing_comma",
    /// A string had single quotes.
    SingleQuotes => "single_quotes",
    /// A string had typographic quotes.
    SmartQuotes => "smart_quotes",
    /// A key had no quotes.
    UnquotedKey => "unquoted_key",
    /// There was `True`, `False` or `None` instead of a literal.
    PythonLiteral => "python_literal",
    /// A string contained a raw newline, tab or other control character.
    RawControl => "raw_control",
    /// A backslash before a character that needs none was kept.
    InvalidEscape => "invalid_escape",
    /// Half of a surrogate pair became U+FFFD.
    LoneSurrogate => "lone_surrogate",
    /// An invalid or too large number was in a place where no number is needed.
    NonFiniteNumber => "non_finite_number",
    /// A number started with a plus sign.
    LeadingPlus => "leading_plus",
    /// The verdict had another spelling.
    VerdictForm => "verdict_form",
    /// A score had another spelling.
    ScoreForm => "score_form",
    /// A key had another case.
    KeyCase => "key_case",
    /// The scores had the key `scores`.
    ScoresKey => "scores_key",
    /// A single item of feedback was not in an array.
    SingleItem => "single_item",
    /// A key occurred twice with equal values.
    DuplicateKey => "duplicate_key",
    /// The score of a criterion that was not requested was invalid.
    ExtraScoreDropped => "extra_score_dropped",
    /// An incomplete item of feedback on a pass was dropped.
    ItemDropped => "item_dropped",
    /// A word of a closed list had another spelling, or was the word of
    /// another scale.
    WordForm => "word_form",
    /// An optional field was missing.
    MissingMember => "missing_member",
    /// An area for improvement had no id of its own, so one was generated.
    IdMade => "id_made",
    /// The acknowledgement of decisions was malformed.
    AckDropped => "ack_dropped",
    /// A comma was missing.
    MissingComma => "missing_comma",
    /// A string contained unescaped quotes.
    InnerQuote => "inner_quote",
    /// There were dots in place of an item or a field.
    Ellipsis => "ellipsis",
    /// The answer ended before the object did.
    CutOff => "cut_off",
}

impl RepairCode {
    /// Returns whether the repair is certain or guessed.
    #[must_use]
    pub const fn class(self) -> RepairClass {
        match self {
            Self::MissingComma | Self::InnerQuote | Self::Ellipsis | Self::CutOff => {
                RepairClass::Guess
            }
            _ => RepairClass::Lossless,
        }
    }
}

impl RepairCode {
    /// Returns the word for messages.
    pub(crate) fn words(self) -> String {
        match self {
            Self::RawControl => "control character in a string".to_owned(),
            Self::NonFiniteNumber => "number that is not finite".to_owned(),
            other => other.as_str().replace('_', " "),
        }
    }
}

impl fmt::Display for RepairCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Repairs in the order in which they were made. The first guess is stored
/// separately, so that the limit never drops it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    list: Vec<Repair>,
    guess: Option<Repair>,
}

impl Notes {
    pub(crate) fn add(&mut self, code: RepairCode, at: usize) {
        self.push(Repair::new(code, at));
    }

    pub(crate) fn push(&mut self, repair: Repair) {
        if repair.class == RepairClass::Guess && self.guess.is_none() {
            self.guess = Some(repair);
        }
        if self.list.len() < Parsed::MAX_REPAIRS {
            self.list.push(repair);
        }
    }

    /// Adds the repairs of others, with the offsets that `place` returns.
    pub(crate) fn extend(&mut self, others: &Self, place: impl Fn(usize) -> usize) {
        let moved = |repair: &Repair| Repair::new(repair.code, place(repair.at));
        for repair in &others.list {
            self.push(moved(repair));
        }
        self.guess = self.guess.or(others.guess.as_ref().map(moved));
    }

    pub(crate) fn list(&self) -> &[Repair] {
        &self.list
    }

    pub(crate) fn guess(&self) -> Option<Repair> {
        self.guess
    }

    pub(crate) fn into_list(self) -> Vec<Repair> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_a_code_is_its_word_in_json() {
        for code in RepairCode::ALL {
            let json = serde_json::to_string(code).unwrap();
            assert_eq!(json, format!("\"{code}\""));
        }
    }

    #[test]
    fn a_guess_is_recorded_beyond_the_limit() {
        let mut notes = Notes::default();
        for at in 0..Parsed::MAX_REPAIRS {
            notes.add(RepairCode::Comment, at);
        }
        notes.add(RepairCode::CutOff, 7);
        assert_eq!(notes.list().len(), Parsed::MAX_REPAIRS);
        assert_eq!(notes.guess(), Some(Repair::new(RepairCode::CutOff, 7)));

        let mut others = Notes::default();
        others.extend(&notes, |at| at + 1_000);
        assert_eq!(others.list().len(), Parsed::MAX_REPAIRS);
        assert_eq!(others.list()[2], Repair::new(RepairCode::Comment, 1_002));
        assert_eq!(others.guess(), Some(Repair::new(RepairCode::CutOff, 1_007)));
    }

    #[test]
    fn the_first_guess_is_the_one_that_is_reported() {
        let mut notes = Notes::default();
        notes.add(RepairCode::Comment, 1);
        assert_eq!(notes.guess(), None);
        notes.add(RepairCode::MissingComma, 2);
        notes.add(RepairCode::CutOff, 3);
        assert_eq!(
            notes.guess(),
            Some(Repair::new(RepairCode::MissingComma, 2))
        );
    }
}
