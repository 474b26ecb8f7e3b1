//! What each call of a run consumed, for people.

use std::fmt::Write as _;

use review_events::{AgentRole, CallEnded};
use review_types::{ModelId, Usage, Usd};

use crate::style::{FAINT, RESET};
use crate::text::{columns, one_line};

/// What is written where something is not known.
const UNKNOWN: &str = "unknown";

/// A line for each call, in columns; empty without calls.
pub(super) fn listed_calls(calls: &[CallEnded]) -> String {
    let rows: Vec<_> = calls.iter().map(cells).collect();
    let mut text = String::new();
    for row in columns(&rows) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{FAINT}  {row}{RESET}");
    }
    match text.is_empty() {
        true => text,
        false => format!("{FAINT}calls:{RESET}\n{text}"),
    }
}

/// What the calls of a role are numbered by.
pub(in crate::run) const fn turn(role: AgentRole) -> &'static str {
    match role {
        AgentRole::Reviewer | AgentRole::Applier => "round",
        AgentRole::Implementer => "attempt",
    }
}

/// The round or attempt of a call.
pub(crate) fn turn_of(call: &CallEnded) -> String {
    match call.task {
        Some(task) => format!("task {task} attempt {}", call.iteration),
        None => format!("{} {}", turn(call.role), call.iteration),
    }
}

/// A model with the backend that called it.
pub(crate) fn agent(by: &ModelId) -> String {
    match &by.model {
        Some(model) => format!("{} {model}", by.backend),
        None => by.backend.clone(),
    }
}

/// Round or attempt, role, agent with its model, time, tokens and cost.
fn cells(call: &CallEnded) -> [String; 6] {
    let by = call.by.as_ref();
    let agent = by.map_or_else(|| UNKNOWN.to_owned(), agent);
    let counted = call.usage.filter(Usage::has_tokens);
    let tokens = counted.map_or_else(|| UNKNOWN.to_owned(), |usage| usage.tokens().to_string());
    let cost = call.usage.and_then(|usage| usage.cost_micro_usd);
    let cost = cost.map_or_else(
        || UNKNOWN.to_owned(),
        |cost| format!("${}", Usd::from_micro(cost)),
    );
    [
        turn_of(call),
        call.role.as_str().to_owned(),
        one_line(&agent),
        format!("{}.{}s", call.took_ms / 1_000, call.took_ms % 1_000 / 100),
        format!("{tokens} tokens"),
        match cost.as_str() {
            UNKNOWN => "cost unknown".to_owned(),
            _ => cost,
        },
    ]
}

#[cfg(test)]
mod tests {
    use review_types::TaskNumber;

    use super::*;
    use crate::style::plain;

    #[test]
    fn each_call_has_a_line_with_what_is_known_of_it() {
        let by = |model: Option<&str>| {
            Some(ModelId {
                backend: "claude".to_owned(),
                model: model.map(str::to_owned),
                prompt: None,
            })
        };
        let usage = |cost| {
            Some(Usage {
                input_tokens: 1_000,
                output_tokens: 20,
                cost_micro_usd: cost,
            })
        };
        let call = |role, by, usage| CallEnded {
            role,
            task: (role == AgentRole::Implementer).then(|| TaskNumber::new(1).unwrap()),
            iteration: 1,
            by,
            usage,
            took_ms: 12_345,
        };
        let calls = [
            call(AgentRole::Reviewer, by(Some("opus")), usage(Some(12_000))),
            call(AgentRole::Applier, by(None), usage(None)),
            call(AgentRole::Implementer, None, None),
        ];
        assert_eq!(
            plain(&listed_calls(&calls)),
            "calls:\n\
             \x20 round 1           reviewer     claude opus  12.3s  1020 tokens     $0.012\n\
             \x20 round 1           applier      claude       12.3s  1020 tokens     cost unknown\n\
             \x20 task 1 attempt 1  implementer  unknown      12.3s  unknown tokens  cost unknown\n"
        );
        assert_eq!(listed_calls(&[]), "");
    }
}
