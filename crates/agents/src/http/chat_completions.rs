//! Chat Completions of OpenAI, which most servers of models speak.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::api::{ApiRow, Question, set};
use super::reply::Reply;
use crate::stream::{
    ErrorCode, ErrorType, Fault, NoEvent, ReportedError, StopReason, Text, nullable,
};

pub(super) const ROW: ApiRow = ApiRow {
    key: ("authorization", "Bearer "),
    headers: &[],
    path: &["chat", "completions"],
    models: &["models"],
    body,
    event,
};

/// The service that knows the longest answer by a newer name than all others.
const OPENAI: &str = "api.openai.com";

/// The failure of a service that reports an error as the end of an answer.
const FAILED: &str = "the answer ended with `finish_reason` error";
const UNFINISHED: &str = "the answer ended without a `finish_reason`";

fn body(question: &Question<'_>) -> Json {
    let profile = question.profile;
    let mut body = json!({
        "model": profile.model.as_str(),
        "stream": true,
        "stream_options": {"include_usage": true},
        "messages": [{"role": "user", "content": question.prompt}],
    });
    let length = if profile.base_url().host() == OPENAI {
        "max_completion_tokens"
    } else {
        "max_tokens"
    };
    set(&mut body, length, profile.max_tokens.map(u32::from));
    let format = question.schema.map(|schema| {
        let named = json!({"name": "answer", "strict": true, "schema": schema});
        json!({"type": "json_schema", "json_schema": named})
    });
    set(&mut body, "response_format", format);
    body
}

#[derive(Deserialize)]
struct Chunk {
    model: Option<String>,
    #[serde(default, deserialize_with = "nullable")]
    choices: Vec<Choice>,
    usage: Option<WireUsage>,
    error: Option<WireError>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<FinishReason>,
    error: Option<WireError>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FinishReason {
    Length,
    ContentFilter,
    /// The service failed; most name the error in addition.
    Error,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<Text>,
    refusal: Option<Text>,
}

#[derive(Deserialize)]
struct WireUsage {
    #[serde(default, deserialize_with = "nullable")]
    prompt_tokens: u64,
    #[serde(default, deserialize_with = "nullable")]
    completion_tokens: u64,
    prompt_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default, deserialize_with = "nullable")]
    cached_tokens: u64,
}

#[derive(Deserialize)]
struct WireError {
    #[serde(default, deserialize_with = "nullable")]
    message: Text,
    code: Option<ErrorCode>,
    #[serde(rename = "type")]
    kind: Option<ErrorType>,
}

fn event(data: &[u8], reply: &mut Reply) -> Result<(), NoEvent> {
    if data == b"[DONE]" {
        match reply.is_decided() {
            true => reply.end(),
            false => reply.fail(ReportedError::new(Fault::Service, UNFINISHED)),
        }
        return Ok(());
    }
    let chunk: Chunk = serde_json::from_slice(data).map_err(|_| NoEvent)?;
    reply.model(chunk.model.as_deref());
    if let Some(usage) = chunk.usage {
        let sum = reply.usage();
        sum.input = usage.prompt_tokens;
        sum.output = usage.completion_tokens;
        sum.cache_read = usage
            .prompt_tokens_details
            .map_or(0, |details| details.cached_tokens);
    }
    let mut choices = chunk.choices;
    let of_choice = choices.iter_mut().find_map(|choice| choice.error.take());
    if let Some(error) = chunk.error.or(of_choice) {
        let status = status(&error);
        reply.fail(ReportedError::new(Fault::Service, &error.message.0).status(status));
    }
    for choice in choices {
        if let Some(delta) = choice.delta {
            reply.say(&delta.content.unwrap_or_default().0);
            if delta.refusal.is_some_and(|text| !text.0.is_empty()) {
                reply.stop(StopReason::Refusal);
            }
        }
        if let Some(reason) = choice.finish_reason {
            finish(reason, reply);
        }
    }
    Ok(())
}

fn finish(reason: FinishReason, reply: &mut Reply) {
    match reason {
        FinishReason::Length => reply.stop(StopReason::Length),
        FinishReason::ContentFilter => reply.stop(StopReason::Refusal),
        FinishReason::Error => reply.fail(ReportedError::new(Fault::Service, FAILED)),
        FinishReason::Other => reply.stop(StopReason::Stop),
    }
}

/// The status that the code of an error names, else its type.
fn status(error: &WireError) -> Option<u16> {
    let of_code = error.code.and_then(ErrorCode::status);
    of_code.or_else(|| error.kind?.status())
}

