//! How the values of the configuration are read and shown.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use review::config::{BelowMinimumPolicy, Keep};
use review_agents::{
    AnswerForm, ApplyScope, Backend, Chain, CommandLine, HttpProfile, Models, ProfileName,
};
use review_criteria::Criteria;
use review_document::{parse_duration, write_duration};
use review_lane::{ChangeReview, Dirty, LandMode, Pick, TestsPolicy};
use review_types::{MemoryKey, Severity, Usd};
use schemars::{
    JsonSchema as Described, Schema, generate::SchemaSettings, transform::RecursiveTransform,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};

use crate::fault::ValueFault;

/// A type that a key of the configuration can have. A value of the file or of a
/// variable is read as JSON.
pub(crate) trait Value: Sized {
    /// What a value must be, to be read after "must be".
    const EXPECTED: &'static str;
    /// The word for no value, where there may be none.
    const ABSENT: Option<&'static str> = None;
    /// Whether the value of a variable may be words between commas.
    const IS_LIST: bool = false;

    /// Reads it.
    fn read(value: &Json) -> Result<Self, ValueFault>;

    /// The value as it is shown, and as a file may hold it.
    fn to_json(&self) -> Json;

    /// The JSON schema of the type.
    fn schema() -> Json;
}

/// Reads the value of a variable: a string, else JSON, else the words of a list.
///
/// # Errors
/// The first fault of content that one of these has, else that of their form.
pub(crate) fn read_text<T: Value>(text: &str) -> Result<T, ValueFault> {
    // JSON knows no sign and no zero in front of a number.
    let integer = text.parse::<i64>().ok().map(Json::from);
    let json = integer.or_else(|| serde_json::from_str(text).ok());
    let json = json.filter(|json| !json.is_string());
    let has_words = T::IS_LIST && !json.as_ref().is_some_and(Json::is_array);
    let words = has_words.then(|| {
        let words = text.split(',').map(str::trim);
        words.filter(|word| !word.is_empty()).collect::<Json>()
    });
    let mut fault = ValueFault::Form;
    for value in [Some(Json::from(text)), json, words].iter().flatten() {
        match T::read(value) {
            Ok(value) => return Ok(value),
            Err(found) if fault == ValueFault::Form => fault = found,
            Err(_) => {}
        }
    }
    Err(fault)
}

/// Reads a value as the derive of its type says.
pub(crate) fn derived<T: DeserializeOwned>(value: &Json) -> Result<T, ValueFault> {
    serde_path_to_error::deserialize(value).map_err(|error| ValueFault::of_derive(&error, value))
}

/// The JSON schema that is derived for a type.
pub(crate) fn derived_schema<T: Described>() -> Json {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let settings = settings.with_transform(RecursiveTransform(of_file));
    let root = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = root.to_value();
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("title");
    }
    schema
}

/// A schema for values of a file: TOML has no null.
fn of_file(schema: &mut Schema) {
    let is_null = |kind: &Json| kind == "null" || *kind == json!({ "type": "null" });
    for keyword in ["type", "anyOf"] {
        if let Some(Json::Array(kinds)) = schema.get_mut(keyword) {
            kinds.retain(|kind| !is_null(kind));
        }
    }
    if schema.remove("format") == Some(json!("uint32")) {
        schema.insert("maximum".to_owned(), json!(u32::MAX));
    }
}

/// A type that is read, shown and described as its derives say.
pub(crate) trait Plain: DeserializeOwned + Serialize + Described {
    /// What a value must be, to be read after "must be".
    const EXPECTED: &'static str;
    /// Whether the value of a variable may be words between commas.
    const IS_LIST: bool = false;

    /// Refuses what the derive would take and the configuration does not.
    fn check(_value: &Json) -> Result<(), ValueFault> {
        Ok(())
    }
}

impl<T: Plain> Value for T {
    const EXPECTED: &'static str = <T as Plain>::EXPECTED;
    const IS_LIST: bool = <T as Plain>::IS_LIST;

    fn read(value: &Json) -> Result<Self, ValueFault> {
        T::check(value)?;
        derived(value)
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        derived_schema::<T>()
    }
}

impl Plain for NonZeroU32 {
    const EXPECTED: &'static str = "an integer from 1";
}

impl Plain for u32 {
    const EXPECTED: &'static str = "an integer from 0";
}

impl Plain for MemoryKey {
    const EXPECTED: &'static str = "a word of at most 64 ASCII letters, digits and _ that starts with no digit and is not another field of a request";
}

impl Plain for Keep {
    const EXPECTED: &'static str = "best or last";
}

impl Plain for ApplyScope {
    const EXPECTED: &'static str = "artifact or root";
}

impl Plain for AnswerForm {
    const EXPECTED: &'static str = "verdict or actionable";
}

impl Plain for Severity {
    const EXPECTED: &'static str = "critical, major, minor or suggestion";
}

impl Plain for BelowMinimumPolicy {
    const EXPECTED: &'static str = "revise, block or accept";
}

impl Plain for Dirty {
    const EXPECTED: &'static str = "refuse, include or ignore";
}

impl Plain for ChangeReview {
    const EXPECTED: &'static str = "off or ask";
}

impl Plain for Pick {
    const EXPECTED: &'static str = "ralph or agent";
}

impl Plain for TestsPolicy {
    const EXPECTED: &'static str = "hold or flag";
}

impl Plain for LandMode {
    const EXPECTED: &'static str = "auto, branch or never";
}

/// A table as such: the derive of a struct takes an array of its fields as well.
type Table = Map<String, Json>;

