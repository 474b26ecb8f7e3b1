//! JSON values as files.

use std::path::Path;

use crate::{Action, ConfineError, FileError, Root, RootPath};

/// Writes a value that has a JSON form, in one step, in the place of what the file
/// held; makes the file and its folders if need be.
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
