//! The session of a loop.

use review_types::{FinalVerdict, ReviewSession};

use super::config::LoopConfig;
use super::load::history;
use super::machine::ReviewMachine;
use super::op::ReviewDone;
use review_flow::{ContentStore, MissingContent};

/// Returns the record of a loop: its subject and configuration, its rounds, its end.
///
/// # Errors
/// [`MissingContent`] when the review of a round is missing.
pub fn session_of(
    config: &LoopConfig,
    machine: &ReviewMachine,
    done: &ReviewDone,
    texts: &ContentStore,
) -> Result<ReviewSession, MissingContent> {
    let subject = &config.subject;
    let mut session = ReviewSession::new(
        &subject.feature,
        &subject.spec,
        &subject.path,
        config.review_config(),
    );
    session.iterations = machine
        .rounds()
        .iter()
        .map(|round| history(texts, round))
        .collect::<Result<_, _>>()?;
    match done {
        ReviewDone::Passed => session.final_verdict = FinalVerdict::Pass,
        ReviewDone::Approved { by } => {
            session.final_verdict = FinalVerdict::Blocked;
            session.block_reason = format!("approved by {by}");
        }
        ReviewDone::Blocked { code, reason } => {
            session.final_verdict = FinalVerdict::Blocked;
            session.block_reason.clone_from(reason);
            session.block_code = Some(*code);
        }
    }
    Ok(session)
}
