//! Which model is asked, and how.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use review_types::closed_list;
use serde::{Deserialize, Serialize};

use super::BaseUrl;
use crate::model::Model;

/// A language model behind an HTTP API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpProfile {
    /// The API that is spoken.
    pub api: Api,
    /// Where it is, unless it is where its vendor has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<BaseUrl>,
    /// The model.
    pub model: Model,
    /// The variable that holds the key, if one is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_env: Option<KeyName>,
    /// The most tokens that an answer may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<NonZeroU32>,
    /// Whether the API is asked to hold the model to the schema of the answer.
    #[serde(default = "usual_structured_output")]
    pub structured_output: bool,
}

const fn usual_structured_output() -> bool {
    true
}

impl HttpProfile {
    /// Where the API is.
    pub fn base_url(&self) -> BaseUrl {
        match &self.base_url {
            Some(url) => url.clone(),
            None => self.api.base_url(),
        }
    }
}

closed_list! {
    /// The APIs that are spoken.
    Api {
        /// Messages of Anthropic.
        Messages => "messages",
        /// Chat Completions of OpenAI, which most servers of models speak.
        ChatCompletions => "chat_completions",
        /// Responses of OpenAI.
        Responses => "responses",
    }
}

impl Api {
    /// Where its vendor has it.
    pub fn base_url(self) -> BaseUrl {
        let url = match self {
            Self::Messages => "https://api.anthropic.com",
            Self::ChatCompletions | Self::Responses => "https://api.openai.com/v1",
        };
        #[expect(clippy::expect_used, reason = "a test reads each of them")]
        url.parse().expect("two addresses that are addresses")
    }
}

/// The name of a profile: letters, digits, `-`, `_` and `.`.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct ProfileName(String);

/// A string that is not a valid name of a profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is not a valid name of a profile; write `http:NAME`, where ralph.toml has a table [http.NAME]"
)]
pub struct ProfileNameError(pub String);

impl ProfileName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ProfileName {
    type Err = ProfileNameError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if (1..=64).contains(&name.len()) && name.chars().all(is_plain) {
            Ok(Self(name.to_owned()))
        } else {
            Err(ProfileNameError(name.to_owned()))
        }
    }
}

impl TryFrom<String> for ProfileName {
    type Error = ProfileNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<ProfileName> for String {
    fn from(name: ProfileName) -> Self {
        name.0
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a variable that holds a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("pattern" = "^[A-Za-z_][A-Za-z0-9_]*$"))]
#[serde(try_from = "String", into = "String")]
pub struct KeyName(String);

/// A string that is not a valid name of a variable. It may be the key itself, so it is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be the name of a variable that holds the key, never the key itself")]
pub struct KeyNameError;

impl KeyName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KeyName {
    type Err = KeyNameError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_first = |c: char| !c.is_ascii_digit();
        let fits = (1..=128).contains(&name.len());
        if fits && name.starts_with(is_first) && name.chars().all(is_plain) {
            Ok(Self(name.to_owned()))
        } else {
            Err(KeyNameError)
        }
    }
}

impl TryFrom<String> for KeyName {
    type Error = KeyNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<KeyName> for String {
    fn from(name: KeyName) -> Self {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_is_read_back_from_its_word_and_has_an_address() {
        let hosts = [Api::Messages, Api::ChatCompletions, Api::Responses].map(|api| {
            let json = serde_json::to_value(api).unwrap();
            assert_eq!(json, api.as_str());
            assert_eq!(serde_json::from_value::<Api>(json).unwrap(), api);
            api.base_url().host().to_owned()
        });
        let openai = "api.openai.com";
        assert_eq!(hosts, ["api.anthropic.com", openai, openai]);
    }

    #[test]
    fn a_profile_is_named_in_a_word() {
        for name in ["local", "gpt-5.2_x", &"n".repeat(64)] {
            assert_eq!(name.parse::<ProfileName>().unwrap().to_string(), name);
        }
        for name in ["", "a b", "a,b", "\u{e9}", &"n".repeat(65)] {
            let error = ProfileNameError(name.to_owned());
            assert_eq!(name.parse::<ProfileName>(), Err(error));
        }
    }

    #[test]
    fn a_key_is_named_and_never_given() {
        for name in ["OPENAI_API_KEY", "_k9", &"K".repeat(128)] {
            assert_eq!(name.parse::<KeyName>().unwrap().as_str(), name);
        }
        for name in ["", "9K", "sk-ant-0123", "A=B", "A B", &"K".repeat(129)] {
            assert_eq!(name.parse::<KeyName>(), Err(KeyNameError), "{name}");
        }
    }
}
