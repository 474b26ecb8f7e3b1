//! The variables of commands that judge: those of tasks, of gates and of checks.
//!
//! Such a command gets the environment of the user, so that its result is that of the
//! user, and no code under test can know that it is judged.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use review_process::git;
use review_types::{RunId, TaskNumber};

/// The variable with the name of the task, or of the run, for databases and containers.
pub(crate) const NAME_VARIABLE: &str = "RALPH_NAME";

/// Returns the name that the programs of a task have, or those of no task.
pub(crate) fn program_name(run: &RunId, task: Option<TaskNumber>) -> String {
    let run: String = run
        .as_str()
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    let short = &run[run.len().saturating_sub(6)..];
    match task {
        Some(task) => format!("ralph-{short}-{task}"),
        None => format!("ralph-{short}"),
    }
}

/// Whether a name is that of a program of a run.
pub(crate) fn is_of_run(name: &str, run: &RunId) -> bool {
    let of_task = name.strip_prefix(&program_name(run, None));
    of_task.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Whether a variable is one of ralph's own, of whichever run.
pub(crate) fn is_ralphs(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"RALPH_")
}

/// The environment of this process for a command that judges in the user's files.
pub(crate) fn variables(
    env: &BTreeMap<OsString, OsString>,
    run: &RunId,
) -> Vec<(OsString, OsString)> {
    let users = env
        .iter()
        .filter(|(name, _)| !is_ralphs(name) && !git::is_local(name));
    let users = users.map(|(name, value)| (name.clone(), value.clone()));
    users
        .chain([(NAME_VARIABLE.into(), program_name(run, None).into())])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_judges_sees_the_users_variables_and_a_name() {
        let env = [
            ("PATH", "/usr/bin"),
            ("GIT_INDEX_FILE", "/p/.git/index.lock"),
            ("GIT_AUTHOR_NAME", "Ann"),
            ("RALPH_ROLE", "implementer"),
            ("RALPH_MAX_CALLS", "3"),
        ];
        let env = env.map(|(name, value)| (name.into(), value.into()));
        let run = RunId::new("01a-0000c0ffee42").expect("a valid id");
        let seen = variables(&BTreeMap::from(env), &run);
        let expected = [
            ("GIT_AUTHOR_NAME", "Ann"),
            ("PATH", "/usr/bin"),
            ("RALPH_NAME", "ralph-ffee42"),
        ];
        let expected = expected.map(|(name, value)| (name.into(), value.into()));
        assert_eq!(seen, expected);
    }

    #[test]
    fn the_name_of_a_task_is_one_of_its_run() {
        let run = RunId::new("01a-0000c0ffee42").expect("a valid id");
        let task = TaskNumber::new(7).expect("a valid number");
        let names = [program_name(&run, None), program_name(&run, Some(task))];
        assert_eq!(names, ["ralph-ffee42", "ralph-ffee42-7"]);
        assert!(names.iter().all(|name| is_of_run(name, &run)));
        assert!(!is_of_run("ralph-ffee421", &run));
    }
}
