//! The decoded answer, and the strings inside it that may contain one.

use std::borrow::Cow;
use std::ops::Range;

use crate::call_end::CallProblem;
use crate::judge::{Judged, Rejection};
use crate::parse::Node;
use crate::prose::Surroundings;
use crate::repair::Notes;
use crate::{Mode, Repair, RepairCode, SchemaError};

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
    /// What surrounds each object that contains it.
    around: Vec<[Box<str>; 2]>,
}

impl Frame {
    /// Returns the frame of a whole answer.
    pub(crate) fn root(decoding: Option<Repair>) -> Self {
        let mut frame = Self::default();
        if let Some(Repair { code, at }) = decoding {
            frame.notes.add(code, at);
        }
        frame
    }

    /// Returns the frame of a document that was converted to an input without any of its
    /// offsets.
    pub(crate) fn converted(code: RepairCode) -> Self {
        Self {
            origin: Some(0..0),
            ..Self::root(Some(Repair { code, at: 0 }))
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

    /// Returns what surrounds each object that contains the input.
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

/// Maximum length of an answer in bytes.
const MAX_LEN: usize = 16 * 1024 * 1024;

/// Decodes UTF-8, UTF-16LE with a byte order mark, and anything else lossily. Returns the
/// repair as well, which all offsets leave out: they are in the decoded text.
pub(crate) fn decode(
    bytes: &[u8],
    mode: Mode,
) -> Result<(Cow<'_, str>, Option<Repair>), SchemaError> {
    if bytes.len() > MAX_LEN {
        return Err(SchemaError::json("the answer is larger than 16 MiB").at(MAX_LEN));
    }
    let (text, code, at) = match std::str::from_utf8(bytes) {
        Ok(text) => {
            let is_marked = mode == Mode::Tolerant && text.starts_with('\u{feff}');
            let (code, at) = (RepairCode::UnicodeBlank, 0);
            let repair = is_marked.then_some(Repair { code, at });
            return Ok((Cow::Borrowed(text), repair));
        }
        Err(_) if bytes.starts_with(b"\xff\xfe") => {
            (Cow::Owned(decode_utf16(bytes)), RepairCode::Utf16, 0)
        }
        Err(error) => (
            String::from_utf8_lossy(bytes),
            RepairCode::InvalidUtf8,
            error.valid_up_to(),
        ),
    };
    if mode == Mode::Strict {
        let message = match code {
            RepairCode::Utf16 => "the answer is UTF-16, not UTF-8",
            _ => "the answer is not UTF-8",
        };
        return Err(SchemaError::json(message).at(at));
    }
    Ok((text, Some(Repair { code, at })))
}

fn decode_utf16(bytes: &[u8]) -> String {
    let body = bytes.get(2..).unwrap_or_default();
    let units = body.chunks(2).map(|pair| match pair {
        [low, high] => u16::from_le_bytes([*low, *high]),
        // Half of a code unit is not a character.
        _ => 0xfffd,
    });
    char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str) -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn utf8_is_not_changed() {
        let (text, repair) = decode("né".as_bytes(), Mode::Strict).unwrap();
        assert!(matches!(text, Cow::Borrowed("né")));
        assert_eq!(repair, None);
    }

    #[test]
    fn a_byte_order_mark_is_reported_where_it_is_accepted() {
        let marked = "\u{feff}{}".as_bytes();
        let (_, repair) = decode(marked, Mode::Tolerant).unwrap();
        assert_eq!(repair, Some(Repair::new(RepairCode::UnicodeBlank, 0)));
        let (_, repair) = decode(marked, Mode::Strict).unwrap();
        assert_eq!(repair, None);
    }

    #[test]
    fn what_is_no_character_is_replaced() {
        let mut half_a_pair_and_half_a_unit = utf16("a😀");
        half_a_pair_and_half_a_unit.extend([0x00, 0xd8, 0x62, 0x00, 0x63]);
        for (bytes, text, (code, at)) in [
            (
                b"a\xffb\xc3".to_vec(),
                "a\u{fffd}b\u{fffd}",
                (RepairCode::InvalidUtf8, 1),
            ),
            (
                half_a_pair_and_half_a_unit,
                "a😀\u{fffd}b\u{fffd}",
                (RepairCode::Utf16, 0),
            ),
        ] {
            let decoded = decode(&bytes, Mode::Tolerant).unwrap();
            assert_eq!(
                decoded,
                (text.into(), Some(Repair::new(code, at))),
                "{bytes:?}"
            );
        }
    }

    #[test]
    fn strict_mode_accepts_only_utf8() {
        for (bytes, message, at) in [
            (b"ab\xff".to_vec(), "the answer is not UTF-8", 2),
            (utf16("a"), "the answer is UTF-16, not UTF-8", 0),
        ] {
            let error = decode(&bytes, Mode::Strict).unwrap_err();
            assert_eq!(error, SchemaError::json(message).at(at));
        }
    }

    #[test]
    fn an_answer_may_be_16_mib_long() {
        let limit = 16_777_216;
        let bytes = vec![b' '; limit + 1];
        assert!(decode(&bytes[..limit], Mode::Tolerant).is_ok());
        let error = decode(&bytes, Mode::Tolerant).unwrap_err();
        assert_eq!(
            error,
            SchemaError::json("the answer is larger than 16 MiB").at(limit)
        );
    }
}
