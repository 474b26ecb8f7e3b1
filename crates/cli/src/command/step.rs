//! `ralph step`: what ssh starts on a host for each step of a run that another computer
//! leads. Whoever reaches it has a shell in its sandbox.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use clap::Args;
use review::NoSink;
use review_config::Setting;
use review_engine::{FromStep, MAX_STEP_MESSAGE, StepHost, StepOrder, ToStep, carry_out_step};
use review_lane::SandboxMode;
use review_store::StateDir;
use review_types::ExitCode;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::args::{count, one_of};
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::runtime::Runtime;

#[derive(Debug, Args)]
pub(crate) struct StepArgs {
    /// How many steps are carried out at a time [default: the number of processors].
    #[arg(long, value_name = "N", value_parser = count)]
    slots: Option<NonZeroU32>,
    /// The agents that orders may ask for, by the names of their backends [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    clients: Option<Vec<String>>,
    /// What keeps agents from files outside of their checkouts [default: lane.sandbox].
    #[arg(long, value_name = "MODE", value_parser = one_of::<SandboxMode>(SandboxMode::WORDS))]
    sandbox: Option<SandboxMode>,
}

/// Carries out `step`: an order on standard input, what becomes of it on standard output.
pub(crate) fn run(context: &mut Context, args: StepArgs) -> CommandResult {
    let mut input = BufReader::new(io::stdin());
    let order = message(&mut input, || ()).map_err(no_order)?;
    let Some(ToStep::Order(order)) = order else {
        return Err(CommandError::new(NO_ORDER));
    };
    let root = root(context, &order)?;
    let sandbox = Setting::of_option("--sandbox", "lane.sandbox.mode", args.sandbox);
    let host = StepHost {
        config: context.settings(&root, sandbox.as_slice())?,
        slots: args.slots.unwrap_or_else(processors),
        clients: args.clients,
    };
    let runtime = Runtime::new(context)?;
    let (to, messages) = unbounded_channel();
    std::thread::spawn(move || read(input, &to));
    let (output, lines) = unbounded_channel();
    let writer = std::thread::spawn(move || write(lines));
    // Each step has a state folder of its own.
    let state = StateDir::at(&root);
    runtime.block_on(
        &context.environment,
        &root,
        state,
        &NoSink,
        async |project| carry_out_step(project, &host, *order, messages, output).await,
    )?;
    // Where nobody reads any more there is nobody to tell.
    drop(writer.join());
    Ok(ExitCode::Passed)
}

/// Bytes that are read at a time.
const PIECE: u64 = 64 << 10;

const NO_ORDER: &str = "expected an order on standard input";

fn no_order(error: io::Error) -> CommandError {
    CommandError::new(NO_ORDER).source(error)
}

/// The clone: the root that was given, else the one that the order names.
fn root(context: &Context, order: &StepOrder) -> Result<PathBuf, CommandError> {
    if context.given_root().is_some() {
        return Ok(context.current_root());
    }
    let home = context.environment.variable("HOME");
    let home = home.ok_or_else(|| CommandError::new("HOME is not set").hint("name --root"))?;
    Ok(order.folder(Path::new(home)))
}

fn processors() -> NonZeroU32 {
    let processors = available_parallelism().ok();
    let processors = processors.and_then(|count| NonZeroU32::try_from(count).ok());
    processors.unwrap_or(NonZeroU32::MIN)
}

/// The next message, of which pieces arrive; `None` at the end of the input.
fn message(input: &mut impl io::BufRead, arrives: impl Fn()) -> io::Result<Option<ToStep>> {
    let mut line = Vec::new();
    while line.len() < MAX_STEP_MESSAGE && !line.ends_with(b"\n") {
        if input.take(PIECE).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        arrives();
    }
    match line.is_empty() {
        true => Ok(None),
        false => Ok(Some(serde_json::from_slice(&line)?)),
    }
}

/// Passes messages on until there are no more. One that takes long to arrive is a sign of
/// life all the while.
fn read(mut input: impl io::BufRead, to: &UnboundedSender<ToStep>) {
    // Where nobody listens any more the step has ended.
    let arrives = || drop(to.send(ToStep::Alive));
    // A message that is not one ends the input.
    while let Ok(Some(message)) = message(&mut input, arrives) {
        if to.send(message).is_err() {
            return;
        }
    }
}

/// Writes messages as lines until there are no more, or nobody reads them.
#[expect(
    clippy::disallowed_methods,
    reason = "what it prints is half of a dialog, and each line goes out at once"
)]
fn write(mut messages: UnboundedReceiver<FromStep>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    while let Some(message) = messages.blocking_recv() {
        let mut line = serde_json::to_vec(&message)?;
        line.push(b'\n');
        out.write_all(&line)?;
        out.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_takes_long_to_arrive_is_a_sign_of_life() {
        let pack = "A".repeat(2 * usize::try_from(PIECE).unwrap());
        let input = format!("\"alive\"\n{{\"commits\":\"{pack}\"}}\n\"cancel\"\nno message\n");
        let (to, mut messages) = unbounded_channel();
        read(input.as_bytes(), &to);
        let mut words = Vec::new();
        while let Ok(message) = messages.try_recv() {
            words.push(match message {
                ToStep::Alive => "alive",
                ToStep::Commits(_) => "commits",
                _ => "cancel",
            });
        }
        let pieces = ["alive"; 5];
        let expected = [&pieces[..], &["commits", "alive", "cancel", "alive"]].concat();
        assert_eq!(words, expected);
    }
}
