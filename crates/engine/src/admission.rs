//! Whether a run can keep its limits, before its first call.

#[cfg(feature = "http")]
use review_agents::estimated_tokens;
use review_agents::{Backend, Client};
#[cfg(feature = "http")]
use review_store::FileArtifact;

use crate::error::EngineError;
use crate::settings::{RunSettings, Stages};

impl RunSettings {
    /// Refuses a limit that nobody could keep: of money where a call has no
    /// price, of tokens where nobody counts them.
    pub(crate) fn check_budget(&self) -> Result<(), EngineError> {
        if self.stages == Stages::Tasks {
            return Ok(());
        }
        for backend in self.asked() {
            let (has_price, has_count) = self.is_known(backend);
            let limit = match (self.budget.max_cost, self.budget.max_tokens) {
                (Some(_), _) if !has_price => "cost",
                (_, Some(_)) if !has_count => "tokens",
                _ => continue,
            };
            return Err(EngineError::Unmeasured {
                backend: backend.to_string(),
                limit,
            });
        }
        Ok(())
    }

    /// The agents that may be called.
    fn asked(&self) -> impl Iterator<Item = &Backend> {
        let applier = self.apply.then_some(&self.applier);
        self.reviewer.iter().chain(applier)
    }

    /// Whether the price of a call is known, and its tokens are.
    fn is_known(&self, backend: &Backend) -> (bool, bool) {
        let is_priced = |model: &str| {
            let terms = self.models.get(model);
            terms.is_some_and(review_agents::ModelTerms::is_priced)
        };
        match backend {
            Backend::Builtin => (true, true),
            Backend::Cmd(_) => (false, false),
            Backend::Client { client, model } => {
                let tells = matches!(client, Client::Claude | Client::Opencode);
                let priced = model
                    .as_ref()
                    .is_some_and(|model| is_priced(model.as_str()));
                (tells || priced, true)
            }
            #[cfg(feature = "http")]
            Backend::Http(name) => {
                let profile = self.http.get(name);
                let priced = profile.is_some_and(|profile| is_priced(profile.model.as_str()));
                (priced, true)
            }
        }
    }

    /// Refuses an artifact that is larger than a model can read.
    #[cfg(feature = "http")]
    pub(crate) fn check_windows(&self, artifact: &FileArtifact) -> Result<(), EngineError> {
        if self.stages == Stages::Tasks {
            return Ok(());
        }
        let mut tokens = None;
        for backend in self.asked() {
            let Backend::Http(name) = backend else {
                continue;
            };
            let model = self.http.get(name).map(|profile| profile.model.as_str());
            let terms = model.and_then(|model| self.models.get(model));
            let Some((model, window)) = model.zip(terms.and_then(|terms| terms.window)) else {
                continue;
            };
            let tokens = match tokens {
                Some(tokens) => tokens,
                None => *tokens.insert(estimated_tokens(size(artifact)?)),
            };
            if tokens > u64::from(window.get()) {
                return Err(EngineError::Window {
                    model: model.to_owned(),
                    window: window.get(),
                    tokens,
                });
            }
        }
        Ok(())
    }
}

/// The bytes of all files.
#[cfg(feature = "http")]
fn size(artifact: &FileArtifact) -> Result<usize, EngineError> {
    let mut size = 0;
    for path in artifact.paths()? {
        size += artifact.find(&path)?.map_or(0, |bytes| bytes.len());
    }
    Ok(size)
}
