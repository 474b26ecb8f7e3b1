//! Validates an object with the fields of a review, up to the first invalid
//! field.

mod document;
mod feedback;
mod response;
mod score;

use crate::actionable::ActionableFeedback;
use crate::afp::FeedbackResponse;
use std::borrow::Cow;
use std::ops::Range;

use review_types::{Review, Verdict, excerpt};

use crate::form::{Mention, VerdictWord, is_dots};
use crate::parse::{
    self, Answer, CallProblem, Duplicate, Failure, KeyForm, Kind, KnownField, Node, Reader, Slot,
    decode,
};
use crate::repair::Notes;
use crate::{Dialect, EndMark, Field, Mode, Options, RepairClass, RepairCode, SchemaError};

/// Maximum length of a quotation from an answer in a message.
pub(crate) const MAX_QUOTED: usize = 80;

/// A judged object.
pub(crate) struct Judged {
    /// The verdict that it mentions, even if it is invalid.
    pub(crate) mention: Mention,
    pub(crate) outcome: Outcome,
    /// The response that contained the review, in the dialect `afp`.
    pub(crate) response: Option<Box<FeedbackResponse>>,
    /// The document that contained it, in the dialect `actionable`.
    pub(crate) document: Option<Box<ActionableFeedback>>,
    pub(crate) end_mark: Option<EndMark>,
    pub(crate) notes: Notes,
    /// The error in strict mode.
    pub(crate) refused: Option<SchemaError>,
}

impl Judged {
    /// Returns whether it is a valid pass.
    pub(crate) fn passes(&self) -> bool {
        matches!(&self.outcome, Outcome::Valid(review) if review.verdict() == Verdict::Pass)
    }

    /// Returns a pass that `word` beside it puts in doubt: it has no verdict, and is not
    /// unanimous with any pass.
    pub(crate) fn doubted(self, word: &str, at: usize) -> Self {
        let message = format!("the sentence around the pass puts it in doubt (\"{word}\")");
        let error = SchemaError::new(Field::Verdict, message)
            .at(at)
            .hint("answer with one object only");
        Self {
            mention: self.mention.max(Mention::Unclear),
            outcome: Outcome::Invalid(error),
            ..self
        }
    }

    /// Returns the object as one of a call that did not end well: it has no verdict, and is
    /// not unanimous with any pass.
    pub(crate) fn after_call(self, problem: &CallProblem) -> Self {
        let Outcome::Valid(review) = &self.outcome else {
            return self;
        };
        let Some(error) = problem.refuse(review.verdict()) else {
            return self;
        };
        Self {
            mention: self.mention.max(Mention::Unclear),
            outcome: Outcome::Invalid(error.clone()),
            ..self
        }
    }
}

/// The outcome of an object.
pub(crate) enum Outcome {
    Valid(Review),
    Invalid(SchemaError),
    /// It is a template.
    Template(SchemaError),
}

/// The reason that an object is not a review.
enum Rejection {
    Invalid(SchemaError),
    Template(SchemaError),
}

impl From<SchemaError> for Rejection {
    fn from(error: SchemaError) -> Self {
        Self::Invalid(error)
    }
}

/// The validation of one object.
struct Judge<'a> {
    text: &'a str,
    guessing: bool,
    options: &'a Options,
    notes: Notes,
    refused: Option<SchemaError>,
}

/// Judges an object that was parsed with `notes`. `refused` is the error in strict mode
/// so far.
pub(crate) fn judge<'a>(
    text: &'a str,
    guessing: bool,
    answer: &Answer<'a>,
    notes: Notes,
    refused: Option<SchemaError>,
    options: &'a Options,
) -> Judged {
    let mut judge = Judge {
        text,
        guessing,
        options,
        notes,
        refused,
    };
    judge.object_to_syntax();
    if answer.wrapped {
        judge.repaired(RepairCode::Envelope, answer.span.start, || {
            SchemaError::new(Field::Verdict, "the answer is inside another object")
        });
    }
    let (mut response, mut document) = (None, None);
    let (mut mention, read) = match options.dialect {
        Dialect::Verdict => (judge.mention(answer), judge.review(answer)),
        Dialect::Afp => {
            let (mention, read) = judge.response(answer);
            let keep = |(review, read)| {
                response = read;
                review
            };
            (mention, read.map(keep))
        }
        Dialect::Actionable => {
            let (mention, read) = judge.document(answer);
            let keep = |(review, read)| {
                document = Some(read);
                review
            };
            (mention, read.map(keep))
        }
    };
    let outcome = match read {
        Ok(review) => Outcome::Valid(review),
        Err(Rejection::Template(error)) => Outcome::Template(error),
        Err(Rejection::Invalid(error)) => Outcome::Invalid(judge.blame_the_guess(error)),
    };
    match outcome {
        Outcome::Valid(_) => judge.object_to_numbers(),
        // The rest of the answer does not contain its verdict.
        Outcome::Invalid(_) if guessing => mention = unclear_if_none(mention),
        Outcome::Invalid(_) | Outcome::Template(_) => {}
    }
    Judged {
        mention,
        outcome,
        response,
        document,
        end_mark: judge.end_mark(answer),
        notes: judge.notes,
        refused: judge.refused,
    }
}

