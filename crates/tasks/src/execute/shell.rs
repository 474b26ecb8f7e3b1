//! The shell that runs backpressure commands.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use review_document::command::Script;
use review_process::{Command, find_program};

use crate::machine::PlannedTask;

/// The shell that runs backpressure commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shell {
    /// This bash: a pipeline fails when any of its commands does.
    Bash(PathBuf),
    /// The system's `sh`: a pipeline has the status of its last command.
    Sh,
}

impl Shell {
    /// Returns the best shell in `path`, the value of the variable `PATH`, resolved
    /// from `folder`.
    pub fn find(path: Option<&OsStr>, folder: &Path) -> Self {
        find_program(Path::new("bash"), path, folder).map_or(Self::Sh, Self::Bash)
    }

    /// Returns the command that runs a script in a folder.
    pub(crate) fn command(&self, script: &str, folder: &Path) -> Command {
        match self {
            Self::Bash(bash) => Command::new(bash, folder).args(["-o", "pipefail", "-c", script]),
            Self::Sh => Command::new("sh", folder).args(["-c", script]),
        }
    }

    /// Returns whether a command of the task has a pipeline that this shell does not
    /// check in full.
    pub(crate) fn leaves_pipelines_unchecked(&self, task: &PlannedTask) -> bool {
        let mut scripts = task.commands.iter();
        *self == Self::Sh && scripts.any(|script| Script::parse(script).has_pipeline())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::tests::fixture::task;

    #[test]
    fn without_bash_on_the_path_sh_is_used() {
        assert_eq!(Shell::find(None, Path::new("/")), Shell::Sh);
        let nowhere = Path::new("/nonexistent");
        assert_eq!(
            Shell::find(Some(nowhere.as_os_str()), Path::new("/")),
            Shell::Sh
        );
    }

    #[test]
    fn bash_checks_whole_pipelines() {
        let folder = Path::new("/project");
        let bash = Shell::Bash("/bin/bash".into()).command("a | b", folder);
        assert_eq!(bash.program, Path::new("/bin/bash"));
        assert_eq!(bash.args, ["-o", "pipefail", "-c", "a | b"]);
        assert_eq!(bash.cwd, folder);
        let sh = Shell::Sh.command("a | b", folder);
        assert_eq!(sh.program, Path::new("sh"));
        assert_eq!(sh.args, ["-c", "a | b"]);
    }

    #[test]
    fn a_pipeline_is_unchecked_without_bash() {
        for (commands, unchecked) in [
            (&["make check"][..], false),
            (&["make a || make b"], false),
            (&["make a", "make b | tee log"], true),
            (&["grep 'a | b' file"], false),
        ] {
            let task = PlannedTask {
                commands: commands.iter().map(ToString::to_string).collect(),
                ..task(1, &[])
            };
            assert_eq!(Shell::Sh.leaves_pipelines_unchecked(&task), unchecked);
            let bash = Shell::Bash("bash".into());
            assert!(!bash.leaves_pipelines_unchecked(&task));
        }
    }
}
