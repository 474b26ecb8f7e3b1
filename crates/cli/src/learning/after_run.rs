//! What is learned when a run has ended.

use std::collections::BTreeSet;
use std::path::Path;

use review_learning::config::LearningConfig;
use review_learning::protocol::{ExtractionStep, LearningEvent, Step, Trigger};
use review_store::RunDir;
use review_types::plural;

use super::observe::observe;
use super::take_back::take_back;
use super::words::Words;
use super::{Analyst, Asked, Collector, OpenGate, drafts_of_run, lexicon};
use crate::args::Format;
use crate::clock::now;
use crate::command::{Replayed, replay};
use crate::context::Context;
use crate::error::CommandError;

/// What was learned from a run.
struct Learned {
    /// How many entries are new.
    entries: usize,
    /// How many lessons are proposed.
    lessons: usize,
    /// The steps that were taken.
    events: Vec<LearningEvent>,
}

/// Notes what a run that has ended showed of the prompts that it used, collects
/// its feedback, analyses that of the agents of which there is enough now, and
/// takes back a version that errs more often than the one before. Whatever
/// becomes of that is no more than a warning: the run is what it is.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn after_run(
    context: &mut Context,
    root: &Path,
    config: &LearningConfig,
    dir: &RunDir,
    format: Format,
) -> Result<(), CommandError> {
    let learned = replay(dir).and_then(|replayed| {
        let degraded = observe(root, config, &replayed.events, &replayed.settings)?;
        let learned = learned(context, root, config, dir, &replayed);
        for degraded in degraded {
            take_back(context, root, config, dir, degraded);
        }
        learned
    });
    if let Ok(learned) = &learned {
        let gate = OpenGate {
            root,
            config,
            state: dir.state(),
            run: Some(dir.id()),
        };
        for agent in proposed_for(&learned.events) {
            gate.pass(context, agent);
        }
    }
    match learned {
        Ok(learned) => tell(context, &learned, format),
        Err(error) => {
            let why = error.message();
            context
                .streams
                .warn(&format!("nothing was learned from this run: {why}"));
            Ok(())
        }
    }
}

fn learned(
    context: &Context,
    root: &Path,
    config: &LearningConfig,
    dir: &RunDir,
    replayed: &Replayed,
) -> Result<Learned, CommandError> {
    let collector = Collector {
        root,
        config,
        environment: &context.environment,
        now: now(),
    };
    let drafts = drafts_of_run(&replayed.events, &replayed.settings);
    let (run, state) = (Some(dir.id()), dir.state());
    let collected = collector.collect(drafts, Asked::No, run, &state)?;
    let mut learned = Learned {
        entries: collected.added.len(),
        lessons: 0,
        events: collected.events,
    };
    let added = collected.added.iter();
    let agents: BTreeSet<&str> = added.map(|entry| entry.agent.as_str()).collect();
    if agents.is_empty() {
        return Ok(learned);
    }
    let mut store = collector.store()?;
    let lexicon = lexicon(root, None)?;
    let analyst = Analyst {
        root,
        config,
        lexicon: &lexicon,
        trigger: Trigger::FeedbackThresholdReached,
        run,
        now: collector.now,
    };
    for agent in agents {
        if analyst.suffices(agent, &store) {
            let analyzed = analyst.analyze(agent, &mut store, &state, &mut Words::OfFeedback)?;
            learned.lessons += analyzed.extraction.proposed.len();
            learned.events.extend(analyzed.events);
        }
    }
    Ok(learned)
}

/// The agents whose lessons were submitted.
fn proposed_for(events: &[LearningEvent]) -> BTreeSet<&str> {
    let submitted = Step::Extraction(ExtractionStep::SubmitForApproval);
    let events = events.iter().filter(|event| event.step == submitted);
    events.map(|event| event.payload.agent.as_str()).collect()
}

fn tell(context: &mut Context, learned: &Learned, format: Format) -> Result<(), CommandError> {
    match format {
        Format::Jsonl => {
            for event in &learned.events {
                context.streams.print_json(event)?;
            }
        }
        Format::Human => {
            if learned.entries > 0 {
                let entries = plural(learned.entries, "entry", "entries");
                let note =
                    format!("{entries} of feedback collected; `ralph learn list` shows them");
                context.streams.note(&note);
            }
            if learned.lessons > 0 {
                let lessons = plural(learned.lessons, "lesson", "lessons");
                let note = format!("{lessons} proposed; `ralph learn review` shows what");
                context.streams.note(&note);
            }
        }
        Format::Json => {}
    }
    Ok(())
}
