//! Machine output.

use serde::{Serialize, Serializer};

use crate::error::{CommandError, ErrorKind};

/// The version of the machine output: the field `v` of every object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version;

impl Version {
    const NUMBER: u32 = 1;
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(Self::NUMBER)
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Version {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Version".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "const": Self::NUMBER, "description": "The version of the format." })
    }
}

/// A value as one line of JSON, line end included.
///
/// # Errors
/// When the value has no JSON form.
pub(crate) fn to_json(value: &impl Serialize) -> Result<Vec<u8>, CommandError> {
    let mut line = serde_json::to_vec(value).map_err(|error| {
        CommandError::new(ErrorKind::Output, "cannot write the result as JSON").source(error)
    })?;
    line.push(b'\n');
    Ok(line)
}