impl<'a> Judge<'a> {
    fn review(&mut self, answer: &Answer<'_>) -> Result<Review, Rejection> {
        let verdict = self.verdict(answer)?;
        let scores = self.score(answer)?;
        let items = self.feedback(answer, verdict)?;
        let list = answer.feedback.map(|member| member.slot.start);
        let at = list.unwrap_or(answer.span.start);
        Review::new(verdict, scores, items).map_err(|error| {
            Rejection::Invalid(SchemaError::new(Field::Feedback, error.to_string()).at(at))
        })
    }

    fn mention(&self, answer: &Answer<'_>) -> Mention {
        answer.verdict.map_or(Mention::None, |member| {
            let mention = Mention::of(self.text, member.slot);
            match member.again {
                Duplicate::Different(_) => mention.max(Mention::Unclear),
                Duplicate::No | Duplicate::Equal(_) => mention,
            }
        })
    }

    /// Returns the mark that the answer names as that at the end of its prompt.
    fn end_mark(&self, answer: &Answer<'_>) -> Option<EndMark> {
        let slot = answer.end_id?.slot;
        match slot.kind {
            Kind::Null => Some(EndMark::Missing),
            Kind::Text => Some(EndMark::Named(self.string(slot).into_owned())),
            _ => Some(EndMark::Named(self.quoted(slot))),
        }
    }

    fn verdict(&mut self, answer: &Answer<'_>) -> Result<Verdict, Rejection> {
        let Some(member) = answer.verdict else {
            return Err(unknown_verdict("nothing").at(answer.span.start).into());
        };
        self.known_key(&member, || Field::Verdict)?;
        let slot = member.slot;
        let word = match slot.kind {
            Kind::Text => VerdictWord::of(&self.string(slot)),
            _ => VerdictWord::Other,
        };
        match word {
            VerdictWord::Exact(verdict) => Ok(verdict),
            VerdictWord::Form(verdict) => {
                let error = unknown_verdict(&self.quoted(slot)).at(slot.start);
                self.repaired(RepairCode::VerdictForm, slot.start, || error);
                Ok(verdict)
            }
            VerdictWord::Template => Err(Rejection::Template(
                unknown_verdict(&self.quoted(slot)).at(slot.start),
            )),
            VerdictWord::Other if Mention::of(self.text, slot) == Mention::None => Err(
                Rejection::Template(unknown_verdict(&self.quoted(slot)).at(slot.start)),
            ),
            VerdictWord::Other => Err(unknown_verdict(&self.quoted(slot)).at(slot.start).into()),
        }
    }

    /// Records the spelling of a known key, and fails if it is a duplicate with
    /// different values.
    fn known_key(
        &mut self,
        member: &KnownField,
        field: impl Fn() -> Field,
    ) -> Result<(), SchemaError> {
        let code = match member.form {
            KeyForm::Exact => None,
            KeyForm::OtherCase => Some(RepairCode::KeyCase),
            KeyForm::Plural => Some(RepairCode::ScoresKey),
        };
        if let Some(code) = code {
            self.repaired(code, member.key_at, || {
                let key = field();
                SchemaError::new(key, "the key has another spelling").at(member.key_at)
            });
        }
        match member.again {
            Duplicate::No => Ok(()),
            Duplicate::Equal(at) => {
                self.notes.add(RepairCode::DuplicateKey, at);
                Ok(())
            }
            Duplicate::Different(at) => {
                Err(SchemaError::new(field(), "duplicate key with different values").at(at))
            }
        }
    }

