//! `ralph learn decide`.

use clap::{ArgGroup, Args};
use review_types::parse_age;
use std::collections::BTreeSet;
use std::str::FromStr;
use std::time::Duration;

use review_engine::learn::{ClientLessons, Decided, LearnError, Words, decide, find_lesson, role};
use review_learning::lesson::{Decision, Draft, Lesson, LessonStatus, Unwordable};
use review_learning::protocol::Trigger;
use review_report::learn::{LessonDecision, lesson_decision, prompt_update, short};
use review_types::{ExitCode, Timestamp};

use super::place::Place;
use super::rollback::report_of;
use super::run::analyzed;
use super::status::waiting;
use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::learning::notices;
use crate::output::{Version, printable};
use crate::world::World;

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("decision").required(true).args(["approve", "reject", "text", "until"]))]
pub(crate) struct DecideArgs {
    /// The lesson or the group that needs words: its id, or the beginning of it.
    id: String,
    /// Put it into the prompt of its agent, as a new version.
    #[arg(long)]
    approve: bool,
    /// Reject it for good; what stands in a prompt already is taken out of it.
    #[arg(long)]
    reject: bool,
    /// Word it; it stays proposed.
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Put it off until then: a date, an RFC 3339 instant, or a time from now such
    /// as 7d.
    #[arg(long, value_name = "WHEN")]
    until: Option<Until>,
    /// Who decides [default: the user of this computer].
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// A time until which something is put off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    At(Timestamp),
    /// So long from now.
    In(Duration),
}

impl FromStr for Until {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let midnight = || format!("{text}T00:00:00Z").parse().ok();
        if let Some(at) = text.parse().ok().or_else(midnight) {
            return Ok(Self::At(at));
        }
        parse_age(text).map(Self::In).ok_or_else(|| {
            "must be a date such as 2026-03-01, an RFC 3339 instant, or a time such as 7d or 12h"
                .to_owned()
        })
    }
}

impl Until {
    /// The time, seen from `now`.
    fn from(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(at) => at,
            Self::In(time) => now.after(time),
        }
    }
}

/// Carries out the decision that the options name.
pub(super) fn run(context: &mut Context, args: &DecideArgs) -> CommandResult {
    context.refuse_to_agents()?;
    match (&args.text, args.until) {
        (Some(text), _) => word(context, args, text),
        (None, Some(until)) => settle(context, args, |place| {
            Decision::Defer(until.from(place.now))
        }),
        (None, None) => settle(context, args, |_| match args.approve {
            true => Decision::Approve,
            false => Decision::Reject,
        }),
    }
}

/// Says what is left to do before an agent follows an approved lesson.
fn say_who_reads(
    context: &mut Context,
    place: &Place,
    lesson: &Lesson,
) -> Result<(), CommandError> {
    let agent = &*lesson.agent;
    let note = if lesson.status == LessonStatus::Approved {
        let why = "prompt_evolution.versioning.enabled = false";
        format!("no prompt holds the lesson: versions are switched off by {why}")
    } else if let Some(client) = place.evolution()?.unread(agent)? {
        let ClientLessons {
            file,
            read_by,
            line,
            ..
        } = client;
        format!("{agent} reads {file} once {read_by} has the line: {line}")
    } else if let Some(ClientLessons { file, read_by, .. }) = place.evolution()?.client(agent) {
        format!("{agent} reads {file} with {read_by}, from its next session on")
    } else if role(agent).is_none() {
        format!("give {agent} its new prompt: `ralph prompts {agent}` prints it")
    } else {
        return Ok(());
    };
    context.streams.note(&note);
    Ok(())
}