impl Plain for Criteria {
    const EXPECTED: &'static str = "an array of tables with name, description and min_score";

    fn check(value: &Json) -> Result<(), ValueFault> {
        derived::<Vec<Table>>(value).map(drop)
    }
}

impl Plain for BTreeMap<ProfileName, HttpProfile> {
    const EXPECTED: &'static str = "a table of profiles, each with api and model";

    fn check(value: &Json) -> Result<(), ValueFault> {
        derived::<BTreeMap<String, Table>>(value).map(drop)
    }
}

impl Plain for Models {
    const EXPECTED: &'static str = "a table of models, each with window and prices";

    fn check(value: &Json) -> Result<(), ValueFault> {
        derived::<BTreeMap<String, Table>>(value).map(drop)
    }
}

/// A type whose keys have a word for no value.
pub(crate) trait Optional: Value {
    /// The word.
    const WORD: &'static str;
}

impl<T: Optional> Value for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    const ABSENT: Option<&'static str> = Some(T::WORD);

    fn read(value: &Json) -> Result<Self, ValueFault> {
        if value.as_str().map(str::trim) == Self::ABSENT {
            return Ok(None);
        }
        T::read(value).map(Some)
    }

    fn to_json(&self) -> Json {
        match self {
            Some(value) => value.to_json(),
            None => json!(T::WORD),
        }
    }

    fn schema() -> Json {
        json!({ "anyOf": [T::schema(), { "const": T::WORD }] })
    }
}

impl Optional for NonZeroU32 {
    const WORD: &'static str = "unlimited";
}

impl Optional for Usd {
    const WORD: &'static str = "unlimited";
}

impl Value for Usd {
    const EXPECTED: &'static str = "a number of US dollars above 0 such as 2.5";

    fn read(value: &Json) -> Result<Self, ValueFault> {
        let amount = derived(value)
            .ok()
            .filter(|amount: &Self| amount.micro() > 0);
        amount.ok_or(ValueFault::Form)
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        let mut schema = derived_schema::<Self>();
        schema["not"] = json!({ "const": 0 });
        schema
    }
}

/// The string that a value is.
pub(crate) fn string(value: &Json) -> Result<&str, ValueFault> {
    value.as_str().ok_or(ValueFault::Form)
}

impl Value for bool {
    const EXPECTED: &'static str = "a boolean";

    fn read(value: &Json) -> Result<Self, ValueFault> {
        match (value.as_bool(), value.as_str()) {
            (Some(value), _) => Ok(value),
            (None, Some("true" | "on")) => Ok(true),
            (None, Some("false" | "off")) => Ok(false),
            (None, _) => Err(ValueFault::Form),
        }
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        derived_schema::<Self>()
    }
}

impl Value for Duration {
    const EXPECTED: &'static str = "a duration such as 90s, 10m or 2h";

    fn read(value: &Json) -> Result<Self, ValueFault> {
        parse_duration(string(value)?).map_err(|_| ValueFault::Form)
    }

    fn to_json(&self) -> Json {
        json!(write_duration(*self))
    }

    fn schema() -> Json {
        json!({ "type": "string", "pattern": "[0-9].*[A-Za-z:]" })
    }
}

impl Value for PathBuf {
    const EXPECTED: &'static str = "a path";

    fn read(value: &Json) -> Result<Self, ValueFault> {
        match string(value)? {
            "" => Err(ValueFault::Form),
            path => Ok(path.into()),
        }
    }

    fn to_json(&self) -> Json {
        json!(self.display().to_string())
    }

    fn schema() -> Json {
        json!({ "type": "string", "minLength": 1 })
    }
}

impl Optional for PathBuf {
    const WORD: &'static str = "auto";
}

impl Optional for Backend {
    const WORD: &'static str = NONE;
}

impl Value for Backend {
    const EXPECTED: &'static str = "builtin, cmd:PROGRAM ARGS, http:PROFILE, or CLIENT[:MODEL]";

    fn read(value: &Json) -> Result<Self, ValueFault> {
        Backend::single(string(value)?).map_err(ValueFault::new)
    }

    fn to_json(&self) -> Json {
        json!(self.to_string())
    }

    fn schema() -> Json {
        json!({ "type": "string", "pattern": "^(builtin|cmd:.+|http:.+|(opencode|claude|codex|gemini)(:.+)?)$" })
    }
}

impl Value for Chain {
    const EXPECTED: &'static str = "builtin, cmd:PROGRAM ARGS, http:PROFILE, or CLIENT[:MODEL], several with commas between them";

    fn read(value: &Json) -> Result<Self, ValueFault> {
        string(value)?.parse().map_err(ValueFault::new)
    }

    fn to_json(&self) -> Json {
        json!(self.to_string())
    }

    fn schema() -> Json {
        json!({ "type": "string", "pattern": "^(builtin|cmd:.+|http:.+|(opencode|claude|codex|gemini)(:.+)?)(,.+)?$" })
    }
}

/// The word for no program, command or table.
pub(crate) const NONE: &str = "none";

impl Optional for CommandLine {
    const WORD: &'static str = NONE;
}

impl Value for CommandLine {
    const EXPECTED: &'static str = "a program with its arguments";

    fn read(value: &Json) -> Result<Self, ValueFault> {
        match string(value)?.trim() {
            "" => Err(ValueFault::Form),
            line => line.parse().map_err(ValueFault::new),
        }
    }

    fn to_json(&self) -> Json {
        json!(self.to_string())
    }

    fn schema() -> Json {
        json!({ "type": "string", "minLength": 1 })
    }
}
