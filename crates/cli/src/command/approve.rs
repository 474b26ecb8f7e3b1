//! `ralph approve` and `ralph guide`.

use review::people::Comment;
use review_config::Overrides;
use review_engine::Raised;
use review_learning::collection::CommentKind;
use review_store::{FileError, RunDir};
use review_types::{ExitCode, Outcome};

use super::Ended;
use super::report::Replayed;
use crate::args::{ApproveArgs, Format, GuideArgs, PlainFormat};
use crate::clock::now;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::learning::hear;

/// A text that a person says is at most so long.
const MAX_TEXT: usize = 16 * 1024;

/// Carries out `approve`: a run that is at work hears of it at its next round,
/// any other one is ended with it.
pub(crate) fn approve(context: &mut Context, args: &ApproveArgs) -> Ended {
    let (dir, replay) = run_of(context, &args.run)?;
    let by = said("--by", &args.by)?;
    say(&dir, &replay, &Comment::Approved { by })?;
    if dir.is_live() {
        let told = format!("run {} hears of it at its next round\n", dir.id());
        match args.format {
            Format::Human => context.streams.print(&told)?,
            Format::Json => {
                super::report::show(context, &dir, PlainFormat::Json)?;
            }
            Format::Jsonl => context.streams.tell(&told),
        }
        return Ok(ExitCode::Passed);
    }
    super::resume::go_on(context, dir, replay, Raised::default(), args.format)
}

/// Carries out `guide`.
pub(crate) fn guide(context: &mut Context, args: &GuideArgs) -> Ended {
    let (dir, replay) = run_of(context, &args.run)?;
    let text = said("TEXT", &args.text)?;
    say(&dir, &replay, &Comment::Guided { text: text.clone() })?;
    hear(context, &dir, &replay, CommentKind::Guided, &text);
    let run = dir.id();
    let next = match replay.outcome {
        Some(outcome @ (Outcome::Passed | Outcome::Approved)) => {
            format!("run {run} ended as {outcome}: it does not go on, and nobody hears of it\n")
        }
        _ if dir.is_live() => format!("run {run} hears of it at its next round\n"),
        _ => format!("next:\nralph resume {run}{}\n", context.state_option()),
    };
    context.streams.print(&next)?;
    Ok(ExitCode::Passed)
}

/// The run that a text means, and what it told so far.
fn run_of(context: &mut Context, run: &str) -> Result<(RunDir, Replayed), CommandError> {
    let settings = context.settings(&context.current_root(), Overrides::default())?;
    let state = context.state_for_reading(&settings);
    let dir = context.find_run(&state, run)?;
    let replay = super::report::replay(&dir)?;
    Ok((dir, replay))
}

/// What a person says as the argument `name`, without the blanks around it.
///
/// # Errors
/// When it says nothing or is too long.
pub(super) fn said(name: &str, text: &str) -> Result<String, CommandError> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_TEXT {
        let message = format!("{name} must have from 1 to {MAX_TEXT} bytes");
        return Err(CommandError::new(ErrorKind::Usage, message));
    }
    Ok(text.to_owned())
}

/// Says something to a run.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn say(dir: &RunDir, replay: &Replayed, said: &Comment) -> Result<(), CommandError> {
    let said = review_engine::say(dir, &replay.settings.target, said, now());
    said.map_err(|error: FileError| CommandError::new(ErrorKind::Output, error.to_string()))
}