/// Puts a lesson, or a group that waits for words, into the words of a user.
fn word(context: &mut Context, args: &DecideArgs, text: &str) -> CommandResult {
    let place = Place::or_default(context)?;
    let evolution = place.evolution()?;
    let lessons = evolution.lessons(None, &mut notices(&mut context.streams))?;
    let by = context.decider(args.by.as_deref())?;
    let worded = match find_lesson(lessons, &args.id) {
        Err(LearnError::NotFound(id)) => word_group(context, &place, &id, text, &by)?,
        lesson => {
            let worded = lesson?.worded(text, &by);
            let worded = worded.map_err(LearnError::from)?;
            evolution.put(&worded)?;
            worded
        }
    };
    let decided = LessonDecision {
        v: Version,
        lesson: &worded,
        version: None,
    };
    match args.format {
        PlainFormat::Json => context.streams.print_json(&decided)?,
        PlainFormat::Human => {
            let text =
                lesson_decision(&decided) + &format!("  -> {}\n", printable(worded.constraint()));
            context.streams.print(&text)?;
            let id = short(worded.id.as_str());
            let note = format!("`ralph learn decide {id} --approve` puts it into the prompt");
            context.streams.note(&note);
        }
    }
    Ok(ExitCode::Passed)
}

/// Makes the lesson of a group in the words of a user.
fn word_group(
    context: &mut Context,
    place: &Place,
    id: &str,
    text: &str,
    by: &str,
) -> Result<Lesson, CommandError> {
    let wanted = id.to_ascii_lowercase();
    let mut groups = waiting(context, place)?.into_iter();
    let group = groups.find(|group| group.id.as_str().starts_with(&wanted));
    let group = group.ok_or_else(|| LearnError::NotFound(id.to_owned()))?;
    let draft = Draft::by_user(text, by).map_err(Unwordable::from);
    let mut words = Words::OfUser {
        group: group.id.clone(),
        draft: draft.map_err(LearnError::from)?,
    };
    let world = World::new(context)?;
    let agents = BTreeSet::from([group.agent]);
    let asked = (Trigger::ManualRequest, &mut words);
    let analyzed = analyzed(context, &world, place, &agents, asked)?;
    let mut lessons = analyzed.into_iter().flat_map(|one| {
        let extraction = one.extraction;
        extraction.proposed.into_iter().chain(extraction.raised)
    });
    let lesson = lessons.find(|lesson| lesson.id == group.id);
    Ok(lesson.ok_or_else(|| LearnError::NotFound(id.to_owned()))?)
}

fn settle(
    context: &mut Context,
    args: &DecideArgs,
    decision: impl Fn(&Place) -> Decision,
) -> CommandResult {
    let place = Place::or_default(context)?;
    let lessons = place.evolution()?;
    let lessons = lessons.lessons(None, &mut notices(&mut context.streams))?;
    let lesson = find_lesson(lessons, &args.id)?;
    let (decision, by) = (decision(&place), context.decider(args.by.as_deref())?);
    let trigger = Trigger::LessonApproved;
    let Decided { lesson, updated } =
        place.change(context, trigger, async |evolution, log, notices| {
            decide(evolution, log, &lesson, decision, &by, notices).await
        })?;
    let version = updated
        .as_ref()
        .and_then(|updated| updated.version.as_ref());
    let decided = LessonDecision {
        v: Version,
        lesson: &lesson,
        version: version.map(|version| version.version.get()),
    };
    match args.format {
        PlainFormat::Json => context.streams.print_json(&decided)?,
        PlainFormat::Human => {
            let updated = updated
                .as_ref()
                .map(|updated| prompt_update(&report_of(updated)));
            let text = lesson_decision(&decided) + &updated.unwrap_or_default();
            context.streams.print(&text)?;
            if decided.lesson.status.is_approved() {
                say_who_reads(context, &place, &lesson)?;
            }
        }
    }
    Ok(ExitCode::Passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_date_a_timestamp_or_a_duration_from_now() {
        let now = Timestamp::from_unix_ms(86_400_000);
        for (text, ms) in [
            ("1970-01-02", 86_400_000),
            ("1970-01-02T00:00:01Z", 86_401_000),
            ("9d", 10 * 86_400_000),
            ("1w", 8 * 86_400_000),
            ("12h", 86_400_000 + 43_200_000),
            ("90s", 86_400_000 + 90_000),
        ] {
            let until: Until = text.parse().unwrap();
            assert_eq!(until.from(now).unix_ms(), ms, "{text}");
        }
        for text in ["", "d", "-1d", "yesterday", "1970-02-30", "7"] {
            assert!(text.parse::<Until>().is_err(), "{text}");
        }
    }
}