    /// Records a repair that is an error in strict mode.
    fn repaired(&mut self, code: RepairCode, at: usize, error: impl FnOnce() -> SchemaError) {
        self.notes.add(code, at);
        if self.options.mode == Mode::Strict && self.refused.is_none() {
            self.refused = Some(error());
        }
    }

    /// Makes the repairs of the parser errors in strict mode. An invalid number is left to
    /// its field.
    fn object_to_syntax(&mut self) {
        self.object_to(|code| code != RepairCode::NonFiniteNumber);
    }

    fn object_to_numbers(&mut self) {
        self.object_to(|code| code == RepairCode::NonFiniteNumber);
    }

    fn object_to(&mut self, which: impl Fn(RepairCode) -> bool) {
        if self.options.mode != Mode::Strict || self.refused.is_some() {
            return;
        }
        let first = self.notes.list().iter().find(|repair| which(repair.code));
        let first = first.copied().or(self.notes.guess());
        self.refused = first.filter(|repair| which(repair.code)).map(|repair| {
            SchemaError::json(format!("invalid JSON: {}", repair.code.words())).at(repair.at)
        });
    }

    /// Returns the error after a guess: it is caused by the guess.
    fn blame_the_guess(&self, error: SchemaError) -> SchemaError {
        match self.notes.guess() {
            Some(guess) => guessed(self.text, guess),
            None => error,
        }
    }

    /// Returns the object of an answer with all its fields.
    fn object(&self, answer: &Answer<'_>) -> Option<Node<'a>> {
        let Range { start, end } = answer.span;
        let kind = Kind::Object;
        let slot = Slot { kind, start, end };
        let read = Reader::again(self.text, slot, self.guessing).node();
        read.ok().flatten()
    }

    fn string(&self, slot: Slot) -> Cow<'a, str> {
        decode(self.text, slot.start, slot.end)
    }

    /// Returns a value as a message quotes it.
    fn quoted(&self, slot: Slot) -> String {
        let text = match slot.kind {
            Kind::Text => self.string(slot),
            _ => Cow::Borrowed(self.text.get(slot.start..slot.end).unwrap_or_default()),
        };
        excerpt(&text, MAX_QUOTED)
    }

    fn holds_dots(&self, slot: Slot) -> bool {
        holds_dots(self.text.get(slot.start..slot.end).unwrap_or_default())
    }
}

fn no_object(answer: &Answer<'_>) -> SchemaError {
    SchemaError::json("the object cannot be parsed").at(answer.span.start)
}

/// Returns whether an object or an array contains nothing but dots.
fn holds_dots(raw: &str) -> bool {
    is_dots(raw.trim_matches(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | '[' | ']')))
}

/// Returns the mention, with none at all as unclear.
fn unclear_if_none(mention: Mention) -> Mention {
    match mention {
        Mention::None => Mention::Unclear,
        said => said,
    }
}

fn unknown_verdict(got: &str) -> SchemaError {
    let message = format!("must be one of [pass needs_revision], got: {got}");
    SchemaError::new(Field::Verdict, message)
}

/// Returns the error of an answer that needed a guess.
pub(crate) fn guessed(text: &str, guess: crate::Repair) -> SchemaError {
    debug_assert_eq!(guess.class, RepairClass::Guess);
    if guess.code == RepairCode::CutOff {
        return cut_off(text);
    }
    SchemaError::json(format!("invalid JSON: {}", guess.code.words())).at(guess.at)
}

/// Returns the error of a malformed object.
pub(crate) fn unreadable(text: &str, failure: Failure) -> SchemaError {
    match failure.fault {
        parse::SyntaxFault::End => cut_off(text),
        fault => {
            let message = format!("invalid JSON: {} at byte {}", fault.expected(), failure.at);
            SchemaError::json(message).at(failure.at)
        }
    }
}

/// Returns the error of an answer that ends before its object does.
pub(crate) fn cut_off(text: &str) -> SchemaError {
    let end = text.len();
    let start = text.ceil_char_boundary(end.saturating_sub(MAX_QUOTED));
    let tail = text.get(start..).unwrap_or_default();
    SchemaError::json(format!("invalid JSON: cut off at byte {end}"))
        .at(end)
        .hint(format!("the answer ends with: {tail}"))
}
