//! What one call of the binary left.

use std::os::unix::process::ExitStatusExt;
use std::process::Output;

use serde_json::Value;

use super::TestEnvironment;

/// Exit code and outputs of a call, the folders of its environment replaced
/// by their names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    /// The exit code, or 128 and the number of the signal that ended it.
    pub(crate) code: i32,
    /// What it wrote to standard output.
    pub(crate) stdout: String,
    /// What it wrote to standard error.
    pub(crate) stderr: String,
}

impl Ran {
    /// Reads a finished process.
    pub(crate) fn new(environment: &TestEnvironment, output: Output) -> Self {
        let text = |bytes: &[u8]| environment.normalized(&String::from_utf8_lossy(bytes));
        let signal = || output.status.signal().map(|signal| 128 + signal);
        Self {
            code: output.status.code().or_else(signal).unwrap(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// Standard output as one JSON value.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Standard output as one JSON value a line.
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
            .collect()
    }

    /// The command that a report for people says to run next.
    pub(crate) fn next_command(&self) -> Option<&str> {
        let (_, steps) = self.stdout.rsplit_once("\nnext:\n")?;
        steps.lines().find_map(|line| line.strip_prefix("ralph "))
    }

    /// The call itself, after its exit code was compared.
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }
}
