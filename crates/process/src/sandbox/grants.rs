//! What a program is granted where nothing else is allowed.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::rules::{FileAccess, FileRules};

/// What is granted below a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grant {
    /// To list folders.
    List,
    /// To read and to execute.
    Read,
    /// To read, to execute and to change.
    Write,
}

impl Grant {
    const ALL: [Self; 3] = [Self::List, Self::Read, Self::Write];

    /// Returns the option of the launcher that grants it.
    const fn option(self) -> &'static str {
        match self {
            Self::List => "--list",
            Self::Read => "--read",
            Self::Write => "--write",
        }
    }

    pub(crate) fn of_option(option: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|grant| grant.option() == option)
    }
}

/// What a program is granted, by path. All grants above a path hold for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Grants(Vec<(PathBuf, Grant)>);

/// Devices that programs write to, without the terminal of the user; programs that
/// open terminals of their own do so by `/dev/ptmx`.
const DEVICES: [&str; 6] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];

impl Grants {
    /// Collects grants.
    pub(crate) const fn new(grants: Vec<(PathBuf, Grant)>) -> Self {
        Self(grants)
    }

    /// The grants with the same result as rules. Nothing can be taken from a grant, so
    /// a folder with other rules below it is granted entry by entry: what is created in
    /// it later is not.
    pub(super) fn of(rules: &FileRules) -> Self {
        let mut grants = Self::default();
        let root = Path::new("/");
        grants.add(root, rules.at(root).unwrap_or(FileAccess::Read), rules);
        let devices = DEVICES.iter().map(|path| (path.into(), Grant::Write));
        grants.0.extend(devices);
        grants
    }

    fn add(&mut self, path: &Path, access: FileAccess, rules: &FileRules) {
        if !rules.has_below(path) {
            let grant = match access {
                FileAccess::Hidden => return,
                FileAccess::Read => Grant::Read,
                FileAccess::Write => Grant::Write,
            };
            self.0.push((path.to_owned(), grant));
            return;
        }
        if access != FileAccess::Hidden {
            self.0.push((path.to_owned(), Grant::List));
        }
        // A folder that cannot be listed is not readable for the program either.
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            // A link would grant what it leads to.
            if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
                let path = entry.path();
                let access = rules.at(&path).unwrap_or(access);
                self.add(&path, access, rules);
            }
        }
    }

    pub(crate) fn arguments(&self) -> impl Iterator<Item = OsString> {
        let grants = self.0.iter();
        grants.flat_map(|(path, grant)| [grant.option().into(), path.clone().into()])
    }

    #[cfg(target_os = "linux")]
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Path, Grant)> {
        self.0.iter().map(|(path, grant)| (&**path, *grant))
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "rules are about files that exist"
)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_other_rules_in_it_is_granted_entry_by_entry() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for name in ["lane/tasks/1", "lane/tasks/2", "lane/lane.git", "project"] {
            std::fs::create_dir_all(top.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(top.join("lane/tasks"), top.join("link")).unwrap();
        let rules = FileRules::default()
            .with(&top.join("lane/tasks"), FileAccess::Hidden)
            .with(&top.join("lane/tasks/1"), FileAccess::Write);
        let grants = Grants::of(&rules);
        let mut found: Vec<_> = grants
            .0
            .iter()
            .filter_map(|(path, grant)| {
                let below = path.strip_prefix(&top).ok()?;
                Some(format!("{} {}", grant.option(), below.display()))
            })
            .collect();
        found.sort();
        assert_eq!(
            found,
            [
                "--list ",
                "--list lane",
                "--read lane/lane.git",
                "--read project",
                "--write lane/tasks/1"
            ]
        );
        assert!(grants.0.contains(&("/dev/null".into(), Grant::Write)));
        assert!(grants.0.contains(&("/".into(), Grant::List)));
    }
}
