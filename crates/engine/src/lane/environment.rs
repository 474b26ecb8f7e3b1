//! The variables that programs in a private checkout see.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use review_lane::{Place, passes};
use review_types::{RunId, TaskNumber, UnitId};

/// Variables that name the folder in which ralph was started, or its package.
const OF_OTHER_FOLDERS: [&str; 9] = [
    "OLDPWD",
    "INIT_CWD",
    "PROJECT_CWD",
    "CARGO_MANIFEST_DIR",
    "CARGO_BUILD_BUILD_DIR",
    "VSCODE_CWD",
    "CLAUDE_PROJECT_DIR",
    "PYTEST_CURRENT_TEST",
    "RALPH_ITERATION",
];
const PREFIXES: [&[u8]; 3] = [b"npm_", b"CARGO_PKG_", b"DIRENV_"];

/// What a program in a checkout is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Implementer,
    Setup,
    Gate,
}

impl Role {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Implementer => "implementer",
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
    pub(super) role: Role,
}

impl Work<'_> {
    /// The variables that ralph sets for every program in the checkout.
    pub(super) fn variables(&self) -> Vec<(OsString, OsString)> {
        let run: String = self
            .run
            .as_str()
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        let short = &run[run.len().saturating_sub(6)..];
        let mut set: Vec<(OsString, OsString)> = vec![
            ("PWD".into(), self.place.root.clone().into()),
            ("RALPH_UNIT".into(), self.unit.as_str().into()),
            ("RALPH_ROLE".into(), self.role.as_str().into()),
            // Cargo takes what another checkout built for its own.
            (
                "CARGO_TARGET_DIR".into(),
                self.place.root.join("target").into(),
            ),
            // Python takes a cached module whose source was replaced within a second.
            ("PYTHONDONTWRITEBYTECODE".into(), "1".into()),
        ];
        if let Some(parent) = self.place.top.parent() {
            set.push(("GIT_CEILING_DIRECTORIES".into(), parent.into()));
        }
        if let Some(task) = self.task {
            set.push(("RALPH_TASK".into(), task.to_string().into()));
            set.push(("RALPH_NAME".into(), format!("ralph-{short}-{task}").into()));
        }
        set
    }

    /// The environment of this process for a command of the user's in the checkout:
    /// without what leads to another folder or repository. Paths below the user's root
    /// are those of the checkout, so that nothing of the user's is tested.
    pub(super) fn environment(
        &self,
        env: &BTreeMap<OsString, OsString>,
        user: &Path,
    ) -> Vec<(OsString, OsString)> {
        let own = self.variables();
        let kept = env.iter().filter(|(name, _)| is_kept(name));
        let kept = kept.filter(|(name, _)| own.iter().all(|(own, _)| own != *name));
        let moved = kept.map(|(name, value)| (name.clone(), moved(value, user, &self.place.root)));
        moved.chain(own.iter().cloned()).collect()
    }
}

fn is_kept(name: &OsStr) -> bool {
    passes(name)
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

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len().max(1)).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place {
            top: "/lanes/run/verify/project".into(),
            root: "/lanes/run/verify/project/api".into(),
        }
    }

    fn environment(env: &[(&str, &str)]) -> BTreeMap<String, String> {
        let run = RunId::new("01a-0000c0ffee42").expect("a valid id");
        let unit = "api".parse().expect("a valid id");
        let work = Work {
            place: &place(),
            run: &run,
            unit: &unit,
            task: TaskNumber::new(7),
            role: Role::Gate,
        };
        let env = env.iter().map(|(name, value)| (name.into(), value.into()));
        let environment = work.environment(&env.collect(), Path::new("/home/ann/project/api"));
        let text = |value: OsString| value.into_string().expect("these are UTF-8");
        environment
            .into_iter()
            .map(|(name, value)| (text(name), text(value)))
            .collect()
    }

    #[test]
    fn a_program_in_a_checkout_finds_the_checkout() {
        let set = environment(&[]);
        for (name, value) in [
            ("PWD", "/lanes/run/verify/project/api"),
            ("RALPH_UNIT", "api"),
            ("RALPH_ROLE", "gate"),
            ("RALPH_TASK", "7"),
            ("RALPH_NAME", "ralph-ffee42-7"),
            ("CARGO_TARGET_DIR", "/lanes/run/verify/project/api/target"),
            ("GIT_CEILING_DIRECTORIES", "/lanes/run/verify"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
        ] {
            assert_eq!(set.get(name).map(String::as_str), Some(value), "{name}");
        }
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
