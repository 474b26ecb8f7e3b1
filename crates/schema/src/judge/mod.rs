//! Reads an object with the fields of a review, up to the first invalid field.
//!
//! Each dialect has a file, and all share how a key, a verdict, a score and an item are
//! spelled. An answer is always read with repairs: strict mode, and the objects of programs,
//! take the error of the first repair at the end.

mod document;
mod feedback;
mod response;
mod score;

use std::borrow::Cow;

use review_types::{Review, Verdict, excerpt};

use crate::actionable::ActionableFeedback;
use crate::afp::FeedbackResponse;
use crate::call_end::CallProblem;
use crate::candidates::Candidate;
use crate::error::MAX_QUOTED;
use crate::parse::{Failure, Node, SyntaxFault, key_spelling};
use crate::repair::Notes;
use crate::spelling::{Mention, VerdictWord, is_dots};
use crate::{Dialect, EndMark, Field, Mode, Options, Repair, RepairCode, SchemaError};

/// A judged object.
pub(crate) struct Judged {
    /// The verdict that it mentions, even if it is invalid.
    pub(crate) mention: Mention,
    pub(crate) read: Result<Answer, Rejection>,
    pub(crate) notes: Notes,
}

/// The content of a valid object.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) review: Review,
    /// The response that contained the review, in the dialect `afp`.
    pub(crate) response: Option<Box<FeedbackResponse>>,
    /// The document that contained it, in the dialect `actionable`.
    pub(crate) document: Option<Box<ActionableFeedback>>,
    pub(crate) end_mark: Option<EndMark>,
}

/// The reason that an object is not a review.
#[derive(Debug)]
pub(crate) enum Rejection {
    Invalid(SchemaError),
    /// It is a template.
    Template(SchemaError),
}

impl Rejection {
    /// A template if `is_form`.
    fn of(error: SchemaError, is_form: bool) -> Self {
        if is_form {
            Self::Template(error)
        } else {
            Self::Invalid(error)
        }
    }

    pub(crate) fn into_error(self) -> SchemaError {
        match self {
            Self::Invalid(error) | Self::Template(error) => error,
        }
    }
}

impl From<SchemaError> for Rejection {
    fn from(error: SchemaError) -> Self {
        Self::Invalid(error)
    }
}

impl Judged {
    /// Returns whether it is a valid pass.
    pub(crate) fn passes(&self) -> bool {
        matches!(&self.read, Ok(answer) if answer.review.verdict() == Verdict::Pass)
    }

    /// Returns the error of what was read in strict mode.
    pub(crate) fn strict_error(&self, mode: Mode) -> Option<SchemaError> {
        match mode {
            Mode::Tolerant => None,
            Mode::Strict => self.notes.strict_error(self.read.is_ok()),
        }
    }

    /// Makes it invalid: it has no verdict, and is not unanimous with any pass.
    fn refuse(&mut self, error: SchemaError) {
        self.mention = self.mention.max(Mention::Unclear);
        self.read = Err(Rejection::Invalid(error));
    }

    /// Refuses a pass that `word` beside it puts in doubt.
    pub(crate) fn doubt(&mut self, word: &str, at: usize) {
        let message = format!("the sentence around the pass puts it in doubt (\"{word}\")");
        let error = SchemaError::verdict(message).at(at);
        self.refuse(error.hint("answer with one object only"));
    }

    /// Refuses an answer of a call that did not end well.
    pub(crate) fn after_call(&mut self, problem: &CallProblem) {
        let answer = self.read.as_ref().ok();
        let verdict = answer.map(|answer| answer.review.verdict());
        let error = verdict.and_then(|verdict| problem.refuse(verdict));
        if let Some(error) = error.cloned() {
            self.refuse(error);
        }
    }
}

/// The reading of one object.
pub(crate) struct Judge<'a> {
    text: &'a str,
    options: &'a Options,
    /// Whether it is an object of a program, not the answer of a model.
    is_exact: bool,
    pub(crate) notes: Notes,
}

/// Judges an object that was parsed with `notes`, by a guess or not.
pub(crate) fn judge(
    text: &str,
    candidate: &Candidate<'_>,
    notes: Notes,
    guessing: bool,
    options: &Options,
) -> Judged {
    let node = &candidate.node;
    let mut judge = Judge {
        text,
        options,
        is_exact: false,
        notes,
    };
    if candidate.is_wrapped {
        let at = node.span.start;
        judge.notes.add_with(RepairCode::Envelope, at, || {
            SchemaError::verdict("the answer is inside another object").at(at)
        });
    }
    let (read, least) = match options.dialect {
        Dialect::Verdict => (judge.review(node), Mention::None),
        Dialect::Afp => (judge.response(node), Mention::Unclear),
        Dialect::Actionable => (judge.document(node), document::mentioned(node)),
    };
    let mention = match &read {
        Ok(answer) => answer.review.verdict().into(),
        Err(Rejection::Template(_)) => Mention::None,
        // The rest of the answer does not contain its verdict.
        Err(Rejection::Invalid(_)) if guessing => judge.mention(node).max(least).or_unclear(),
        Err(Rejection::Invalid(_)) => judge.mention(node).max(least),
    };
    let read = read.map_err(|rejection| match (rejection, judge.notes.guess()) {
        (Rejection::Invalid(_), Some(guess)) => guessed(text, guess).into(),
        (rejection, _) => rejection,
    });
    Judged {
        mention,
        read,
        notes: judge.notes,
    }
}

impl<'a> Judge<'a> {
    /// Returns a judge of the objects of programs.
    pub(crate) fn exact(text: &'a str, options: &'a Options) -> Self {
        Self {
            text,
            options,
            is_exact: true,
            notes: Notes::default(),
        }
    }

