//! The name of a model, as a client takes it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest name that is taken, in bytes.
const MAX_NAME: usize = 256;

/// The name of a model. It does not look like an option of a client and has no blanks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("minLength" = 1))]
#[serde(try_from = "String", into = "String")]
pub struct Model(String);

impl Model {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Model {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A string that is not a valid name of a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a valid name of a model")]
pub struct ModelError(pub String);

impl FromStr for Model {
    type Err = ModelError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let fits = (1..=MAX_NAME).contains(&name.len());
        let is_plain = |c: char| !c.is_whitespace() && !c.is_control();
        if fits && !name.starts_with('-') && name.chars().all(is_plain) {
            Ok(Self(name.to_owned()))
        } else {
            Err(ModelError(name.to_owned()))
        }
    }
}

impl TryFrom<String> for Model {
    type Error = ModelError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        name.parse()
    }
}

impl From<Model> for String {
    fn from(model: Model) -> Self {
        model.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_neither_empty_nor_an_option_nor_two_words() {
        for name in ["opus", "openrouter/z-ai/glm-4.6:free", &"m".repeat(256)] {
            assert_eq!(name.parse::<Model>().unwrap().as_str(), name);
        }
        for name in ["", "-m", "a b", "a\u{7}", "a\n", &"m".repeat(257)] {
            assert_eq!(name.parse::<Model>(), Err(ModelError(name.to_owned())));
        }
    }
}
