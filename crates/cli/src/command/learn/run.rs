//! `ralph learn run`.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use clap::Args;
use review_agents::Chain;
use review_config::Setting;
use review_engine::learn::{
    Analyzed, CONFIG_FILE, CORRECTIONS_FILE, LessonWriter, Request, RootCorrections, Updated,
    Words, drafts_of_run,
};
use review_learning::AgentName;
use review_learning::collection::Draft;
use review_learning::lesson::LessonStatus;
use review_learning::protocol::{StepContext, Trigger};
use review_report::learn::{
    AgentAnalysis, AnalysisReport, CollectionReport, MessagesReport, SortedMessage, analysis,
    collection, prompt_update, sorted_messages,
};
use review_store::StateDir;
use review_types::{RunId, Usd, plural};

use crate::args::{PlainFormat, amount, count};
use crate::command::corrections::{append, own_file};
use crate::context::Context;
use crate::error::{CommandError, CommandResult, cannot};
use crate::learning::{Place, report_of};
use crate::runs::replay;
use crate::runtime::Runtime;

#[derive(Debug, Args)]
pub(crate) struct LearnRunArgs {
    /// The agent that is to learn [default: each of which there is feedback].
    #[arg(value_name = "AGENT")]
    agent: Option<AgentName>,
    /// Say in the events that the analysis was scheduled, as by cron.
    #[arg(long)]
    scheduled: bool,
    /// Who puts lessons into words: a backend as `run` takes it; several with
    /// commas between them are asked in turn [default: the
    /// reviewer of ralph.toml].
    #[arg(long, value_name = "BACKEND[,BACKEND]")]
    reviewer: Option<Chain>,
    /// Calls of it [default: that of lesson_extraction.max_calls].
    #[arg(long, value_name = "N", value_parser = count)]
    max_calls: Option<NonZeroU32>,
    /// Tokens that these calls read and write together [default: that of
    /// lesson_extraction.max_tokens].
    #[arg(long, value_name = "N", value_parser = count)]
    max_tokens: Option<NonZeroU32>,
    /// US dollars that these calls cost together, by the prices in [models.NAME]
    /// of ralph.toml [default: that of lesson_extraction.max_cost].
    #[arg(long, value_name = "USD", value_parser = amount)]
    max_cost: Option<Usd>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Collects feedback, analyses that of the agents that are meant, and puts what is
/// approved into prompts.
pub(super) fn run(context: &mut Context, args: &LearnRunArgs) -> CommandResult {
    let reviewer = Setting::of_option("--reviewer", "reviewer", args.reviewer.as_ref());
    let mut place = Place::current(context, reviewer.as_slice())?;
    if !place.is_on {
        let message = format!(
            "nothing is learned here: there is no {CONFIG_FILE}, and no table [learning] in \
             ralph.toml"
        );
        let hint = "an empty table [learning] in ralph.toml switches it on";
        return Err(CommandError::new(message).hint(hint));
    }
    let extraction = &mut place.config.learning_pipeline.lesson_extraction;
    let max_calls = args.max_calls.map(NonZeroU32::get);
    extraction.max_calls = max_calls.unwrap_or(extraction.max_calls);
    let max_tokens = args.max_tokens.map(NonZeroU32::get);
    extraction.max_tokens = max_tokens.or(extraction.max_tokens);
    extraction.max_cost = args.max_cost.or(extraction.max_cost);
    let state = context.state(&place.settings, &place.root)?;
    let runtime = Runtime::new(context)?;
    let mut words = words(context, &place, &state, args)?;
    let messages = sort_messages(context, &runtime, &place, &state, &mut words)?;
    let collected = collect_all(context, &place, &state)?;
    let store = place.learner()?.feedback()?;
    let is_meant = |agent: &&AgentName| args.agent.as_ref().is_none_or(|meant| meant == *agent);
    let agents = store.entries().iter().map(|entry| &entry.agent);
    let agents: BTreeSet<AgentName> = agents.filter(is_meant).cloned().collect();
    let trigger = match args.scheduled {
        true => Trigger::ScheduledAnalysis,
        false => Trigger::ManualRequest,
    };
    let analyzed = analyzed(context, &runtime, &place, &agents, (trigger, &mut words))?;
    let updated = update_prompts(context, &place, args.agent.as_ref())?;
    if analyzed.is_empty() && updated.is_empty() && messages.is_none() {
        let of = args.agent.as_ref().map(|agent| format!(" of {agent}"));
        let message = format!("no feedback{}", of.unwrap_or_default());
        let hint = "it is collected from runs and corrections: `ralph learn` says what there is";
        return Err(CommandError::nothing(message).hint(hint));
    }
    let settings = &place.config.learning_pipeline.analysis;
    let asks = place.config.prompt_evolution.approval_gate.required;
    let of_agents = analyzed.iter().map(|analyzed| AgentAnalysis {
        agent: &analyzed.agent,
        extraction: &analyzed.extraction,
    });
    let report = AnalysisReport {
        messages,
        collected,
        agents: of_agents.collect(),
        updated: updated.iter().map(report_of).collect(),
    };
    context.show(args.format, &report, |report| {
        let messages = report.messages.as_ref().map(sorted_messages);
        let updates: String = report.updated.iter().map(prompt_update).collect();
        let text = messages.unwrap_or_default() + &collection(&report.collected) + &updates;
        text + &analysis(report, settings, asks)
    })
}

/// Asks a model which of the messages that no phrase matches are corrections, and writes
/// those to the corrections; nothing without such messages or without a model.
fn sort_messages(
    context: &mut Context,
    runtime: &Runtime,
    place: &Place,
    state: &StateDir,
    words: &mut Words<'_>,
) -> Result<Option<MessagesReport>, CommandError> {
    let candidates = state.candidates();
    let writer = match words {
        Words::OfReviewer(writer) if !candidates.is_empty() => writer,
        _ => return Ok(None),
    };
    let sorted = match runtime.finish(writer.corrections_among(&candidates))? {
        Ok(sorted) => sorted,
        Err(why) => {
            let messages = plural(candidates.len(), "message is", "messages are");
            let warning = format!("{messages} kept for later, since {why}");
            context.streams.warn(&warning);
            return Ok(None);
        }
    };
    let file = own_file(&place.root, CORRECTIONS_FILE)?;
    let mut corrections = Vec::new();
    for (candidate, captured) in sorted {
        let line = captured.line(&candidate.agent, &candidate.session, candidate.at);
        append(&file, &line.to_string())?;
        corrections.push(SortedMessage {
            correction_type: captured.correction_type,
            message: captured.remark.summary,
        });
    }
    let capture = state.capture()?;
    capture.candidates(|all| all.retain(|one| !candidates.contains(one)))?;
    Ok(Some(MessagesReport {
        asked: candidates.len(),
        corrections,
    }))
}

/// Analyzes the feedback of agents without a model, as `ralph learn run` does.
///
/// # Errors
/// When a file cannot be read or written, or a signal comes.
pub(in crate::command) fn analyze(
    context: &mut Context,
    place: &Place,
    agents: &BTreeSet<AgentName>,
) -> Result<Vec<Analyzed>, CommandError> {
    let runtime = Runtime::new(context)?;
    let asked = (Trigger::ManualRequest, &mut Words::OfFeedback);
    let analyzed = analyzed(context, &runtime, place, agents, asked)?;
    for updated in update_prompts(context, place, None)? {
        context.streams.tell(&prompt_update(&report_of(&updated)));
    }
    Ok(analyzed)
}

/// Analyzes the feedback of agents in these words, and warns of what is otherwise than was
/// asked for.
pub(super) fn analyzed(
    context: &mut Context,
    runtime: &Runtime,
    place: &Place,
    agents: &BTreeSet<AgentName>,
    (trigger, words): (Trigger, &mut Words<'_>),
) -> Result<Vec<Analyzed>, CommandError> {
    let state = context.state(&place.settings, &place.root)?;
    let learner = place.learner()?;
    let store = learner.feedback()?;
    let mut all = Vec::new();
    for agent in agents {
        let course = StepContext {
            run: None,
            at: place.now,
            trigger,
            agent,
        };
        let analyzed = runtime.finish(learner.analyze(course, &store, &state, words))?;
        for why in &analyzed.bad {
            context.streams.warn(&format!("left out: {why}"));
        }
        let writing = analyzed.extraction.writing.iter();
        for fallback in writing.flat_map(|writing| &writing.fallbacks) {
            let (cluster, why) = (&fallback.cluster, &fallback.reason);
            let warning = format!("{agent}, cluster {cluster} waits for words, since {why}");
            context.streams.warn(&warning);
        }
        all.push(analyzed);
    }
    Ok(all)
}

/// Puts lessons into the prompts of agents, or of one, that do not hold them yet: approved
/// ones, and all where no approval is required.
fn update_prompts(
    context: &mut Context,
    place: &Place,
    agent: Option<&AgentName>,
) -> Result<Vec<Updated>, CommandError> {
    let evolution = &place.config.prompt_evolution;
    if !evolution.versioning.enabled {
        return Ok(Vec::new());
    }
    let is_required = evolution.approval_gate.required;
    let trigger = Trigger::LessonApproved;
    place.change(context, trigger, async |evolution| {
        let lessons = evolution.learner.lessons(agent)?.into_iter();
        let lessons = lessons.filter(|lesson| match lesson.status {
            LessonStatus::Approved => true,
            LessonStatus::Proposed => !is_required,
            LessonStatus::Applied | LessonStatus::Rejected => false,
        });
        let agents: BTreeSet<AgentName> = lessons.map(|lesson| lesson.agent).collect();
        let mut all = Vec::new();
        for agent in agents {
            match is_required {
                true => all.push(evolution.update(&agent).await?),
                false => all.extend(evolution.update_unasked(&agent).await),
            }
        }
        all.retain(|updated| updated.version.is_some());
        Ok(all)
    })
}

/// The words that the lessons are to be written in.
fn words(
    context: &mut Context,
    place: &Place,
    state: &StateDir,
    args: &LearnRunArgs,
) -> Result<Words<'static>, CommandError> {
    if !place.config.learning_pipeline.lesson_extraction.llm_driven {
        if args.reviewer.is_some() {
            context
                .streams
                .warn("the reviewer is not asked: lesson_extraction.llm_driven is false");
        }
        return Ok(Words::OfFeedback);
    }
    let writer = context.in_project(&place.root, state.clone(), async |project| {
        LessonWriter::begin(project, &place.settings, &place.config).await
    })?;
    let Some(writer) = writer? else {
        context
            .streams
            .note("no model is asked: patterns without a common name wait for words");
        return Ok(Words::OfFeedback);
    };
    Ok(Words::OfReviewer(Box::new(writer)))
}

/// Collects the feedback of all runs and of the corrections.
fn collect_all(
    context: &mut Context,
    place: &Place,
    state: &StateDir,
) -> Result<CollectionReport, CommandError> {
    let mut all = CollectionReport::default();
    for dir in state.runs()? {
        match replay(&dir) {
            // One that touched no file of the user teaches nothing.
            Ok(replayed) if replayed.settings.apply => {
                let drafts = drafts_of_run(&replayed.events, &replayed.settings);
                collect(context, place, state, drafts, Some(dir.id()), &mut all)?;
            }
            Ok(_) => {}
            // One that cannot be read hides no other.
            Err(error) => {
                let warning = format!("run {} is left out: {}", dir.id(), error.message());
                context.streams.warn(&warning);
            }
        }
    }
    let drafts = corrections(context, place)?;
    collect(context, place, state, drafts, None, &mut all)?;
    Ok(all)
}

fn collect(
    context: &Context,
    place: &Place,
    state: &StateDir,
    drafts: Vec<Draft>,
    run: Option<&RunId>,
    all: &mut CollectionReport,
) -> Result<(), CommandError> {
    let (redactor, learner) = (context.environment.redactor(), place.learner()?);
    let collected = learner.collect(drafts, Request::User, run, state, &redactor)?;
    all.found += collected.found;
    all.added += collected.added.len();
    all.pruned += collected.pruned;
    all.left_out += collected.left_out;
    all.entries.extend(collected.added);
    Ok(())
}

/// Collects the corrections of the root alone.
///
/// # Errors
/// When they cannot be read, or the feedback cannot be written.
pub(in crate::command) fn collect_corrections(
    context: &mut Context,
    place: &Place,
) -> Result<(), CommandError> {
    let state = context.state(&place.settings, &place.root)?;
    let drafts = corrections(context, place)?;
    collect(
        context,
        place,
        &state,
        drafts,
        None,
        &mut CollectionReport::default(),
    )
}

/// The corrections of the root, as feedback.
fn corrections(context: &mut Context, place: &Place) -> Result<Vec<Draft>, CommandError> {
    let corrections = RootCorrections::of(&place.root);
    let corrections = corrections.map_err(cannot(format!("read {CORRECTIONS_FILE}")))?;
    if corrections.bad > 0 {
        let lines = plural(corrections.bad, "line", "lines");
        let why = "`ralph corrections validate` says why";
        let warning = format!("{lines} of {CORRECTIONS_FILE} left out; {why}");
        context.streams.warn(&warning);
    }
    Ok(corrections.drafts)
}
