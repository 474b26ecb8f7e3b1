//! The variables that programs in a private checkout see.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use review_lane::{BUILD, Place, passes};
use review_store::RUN_VARIABLE;
use review_types::{RunId, TaskNumber, UnitId};

use super::seats::{PORTS, Seat};
use crate::judging::{NAME_VARIABLE, is_ralphs, program_name};

/// Variables that name the folder in which ralph was started, or its package.
const OF_OTHER_FOLDERS: [&str; 8] = [
    "OLDPWD",
    "INIT_CWD",
    "PROJECT_CWD",
    "CARGO_MANIFEST_DIR",
    "CARGO_BUILD_BUILD_DIR",
    "VSCODE_CWD",
    "CLAUDE_PROJECT_DIR",
    "PYTEST_CURRENT_TEST",
];
const PREFIXES: [&[u8]; 3] = [b"npm_", b"CARGO_PKG_", b"DIRENV_"];

/// The variables by which programs find others, and their modules.
const FOUND_BY: [&str; 4] = ["PATH", "VIRTUAL_ENV", "PYTHONPATH", "NODE_PATH"];

/// The variable by which Docker Compose names containers.
const COMPOSE_NAME: &str = "COMPOSE_PROJECT_NAME";

/// What a program in a checkout is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Implementer,
    Reviewer,
    Setup,
    Gate,
}

impl Role {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Implementer => "implementer",
            Self::Reviewer => "reviewer",
            Self::Setup => "setup",
            Self::Gate => "gate",
        }
    }
}

/// What is done in a checkout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work<'a> {
    pub(super) place: &'a Place,
    pub(super) run: &'a RunId,
    pub(super) unit: &'a UnitId,
    pub(super) task: Option<TaskNumber>,
    /// Number of the attempt. A command that judges has none: its result is that of the
    /// files.
    pub(super) attempt: Option<u32>,
    pub(super) role: Role,
    /// The ports that its programs may use.
    pub(super) seat: Option<&'a Seat>,
}

impl<'a> Work<'a> {
    /// Whose work it is: the setup of a checkout is that of its agent or of the gate.
    pub(super) fn seen_by(&self) -> Role {
        match (self.role, self.attempt) {
            (Role::Setup, Some(_)) => Role::Implementer,
            (Role::Setup, None) => Role::Gate,
            (role, _) => role,
        }
    }

    /// For a task, with its ports.
    pub(super) const fn of(self, task: TaskNumber, seat: &'a Seat) -> Self {
        Self {
            task: Some(task),
            seat: Some(seat),
            ..self
        }
    }

    /// For an attempt at a task.
    pub(super) const fn at(self, attempt: u32) -> Self {
        Self {
            attempt: Some(attempt),
            ..self
        }
    }

    /// The name of its programs, for what they have outside of the checkout.
    pub(super) fn name(&self) -> String {
        program_name(self.run, self.task)
    }

    /// The variables that ralph sets for every program in the checkout; `env` is the
    /// environment of this process. A command that judges does not learn what it is for.
    pub(super) fn variables(
        &self,
        env: &BTreeMap<OsString, OsString>,
    ) -> Vec<(OsString, OsString)> {
        let name = self.name();
        let containers = env.get(OsStr::new(COMPOSE_NAME)).cloned();
        let mut set: Vec<(OsString, OsString)> = vec![
            ("PWD".into(), self.place.root.clone().into()),
            // Cargo takes what another checkout built for its own.
            (
                "CARGO_TARGET_DIR".into(),
                self.place.root.join(BUILD).into(),
            ),
            // Python takes a cached module whose source was replaced within a second.
            ("PYTHONDONTWRITEBYTECODE".into(), "1".into()),
            // All checkouts have the name of the user's folder, from which it is derived.
            (
                COMPOSE_NAME.into(),
                containers.unwrap_or_else(|| name.clone().into()),
            ),
            (NAME_VARIABLE.into(), name.into()),
        ];
        if let Some(parent) = self.place.top.parent() {
            set.push(("GIT_CEILING_DIRECTORIES".into(), parent.into()));
        }
        let mut number = |name: &str, value: Option<u32>| {
            set.extend(value.map(|value| (name.into(), value.to_string().into())));
        };
        let first_port = self.seat.map(|seat| seat.first_port().into());
        number("RALPH_PORT_BASE", first_port);
        number("RALPH_PORT_COUNT", first_port.map(|_| PORTS.into()));
        if self.role != Role::Gate {
            number("RALPH_TASK", self.task.map(TaskNumber::get));
            number("RALPH_ATTEMPT", self.attempt);
            set.extend([
                (RUN_VARIABLE.into(), self.run.as_str().into()),
                ("RALPH_UNIT".into(), self.unit.as_str().into()),
                ("RALPH_ROLE".into(), self.role.as_str().into()),
            ]);
        }
        set
    }

