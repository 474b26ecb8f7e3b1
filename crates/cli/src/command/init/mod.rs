//! `ralph init`: a first spec and its unit.

mod hooks;
mod project;
mod splice;
mod template;

use std::path::Path;

use review_store::{Root, RootPath};
use review_types::ExitCode;

use crate::args::InitArgs;
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::output::style::{FAINT, GOOD, RESET};
use project::{Folder, test_command};
use review_report::shown;

/// Writes the files that are not there yet into the root.
pub(crate) fn run(context: &mut Context, args: &InitArgs) -> Ended {
    let path = context.current_root();
    let root = Root::open(&path).map_err(|error| cannot_write(&path, error))?;
    let settings = args
        .hooks
        .map(|client| hooks::agreed(context, &root, client, args.yes))
        .transpose()?;
    let search_path = context.environment.variable("PATH");
    let command = test_command(&Folder::new(&path, search_path));
    let agents = args.agent.into_iter().flat_map(template::agents);
    for file in template::files(command).into_iter().chain(agents) {
        let name = RootPath::new(&file.path).map_err(|error| cannot_write(&path, error))?;
        let made = root
            .create(&name, file.text.as_bytes())
            .map_err(|error| cannot_write(&path.join(&*file.path), error))?;
        let name = shown(context.environment.folder(), &path.join(&*file.path));
        let line = if made {
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
    context.streams.print(&format!(
        "The task of the unit is done when this passes: {command}\n\
         Next: ralph run --spec {}\n",
        template::SPEC_NAME
    ))?;
    Ok(ExitCode::Passed)
}

fn cannot_write(
    path: &Path,
    error: impl std::error::Error + Send + Sync + 'static,
) -> CommandError {
    CommandError::new(
        ErrorKind::Output,
        format!("cannot write {}", path.display()),
    )
    .source(error)
}
