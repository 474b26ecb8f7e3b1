//! `ralph learn` alone: what is known and proposed.

use std::collections::{BTreeMap, BTreeSet};

use review_engine::learn::RootCorrections;
use review_learning::AgentName;
use review_report::learn::{LearnStatus, ListedLesson, learn_status};
use review_types::ExitCode;

use crate::context::Context;
use crate::error::{CommandError, CommandResult, cannot};
use crate::learning::Place;

/// Shows what is known and proposed, and what to do next.
pub(super) fn run(context: &mut Context) -> CommandResult {
    let place = Place::current(context, &[])?;
    let store = place.learner()?.feedback()?;
    let corrections = RootCorrections::of(&place.root).map_err(cannot("read the corrections"))?;
    let min_samples = place.config.learning_pipeline.analysis.min_samples;
    let lessons = listed(&place)?;
    let mut unread: BTreeMap<&AgentName, u32> = BTreeMap::new();
    let cited: BTreeSet<&str> = lessons.iter().flat_map(ListedLesson::sources).collect();
    for entry in store.entries() {
        if !cited.contains(entry.id.as_str()) {
            *unread.entry(&entry.agent).or_default() += 1;
        }
    }
    let unread = unread.into_iter().find(|(_, count)| *count >= min_samples);
    let state = context.state_for_reading(&place.settings, &place.root);
    let candidates = state.candidates().into_iter();
    let status = LearnStatus {
        is_on: place.is_on,
        candidates: candidates.map(|one| one.remark.summary).collect(),
        corrections: corrections.drafts.len(),
        entries: store.entries().len(),
        min_samples,
        unread: unread.map(|(agent, _)| agent.to_string()),
        lessons,
        waiting: place.waiting()?,
    };
    context.streams.print(&learn_status(&status))?;
    Ok(ExitCode::Passed)
}

/// The lessons of all agents with their states.
///
/// # Errors
/// When a folder cannot be read.
pub(super) fn listed(place: &Place) -> Result<Vec<ListedLesson>, CommandError> {
    let lessons = place.learner()?.lessons(None)?.into_iter();
    Ok(lessons
        .map(|lesson| ListedLesson::of(lesson, place.now))
        .collect())
}
