//! One object of the text, read for the members that a review has.

use std::ops::Range;

use super::{Failure, Fault, Key, Kind, Node, Place, Read, Reader, Slot, Step};
use crate::Dialect;
use crate::form::Mention;

/// The most answers that are taken out of one object.
const MAX_ENTRIES: usize = 1_024;

/// How many objects and lists around an answer are looked into.
const MAX_WRAPPERS: usize = 8;

const WRAPPER_KEYS: [&str; 17] = [
    "result",
    "response",
    "output",
    "content",
    "message",
    "text",
    "data",
    "review",
    "answer",
    "choices",
    "part",
    "item",
    "tool_calls",
    "function",
    "arguments",
    "input",
    "structured_output",
];

/// Something in an object that may be a review.
#[derive(Debug)]
pub(crate) enum Entry<'t> {
    /// An object with the members of a review.
    Answer(Box<Answer<'t>>),
    /// A string in which a review may stand.
    Text(Slot),
}

/// An object with at least one member of a review.
#[derive(Clone, Debug)]
pub(crate) struct Answer<'t> {
    pub(crate) span: Range<usize>,
    pub(crate) verdict: Option<Member>,
    pub(crate) score: Option<Member>,
    pub(crate) feedback: Option<Member>,
    /// What is in the scores, as they are first given.
    pub(crate) scores: Option<Node<'t>>,
    /// What is in the feedback, as it is first given.
    pub(crate) items: Option<Node<'t>>,
    pub(crate) review_id: Option<Member>,
    /// The object lies inside another one.
    pub(crate) wrapped: bool,
    /// It has a member that only responses of the protocol, or documents, have.
    is_response: bool,
    /// It holds an artifact: it is what was asked, not an answer.
    is_request: bool,
}

impl Answer<'_> {
    fn is_review(&self) -> bool {
        let is_asked = self.is_request && self.feedback.is_none();
        self.verdict.is_some()
            || self.score.is_some()
            || self.feedback.is_some()
            || self.is_response && !is_asked
    }
}

/// A member that is known by its key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) slot: Slot,
    pub(crate) key_at: usize,
    pub(crate) form: KeyForm,
    pub(crate) again: Again,
}

/// How a known key was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyForm {
    Exact,
    OtherCase,
    Plural,
}

impl KeyForm {
    /// How `name` writes `key`, if it does.
    pub(crate) fn of(name: &str, key: &str) -> Option<Self> {
        if name == key {
            Some(Self::Exact)
        } else if name.eq_ignore_ascii_case(key) {
            Some(Self::OtherCase)
        } else {
            None
        }
    }

    /// How `name` writes the key of the scores, if it does.
    pub(crate) fn of_score(name: &str) -> Option<Self> {
        let plural = || name.eq_ignore_ascii_case("scores").then_some(Self::Plural);
        Self::of(name, "score").or_else(plural)
    }
}

/// Whether a known key stood twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    No,
    Equal(usize),
    Different(usize),
}

impl Member {
    /// The member of an object whose key has one of the forms of `form`, and its
    /// value as it is first given.
    pub(crate) fn find<'n, 't>(
        object: &'n Node<'t>,
        text: &str,
        form: impl Fn(&str) -> Option<KeyForm>,
    ) -> Option<(Self, &'n Node<'t>)> {
        let (mut found, mut first) = (None, None);
        for property in object.members() {
            if let Some(form) = form(&property.key) {
                let member = Self {
                    slot: property.node.slot(),
                    key_at: property.key_at,
                    form,
                    again: Again::No,
                };
                member.place(&mut found, text);
                first.get_or_insert(&property.node);
            }
        }
        found.zip(first)
    }

    /// Puts a member into its place, or compares it with the one that is there.
    fn place(self, place: &mut Option<Self>, text: &str) {
        let Some(first) = place else {
            *place = Some(self);
            return;
        };
        let raw = |slot: Slot| text.get(slot.start..slot.end);
        if raw(first.slot) != raw(self.slot) {
            first.again = Again::Different(self.key_at);
        } else if first.again == Again::No {
            first.again = Again::Equal(self.key_at);
        }
    }
}

