//! A version of a prompt that errs more often than those before it.

use std::fmt;
use std::num::NonZeroU32;

use review_events::AgentRole;
use review_learning::measure::{Rate, RegressionCheck};
use review_types::plural;

/// A version that errs more often than those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Degraded {
    /// The agent.
    pub(super) agent: AgentRole,
    /// The version.
    pub(super) version: NonZeroU32,
    /// The version that is to be in use again.
    pub(super) before: NonZeroU32,
    /// The versions between them, which go with it.
    pub(super) between: Vec<NonZeroU32>,
    /// What its runs show.
    pub(super) watch: RegressionCheck,
}

impl Degraded {
    /// What the watch over `version`, which was made from `ancestors`, shows; `None`
    /// where no version is to be used again.
    pub(super) fn new(
        agent: AgentRole,
        version: NonZeroU32,
        watch: RegressionCheck,
        ancestors: &[NonZeroU32],
    ) -> Option<Self> {
        let before = NonZeroU32::new(watch.back_to)?;
        let between = ancestors.iter().filter(|ancestor| **ancestor > before);
        Some(Self {
            agent,
            version,
            before,
            between: between.copied().collect(),
            watch,
        })
    }
}

fn versions(numbers: &[impl fmt::Display]) -> String {
    let all: Vec<_> = numbers.iter().map(ToString::to_string).collect();
    let noun = if all.len() == 1 {
        "version"
    } else {
        "versions"
    };
    format!("{noun} {}", all.join(" and "))
}

fn runs(rate: Rate) -> String {
    plural(rate.runs as usize, "run", "runs")
}

impl fmt::Display for Degraded {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} of the prompt of {} failed in {} of {}, earlier ones in {} of {}",
            versions(&self.watch.versions),
            self.agent.as_str(),
            self.watch.watched.events,
            runs(self.watch.watched),
            self.watch.earlier.events,
            runs(self.watch.earlier),
        )?;
        match &self.between[..] {
            [] => Ok(()),
            between => write!(
                out,
                " (it is not known whether {} {} the harm, so {} are rolled back)",
                versions(between),
                if between.len() == 1 { "does" } else { "do" },
                if between.len() == 1 { "both" } else { "all" },
            ),
        }
    }
}
