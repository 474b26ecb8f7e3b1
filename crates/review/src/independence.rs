//! Whether a review is independent of who wrote what it reviews (IEEE 1012): models of
//! one family err alike.

use std::collections::{BTreeMap, BTreeSet};

use review_types::{Families, Family, ModelId, families_of_model};

/// What is known of the families of agents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFamilies {
    /// Who wrote the artifact before the loop; empty if that is unknown.
    pub author: BTreeSet<Family>,
    /// The families of models, by name.
    pub models: BTreeMap<String, Family>,
    /// The families of backends whose models are of one maker, by name; none for a
    /// backend without a model.
    pub backends: BTreeMap<String, Option<Family>>,
}

impl KnownFamilies {
    /// Returns the families of an agent: that given for its model, else those that the
    /// name of the model says, else that of its backend; `None` if they are unknown.
    fn of(&self, agent: &ModelId) -> Option<BTreeSet<Family>> {
        let model = agent.model.as_deref();
        if let Some(given) = model.and_then(|model| self.models.get(model)) {
            return Some([given.clone()].into());
        }
        let named = model.map(families_of_model).unwrap_or_default();
        if !named.is_empty() {
            return Some(named);
        }
        let backend = self.backends.get(&agent.backend)?;
        Some(backend.iter().cloned().collect())
    }

    /// Returns the same for an artifact that an agent wrote, as far as that is known.
    #[must_use]
    pub fn written_by(self, agent: Option<&ModelId>) -> Self {
        let author = agent.and_then(|agent| self.of(agent));
        Self {
            author: author.unwrap_or_default(),
            ..self
        }
    }

    /// Returns whether a reviewer is independent of the author of the artifact and of
    /// these appliers; `None` if that is unknown.
    #[must_use]
    pub fn are_independent(&self, reviewer: &ModelId, appliers: &[ModelId]) -> Option<bool> {
        let mut authors = Authors::before(self);
        for applier in appliers {
            authors.add(self, Some(applier));
        }
        authors.reviewed_by(self, Some(reviewer)).0
    }
}

/// The authors of an artifact: who wrote it before the loop, and its appliers since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Authors {
    known: BTreeSet<Family>,
    /// Whether the families of an author are unknown.
    has_unknown: bool,
}

impl Authors {
    /// Returns the authors before the loop.
    pub(crate) fn before(families: &KnownFamilies) -> Self {
        Self {
            known: families.author.clone(),
            has_unknown: families.author.is_empty(),
        }
    }

    /// Adds an applier that changed the artifact. One without a model adds no family.
    pub(crate) fn add(&mut self, known: &KnownFamilies, applier: Option<&ModelId>) {
        match applier.and_then(|applier| known.of(applier)) {
            Some(families) => self.known.extend(families),
            None => self.has_unknown = true,
        }
    }

    /// Returns whether a reviewer is independent of the authors, and the families of both:
    /// `None` if that is unknown, or if the reviewer has no model.
    pub(crate) fn reviewed_by(
        &self,
        known: &KnownFamilies,
        reviewer: Option<&ModelId>,
    ) -> (Option<bool>, Families) {
        let reviewer = reviewer.and_then(|reviewer| known.of(reviewer));
        let families = Families {
            reviewer: reviewer.unwrap_or_default(),
            authors: self.known.clone(),
        };
        let independent = match families.shared().next() {
            Some(_) => Some(false),
            None if self.has_unknown || families.reviewer.is_empty() => None,
            None => Some(true),
        };
        (independent, families)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(name: &str) -> Family {
        name.parse().expect("a valid name")
    }

    fn known(author: &[&str]) -> KnownFamilies {
        KnownFamilies {
            author: author.iter().map(|name| family(name)).collect(),
            models: [("claude-tuned".to_owned(), family("acme"))].into(),
            backends: [
                ("codex".to_owned(), Some(family("openai"))),
                ("builtin".to_owned(), None),
            ]
            .into(),
        }
    }

    fn agent(text: &str) -> ModelId {
        let (backend, model) = text.split_once('=').unwrap_or((text, ""));
        ModelId {
            model: (!model.is_empty()).then(|| model.to_owned()),
            ..ModelId::of_backend(backend)
        }
    }

    #[test]
    fn what_is_given_for_a_model_comes_before_its_name_and_that_before_its_backend() {
        for (text, expected) in [
            ("http:x=claude-tuned", Some(vec!["acme"])),
            ("codex=claude-opus", Some(vec!["anthropic"])),
            ("codex=in-house", Some(vec!["openai"])),
            ("codex", Some(vec!["openai"])),
            ("builtin", Some(vec![])),
            ("opencode", None),
        ] {
            let families = known(&[]).of(&agent(text));
            let families = families.map(|all| all.iter().map(ToString::to_string).collect());
            let expected = expected.map(|names| names.into_iter().map(str::to_owned).collect());
            assert_eq!(families, expected as Option<Vec<String>>, "{text}");
        }
    }

    #[test]
    fn a_review_is_independent_when_no_author_is_of_its_families_and_none_is_unknown() {
        for (author, appliers, reviewer, expected) in [
            (&["openai"][..], &[][..], "claude=opus", Some(true)),
            (
                &["openai"],
                &["codex", "builtin"],
                "claude=opus",
                Some(true),
            ),
            (&["human"], &["claude=opus"], "claude=sonnet", Some(false)),
            // A shared family is enough, whatever else is unknown.
            (
                &[],
                &["x=llama3"],
                "x=deepseek-r1-distill-llama",
                Some(false),
            ),
            (&["openai"], &["opencode"], "claude=opus", None),
            (&["openai"], &[], "opencode", None),
            (&["openai"], &[], "builtin", None),
            (&[], &[], "claude=opus", None),
        ] {
            let appliers: Vec<_> = appliers.iter().map(|one| agent(one)).collect();
            let found = known(author).are_independent(&agent(reviewer), &appliers);
            assert_eq!(found, expected, "{author:?} {appliers:?} {reviewer}");
        }
    }
}
