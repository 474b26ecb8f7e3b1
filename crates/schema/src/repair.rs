//! The repairs during parsing.

use review_types::closed_list;
use serde::{Deserialize, Serialize};

use crate::{Parsed, SchemaError};

/// A repair during parsing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// The kind.
    pub code: RepairCode,
    /// The offset in bytes in the answer.
    pub at: usize,
}

#[cfg(test)]
impl Repair {
    pub(crate) const fn new(code: RepairCode, at: usize) -> Self {
        Self { code, at }
    }
}

closed_list! {
    /// The kind of a repair.
    RepairCode {
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
}

impl RepairCode {
    /// Returns whether it was guessed: the answer can be `needs_revision`, never a pass.
    #[must_use]
    pub const fn is_guess(self) -> bool {
        matches!(
            self,
            Self::MissingComma | Self::InnerQuote | Self::Ellipsis | Self::CutOff
        )
    }

    /// Returns whether strict mode accepts it: the answer is exact JSON, and the repair
    /// changes nothing that is read.
    const fn is_exact(self) -> bool {
        matches!(
            self,
            Self::DuplicateKey | Self::ItemDropped | Self::ExtraScoreDropped
        )
    }

    /// Returns the word for messages.
    pub(crate) fn words(self) -> String {
        match self {
            Self::RawControl => "control character in a string".to_owned(),
            Self::NonFiniteNumber => "number that is not finite".to_owned(),
            other => other.as_str().replace('_', " "),
        }
    }
}

/// A repair, and the error in its place where it is not allowed; none for a repair of the
/// syntax.
#[derive(Clone, Debug)]
struct Note {
    repair: Repair,
    error: Option<Box<SchemaError>>,
}

impl Note {
    fn into_error(self) -> SchemaError {
        let Repair { code, at } = self.repair;
        match self.error {
            Some(error) => *error,
            None => SchemaError::json(format!("invalid JSON: {}", code.words())).at(at),
        }
    }
}

/// Repairs in the order in which they were made. The first guess is stored
/// separately, so that the limit never drops it.
///
/// An answer is always read with repairs. Where they are not allowed, the first one becomes
/// the error at the end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    list: Vec<Note>,
    guess: Option<Repair>,
}

impl Notes {
    /// Adds a repair of the syntax.
    pub(crate) fn add(&mut self, code: RepairCode, at: usize) {
        self.push(Repair { code, at }, || None);
    }

    /// Adds a repair of a value, with the error where it is not allowed.
    pub(crate) fn add_with(
        &mut self,
        code: RepairCode,
        at: usize,
        error: impl FnOnce() -> SchemaError,
    ) {
        self.push(Repair { code, at }, || Some(Box::new(error())));
    }

    fn push(&mut self, repair: Repair, error: impl FnOnce() -> Option<Box<SchemaError>>) {
        if repair.code.is_guess() {
            self.guess.get_or_insert(repair);
        }
        if self.list.len() < Parsed::MAX_REPAIRS {
            let error = error();
            self.list.push(Note { repair, error });
        }
    }

    /// Adds the repairs of others, with the offsets that `place` returns.
    pub(crate) fn extend(&mut self, others: &Self, place: impl Fn(usize) -> usize) {
        let moved = |repair: &Repair| Repair {
            at: place(repair.at),
            ..*repair
        };
        for Note { repair, error } in &others.list {
            self.push(moved(repair), || {
                let mut error = error.clone()?;
                error.at = error.at.map(&place);
                Some(error)
            });
        }
        self.guess = self.guess.or(others.guess.as_ref().map(moved));
    }

    pub(crate) fn repairs(&self) -> impl Iterator<Item = Repair> {
        self.list.iter().map(|note| note.repair)
    }

    pub(crate) fn guess(&self) -> Option<Repair> {
        self.guess
    }

    /// Returns the error in strict mode. A number that is not finite matters only in an answer
    /// that is valid without it: else its field has the error.
    pub(crate) fn strict_error(&self, is_valid: bool) -> Option<SchemaError> {
        let is_number = |note: &&Note| note.repair.code == RepairCode::NonFiniteNumber;
        let inexact = || self.list.iter().filter(|note| !note.repair.code.is_exact());
        let first = inexact().find(|note| !is_number(note));
        let first = first.or_else(|| inexact().find(|_| is_valid));
        first.cloned().map(Note::into_error)
    }

    /// Returns the error of an object of a program, which may only repeat a field.
    pub(crate) fn exact_error(&self) -> Option<SchemaError> {
        let mut notes = self.list.iter();
        let first = notes.find(|note| note.repair.code != RepairCode::DuplicateKey);
        first.cloned().map(Note::into_error)
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
        assert_eq!(notes.repairs().count(), Parsed::MAX_REPAIRS);
        assert_eq!(notes.guess(), Some(Repair::new(RepairCode::CutOff, 7)));

        let mut others = Notes::default();
        others.extend(&notes, |at| at + 1_000);
        assert_eq!(others.repairs().count(), Parsed::MAX_REPAIRS);
        assert_eq!(
            others.repairs().nth(2),
            Some(Repair::new(RepairCode::Comment, 1_002))
        );
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
