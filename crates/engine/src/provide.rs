//! One request of the Agent Feedback Protocol, from its JSON to its answer.

use review::schema::afp::ReviewAsk;
use std::num::NonZeroU32;

use review::MemorySink;
use review::events::{Envelope, Event};
use review_agents::provider::{
    Admission, Admitted, Exchange, Reviewed, SessionState, SyntaxFault, Unchecked, admit,
};
use review_agents::{Backend, Chain};
use review_document::yaml;
use review_store::{Lock, LockError, Root, SessionDir};
use review_types::criteria::Criteria;
use review_types::{BlockCode, Outcome, Review, RunId, SessionId};

use crate::error::EngineError;
use crate::id::time_ordered_id;
use crate::project::Project;
use crate::run::{RunEnd, start};
use crate::settings::{ReviewTarget, RunSettings, Stages};

/// The answer to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provided {
    /// The session, which a follow-up names.
    pub session: SessionId,
    /// The response object as JSON.
    pub response: String,
    /// What the requester should know in addition.
    pub warnings: Vec<String>,
}

/// Answers a request in the session that it names, or in a new one. The
/// artifact is reviewed once, by the reviewer and within the limits of
/// `settings`; their target is of no interest.
///
/// # Errors
/// [`EngineError`] when the session cannot be used, or the process was
/// stopped. A review that fails is an answer.
pub async fn provide(
    project: &Project<'_>,
    mut settings: RunSettings,
    named: Option<SessionId>,
    request: &[u8],
) -> Result<Provided, EngineError> {
    let nothing = match &named {
        Some(_) => SessionState::Unknown,
        None => SessionState::New,
    };
    let session = match named {
        Some(session) => session,
        None => {
            let id = time_ordered_id(project.clock.now())?;
            SessionId::new(format!("ses_{}", id.simple()))?
        }
    };
    let provided = |response, warnings| Provided {
        session: session.clone(),
        response,
        warnings,
    };
    if !project.state.session(&session).path().exists()
        && let Admission::Answered(response) = admit(request, nothing.clone())
    {
        return Ok(provided(response, Vec::new()));
    }
    let folder = project.state.make_session(&session)?;
    let holder = RunId::new(session.as_str())?;
    let lock = Lock::acquire(&project.state, folder.path(), &holder);
    let _lock = lock.map_err(|error| match error {
        LockError::Held(_) => EngineError::hinted(
            format!("another request of session {session} is being answered"),
            "send this one again when that is done",
        ),
        error => EngineError::of_lock(error, None),
    })?;
    let state = folder
        .read::<Exchange>()?
        .map_or(nothing, SessionState::Known);
    let admitted = match admit(request, state) {
        Admission::Answered(response) => return Ok(provided(response, Vec::new())),
        Admission::Review(admitted) => admitted,
    };
    let warnings = admitted.warnings();
    let artifact = &admitted.request().artifact;
    let syntax = syntax(&artifact.media_type.essence(), &artifact.content);
    let by_rules = settings.config.reviewer.is_builtin();
    let criteria = criteria(&settings, admitted.request().review.as_ref());
    settings.config.review.criteria = criteria.clone();
    let answered = match Box::pin(review(project, settings, &folder, &admitted)).await {
        Ok(Some(given)) => admitted.answer(Reviewed {
            review: given.review,
            criteria: &criteria,
            truncated: given.truncated,
            is_unread: given.is_unread,
            by_rules,
            fault: syntax.and_then(Result::err),
        }),
        Ok(None) => admitted.answer_unchecked(Unchecked { syntax }),
        Err(error @ EngineError::Interrupted(_)) => return Err(error),
        // Whatever happened, a new try may do better.
        Err(error) => admitted.fail(error.to_string()),
    };
    if let Some(exchange) = &answered.exchange {
        folder.write(exchange)?;
    }
    Ok(provided(answered.response, warnings))
}

/// What the reviewer said.
struct GivenReview {
    review: Review,
    truncated: bool,
    is_unread: bool,
}