#[cfg(test)]
mod tests {
    use super::super::api::tests::{assert_ab, bodies, profile, seen};
    use super::super::profile::Api;
    use super::*;

    #[test]
    fn a_question_names_model_length_and_schema() {
        let messages = json!([{"role": "user", "content": "Review."}]);
        let options = json!({"include_usage": true});
        let bare = json!({
            "model": "m-1", "stream": true, "stream_options": options, "messages": messages,
        });
        let full = json!({
            "model": "m-1", "stream": true, "stream_options": options, "messages": messages,
            "max_completion_tokens": 9,
            "response_format": {"type": "json_schema", "json_schema": {
                "name": "answer", "strict": true, "schema": {"type": "object"}}},
        });
        assert_eq!(bodies(&ROW, Api::ChatCompletions), [bare, full]);
    }

    #[test]
    fn other_servers_know_the_length_by_its_older_name() {
        let mut profile = profile(Api::ChatCompletions);
        profile.base_url = Some("http://localhost:11434/v1".parse().unwrap());
        profile.max_tokens = std::num::NonZeroU32::new(9);
        let body = body(&Question {
            profile: &profile,
            prompt: "",
            schema: None,
        });
        assert_eq!(
            (&body["max_tokens"], body.get("max_completion_tokens")),
            (&json!(9), None)
        );
    }

    fn chunk(delta: Json, finish_reason: Json) -> Json {
        json!({"model": "m-1-x", "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}], "usage": null})
    }

    #[test]
    fn an_answer_is_its_text_parts_and_the_usage_after_them() {
        let seen = seen(
            &ROW,
            &[
                chunk(json!({"role": "assistant", "content": ""}), json!(null)),
                chunk(json!({"reasoning": "hm", "content": null}), json!(null)),
                chunk(json!({"content": "a", "refusal": ""}), json!(null)),
                chunk(json!({"content": "b"}), json!("stop")),
                json!({"model": "m-1-x", "choices": [], "usage": {
                    "prompt_tokens": 10, "completion_tokens": 20,
                    "prompt_tokens_details": {"cached_tokens": 4}}}),
                json!("[DONE]"),
            ],
        );
        assert_ab(&seen);
    }

    #[test]
    fn a_reason_to_stop_is_read_from_its_word() {
        for (delta, word, reason) in [
            (json!({}), json!("length"), Some(StopReason::Length)),
            (
                json!({}),
                json!("content_filter"),
                Some(StopReason::Refusal),
            ),
            (
                json!({"refusal": "no"}),
                json!("stop"),
                Some(StopReason::Refusal),
            ),
            (json!(null), json!("stop"), Some(StopReason::Stop)),
        ] {
            let seen = seen(&ROW, &[chunk(delta, word)]);
            assert_eq!(seen.terminal, reason);
        }
    }

    #[test]
    fn an_error_inside_the_stream_has_the_status_that_it_names() {
        for (error, status) in [
            (json!({"message": "no", "code": 502}), Some(502)),
            (
                json!({"message": "no", "code": "rate_limit_exceeded"}),
                Some(429),
            ),
            (
                json!({"message": "no", "code": null, "type": "server_error"}),
                Some(500),
            ),
            (json!({"message": null}), None),
        ] {
            let seen = seen(&ROW, &[json!({"error": error})]);
            assert_eq!(seen.error.unwrap().status, status, "{error}");
        }
    }

    #[test]
    fn an_answer_that_ends_badly_says_so_where_its_service_does_not() {
        let error = json!({"code": 502, "message": "upstream"});
        let of = |finish: Json, more: Json| {
            let mut chunk = chunk(json!({"content": "a"}), finish);
            for (name, value) in more.as_object().unwrap() {
                chunk[name] = value.clone();
            }
            chunk
        };
        let mut inner = of(json!("error"), json!({}));
        inner["choices"][0]["error"] = error.clone();
        for (chunk, message, status) in [
            (of(json!("error"), json!({})), FAILED, None),
            (
                of(json!("error"), json!({"error": error})),
                "upstream",
                Some(502),
            ),
            (inner, "upstream", Some(502)),
            (of(json!(null), json!({})), UNFINISHED, None),
        ] {
            let seen = seen(&ROW, &[chunk, json!("[DONE]")]);
            let error = seen.error.unwrap();
            assert_eq!((&*error.message, error.status), (message, status));
        }
    }
}
