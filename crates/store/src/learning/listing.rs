//! What a folder of learning holds.

use std::io;

use crate::{Action, ConfineError, FileError, Root, RootPath};

/// The names in a folder, sorted; none where there is no folder, or something
/// else. Names that are no UTF-8 are not ours.
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
