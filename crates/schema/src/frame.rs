//! The origin of an input: the answer itself, or a string inside it.

use std::ops::Range;

use crate::judge::{Judged, Outcome};
use crate::parse::{CallProblem, Slot};
use crate::prose::Surroundings;
use crate::repair::Notes;
use crate::{Field, Mode, Repair, RepairCode, SchemaError};

/// Maximum number of nested strings in an answer.
const MAX_TEXTS: u8 = 2;

/// Properties that an input inherits from the string that contains it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// The byte range of the outermost string.
    origin: Option<Range<usize>>,
    notes: Notes,
    /// The error in strict mode.
    refused: Option<SchemaError>,
    texts: u8,
    /// What the objects around the string say about the end of the call.
    call: Option<CallProblem>,
    /// The text beside each object that contains it.
    around: Vec<[Box<str>; 2]>,
}

impl Frame {
    /// Returns the frame of a whole answer.
    pub(crate) fn root(decoding: Option<Repair>) -> Self {
        let mut frame = Self::default();
        if let Some(repair) = decoding {
            frame.notes.push(repair);
        }
        frame
    }

    /// Returns the frame of an answer that is one string as a whole.
    pub(crate) fn in_json_string(&self, slot: Slot, notes: &Notes, mode: Mode) -> Self {
        self.inside(slot, notes, RepairCode::JsonString, mode, || {
            SchemaError::json("the answer is a string, not an object")
        })
    }

    /// Returns the frame of a string inside an object.
    pub(crate) fn in_string(
        &self,
        slot: Slot,
        notes: &Notes,
        mode: Mode,
        around: Surroundings<'_>,
    ) -> Self {
        let mut frame = self.inside(slot, notes, RepairCode::Envelope, mode, || {
            SchemaError::new(Field::Verdict, "the answer is inside another object")
        });
        let Surroundings { before, after } = around;
        frame.around.push([before.into(), after.into()]);
        frame
    }

    /// Returns the frame with the worse problem of this call and of the objects around.
    pub(crate) fn after_call(mut self, problem: Option<CallProblem>) -> Self {
        let problems = [self.call.take(), problem].into_iter().flatten();
        self.call = problems.max_by_key(CallProblem::is_failure);
        self
    }

    /// Returns why the call of a string inside did not end well.
    pub(crate) fn call_problem(&self) -> Option<&CallProblem> {
        self.call.as_ref()
    }

    /// Returns the text beside each object that contains the input.
    pub(crate) fn around(&self) -> impl Iterator<Item = Surroundings<'_>> {
        let around = self.around.iter();
        around.map(|[before, after]| Surroundings { before, after })
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

    /// Returns whether a string inside may be parsed as an input.
    pub(crate) fn may_contain_answers(&self) -> bool {
        self.texts < MAX_TEXTS
    }

    /// Returns the error in strict mode.
    pub(crate) fn refused(&self) -> Option<SchemaError> {
        self.refused.clone()
    }

    /// Converts an offset in the input to one in the answer.
    pub(crate) fn place(&self, at: usize) -> usize {
        self.origin.as_ref().map_or(at, |origin| origin.start)
    }

    /// Converts a range of the input to a byte range of the answer.
    pub(crate) fn span(&self, span: &Range<usize>) -> Range<usize> {
        self.origin.as_ref().unwrap_or(span).clone()
    }

    /// Adds the offset in the answer to an error.
    pub(crate) fn error(&self, mut error: SchemaError) -> SchemaError {
        error.at = error.at.map(|at| self.place(at));
        error
    }

    /// Adds the offsets in the answer and the inherited repairs to a judged object.
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
            end_mark: judged.end_mark,
            refused: judged.refused.map(|error| self.error(error)),
            mention: judged.mention,
        }
    }
}
