//! The string that contains an input: the answer itself, or a string inside it.

use std::ops::Range;

use crate::call_end::CallProblem;
use crate::judge::{Judged, Rejection};
use crate::parse::Node;
use crate::prose::Surroundings;
use crate::repair::Notes;
use crate::{RepairCode, SchemaError};

/// Maximum number of nested strings in an answer.
const MAX_TEXTS: u8 = 2;

/// Properties that an input inherits from the string that contains it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// The byte range of the outermost string.
    origin: Option<Range<usize>>,
    notes: Notes,
    texts: u8,
    /// What the objects around the string say about the end of the call.
    call: Option<CallProblem>,
    /// The text beside each object that contains it.
    around: Vec<[Box<str>; 2]>,
}

impl Frame {
    /// Returns the frame of a whole answer.
    pub(crate) fn root(decoding: Option<(RepairCode, usize)>) -> Self {
        let mut frame = Self::default();
        if let Some((code, at)) = decoding {
            frame.notes.add(code, at);
        }
        frame
    }

    /// Returns the frame of a document that was converted to an input without any of its
    /// offsets.
    pub(crate) fn converted(code: RepairCode) -> Self {
        Self {
            origin: Some(0..0),
            ..Self::root(Some((code, 0)))
        }
    }

    /// Returns the frame of an answer that is one string as a whole.
    pub(crate) fn in_json_string(&self, string: &Node<'_>, notes: &Notes) -> Self {
        let error = SchemaError::json("the answer is a string, not an object");
        self.inside(string, notes, RepairCode::JsonString, error)
    }

    /// Returns the frame of a string inside an object, of whose call there may be a problem.
    pub(crate) fn in_string(
        &self,
        string: &Node<'_>,
        notes: &Notes,
        around: Surroundings<'_>,
        problem: Option<CallProblem>,
    ) -> Self {
        let error = SchemaError::verdict("the answer is inside another object");
        let mut frame = self.inside(string, notes, RepairCode::Envelope, error);
        let Surroundings { before, after } = around;
        frame.around.push([before.into(), after.into()]);
        let problems = frame.call.take().into_iter().chain(problem);
        frame.call = problems.max_by_key(CallProblem::is_failure);
        frame
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
        string: &Node<'_>,
        notes: &Notes,
        code: RepairCode,
        error: SchemaError,
    ) -> Self {
        let mut frame = self.clone();
        let at = self.place(string.span.start);
        frame.notes.extend(notes, |at| self.place(at));
        frame.notes.add_with(code, at, || error.at(at));
        frame.origin.get_or_insert(string.span.clone());
        frame.texts += 1;
        frame
    }

    /// Returns whether a string inside may be parsed as an input.
    pub(crate) fn may_contain_answers(&self) -> bool {
        self.texts < MAX_TEXTS
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

    /// Adds the offset in the answer to a problem of a call.
    pub(crate) fn problem(&self, problem: CallProblem) -> CallProblem {
        let error = self.error(problem.error);
        CallProblem { error, ..problem }
    }

    /// Adds the offsets in the answer and the inherited repairs to a judged object.
    pub(crate) fn locate(&self, judged: Judged) -> Judged {
        let mut notes = self.notes.clone();
        notes.extend(&judged.notes, |at| self.place(at));
        let read = judged.read.map_err(|rejection| match rejection {
            Rejection::Invalid(error) => Rejection::Invalid(self.error(error)),
            Rejection::Template(error) => Rejection::Template(self.error(error)),
        });
        Judged {
            notes,
            read,
            ..judged
        }
    }
}
