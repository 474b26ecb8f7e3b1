//! The command line.

mod common;

mod format;

mod lazy;

mod manual;

mod reviewing;

#[cfg(test)]
mod tests;

mod values;
use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser};
use std::ffi::OsString;

use crate::command::Command;

pub(crate) use common::CommonArgs;

pub(crate) use format::{Format, Output, PlainFormat};

pub(crate) use lazy::Lazy;

pub(crate) use reviewing::{HostArgs, ImplementArgs, LimitArgs, LoopArgs};

pub(crate) use values::{Implementer, amount, count, one_of, task_number, version, whole};

/// Review loops that cannot be fooled: specs and tasks, reviewed until they pass.
#[derive(Debug, Parser)]
#[command(name = "ralph", version = env!("RALPH_VERSION"), propagate_version = false, after_help = EXAMPLES)]
#[command(disable_help_flag = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// Options that every command takes.
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// The command line as clap knows it, with the manual in its help.
    pub(crate) fn described() -> clap::Command {
        manual::with_sections(Self::whole())
    }

    /// The command line with the arguments of all commands.
    pub(crate) fn whole() -> clap::Command {
        let mut command = Self::command();
        command.build();
        command
    }

    /// Reads arguments, of which the first is the name of the program.
    ///
    /// # Errors
    ///
    /// When they are not those of a command, or ask for help or the version.
    pub(crate) fn read(arguments: &[OsString]) -> Result<Self, clap::Error> {
        Self::try_parse_from(arguments).map_err(|error| match error.kind() {
            // The manual is read where it is shown, and not at each start.
            ErrorKind::DisplayHelp => {
                let described = Self::described().try_get_matches_from(arguments);
                described.err().unwrap_or(error)
            }
            _ => error,
        })
    }
}

const EXAMPLES: &str = "\
Examples:
  ralph demo                         see what an agent that lies and cheats gets
  ralph init                         write a first spec and its task
  ralph plan SEARCH --implementer claude
                                     have an agent write the tasks of a spec
  ralph run SEARCH                   review a spec with its tasks, then run the tasks
  ralph review docs/DESIGN.md        review one document
  ralph lint                         what the rules of the embedded reviewer find
  ralph explain B3                   what a code means and how to fix it
  ralph help run                     all about one command

Exit codes: 0 passed, 1 not passed, 2 usage or configuration, 3 no verdict,
4 nothing selected, 5 limit, 6 tamper, 129, 130 and 143 interrupted.";
