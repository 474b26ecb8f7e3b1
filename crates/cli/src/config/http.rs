//! The models behind HTTP APIs in the configuration.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

#[cfg(test)]
use review_agents::Api;
use review_agents::{HttpProfile, ProfileName};
use serde_json::{Map, Value as Json, json};
use toml::de::DeValue;

use super::fault::ValueFault;
use super::tables::{Fields, each_in_text, each_in_toml};
use super::value::Value;

const KEYS: [&str; 6] = [
    "api",
    "base_url",
    "model",
    "key_env",
    "max_tokens",
    "structured_output",
];

/// Profiles by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HttpProfiles(BTreeMap<ProfileName, HttpProfile>);

impl HttpProfiles {
    /// The profiles.
    pub(crate) fn by_name(&self) -> &BTreeMap<ProfileName, HttpProfile> {
        &self.0
    }

    fn add(&mut self, name: &str, fields: &Map<String, Json>) -> Result<(), ValueFault> {
        let profile = profile(name, fields)?;
        let name = name.parse();
        self.0.insert(name.map_err(ValueFault::told)?, profile);
        Ok(())
    }
}

fn profile(name: &str, fields: &Map<String, Json>) -> Result<HttpProfile, ValueFault> {
    let table = format!("http.{name}");
    let fields = Fields::new(&table, fields, &KEYS)?;
    let count = |value: &Json| NonZeroU32::new(u32::try_from(value.as_u64()?).ok()?);
    let structured = fields.get("structured_output", bool::EXPECTED, Json::as_bool)?;
    let model = |value: &Json| value.as_str()?.parse().ok();
    let model = fields.get("model", "the name of a model", model)?;
    Ok(HttpProfile {
        api: fields.needed("api", fields.parsed("api")?)?,
        base_url: fields.parsed("base_url")?,
        model: fields.needed("model", model)?,
        key_env: fields.parsed("key_env")?,
        max_tokens: fields.get("max_tokens", NonZeroU32::EXPECTED, count)?,
        structured_output: structured.unwrap_or(true),
    })
}

impl Value for HttpProfiles {
    const EXPECTED: &'static str = "a table of profiles, each with api and model";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        let mut profiles = Self::default();
        each_in_text(text, |name, fields| profiles.add(name, fields))?;
        Ok(profiles)
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        let mut profiles = Self::default();
        each_in_toml(value, |name, fields| profiles.add(name, fields))?;
        Ok(profiles)
    }

    fn to_json(&self) -> Json {
        let each = |(name, profile): (&ProfileName, &HttpProfile)| {
            let mut fields = json!(profile);
            if let Some(fields) = fields.as_object_mut() {
                fields.retain(|_, value| !value.is_null());
            }
            (name.to_string(), fields)
        };
        Json::Object(self.0.iter().map(each).collect())
    }

    #[cfg(test)]
    fn schema() -> Json {
        let text = json!({ "type": "string", "minLength": 1 });
        json!({
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "additionalProperties": false,
                "required": ["api", "model"],
                "properties": {
                    "api": { "enum": Api::ALL.map(Api::as_str) },
                    "base_url": { "type": "string", "pattern": "^https?://" },
                    "model": text,
                    "key_env": { "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$" },
                    "max_tokens": NonZeroU32::schema(),
                    "structured_output": bool::schema(),
                },
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<HttpProfiles, String> {
        HttpProfiles::from_text(text).map_err(|fault| {
            let said = fault.said("http", HttpProfiles::EXPECTED);
            let help = said.help.map(|help| format!("; {help}"));
            format!("{}{}", said.message, help.unwrap_or_default())
        })
    }

    #[test]
    fn a_profile_is_read_with_its_defaults_and_shown_with_what_it_has() {
        let text = r#"{"a": {"api": "gemini", "model": "m"}, "b.2": {"api": "openai-chat",
            "model": "n", "base_url": "http://localhost:11434/v1/", "key_env": "K",
            "max_tokens": 9, "structured_output": false}}"#;
        let profiles = read(text).unwrap();
        let shown = json!({
            "a": {"api": "gemini", "model": "m", "structured_output": true},
            "b.2": {"api": "openai-chat", "model": "n", "base_url": "http://localhost:11434/v1",
                "key_env": "K", "max_tokens": 9, "structured_output": false},
        });
        assert_eq!(profiles.to_json(), shown);
        assert_eq!(read(&shown.to_string()), Ok(profiles));
    }

    #[test]
    fn what_is_wrong_with_a_profile_is_said() {
        for (text, message) in [
            (
                "[]",
                "`http` must be a table of profiles, each with api and model",
            ),
            (
                r#"{"a": 1}"#,
                "`http` must be a table of profiles, each with api and model",
            ),
            (r#"{"a": {"model": "m"}}"#, "`http`: `http.a` needs `api`"),
            (
                r#"{"a": {"api": "gemini"}}"#,
                "`http`: `http.a` needs `model`",
            ),
            (
                r#"{"a": {"api": "openai", "model": "m"}}"#,
                "`http`: `api` of `http.a` must be anthropic, openai-chat, openai-responses or gemini",
            ),
            (
                r#"{"a": {"apii": "gemini"}}"#,
                "`http`: unknown key `apii` in `http.a`; did you mean `api`?",
            ),
            (
                r#"{"a": {"api": "gemini", "model": "m", "key_env": "sk-x"}}"#,
                "`http`: `key_env` of `http.a` must be the name of a variable that holds the key, never the key itself",
            ),
            (
                r#"{"a": {"api": "gemini", "model": "m", "base_url": "x"}}"#,
                "`http`: `base_url` of `http.a` must be an address such as https://api.example.com/v1, without name, password, query or fragment",
            ),
            (
                r#"{"a": {"api": "gemini", "model": "m", "max_tokens": 0}}"#,
                "`http`: `max_tokens` of `http.a` must be a whole number from 1",
            ),
            (
                r#"{"a": {"api": "gemini", "model": "m", "structured_output": 1}}"#,
                "`http`: `structured_output` of `http.a` must be true or false",
            ),
            (
                r#"{"a": {"api": "gemini", "model": "a b"}}"#,
                "`http`: `model` of `http.a` must be the name of a model",
            ),
            (
                r#"{"a b": {"api": "gemini", "model": "m"}}"#,
                "`http`: \"a b\" is no name of a profile; write `http:NAME`, where ralph.toml has a table [http.NAME]",
            ),
        ] {
            assert_eq!(read(text).unwrap_err(), message);
        }
    }
}
