//! From an object with the members of a review to a review, or to the first
//! field that fails.

mod document;
mod feedback;
mod response;
mod score;

use crate::actionable::ActionableFeedback;
use crate::afp::FeedbackResponse;
use std::borrow::Cow;
use std::ops::Range;

use review_types::{Review, Verdict};

use crate::form::{Mention, VerdictWord, is_dots};
use crate::parse::{
    self, Again, Answer, Failure, KeyForm, Kind, Member, Node, Reader, Slot, decode,
};
use crate::repair::Notes;
use crate::{Dialect, Field, Mode, Options, RepairClass, RepairCode, SchemaError};

/// The longest piece of an answer that a message quotes.
const MAX_QUOTED: usize = 80;

/// A judged object.
pub(crate) struct Judged {
    /// What it says of the verdict, whatever becomes of it.
    pub(crate) mention: Mention,
    pub(crate) outcome: Outcome,
    /// The response that the review was read from, in the dialect `afp`.
    pub(crate) response: Option<Box<FeedbackResponse>>,
    /// The document that it was read from, in the dialect `actionable`.
    pub(crate) document: Option<Box<ActionableFeedback>>,
    pub(crate) notes: Notes,
    /// What a strict reading objects to.
    pub(crate) refused: Option<SchemaError>,
}

impl Judged {
    /// The object where `word` around it supposes, denies or only mentions it: it says nothing of
    /// the verdict, and what it says is not unanimous with any pass.
    pub(crate) fn supposed(self, word: &str, at: usize) -> Self {
        let message = format!(
            "the sentence around the object supposes, denies or only mentions it (\"{word}\"), so it is not a verdict"
        );
        let error = SchemaError::new(Field::Verdict, message)
            .at(at)
            .hint("answer with one object only");
        Self {
            mention: self.mention.max(Mention::Unclear),
            outcome: Outcome::Invalid(error),
            ..self
        }
    }
}

/// What an object is.
pub(crate) enum Outcome {
    Valid(Review),
    Invalid(SchemaError),
    /// It shows the form of an answer.
    Template(SchemaError),
}

/// Why no review came out of an object.
enum Fault {
    Invalid(SchemaError),
    Template(SchemaError),
}

impl From<SchemaError> for Fault {
    fn from(error: SchemaError) -> Self {
        Self::Invalid(error)
    }
}

/// The reading of one object.
struct Judge<'a> {
    text: &'a str,
    guessing: bool,
    options: &'a Options,
    notes: Notes,
    refused: Option<SchemaError>,
}

/// Judges an object that was read with `notes`, as the reading that found it read
/// it. `refused` is what a strict
/// reading objects to already.
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
        judge.mended(RepairCode::Envelope, answer.span.start, || {
            SchemaError::new(Field::Verdict, "the answer lies inside another object")
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
        Err(Fault::Template(error)) => Outcome::Template(error),
        Err(Fault::Invalid(error)) => Outcome::Invalid(judge.blame_the_guess(error)),
    };
    match outcome {
        Outcome::Valid(_) => judge.object_to_numbers(),
        // What is left of the answer does not tell its verdict.
        Outcome::Invalid(_) if guessing => mention = unless_said(mention),
        Outcome::Invalid(_) | Outcome::Template(_) => {}
    }
    Judged {
        mention,
        outcome,
        response,
        document,
        notes: judge.notes,
        refused: judge.refused,
    }
}

impl<'a> Judge<'a> {
    fn review(&mut self, answer: &Answer<'_>) -> Result<Review, Fault> {
        let verdict = self.verdict(answer)?;
        let scores = self.score(answer)?;
        let items = self.feedback(answer, verdict)?;
        let list = answer.feedback.map(|member| member.slot.start);
        let at = list.unwrap_or(answer.span.start);
        Review::new(verdict, scores, items).map_err(|error| {
            Fault::Invalid(SchemaError::new(Field::Feedback, error.to_string()).at(at))
        })
    }

    fn mention(&self, answer: &Answer<'_>) -> Mention {
        answer.verdict.map_or(Mention::None, |member| {
            let mention = Mention::of(self.text, member.slot);
            match member.again {
                Again::Different(_) => mention.max(Mention::Unclear),
                Again::No | Again::Equal(_) => mention,
            }
        })
    }

