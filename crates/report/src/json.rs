//! JSON, one object a line.

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

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

/// A report with the version of the format.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "{T}")]
pub struct Versioned<T> {
    /// The version of the format.
    v: Version,
    #[serde(flatten)]
    report: T,
}

impl<T> Versioned<T> {
    /// The report in the version that this program writes.
    pub const fn new(report: T) -> Self {
        Self { v: Version, report }
    }
}

/// A report as one line of JSON, with the version of the format and a line end.
#[must_use]
pub fn json(report: &impl Serialize) -> String {
    line(&Versioned::new(report))
}

/// A value as one line of JSON, line end included.
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
