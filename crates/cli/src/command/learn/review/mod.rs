//! `ralph learn review`: what is proposed, and the decisions on it.

mod frame;
mod proposal;
mod render;

use std::io::{self, BufRead, IsTerminal as _};
use std::time::Duration;

use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::{Decision, Lesson, LessonStatus};
use review_store::FeedbackStore;
use review_types::ExitCode;
use serde::Serialize;

use super::Ended;
use super::change::updated_line;
use super::decide::decide;
use super::scene::Scene;
use crate::args::{LearnReviewArgs, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::learning::unreadable;
use crate::output::Version;
use crate::target::open_root;
use frame::Frame;
use proposal::Proposal;

/// So long a lesson is put off by a key.
const DEFERRED: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The result of `learn review --format json`.
#[derive(Serialize)]
struct Report {
    v: Version,
    proposals: Vec<Proposal>,
}

/// What a person answers to a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Approve,
    Reject,
    View,
    Defer,
}

impl Answer {
    fn of(line: &str) -> Option<Self> {
        match line.trim().to_ascii_lowercase().as_str() {
            "a" => Some(Self::Approve),
            "r" => Some(Self::Reject),
            "v" => Some(Self::View),
            "q" => Some(Self::Defer),
            _ => None,
        }
    }
}

/// Shows what is proposed, and asks for decisions where somebody is there.
pub(super) fn run(context: &mut Context, args: &LearnReviewArgs) -> Ended {
    let scene = Scene::open(context)?;
    let lessons = due(context, &scene, args.agent.as_deref())?;
    if args.format == PlainFormat::Json {
        let proposals = lessons
            .iter()
            .map(|lesson| Proposal::of(context, &scene, lesson));
        let proposals = proposals.collect::<Result<_, _>>()?;
        context.streams.print_json(&Report {
            v: Version,
            proposals,
        })?;
        return Ok(ExitCode::Passed);
    }
    if lessons.is_empty() {
        context.streams.print("no lesson waits for a decision\n")?;
        return Ok(ExitCode::Passed);
    }
    let frame = Frame::of_locale(locale(context).as_deref());
    if !io::stdin().is_terminal() || !context.streams.out.is_terminal() {
        return show(context, &scene, &lessons, frame);
    }
    let by = decider(context, args)?;
    let mut worst = ExitCode::Passed;
    for lesson in &lessons {
        match ask(context, &scene, lesson, frame, &by) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                context.streams.say(&error.render());
                worst = ExitCode::NotPassed;
            }
        }
    }
    Ok(worst)
}

/// The lessons that wait for a decision now.
fn due(
    context: &mut Context,
    scene: &Scene,
    agent: Option<&str>,
) -> Result<Vec<Lesson>, CommandError> {
    let mut lessons = scene.evolution()?.lessons(context, agent)?;
    lessons.retain(|lesson| {
        let waits = lesson.deferred_until.is_some_and(|until| until > scene.now);
        lesson.status == LessonStatus::Proposed && !waits
    });
    Ok(lessons)
}

/// Shows everything, for somebody who cannot be asked.
fn show(context: &mut Context, scene: &Scene, lessons: &[Lesson], frame: Frame) -> Ended {
    for lesson in lessons {
        match Proposal::of(context, scene, lesson) {
            Ok(proposal) => {
                let text = render::boxed(&proposal, frame, false) + &all_of(scene, &proposal)?;
                context.streams.print(&text)?;
            }
            Err(error) => context.streams.say(&error.render()),
        }
    }
    context
        .streams
        .note("these lessons stay proposed; `ralph learn approve ID --by NAME` approves one");
    Ok(ExitCode::Passed)
}

/// Asks for a decision on one lesson; `false` when nobody answers any more.
fn ask(
    context: &mut Context,
    scene: &Scene,
    lesson: &Lesson,
    frame: Frame,
    by: &str,
) -> Result<bool, CommandError> {
    let proposal = Proposal::of(context, scene, lesson)?;
    context
        .streams
        .print_now(&render::boxed(&proposal, frame, true))?;
    let decision = loop {
        let Some(line) = read_line()? else {
            return Ok(false);
        };
        match Answer::of(&line) {
            Some(Answer::Approve) => break Decision::Approve,
            Some(Answer::Reject) => break Decision::Reject,
            Some(Answer::Defer) => break Decision::Defer(scene.now.after(DEFERRED)),
            Some(Answer::View) => context.streams.print_now(&all_of(scene, &proposal)?)?,
            None => context.streams.print_now("a, r, v or q?\n")?,
        }
    };
    let (lesson, updated) = decide(context, scene, lesson, decision, by)?;
    let updated = updated.as_ref().map(updated_line).unwrap_or_default();
    let told = format!("{} {}\n{updated}", lesson.id, lesson.status);
    context.streams.print_now(&told)?;
    Ok(true)
}

fn all_of(scene: &Scene, proposal: &Proposal) -> Result<String, CommandError> {
    let sources = sources(scene, &proposal.lesson)?;
    Ok(render::whole(
        proposal,
        &sources,
        &factors(&proposal.lesson),
    ))
}

/// A line of standard input; `None` at its end.
fn read_line() -> Result<Option<String>, CommandError> {
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line).map_err(|error| {
        CommandError::new(ErrorKind::Input, "cannot read the answer").source(error)
    })?;
    Ok((read > 0).then_some(line))
}

/// Who decides: who is named, else the user of this computer.
fn decider(context: &Context, args: &LearnReviewArgs) -> Result<String, CommandError> {
    let user = || {
        let user = context.environment.variable("USER")?;
        user.to_str().map(str::to_owned)
    };
    args.by.clone().or_else(user).ok_or_else(|| {
        CommandError::new(ErrorKind::Usage, "nobody decides").hint("say who you are with --by NAME")
    })
}

fn locale(context: &Context) -> Option<String> {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let set = names
        .into_iter()
        .find(|name| context.environment.is_set(name))?;
    context
        .environment
        .variable(set)?
        .to_str()
        .map(str::to_owned)
}

/// The entries that a lesson comes from, as far as they are kept.
fn sources(scene: &Scene, lesson: &Lesson) -> Result<Vec<FeedbackEntry>, CommandError> {
    let storage = &scene.config.feedback_collection.storage_path;
    let store = FeedbackStore::open(&open_root(&scene.root)?, storage);
    let store = store.map_err(unreadable)?;
    let meant = store.entries().iter().filter(|entry| {
        let mut sources = lesson.source_feedback.iter();
        sources.any(|source| source == entry.id())
    });
    Ok(meant.filter_map(|entry| store.read(entry).ok()).collect())
}

/// What the confidence of a lesson is made of.
fn factors(lesson: &Lesson) -> Vec<String> {
    let factors = lesson.factors.iter();
    factors
        .map(|(name, value)| format!("{name} {value:.2}"))
        .collect()
}
