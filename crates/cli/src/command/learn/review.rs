//! `ralph learn review`: what is proposed, and the decisions on it.

use std::io::{self, BufRead, IsTerminal as _};
use std::time::Duration;

use review_engine::learn::{Decided, Evolution, decide, propose};
use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::{Decision, Lesson, LessonStatus};
use review_learning::protocol::Trigger;
use review_report::learn::{Frame, Proposal, ProposalList, boxed, details, prompt_update};
use review_types::ExitCode;

use super::change::report_of;
use super::place::Place;
use crate::args::{LearnReviewArgs, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::learning::notices;
use crate::output::Version;

/// So long a lesson is put off by a key.
const DEFERRED: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The answer of a user to a proposal.
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

/// Shows what is proposed, and asks for decisions at a terminal.
pub(super) fn run(context: &mut Context, args: &LearnReviewArgs) -> Ended {
    let place = Place::or_default(context)?;
    let lessons = due(context, &place, args.agent.as_deref())?;
    if args.format == PlainFormat::Json {
        let evolution = place.evolution()?;
        let proposals = lessons
            .iter()
            .map(|lesson| proposal(context, &evolution, lesson));
        let proposals = proposals.collect::<Result<_, _>>()?;
        context.streams.print_json(&ProposalList {
            v: Version,
            proposals,
        })?;
        return Ok(ExitCode::Passed);
    }
    if lessons.is_empty() {
        context.streams.print("no lesson waits for a decision\n")?;
        context
            .streams
            .note("`ralph learn` says where things stand");
        return Ok(ExitCode::Passed);
    }
    let frame = Frame::of_locale(locale(context).as_deref());
    if !io::stdin().is_terminal() || !context.streams.out.is_terminal() {
        return show(context, &place, &lessons, frame);
    }
    let by = context.decider(args.by.as_deref())?;
    let mut worst = ExitCode::Passed;
    for lesson in &lessons {
        match ask(context, &place, lesson, frame, &by) {
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
    place: &Place,
    agent: Option<&str>,
) -> Result<Vec<Lesson>, CommandError> {
    let evolution = place.evolution()?;
    let mut lessons = evolution.lessons(agent, &mut notices(&mut context.streams))?;
    lessons.retain(|lesson| {
        let waits = lesson.deferred_until.is_some_and(|until| until > place.now);
        lesson.status == LessonStatus::Proposed && !waits
    });
    Ok(lessons)
}

/// Shows everything, where no user can be asked.
fn show(context: &mut Context, place: &Place, lessons: &[Lesson], frame: Frame) -> Ended {
    let evolution = place.evolution()?;
    for lesson in lessons {
        match proposal(context, &evolution, lesson) {
            Ok(proposal) => {
                let text = boxed(&proposal, frame, false) + &all_of(context, place, &proposal)?;
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

/// Asks for a decision on one lesson; `false` at the end of the input.
fn ask(
    context: &mut Context,
    place: &Place,
    lesson: &Lesson,
    frame: Frame,
    by: &str,
) -> Result<bool, CommandError> {
    let proposal = proposal(context, &place.evolution()?, lesson)?;
    let keys = "press a, r, v or q, then Enter\n";
    context
        .streams
        .print_now(&(boxed(&proposal, frame, true) + keys))?;
    let decision = loop {
        let Some(line) = read_line()? else {
            return Ok(false);
        };
        match Answer::of(&line) {
            Some(Answer::Approve) => break Decision::Approve,
            Some(Answer::Reject) => break Decision::Reject,
            Some(Answer::Defer) => break Decision::Defer(place.now.after(DEFERRED)),
            Some(Answer::View) => {
                let text = all_of(context, place, &proposal)?;
                context.streams.print_now(&text)?;
            }
            None => context
                .streams
                .print_now("press a, r, v or q, then Enter\n")?,
        }
    };
    let trigger = Trigger::LessonApproved;
    let Decided { lesson, updated } =
        place.change(context, trigger, async |evolution, log, notices| {
            decide(evolution, log, lesson, decision, by, notices).await
        })?;
    let updated = updated
        .as_ref()
        .map(|updated| prompt_update(&report_of(updated)));
    let updated = updated.unwrap_or_default();
    let state = match lesson.deferred_until {
        Some(until) => format!("is put off until {until}; `ralph learn list` lists it"),
        None => lesson.status.to_string(),
    };
    let text = format!("{} {state}\n{updated}", lesson.id);
    context.streams.print_now(&text)?;
    Ok(true)
}

fn proposal(
    context: &mut Context,
    evolution: &Evolution<'_>,
    lesson: &Lesson,
) -> Result<Proposal, CommandError> {
    let proposal = propose(evolution, lesson, &mut notices(&mut context.streams));
    Ok(proposal?)
}

fn all_of(context: &Context, place: &Place, proposal: &Proposal) -> Result<String, CommandError> {
    let sources = sources(context, place, &proposal.lesson)?;
    Ok(details(proposal, &sources))
}

/// A line of standard input; `None` at its end.
fn read_line() -> Result<Option<String>, CommandError> {
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line).map_err(|error| {
        CommandError::new(ErrorKind::Input, "cannot read the answer").source(error)
    })?;
    Ok((read > 0).then_some(line))
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

/// The entries that a lesson comes from, if they are kept.
fn sources(
    context: &Context,
    place: &Place,
    lesson: &Lesson,
) -> Result<Vec<FeedbackEntry>, CommandError> {
    let redactor = context.environment.redactor();
    let store = place.collector(&redactor).store()?;
    let meant = store.entries().iter().filter(|entry| {
        let mut sources = lesson.source_feedback.iter();
        sources.any(|source| source == entry.id())
    });
    Ok(meant.filter_map(|entry| store.read(entry).ok()).collect())
}
