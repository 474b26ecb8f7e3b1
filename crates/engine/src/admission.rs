//! Whether a run can keep its limits, before its first call.

use std::collections::BTreeSet;

use review::events::AgentRole;
use review_agents::{ArtifactTooLarge, Backend, Chain, ModelTerms, Pricing, estimated_tokens};
use review_lane::{ChangeReview, Pick};
use review_store::FileArtifact;

use crate::error::EngineError;
use crate::settings::{RunSettings, Stages};

/// What is known of the price of a call before it is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Price {
    /// A table has it, or the backend reports it.
    Known,
    /// Its user's own configuration names the model.
    Later,
    /// It is not reported.
    Unknown,
}

impl RunSettings {
    /// Checks that there are tasks to implement, and that the backend can.
    ///
    /// # Errors
    /// When there is nothing to implement, or it cannot.
    pub fn check_implementer(&self) -> Result<(), EngineError> {
        let Some(implementer) = self.implementer() else {
            return Ok(());
        };
        let task = &self.config.task;
        if self.target.unit().is_none() {
            let spec = self.target.spec();
            return Err(EngineError::hinted(
                format!("no unit belongs to {spec}, so it has no tasks to implement"),
                format!("`ralph plan {spec}` has an agent write them"),
            ));
        }
        if let Some(unable) = implementer.iter().find(|one| !one.can_implement()) {
            return Err(no_tools(unable));
        }
        if task.pick == Pick::Agent && task.jobs.get() > 1 {
            let jobs = task.jobs;
            return Err(EngineError::hinted(
                format!(
                    "an agent picks the next task only where one is implemented at a time, not \
                     {jobs}"
                ),
                "use `--jobs 1` (`task.jobs`) or `--set task.pick=ralph`",
            ));
        }
        match (task.review, self.change_reviewer()) {
            (ChangeReview::Ask, None) => Err(EngineError::hinted(
                "the embedded reviewer judges specs, and no other reviewer is named for \
                 `task.review`",
                "name a client, such as claude, or a program: `--reviewer cmd:PROGRAM`; or set \
                 `task.review` to \"off\"",
            )),
            (ChangeReview::Ask, Some(_)) | (ChangeReview::Off, _) => Ok(()),
        }
    }

    /// The agents that plan a spec, in their order.
    ///
    /// # Errors
    /// When none is named.
    pub fn planner(&self) -> Result<&Chain, EngineError> {
        self.implementer().ok_or_else(|| {
            EngineError::hinted(
                "no agent is named that plans and implements tasks",
                "name it with --implementer or in task.implementer",
            )
        })
    }

    /// Refuses a limit that cannot be kept: of money where a call has no price, of
    /// tokens where they are not counted.
    pub(crate) fn check_budget(&self) -> Result<(), EngineError> {
        let mut later = BTreeSet::new();
        let asked = self.asked().map(|(_, backend)| backend);
        let of_changes = self.change_reviewer();
        let of_changes = of_changes.iter().flat_map(Chain::iter);
        for backend in asked.chain(self.implementers()).chain(of_changes) {
            match self.config.run.max_cost.map(|_| self.price(backend)) {
                Some(Price::Unknown) => return Err(unmeasured("cost", backend)),
                Some(Price::Later) => drop(later.insert(backend.to_string())),
                Some(Price::Known) | None => {}
            }
            if self.config.run.max_tokens.is_some() && matches!(backend, Backend::Cmd(_)) {
                return Err(unmeasured("tokens", backend));
            }
        }
        for backend in later {
            tracing::warn!(
                "what a call of {backend} costs is known once it has answered; a cost that is \
                 unknown then ends the run"
            );
        }
        Ok(())
    }

    /// The agents that may be called for a review.
    fn asked(&self) -> impl Iterator<Item = (AgentRole, &Backend)> {
        let reviews = self.stages != Stages::Tasks;
        let reviewers = self.config.reviewer.iter().filter(move |_| reviews);
        let applier = (reviews && self.apply).then_some((AgentRole::Applier, &self.config.applier));
        reviewers
            .map(|backend| (AgentRole::Reviewer, backend))
            .chain(applier)
    }

