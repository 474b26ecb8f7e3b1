//! `ralph approve` and `ralph guide`.

use review::people::Comment;
use review_engine::Raised;
use review_learning::collection::CommentKind;
use review_types::{ExitCode, Outcome};

use crate::args::{ApproveArgs, Format, GuideArgs, PlainFormat};
use crate::context::Context;
use crate::error::Ended;
use crate::learning::learn_speech;
use crate::runs::{run_of, say, text_of};
use crate::session::go_on;

/// Carries out `approve`: a run that is going on receives it at its next round,
/// any other one is ended with it.
pub(crate) fn approve(context: &mut Context, args: &ApproveArgs) -> Ended {
    let (dir, replay) = run_of(context, &args.run)?;
    let by = context.decider(args.by.as_deref())?;
    say(&dir, &replay, &Comment::Approved { by })?;
    if dir.is_live() {
        let told = format!("run {} receives it at its next round\n", dir.id());
        match args.format {
            Format::Human => context.streams.print(&told)?,
            Format::Json => {
                super::report::show(context, &dir, PlainFormat::Json)?;
            }
            Format::Jsonl => context.streams.tell(&told),
        }
        return Ok(ExitCode::Passed);
    }
    go_on(context, dir, replay, Raised::default(), args.format)
}

/// Carries out `guide`.
pub(crate) fn guide(context: &mut Context, args: &GuideArgs) -> Ended {
    let (dir, replay) = run_of(context, &args.run)?;
    let text = text_of("TEXT", &args.text)?;
    say(&dir, &replay, &Comment::Guided { text: text.clone() })?;
    learn_speech(context, &dir, &replay, CommentKind::Guided, &text);
    let run = dir.id();
    let next = match replay.outcome() {
        Some(outcome @ (Outcome::Passed | Outcome::Approved)) => {
            format!("run {run} ended as {outcome}: it does not go on and will not receive it\n")
        }
        _ if dir.is_live() => format!("run {run} receives it at its next round\n"),
        _ => format!("next:\nralph resume {run}{}\n", context.state_option()),
    };
    context.streams.print(&next)?;
    Ok(ExitCode::Passed)
}