    /// The variables by which programs are found, as they are for an agent: first in the
    /// checkout, then in the user's files, where its client may be.
    pub(super) fn found_by(
        &self,
        env: &[(OsString, OsString)],
        user: &Path,
    ) -> Vec<(OsString, OsString)> {
        let found_by = env
            .iter()
            .filter(|(name, _)| FOUND_BY.iter().any(|by| name == *by));
        let moved = found_by.filter_map(|(name, value)| {
            let here = moved(value, user, &self.place.root);
            let is_moved = here != *value;
            let here = match name == "PATH" {
                true => with_users(&here, value, user),
                false => here,
            };
            is_moved.then(|| (name.clone(), here))
        });
        moved.collect()
    }

    /// The environment of this process for a command of the user's in the checkout:
    /// without what leads to another folder or repository. Paths below the user's root
    /// are those of the checkout, so that nothing of the user's is tested.
    pub(super) fn environment(
        &self,
        env: &BTreeMap<OsString, OsString>,
        user: &Path,
    ) -> Vec<(OsString, OsString)> {
        let own = self.variables(env);
        let kept = env.iter().filter(|(name, _)| is_kept(name));
        let kept = kept.filter(|(name, _)| own.iter().all(|(own, _)| own != *name));
        let moved = kept.map(|(name, value)| (name.clone(), moved(value, user, &self.place.root)));
        moved.chain(own.iter().cloned()).collect()
    }
}

fn is_kept(name: &OsStr) -> bool {
    passes(name)
        && !is_ralphs(name)
        && OF_OTHER_FOLDERS.iter().all(|other| name != *other)
        && PREFIXES
            .iter()
            .all(|prefix| !name.as_encoded_bytes().starts_with(prefix))
}

/// A value whose paths below one folder are below another.
fn moved(value: &OsStr, from: &Path, to: &Path) -> OsString {
    if !contains(
        value.as_encoded_bytes(),
        from.as_os_str().as_encoded_bytes(),
    ) {
        return value.to_owned();
    }
    let paths = std::env::split_paths(value).map(|path| match path.strip_prefix(from) {
        Ok(below) if below.as_os_str().is_empty() => to.to_owned(),
        Ok(below) => to.join(below),
        Err(_) => path,
    });
    std::env::join_paths(paths).unwrap_or_else(|_| value.to_owned())
}