/// Reviews the artifact in the session's own folder, in a run of one round; `None` when
/// no rule of the reviewer applies to it.
async fn review(
    project: &Project<'_>,
    settings: RunSettings,
    folder: &SessionDir,
    admitted: &Admitted,
) -> Result<Option<GivenReview>, EngineError> {
    let artifact = &admitted.request().artifact;
    let name = artifact_name(&artifact.media_type.essence());
    folder.put_artifact(name, artifact.content.as_bytes())?;
    let sink = MemorySink::default();
    let inner = Project {
        root: Root::open(&folder.artifact_folder())?,
        state: folder.state()?,
        ..project.with_sink(&sink)
    };
    let history = admitted.history(settings.config.feedback.window_size);
    let mut settings = RunSettings {
        target: ReviewTarget::File {
            path: name.to_owned(),
        },
        stages: Stages::Review,
        only: None,
        apply: false,
        records_pass: false,
        history,
        ..settings
    };
    settings.config.review.max_iterations = NonZeroU32::MIN;
    let RunEnd { finished, .. } = Box::pin(start(&inner, settings)).await?;
    let events = sink.events();
    let has_failed = |sent: &Envelope| matches!(sent.event, Event::ReviewerFailed(_));
    if finished.block_code == Some(BlockCode::ReviewerFailed) && !events.iter().any(has_failed) {
        return Ok(None);
    }
    let last = events.into_iter().rev().find_map(|sent| match sent.event {
        Event::ReviewIteration(round) => Some(round),
        _ => None,
    });
    let round = last.filter(|_| match finished.outcome {
        Outcome::Passed | Outcome::Approved | Outcome::NotPassed => true,
        Outcome::NoVerdict
        | Outcome::Limit
        | Outcome::Nothing
        | Outcome::Tampered
        | Outcome::Interrupted
        | Outcome::Error => false,
    });
    let Some(round) = round else {
        let reason = finished.block_reason;
        return Err(EngineError::new(match reason.is_empty() {
            true => format!("the review ended without a verdict: {}", finished.outcome),
            false => reason,
        }));
    };
    let review = Review::new(round.verdict, round.scores, round.feedback);
    let review = review.map_err(|error| EngineError::new(error.to_string()))?;
    Ok(Some(GivenReview {
        review,
        truncated: round.truncated,
        is_unread: round.left_unread.is_some(),
    }))
}

/// The criteria of the request, for a reviewer that can score any; else ours.
fn criteria(settings: &RunSettings, asked: Option<&ReviewAsk>) -> Criteria {
    let asked = asked.map(|asked| asked.criteria.clone());
    match Criteria::new(asked.unwrap_or_default()) {
        Ok(criteria) if !asks_rules(&settings.config.reviewer) => criteria,
        Ok(_) | Err(_) => settings.config.review.criteria.clone(),
    }
}

/// Whether the embedded rules may be asked: they score their own criteria, and
/// look at documents.
fn asks_rules(reviewers: &Chain) -> bool {
    reviewers
        .iter()
        .any(|reviewer| *reviewer == Backend::Builtin)
}

/// The name of the artifact's file, by its type.
fn artifact_name(essence: &str) -> &'static str {
    let (_, subtype) = essence.split_once('/').unwrap_or_default();
    let format = subtype.rsplit('+').next().unwrap_or(subtype);
    match format.strip_prefix("x-").unwrap_or(format) {
        "markdown" => "artifact.md",
        "json" => "artifact.json",
        "yaml" | "yml" => "artifact.yaml",
        "toml" => "artifact.toml",
        "html" => "artifact.html",
        "css" => "artifact.css",
        "csv" => "artifact.csv",
        "javascript" => "artifact.js",
        "typescript" => "artifact.ts",
        "python" => "artifact.py",
        "rust" => "artifact.rs",
        "sh" | "shellscript" => "artifact.sh",
        _ => "artifact.txt",
    }
}

/// The result of parsing a content of a type that has a syntax.
fn syntax(essence: &str, content: &str) -> Option<Result<(), SyntaxFault>> {
    let fault = match artifact_name(essence) {
        "artifact.json" => serde_json::from_str::<serde::de::IgnoredAny>(content)
            .err()
            .map(|error| error.to_string()),
        "artifact.yaml" => yaml::parse(content).err().map(|error| {
            let line = error.place.position.line;
            format!("line {line}: {error}")
        }),
        "artifact.toml" => content
            .parse::<toml::Table>()
            .err()
            .map(|error| error.message().to_owned()),
        _ => return None,
    };
    Some(match fault {
        Some(message) => Err(SyntaxFault {
            media_type: essence.to_owned(),
            message,
        }),
        None => Ok(()),
    })
}
