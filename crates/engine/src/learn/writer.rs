//! Lessons in the words of a reviewer.

use std::num::NonZeroU64;
use std::path::Path;

use review::{Budget, Retry};
use review_agents::{AgentReply, Backend, Inquiry, LessonPrompt, MessagesPrompt};
use review_config::Config;
use review_learning::AgentName;
use review_learning::capture::{Candidate, Captured};
use review_learning::cluster::text_of;
use review_learning::config::{LearningConfig, LessonExtraction};
use review_learning::corrections::CorrectionType;
use review_learning::lesson::{Draft, Fallback, FeedbackPattern, Writing};
use review_process::Redactor;
use review_process::redact::{Sensitivity, secret_values};
use review_schema::read_object;
use review_store::{Reader, Root};
use review_types::{ModelId, QuestionUsage, error_chain};
use serde_json::{Value as Json, json};

use crate::consultation::{Consultation, Unanswered};
use crate::error::EngineError;
use crate::project::Project;
use crate::settings::{ReviewTarget, RunSettings};

/// A reviewer that is asked to write lessons.
pub struct LessonWriter {
    pub(super) consultation: Consultation,
    template: Option<String>,
    redactor: Redactor,
    reported: QuestionUsage,
    fallbacks: Vec<Fallback>,
}

/// Why there is no lesson.
struct Unusable {
    reason: String,
    /// What the answer lacks, where there is one.
    retry: Option<Retry>,
}

impl LessonWriter {
    /// The reviewers of `settings`, if one can be asked.
    ///
    /// # Errors
    /// When the template cannot be read.
    pub async fn begin(
        project: &Project<'_>,
        config: &Config,
        learning: &LearningConfig,
    ) -> Result<Option<Self>, EngineError> {
        if config.reviewer.iter().all(|one| *one == Backend::Builtin) {
            return Ok(None);
        }
        let target = feedback_folder(learning);
        Self::of(project, RunSettings::of(config, target), learning).await
    }

    /// The reviewers of a run with these settings, if one can be asked.
    ///
    /// # Errors
    /// As [`Self::begin`].
    pub(super) async fn of(
        project: &Project<'_>,
        settings: RunSettings,
        learning: &LearningConfig,
    ) -> Result<Option<Self>, EngineError> {
        if settings.config.reviewer.is_builtin() {
            return Ok(None);
        }
        let extraction = &learning.learning_pipeline.lesson_extraction;
        let template = template(&project.root, extraction)?;
        let settings = RunSettings {
            target: feedback_folder(learning),
            ..settings
        };
        let budget = budget(extraction);
        let variables = project.env.iter().map(|(name, value)| (&**name, &**value));
        Ok(Some(Self {
            consultation: Consultation::begin(project, settings, budget).await?,
            template,
            redactor: Redactor::new(secret_values(variables, |_| Sensitivity::Unknown)),
            reported: QuestionUsage::default(),
            fallbacks: Vec::new(),
        }))
    }

    /// Puts what a pattern teaches into words, which is asked for once more where the answer
    /// cannot be used; `None`, and noted, without a lesson.
    ///
    /// # Errors
    /// When a signal came.
    pub(super) async fn write(
        &mut self,
        agent: &AgentName,
        pattern: &FeedbackPattern<'_>,
    ) -> Result<Option<Draft>, EngineError> {
        let redactor = &self.redactor;
        let redact =
            |text: &str| String::from_utf8_lossy(&redactor.redact(text.as_bytes())).into_owned();
        let feedback = pattern.shown(&redact);
        let template = self.template.clone();
        let prompt = LessonPrompt {
            instructions: template.as_deref(),
            agent: agent.as_str(),
            feedback: &feedback,
            retry: None,
        };
        let mut answered = self.answered(prompt, pattern).await?;
        if let Err(Unusable {
            reason,
            retry: Some(retry),
        }) = answered
        {
            let retry = Some(&retry);
            let again = LessonPrompt { retry, ..prompt };
            answered = match self.answered(again, pattern).await? {
                Err(Unusable { retry: None, .. }) => Err(Unusable {
                    reason,
                    retry: None,
                }),
                again => again,
            };
        }
        Ok(match answered {
            Ok(draft) => Some(draft),
            Err(Unusable { reason, .. }) => {
                let cluster = pattern.cluster;
                self.fallbacks.push(Fallback { cluster, reason });
                None
            }
        })
    }

    /// What asking came to since this was called last.
    pub(super) fn take_writing(&mut self) -> Writing {
        let asked = self.consultation.asked();
        let before = std::mem::replace(&mut self.reported, asked);
        Writing {
            usage: QuestionUsage {
                calls: asked.calls - before.calls,
                tokens: asked.tokens - before.tokens,
                cost_micro_usd: asked.cost_micro_usd - before.cost_micro_usd,
                calls_without_cost: asked.calls_without_cost - before.calls_without_cost,
            },
            fallbacks: std::mem::take(&mut self.fallbacks),
        }
    }