    fn verdict(&mut self, answer: &Answer<'_>) -> Result<Verdict, Fault> {
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
                self.mended(RepairCode::VerdictForm, slot.start, || error);
                Ok(verdict)
            }
            VerdictWord::Template => Err(Fault::Template(
                unknown_verdict(&self.quoted(slot)).at(slot.start),
            )),
            VerdictWord::Other if Mention::of(self.text, slot) == Mention::None => Err(
                Fault::Template(unknown_verdict(&self.quoted(slot)).at(slot.start)),
            ),
            VerdictWord::Other => Err(unknown_verdict(&self.quoted(slot)).at(slot.start).into()),
        }
    }

    /// Notes how a known key was written, and fails if it was given twice with
    /// different values.
    fn known_key(&mut self, member: &Member, field: impl Fn() -> Field) -> Result<(), SchemaError> {
        let code = match member.form {
            KeyForm::Exact => None,
            KeyForm::OtherCase => Some(RepairCode::KeyCase),
            KeyForm::Plural => Some(RepairCode::ScoresKey),
        };
        if let Some(code) = code {
            self.mended(code, member.key_at, || {
                let key = field();
                SchemaError::new(key, "the key is written in another way").at(member.key_at)
            });
        }
        match member.again {
            Again::No => Ok(()),
            Again::Equal(at) => {
                self.notes.add(RepairCode::DuplicateKey, at);
                Ok(())
            }
            Again::Different(at) => {
                Err(SchemaError::new(field(), "given twice with different values").at(at))
            }
        }
    }

    /// Notes a repair to which a strict reading objects.
    fn mended(&mut self, code: RepairCode, at: usize, error: impl FnOnce() -> SchemaError) {
        self.notes.add(code, at);
        if self.options.mode == Mode::Strict && self.refused.is_none() {
            self.refused = Some(error());
        }
    }

    /// Lets a strict reading object to what the parser mended. A number that is
    /// none is left to its field.
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

    /// What fails after a guess fails because of what had to be guessed.
    fn blame_the_guess(&self, error: SchemaError) -> SchemaError {
        match self.notes.guess() {
            Some(guess) => guessed(self.text, guess),
            None => error,
        }
    }

    /// The object of an answer with all that is in it.
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

    /// A value as a message shows it.
    fn quoted(&self, slot: Slot) -> String {
        let text = match slot.kind {
            Kind::Text => self.string(slot),
            _ => Cow::Borrowed(self.text.get(slot.start..slot.end).unwrap_or_default()),
        };
        shorten(&text)
    }

    fn holds_dots(&self, slot: Slot) -> bool {
        holds_dots(self.text.get(slot.start..slot.end).unwrap_or_default())
    }
}

fn no_object(answer: &Answer<'_>) -> SchemaError {
    SchemaError::json("the object cannot be read").at(answer.span.start)
}

/// Whether an object or a list holds nothing but dots.
fn holds_dots(raw: &str) -> bool {
    is_dots(raw.trim_matches(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | '[' | ']')))
}

/// What is said, or that it is not clear.
fn unless_said(mention: Mention) -> Mention {
    match mention {
        Mention::None => Mention::Unclear,
        said => said,
    }
}

fn unknown_verdict(got: &str) -> SchemaError {
    let message = format!("must be one of [pass needs_revision], got: {got}");
    SchemaError::new(Field::Verdict, message)
}

/// The error of an answer whose reading had to be guessed.
pub(crate) fn guessed(text: &str, guess: crate::Repair) -> SchemaError {
    debug_assert_eq!(guess.class, RepairClass::Guess);
    if guess.code == RepairCode::CutOff {
        return cut_off(text);
    }
    SchemaError::json(format!("invalid JSON: {}", guess.code.words())).at(guess.at)
}

/// The error of an object that cannot be read.
pub(crate) fn unreadable(text: &str, failure: Failure) -> SchemaError {
    match failure.fault {
        parse::Fault::End => cut_off(text),
        fault => {
            let message = format!("invalid JSON: {} at byte {}", fault.expected(), failure.at);
            SchemaError::json(message).at(failure.at)
        }
    }
}

/// The error of an answer that ends before its object does.
pub(crate) fn cut_off(text: &str) -> SchemaError {
    let end = text.len();
    let start = text.ceil_char_boundary(end.saturating_sub(MAX_QUOTED));
    let tail = text.get(start..).unwrap_or_default();
    SchemaError::json(format!("invalid JSON: cut off at byte {end}"))
        .at(end)
        .hint(format!("the answer ends with: {tail}"))
}

/// The beginning of a text, for a message.
pub(crate) fn shorten(text: &str) -> String {
    let end = text.floor_char_boundary(MAX_QUOTED);
    let start = text.get(..end).unwrap_or_default();
    if end < text.len() {
        format!("{start}…")
    } else {
        start.to_owned()
    }
}
