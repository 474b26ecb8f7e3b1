//! How a configuration is resolved, and what follows from it.

use review_agents::{Backend, ProfileName};
use review_document::near::nearest;
use review_lint::{Rule, RuleChoice};

use crate::error::ConfigError;
use crate::keys::{Config, KEYS, Overrides};
use crate::layers::Layers;
use crate::reading::FileValues;
use crate::sources::Sources;

impl Config {
    /// Resolves each key: its option, else `--set`, else its variable `RALPH_…`,
    /// else the file, else its default.
    ///
    /// # Errors
    /// When a key or value in any layer is wrong, or a backend names a profile
    /// that is not there.
    pub fn resolve(sources: Sources<'_>, overrides: Overrides) -> Result<Self, ConfigError> {
        let mut faults = Vec::new();
        let table = sources.file.parse(&mut faults);
        // What is recovered from text that is not TOML says nothing about its keys.
        let values = match faults.is_empty() {
            true => sources.values(&table, KEYS, &mut faults),
            false => FileValues::new(),
        };
        let mut layers = Layers::new(sources, values, faults);
        let config = Self::look_up(overrides, &mut layers);
        layers.finish()?;
        config.check_profiles()?;
        Ok(config)
    }

    /// Checks that each backend that names a profile has one.
    ///
    /// # Errors
    /// When one has none.
    fn check_profiles(&self) -> Result<(), ConfigError> {
        let others = [&self.applier].into_iter().chain(&self.implementer);
        for backend in self.reviewer.iter().chain(others) {
            if let Backend::Http(name) = backend
                && !self.http.contains_key(name)
            {
                let near = nearest(name.as_str(), self.http.keys().map(ProfileName::as_str), 1);
                let nearest = self
                    .http
                    .keys()
                    .find(|known| near.contains(&known.as_str()));
                return Err(ConfigError::Profile {
                    backend: backend.clone(),
                    profile: name.clone(),
                    nearest: nearest.cloned(),
                });
            }
        }
        Ok(())
    }

    /// How the embedded reviewer judges, `choices` having the last words on
    /// which rules are on.
    #[must_use]
    pub fn lint(&self, choices: &[RuleChoice]) -> review_lint::Settings {
        let own = RuleChoice {
            select: Some(self.lint_select.as_slice().to_vec()),
            ignore: self.lint_ignore.as_slice().to_vec(),
        };
        let select = RuleChoice::resolve(std::iter::once(&own).chain(choices));
        review_lint::Settings {
            min_scores: review_lint::Criterion::ALL
                .iter()
                .copied()
                .filter_map(|criterion| {
                    let configured = self.criteria.get(criterion.as_str())?;
                    Some((criterion, configured.min_score()))
                })
                .collect(),
            select: (select.len() < Rule::ALL.len()).then_some(select),
            severities: self.lint_severities.by_rule(),
            per_file_ignores: self.lint_per_file_ignores.by_files(),
            required_sections: self.required_sections.as_slice().to_vec(),
            ..review_lint::Settings::default()
        }
    }
}
