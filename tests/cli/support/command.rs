//! One call of the binary.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::{Ran, TestEnvironment};

/// A call of `ralph` before it is made.
pub(crate) struct RalphCommand<'a> {
    environment: &'a TestEnvironment,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    folder: PathBuf,
    stdin: Vec<u8>,
    prelude: Option<String>,
}

impl<'a> RalphCommand<'a> {
    pub(super) fn new<S: AsRef<OsStr>>(
        environment: &'a TestEnvironment,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        let path = (OsString::from("PATH"), environment.search_path());
        Self {
            environment,
            arguments: arguments
                .into_iter()
                .map(|argument| argument.as_ref().to_owned())
                .collect(),
            variables: vec![
                path,
                ("HOME".into(), environment.home().into()),
                ("TMPDIR".into(), environment.path("tmp").into()),
                ("LANG".into(), "C.UTF-8".into()),
            ],
            folder: environment.root(),
            stdin: Vec::new(),
            prelude: None,
        }
    }

    /// Has the system refuse files longer than this many blocks of 512 bytes, in
    /// the middle of a write.
    pub(crate) fn with_files_up_to(self, blocks: usize) -> Self {
        self.after(format!("ulimit -f {blocks}"))
    }

    /// Has a shell run a command first and then become the call.
    pub(crate) fn after(mut self, command: impl Into<String>) -> Self {
        self.prelude = Some(command.into());
        self
    }

    /// Sets a variable of the environment.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables
            .push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// Runs in another folder, relative to the project.
    pub(crate) fn in_folder(mut self, folder: impl AsRef<std::path::Path>) -> Self {
        self.folder = self.environment.root().join(folder);
        self
    }

    /// Gives standard input.
    pub(crate) fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        bytes.as_ref().clone_into(&mut self.stdin);
        self
    }

    /// The call as a command of the standard library, with nothing on standard
    /// input and both outputs captured, for tests that watch it run.
    pub(crate) fn into_std(self) -> Command {
        let ralph = env!("CARGO_BIN_EXE_ralph");
        let mut command = match self.prelude {
            None => Command::new(ralph),
            Some(prelude) => {
                let script = format!("{prelude}; exec \"$0\" \"$@\"");
                let mut shell = Command::new("/bin/sh");
                shell.args(["-c", &script, ralph]);
                shell
            }
        };
        command
            .args(&self.arguments)
            .env_clear()
            .envs(self.variables)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(mut self) -> Ran {
        let environment = self.environment;
        let stdin = std::mem::take(&mut self.stdin);
        let mut child = self.into_std().stdin(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        std::thread::scope(|scope| {
            // A program that does not read its input closes the pipe early.
            scope.spawn(move || drop(pipe.write_all(&stdin)));
            Ran::new(environment, child.wait_with_output().unwrap())
        })
    }
}
