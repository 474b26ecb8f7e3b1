//! Where a text comes from: the answer itself, or a string inside it.

use std::ops::Range;

use crate::judge::{Judged, Outcome};
use crate::parse::Slot;
use crate::repair::Notes;
use crate::sentence::Around;
use crate::{Field, Mode, Repair, RepairCode, SchemaError};

/// How many strings deep an answer may lie.
const MAX_TEXTS: u8 = 2;

/// What a text inherits from the string that it was in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// The bytes of the outermost string.
    origin: Option<Range<usize>>,
    notes: Notes,
    /// What a strict reading objects to.
    refused: Option<SchemaError>,
    texts: u8,
    /// The text around each object that it is in.
    around: Vec<[Box<str>; 2]>,
}

impl Frame {
    /// The frame of a whole answer.
    pub(crate) fn root(decoding: Option<Repair>) -> Self {
        let mut frame = Self::default();
        if let Some(repair) = decoding {
            frame.notes.push(repair);
        }
        frame
    }

    /// The frame of a text that is one string as a whole.
    pub(crate) fn in_json_string(&self, slot: Slot, notes: &Notes, mode: Mode) -> Self {
        self.inside(slot, notes, RepairCode::JsonString, mode, || {
            SchemaError::json("the answer is a string, not an object")
        })
    }

    /// The frame of a string inside an object.
    pub(crate) fn in_string(
        &self,
        slot: Slot,
        notes: &Notes,
        mode: Mode,
        around: Around<'_>,
    ) -> Self {
        let mut frame = self.inside(slot, notes, RepairCode::Envelope, mode, || {
            SchemaError::new(Field::Verdict, "the answer lies inside another object")
        });
        frame
            .around
            .push([around.before.into(), around.after.into()]);
        frame
    }

    /// The text around each object that the text is in.
    pub(crate) fn around(&self) -> impl Iterator<Item = Around<'_>> {
        let around = self.around.iter();
        around.map(|[before, after]| Around { before, after })
    }

    fn inside(
        &self,
        slot: Slot,
        notes: &Notes,
        code: RepairCode,
        mode: Mode,
        error: impl FnOnce() -> SchemaError,
    ) -> Self {
        let mut frame = self.clone();
        let at = self.place(slot.start);
        frame.notes.extend(notes, |at| self.place(at));
        frame.notes.add(code, at);
        if mode == Mode::Strict && frame.refused.is_none() {
            frame.refused = Some(error().at(at));
        }
        frame.origin.get_or_insert(slot.start..slot.end);
        frame.texts += 1;
        frame
    }

    /// Whether a string inside may be read as a text.
    pub(crate) fn may_hold_texts(&self) -> bool {
        self.texts < MAX_TEXTS
    }

    /// What a strict reading objects to.
    pub(crate) fn refused(&self) -> Option<SchemaError> {
        self.refused.clone()
    }

    /// The place in the answer of a place in the text.
    pub(crate) fn place(&self, at: usize) -> usize {
        self.origin.as_ref().map_or(at, |origin| origin.start)
    }

    /// The bytes of the answer for a piece of the text.
    pub(crate) fn span(&self, span: &Range<usize>) -> Range<usize> {
        self.origin.as_ref().unwrap_or(span).clone()
    }

    /// An error with its place in the answer.
    pub(crate) fn error(&self, mut error: SchemaError) -> SchemaError {
        error.at = error.at.map(|at| self.place(at));
        error
    }

    /// A judged object with its places in the answer and the inherited repairs.
    pub(crate) fn locate(&self, judged: Judged) -> Judged {
        let mut notes = self.notes.clone();
        notes.extend(&judged.notes, |at| self.place(at));
        let outcome = match judged.outcome {
            Outcome::Valid(review) => Outcome::Valid(review),
            Outcome::Invalid(error) => Outcome::Invalid(self.error(error)),
            Outcome::Template(error) => Outcome::Template(self.error(error)),
        };
        Judged {
            outcome,
            notes,
            response: judged.response,
            document: judged.document,
            refused: judged.refused.map(|error| self.error(error)),
            mention: judged.mention,
        }
    }
}
