//! What the fields of an object say about the call that it reports: whether it ended
//! well.
//!
//! The lists are the contract: a word of neither list does not prove an end, and a pass
//! next to it is asked for again.

use review_types::{Verdict, excerpt};

use crate::SchemaError;
use crate::error::MAX_QUOTED;
use crate::parse::{Node, Property, Value};

/// The meaning of a field about the end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndField {
    /// Failed unless it is empty.
    Problem,
    /// Failed if it is true.
    FailureFlag,
    /// A word of a failed status as a key: failed if it says so.
    StatusFlag,
    /// Failed if it is false.
    SuccessFlag,
    /// Failed from 400 on.
    Code,
    /// The exit status of a process: failed unless it is 0.
    ExitStatus,
    /// A code, or a word.
    Status,
    /// Why a model stopped.
    StopReason,
    /// The kind of a line.
    Type,
    /// The kind of an end: failed if it starts with `error`.
    Subtype,
}

/// The keys, without case and underscores.
const END_FIELDS: [(&str, EndField); 35] = [
    ("error", EndField::Problem),
    ("errors", EndField::Problem),
    ("exception", EndField::Problem),
    ("refusal", EndField::Problem),
    ("incompletedetails", EndField::Problem),
    ("iserror", EndField::FailureFlag),
    ("cancelled", EndField::FailureFlag),
    ("canceled", EndField::FailureFlag),
    ("truncated", EndField::FailureFlag),
    ("timedout", EndField::FailureFlag),
    ("interrupted", EndField::FailureFlag),
    ("success", EndField::SuccessFlag),
    ("ok", EndField::SuccessFlag),
    ("succeeded", EndField::SuccessFlag),
    ("complete", EndField::SuccessFlag),
    ("completed", EndField::SuccessFlag),
    ("passed", EndField::SuccessFlag),
    ("failed", EndField::StatusFlag),
    ("failure", EndField::StatusFlag),
    ("timeout", EndField::StatusFlag),
    ("aborted", EndField::StatusFlag),
    ("incomplete", EndField::StatusFlag),
    ("refused", EndField::StatusFlag),
    ("rejected", EndField::StatusFlag),
    ("partial", EndField::StatusFlag),
    ("code", EndField::Code),
    ("httpstatus", EndField::Code),
    ("exitcode", EndField::ExitStatus),
    ("exitstatus", EndField::ExitStatus),
    ("returncode", EndField::ExitStatus),
    ("status", EndField::Status),
    ("finishreason", EndField::StopReason),
    ("stopreason", EndField::StopReason),
    ("type", EndField::Type),
    ("subtype", EndField::Subtype),
];

/// The least number of a `code` or `status` that is a failure, as in HTTP.
const LEAST_FAILURE: f64 = 400.0;

/// The words of failed and of normal ends.
const WORDS: &str = include_str!("../data/call-ends.txt");

impl EndField {
    /// Returns the field with this key, in any case and with or without underscores.
    pub(crate) fn of(name: &str) -> Option<Self> {
        const LONGEST: usize = 18;
        let is = |key: &str| {
            let letters = name.bytes().filter(|byte| *byte != b'_');
            letters
                .map(|byte| byte.to_ascii_lowercase())
                .eq(key.bytes())
        };
        let found = END_FIELDS
            .iter()
            .find(|(key, _)| name.len() <= LONGEST && is(key));
        found.map(|(_, field)| *field)
    }

    /// Whether an object with it is a line of a stream of events.
    fn marks_an_event(self) -> bool {
        matches!(
            self,
            Self::FailureFlag | Self::StatusFlag | Self::SuccessFlag | Self::Type
        )
    }

    fn read(self, text: &str, node: &Node<'_>) -> End {
        let raw = node.raw(text);
        let word = match &node.value {
            Value::Text(word) => word.trim().replace(['-', ' '], "_").to_ascii_lowercase(),
            _ => raw.to_owned(),
        };
        let number = word.parse::<f64>().ok();
        let is_empty = match &node.value {
            Value::Null | Value::Bool(false) => true,
            Value::Bool(true) => false,
            Value::Text(_) => word.is_empty(),
            Value::Number(_) => number == Some(0.0),
            Value::List(_) | Value::Object(_) => is_hollow(raw),
        };
        let fails = |failed: bool| if failed { End::Failed } else { End::Normal };
        match self {
            Self::Problem => fails(!is_empty),
            Self::FailureFlag => fails(!is_empty && !matches!(&*word, "false" | "no")),
            Self::StatusFlag => fails(matches!(&*word, "true" | "yes")),
            Self::SuccessFlag => {
                let is_zero = number == Some(0.0) && node.text().is_none();
                fails(is_zero || matches!(&*word, "false" | "no"))
            }
            Self::ExitStatus => fails(number.is_some_and(|status| status != 0.0)),
            Self::Subtype => fails(word.starts_with("error")),
            Self::Code | Self::Status if number.is_some_and(|code| code >= LEAST_FAILURE) => {
                End::Failed
            }
            Self::Code => End::Normal,
            Self::Status if node.number().is_some() || node.value == Value::Bool(true) => {
                End::Normal
            }
            Self::Status | Self::StopReason if is_empty => End::Normal,
            Self::Status => listed(&word, "status"),
            Self::StopReason => listed(&word, "stop"),
            Self::Type => fails(listed(&word, "type") == End::Failed),
        }
    }
}

