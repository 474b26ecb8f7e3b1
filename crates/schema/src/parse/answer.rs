//! Parses one object for the fields of a review.

use std::ops::Range;

use super::call_end::{CallEnd, EndField};
use super::{Failure, Key, Kind, Node, ParsedValue, Place, Reader, Slot, Step, SyntaxFault};
use crate::Dialect;
use crate::form::Mention;

/// Maximum number of answers that are extracted from one object.
const MAX_ENTRIES: usize = 1_024;

/// Maximum number of objects and arrays around an answer that are searched.
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

/// A possible review in an object.
#[derive(Debug)]
pub(crate) enum Entry<'t> {
    /// An object with fields of a review.
    Answer(Box<Answer<'t>>),
    /// A string that may contain a review, and what the objects around it say.
    Text(Slot, CallEnd),
}

/// An object with at least one field of a review.
#[derive(Clone, Debug)]
pub(crate) struct Answer<'t> {
    pub(crate) span: Range<usize>,
    pub(crate) verdict: Option<KnownField>,
    pub(crate) score: Option<KnownField>,
    pub(crate) feedback: Option<KnownField>,
    /// The content of the first scores.
    pub(crate) scores: Option<Node<'t>>,
    /// The content of the first feedback.
    pub(crate) items: Option<Node<'t>>,
    pub(crate) review_id: Option<KnownField>,
    /// The mark at the end of the prompt.
    pub(crate) end_id: Option<KnownField>,
    /// Whether the object is inside another one.
    pub(crate) wrapped: bool,
    /// What the object itself says about the end of the call.
    pub(crate) own_end: CallEnd,
    /// What the objects around it say.
    pub(crate) outer_end: CallEnd,
    /// Whether it has a field that only responses of the protocol, or documents, have.
    is_response: bool,
    /// Whether it contains an artifact: it is a request, not an answer.
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

/// A field that is known by its key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownField {
    pub(crate) slot: Slot,
    pub(crate) key_at: usize,
    pub(crate) form: KeyForm,
    pub(crate) again: Duplicate,
}

/// The spelling of a known key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyForm {
    Exact,
    OtherCase,
    Plural,
}

impl KeyForm {
    /// Returns how `name` spells `key`, if it does.
    pub(crate) fn of(name: &str, key: &str) -> Option<Self> {
        if name == key {
            Some(Self::Exact)
        } else if name.eq_ignore_ascii_case(key) {
            Some(Self::OtherCase)
        } else {
            None
        }
    }

    /// Returns how `name` spells the key of the scores, if it does.
    pub(crate) fn of_score(name: &str) -> Option<Self> {
        let plural = || name.eq_ignore_ascii_case("scores").then_some(Self::Plural);
        Self::of(name, "score").or_else(plural)
    }
}

/// Whether a known key occurred twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duplicate {
    No,
    Equal(usize),
    Different(usize),
}

impl KnownField {
    /// Whether it occurs again with another value.
    pub(crate) fn is_contradicted(&self) -> bool {
        matches!(self.again, Duplicate::Different(_))
    }

    /// Returns the field of an object whose key has one of the spellings of `form`, with
    /// the value of its first occurrence.
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
                    again: Duplicate::No,
                };
                member.place(&mut found, text);
                first.get_or_insert(&property.node);
            }
        }
        found.zip(first)
    }

    /// Stores a field, or compares it with the one that is already there.
    fn place(self, place: &mut Option<Self>, text: &str) {
        let Some(first) = place else {
            *place = Some(self);
            return;
        };
        let raw = |slot: Slot| text.get(slot.start..slot.end);
        if raw(first.slot) != raw(self.slot) {
            first.again = Duplicate::Different(self.key_at);
        } else if first.again == Duplicate::No {
            first.again = Duplicate::Equal(self.key_at);
        }
    }
}

/// The fields of an object parsed so far, in case it fails.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    /// The number of keys and colons.
    pub(crate) keys: usize,
    /// Whether one of them was a key of a review.
    pub(crate) review_key: bool,
    /// Whether the value of a verdict is being parsed.
    pub(crate) in_verdict: bool,
    /// The verdict that was mentioned.
    pub(crate) mention: Mention,
    /// The `review_id`.
    pub(crate) review_id: Option<Slot>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Verdict,
    Score,
    Feedback,
    ReviewId,
    EndId,
    Wrapper,
    End(EndField),
    /// The extension of a response, which contains its verdict.
    Extension,
    Response,
    Artifact,
}

/// A key of the dialect `afp` only.
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

/// A key of the dialect `actionable` only.
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
    if let Some(form) = KeyForm::of(name, "end_id") {
        return Some((Known::EndId, form));
    }
    if WRAPPER_KEYS.contains(&name) {
        return Some((Known::Wrapper, KeyForm::Exact));
    }
    EndField::of(name).map(|field| (Known::End(field), KeyForm::Exact))
}

impl<'t> Reader<'t> {
    /// Parses the object that starts here, and adds possible reviews to
    /// `entries`: the object itself, or else the values of its answer keys. Returns what
    /// its own fields say about the end of the call.
    pub(crate) fn answer(
        &mut self,
        dialect: Dialect,
        entries: &mut Vec<Entry<'t>>,
    ) -> Result<CallEnd, Failure> {
        let (_, end) = self.answer_object(dialect, 0, 0, entries)?;
        Ok(end)
    }

