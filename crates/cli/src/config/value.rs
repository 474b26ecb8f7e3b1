//! How the values of the configuration are read and shown.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum as _;
use review::{BelowFailLevel, BelowMinimumPolicy, Keep, RequireScores};
use review_agents::{ApplyScope, Backend, Chain, CommandLine};
use review_document::{parse_duration, write_duration};
use review_engine::{AnswerForm, BuiltinFacts};
use review_types::actionable::Severity;
use review_types::{MemoryKey, Score, Usd};
use serde_json::{Value as Json, json};
use toml::de::DeValue;

use super::fault::ValueFault;
use crate::backend::{parse_backend, parse_chain};
use crate::output::ColorChoice;

/// A type that a key of the configuration can have.
pub(super) trait Value: Sized {
    /// What a value must be, to be read after "must be".
    const EXPECTED: &'static str;

    /// Reads it from a text: a variable, or a TOML string.
    fn from_text(text: &str) -> Result<Self, ValueFault>;

    /// Reads it from the configuration file.
    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        match value.as_str() {
            Some(text) => Self::from_text(text),
            None => Err(ValueFault::Form),
        }
    }

    /// The value as it is shown, and as a file may hold it.
    fn to_json(&self) -> Json;

    /// The JSON schema of the type.
    #[cfg(test)]
    fn schema() -> Json;
}

/// The digits of a TOML integer, in base ten.
pub(super) fn integer(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// Reads a whole number of the file as if it were written as a text.
fn number_from_toml<T: Value>(value: &DeValue<'_>) -> Result<T, ValueFault> {
    match integer(value) {
        Some(number) => T::from_text(&number.to_string()),
        None => Err(ValueFault::Form),
    }
}

impl Value for NonZeroU32 {
    const EXPECTED: &'static str = "a whole number from 1";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        text.parse().map_err(|_| ValueFault::Form)
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        number_from_toml(value)
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX })
    }
}

impl Value for u32 {
    const EXPECTED: &'static str = "a whole number";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        text.parse().map_err(|_| ValueFault::Form)
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        number_from_toml(value)
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX })
    }
}

const UNLIMITED: &str = "unlimited";

impl Value for Option<NonZeroU32> {
    const EXPECTED: &'static str = "a whole number from 1, or \"unlimited\"";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        match text {
            UNLIMITED => Ok(None),
            number => NonZeroU32::from_text(number).map(Some),
        }
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        match value.as_str() {
            Some(UNLIMITED) => Ok(None),
            _ => NonZeroU32::from_toml(value).map(Some),
        }
    }

    fn to_json(&self) -> Json {
        match self {
            Some(number) => json!(number),
            None => json!(UNLIMITED),
        }
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "anyOf": [NonZeroU32::schema(), { "const": UNLIMITED }] })
    }
}

impl Value for Option<Usd> {
    const EXPECTED: &'static str = "a number of US dollars above 0 such as 2.5, or \"unlimited\"";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        match text {
            UNLIMITED => Ok(None),
            amount => {
                let amount: Usd = amount.parse().map_err(|_| ValueFault::Form)?;
                (amount.micro() > 0)
                    .then_some(Some(amount))
                    .ok_or(ValueFault::Form)
            }
        }
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        match value {
            DeValue::Float(float) => Self::from_text(float.as_str()),
            DeValue::Integer(_) => number_from_toml(value),
            _ => value
                .as_str()
                .map_or(Err(ValueFault::Form), Self::from_text),
        }
    }

    fn to_json(&self) -> Json {
        match self {
            Some(amount) => json!(amount.to_string()),
            None => json!(UNLIMITED),
        }
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "anyOf": [
            { "type": "number", "exclusiveMinimum": 0 },
            { "type": "string", "pattern": "^([0-9]+([.][0-9]{1,6})?|unlimited)$" },
        ] })
    }
}

impl Value for MemoryKey {
    const EXPECTED: &'static str =
        "a word of at most 64 ASCII letters, digits and _ that is no other field of a request";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        Self::new(text).map_err(|_| ValueFault::Form)
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]{0,63}$" })
    }
}

impl Value for Score {
    const EXPECTED: &'static str = "a whole number from 0 to 100";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        let number = text.parse().map_err(|_| ValueFault::Form)?;
        Self::new(number).map_err(|_| ValueFault::Form)
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        number_from_toml(value)
    }

    fn to_json(&self) -> Json {
        json!(self.get())
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "type": "integer", "minimum": 0, "maximum": 100 })
    }
}

impl Value for bool {
    const EXPECTED: &'static str = "true or false";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        match text {
            "true" | "on" => Ok(true),
            "false" | "off" => Ok(false),
            _ => Err(ValueFault::Form),
        }
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        match value.as_bool() {
            Some(value) => Ok(value),
            None => value
                .as_str()
                .map_or(Err(ValueFault::Form), Self::from_text),
        }
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "type": "boolean" })
    }
}

impl Value for Duration {
    const EXPECTED: &'static str = "a duration such as 90s, 10m or 2h";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        parse_duration(text).map_err(|_| ValueFault::Form)
    }

    fn to_json(&self) -> Json {
        json!(write_duration(*self))
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "type": "string", "pattern": "[0-9].*[A-Za-z:]" })
    }
}

