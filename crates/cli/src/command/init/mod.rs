//! `ralph init`: a first spec and its unit.

mod hooks;
mod project;
mod template;

use clap::Args;
use review_config::FILE_NAME;
use review_engine::location::all_specs;
use review_engine::proposed_setup;
use review_report::{NextStep, next_steps, shown};
use review_store::{Root, RootPath};
use review_types::ExitCode;

use crate::context::Context;
use crate::error::CommandResult;
use crate::output::style::{FAINT, GOOD, RESET};
use project::Example;
use template::File;

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Write the definition of the agents of a client, too: from then on they
    /// are the project's own, to be changed at will.
    #[arg(long, value_parser = ["opencode"], value_name = "CLIENT")]
    agent: Option<String>,
    /// Write only hooks into the settings of a client for this project, by which
    /// corrections of its users are recorded.
    #[arg(long, value_parser = ["claude"], value_name = "CLIENT")]
    hooks: Option<String>,
    /// Change the settings without asking.
    #[arg(long, requires = "hooks")]
    yes: bool,
}

/// Writes the files that are not there yet into the root.
pub(crate) fn run(context: &mut Context, args: &InitArgs) -> CommandResult {
    let path = context.current_root();
    let root = Root::open(&path)?;
    if args.hooks.is_some() {
        let written = hooks::add(context, &root, args.yes)?;
        context.streams.print(&written)?;
        return Ok(ExitCode::Passed);
    }
    if context.given_root().is_none() && path != context.environment.folder {
        context.streams.print(&format!(
            "the root of the project is {}; `ralph init --root .` makes this folder one\n",
            path.display()
        ))?;
    }
    let mut specs = all_specs(&root)?;
    if specs.is_empty() {
        // The projects of a repository may all be below its top.
        specs = context.specs(&[])?;
    }
    let has_no_other = specs.is_empty() || specs.contains(&path.join(template::SPEC_PATH));
    let search_path = context.environment.variable("PATH");
    let example = has_no_other.then(|| Example::of(&path, search_path));
    let mut files: Vec<File> = Vec::new();
    if let Some((example, _)) = &example {
        files.extend(template::files(example));
    }
    if args.agent.is_some() {
        files.extend(template::agents());
    }
    let folder = context.environment.folder.clone();
    let mut has_task = false;
    for File { path: file, text } in files {
        let made = root.create(&RootPath::new(&file)?, text.as_bytes())?;
        has_task |= made && file == template::TASK_PATH;
        let name = shown(&folder, &path.join(&*file));
        context.streams.print(&match made {
            true => format!("{GOOD}wrote{RESET} {name}\n"),
            false => format!("{FAINT}kept{RESET} {name}, which was there already\n"),
        })?;
    }
    let mut next = context.import_steps(&path);
    let status = || {
        NextStep::by_command(
            "see what is left to do",
            context.command(&["ralph", "status"]),
        )
    };
    let told = match example {
        Some((example, found)) if has_task => {
            let setup = proposed_setup(&path).filter(|_| !path.join(FILE_NAME).exists());
            let setup = setup.map_or_else(String::new, |setup| {
                format!(
                    "\nfor agents that implement tasks, `{setup}` in {FILE_NAME} prepares their \
                     checkouts"
                )
            });
            let command = example.command();
            next.push(NextStep::by_hand(format!(
                "make task 1 pass: `{command}`, then `ralph run`"
            )));
            format!("{found}{setup}\n")
        }
        Some(_) => {
            next.push(status());
            String::new()
        }
        None => {
            let specs: Vec<_> = specs.iter().map(|spec| shown(&folder, spec)).collect();
            let specs = specs.join(", ");
            next.push(status());
            format!("no example is written next to {specs}\n")
        }
    };
    context.streams.print(&(told + &next_steps(&next, None)))?;
    Ok(ExitCode::Passed)
}
