//! The folders of agents, and the files in them.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use review_flow::hash_bytes;

use crate::{Action, ConfineError, FileError, Root, RootPath};

/// The maximum length of a name; longer ones are replaced by their hash.
const MAX_NAME: usize = 128;

/// The folder name of an agent: its own name if it is a plain one, otherwise its hash.
pub(crate) fn agent_folder(agent: &str) -> Cow<'_, str> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-');
    let fits = !agent.is_empty() && agent.len() <= MAX_NAME;
    if fits && !agent.starts_with('.') && agent.chars().all(is_plain) {
        Cow::Borrowed(agent)
    } else {
        Cow::Owned(hash_bytes(agent.as_bytes()).to_string())
    }
}

/// The names in a folder, sorted; empty if it is not a folder or does not exist. Names
/// that are not UTF-8 are skipped.
pub(super) fn names(root: &Root, folder: &RootPath) -> Result<Vec<String>, ConfineError> {
    let path = root.resolve(folder)?;
    let listed = std::fs::read_dir(&path).and_then(|entries| {
        let names = entries.map(|entry| Ok(entry?.file_name().into_string().ok()));
        names.collect::<io::Result<Vec<_>>>()
    });
    let mut names: Vec<_> = match listed {
        Ok(names) => names.into_iter().flatten().collect(),
        Err(error) if is_no_folder(&error) => Vec::new(),
        Err(error) => return Err(FileError::of(Action::Listed, &path)(error).into()),
    };
    names.sort();
    Ok(names)
}

fn is_no_folder(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Writes a value as JSON, atomically, replacing the content of the file; creates the
/// file and its folders if needed.
pub(super) fn put(
    root: &Root,
    path: &RootPath,
    json: serde_json::Result<Vec<u8>>,
) -> Result<(), ConfineError> {
    let mut json = json.map_err(|error| {
        let path = Path::new(path.as_str());
        FileError::of(Action::Written, path)(error.into())
    })?;
    json.push(b'\n');
    match root.create(path, &json)? {
        true => Ok(()),
        false => root.replace(path, &json),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_is_the_name_of_the_folder() {
        let longest = "a".repeat(MAX_NAME);
        for agent in ["reviewer", "Code-Writer_2.1", longest.as_str()] {
            assert_eq!(agent_folder(agent), agent);
        }
    }

    #[test]
    fn any_other_name_is_hashed() {
        let long = "a".repeat(MAX_NAME + 1);
        for agent in [
            "",
            ".",
            "..",
            ".hidden",
            "a/b",
            "../a",
            "a b",
            "ä",
            long.as_str(),
        ] {
            let folder = agent_folder(agent);
            let is_hash = folder.len() == 64 && folder.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_hash, "{agent:?}: {folder}");
        }
        assert_ne!(agent_folder("a/b"), agent_folder("a/c"));
    }
}
