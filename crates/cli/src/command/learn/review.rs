//! `ralph learn review`: what is proposed, and the decisions on it.

use std::io::{self, IsTerminal as _};
use std::thread;
use std::time::Duration;

use clap::Args;
use review_engine::learn::propose;
use review_learning::AgentName;
use review_learning::lesson::{Decision, Lesson, LessonStatus};
use review_report::learn::{Proposal, ProposalList, boxed, details, short};
use review_report::{NextStep, next_steps};
use review_types::{ExitCode, plural};
use rustix::termios::{QueueSelector, tcflush};
use tokio::sync::oneshot;

use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::{CommandError, CommandResult, cannot};
use crate::learning::Place;
use crate::runtime::Runtime;

#[derive(Debug, Args)]
pub(crate) struct LearnReviewArgs {
    /// The agent [default: all].
    agent: Option<AgentName>,
    /// Who decides [default: the user of this computer].
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// How to print; only human asks for decisions, and only on a terminal.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// So long a lesson is put off by a letter.
const DEFERRED: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What is printed where an answer is awaited.
const PROMPT: &str = "a, r, v or q, and Enter; Ctrl-C ends without a decision\n";

/// Shows what is proposed, and asks for decisions at a terminal.
pub(super) fn run(context: &mut Context, args: &LearnReviewArgs) -> CommandResult {
    let place = Place::current(context, &[])?;
    let mut lessons = place.learner()?.lessons(args.agent.as_ref())?;
    lessons.retain(|lesson| lesson.status == LessonStatus::Proposed);
    let all = lessons.len();
    lessons.retain(|lesson| lesson.deferred_until.is_none_or(|until| until <= place.now));
    if args.format == PlainFormat::Json {
        let proposals = lessons.iter();
        let learner = place.learner()?;
        let proposals = proposals.map(|lesson| propose(&learner, lesson));
        let list = ProposalList {
            proposals: proposals.collect::<Result<_, _>>()?,
        };
        context.streams.print_report(&list)?;
        return Ok(ExitCode::Passed);
    }
    if lessons.is_empty() {
        let deferred = match all {
            0 => String::new(),
            count => format!(
                ", {} deferred: `ralph learn show` says until when",
                plural(count, "is", "are")
            ),
        };
        let text = format!("no lesson waits for a decision{deferred}\n");
        context.streams.print(&text)?;
        let note = "`ralph learn` shows what was noticed, and what to do next";
        context.streams.note(note);
        return Ok(ExitCode::Passed);
    }
    let asks = io::stdin().is_terminal() && context.streams.out.is_terminal();
    let mut worst = ExitCode::Passed;
    let user = match asks {
        true => {
            context.refuse_to_agents()?;
            let by = context.decider(args.by.as_deref())?;
            Some((by, Runtime::new(context)?))
        }
        false => None,
    };
    for lesson in &lessons {
        match shown(context, &place, lesson, user.as_ref()) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) if error.exit_code().is_interrupt() => return Err(error),
            Err(error) => {
                // No prompt can hold it.
                let sources = place.sources(lesson)?;
                let text = review_report::learn::lesson(lesson, &sources, place.now);
                context.streams.print(&text)?;
                context.streams.say(&error.render());
                worst = ExitCode::NotPassed;
            }
        }
    }
    if !asks {
        let note = "standard input or output is not a terminal, so no lesson was decided on";
        context.streams.note(note);
        return Ok(ExitCode::Passed);
    }
    Ok(worst)
}

/// Shows a lesson and asks the user, if there is one, for a decision, which is carried out;
/// false at the end of the input.
fn shown(
    context: &mut Context,
    place: &Place,
    lesson: &Lesson,
    user: Option<&(String, Runtime)>,
) -> Result<bool, CommandError> {
    let proposal = propose(&place.learner()?, lesson)?;
    let Some((by, runtime)) = user else {
        let sources = place.sources(lesson)?;
        let text = boxed(&proposal, false) + &details(&proposal, &sources);
        context.streams.print(&(text + &decisions(lesson)))?;
        return Ok(true);
    };
    let Some(decision) = ask(context, runtime, place, &proposal)? else {
        return Ok(false);
    };
    let (lesson, _, updated) = place.decide(context, lesson, decision, by)?;
    let state = match lesson.deferred_until {
        Some(until) => format!("is put off until {until}; `ralph learn show` lists it"),
        None => lesson.status.to_string(),
    };
    let text = format!("{} {state}\n{updated}", lesson.id);
    context.streams.print(&text)?;
    Ok(true)
}

/// The commands that decide on a lesson.
fn decisions(lesson: &Lesson) -> String {
    let id = short(lesson.id.as_str());
    let (reject, word) = ("--reject", "--text TEXT");
    let [first, second] = match lesson.rolled_back_at {
        Some(_) => [reject, word],
        None => ["--approve", reject],
    };
    let step = format!("decide: `ralph learn decide {id} {first}`, or with {second} or --until 7d");
    next_steps(&[NextStep::by_hand(step)], None)
}

/// Asks for a decision on one lesson; `None` at the end of the input.
fn ask(
    context: &mut Context,
    runtime: &Runtime,
    place: &Place,
    proposal: &Proposal,
) -> Result<Option<Decision>, CommandError> {
    // What was typed before answers no question that was not yet on the screen.
    tcflush(io::stdin(), QueueSelector::IFlush).map_err(cannot("read the terminal"))?;
    let question = boxed(proposal, true) + PROMPT;
    context.streams.print(&question)?;
    loop {
        let Some(line) = line(runtime)? else {
            return Ok(None);
        };
        match line.trim().to_ascii_lowercase().as_str() {
            "a" => return Ok(Some(Decision::Approve)),
            "r" => return Ok(Some(Decision::Reject)),
            "q" => return Ok(Some(Decision::Defer(place.now.after(DEFERRED)))),
            "v" => {
                let sources = place.sources(&proposal.lesson)?;
                let text = details(proposal, &sources) + PROMPT;
                context.streams.print(&text)?;
            }
            _ => context.streams.print(PROMPT)?,
        }
    }
}

/// The next line of a terminal; `None` at its end.
fn line(runtime: &Runtime) -> Result<Option<String>, CommandError> {
    let (sender, received) = oneshot::channel();
    let read = || io::stdin().lines().next().transpose();
    // A read cannot be ended: after a signal its thread waits until the process ends.
    let reader = move || drop(sender.send(read()));
    let cannot_read = || cannot("read the terminal");
    let thread = thread::Builder::new().name("terminal".to_owned());
    thread.spawn(reader).map_err(cannot_read())?;
    let read = runtime.wait(received);
    let read = read.ok_or_else(|| runtime.interruption())?;
    let line = read.map_err(io::Error::other).flatten();
    line.map_err(cannot_read())
}

#[cfg(test)]
mod tests {
    use review_learning::object::LearningObject as _;
    use review_types::Timestamp;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_lesson_that_was_rolled_back_is_not_offered_for_approval() {
        let lesson = json!({
            "id": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a201", "agent": "reviewer",
            "lesson_text": "Name units.", "source_feedback": [],
        });
        let mut lesson = Lesson::read(&lesson).into_result().unwrap();
        let decide = "decide: `ralph learn decide 0192f0c1";
        let end = "or --until 7d\n";
        let approve = format!("{decide} --approve`, or with --reject {end}");
        assert!(decisions(&lesson).ends_with(&approve));
        lesson.rolled_back_at = Some(Timestamp::UNIX_EPOCH);
        let reject = format!("{decide} --reject`, or with --text TEXT {end}");
        assert!(decisions(&lesson).ends_with(&reject));
    }
}
