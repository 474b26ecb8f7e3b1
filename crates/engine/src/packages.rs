//! The package managers of a project, by their lock files.

use std::path::Path;

/// The lock files of a package manager, and what installs exactly what they name.
type Manager = (&'static [&'static str], &'static str);

const OF_NODE: [Manager; 4] = [
    (&["pnpm-lock.yaml"], "pnpm install --frozen-lockfile"),
    (&["yarn.lock"], "yarn install --frozen-lockfile"),
    (&["bun.lock", "bun.lockb"], "bun install --frozen-lockfile"),
    (&["package-lock.json", "npm-shrinkwrap.json"], "npm ci"),
];

const OTHERS: [Manager; 2] = [
    (&["uv.lock"], "uv sync --frozen"),
    (&["poetry.lock"], "poetry install"),
];

/// The table of `ralph.toml` that prepares checkouts of a project, which have what git
/// tracks alone: it installs what lock files name and fetches submodules. `None` where
/// nothing is to be prepared.
pub fn proposed_setup(root: &Path) -> Option<String> {
    let modules = root.join(".gitmodules").is_file();
    let modules = modules.then_some("git submodule update --init");
    let is_used = |(locks, _): &&Manager| locks.iter().any(|lock| root.join(lock).is_file());
    // Of several lock files of Node only one is in use.
    let of_node = OF_NODE.iter().find(is_used);
    let managers = of_node.into_iter().chain(OTHERS.iter().filter(is_used));
    let commands = managers.map(|(_, install)| *install);
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
    fn lock_files_decide_the_setup() {
        let cases: [(&[&str], Option<&str>); 9] = [
            (&[], None),
            (&["Cargo.lock"], None),
            (&["package-lock.json"], Some("\"npm ci\"")),
            (
                &["package-lock.json", "pnpm-lock.yaml"],
                Some("\"pnpm install --frozen-lockfile\""),
            ),
            (&["yarn.lock"], Some("\"yarn install --frozen-lockfile\"")),
            (&["bun.lock"], Some("\"bun install --frozen-lockfile\"")),
            (&["bun.lockb"], Some("\"bun install --frozen-lockfile\"")),
            (&["poetry.lock"], Some("\"poetry install\"")),
            (
                &[".gitmodules", "npm-shrinkwrap.json", "uv.lock"],
                Some("\"git submodule update --init\", \"npm ci\", \"uv sync --frozen\""),
            ),
        ];
        for (files, commands) in cases {
            let root = tempfile::tempdir().expect("a folder");
            for file in files {
                std::fs::write(root.path().join(file), "").expect("a file");
            }
            let expected = commands.map(|commands| format!("lane.setup = [{commands}]"));
            assert_eq!(proposed_setup(root.path()), expected, "{files:?}");
        }
    }
}
