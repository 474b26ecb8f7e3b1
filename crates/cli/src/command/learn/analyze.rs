//! `ralph learn analyze`.

use std::collections::BTreeSet;

use review_learning::lesson::{Extraction, Lesson};
use review_learning::protocol::Trigger;
use review_store::StateDir;
use review_types::{ExitCode, plural};
use serde::Serialize;

use super::super::run::recording;
use super::{Ended, Place, place_with};
use crate::args::{AnalyzeArgs, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::learning::{Analyst, Analyzed, LessonWriter, OpenGate, Words, lexicon};
use crate::output::style::{FAINT, RESET, STRONG};
use crate::output::{Version, printable};
use crate::session::World;

/// The result of `learn analyze --format json`.
#[derive(Serialize)]
struct Report<'a> {
    v: Version,
    agents: Vec<AgentReport<'a>>,
}

/// What the feedback of an agent led to.
#[derive(Serialize)]
struct AgentReport<'a> {
    agent: &'a str,
    #[serde(flatten)]
    extraction: &'a Extraction,
}

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
    let state = context.state(&place.settings, true)?;
    let collector = place.collector(&context.environment);
    let mut store = collector.store()?;
    let agents: BTreeSet<String> = store
        .entries()
        .iter()
        .map(|entry| entry.agent.clone())
        .filter(|agent| args.agent.as_ref().is_none_or(|meant| meant == agent))
        .collect();
    if agents.is_empty() {
        return Err(nothing(args.agent.as_deref()));
    }
    let lexicon = lexicon(&place.root, None)?;
    let analyst = Analyst {
        root: &place.root,
        config: &place.config,
        lexicon: &lexicon,
        trigger: if args.scheduled {
            Trigger::ScheduledAnalysis
        } else {
            Trigger::ManualRequest
        },
        run: None,
        now: collector.now,
    };
    let world = World::new(context)?;
    let mut words = words(context, &world, &place, &state, args)?;
    let analyzed: Result<Vec<Analyzed>, CommandError> = agents
        .iter()
        .map(|agent| analyst.analyze(agent, &mut store, &state, &mut words))
        .collect();
    let analyzed = analyzed?;
    analyzed.iter().for_each(|analyzed| warn(context, analyzed));
    let gate = OpenGate {
        root: &place.root,
        config: &place.config,
        state,
        run: None,
    };
    for Analyzed { agent, .. } in &analyzed {
        gate.pass(context, agent);
    }
    let min_samples = place.config.learning_pipeline.analysis.min_samples;
    match args.format {
        PlainFormat::Human => context.streams.print(&rendered(&analyzed, min_samples))?,
        PlainFormat::Json => context.streams.print_json(&Report {
            v: Version,
            agents: analyzed.iter().map(AgentReport::of).collect(),
        })?,
    }
    Ok(ExitCode::Passed)
}

/// In whose words the lessons are to be.
fn words<'w>(
    context: &mut Context,
    world: &'w World,
    place: &Place,
    state: &StateDir,
    args: &AnalyzeArgs,
) -> Result<Words<'w>, CommandError> {
    let is_named = args.overrides().reviewer.is_some();
    if !place.config.learning_pipeline.lesson_extraction.llm_driven {
        if is_named {
            context
                .streams
                .warn("the reviewer is not asked: lesson_extraction.llm_driven is false");
        }
        return Ok(Words::OfFeedback);
    }
    let writer = LessonWriter::begin(
        context,
        world,
        &place.root,
        &place.settings,
        &place.config,
        state,
        recording(context, &args.recording),
    )?;
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

fn nothing(agent: Option<&str>) -> CommandError {
    let of = agent.map_or_else(String::new, |agent| format!(" of {agent}"));
    let message = format!("there is no feedback{of}");
    CommandError::new(ErrorKind::Nothing, message)
        .hint("`ralph learn collect` takes it from the runs that there are")
}

impl<'a> AgentReport<'a> {
    fn of(analyzed: &'a Analyzed) -> Self {
        Self {
            agent: &analyzed.agent,
            extraction: &analyzed.extraction,
        }
    }
}

fn rendered(analyzed: &[Analyzed], min_samples: u32) -> String {
    let mut text = String::new();
    let mut proposed = 0;
    for Analyzed {
        agent, extraction, ..
    } in analyzed
    {
        let entries = plural(extraction.entries, "entry", "entries");
        text += &format!("{STRONG}{}{RESET}: {entries}, ", printable(agent));
        if extraction.entries < min_samples as usize {
            text += &format!("fewer than min_samples ({min_samples})\n");
            continue;
        }
        let clusters = plural(extraction.clusters, "cluster", "clusters");
        let patterns = plural(extraction.patterns, "pattern", "patterns");
        text += &format!("{clusters}, {patterns}\n");
        for (what, lessons) in [
            ("proposed", &extraction.proposed),
            ("raised", &extraction.raised),
        ] {
            for one in lessons {
                text += &lesson(what, one);
            }
        }
        for id in &extraction.ineffective {
            text +=
                &format!("  of no use  {id}; `ralph learn reject {id} --by NAME` takes it out\n");
        }
        proposed += extraction.proposed.len();
    }
    if proposed > 0 {
        text += "ralph learn review\n";
    }
    text
}

fn lesson(what: &str, lesson: &Lesson) -> String {
    let factors = lesson.factors.iter();
    let factors: Vec<String> = factors
        .map(|(name, of)| format!("{name} {of:.2}"))
        .collect();
    let confidence = lesson.confidence.unwrap_or_default();
    let impact = lesson.impact.map_or("-", |impact| impact.as_str());
    let mut text = format!(
        "  {what}  {}  {FAINT}{}; confidence {confidence:.2} ({}), impact {impact}{RESET}\n    {}\n",
        lesson.id,
        plural(
            lesson.occurrences.unwrap_or_default() as usize,
            "entry",
            "entries"
        ),
        factors.join(", "),
        printable(&lesson.lesson_text),
    );
    if let Some(constraint) = &lesson.constraint_update {
        text += &format!("    -> {}\n", printable(constraint));
    }
    text
}
