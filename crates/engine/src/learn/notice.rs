//! What is reported while something is learned, beside its result.

use std::fmt;
use std::num::NonZeroU32;

use review_events::AgentRole;
use review_learning::measure::{Rate, RegressionCheck};
use review_store::BadFile;
use review_types::{error_chain, plural};

use super::LearnError;

/// What a user should know beside the result of learning.
#[derive(Debug)]
pub enum LearnNotice {
    /// A file holds no lesson.
    LessonLeftOut(BadFile),
    /// The program of the configuration was not notified of a change.
    NotNotified {
        /// The program.
        program: String,
        /// Why.
        why: String,
    },
    /// A version that errs more often than those before it was rolled back.
    RolledBack(Degraded),
    /// A version that errs more often than those before it stays in use.
    RollbackFailed(Degraded, LearnError),
    /// Lessons went into a prompt without an approval.
    Updated {
        /// Whose prompt.
        agent: String,
        /// The version that they made.
        version: NonZeroU32,
    },
    /// Lessons that need no approval could not go into a prompt.
    StayProposed {
        /// Whose lessons.
        agent: String,
        /// Why.
        why: LearnError,
    },
}

/// A version that errs more often than those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Degraded {
    /// The agent.
    pub agent: AgentRole,
    /// The version.
    pub version: NonZeroU32,
    /// The version that is to be in use again.
    pub before: NonZeroU32,
    /// The versions between them, which go with it.
    pub between: Vec<NonZeroU32>,
    /// What its runs show.
    pub watch: RegressionCheck,
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

/// Receives what is reported while something is learned.
pub type Notices<'n> = dyn FnMut(LearnNotice) + 'n;

impl LearnNotice {
    /// Whether something is not as it should be.
    pub const fn is_warning(&self) -> bool {
        match self {
            Self::Updated { .. } => false,
            Self::LessonLeftOut(_)
            | Self::NotNotified { .. }
            | Self::RolledBack(_)
            | Self::RollbackFailed(..)
            | Self::StayProposed { .. } => true,
        }
    }
}

impl fmt::Display for LearnNotice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LessonLeftOut(bad) => {
                write!(out, "{} is left out: {}", bad.path, bad.message)
            }
            Self::NotNotified { program, why } => write!(out, "{program} was not notified: {why}"),
            Self::RolledBack(degraded) => write!(
                out,
                "{degraded}: version {} is in use again; `ralph learn show {}` shows what was rolled back",
                degraded.before,
                degraded.agent.as_str()
            ),
            Self::RollbackFailed(degraded, why) => {
                write!(out, "{degraded}, and stays in use: {}", error_chain(why))
            }
            Self::Updated { agent, version } => write!(
                out,
                "the prompt of {agent} is at version {version} now: approval is not required"
            ),
            Self::StayProposed { agent, why } => write!(
                out,
                "the lessons of {agent} stay proposed: {}",
                error_chain(why)
            ),
        }
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
