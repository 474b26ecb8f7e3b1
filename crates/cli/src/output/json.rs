//! Machine output.

use serde::Serialize;

use crate::error::{CommandError, cannot};

/// A value as one line of JSON, line end included.
///
/// # Errors
/// When the value has no JSON form.
pub(crate) fn to_json(value: &impl Serialize) -> Result<Vec<u8>, CommandError> {
    let mut line = serde_json::to_vec(value).map_err(cannot("write the result as JSON"))?;
    line.push(b'\n');
    Ok(line)
}
