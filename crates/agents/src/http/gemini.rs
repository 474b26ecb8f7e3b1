//! `streamGenerateContent` of Gemini.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::api::{ApiRow, Question, set};
use super::profile::HttpProfile;
use super::reply::Reply;
use crate::stream::{Fault, GoogleError, NoEvent, ReportedError, StopReason, Text, nullable};

pub(super) const ROW: ApiRow = ApiRow {
    key: ("x-goog-api-key", ""),
    headers: &[],
    path,
    query: Some("alt=sse"),
    models: &["v1beta", "models"],
    body,
    event,
};

fn path(profile: &HttpProfile) -> Vec<String> {
    let method = format!("{}:streamGenerateContent", profile.model);
    vec!["v1beta".to_owned(), "models".to_owned(), method]
}

fn body(question: &Question<'_>) -> Json {
    let mut settings = json!({});
    let max_tokens = question.profile.max_tokens.map(u32::from);
    set(&mut settings, "maxOutputTokens", max_tokens);
    if let Some(schema) = question.schema {
        settings["responseMimeType"] = json!("application/json");
        settings["responseJsonSchema"] = schema.clone();
    }
    json!({
        "contents": [{"role": "user", "parts": [{"text": question.prompt}]}],
        "generationConfig": settings,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    #[serde(default, deserialize_with = "nullable")]
    candidates: Vec<Candidate>,
    prompt_feedback: Option<PromptFeedback>,
    usage_metadata: Option<WireUsage>,
    model_version: Option<String>,
    error: Option<GoogleError>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<FinishReason>,
}

#[derive(Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum FinishReason {
    Stop,
    MaxTokens,
    Safety,
    Recitation,
    Blocklist,
    ProhibitedContent,
    Spii,
    #[serde(untagged)]
    Other(String),
}

#[derive(Deserialize)]
struct Content {
    #[serde(default, deserialize_with = "nullable")]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<Text>,
    #[serde(default, deserialize_with = "nullable")]
    thought: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptFeedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireUsage {
    #[serde(default, deserialize_with = "nullable")]
    prompt_token_count: u64,
    #[serde(default, deserialize_with = "nullable")]
    cached_content_token_count: u64,
    #[serde(default, deserialize_with = "nullable")]
    candidates_token_count: u64,
    #[serde(default, deserialize_with = "nullable")]
    thoughts_token_count: u64,
}

fn event(data: &[u8], reply: &mut Reply) -> Result<(), NoEvent> {
    let chunk: Chunk = serde_json::from_slice(data).map_err(|_| NoEvent)?;
    reply.model(chunk.model_version.as_deref());
    if let Some(usage) = chunk.usage_metadata {
        let sum = reply.usage();
        sum.input = usage.prompt_token_count;
        sum.cache_read = usage.cached_content_token_count;
        sum.output = usage
            .candidates_token_count
            .saturating_add(usage.thoughts_token_count);
    }
    for candidate in chunk.candidates {
        let parts = candidate
            .content
            .map_or_else(Vec::new, |content| content.parts);
        for part in parts.into_iter().filter(|part| !part.thought) {
            reply.say(&part.text.unwrap_or_default().0);
        }
        if let Some(reason) = candidate.finish_reason {
            finish(reason, reply);
        }
    }
    if chunk
        .prompt_feedback
        .is_some_and(|feedback| feedback.block_reason.is_some())
    {
        reply.stop(StopReason::Refusal);
    }
    if let Some(error) = chunk.error {
        reply.fail(error.reported());
    }
    Ok(())
}

fn finish(reason: FinishReason, reply: &mut Reply) {
    match reason {
        FinishReason::Stop => reply.stop(StopReason::Stop),
        FinishReason::MaxTokens => reply.stop(StopReason::Length),
        FinishReason::Safety
        | FinishReason::Recitation
        | FinishReason::Blocklist
        | FinishReason::ProhibitedContent
        | FinishReason::Spii => reply.stop(StopReason::Refusal),
        FinishReason::Other(other) => {
            let message = format!("the model stopped with {other}");
            reply.fail(ReportedError::new(Fault::Service, &message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::api::tests::{assert_ab, bodies, profile, seen};
    use super::super::profile::Api;
    use super::*;

    #[test]
    fn a_question_names_length_and_schema_and_the_address_the_model() {
        let contents = json!([{"role": "user", "parts": [{"text": "Review."}]}]);
        let bare = json!({"contents": contents, "generationConfig": {}});
        let full = json!({"contents": contents, "generationConfig": {
            "maxOutputTokens": 9,
            "responseMimeType": "application/json",
            "responseJsonSchema": {"type": "object"},
        }});
        assert_eq!(bodies(&ROW, Api::Gemini), [bare, full]);
        let path = path(&profile(Api::Gemini));
        assert_eq!(path, ["v1beta", "models", "m-1:streamGenerateContent"]);
    }

    fn chunk(parts: Json, finish_reason: Json) -> Json {
        json!({"candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": finish_reason}]})
    }

    #[test]
    fn an_answer_is_its_text_parts_without_thoughts_and_the_last_usage() {
        let mut last = chunk(json!([{"text": "b"}]), json!("STOP"));
        last["modelVersion"] = json!("m-1-x");
        last["usageMetadata"] = json!({"promptTokenCount": 10, "cachedContentTokenCount": 4,
            "candidatesTokenCount": 15, "thoughtsTokenCount": 5});
        let seen = seen(
            &ROW,
            &[
                chunk(
                    json!([{"text": "hm", "thought": true}, {"text": "a"}]),
                    json!(null),
                ),
                last,
            ],
        );
        assert_ab(&seen);
    }

    #[test]
    fn a_reason_to_stop_is_read_from_its_word() {
        let refusals = [
            "SAFETY",
            "RECITATION",
            "BLOCKLIST",
            "PROHIBITED_CONTENT",
            "SPII",
        ];
        let refusals = refusals.map(|word| (word, StopReason::Refusal));
        let others = [
            ("MAX_TOKENS", StopReason::Length),
            ("STOP", StopReason::Stop),
        ];
        for (word, reason) in refusals.into_iter().chain(others) {
            let seen = seen(&ROW, &[chunk(json!([]), json!(word))]);
            assert_eq!(seen.terminal, Some(reason), "{word}");
        }
        let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}});
        assert_eq!(seen(&ROW, &[blocked]).terminal, Some(StopReason::Refusal));
        let seen = seen(&ROW, &[chunk(json!([]), json!("OTHER"))]);
        assert_eq!(seen.error.unwrap().message, "the model stopped with OTHER");
    }

    #[test]
    fn an_error_inside_the_stream_has_its_status() {
        for (code, status) in [(503, Some(503)), (7, None)] {
            let event = json!({"error": {"code": code, "message": "no"}});
            let error = seen(&ROW, &[event]).error.unwrap();
            assert_eq!((error.status, &*error.message), (status, "no"));
        }
        let details = json!([{"retryDelay": "7s"}]);
        let event = json!({"error": {"code": 429, "message": "no", "details": details}});
        let error = seen(&ROW, &[event]).error.unwrap();
        let wait = std::time::Duration::from_secs(7);
        assert_eq!(error.retry_after, Some(crate::stream::RetryAfter::In(wait)));
    }
}