    fn review(&mut self, object: &Node<'_>) -> Result<Answer, Rejection> {
        let root = Field::at("");
        let verdict = self.verdict(object, &root)?;
        let scores = self.scores(object, &root)?;
        let (items, at) = self.feedback(object, verdict)?;
        let review = Review::new(verdict, scores, items)
            .map_err(|error| SchemaError::of(root.key("feedback"), error.to_string()).at(at))?;
        Ok(Answer {
            review,
            response: None,
            document: None,
            end_mark: self.end_mark(object),
        })
    }

    fn mention(&self, object: &Node<'_>) -> Mention {
        let Some(verdict) = object.get("verdict") else {
            return Mention::None;
        };
        let mention = Mention::of(verdict, self.text);
        if contradicts(object, "verdict", self.text) {
            mention.max(Mention::Unclear)
        } else {
            mention
        }
    }

    /// Returns the mark that the answer names as that at the end of its prompt.
    fn end_mark(&self, object: &Node<'_>) -> Option<EndMark> {
        let node = id_of(object, "end_id", self.options.dialect)?;
        if node.is_null() {
            return Some(EndMark::Missing);
        }
        let named = node.text().map(str::to_owned);
        Some(EndMark::Named(named.unwrap_or_else(|| self.quoted(node))))
    }

    fn verdict(&mut self, object: &Node<'_>, at: &Field) -> Result<Verdict, Rejection> {
        let unknown = |got: &str, start: usize| {
            let message = format!("must be one of [pass needs_revision], got: {got}");
            SchemaError::of(at.key("verdict"), message).at(start)
        };
        let Some(node) = self.find(object, at, "verdict")? else {
            return Err(unknown("nothing", object.span.start).into());
        };
        let start = node.span.start;
        let error = unknown(&self.quoted(node), start);
        match node.text().map_or(VerdictWord::Other, VerdictWord::of) {
            VerdictWord::Exact(verdict) => Ok(verdict),
            VerdictWord::Form(verdict) => {
                self.notes
                    .add_with(RepairCode::VerdictForm, start, || error);
                Ok(verdict)
            }
            VerdictWord::Template | VerdictWord::Other => {
                let is_form = Mention::of(node, self.text) == Mention::None;
                Err(Rejection::of(error, is_form))
            }
        }
    }

    /// Returns the value of a key of the object at `at`, in any spelling. It fails if the key
    /// occurs again with another value.
    fn find<'n, 't>(
        &mut self,
        object: &'n Node<'t>,
        at: &Field,
        key: &str,
    ) -> Result<Option<&'n Node<'t>>, SchemaError> {
        let mut found: Option<&Node<'_>> = None;
        for property in object.members() {
            let Some(spelling) = key_spelling(&property.key, key) else {
                continue;
            };
            let (node, key_at) = (&property.node, property.key_at);
            let error = |message| SchemaError::of(at.key(key), message).at(key_at);
            match (found, spelling) {
                (Some(first), _) if first.raw(self.text) != node.raw(self.text) => {
                    return Err(error("duplicate key with different values"));
                }
                (Some(_), _) => self.notes.add(RepairCode::DuplicateKey, key_at),
                (None, Some(code)) => self
                    .notes
                    .add_with(code, key_at, || error("the key has another spelling")),
                (None, None) => {}
            }
            found.get_or_insert(node);
        }
        Ok(found)
    }

    /// Returns a value as a message quotes it.
    fn quoted(&self, node: &Node<'_>) -> String {
        let text = node
            .text()
            .map_or_else(|| node.raw(self.text).into(), Cow::from);
        excerpt(&text, MAX_QUOTED)
    }
}

/// Returns the value of an id of the prompt that an answer repeats: in the extension of a
/// response, or at its root.
pub(crate) fn id_of<'n, 't>(
    object: &'n Node<'t>,
    key: &str,
    dialect: Dialect,
) -> Option<&'n Node<'t>> {
    let extension = object.get("review").filter(|_| dialect == Dialect::Afp);
    let inner = extension.and_then(|extension| extension.get(key));
    inner.or_else(|| object.get(key))
}

/// Returns whether an object has a key twice, with different values.
pub(crate) fn contradicts(object: &Node<'_>, key: &str, text: &str) -> bool {
    let members = object.members().iter();
    let mut values = members
        .filter(|member| member.key.eq_ignore_ascii_case(key))
        .map(|member| member.node.raw(text));
    let first = values.next();
    values.any(|value| Some(value) != first)
}

/// Returns whether an object or an array contains nothing but dots.
fn holds_dots(raw: &str) -> bool {
    is_dots(raw.trim_matches(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | '[' | ']')))
}

/// Returns the error of an answer that needed a guess.
pub(crate) fn guessed(text: &str, guess: Repair) -> SchemaError {
    debug_assert!(guess.code.is_guess());
    if guess.code == RepairCode::CutOff {
        return cut_off(text);
    }
    SchemaError::json(format!("invalid JSON: {}", guess.code.words())).at(guess.at)
}

/// Returns the error of a malformed object.
pub(crate) fn unreadable(text: &str, failure: Failure) -> SchemaError {
    match failure.fault {
        SyntaxFault::End => cut_off(text),
        fault => {
            let message = format!("invalid JSON: {} at byte {}", fault.expected(), failure.at);
            SchemaError::json(message).at(failure.at)
        }
    }
}

/// Returns the error of an answer that ends before its object does.
fn cut_off(text: &str) -> SchemaError {
    let end = text.len();
    let start = text.ceil_char_boundary(end.saturating_sub(MAX_QUOTED));
    let tail = text.get(start..).unwrap_or_default();
    SchemaError::json(format!("invalid JSON: cut off at byte {end}"))
        .at(end)
        .hint(format!("the answer ends with: {tail}"))
}