    /// What a question about a pattern is answered with.
    async fn answered(
        &mut self,
        prompt: LessonPrompt<'_>,
        pattern: &FeedbackPattern<'_>,
    ) -> Result<Result<Draft, Unusable>, EngineError> {
        let AgentReply { text, by, .. } = match self.consultation.ask(Inquiry::Lesson(prompt)).await
        {
            Ok(reply) => reply,
            Err(why @ Unanswered::Interrupted) => return Err(EngineError::new(why.to_string())),
            Err(why) => {
                let reason = why.to_string();
                return Ok(Err(Unusable {
                    reason,
                    retry: None,
                }));
            }
        };
        let program = named(&by);
        let unusable = |field: &str, why: &str| Unusable {
            reason: format!("the answer of the reviewer ({program}) is not a lesson: {why}"),
            retry: Some(Retry::new(field, why, &text)),
        };
        let object = match read_object(&text, &Draft::KEYS) {
            Ok(object) => object,
            Err(error) => return Ok(Err(unusable(&error.field.to_string(), &error.message))),
        };
        let ids = pattern.entries.iter().map(|one| one.id.as_str()).collect();
        let texts = pattern.entries.iter().map(|one| text_of(one).whole());
        let texts: Vec<_> = texts.collect();
        let read = Draft::read(&object, &ids, &texts, written_by(&by));
        Ok(read.map_err(|error| unusable(error.member, &error.to_string())))
    }
}

/// The folder that a reviewer which writes lessons looks at.
fn feedback_folder(learning: &LearningConfig) -> ReviewTarget {
    let storage = &learning.feedback_collection.storage_path;
    ReviewTarget::Folder {
        path: storage.as_str().to_owned(),
    }
}

/// Backend and model.
fn named(by: &ModelId) -> String {
    let model = by.model.iter().map(|model| format!(":{model}"));
    std::iter::once(by.backend.clone()).chain(model).collect()
}

/// Backend, model and prompt, as a lesson names them.
fn written_by(by: &ModelId) -> String {
    let prompt = by.prompt.iter().map(|prompt| format!(" {prompt}"));
    std::iter::once(named(by)).chain(prompt).collect()
}

fn budget(extraction: &LessonExtraction) -> Budget {
    let tokens = extraction.max_tokens.map(u64::from);
    Budget {
        max_calls: Some(extraction.max_calls.max(1)),
        max_tokens: tokens.and_then(NonZeroU64::new),
        max_cost: extraction.max_cost,
    }
}

/// Checks that the template of lessons can be read, where it is a file.
///
/// # Errors
/// When it cannot.
pub(crate) fn check_template(root: &Path, config: &LearningConfig) -> Result<(), EngineError> {
    let extraction = &config.learning_pipeline.lesson_extraction;
    template(&Root::open(root)?, extraction).map(|_| ())
}

/// The prompt that replaces the embedded one.
fn template(root: &Root, extraction: &LessonExtraction) -> Result<Option<String>, EngineError> {
    let Some(file) = extraction.template_file() else {
        return Ok(extraction.template.clone());
    };
    let read = Reader::new(root).read(file);
    let bytes = read.map_err(|error| {
        EngineError::new(format!(
            "lesson_extraction.template: {}",
            error_chain(&error)
        ))
    })?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

impl LessonWriter {
    /// Asks once which messages are corrections, and returns those; `Err` with the reason
    /// in the result where the answer cannot be used.
    ///
    /// # Errors
    /// When a signal came.
    pub async fn corrections_among<'c>(
        &mut self,
        candidates: &'c [Candidate],
    ) -> Result<Result<Vec<(&'c Candidate, Captured)>, String>, EngineError> {
        let messages = candidates.iter().enumerate().map(|(id, candidate)| {
            let remark = &candidate.remark;
            json!({"id": id, "agent_did": remark.action, "message": remark.verbatim})
        });
        let messages: Json = messages.collect();
        let prompt = MessagesPrompt {
            messages: &messages,
            types: CorrectionType::WORDS,
        };
        let reply = match self.consultation.ask(Inquiry::Messages(prompt)).await {
            Ok(reply) => reply,
            Err(why @ Unanswered::Interrupted) => return Err(EngineError::new(why.to_string())),
            Err(why) => return Ok(Err(why.to_string())),
        };
        let captured = |(id, correction_type): (u64, String)| {
            let candidate = candidates.get(usize::try_from(id).ok()?)?;
            let captured = Captured {
                correction_type: correction_type.parse().ok()?,
                remark: candidate.remark.clone(),
            };
            Some((candidate, captured))
        };
        let answer = MessagesPrompt::read(&reply.text);
        let found = answer.and_then(|answer| answer.into_iter().map(captured).collect());
        Ok(found.ok_or_else(|| "the answer of the reviewer names no messages".to_owned()))
    }
}