    fn price(&self, backend: &Backend) -> Price {
        let is_priced = |model: &str| {
            self.config
                .models
                .get(model)
                .is_some_and(ModelTerms::is_priced)
        };
        if self.model(backend).is_some_and(is_priced) {
            return Price::Known;
        }
        let mut terms = self.config.models.iter().map(|(_, terms)| terms);
        match backend {
            Backend::Builtin => Price::Known,
            Backend::Cmd(_) => Price::Unknown,
            Backend::Acp(_) => Price::Later,
            Backend::Client { client, model } => match (client.pricing(), model) {
                (Pricing::Reported, _) => Price::Known,
                (Pricing::OfChosenModel, None) => Price::Later,
                (Pricing::ByName, None) if terms.any(ModelTerms::is_priced) => Price::Later,
                (Pricing::OfChosenModel | Pricing::ByName | Pricing::Unreported, _) => {
                    Price::Unknown
                }
            },
            Backend::Http(_) => Price::Unknown,
        }
    }

    /// The model that a backend asks, where that is known.
    fn model<'a>(&'a self, backend: &'a Backend) -> Option<&'a str> {
        match backend {
            Backend::Builtin | Backend::Cmd(_) | Backend::Acp(_) => None,
            Backend::Client { model, .. } => Some(model.as_ref()?.as_str()),
            Backend::Http(name) => Some(self.config.http.get(name)?.model.as_str()),
        }
    }

    /// Refuses an artifact that is larger than a prompt or than a model can read, or is
    /// so with the instructions.
    pub(crate) fn check_size(&self, artifact: &FileArtifact) -> Result<(), EngineError> {
        let mut size = None;
        let prompted = |(_, backend): &(AgentRole, &Backend)| **backend != Backend::Builtin;
        for (role, backend) in self.asked().filter(prompted) {
            let size = match size {
                Some(size) => size,
                None => *size.insert(artifact.size()?),
            };
            ArtifactTooLarge::check(size)?;
            let model = self.model(backend);
            let terms = model.and_then(|model| self.config.models.get(model));
            let Some((model, window)) = model.zip(terms.and_then(|terms| terms.window)) else {
                continue;
            };
            let instructions = self.prompts.of(role).text().len();
            for (what, bytes) in [("artifact", size), ("prompt", size + instructions)] {
                let tokens = estimated_tokens(bytes);
                if tokens > u64::from(window.get()) {
                    return Err(EngineError::hinted(
                        format!(
                            "the {what} has about {tokens} tokens (bytes / 3), and {model} reads \
                             {window}"
                        ),
                        "split the spec, review fewer files at a time, or name a model that reads \
                         more",
                    ));
                }
            }
        }
        Ok(())
    }
}

/// A backend cannot implement tasks.
pub(crate) fn no_tools(backend: &Backend) -> EngineError {
    EngineError::hinted(
        format!(
            "{backend} has no tools that edit files and run commands, so it cannot implement tasks"
        ),
        "name a client, such as claude, or a program: cmd:PROGRAM",
    )
}

/// What a call of a backend consumes is unknown, and a limit on it is set.
fn unmeasured(limit: &str, backend: &Backend) -> EngineError {
    let hint = match backend.is_model() {
        true => "name a model, and its prices in a table [models.NAME] of ralph.toml",
        false => "limit the calls: --max-calls N",
    };
    let message =
        format!("a limit of {limit} cannot be kept: what a call of {backend} consumes is unknown");
    EngineError::hinted(message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_limited_by_what_it_cannot_hide() {
        for (text, way) in [
            ("cmd:judge", "--max-calls N"),
            ("codex", "[models.NAME]"),
            ("http:local", "[models.NAME]"),
        ] {
            let backend = Backend::single(text).unwrap();
            let EngineError::Refused { hint, .. } = unmeasured("cost", &backend) else {
                panic!("{text}");
            };
            assert!(hint.unwrap().contains(way), "{text}");
        }
    }
}
