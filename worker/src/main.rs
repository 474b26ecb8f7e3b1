//! Carries steps of ralph's runs to other computers: Temporal keeps each step until a
//! worker has carried it out; until then the worker, the run that waits and the server may
//! each be killed.
//!
//! ```text
//! ralph run ──lines── ralph-worker relay ──Temporal── ralph-worker ──lines── ralph step
//! ```
//!
//! It knows of the lines no more than their first word, and what tells steps apart.

mod activity_id;
mod args;
mod child;
mod engine;
mod list;
mod open_tasks;
mod pieces;
mod relay;
mod step;
mod work;

use std::io;
use std::process::ExitCode;

use clap::Parser as _;
#[cfg(target_os = "linux")]
use rustix::process::{DumpableBehavior, set_dumpable_behavior};

use crate::args::{Args, Command};
use crate::engine::NoResult;

/// The exit status where the server does not answer, and another worker would do no better.
const NO_ANSWER: u8 = 3;

fn main() -> ExitCode {
    if let Err(error) = hide() {
        eprintln!("warning: agents can read the environment of this process: {error}");
    }
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let ended = match runtime {
        Ok(runtime) => runtime.block_on(run(args)),
        Err(error) => Err(error.to_string().into()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(NoResult { why, is_away }) => {
            eprintln!("error: {why}");
            match is_away {
                true => ExitCode::from(NO_ANSWER),
                false => ExitCode::FAILURE,
            }
        }
    }
}

/// Hides the key for the server, which is in the environment, from agents of the same user.
fn hide() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    Ok(())
}

async fn run(args: Args) -> Result<(), NoResult> {
    match args {
        Args {
            command: Some(Command::Relay(relay)),
            ..
        } => Box::pin(relay::relay(relay)).await,
        Args {
            command: Some(Command::List(list)),
            ..
        } => list::list(list).await,
        Args {
            work: Some(work),
            engine: Some(engine),
            ..
        } => Ok(work::work(work, engine).await?),
        _ => Err("expected --root, relay or list; see --help".into()),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn no_process_of_the_same_user_reads_this_one() {
        hide().unwrap();
        let behavior = rustix::process::dumpable_behavior().unwrap();
        assert_eq!(behavior, DumpableBehavior::NotDumpable);
    }
}
