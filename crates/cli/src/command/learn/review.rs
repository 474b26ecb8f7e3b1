//! `ralph learn review`: what is proposed, and the decisions on it.

use clap::Args;
use std::io::{self, IsTerminal as _};
use std::time::Duration;

use review_engine::learn::{Decided, Evolution, decide, learning_config, propose};
use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::{Decision, Lesson, LessonStatus};
use review_learning::protocol::Trigger;
use review_report::learn::{Frame, Proposal, ProposalList, boxed, details, prompt_update, short};
use review_types::{ExitCode, plural};

use super::keys::{Key, Keys};
use super::place::Place;
use super::rollback::report_of;
use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::learning::notices;
use crate::output::Version;
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct LearnReviewArgs {
    /// The agent [default: all].
    agent: Option<String>,
    /// Who decides [default: the user of this computer].
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// How to print; only human asks for decisions, and only on a terminal.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

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
    const fn of(key: u8) -> Option<Self> {
        match key.to_ascii_lowercase() {
            b'a' => Some(Self::Approve),
            b'r' => Some(Self::Reject),
            b'v' => Some(Self::View),
            b'q' => Some(Self::Defer),
            _ => None,
        }
    }
}

/// What is printed where a key is awaited.
const PROMPT: &str = "press a, r, v or q; Ctrl-C ends without a decision\n";

/// Shows what is proposed, and asks for decisions at a terminal.
pub(super) fn run(context: &mut Context, args: &LearnReviewArgs) -> CommandResult {
    let place = Place::or_default(context)?;
    let (lessons, deferred) = due(context, &place, args.agent.as_deref())?;
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
        let line = match deferred {
            0 => "no lesson waits for a decision\n".to_owned(),
            count => format!(
                "no lesson waits for a decision, {} deferred: `ralph learn show` says until when\n",
                plural(count, "is", "are")
            ),
        };
        context.streams.print(&line)?;
        let note = match learning_config(&place.root, &place.settings)? {
            Some(_) => "`ralph learn` shows what was noticed, and the next command",
            None => "learning is off here: an empty table [learning] in ralph.toml turns it on",
        };
        context.streams.note(note);
        return Ok(ExitCode::Passed);
    }
    let frame = Frame::of_locale(locale(context).as_deref());
    if !io::stdin().is_terminal() || !context.streams.out.is_terminal() {
        return show(context, &place, &lessons, frame);
    }
    context.refuse_to_agents()?;
    let by = context.decider(args.by.as_deref())?;
    let world = World::new(context)?;
    let mut worst = ExitCode::Passed;
    for lesson in &lessons {
        let proposal = match proposal(context, &place.evolution()?, lesson) {
            Ok(proposal) => proposal,
            Err(error) => {
                unplaced(context, &place, lesson, &error)?;
                worst = ExitCode::NotPassed;
                continue;
            }
        };
        let Some(decision) = ask(context, &world, &place, &proposal, frame)? else {
            break;
        };
        match carry_out(context, &place, lesson, decision, &by) {
            Ok(()) => {}
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
) -> Result<(Vec<Lesson>, usize), CommandError> {
    let evolution = place.evolution()?;
    let lessons = evolution.lessons(agent, &mut notices(&mut context.streams))?;
    let (deferred, due): (Vec<_>, _) = lessons
        .into_iter()
        .filter(|lesson| lesson.status == LessonStatus::Proposed)
        .partition(|lesson| lesson.deferred_until.is_some_and(|until| until > place.now));
    Ok((due, deferred.len()))
}

/// Shows everything, where no user can be asked.
fn show(context: &mut Context, place: &Place, lessons: &[Lesson], frame: Frame) -> CommandResult {
    let evolution = place.evolution()?;
    for lesson in lessons {
        match proposal(context, &evolution, lesson) {
            Ok(proposal) => {
                let text = boxed(&proposal, frame, false)
                    + &all_of(context, place, &proposal)?
                    + &decisions(lesson);
                context.streams.print(&text)?;
            }
            Err(error) => unplaced(context, place, lesson, &error)?,
        }
    }
    let note = "standard input or output is not a terminal, so no lesson was decided on";
    context.streams.note(note);
    Ok(ExitCode::Passed)
}

/// Shows a lesson that no prompt can hold, and why.
fn unplaced(
    context: &mut Context,
    place: &Place,
    lesson: &Lesson,
    error: &CommandError,
) -> Result<(), CommandError> {
    let sources = sources(context, place, lesson)?;
    context
        .streams
        .print(&review_report::learn::lesson(lesson, &sources, place.now))?;
    context.streams.say(&error.render());
    Ok(())
}

/// The commands that decide on a lesson.
fn decisions(lesson: &Lesson) -> String {
    let id = short(lesson.id.as_str());
    let (reject, word) = ("--reject", "--text TEXT");
    let [first, second] = match lesson.rolled_back_at {
        Some(_) => [reject, word],
        None => ["--approve", reject],
    };
    format!("next: `ralph learn decide {id} {first}`, or with {second} or --until 7d\n")
}

/// Asks for a decision on one lesson; `None` at the end of the input.
fn ask(
    context: &mut Context,
    world: &World,
    place: &Place,
    proposal: &Proposal,
    frame: Frame,
) -> Result<Option<Decision>, CommandError> {
    let keys = Keys::on(world)?;
    context
        .streams
        .print_now(&(boxed(proposal, frame, true) + PROMPT))?;
    loop {
        let answer = match keys.next()? {
            Key::End => return Ok(None),
            Key::Byte(b'\r' | b'\n' | b' ') => continue,
            Key::Byte(key) => Answer::of(key),
            Key::Other => None,
        };
        match answer {
            Some(Answer::Approve) => return Ok(Some(Decision::Approve)),
            Some(Answer::Reject) => return Ok(Some(Decision::Reject)),
            Some(Answer::Defer) => return Ok(Some(Decision::Defer(place.now.after(DEFERRED)))),
            Some(Answer::View) => {
                let text = all_of(context, place, proposal)? + PROMPT;
                context.streams.print_now(&text)?;
            }
            None => context.streams.print_now(PROMPT)?,
        }
    }
}

/// Carries out a decision, and prints what it changed.
fn carry_out(
    context: &mut Context,
    place: &Place,
    lesson: &Lesson,
    decision: Decision,
    by: &str,
) -> Result<(), CommandError> {
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
        Some(until) => format!("is put off until {until}; `ralph learn show` lists it"),
        None => lesson.status.to_string(),
    };
    let text = format!("{} {state}\n{updated}", lesson.id);
    context.streams.print_now(&text)
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
        sources.any(|source| source == entry.id.as_str())
    });
    Ok(meant.cloned().collect())
}
