//! Families of language models: those of one maker err alike, so that a review by one
//! of them says less about the work of another.

use std::collections::BTreeSet;

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
pub(super) fn families_of_model(name: &str) -> BTreeSet<&'static str> {
    let name = name.to_ascii_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let found = words.flat_map(|word| {
        // `llama3` and `qwen2` are versions, while the digit of `o3` is its name.
        let without_version = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_of = move |one: &&str| [word, without_version].contains(one);
        WORDS
            .iter()
            .filter(move |(_, words)| words.iter().any(&is_of))
            .map(|(family, _)| *family)
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
            let found: Vec<_> = found.into_iter().collect();
            assert_eq!(found, families, "{model}");
        }
    }
}