/// Returns the end that a word of a kind of field stands for.
fn listed(word: &str, kind: &str) -> End {
    let lines = WORDS.lines().filter_map(|line| line.split_once(": "));
    for (list, words) in lines {
        if words.split(' ').any(|known| known == word) {
            match list.split_once(' ') {
                Some(("failed", of)) if of == kind => return End::Failed,
                Some(("normal", of)) if of == kind => return End::Normal,
                _ => {}
            }
        }
    }
    End::Unknown
}

/// Whether an object or an array has nothing in it.
fn is_hollow(raw: &str) -> bool {
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    inner.trim().is_empty()
}

/// How a call ended, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    Normal,
    Unknown,
    Failed,
}

/// What the fields of one object, or of several around each other, say about the end of a
/// call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallEnd {
    /// The worst field that is not normal, from its key to the end of its value.
    worst: Option<(End, usize, usize)>,
    is_event: bool,
    has_error: bool,
}

impl CallEnd {
    /// Returns what the fields of an object say.
    pub(crate) fn of(object: &Node<'_>, text: &str) -> Self {
        let mut found = Self::default();
        for Property { key, key_at, node } in object.members() {
            let Some(field) = EndField::of(key) else {
                continue;
            };
            found.is_event |= field.marks_an_event();
            match field.read(text, node) {
                End::Normal => {}
                end => {
                    found.has_error |= field == EndField::Problem;
                    found.raise((end, *key_at, node.span.end));
                }
            }
        }
        found
    }

    /// Adds what an object around this one says.
    pub(crate) fn enclose(&mut self, around: Self) {
        if let Some(worst) = around.worst {
            self.raise(worst);
        }
    }

    fn raise(&mut self, found: (End, usize, usize)) {
        let is_worse = self.worst.is_none_or(|(worst, ..)| worst < found.0);
        if is_worse {
            self.worst = Some(found);
        }
    }

    /// Returns the state of the call in a line after an answer: nothing unless it is one of a
    /// stream of events. An error that is in none may be quoted, and refuses a pass alone.
    pub(crate) fn of_line(self) -> Self {
        match self.worst {
            _ if self.is_event => self,
            Some((_, start, end)) if self.has_error => Self {
                worst: Some((End::Unknown, start, end)),
                ..self
            },
            _ => Self::default(),
        }
    }

    /// Leaves only a failure: for the answer itself, which has words of its own.
    pub(crate) fn failure(self) -> Self {
        let worst = self.worst.filter(|(end, ..)| *end == End::Failed);
        Self { worst, ..self }
    }

    /// The error of an answer of such a call; `subject` is the object that says so.
    pub(crate) fn problem(self, subject: &str, text: &str) -> Option<CallProblem> {
        let (end, start, stop) = self.worst?;
        let field = excerpt(text.get(start..stop).unwrap_or_default(), MAX_QUOTED);
        let says = match end {
            End::Failed => "says that the call failed",
            End::Normal | End::Unknown => "does not say that the call ended normally",
        };
        let error = SchemaError::verdict(format!("{subject} {says}: {field}"))
            .at(start)
            .hint("answer with one object only");
        Some(CallProblem { error, end })
    }
}

/// A call that did not end well, or of which that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallProblem {
    pub(crate) error: SchemaError,
    pub(crate) end: End,
}

impl CallProblem {
    /// Whether it refuses every verdict, not only a pass.
    pub(crate) fn is_failure(&self) -> bool {
        self.end == End::Failed
    }

    /// Refuses a pass alone.
    pub(crate) fn of_passes(self) -> Self {
        let end = End::Unknown;
        Self { end, ..self }
    }

    /// Returns the error of an answer with `verdict`.
    pub(crate) fn refuse(&self, verdict: Verdict) -> Option<&SchemaError> {
        let is_refused = verdict == Verdict::Pass || self.is_failure();
        is_refused.then_some(&self.error)
    }
}
