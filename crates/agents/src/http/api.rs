//! How one API is spoken.

use serde_json::Value as Json;

use super::profile::{Api, HttpProfile};
use super::reply::Reply;
use super::{chat_completions, messages, responses};
use crate::stream::NoEvent;

/// What is asked of a model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    /// The model and how it answers.
    pub(super) profile: &'a HttpProfile,
    /// The whole prompt.
    pub(super) prompt: &'a str,
    /// The JSON schema of the answer, where an object is asked for.
    pub(super) schema: Option<&'a Json>,
}

/// How one API is spoken.
pub(super) struct ApiRow {
    /// The header that carries the key, and what precedes the key in it.
    pub(super) key: (&'static str, &'static str),
    /// Further headers.
    pub(super) headers: &'static [(&'static str, &'static str)],
    /// Where a question goes, below the base address.
    pub(super) path: &'static [&'static str],
    /// Where the models are listed, below the base address.
    pub(super) models: &'static [&'static str],
    /// The body of a question.
    pub(super) body: fn(&Question<'_>) -> Json,
    /// Reads the data of an event.
    pub(super) event: fn(&[u8], &mut Reply) -> Result<(), NoEvent>,
}

impl Api {
    pub(super) const fn row(self) -> &'static ApiRow {
        match self {
            Self::Messages => &messages::ROW,
            Self::ChatCompletions => &chat_completions::ROW,
            Self::Responses => &responses::ROW,
        }
    }
}

/// Sets a field of an object, if there is a value for it.
pub(super) fn set(object: &mut Json, field: &str, value: Option<impl Into<Json>>) {
    if let Some(value) = value {
        object[field] = value.into();
    }
}

/// The questions and events of APIs in tests.
#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;
    use crate::stream::{Consumption, Observed, StopReason};

    pub(crate) fn profile(api: Api) -> HttpProfile {
        HttpProfile {
            api,
            base_url: None,
            model: "m-1".parse().unwrap(),
            key_env: None,
            max_tokens: None,
            structured_output: true,
        }
    }

    /// The body of a question with and without all that may be set.
    pub(crate) fn bodies(row: &ApiRow, api: Api) -> [Json; 2] {
        let schema = json!({"type": "object"});
        let mut profile = profile(api);
        let question = Question {
            profile: &profile,
            prompt: "Review.",
            schema: None,
        };
        let bare = (row.body)(&question);
        profile.max_tokens = std::num::NonZeroU32::new(9);
        let question = Question {
            profile: &profile,
            prompt: "Review.",
            schema: Some(&schema),
        };
        [bare, (row.body)(&question)]
    }

    /// Asserts that an answer is "ab" of the model `m-1-x`, which read 10
    /// tokens, 4 of them from its cache, and wrote 20.
    pub(crate) fn assert_ab(seen: &Observed) {
        assert_eq!(seen.text.as_deref(), Some("ab"));
        assert_eq!(seen.model.as_deref(), Some("m-1-x"));
        assert_eq!(seen.terminal, Some(StopReason::Stop));
        let usage = Consumption {
            input: 10,
            cache_read: 4,
            output: 20,
            ..Consumption::default()
        };
        assert_eq!((seen.usage, seen.unread_lines), (Some(usage), 0));
    }

    /// The result of events; one that cannot be read is counted.
    pub(crate) fn seen(row: &ApiRow, events: &[Json]) -> Observed {
        let mut reply = Reply::new(64);
        for event in events {
            let data = event
                .as_str()
                .map_or_else(|| event.to_string(), str::to_owned);
            if (row.event)(data.as_bytes(), &mut reply).is_err() {
                reply.unread();
            }
        }
        reply.finish()
    }
}
