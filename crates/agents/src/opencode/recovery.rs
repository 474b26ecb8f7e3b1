//! What opencode kept of a session whose answer it did not print.

use serde::Deserialize;

use super::call::VARIABLES;
use super::definition::Definition;
use super::wire::{Finish, Part, Tokens};
use crate::client::{Invocation, KeptAnswer, Recovery};
use crate::stream::{Consumption, nullable};
use review::events::AgentRole;

/// How a lost answer is recovered.
pub(super) const RECOVERY: Recovery = Recovery {
    list,
    session,
    export,
    answer,
};

fn list() -> Invocation {
    Invocation::of(&["session", "list", "--format", "json"]).set(&VARIABLES)
}

fn export(session: &str) -> Invocation {
    Invocation::of(&["export", session]).set(&VARIABLES)
}

/// A session in the list.
#[derive(Deserialize)]
struct Listed {
    id: String,
    title: String,
    #[serde(default)]
    created: i64,
}

/// An exported session.
#[derive(Deserialize)]
struct Exported {
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    info: Info,
    parts: Vec<MessagePart>,
}

/// What is known of a message.
#[derive(Deserialize)]
struct Info {
    role: Role,
    #[serde(default)]
    time: Times,
    finish: Option<Finish>,
    agent: Option<String>,
    error: Option<serde::de::IgnoredAny>,
    tokens: Option<Tokens>,
    cost: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    User,
    Assistant,
}

#[derive(Default, Deserialize)]
struct Times {
    completed: Option<i64>,
}

#[derive(Deserialize)]
struct MessagePart {
    #[serde(rename = "type")]
    kind: PartKind,
    #[serde(default, deserialize_with = "nullable")]
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PartKind {
    Text,
    #[serde(other)]
    Other,
}

impl Message {
    fn text(&self) -> String {
        let texts = self.parts.iter().filter(|part| part.kind == PartKind::Text);
        texts.map(|part| part.text.as_str()).collect()
    }

    /// Whether it is known to be the reviewer's, who ended it with all that it
    /// had to say.
    fn is_answer(&self) -> bool {
        let info = &self.info;
        let asked = Definition::of(AgentRole::Reviewer).name;
        info.time.completed.is_some()
            && info.error.is_none()
            && info.finish == Some(Finish::Stop)
            && info.agent.as_deref() == Some(asked)
    }

