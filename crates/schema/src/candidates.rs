//! Finds the possible answers in the tree of an object: the object itself, or else the
//! objects and strings below the keys in which programs wrap an answer.

use crate::Dialect;
use crate::call_end::CallEnd;
use crate::parse::{Node, Property, Value, key_spelling};
use crate::spelling::Mention;

/// Maximum number of possible answers in one object.
pub(crate) const MAX_CANDIDATES: usize = 1_024;

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

/// A possible answer in an object.
#[derive(Debug)]
pub(crate) struct Candidate<'t> {
    /// An object with fields of a review, or a string that may contain one.
    pub(crate) node: Node<'t>,
    /// Whether it is inside another object.
    pub(crate) is_wrapped: bool,
    /// What the objects around it say about the end of the call.
    pub(crate) outer_end: CallEnd,
}

impl Candidate<'_> {
    pub(crate) fn is_object(&self) -> bool {
        self.node.is_object()
    }
}

/// Returns the possible answers in an object.
pub(crate) fn candidates<'t>(object: Node<'t>, text: &str, dialect: Dialect) -> Vec<Candidate<'t>> {
    let mut search = Search {
        text,
        dialect,
        found: Vec::new(),
    };
    search.object(object, 0);
    search.found
}

struct Search<'t, 's> {
    text: &'s str,
    dialect: Dialect,
    found: Vec<Candidate<'t>>,
}

impl<'t> Search<'t, '_> {
    fn object(&mut self, object: Node<'t>, wrappers: usize) {
        if is_answer(&object, self.dialect) {
            return self.add(object, wrappers > 0);
        }
        let end = CallEnd::of(&object, self.text);
        let first = self.found.len();
        if let Value::Object(members) = object.value {
            for Property { key, node, .. } in members {
                if Role::of(&key, self.dialect) == Some(Role::Wrapper) {
                    self.wrapped(node, wrappers + 1);
                }
            }
        }
        for candidate in self.found.iter_mut().skip(first) {
            candidate.outer_end.enclose(end);
        }
    }

    fn wrapped(&mut self, node: Node<'t>, wrappers: usize) {
        match node.value {
            _ if wrappers > MAX_WRAPPERS => {}
            Value::Object(_) => self.object(node, wrappers),
            Value::List(items) => {
                for item in items {
                    self.wrapped(item, wrappers + 1);
                }
            }
            Value::Text(_) => self.add(node, true),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn add(&mut self, node: Node<'t>, is_wrapped: bool) {
        self.found.push(Candidate {
            node,
            is_wrapped,
            outer_end: CallEnd::default(),
        });
    }
}

/// The role of a field in finding an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Verdict,
    /// A field that any other answer of the dialect has.
    Answer,
    Id,
    /// The extension of a response, which contains its ids and its verdict.
    Extension,
    /// A field that only requests have.
    Artifact,
    Wrapper,
}

impl Role {
    fn of(name: &str, dialect: Dialect) -> Option<Self> {
        let of_dialect: &[(&str, Self)] = match dialect {
            Dialect::Verdict => &[],
            Dialect::Afp => &[
                ("review", Self::Extension),
                ("protocol_version", Self::Answer),
                ("areas_for_improvement", Self::Answer),
                ("applied_feedback_ack", Self::Answer),
                ("artifact", Self::Artifact),
            ],
            Dialect::Actionable => &[
                ("feedback_items", Self::Answer),
                ("overall_assessment", Self::Answer),
            ],
        };
        let of_all = [
            ("verdict", Self::Verdict),
            ("score", Self::Answer),
            ("feedback", Self::Answer),
            ("review_id", Self::Id),
        ];
        let mut known = of_dialect.iter().chain(&of_all);
        let found = known.find(|(key, _)| key_spelling(name, key).is_some());
        let is_wrapper = WRAPPER_KEYS.contains(&name);
        let role = found.map(|(_, role)| *role);
        role.or_else(|| is_wrapper.then_some(Self::Wrapper))
    }

    fn is_of_answers(self) -> bool {
        matches!(self, Self::Verdict | Self::Answer | Self::Extension)
    }
}

/// Returns whether an object has a field of a review. A request of the protocol has some of
/// a response.
fn is_answer(object: &Node<'_>, dialect: Dialect) -> bool {
    let of = |member: &Property<'_>| Role::of(&member.key, dialect);
    let mut roles = object.members().iter().filter_map(of);
    if dialect == Dialect::Afp && object.get("artifact").is_some() {
        let review = ["verdict", "score", "scores", "feedback"];
        return review.iter().any(|key| object.get(key).is_some());
    }
    roles.any(Role::is_of_answers)
}

/// What is left of an answer that cannot be parsed to its end.
#[derive(Debug, Default)]
pub(crate) struct Remains {
    /// Whether there is a field of a review.
    pub(crate) has_review_key: bool,
    /// Whether the error is in the verdict.
    pub(crate) in_verdict: bool,
    /// The verdicts that it mentions.
    pub(crate) mention: Mention,
    /// Whether it names the requested `review_id`.
    pub(crate) is_signed: bool,
}

impl Remains {
    /// Returns what is left in a tree, some of whose values are `incomplete`.
    pub(crate) fn of(
        object: &Node<'_>,
        text: &str,
        dialect: Dialect,
        review_id: Option<&str>,
        incomplete: &[usize],
    ) -> Self {
        let mut remains = Self::default();
        let mut open = vec![(object, 0)];
        while let Some((node, wrappers)) = open.pop() {
            let wrapped = node.items().filter(|_| wrappers < MAX_WRAPPERS);
            open.extend(
                wrapped
                    .into_iter()
                    .flatten()
                    .map(|item| (item, wrappers + 1)),
            );
            for Property { key, node, .. } in node.members() {
                let is_complete = !incomplete.contains(&node.span.start);
                let is_wanted = |id: &Node<'_>| id.text().map(str::trim) == review_id;
                match Role::of(key, dialect) {
                    Some(Role::Wrapper) if wrappers < MAX_WRAPPERS => {
                        open.push((node, wrappers + 1));
                    }
                    Some(Role::Verdict) if is_complete => {
                        remains.mention = remains.mention.max(Mention::of(node, text));
                    }
                    Some(Role::Verdict) => remains.in_verdict = true,
                    Some(Role::Id) if is_complete && review_id.is_some() => {
                        remains.is_signed |= is_wanted(node);
                    }
                    Some(Role::Extension) if is_complete && review_id.is_some() => {
                        remains.is_signed |= node.get("review_id").is_some_and(is_wanted);
                    }
                    _ => {}
                }
                remains.has_review_key |= Role::of(key, dialect).is_some_and(Role::is_of_answers);
            }
        }
        remains
    }
}