/// What was read of an object so far, for the case that it fails.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    /// How many keys and colons were read.
    pub(crate) keys: usize,
    /// Whether one of them was a review's.
    pub(crate) review_key: bool,
    /// The value of a verdict is being read.
    pub(crate) in_verdict: bool,
    /// What was said of the verdict.
    pub(crate) mention: Mention,
    /// The `review_id` that was read.
    pub(crate) review_id: Option<Slot>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Verdict,
    Score,
    Feedback,
    ReviewId,
    Wrapper,
    IsError,
    Error,
    /// The extension of a response, which holds its verdict.
    Extension,
    Response,
    Artifact,
}

/// What only the dialect `afp` knows.
fn known_to_afp(name: &str) -> Option<(Known, KeyForm)> {
    [
        (Known::Extension, "review"),
        (Known::Response, "protocol_version"),
        (Known::Response, "areas_for_improvement"),
        (Known::Response, "applied_feedback_ack"),
        (Known::Artifact, "artifact"),
    ]
    .into_iter()
    .find_map(|(known, key)| Some((known, KeyForm::of(name, key)?)))
}

/// What only the dialect `actionable` knows.
fn known_to_actionable(name: &str) -> Option<(Known, KeyForm)> {
    let keys = ["feedback_items", "overall_assessment"];
    let form = keys.into_iter().find_map(|key| KeyForm::of(name, key))?;
    Some((Known::Response, form))
}

fn known(name: &str, dialect: Dialect) -> Option<(Known, KeyForm)> {
    let of_dialect = match dialect {
        Dialect::Verdict => None,
        Dialect::Afp => known_to_afp(name),
        Dialect::Actionable => known_to_actionable(name),
    };
    if of_dialect.is_some() {
        return of_dialect;
    }
    if let Some(form) = KeyForm::of(name, "verdict") {
        return Some((Known::Verdict, form));
    }
    if let Some(form) = KeyForm::of_score(name) {
        return Some((Known::Score, form));
    }
    if let Some(form) = KeyForm::of(name, "feedback") {
        return Some((Known::Feedback, form));
    }
    if let Some(form) = KeyForm::of(name, "review_id") {
        return Some((Known::ReviewId, form));
    }
    match name {
        "is_error" => Some((Known::IsError, KeyForm::Exact)),
        "error" => Some((Known::Error, KeyForm::Exact)),
        _ if WRAPPER_KEYS.contains(&name) => Some((Known::Wrapper, KeyForm::Exact)),
        _ => None,
    }
}

impl<'t> Reader<'t> {
    /// Reads the object that begins here, and puts what may be a review into
    /// `entries`: the object itself, else what its answer keys hold.
    pub(crate) fn answer(
        &mut self,
        dialect: Dialect,
        entries: &mut Vec<Entry<'t>>,
    ) -> Result<Read, Failure> {
        self.answer_object(dialect, 0, 0, entries)
    }

    fn answer_object(
        &mut self,
        dialect: Dialect,
        depth: usize,
        wrappers: usize,
        entries: &mut Vec<Entry<'t>>,
    ) -> Result<Read, Failure> {
        let mark = entries.len();
        let start = self.pos;
        let mut answer = Answer {
            span: start..start,
            verdict: None,
            score: None,
            feedback: None,
            scores: None,
            items: None,
            review_id: None,
            wrapped: wrappers > 0,
            is_response: false,
            is_request: false,
        };
        let mut failed = false;
        let mut level = self.enter(depth)?;
        let whole = loop {
            let key = match self.next_key(&mut level)? {
                Step::Next(key) => key,
                Step::Closed => break true,
                Step::Cut => break false,
            };
            let read = match known(&key.name, dialect) {
                None => self.value(depth + 1, Place::Member)?,
                Some((Known::Wrapper, _)) => {
                    self.wrapped_value(dialect, depth + 1, wrappers + 1, Place::Member, entries)?
                }
                Some((Known::IsError, _)) => {
                    let read = self.value(depth + 1, Place::Member)?;
                    failed |= read.slot().is_some_and(|slot| slot.kind == Kind::True);
                    read
                }
                Some((Known::Error, _)) => {
                    let read = self.value(depth + 1, Place::Member)?;
                    let none = |slot: Slot| matches!(slot.kind, Kind::Null | Kind::False);
                    failed |= !read.slot().is_some_and(none);
                    read
                }
                Some((known, form)) => {
                    self.review_member(depth + 1, known, form, &key, &mut answer)?
                }
            };
            if !matches!(read, Read::Whole(_)) {
                break false;
            }
        };
        let read = if whole {
            self.whole(Kind::Object, start)
        } else {
            self.part(Kind::Object, start)
        };
        if answer.is_review() {
            entries.truncate(mark);
            answer.span.end = self.pos;
            self.keep(entries, Entry::Answer(Box::new(answer)))?;
        } else if failed {
            entries.truncate(mark);
        }
        Ok(read)
    }

