//! `ralph learn analyze`.

use std::collections::BTreeSet;

use review::NoSink;
use review_engine::EngineError;
use review_engine::learn::{Analyst, Analyzed, LearnError, LessonWriter, Ungated, Words, lexicon};
use review_learning::Id;
use review_learning::protocol::Trigger;
use review_report::learn::{AgentAnalysis, AnalysisReport, analysis};
use review_store::StateDir;
use review_types::ExitCode;

use super::place::{Place, place_with};
use crate::args::{AnalyzeArgs, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::output::Version;
use crate::session::recording;
use crate::world::World;

/// Analyses the feedback of the agents that are meant.
pub(super) fn run(context: &mut Context, args: &AnalyzeArgs) -> Ended {
    let mut place = place_with(context, args.overrides())?;
    let extraction = &mut place.config.learning_pipeline.lesson_extraction;
    if let Some(max_calls) = args.max_calls {
        extraction.max_calls = max_calls.get();
    }
    if let Some(max_tokens) = args.max_tokens {
        extraction.max_tokens = Some(max_tokens.get());
    }
    extraction.max_cost = args.max_cost.or(extraction.max_cost);
    let state = context.state(&place.settings, &place.root, true)?;
    let redactor = context.environment.redactor();
    let collector = place.collector(&redactor);
    let store = collector.store()?;
    let agents: BTreeSet<String> = store
        .entries()
        .iter()
        .map(|entry| entry.agent.clone())
        .filter(|agent| args.agent.as_ref().is_none_or(|meant| meant == agent))
        .collect();
    if agents.is_empty() {
        return Err(nothing(args.agent.as_deref()));
    }
    let world = World::new(context)?;
    let mut words = words(context, &world, &place, &state, args)?;
    let trigger = match args.scheduled {
        true => Trigger::ScheduledAnalysis,
        false => Trigger::ManualRequest,
    };
    let analyzed = analyzed(context, &world, &place, &agents, (trigger, &mut words))?;
    analyzed.iter().for_each(|analyzed| warn(context, analyzed));
    let asked = analyzed
        .iter()
        .filter_map(|one| one.extraction.writing.as_ref());
    let calls: Vec<u32> = asked.map(|writing| writing.calls).collect();
    if !calls.is_empty() && calls.iter().all(|calls| *calls == 0) {
        context
            .streams
            .note("the reviewer was not asked: no lesson needs words");
    }
    let waiting = apply_ungated(context, &place, &analyzed)?;
    let min_samples = place.config.learning_pipeline.analysis.min_samples;
    let report = AnalysisReport {
        v: Version,
        agents: analyzed.iter().map(of_agent).collect(),
    };
    match args.format {
        PlainFormat::Human => {
            let text = analysis(&report, min_samples, !waiting.is_empty());
            context.streams.print(&text)?;
        }
        PlainFormat::Json => context.streams.print_json(&report)?,
    }
    Ok(ExitCode::Passed)
}

/// Analyzes the feedback of agents in its own words, as `ralph learn analyze` does.
///
/// # Errors
/// When a file cannot be read or written, or a signal comes.
pub(in crate::command) fn analyze(
    context: &mut Context,
    place: &Place,
    agents: &BTreeSet<String>,
) -> Result<Vec<Analyzed>, CommandError> {
    let world = World::new(context)?;
    let asked = (Trigger::ManualRequest, &mut Words::OfFeedback);
    let analyzed = analyzed(context, &world, place, agents, asked)?;
    analyzed.iter().for_each(|analyzed| warn(context, analyzed));
    apply_ungated(context, place, &analyzed)?;
    Ok(analyzed)
}

fn analyzed(
    context: &mut Context,
    world: &World,
    place: &Place,
    agents: &BTreeSet<String>,
    (trigger, words): (Trigger, &mut Words<'_>),
) -> Result<Vec<Analyzed>, CommandError> {
    let state = context.state(&place.settings, &place.root, true)?;
    let redactor = context.environment.redactor();
    let collector = place.collector(&redactor);
    let mut store = collector.store()?;
    let lexicon = lexicon(&place.root, None)?;
    let analyst = Analyst {
        root: &place.root,
        config: &place.config,
        lexicon: &lexicon,
        trigger,
        run: None,
        now: collector.now,
    };
    let analyzed = world.finish(async {
        let mut analyzed = Vec::new();
        for agent in agents {
            let of_agent = analyst.analyze(agent, &mut store, &state, words);
            analyzed.push(of_agent.await?);
        }
        Ok(analyzed)
    });
    analyzed.map_err(|error| match error {
        LearnError::Interrupted => world.interruption(),
        error => error.into(),
    })
}

/// Puts the lessons that need no approval into prompts; returns the others.
fn apply_ungated(
    context: &mut Context,
    place: &Place,
    analyzed: &[Analyzed],
) -> Result<BTreeSet<Id>, CommandError> {
    let proposed = analyzed.iter().flat_map(|one| &one.extraction.proposed);
    let mut waiting: BTreeSet<Id> = proposed.map(|lesson| lesson.id.clone()).collect();
    place.change(
        context,
        Trigger::LessonApproved,
        async |evolution, log, notices| {
            let ungated = Ungated { evolution, log };
            for Analyzed { agent, .. } in analyzed {
                for applied in ungated.update(agent, notices).await {
                    waiting.remove(&applied);
                }
            }
            Ok(())
        },
    )?;
    Ok(waiting)
}

/// The words that the lessons are to be written in.
fn words(
    context: &mut Context,
    world: &World,
    place: &Place,
    state: &StateDir,
    args: &AnalyzeArgs,
) -> Result<Words<'static>, CommandError> {
    let is_named = args.overrides().reviewer.is_some();
    if !place.config.learning_pipeline.lesson_extraction.llm_driven {
        if is_named {
            context
                .streams
                .warn("the reviewer is not asked: lesson_extraction.llm_driven is false");
        }
        return Ok(Words::OfFeedback);
    }
    let recording = recording(context, &args.recording);
    let writer = world.block_on(
        &context.environment,
        &place.root,
        state.clone(),
        &NoSink,
        async |project| LessonWriter::begin(project, &place.settings, &place.config, recording),
    )?;
    let writer = writer.map_err(limited)?;
    if writer.is_none() {
        context
            .streams
            .note("lessons are in the words of the feedback itself; no model is asked");
    }
    Ok(writer.map_or(Words::OfFeedback, |writer| {
        Words::OfReviewer(Box::new(writer))
    }))
}

/// Warns of what is otherwise than was asked for.
fn warn(context: &mut Context, analyzed: &Analyzed) {
    for why in &analyzed.bad {
        context.streams.warn(&format!("left out: {why}"));
    }
    let writing = analyzed.extraction.writing.iter();
    for fallback in writing.flat_map(|writing| &writing.fallbacks) {
        context.streams.warn(&format!(
            "{}, cluster {}: the lesson is in the words of the feedback, since {}",
            analyzed.agent, fallback.cluster, fallback.reason
        ));
    }
}

/// An analysis has no limit of time.
fn limited(error: LearnError) -> CommandError {
    match &error {
        LearnError::Engine(EngineError::Unmeasured { backend, .. }) if !backend.is_model() => {
            CommandError::new(ErrorKind::Usage, error.to_string())
                .hint("limit the calls: --max-calls N")
        }
        _ => error.into(),
    }
}

fn nothing(agent: Option<&str>) -> CommandError {
    let of = agent.map_or_else(String::new, |agent| format!(" of {agent}"));
    let message = format!("no feedback{of}");
    CommandError::new(ErrorKind::Nothing, message)
        .hint("`ralph learn collect` collects it from runs and corrections")
}

fn of_agent(analyzed: &Analyzed) -> AgentAnalysis<'_> {
    AgentAnalysis {
        agent: &analyzed.agent,
        extraction: &analyzed.extraction,
    }
}
