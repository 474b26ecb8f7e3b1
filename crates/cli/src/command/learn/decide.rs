//! `ralph learn decide`.

use std::collections::BTreeSet;

use clap::{ArgGroup, Args};
use review_engine::EngineError;
use review_engine::learn::{ClientLessons, Words, find_by_id, role};
use review_learning::AgentName;
use review_learning::lesson::{Decision, Draft, Lesson, Unwordable};
use review_learning::protocol::Trigger;
use review_report::learn::{LessonDecision, lesson_decision};
use review_types::{ExitCode, Timestamp, parse_age};

use super::run::analyzed;
use crate::args::PlainFormat;
use crate::clock::now;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::learning::{Place, not_found};
use crate::output::printable;
use crate::runtime::Runtime;

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("decision").required(true).args(["approve", "reject", "text", "until"]))]
pub(crate) struct DecideArgs {
    /// The lesson or the group that needs words: its id, or the beginning of it.
    id: String,
    /// Put it into the prompt of its agent, as a new version.
    #[arg(long)]
    approve: bool,
    /// Reject it for good, and remove it from a prompt that has it.
    #[arg(long)]
    reject: bool,
    /// Word it; it stays proposed.
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Put it off until then: a date, an RFC 3339 timestamp, or a time from now such
    /// as 7d.
    #[arg(long, value_name = "WHEN", value_parser = until)]
    until: Option<Timestamp>,
    /// Who decides [default: the user of this computer].
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

fn until(text: &str) -> Result<Timestamp, &'static str> {
    let midnight = || format!("{text}T00:00:00Z").parse().ok();
    let from_now = || parse_age(text).map(|age| now().after(age));
    let at = text.parse().ok().or_else(midnight).or_else(from_now);
    at.ok_or(
        "must be a date such as 2026-03-01, an RFC 3339 timestamp, or a time such as 7d or 12h",
    )
}

/// Carries out the decision that the options name.
pub(super) fn run(context: &mut Context, args: &DecideArgs) -> CommandResult {
    context.refuse_to_agents()?;
    let place = Place::current(context, &[])?;
    let by = context.decider(args.by.as_deref())?;
    let lessons = place.learner()?.lessons(None)?;
    let lesson = find_by_id(&args.id, lessons, |lesson| lesson.id.as_str())?;
    let (lesson, version, text) = match &args.text {
        Some(text) => {
            let worded = match lesson {
                None => word_group(context, &place, &args.id, text, &by)?,
                Some(lesson) => {
                    let worded = lesson.worded(text, &by).map_err(EngineError::from)?;
                    place.learner()?.put(&worded)?;
                    worded
                }
            };
            let text = format!("  -> {}\n", printable(worded.constraint()));
            (worded, None, text)
        }
        None => {
            let lesson = lesson.ok_or_else(|| not_found(&args.id))?;
            let decision = match (args.until, args.approve) {
                (Some(until), _) => Decision::Defer(until),
                (None, true) => Decision::Approve,
                (None, false) => Decision::Reject,
            };
            place.decide(context, &lesson, decision, &by)?
        }
    };
    let decided = LessonDecision {
        lesson: &lesson,
        version,
    };
    context.show(args.format, &decided, |decided| {
        lesson_decision(decided) + &text
    })?;
    if args.format == PlainFormat::Human
        && lesson.status.is_approved()
        && let Some(note) = left_to_do(&place, &lesson.agent)?
    {
        context.streams.note(&note);
    }
    Ok(ExitCode::Passed)
}

/// What is left to do before an agent follows a lesson that was approved.
fn left_to_do(place: &Place, agent: &AgentName) -> Result<Option<String>, CommandError> {
    let learner = place.learner()?;
    Ok(match learner.unread(agent)? {
        Some(ClientLessons {
            file,
            read_by,
            line,
            ..
        }) => Some(format!(
            "{agent} reads {file} once {read_by} has the line: {line}"
        )),
        None if role(agent).is_some() || learner.client(agent).is_some() => None,
        None => Some(format!("`ralph prompts {agent}` prints its new prompt")),
    })
}

/// Makes the lesson of a group in the words of a user.
fn word_group(
    context: &mut Context,
    place: &Place,
    id: &str,
    text: &str,
    by: &str,
) -> Result<Lesson, CommandError> {
    let group = place.group(id)?;
    let draft = Draft::by_user(text, by).map_err(Unwordable::from);
    let mut words = Words::OfUser {
        group: group.id.clone(),
        draft: draft.map_err(EngineError::from)?,
    };
    let runtime = Runtime::new(context)?;
    let agents = BTreeSet::from([group.agent]);
    let asked = (Trigger::ManualRequest, &mut words);
    let analyzed = analyzed(context, &runtime, place, &agents, asked)?;
    let mut lessons = analyzed.into_iter().flat_map(|one| {
        let extraction = one.extraction;
        extraction.proposed.into_iter().chain(extraction.raised)
    });
    let lesson = lessons.find(|lesson| lesson.id == group.id);
    lesson.ok_or_else(|| not_found(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_date_a_timestamp_or_a_duration_from_now() {
        for (text, ms) in [
            ("1970-01-02", 86_400_000),
            ("1970-01-02T00:00:01Z", 86_401_000),
        ] {
            assert_eq!(until(text).unwrap().unix_ms(), ms, "{text}");
        }
        for (text, ms) in [
            ("9d", 9 * 86_400_000),
            ("1w", 7 * 86_400_000),
            ("12h", 43_200_000),
            ("90s", 90_000),
        ] {
            let (before, at, after) = (now(), until(text).unwrap(), now());
            let times = before.unix_ms() + ms..=after.unix_ms() + ms;
            assert!(times.contains(&at.unix_ms()), "{text}");
        }
        for text in ["", "d", "-1d", "yesterday", "1970-02-30", "7"] {
            assert!(until(text).is_err(), "{text}");
        }
    }
}
