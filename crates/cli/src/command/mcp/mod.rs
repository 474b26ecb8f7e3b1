//! `ralph mcp`: what ralph knows, for a coding agent.
//!
//! Each call of a tool is a command of ralph in a process of its own, in the format for
//! programs and in that for people: an agent gets what a user would.

mod review;
mod server;
mod tools;
mod wire;

use std::rc::Rc;

use clap::{Args, ValueEnum};
use review_types::ExitCode;

use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::world::World;
use review::Trust;
use server::Server;

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// What the agent may do that costs calls of a model.
    #[arg(long, value_enum, value_name = "TOOL")]
    allow: Vec<CostlyTool>,
}

/// A tool that costs calls of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CostlyTool {
    /// One round of review by the configured reviewer; no file is changed.
    Review,
}

/// Carries out `mcp`: until the end of standard input, or a signal.
pub(crate) fn run(context: &mut Context, args: &McpArgs) -> CommandResult {
    if let Some(key) = context.set_keys().next() {
        let message = format!("`--set {key}` has no effect on the commands that answer");
        return Err(CommandError::new(message).hint("set it in ralph.toml"));
    }
    let world = World::new(context)?;
    let reviews = match args.allow.contains(&CostlyTool::Review) {
        true => Some(Trust::new(context)?),
        false => None,
    };
    let server = Rc::new(Server::new(context, &world, reviews));
    world.finish(server.serve(&mut context.streams))?;
    match world.was_interrupted() {
        true => Ok(world.interrupted()),
        false => Ok(ExitCode::Passed),
    }
}
