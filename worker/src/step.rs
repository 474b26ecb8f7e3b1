//! What is read of the lines of a step.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::activity_id::ActivityId;

/// The activity that carries out a step.
pub(crate) const STEP: &str = "step.1";

/// A line of a step.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FromStep {
    Want(Box<RawValue>),
    Said(IgnoredAny),
    Done(Done),
    Alive,
}

/// A line to a step.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToStep {
    Order(IgnoredAny),
    Content(IgnoredAny),
    Commits(IgnoredAny),
    Cancel,
    Alive,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Want {
    contents: Vec<IgnoredAny>,
    tips: Option<IgnoredAny>,
}

impl Want {
    /// How many lines answer it.
    pub(crate) fn answers(&self) -> usize {
        self.contents.len() + usize::from(self.tips.is_some())
    }
}

/// What is to be answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Asks {
    pub(crate) want: Box<RawValue>,
    /// The name by which the answer is to be kept.
    pub(crate) answer: ActivityId,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Done {
    ended: Result<IgnoredAny, IgnoredAny>,
}

impl Done {
    /// Whether the step has a result, which is never asked for again.
    pub(crate) fn is_result(&self) -> bool {
        self.ended.is_ok()
    }
}

/// An order, which is passed on as it is but for the number of its attempt.
#[derive(Debug)]
pub(crate) struct Order {
    /// What is before that number, and what is after it.
    parts: [String; 2],
    /// The run, the step and its key.
    pub(crate) id: ActivityId,
    attempt: u64,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    order: Named<'a>,
}

#[derive(Deserialize)]
struct Named<'a> {
    run: String,
    #[serde(borrow)]
    step: Step<'a>,
}

#[derive(Deserialize)]
struct Step<'a> {
    name: String,
    key: String,
    #[serde(borrow)]
    attempt: &'a RawValue,
}

impl Order {
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let line = str::from_utf8(line).ok()?;
        let Named { run, step } = serde_json::from_str::<Line>(line).ok()?.order;
        let attempt = step.attempt.get();
        // It is a part of the line.
        let start = attempt.as_ptr().addr() - line.as_ptr().addr();
        let (before, rest) = line.split_at_checked(start)?;
        Some(Self {
            parts: [before.to_owned(), rest.strip_prefix(attempt)?.to_owned()],
            id: ActivityId(run).child(step.name).child(step.key),
            attempt: attempt.parse().ok()?,
        })
    }

    /// The line for an attempt, the first of which is 1: more were made than the run knows.
    pub(crate) fn attempt(&self, attempt: i32) -> Vec<u8> {
        let more = u64::try_from(attempt.saturating_sub(1)).unwrap_or(0);
        let [before, after] = &self.parts;
        format!("{before}{}{after}", self.attempt + more).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_passed_on_as_it_is_but_for_its_attempt() {
        let line = |attempt: u8| {
            format!(
                r#"{{"order":{{"z":0.30000000000000004440,"run":"r1","step":{{"name":"task/1/work.1","key":"k","attempt":{attempt}}},"a":null}}}}"#
            )
        };
        let order = Order::read(line(2).as_bytes()).unwrap();
        assert_eq!(order.id.to_string(), "r1/task/1/work.1/k");
        let sent = String::from_utf8(order.attempt(1)).unwrap();
        assert_eq!(sent, line(2));
        assert_eq!(String::from_utf8(order.attempt(3)).unwrap(), line(4));
    }

    #[test]
    fn a_step_without_a_result_may_be_ordered_again() {
        for (line, is_result) in [
            (r#"{"done":{"ended":{"Ok":{"out":1}}}}"#, true),
            (r#"{"done":{"ended":{"Err":"interrupted"}}}"#, false),
            (r#"{"done":{"ended":{"Err":{"broken":"x"}}}}"#, false),
        ] {
            let Ok(FromStep::Done(done)) = serde_json::from_str(line) else {
                panic!("{line}");
            };
            assert_eq!(done.is_result(), is_result, "{line}");
        }
    }
}
