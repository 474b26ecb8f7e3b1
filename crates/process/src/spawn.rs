//! Starts the leader of a new group, or explains why it cannot.
#![expect(clippy::disallowed_methods, reason = "the only place that spawns")]

use std::io::{self, PipeReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command as SystemCommand, Stdio};

use rustix::io::Errno;

use crate::command::{is_executable, is_name, resolve};
use crate::group::Leader;
use crate::{Command, Environment, Groups, SpawnError};

/// Starts the command; its standard input is empty, or a pipe with this read end.
pub(crate) fn spawn(
    command: &Command,
    stdin: Option<PipeReader>,
    groups: &Groups,
) -> Result<Leader, SpawnError> {
    let program = command.program.clone();
    let path = command.env.named("PATH");
    let Some(file) = resolve(&program, path, &command.cwd) else {
        return Err(SpawnError::NotFound { program });
    };
    // In a sandbox it is started by another program.
    if command.sandbox.is_some() && !is_name(&file) && command.cwd.is_dir() {
        match file.try_exists() {
            Ok(true) if is_executable(&file) => {}
            Ok(true) => return Err(SpawnError::NotExecutable { program }),
            Ok(false) | Err(_) => return Err(SpawnError::NotFound { program }),
        }
    }
    let stdin = stdin.map_or_else(Stdio::null, Stdio::from);
    match groups.spawn(&mut describe(command, &file, stdin)) {
        Ok(Some(leader)) => Ok(leader),
        Ok(None) => Err(SpawnError::Stopped { program }),
        Err(error) => Err(explain(error, command, &file)),
    }
}

fn describe(command: &Command, file: &Path, stdin: Stdio) -> SystemCommand {
    let mut system = match &command.sandbox {
        None => {
            let mut system = SystemCommand::new(file);
            system.args(&command.args);
            system
        }
        Some(sandbox) => {
            let (program, args) = sandbox.command(file, &command.args, &command.cwd);
            let mut system = SystemCommand::new(program);
            system.args(args);
            system
        }
    };
    let variables = match &command.env {
        Environment::Inherit { set } => set,
        Environment::Only(all) => {
            system.env_clear();
            all
        }
    };
    system
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .current_dir(&command.cwd)
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    system
}

/// The system only reports that something does not exist or is not permitted: the
/// folder, the program, or the interpreter of a script.
fn explain(source: io::Error, command: &Command, file: &Path) -> SpawnError {
    let program = command.program.clone();
    let cwd = command.cwd.clone();
    match source.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) if !cwd.is_dir() => {
            SpawnError::NoFolder { program, cwd }
        }
        Some(Errno::NOENT) if !is_name(file) && file.exists() => {
            SpawnError::NoInterpreter { program }
        }
        Some(Errno::NOENT | Errno::NOTDIR) => SpawnError::NotFound { program },
        Some(Errno::ACCESS | Errno::PERM) => SpawnError::NotExecutable { program },
        Some(Errno::NOEXEC) => SpawnError::UnknownFormat { program },
        Some(Errno::TOOBIG) => SpawnError::TooManyArguments { program },
        _ => SpawnError::System { program, source },
    }
}
