//! What a lesson would change.

use review_agents::estimated_tokens;
use review_learning::lesson::{Decision, Lesson};
use review_report::learn::{Conflict, Proposal};
use review_report::unified;
use review_text::{Fingerprint, SAME_ISSUE};

use super::Learner;
use crate::error::EngineError;

/// Returns what `lesson` would change, and the lessons about the same.
///
/// # Errors
/// When the agent has no prompt, or a file cannot be used.
pub fn propose(learner: &Learner<'_>, lesson: &Lesson) -> Result<Proposal, EngineError> {
    let mut standing = learner.standing(&lesson.agent)?;
    let conflicts = conflicts(lesson, &standing.lessons);
    standing.lessons.retain(|other| other.id == lesson.id);
    for alone in &mut standing.lessons {
        if let Ok(approved) = alone.decided(Decision::Approve, "") {
            *alone = approved;
        }
    }
    let update = learner.planned(&standing)?;
    let (old, new) = (&standing.current, update.version.as_ref());
    let content = new.map_or(&*old.content, |new| &*new.content);
    let new_version = new.map_or(old.version, |new| new.version);
    let agent = &lesson.agent;
    let (from, to) = (
        format!("{agent}/v{}", old.version),
        format!("{agent}/v{new_version}"),
    );
    let tokens = |text: &str| i64::try_from(estimated_tokens(text.len())).unwrap_or(i64::MAX);
    Ok(Proposal {
        lesson: lesson.clone(),
        old_version: old.version.get(),
        new_version: new_version.get(),
        changes: new.map_or_else(Vec::new, |new| new.changes.clone()),
        diff: unified((&from, &to), &old.content, content),
        token_growth: tokens(content) - tokens(&old.content),
        conflicts,
    })
}

/// The other lessons about the same, the nearest first.
fn conflicts(lesson: &Lesson, others: &[Lesson]) -> Vec<Conflict> {
    let print = |lesson: &Lesson| {
        let text = format!("{} {}", lesson.lesson_text, lesson.constraint());
        Fingerprint::of(&text)
    };
    let own = print(lesson);
    let others = others
        .iter()
        .filter(|other| other.id != lesson.id && other.status.counts());
    let near = others.filter_map(|other| {
        let similarity = own.similarity(&print(other));
        (similarity >= SAME_ISSUE).then(|| Conflict {
            lesson: other.clone(),
            similarity,
        })
    });
    let mut near: Vec<_> = near.collect();
    near.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    near
}
