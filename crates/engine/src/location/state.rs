//! The state folder.

use std::path::{Path, PathBuf};

use review_config::{Config, Origin};
use review_store::{StateDir, StateError};

use super::root::repository_of;
use super::{Disk, Probe, absolute, root_of};

/// The folder of the state of roots below the top of a repository, in a state folder
/// that a flag or variable names.
const ROOTS: &str = "roots";

/// Returns the state folder of a root, for a user in `folder`. Each root has its own,
/// so that runs and records are the same wherever a command is started.
///
/// What the configuration names is relative to the root; where that belongs to another
/// repository than `folder`, which is never written to, it is relative to the root of
/// `folder`. What a flag or variable names is relative to `folder`, and has a part for
/// each root below the top of its repository.
pub fn state_folder(config: &Config, folder: &Path, root: &Path) -> PathBuf {
    let is_named = matches!(
        config.origin("state_dir"),
        Origin::Flag(_) | Origin::Variable(_)
    );
    resolve(&config.state_dir, is_named, folder, root, &Disk)
}

fn resolve(
    state: &Path,
    is_named: bool,
    folder: &Path,
    root: &Path,
    probe: &impl Probe,
) -> PathBuf {
    let here = repository_of(folder, probe).filter(|top| root.starts_with(top));
    if !is_named {
        return match here {
            Some(_) => absolute(root, state),
            None => absolute(&root_of(folder, probe), state),
        };
    }
    let top = here.or_else(|| repository_of(root, probe));
    let part = top.and_then(|top| root.strip_prefix(top).ok());
    let state = absolute(folder, state);
    match part {
        Some(part) if !part.as_os_str().is_empty() => state.join(ROOTS).join(part),
        Some(_) | None => state,
    }
}

/// Opens the state folder of a root, for a user in `folder`, and makes it if it is
/// missing.
///
/// # Errors
/// When it cannot be written.
pub fn open_state(config: &Config, folder: &Path, root: &Path) -> Result<StateDir, StateError> {
    let folder = state_folder(config, folder, root);
    match config.origin("state_dir") {
        Origin::Default => match folder.parent() {
            Some(root) => StateDir::under(root),
            None => StateDir::open(&folder),
        },
        Origin::Flag(_) | Origin::Variable(_) | Origin::File { .. } => StateDir::open(&folder),
    }
}

/// Returns the state folder of a root for reading, for a user in `folder`. One that is
/// missing has no records; a temporary one is read in its place, and nothing is made
/// there.
///
/// # Errors
/// When the system has no place for a temporary folder.
pub fn state_for_reading(
    config: &Config,
    folder: &Path,
    root: &Path,
) -> Result<StateDir, StateError> {
    let state = StateDir::at(state_folder(config, folder, root));
    match state.path().is_dir() {
        true => Ok(state),
        false => StateDir::temporary(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::probe::Tree;
    use super::*;

    #[test]
    fn a_root_of_the_repository_has_its_own_state_wherever_the_user_is() {
        let tree = Tree::of(&[
            "/r/.git/HEAD",
            "/r/docs/x.md",
            "/r/a/specs/S.md",
            "/r/b/ralph.toml",
            "/other/specs/S.md",
            "/none/x.md",
        ]);
        let state = |is_named, folder: &str, root: &str| {
            let (folder, root) = (Path::new(folder), Path::new(root));
            resolve(Path::new("st"), is_named, folder, root, &tree)
        };
        for (folder, root, by_default, named) in [
            ("/r", "/r", "/r/st", "/r/st"),
            ("/r/docs", "/r", "/r/st", "/r/docs/st"),
            ("/r", "/r/a", "/r/a/st", "/r/st/roots/a"),
            ("/r/a", "/r/a", "/r/a/st", "/r/a/st/roots/a"),
            ("/r/a", "/r/b", "/r/b/st", "/r/a/st/roots/b"),
            ("/r/a", "/r", "/r/st", "/r/a/st"),
            ("/r/a", "/other", "/r/a/st", "/r/a/st"),
            ("/other", "/r/a", "/other/st", "/other/st/roots/a"),
            ("/none", "/r/a", "/none/st", "/none/st/roots/a"),
            ("/none", "/none", "/none/st", "/none/st"),
        ] {
            let found = [false, true].map(|is_named| state(is_named, folder, root));
            let expected = [by_default, named].map(PathBuf::from);
            assert_eq!(found, expected, "{root} from {folder}");
        }
    }
}