    fn review_member(
        &mut self,
        depth: usize,
        known: Known,
        form: KeyForm,
        key: &Key<'_>,
        answer: &mut Answer<'t>,
    ) -> Result<Read, Failure> {
        let tells = !matches!(known, Known::ReviewId | Known::Artifact);
        self.progress.review_key |= tells;
        self.progress.in_verdict = known == Known::Verdict;
        let read = match known {
            Known::Score => self.kept(depth, &mut answer.scores)?,
            Known::Feedback => self.kept(depth, &mut answer.items)?,
            _ => self.value(depth, Place::Member)?,
        };
        self.progress.in_verdict = false;
        let Some(slot) = read.slot() else {
            return Ok(read);
        };
        let place = match known {
            Known::Verdict => {
                let mention = Mention::of(self.text, slot);
                self.progress.mention = self.progress.mention.max(mention);
                &mut answer.verdict
            }
            Known::Score => &mut answer.score,
            Known::Feedback => &mut answer.feedback,
            Known::Response => {
                answer.is_response = true;
                return Ok(read);
            }
            Known::Artifact => {
                answer.is_request = true;
                return Ok(read);
            }
            Known::Extension => {
                answer.is_response = true;
                answer.review_id = self.review_id_in(slot).or(answer.review_id);
                self.progress.review_id = answer.review_id.map(|member| member.slot);
                return Ok(read);
            }
            Known::ReviewId => {
                self.progress.review_id = Some(slot);
                &mut answer.review_id
            }
            // These are read elsewhere and never come here.
            Known::Wrapper | Known::IsError | Known::Error => return Ok(read),
        };
        let member = Member {
            slot,
            key_at: key.at,
            form,
            again: Again::No,
        };
        member.place(place, self.text);
        Ok(read)
    }

    /// Reads a value with all that is in it, and keeps the first one.
    fn kept(&mut self, depth: usize, place: &mut Option<Node<'t>>) -> Result<Read, Failure> {
        let (node, whole) = self.node_at(depth, Place::Member)?;
        let Some(node) = node else {
            return Ok(Read::Lost);
        };
        let slot = node.slot();
        place.get_or_insert(node);
        Ok(if whole {
            Read::Whole(slot)
        } else {
            Read::Part(slot)
        })
    }

    /// The `review_id` inside the extension of a response.
    fn review_id_in(&self, extension: Slot) -> Option<Member> {
        let node = Self::again(self.text, extension, self.guessing).node();
        let id = |name: &str| KeyForm::of(name, "review_id");
        Member::find(&node.ok()??, self.text, id).map(|(member, _)| member)
    }

    fn wrapped_value(
        &mut self,
        dialect: Dialect,
        depth: usize,
        wrappers: usize,
        place: Place,
        entries: &mut Vec<Entry<'t>>,
    ) -> Result<Read, Failure> {
        match self.peek() {
            _ if wrappers > MAX_WRAPPERS => self.value(depth, place),
            Some(b'{') => self.answer_object(dialect, depth, wrappers, entries),
            Some(b'[') => {
                let start = self.pos;
                let mut level = self.enter(depth)?;
                loop {
                    match self.next_item(&mut level)? {
                        Step::Next(()) => {}
                        Step::Closed => return Ok(self.whole(Kind::List, start)),
                        Step::Cut => return Ok(self.part(Kind::List, start)),
                    }
                    let read =
                        self.wrapped_value(dialect, depth + 1, wrappers + 1, Place::Item, entries)?;
                    if !matches!(read, Read::Whole(_)) {
                        return Ok(self.part(Kind::List, start));
                    }
                }
            }
            Some(_) if self.at_quote() => {
                let read = self.text_value(place)?;
                if let Read::Whole(slot) = read {
                    self.keep(entries, Entry::Text(slot))?;
                }
                Ok(read)
            }
            _ => self.value(depth, place),
        }
    }

    fn keep(&self, entries: &mut Vec<Entry<'t>>, entry: Entry<'t>) -> Result<(), Failure> {
        if entries.len() >= MAX_ENTRIES {
            return self.fail(Fault::TooManyAnswers);
        }
        entries.push(entry);
        Ok(())
    }
}