/// A value of `PATH` and, after it, the folders of another one that are the user's.
fn with_users(path: &OsStr, other: &OsStr, user: &Path) -> OsString {
    let users = std::env::split_paths(other).filter(|folder| folder.starts_with(user));
    let folders = std::env::split_paths(path).chain(users);
    std::env::join_paths(folders).unwrap_or_else(|_| path.to_owned())
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len().max(1)).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use review_store::HostDir;

    use super::super::seats::Seats;
    use super::*;

    fn place() -> Place {
        Place {
            top: "/lanes/run/verify/project".into(),
            root: "/lanes/run/verify/project/api".into(),
        }
    }

    /// What a gate sees in this environment.
    fn environment(env: &[(&str, &str)]) -> BTreeMap<String, String> {
        environment_of(Role::Gate, env)
    }

    fn environment_of(role: Role, env: &[(&str, &str)]) -> BTreeMap<String, String> {
        let folder = tempfile::TempDir::new().expect("a new folder");
        let seats = Seats::new(HostDir::at(folder.path().join("host")), 1);
        let task = TaskNumber::new(7).expect("a valid number");
        let seat = seats.of(task).expect("a free seat");
        let run = RunId::new("01a-0000c0ffee42").expect("a valid id");
        let unit = "api".parse().expect("a valid id");
        let place = place();
        let work = Work {
            place: &place,
            run: &run,
            unit: &unit,
            task: None,
            attempt: None,
            role,
            seat: None,
        };
        let work = work.of(task, &seat).at(2);
        let env = env.iter().map(|(name, value)| (name.into(), value.into()));
        let environment = work.environment(&env.collect(), Path::new("/home/ann/project/api"));
        texts(environment)
    }

    fn texts(variables: Vec<(OsString, OsString)>) -> BTreeMap<String, String> {
        let text = |value: OsString| value.into_string().expect("these are UTF-8");
        let variables = variables.into_iter();
        variables
            .map(|(name, value)| (text(name), text(value)))
            .collect()
    }

    #[test]
    fn a_program_in_a_checkout_finds_the_checkout() {
        let set = environment_of(Role::Setup, &[]);
        for (name, value) in [
            ("PWD", "/lanes/run/verify/project/api"),
            ("RALPH_RUN", "01a-0000c0ffee42"),
            ("RALPH_UNIT", "api"),
            ("RALPH_ROLE", "setup"),
            ("RALPH_TASK", "7"),
            ("RALPH_ATTEMPT", "2"),
            ("RALPH_NAME", "ralph-ffee42-7"),
            ("COMPOSE_PROJECT_NAME", "ralph-ffee42-7"),
            ("RALPH_PORT_BASE", "20000"),
            ("RALPH_PORT_COUNT", "100"),
            ("CARGO_TARGET_DIR", "/lanes/run/verify/project/api/target"),
            ("GIT_CEILING_DIRECTORIES", "/lanes/run/verify"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
        ] {
            assert_eq!(set.get(name).map(String::as_str), Some(value), "{name}");
        }
    }

    #[test]
    fn a_command_that_judges_is_not_told_that_it_does() {
        let set = environment(&[("RALPH_ROLE", "implementer"), ("RALPH_RUN", "outer")]);
        let told: Vec<_> = set
            .keys()
            .filter(|name| name.starts_with("RALPH_"))
            .collect();
        assert_eq!(told, ["RALPH_NAME", "RALPH_PORT_BASE", "RALPH_PORT_COUNT"]);
    }

    #[test]
    fn a_name_for_containers_that_the_user_has_set_is_kept() {
        let set = environment(&[("COMPOSE_PROJECT_NAME", "mine")]);
        assert_eq!(set["COMPOSE_PROJECT_NAME"], "mine");
    }

    #[test]
    fn an_agent_finds_programs_in_its_checkout_and_then_in_the_users_files() {
        let place = place();
        let run = RunId::new("01a").expect("a valid id");
        let unit = "api".parse().expect("a valid id");
        let work = Work {
            place: &place,
            run: &run,
            unit: &unit,
            task: None,
            attempt: None,
            role: Role::Implementer,
            seat: None,
        };
        let found_by = |env: &[(&str, &str)]| {
            let env = env.iter().map(|(name, value)| (name.into(), value.into()));
            let env: Vec<(OsString, OsString)> = env.collect();
            texts(work.found_by(&env, Path::new("/home/ann/project/api")))
        };
        let users = "/home/ann/project/api/.venv";
        let here = "/lanes/run/verify/project/api/.venv";
        let found = found_by(&[
            ("PATH", &format!("{users}/bin:/usr/bin")),
            ("VIRTUAL_ENV", users),
            ("PYTHONPATH", "/usr/lib/python"),
            ("NOTES", users),
        ]);
        let path = format!("{here}/bin:/usr/bin:{users}/bin");
        let expected = [("PATH", path.as_str()), ("VIRTUAL_ENV", here)];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(found, BTreeMap::from(expected));
    }

    #[test]
    fn nothing_leads_to_the_users_folder_or_repository() {
        let set = environment(&[
            ("GIT_DIR", "/home/ann/project/.git"),
            ("GIT_AUTHOR_NAME", "Ann"),
            ("npm_config_x", "1"),
            ("OLDPWD", "/home/ann"),
            ("HOME", "/home/ann"),
            (
                "PATH",
                "/home/ann/project/api/.venv/bin:/usr/bin:/home/ann/project/apis",
            ),
            ("VIRTUAL_ENV", "/home/ann/project/api/.venv"),
            ("CARGO_TARGET_DIR", "/tmp/shared"),
        ]);
        assert_eq!(set.get("GIT_DIR"), None);
        assert_eq!(set["GIT_AUTHOR_NAME"], "Ann");
        assert_eq!(set.get("npm_config_x"), None);
        assert_eq!(set.get("OLDPWD"), None);
        assert_eq!(set["HOME"], "/home/ann");
        let checkout = "/lanes/run/verify/project/api";
        assert_eq!(
            set["PATH"],
            format!("{checkout}/.venv/bin:/usr/bin:/home/ann/project/apis")
        );
        assert_eq!(set["VIRTUAL_ENV"], format!("{checkout}/.venv"));
        assert_eq!(set["CARGO_TARGET_DIR"], format!("{checkout}/target"));
    }
}
