//! Starts the leader of a new group, or explains why it cannot.
#![expect(clippy::disallowed_methods, reason = "the only place that spawns")]

use std::io::{self, PipeReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command as SystemCommand, Stdio};

use rustix::io::Errno;

use crate::command::{is_executable, is_name, resolve};
use crate::group::Leader;
use crate::launcher::{Launched, NotLaunched, Status};
use crate::{Command, Environment, Groups, Sandbox, SpawnError, SpawnFault, git};

/// Starts the command; its standard input is empty, or a pipe with this read end.
pub(crate) fn spawn(
    command: &Command,
    stdin: Option<PipeReader>,
    groups: &Groups,
) -> Result<Leader, SpawnError> {
    let failed = |cause| SpawnError {
        program: command.program.clone(),
        cause,
    };
    let path = command.env.named("PATH");
    let Some(file) = resolve(&command.program, path, &command.cwd) else {
        return Err(failed(SpawnFault::NotFound));
    };
    // In a sandbox it is started by another program.
    if command.sandbox.is_some() && !is_name(&file) && command.cwd.is_dir() {
        match file.try_exists() {
            Ok(true) if is_executable(&file) => {}
            Ok(true) => return Err(failed(SpawnFault::NotExecutable)),
            Ok(false) | Err(_) => return Err(failed(SpawnFault::NotFound)),
        }
    }
    let stdin = stdin.map_or_else(Stdio::null, Stdio::from);
    let system_failed = |error| failed(SpawnFault::System(error));
    let launcher = groups.launcher();
    let status = launcher.as_ref().map(|_| Status::new());
    let status = status.transpose().map_err(system_failed)?;
    let launching = launcher.as_deref().zip(status.as_ref());
    let mut system = describe(command, &file, launching).map_err(system_failed)?;
    system.stdin(stdin);
    groups
        .spawn(&mut system, status, !command.finishes)
        .map_err(|error| {
            failed(match error {
                NotLaunched::Ended => SpawnFault::Stopped,
                NotLaunched::Program(error) => explain(error, &command.cwd, &file),
                NotLaunched::Launcher(error) => SpawnFault::System(error),
            })
        })
}

/// The command of the system, of which only the standard input is missing.
fn describe(
    command: &Command,
    file: &Path,
    launching: Option<(&Path, &Status)>,
) -> io::Result<SystemCommand> {
    let sandbox = command.sandbox.as_ref();
    let wrapper = sandbox.and_then(|sandbox| sandbox.wrapper(file, &command.args, &command.cwd));
    let (program, args) = match &wrapper {
        Some((program, args)) => (program.as_path(), args),
        None => (file, &command.args),
    };
    let grants = sandbox.and_then(Sandbox::grants);
    let mut system = match (launching, &grants) {
        (Some((launcher, status)), grants) => {
            let launched = Launched {
                program,
                args,
                grants: grants.as_ref(),
                finishes: command.finishes,
            };
            let mut system = SystemCommand::new(launcher);
            system.args(launched.arguments(status));
            system
        }
        (None, None) => {
            let mut system = SystemCommand::new(program);
            system.args(args).process_group(0);
            system
        }
        (None, Some(_)) => {
            return Err(io::Error::other("landlock needs a launcher"));
        }
    };
    let variables = match &command.env {
        Environment::Inherit { set } => {
            for name in git::LOCAL {
                system.env_remove(name);
            }
            set
        }
        Environment::Only(all) => {
            system.env_clear();
            all
        }
    };
    system
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .current_dir(&command.cwd)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Ok(system)
}

/// The system only reports that something does not exist or is not permitted: the
/// folder, the program, or the interpreter of a script.
fn explain(error: io::Error, cwd: &Path, file: &Path) -> SpawnFault {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) if !cwd.is_dir() => {
            SpawnFault::NoFolder(cwd.to_owned())
        }
        Some(Errno::NOENT) if !is_name(file) && file.exists() => SpawnFault::NoInterpreter,
        Some(Errno::NOENT | Errno::NOTDIR) => SpawnFault::NotFound,
        Some(Errno::ACCESS | Errno::PERM) => SpawnFault::NotExecutable,
        Some(Errno::NOEXEC) => SpawnFault::UnknownFormat,
        Some(Errno::TOOBIG) => SpawnFault::TooManyArguments,
        _ => SpawnFault::System(error),
    }
}
