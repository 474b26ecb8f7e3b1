//! `ralph resume`.

use clap::{Arg, Args};
use review_engine::{ResumeRequest, RunUse, StoredRun};
use review_types::Outcome;

use crate::args::{Format, HostArgs, LimitArgs, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::runs::{FoundRun, run_of};
use crate::runtime::wait_for;
use crate::session::resume_run;

#[derive(Debug, Args)]
#[command(mut_args = without_default)]
pub(crate) struct ResumeArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder
    /// [default: the only one that can go on].
    run: Option<String>,
    /// Limits to raise; without them those of the run hold.
    #[command(flatten)]
    limits: LimitArgs,
    /// Where the tasks are worked at; without it where they were.
    #[command(flatten)]
    hosts: HostArgs,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// An option of a run, as `resume` has it: what it falls back to is what the run
/// was given.
fn without_default(argument: Arg) -> Arg {
    let Some(help) = argument.get_help().map(ToString::to_string) else {
        return argument;
    };
    match help.split_once(" [default: ") {
        Some((meaning, _)) => argument.help(format!("{meaning} [default: as before]")),
        None => argument,
    }
}

/// The most runs that an error lists.
const LISTED: usize = 5;

/// Carries out `resume`.
pub(crate) fn run(context: &mut Context, args: &ResumeArgs) -> CommandResult {
    let run = match &args.run {
        Some(run) => run_of(context, run)?,
        None => only_resumable(context)?,
    };
    let replay = &run.replay;
    let passed = matches!(replay.outcome(), Some(Outcome::Passed | Outcome::Approved));
    if passed && !review_engine::is_notice_due(&run.dir, &replay.settings, &replay.events) {
        return super::report::show(context, &run, PlainFormat::from(args.format));
    }
    let limits: Vec<_> = args.limits.overrides().collect();
    let engine = match args.hosts.engine.as_ref() {
        None => None,
        given => context.engine(given, &replay.settings.config)?,
    };
    let request = ResumeRequest {
        hosts: args.hosts.named(),
        engine,
        ..ResumeRequest::default()
    };
    resume_run(context, run, request, &limits, args.format)
}

/// The only run of the roots that can go on.
fn only_resumable(context: &mut Context) -> Result<FoundRun, CommandError> {
    let runs = context.runs()?;
    let env = &context.environment.variables;
    let mut resumable = wait_for(async {
        let mut resumable = Vec::new();
        for (_, dir) in runs {
            let stored = StoredRun::of(dir, env).await;
            if stored.good_for == RunUse::Resumable {
                resumable.push(stored);
            }
        }
        resumable
    })?;
    if resumable.len() == 1 {
        return FoundRun::at(context, resumable.remove(0).dir);
    }
    if resumable.is_empty() {
        let hint = "`ralph report` lists the runs, `ralph run` starts one";
        return Err(CommandError::new("no run can go on").hint(hint));
    }
    let message = format!("{} runs can go on: name one", resumable.len());
    let listed = resumable.iter().take(LISTED);
    let hints =
        listed.map(|run| format!("`ralph resume {}` for {}", run.dir.id().short(), run.spec));
    Err(CommandError::new(message).hints(hints))
}
