//! JSON, one object a line.

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

/// The version of the machine output: the field `v` of every object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version;

impl Version {
    const NUMBER: u32 = 1;
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(Self::NUMBER)
    }
}

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

/// A report as one line of JSON, line end included.
#[expect(
    clippy::expect_used,
    reason = "all keys of a report are strings, and no part of it refuses to be written"
)]
pub(crate) fn line(report: &impl Serialize) -> String {
    let mut line = serde_json::to_string(report).expect("a report has a JSON form");
    line.push('\n');
    line
}

/// A report as a value of JSON.
#[expect(
    clippy::expect_used,
    reason = "all keys of a report are strings, and no part of it refuses to be written"
)]
pub(crate) fn value(report: &impl Serialize) -> Json {
    serde_json::to_value(report).expect("a report has a JSON form")
}
