//! Families of language models: those of one maker err alike, so that a review by one
//! of them says less about the work of another (independence, IEEE 1012, annex C).

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::closed_list;

/// A family of models, by the name of its maker in lower case, or another author such
/// as `human`.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = "^[a-z][a-z0-9-]{0,63}$"))]
pub struct Family(String);

/// A string that names no family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a family is at most 64 lower-case letters, digits and `-`, the first a letter, and not `unknown`"
)]
pub struct NoFamily;

impl Family {
    /// Maximum number of characters.
    const MAX: usize = 64;

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the families that a name means, which may be that of a model.
    #[must_use]
    pub fn of_name(&self) -> BTreeSet<Self> {
        let families = families_of_model(&self.0);
        match families.is_empty() {
            true => [self.clone()].into(),
            false => families,
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Family {
    type Error = NoFamily;

    fn try_from(name: String) -> Result<Self, NoFamily> {
        let is_part = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.len() <= Self::MAX
            && name.bytes().all(is_part)
            && name != "unknown";
        is_name.then_some(Self(name)).ok_or(NoFamily)
    }
}

impl FromStr for Family {
    type Err = NoFamily;

    fn from_str(name: &str) -> Result<Self, NoFamily> {
        name.to_owned().try_into()
    }
}

closed_list! {
    /// What follows from the families of a reviewer and of the authors of what it reviews.
    #[derive(Default)]
    IndependencePolicy {
        /// Nothing; they are not looked at.
        Off => "off",
        /// It is reported whether they are independent.
        #[default]
        Note => "note",
        /// Only a reviewer that is known to be independent reviews.
        Require => "require",
    }
}

/// The families of a reviewer and of the authors of what it reviewed, as far as they are
/// known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Families {
    /// Those of the reviewer.
    pub reviewer: BTreeSet<Family>,
    /// Those of the authors: who wrote the artifact before, and the appliers since.
    pub authors: BTreeSet<Family>,
}

impl Families {
    /// Returns whether no family is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.reviewer.is_empty() && self.authors.is_empty()
    }

    /// Returns the families that reviewer and authors have in common.
    pub fn shared(&self) -> impl Iterator<Item = &Family> {
        self.reviewer.intersection(&self.authors)
    }
}

/// The words of models' names that say which family they are of.
const WORDS: [(&str, &[&str]); 16] = [
    ("anthropic", &["claude", "opus", "sonnet", "haiku"]),
    ("openai", &["gpt", "chatgpt", "codex", "o1", "o3", "o4"]),
    ("google", &["gemini", "gemma"]),
    ("meta", &["llama", "codellama"]),
    (
        "mistral",
        &[
            "mistral",
            "mixtral",
            "codestral",
            "devstral",
            "magistral",
            "ministral",
            "pixtral",
        ],
    ),
    ("alibaba", &["qwen", "qwq"]),
    ("deepseek", &["deepseek"]),
    ("zhipu", &["glm"]),
    ("moonshot", &["kimi"]),
    ("xai", &["grok"]),
    ("microsoft", &["phi"]),
    ("cohere", &["command"]),
    ("ibm", &["granite"]),
    ("minimax", &["minimax"]),
    ("amazon", &["nova"]),
    ("nvidia", &["nemotron"]),
];

/// Returns the families that the name of a model says: a distilled model has two, and a
/// name that says nothing has none.
#[must_use]
pub fn families_of_model(name: &str) -> BTreeSet<Family> {
    let name = name.to_ascii_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let found = words.flat_map(|word| {
        // `llama3` and `qwen2` are versions, while the digit of `o3` is its name.
        let without_version = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_of = move |one: &&str| [word, without_version].contains(one);
        WORDS
            .iter()
            .filter(move |(_, words)| words.iter().any(&is_of))
            .map(|(family, _)| Family((*family).to_owned()))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_model_says_its_family() {
        for (model, families) in [
            ("claude-opus-4-5", &["anthropic"][..]),
            ("opus", &["anthropic"]),
            ("anthropic/claude-sonnet-4", &["anthropic"]),
            (
                "us.anthropic.claude-3-7-sonnet-20250219-v1:0",
                &["anthropic"],
            ),
            ("gpt-5.2-codex", &["openai"]),
            ("openai/gpt-oss-120b", &["openai"]),
            ("o3-mini", &["openai"]),
            ("Gemini-2.5-Pro", &["google"]),
            ("gemma3:27b", &["google"]),
            ("llama3.1:70b", &["meta"]),
            ("meta-llama/Llama-4-Scout", &["meta"]),
            ("devstral-small", &["mistral"]),
            ("ministral-8b-latest", &["mistral"]),
            ("mistralai/pixtral-12b", &["mistral"]),
            ("magistral:24b", &["mistral"]),
            ("codellama:13b-instruct", &["meta"]),
            ("qwen2.5-coder:32b", &["alibaba"]),
            ("deepseek-chat", &["deepseek"]),
            ("deepseek-r1-distill-llama-70b", &["deepseek", "meta"]),
            ("llama-3.1-nemotron-70b", &["meta", "nvidia"]),
            ("glm-4.6", &["zhipu"]),
            ("kimi-k2", &["moonshot"]),
            ("grok-4", &["xai"]),
            ("phi4", &["microsoft"]),
            ("command-r-plus", &["cohere"]),
            ("granite-code", &["ibm"]),
            ("amazon.nova-pro-v1:0", &["amazon"]),
            ("my-own-model", &[]),
            ("o5", &[]),
            ("philosopher", &[]),
            ("", &[]),
        ] {
            let found = families_of_model(model);
            let found: Vec<_> = found.iter().map(Family::as_str).collect();
            assert_eq!(found, families, "{model}");
        }
    }

    #[test]
    fn a_family_is_a_short_word_in_lower_case() {
        for name in [
            "anthropic",
            "x",
            "unknown",
            "01-ai",
            "",
            "Anthropic",
            "a b",
            "a_b",
        ] {
            let is_family = matches!(name, "anthropic" | "x");
            assert_eq!(name.parse::<Family>().is_ok(), is_family, "{name}");
        }
        assert!("a".repeat(64).parse::<Family>().is_ok());
        assert_eq!("a".repeat(65).parse::<Family>(), Err(NoFamily));
    }
}
