//! `ralph schema`: the JSON schemas of the formats.
//!
//! They are files in `schemas/`; a test writes them from the types and holds them
//! to the types.

#[cfg(test)]
mod tests;

use clap::Args;
use review_types::ExitCode;

use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::output::style::{RESET, STRONG};

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The format. Without it the formats are listed.
    name: Option<String>,
}

/// A format with its schema.
struct Format {
    name: &'static str,
    about: &'static str,
    schema: &'static str,
}

macro_rules! formats {
    ($($name:literal: $about:literal,)+) => {
        /// The formats, in the order in which they are listed.
        const FORMATS: &[Format] = &[$(Format {
            name: $name,
            about: $about,
            schema: include_str!(concat!("../../../../../schemas/", $name, ".schema.json")),
        },)+];
    };
}

formats! {
    "verdict": "what a reviewer answers",
    "review": "the record of a review loop",
    "actionable-feedback": "an actionable-feedback document, with its rules of wording",
    "actionable-feedback-strict": "the same with the keywords of JSON Schema alone",
    "afp-request": "a request of the Agent Feedback Protocol 1.2",
    "afp-response": "a response of the Agent Feedback Protocol 1.2",
    "afp-message": "a line of the stream that a response travels in",
    "applied-feedback": "the outcome of the feedback of a response",
    "correction": "a line of a file of corrections",
    "patterns": "the file patterns.json beside the corrections",
    "trends": "the file trends.json beside the corrections",
    "promotion": "a line of the log of promoted patterns",
    "agent-learning": "the configuration of learning, and the objects that it is about",
    "feedback-entry": "an entry of the store of feedback",
    "lesson": "a lesson of an agent",
    "prompt-version": "a version of the prompt of an agent",
    "task": "the front matter of a task file",
    "plan": "the front matter of an IMPLEMENTATION_PLAN.md",
    "config": "the configuration file ralph.toml",
    "event": "a line of `--format jsonl`",
    "journal": "a line of the journal of a run",
    "run": "the result of `ralph run --format json`",
    "finding": "a finding of `ralph findings list --format json`",
    "gate": "the result of `ralph gate --format json`",
    "lint": "the result of `ralph lint --format json`",
}

/// Prints the schema of a format, or lists the formats.
pub(crate) fn run(context: &mut Context, args: &SchemaArgs) -> CommandResult {
    let Some(name) = &args.name else {
        let names = FORMATS.iter().map(|format| format.name.len());
        let width = names.max().unwrap_or(0);
        for Format { name, about, .. } in FORMATS {
            let line = format!("{STRONG}{name:width$}{RESET}  {about}\n");
            context.streams.print(&line)?;
        }
        return Ok(ExitCode::Passed);
    };
    let mut formats = FORMATS.iter();
    let format = formats.find(|format| format.name == name);
    let format = format.ok_or_else(|| {
        let error = CommandError::new(format!("unknown format \"{name}\""));
        error.hint("`ralph schema` lists the formats")
    })?;
    context.streams.print_raw(format.schema.as_bytes())?;
    Ok(ExitCode::Passed)
}
