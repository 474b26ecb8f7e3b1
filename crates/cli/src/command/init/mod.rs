//! `ralph init`: a first spec and its unit.

mod hooks;
mod project;
mod splice;
mod template;

use std::borrow::Cow;
use std::path::Path;

use clap::{Args, ValueEnum};
use review_config::FILE_NAME;
use review_engine::location::all_specs;
use review_engine::proposed_setup;
use review_store::{Root, RootPath};
use review_types::ExitCode;

use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::output::style::{FAINT, GOOD, RESET};
use project::{Example, Folder};
use review_report::shown;
use template::{File, TASK_PATH};

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Write the definition of the agents of a client, too: from then on they
    /// are the project's own, to be changed at will.
    #[arg(long, value_enum, value_name = "CLIENT")]
    agent: Option<DefinedAgents>,
    /// Write only hooks into the settings of a client for this project, by which
    /// corrections of its users are recorded.
    #[arg(long, value_enum, value_name = "CLIENT")]
    hooks: Option<HookedClient>,
    /// Change the settings without asking.
    #[arg(long, requires = "hooks")]
    yes: bool,
}

/// A client that has hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum HookedClient {
    /// Claude Code: .claude/settings.json.
    Claude,
}

/// A client whose agents a project can define.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DefinedAgents {
    /// The agents that opencode is asked to be.
    Opencode,
}

/// Writes the files that are not there yet into the root.
pub(crate) fn run(context: &mut Context, args: &InitArgs) -> CommandResult {
    let path = context.current_root();
    let root = Root::open(&path).map_err(|error| cannot_write(&path, error))?;
    let settings = args
        .hooks
        .map(|client| hooks::agreed(context, &root, client, args.yes))
        .transpose()?;
    let setup = match args.hooks {
        Some(_) => Setup::Hooks,
        None => Setup::of(context, &path, &root)?,
    };
    if context.given_root().is_none() && path != context.environment.folder() {
        context.streams.print(&format!(
            "the root of the project is {}; `ralph init --root .` makes this folder one\n",
            path.display()
        ))?;
    }
    let agents = args.agent.into_iter().flat_map(template::agents);
    let files = setup.files().into_iter().chain(agents);
    let mut written = Vec::new();
    for file in files {
        let name = RootPath::new(&file.path).map_err(|error| cannot_write(&path, error))?;
        let made = root
            .create(&name, file.text.as_bytes())
            .map_err(|error| cannot_write(&path.join(&*file.path), error))?;
        let name = shown(context.environment.folder(), &path.join(&*file.path));
        let line = if made {
            written.push(file.path);
            format!("{GOOD}wrote{RESET} {name}\n")
        } else {
            format!("{FAINT}kept {RESET} {name}, which was there already\n")
        };
        context.streams.print(&line)?;
    }
    if let Some(settings) = settings {
        let line = settings.write(&root)?;
        context.streams.print(&line)?;
    }
    context.streams.print(&setup.text(&written))?;
    Ok(ExitCode::Passed)
}

/// What to do next in a project that has specs.
const LEFT: &str = "next: `ralph status` shows what is left to do\n";

/// What a project gets: an example, unless it has specs of its own.
enum Setup {
    /// The example, and the lines that say what it was chosen by and what else the project
    /// needs.
    Example(Example, String),
    /// Nothing but what was asked for, next to these specs.
    Specs(Vec<String>),
    /// Nothing but hooks, which need no spec.
    Hooks,
}

impl Setup {
    fn of(context: &mut Context, path: &Path, root: &Root) -> Result<Self, CommandError> {
        let mut specs = all_specs(root)?;
        let example = path.join(template::SPEC_PATH);
        if specs.is_empty() {
            // The projects of a repository may all be below its top.
            specs = context.specs(&[])?;
        }
        if specs.is_empty() || specs.contains(&example) {
            let search_path = context.environment.variable("PATH");
            let (example, mut found) = Folder::new(path, search_path).example();
            if !path.join(FILE_NAME).exists()
                && let Some(setup) = proposed_setup(path)
            {
                found += &format!(
                    "\nfor agents that implement tasks, `{setup}` in {FILE_NAME} prepares their \
                     checkouts"
                );
            }
            return Ok(Self::Example(example, found));
        }
        let folder = context.environment.folder();
        let specs = specs.iter().map(|spec| shown(folder, spec));
        Ok(Self::Specs(specs.collect()))
    }

    fn files(&self) -> Vec<File> {
        match self {
            Self::Example(example, _) => template::files(example).into(),
            Self::Specs(_) | Self::Hooks => Vec::new(),
        }
    }

    /// What was found, and what to do next, where these files were written.
    fn text(&self, written: &[Cow<'static, str>]) -> String {
        match self {
            Self::Example(example, found) if written.iter().any(|path| path == TASK_PATH) => {
                let command = example.command();
                format!("{found}\nnext: make task 1 pass: `{command}`, then `ralph run`\n")
            }
            Self::Example(..) => LEFT.to_owned(),
            Self::Hooks => {
                "next: `ralph learn` shows what was noticed, and the next command\n".to_owned()
            }
            Self::Specs(specs) => {
                let specs = specs.join(", ");
                format!("no example is written next to {specs}\n{LEFT}")
            }
        }
    }
}

fn cannot_write(
    path: &Path,
    error: impl std::error::Error + Send + Sync + 'static,
) -> CommandError {
    CommandError::new(format!("cannot write {}", path.display())).source(error)
}
