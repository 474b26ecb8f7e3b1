//! `ralph mcp`: what ralph knows, for a coding agent.
//!
//! Each call of a tool is a command of ralph in a process of its own, in the format for
//! programs and in that for people: an agent gets what a user would.

mod review;
mod server;
mod tools;
mod wire;

use std::rc::Rc;

use clap::Args;
use review_types::ExitCode;

use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::runtime::Runtime;
use review::Trust;
use server::Server;

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// What the agent may do that costs calls of a model: one round of review by the
    /// configured reviewer, which changes no file.
    #[arg(long, value_parser = ["review"], value_name = "TOOL")]
    allow: Vec<String>,
}

/// Carries out `mcp`: until the end of standard input, or a signal.
pub(crate) fn run(context: &mut Context, args: &McpArgs) -> CommandResult {
    if let Some(key) = context.set_keys().next() {
        let message = format!("`--set {key}` has no effect on the commands that answer");
        return Err(CommandError::new(message).hint("set it in ralph.toml"));
    }
    let runtime = Runtime::new(context)?;
    let reviews = match args.allow.is_empty() {
        true => None,
        false => Some(Trust::new(context, &runtime)?),
    };
    let server = Rc::new(Server::new(context, &runtime, reviews));
    runtime.finish(server.serve(&mut context.streams))?;
    Ok(runtime.interrupted().unwrap_or(ExitCode::Passed))
}