    fn answer_object(
        &mut self,
        dialect: Dialect,
        depth: usize,
        wrappers: usize,
        entries: &mut Vec<Entry<'t>>,
    ) -> Result<(ParsedValue, CallEnd), Failure> {
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
            end_id: None,
            wrapped: wrappers > 0,
            own_end: CallEnd::default(),
            outer_end: CallEnd::default(),
            is_response: false,
            is_request: false,
        };
        let mut end = CallEnd::default();
        let mut level = self.enter(depth)?;
        let whole = loop {
            let key = match self.next_key(&mut level)? {
                Step::Next(key) => key,
                Step::Closed => break true,
                Step::Cut => break false,
            };
            let read = match known(&key.name, dialect) {
                None => self.value(depth + 1, Place::Field)?,
                Some((Known::Wrapper, _)) => {
                    self.wrapped_value(dialect, depth + 1, wrappers + 1, Place::Field, entries)?
                }
                Some((Known::End(field), _)) => {
                    let read = self.value(depth + 1, Place::Field)?;
                    if let Some(slot) = read.slot() {
                        end.add(field, self.text, key.at, slot);
                    }
                    read
                }
                Some((known, form)) => {
                    self.review_member(depth + 1, known, form, &key, &mut answer)?
                }
            };
            if !matches!(read, ParsedValue::Whole(_)) {
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
            answer.own_end = end;
            self.keep(entries, Entry::Answer(Box::new(answer)))?;
        } else {
            for entry in entries.iter_mut().skip(mark) {
                match entry {
                    Entry::Answer(answer) => answer.outer_end.enclose(end),
                    Entry::Text(_, around) => around.enclose(end),
                }
            }
        }
        Ok((read, end))
    }

    fn review_member(
        &mut self,
        depth: usize,
        known: Known,
        form: KeyForm,
        key: &Key<'_>,
        answer: &mut Answer<'t>,
    ) -> Result<ParsedValue, Failure> {
        let tells = !matches!(known, Known::ReviewId | Known::EndId | Known::Artifact);
        self.progress.review_key |= tells;
        self.progress.in_verdict = known == Known::Verdict;
        let read = match known {
            Known::Score => self.kept(depth, &mut answer.scores)?,
            Known::Feedback => self.kept(depth, &mut answer.items)?,
            _ => self.value(depth, Place::Field)?,
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
                let [review_id, end_id] = self.ids_in(slot);
                answer.review_id = review_id.or(answer.review_id);
                answer.end_id = end_id.or(answer.end_id);
                self.progress.review_id = answer.review_id.map(|member| member.slot);
                return Ok(read);
            }
            Known::ReviewId => {
                self.progress.review_id = Some(slot);
                &mut answer.review_id
            }
            Known::EndId => &mut answer.end_id,
            // These are parsed elsewhere and never get here.
            Known::Wrapper | Known::End(_) => return Ok(read),
        };
        let member = KnownField {
            slot,
            key_at: key.at,
            form,
            again: Duplicate::No,
        };
        member.place(place, self.text);
        Ok(read)
    }

    /// Parses a value with its content, and keeps the first one.
    fn kept(&mut self, depth: usize, place: &mut Option<Node<'t>>) -> Result<ParsedValue, Failure> {
        let (node, whole) = self.node_at(depth, Place::Field)?;
        let Some(node) = node else {
            return Ok(ParsedValue::Lost);
        };
        let slot = node.slot();
        place.get_or_insert(node);
        Ok(if whole {
            ParsedValue::Whole(slot)
        } else {
            ParsedValue::Part(slot)
        })
    }

    /// Returns the `review_id` and the `end_id` inside the extension of a response.
    fn ids_in(&self, extension: Slot) -> [Option<KnownField>; 2] {
        let node = Self::again(self.text, extension, self.guessing).node();
        let Ok(Some(node)) = node else {
            return [None; 2];
        };
        ["review_id", "end_id"].map(|key| {
            let found = KnownField::find(&node, self.text, |name| KeyForm::of(name, key));
            found.map(|(member, _)| member)
        })
    }

    fn wrapped_value(
        &mut self,
        dialect: Dialect,
        depth: usize,
        wrappers: usize,
        place: Place,
        entries: &mut Vec<Entry<'t>>,
    ) -> Result<ParsedValue, Failure> {
        match self.peek() {
            _ if wrappers > MAX_WRAPPERS => self.value(depth, place),
            Some(b'{') => {
                let (read, _) = self.answer_object(dialect, depth, wrappers, entries)?;
                Ok(read)
            }
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
                    if !matches!(read, ParsedValue::Whole(_)) {
                        return Ok(self.part(Kind::List, start));
                    }
                }
            }
            Some(_) if self.at_quote() => {
                let read = self.text_value(place)?;
                if let ParsedValue::Whole(slot) = read {
                    self.keep(entries, Entry::Text(slot, CallEnd::default()))?;
                }
                Ok(read)
            }
            _ => self.value(depth, place),
        }
    }

    fn keep(&self, entries: &mut Vec<Entry<'t>>, entry: Entry<'t>) -> Result<(), Failure> {
        if entries.len() >= MAX_ENTRIES {
            return self.fail(SyntaxFault::TooManyAnswers);
        }
        entries.push(entry);
        Ok(())
    }
}
