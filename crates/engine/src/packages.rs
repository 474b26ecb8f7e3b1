//! The package managers of a project, by their lock files.

use std::path::Path;

/// What installs the packages that a lock file names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Installer {
    /// Its program.
    pub program: &'static str,
    /// What runs the script `test` of a `package.json`; `None` outside of Node.
    pub test: Option<&'static str>,
    locks: &'static [&'static str],
    /// What installs exactly what the lock file names.
    install: &'static str,
}

const NPM: Installer = Installer {
    program: "npm",
    test: Some("npm test"),
    locks: &["package-lock.json", "npm-shrinkwrap.json"],
    install: "npm ci",
};

const ALL: [Installer; 6] = [
    Installer {
        program: "pnpm",
        test: Some("pnpm test"),
        locks: &["pnpm-lock.yaml"],
        install: "pnpm install --frozen-lockfile",
    },
    Installer {
        program: "yarn",
        test: Some("yarn test"),
        locks: &["yarn.lock"],
        install: "yarn install --frozen-lockfile",
    },
    Installer {
        program: "bun",
        test: Some("bun run test"),
        locks: &["bun.lock", "bun.lockb"],
        install: "bun install --frozen-lockfile",
    },
    NPM,
    Installer {
        program: "uv",
        test: None,
        locks: &["uv.lock"],
        install: "uv sync --frozen",
    },
    Installer {
        program: "poetry",
        test: None,
        locks: &["poetry.lock"],
        install: "poetry install",
    },
];

impl Installer {
    /// The one whose script `test` has node itself look for the tests of a project; `None`
    /// without such a script: any other runner takes no test of node's for its own.
    ///
    /// # Errors
    /// When `package.json` is not JSON.
    pub fn of_tests(root: &Path) -> Result<Option<Self>, serde_json::Error> {
        let package = package(root)?;
        let script = package["scripts"]["test"].as_str().unwrap_or_default();
        let words: Vec<_> = script.split_whitespace().collect();
        let is_of_node = matches!(words.split_first(), Some((&"node", options))
            if options.contains(&"--test") && options.iter().all(|word| word.starts_with("--")));
        Ok(is_of_node.then(|| Self::of_node(root)))
    }

    /// The one that a project of Node has a lock file of, else npm.
    fn of_node(root: &Path) -> Self {
        let mut of_node = ALL.into_iter().filter(|manager| manager.test.is_some());
        let locked = of_node.find(|manager| manager.is_used(root));
        locked.unwrap_or(NPM)
    }

    fn is_used(&self, root: &Path) -> bool {
        self.locks.iter().any(|lock| root.join(lock).is_file())
    }
}

/// The `package.json` of a project.
fn package(root: &Path) -> Result<serde_json::Value, serde_json::Error> {
    let package = review_store::read_file(&root.join("package.json")).unwrap_or_default();
    let mark = "\u{feff}".as_bytes();
    serde_json::from_slice(package.strip_prefix(mark).unwrap_or(&package))
}

/// The table of `ralph.toml` that prepares checkouts of a project, which have what git
/// tracks alone: it installs what lock files name and fetches submodules. `None` where
/// nothing is to be prepared.
pub fn proposed_setup(root: &Path) -> Option<String> {
    let modules = root.join(".gitmodules").is_file();
    let modules = modules.then_some("git submodule update --init");
    let (of_node, others): (Vec<&Installer>, Vec<_>) = ALL
        .iter()
        .filter(|manager| manager.is_used(root))
        .partition(|manager: &&Installer| manager.test.is_some());
    // Of several lock files of Node the first is of the manager that `init` uses.
    let managers = of_node.into_iter().take(1).chain(others);
    let commands = managers.map(|manager| manager.install);
    let commands = modules.into_iter().chain(commands);
    let commands: Vec<_> = commands.map(|command| format!("\"{command}\"")).collect();
    (!commands.is_empty()).then(|| format!("lane.setup = [{}]", commands.join(", ")))
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "a test creates the lock files that it is about"
)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_decides_the_manager_and_the_setup() {
        let cases: [(&[&str], &str, Option<&str>); 9] = [
            (&[], "npm test", None),
            (&["Cargo.lock"], "npm test", None),
            (&["package-lock.json"], "npm test", Some("\"npm ci\"")),
            (
                &["package-lock.json", "pnpm-lock.yaml"],
                "pnpm test",
                Some("\"pnpm install --frozen-lockfile\""),
            ),
            (
                &["yarn.lock"],
                "yarn test",
                Some("\"yarn install --frozen-lockfile\""),
            ),
            (
                &["bun.lock"],
                "bun run test",
                Some("\"bun install --frozen-lockfile\""),
            ),
            (
                &["bun.lockb"],
                "bun run test",
                Some("\"bun install --frozen-lockfile\""),
            ),
            (&["poetry.lock"], "npm test", Some("\"poetry install\"")),
            (
                &[".gitmodules", "npm-shrinkwrap.json", "uv.lock"],
                "npm test",
                Some("\"git submodule update --init\", \"npm ci\", \"uv sync --frozen\""),
            ),
        ];
        for (files, test, commands) in cases {
            let root = tempfile::tempdir().expect("a folder");
            for file in files {
                std::fs::write(root.path().join(file), "").expect("a file");
            }
            let manager = Installer::of_node(root.path());
            assert_eq!(manager.test, Some(test), "{files:?}");
            let expected = commands.map(|commands| format!("lane.setup = [{commands}]"));
            assert_eq!(proposed_setup(root.path()), expected, "{files:?}");
        }
    }
}