    fn consumption(&mut self) -> Option<Consumption> {
        let part = Part {
            tokens: self.info.tokens.take(),
            cost: self.info.cost,
            ..Part::default()
        };
        part.consumption()
    }
}

/// The newest session with this title.
fn session(list: &[u8], title: &str) -> Option<String> {
    let listed: Vec<Listed> = serde_json::from_slice(list).ok()?;
    let named = listed.into_iter().filter(|session| session.title == title);
    let newest = named.max_by_key(|session| session.created)?;
    Some(newest.id)
}

/// The content of the last message that answers the request with this id, once it
/// is finished. A session holds the answers to earlier requests as well.
fn answer(export: &[u8], review_id: &str) -> Option<KeptAnswer> {
    let Exported { mut messages } = serde_json::from_slice(export).ok()?;
    let asked = format!("\"review_id\":\"{review_id}\"");
    let is_request =
        |message: &Message| message.info.role == Role::User && message.text().contains(&asked);
    let request = messages.iter().rposition(is_request)?;
    let after = &mut messages[request + 1..];
    let replies = after
        .iter()
        .take_while(|message| message.info.role == Role::Assistant)
        .count();
    let replies = &mut after[..replies];
    let text = replies.last().filter(|last| last.is_answer())?.text();
    if text.trim().is_empty() {
        return None;
    }
    let usage = replies.iter_mut().filter_map(Message::consumption);
    let usage = usage.reduce(|mut total, step| {
        total.add(&step);
        total
    });
    Some(KeptAnswer { text, usage })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::client::calls::{REVIEWER, variables};

    fn user(review_id: &str) -> Json {
        let asked = json!({"iteration": 1, "review": {"review_id": review_id}});
        json!({
            "info": {"role": "user", "time": {"created": 1}, "id": "m"},
            "parts": [{"type": "text", "text": asked.to_string()}],
        })
    }

    fn assistant(texts: &[&str]) -> Json {
        let texts = texts
            .iter()
            .map(|text| json!({"type": "text", "text": text}));
        let start = json!({"type": "step-start"});
        let thought = json!({"type": "reasoning", "text": "hm"});
        let parts: Vec<_> = [start, thought].into_iter().chain(texts).collect();
        json!({
            "info": {
                "role": "assistant",
                "agent": "qualitative-reviewer",
                "time": {"created": 1, "completed": 2},
                "finish": "stop",
                "cost": 0.5,
                "tokens": {"total": 12, "input": 7, "output": 2, "reasoning": 1, "cache": {"read": 1, "write": 1}},
            },
            "parts": parts,
        })
    }

    fn with(mut message: Json, name: &str, value: Json) -> Json {
        message["info"][name] = value;
        message
    }

    fn answer_in(messages: &[Json]) -> Option<KeptAnswer> {
        let export = json!({"info": {"id": "ses_1"}, "messages": messages});
        answer(export.to_string().as_bytes(), "id-7")
    }

    #[test]
    fn the_last_message_is_the_answer_and_the_usage_of_all_counts() {
        let talk = with(assistant(&["Let me read."]), "finish", json!("tool-calls"));
        let messages = [
            user("id-6"),
            assistant(&["earlier"]),
            user("id-7"),
            talk,
            assistant(&["{\"a\":", "1}"]),
            user("id-8"),
            assistant(&["later"]),
        ];
        let step = |times: u64| Consumption {
            input: 9 * times,
            cache_read: times,
            cache_write: times,
            output: 3 * times,
            cost_micro_usd: Some(500_000 * times),
            ..Consumption::default()
        };
        let expected = KeptAnswer {
            text: "{\"a\":1}".to_owned(),
            usage: Some(step(2)),
        };
        assert_eq!(answer_in(&messages), Some(expected));
    }

    #[test]
    fn a_message_that_does_not_finish_an_answer_is_not_recovered() {
        let whole = || assistant(&["{}"]);
        let asked = |last: Json| vec![user("id-7"), last];
        for (why, messages) in [
            ("another request", vec![user("id-6"), whole()]),
            (
                "an earlier answer",
                vec![user("id-6"), whole(), user("id-7")],
            ),
            ("no messages", Vec::new()),
            ("not finished", asked(with(whole(), "finish", Json::Null))),
            (
                "a tool call",
                asked(with(whole(), "finish", json!("tool-calls"))),
            ),
            ("cut off", asked(with(whole(), "finish", json!("length")))),
            (
                "not completed",
                asked(with(whole(), "time", json!({"created": 1}))),
            ),
            (
                "an error",
                asked(with(whole(), "error", json!({"name": "APIError"}))),
            ),
            (
                "another agent",
                asked(with(whole(), "agent", json!("build"))),
            ),
            (
                "an agent that is not named",
                asked(with(whole(), "agent", Json::Null)),
            ),
            ("blank", asked(assistant(&[" ", "\n"]))),
            (
                "a later message that is not finished",
                vec![user("id-7"), whole(), with(whole(), "finish", Json::Null)],
            ),
        ] {
            assert_eq!(answer_in(&messages), None, "{why}");
        }
        assert!(answer_in(&asked(whole())).is_some());
        assert_eq!(answer(b"{\"messages\": [", "id-7"), None);
    }

    #[test]
    fn the_newest_session_with_the_title_is_the_one() {
        let listed = json!([
            {"id": "ses_1", "title": REVIEWER.title, "created": 1, "updated": 9},
            {"id": "ses_3", "title": REVIEWER.title, "created": 3},
            {"id": "ses_2", "title": REVIEWER.title, "created": 2},
            {"id": "ses_4", "title": "ralph run-1 review-2.1", "created": 4},
        ]);
        let listed = listed.to_string();
        let found = session(listed.as_bytes(), REVIEWER.title);
        assert_eq!(found.as_deref(), Some("ses_3"));
        assert_eq!(session(listed.as_bytes(), "ralph"), None);
        assert_eq!(session(b"", "ralph"), None);
    }

    #[test]
    fn sessions_are_asked_for_as_calls_are_made() {
        assert_eq!(export("ses_1").args, ["export", "ses_1"]);
        assert_eq!(list().args, ["session", "list", "--format", "json"]);
        for call in [export("ses_1"), list()] {
            assert_eq!(variables(&call), ["OPENCODE_DISABLE_AUTOUPDATE=1"]);
        }
    }
}