impl Value for PathBuf {
    const EXPECTED: &'static str = "a path";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        match text {
            "" => Err(ValueFault::Form),
            path => Ok(path.into()),
        }
    }

    fn to_json(&self) -> Json {
        json!(self.display().to_string())
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "type": "string", "minLength": 1 })
    }
}

impl Value for Backend {
    const EXPECTED: &'static str = "builtin, cmd:PROGRAM ARGS, http:PROFILE, or CLIENT[:MODEL]";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        parse_backend(text).map_err(ValueFault::told)
    }

    fn to_json(&self) -> Json {
        json!(self.to_string())
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "type": "string", "pattern": "^(builtin|cmd:.+|http:.+|(opencode|claude|codex|gemini)(:.+)?)$" })
    }
}

impl Value for Chain {
    const EXPECTED: &'static str = "builtin, cmd:PROGRAM ARGS, http:PROFILE, or CLIENT[:MODEL], several with commas between them";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        parse_chain(text).map_err(ValueFault::told)
    }

    fn to_json(&self) -> Json {
        json!(self.to_string())
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "type": "string", "pattern": "^(builtin|cmd:.+|http:.+|(opencode|claude|codex|gemini)(:.+)?)(,.+)?$" })
    }
}

/// The word for no value.
pub(super) const NONE: &str = "none";

impl Value for Option<CommandLine> {
    const EXPECTED: &'static str = "a program with its arguments, or \"none\"";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        match text.trim() {
            "" => Err(ValueFault::Form),
            NONE => Ok(None),
            line => line.parse().map(Some).map_err(ValueFault::told),
        }
    }

    fn to_json(&self) -> Json {
        match self {
            Some(line) => json!(line.to_string()),
            None => json!(NONE),
        }
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "type": "string", "minLength": 1 })
    }
}

/// The one of `all` whose word is `text`.
pub(super) fn by_word<T: Copy>(
    text: &str,
    all: &[T],
    word: impl Fn(T) -> &'static str,
) -> Result<T, ValueFault> {
    let found = all.iter().copied().find(|one| word(*one) == text);
    found.ok_or(ValueFault::Form)
}

impl Value for ColorChoice {
    const EXPECTED: &'static str = "auto, always or never";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        by_word(text, Self::value_variants(), Self::as_str)
    }

    fn to_json(&self) -> Json {
        json!(self.as_str())
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "enum": ["auto", "always", "never"] })
    }
}

const MODELS: &str = "models";

impl Value for BuiltinFacts {
    const EXPECTED: &'static str = "models, true or false";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        match text {
            MODELS => Ok(Self::Models),
            text => bool::from_text(text).map(Self::from),
        }
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        match value.as_str() {
            Some(text) => Self::from_text(text),
            None => bool::from_toml(value).map(Self::from),
        }
    }

    fn to_json(&self) -> Json {
        match self {
            Self::Models => json!(MODELS),
            Self::All => json!(true),
            Self::Nobody => json!(false),
        }
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "enum": [MODELS, true, false] })
    }
}

const AUTO: &str = "auto";

impl Value for RequireScores {
    const EXPECTED: &'static str = "auto, true or false";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        match text {
            AUTO => Ok(Self::ByDialect),
            text => bool::from_text(text).map(Self::from),
        }
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        match value.as_str() {
            Some(text) => Self::from_text(text),
            None => bool::from_toml(value).map(Self::from),
        }
    }

    fn to_json(&self) -> Json {
        self.setting().map_or_else(|| json!(AUTO), Json::from)
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "enum": [AUTO, true, false] })
    }
}

impl Value for Keep {
    const EXPECTED: &'static str = "best or last";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        match text {
            "best" => Ok(Self::Best),
            "last" => Ok(Self::Last),
            _ => Err(ValueFault::Form),
        }
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "enum": ["best", "last"] })
    }
}

impl Value for ApplyScope {
    const EXPECTED: &'static str = "artifact or root";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        match text {
            "artifact" => Ok(Self::Artifact),
            "root" => Ok(Self::Root),
            _ => Err(ValueFault::Form),
        }
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "enum": ["artifact", "root"] })
    }
}

impl Value for AnswerForm {
    const EXPECTED: &'static str = "verdict or actionable";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        match text {
            "verdict" => Ok(Self::Verdict),
            "actionable" => Ok(Self::Actionable),
            _ => Err(ValueFault::Form),
        }
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "enum": ["verdict", "actionable"] })
    }
}

impl Value for Severity {
    const EXPECTED: &'static str = "critical, major, minor or suggestion";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        text.parse().map_err(|_| ValueFault::Form)
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "enum": Self::WORDS })
    }
}

impl Value for BelowFailLevel {
    const EXPECTED: &'static str = "confirm, accept or block";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        match text {
            "confirm" => Ok(Self::Confirm),
            "accept" => Ok(Self::Accept),
            "block" => Ok(Self::Block),
            _ => Err(ValueFault::Form),
        }
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "enum": ["confirm", "accept", "block"] })
    }
}

impl Value for BelowMinimumPolicy {
    const EXPECTED: &'static str = "revise, block or accept";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        match text {
            "revise" => Ok(Self::Revise),
            "block" => Ok(Self::Block),
            "accept" => Ok(Self::Accept),
            _ => Err(ValueFault::Form),
        }
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "enum": ["revise", "block", "accept"] })
    }
}
