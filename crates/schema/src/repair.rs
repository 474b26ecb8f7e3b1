//! What was mended while reading.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Parsed;

/// One thing that was mended or passed over while reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// What it was.
    pub code: RepairCode,
    /// The byte of the answer at which it was found.
    pub at: usize,
    /// Whether anything was guessed.
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

/// How sure a repair is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepairClass {
    /// There is one way to read it.
    Lossless,
    /// It was guessed: it can carry a `needs_revision`, never a pass.
    Guess,
}

macro_rules! repair_codes {
    ($($(#[$doc:meta])* $name:ident => $word:literal,)*) => {
        /// What was mended or passed over.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum RepairCode {
            $($(#[$doc])* $name,)*
        }

        impl RepairCode {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The word in JSON and in reports.
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
    /// Bytes that are no UTF-8 became U+FFFD.
    InvalidUtf8 => "invalid_utf8",
    /// The answer was UTF-16.
    Utf16 => "utf16",
    /// The whole answer was one JSON string.
    JsonString => "json_string",
    /// The review lay inside another object.
    Envelope => "envelope",
    /// A byte order mark or a Unicode blank stood between tokens.
    UnicodeBlank => "unicode_blank",
    /// A comment stood between tokens.
    Comment => "comment",
    /// A comma stood before a closing bracket.
    TrailingComma => "trailing_comma",
    /// A string stood in single quotes.
    SingleQuotes => "single_quotes",
    /// A string stood in typographic quotes.
    SmartQuotes => "smart_quotes",
    /// A key stood without quotes.
    UnquotedKey => "unquoted_key",
    /// `True`, `False` or `None` stood for a literal.
    PythonLiteral => "python_literal",
    /// A string held a raw newline, tab or other control character.
    RawControl => "raw_control",
    /// A backslash before a character that needs none was kept.
    InvalidEscape => "invalid_escape",
    /// Half of a surrogate pair became U+FFFD.
    LoneSurrogate => "lone_surrogate",
    /// A number that is none, or too large, stood where no number is read.
    NonFiniteNumber => "non_finite_number",
    /// A number began with a plus sign.
    LeadingPlus => "leading_plus",
    /// The verdict was written in another way.
    VerdictForm => "verdict_form",
    /// A score was written in another way.
    ScoreForm => "score_form",
    /// A key was written in another case.
    KeyCase => "key_case",
    /// The scores stood under `scores`.
    ScoresKey => "scores_key",
    /// One item of feedback stood without its list.
    SingleItem => "single_item",
    /// A key stood twice with equal values.
    DuplicateKey => "duplicate_key",
    /// The score of a criterion that nobody asked for was no score.
    ExtraScoreDropped => "extra_score_dropped",
    /// An incomplete item of feedback on a pass was dropped.
    ItemDropped => "item_dropped",
    /// A word of a closed list was written in another way, or in the word of
    /// another scale.
    WordForm => "word_form",
    /// A member that decides nothing was missing.
    MissingMember => "missing_member",
    /// An area for improvement had no id of its own, so one was made.
    IdMade => "id_made",
    /// The acknowledgement of decisions could not be read.
    AckDropped => "ack_dropped",
    /// A comma was missing.
    MissingComma => "missing_comma",
    /// A string held quotes without a backslash.
    InnerQuote => "inner_quote",
    /// Dots stood in place of an item or a member.
    Ellipsis => "ellipsis",
    /// The answer ended before the object did.
    CutOff => "cut_off",
}

impl RepairCode {
    /// Whether the repair is sure or guessed.
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
    /// The word as a message says it.
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

/// Repairs in the order in which they were made. The first guess is kept apart,
/// so that it is never lost to the limit.
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

    /// Adds what others hold, each at the place that `place` gives it.
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
    fn a_guess_is_remembered_beyond_the_limit() {
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
    fn the_first_guess_is_the_one_that_is_told() {
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
