//! The questions about the artifact that show whether a reviewer received it.

use std::sync::Arc;

use review_text::{Question, QuestionSource, questions};
use review_types::Manifest;
use serde_json::{Value, json};

use super::LoopExecutor;
use crate::agent::{Applier, ReviewRequest, Reviewer};
use crate::prompt::review_instructions;
use crate::review_loop::op::ReviewArgs;
use review_flow::{ContentStore, MissingContent, hash_bytes, nonce};

impl<R: Reviewer, A: Applier> LoopExecutor<'_, R, A> {
    /// Returns the questions of a request, if it is to have any. They derive from the seed
    /// and the name of the step.
    pub(super) fn questions(
        &self,
        request: &ReviewRequest,
        asked: &ReviewArgs,
        texts: &ContentStore,
    ) -> Result<Vec<Question>, MissingContent> {
        let (Some(questioned), Some(base)) = (&asked.questions, asked.base) else {
            return Ok(Vec::new());
        };
        let files = self.files(base, texts)?;
        let previous: Option<Arc<Manifest>> = questioned
            .since
            .map(|hash| texts.value(&hash))
            .transpose()?;
        let previous = previous.map(|manifest| {
            let files = manifest.files().iter();
            let read = files.map(|file| texts.get(&file.hash));
            read.collect::<Result<Vec<_>, _>>()
        });
        let previous = previous.transpose()?;
        let text = |bytes| std::str::from_utf8(bytes).unwrap_or_default();
        let mut elsewhere = around(request);
        let others = self.artifact.map(|artifact| artifact.others());
        let others = others.into_iter().flatten().map(String::from_utf8);
        elsewhere.extend(others.flatten());
        let source = QuestionSource {
            texts: files.iter().map(|file| file.text()).collect(),
            left_out: files.iter().map(|file| file.heading_lines()).collect(),
            previous: previous
                .as_ref()
                .map(|files| files.iter().map(|file| text(file)).collect()),
            elsewhere: elsewhere.iter().map(String::as_str).collect(),
        };
        Ok(questions(&source, |number| {
            let id = nonce(
                &self.seed,
                &request.step.name,
                &format!("question {number}"),
            );
            let [a, b, c, d, e, f, g, h, ..] = *hash_bytes(id.as_bytes()).as_bytes();
            u64::from_le_bytes([a, b, c, d, e, f, g, h])
        }))
    }
}

/// Returns the texts around the artifact in a prompt.
fn around(request: &ReviewRequest) -> Vec<String> {
    let facts: Vec<_> = request.facts.iter().map(|fact| &fact.item).collect();
    let retry = request.retry.as_ref();
    let value = json!([
        request.history,
        request.findings,
        facts,
        request.guidance,
        retry.map(|retry| [&retry.message, &retry.tail]),
        review_instructions(request),
    ]);
    let mut texts = Vec::new();
    collect(value, &mut texts);
    texts
}

/// Adds the strings of a value.
fn collect(value: Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.into_iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => fields
            .into_iter()
            .for_each(|(_, field)| collect(field, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
