//! `ralph demo`: an agent that lies, then cheats, then works, in a project of its own.

use std::path::Path;

use clap::Parser as _;
use review_process::git::{self, NoRepository};
use review_report::{NextStep, next_steps};
use review_store::{Root, RootPath, temporary_folder};
use review_types::ExitCode;

use super::run as run_command;
use crate::args::Cli;
use crate::command::Command;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::output::style::{RESET, STRONG};
use crate::runtime::Runtime;

/// The files, by their paths in the folder of the demo.
const FILES: [(&str, &str); 5] = [
    ("agent.sh", include_str!("agent.sh")),
    ("greet/specs/GREET.md", include_str!("GREET.md")),
    (
        "greet/tasks/greet/IMPLEMENTATION_PLAN.md",
        include_str!("IMPLEMENTATION_PLAN.md"),
    ),
    ("greet/tasks/greet/01-greet.md", include_str!("01-greet.md")),
    ("greet/tests/greet.sh", include_str!("greet-tests.sh")),
];

/// Runs the demo and says what to try next.
pub(crate) fn run(context: &mut Context) -> CommandResult {
    let folder = temporary_folder("ralph-demo-").map_err(cannot_write)?;
    let project = folder.join("greet");
    write(&folder)?;
    commit(context, &project)?;
    context.streams.print(&introduction(&project))?;
    let ended = implement(context, &folder, &project)?;
    if ended == ExitCode::Passed {
        context.streams.print(&conclusion(&project))?;
    }
    Ok(ended)
}

fn write(folder: &Path) -> Result<(), CommandError> {
    let root = Root::open(folder).map_err(cannot_write)?;
    for (name, text) in FILES {
        let name = RootPath::new(name).map_err(cannot_write)?;
        root.create(&name, text.as_bytes()).map_err(cannot_write)?;
    }
    Ok(())
}

/// Makes a repository of one commit of the project.
fn commit(context: &Context, project: &Path) -> Result<(), CommandError> {
    let runtime = Runtime::new(context)?;
    let groups = runtime.groups();
    let message = "Add a spec, a task and its tests";
    let folder = git::Folder::new(project, runtime.stop(), &groups);
    let committed = folder.commit_all(message);
    runtime.finish(committed).map_err(|NoRepository(why)| {
        CommandError::new(format!("git cannot commit: {why}"))
            .hint("install git; `ralph doctor` says what else is missing")
    })
}

/// Runs the task of the project with the script as its agent, and nothing of the user's own
/// settings.
fn implement(context: &Context, folder: &Path, project: &Path) -> CommandResult {
    let agent = folder.join("agent.sh");
    let agent = agent.to_string_lossy();
    let agent = format!("cmd:sh {}", shell_words::quote(&agent));
    let mut environment = context.environment.without_settings();
    project.clone_into(&mut environment.folder);
    let state = folder.join("state").into_os_string();
    environment.variables.insert("XDG_STATE_HOME".into(), state);
    let cli = Cli::try_parse_from(["ralph", "run", "--tasks-only", "--implementer", &agent]);
    let Ok(Cli {
        common,
        command: Command::Run(args),
    }) = cli
    else {
        return Err(CommandError::new(
            "the demo cannot be run from a folder of this name",
        ));
    };
    let mut inside = Context::new(environment, common);
    let ended = run_command::run(&mut inside, &args)?;
    Ok(inside.finish(Ok(ended)))
}

fn introduction(project: &Path) -> String {
    format!(
        "In {} is a spec, a task, and two tests that must pass.\n\
         A script plays the coding agent: it {STRONG}lies{RESET}, then {STRONG}cheats{RESET}, then \
         {STRONG}works{RESET}. ralph runs the task:\n\n",
        project.display()
    )
}

fn conclusion(project: &Path) -> String {
    let project = project.to_string_lossy();
    let project = shell_words::quote(&project);
    format!(
        "\n\
         1. The agent said \"Done. All tests pass.\" It had changed nothing.\n\
         2. It wrote half of it, and tests that print ok. ralph put the tests back, and they failed.\n\
         3. It wrote what the tests ask for. Only this reached the branch.\n\n\
         {}",
        next_steps(
            &[
                NextStep::by_command(
                    "see what was tried, and what was found",
                    format!("cd {project} && ralph report latest")
                ),
                NextStep::by_command("see what CI would say of this project", "ralph gate"),
                NextStep::by_command(
                    "write a first spec and task, in a project of your own",
                    "ralph init"
                ),
            ],
            None
        )
    )
}

fn cannot_write(error: impl std::error::Error + Send + Sync + 'static) -> CommandError {
    CommandError::new("cannot write the demo")
        .source(error)
        .hint("set TMPDIR to a folder that can be written")
}
