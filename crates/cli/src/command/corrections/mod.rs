//! `ralph corrections`: what users corrected of the work of agents.

mod add;
mod input;
mod report;
mod validate;

use std::path::{Path, PathBuf};

use super::Ended;
use crate::args::CorrectionsCommand;
use crate::context::Context;

/// Where corrections are kept, below the root.
const DEFAULT_FILE: &str = ".claude/user-corrections.jsonl";

/// Carries out one of the commands.
pub(crate) fn run(context: &mut Context, command: CorrectionsCommand) -> Ended {
    match command {
        CorrectionsCommand::Validate(args) => validate::run(context, &args),
        CorrectionsCommand::Add(args) => add::run(context, &args),
    }
}

/// The file that is meant: the one that was named, else that of the root.
fn data_file(context: &Context, named: Option<&Path>) -> PathBuf {
    match named {
        Some(path) => context.absolute(path),
        None => context.current_root().join(DEFAULT_FILE),
    }
}
