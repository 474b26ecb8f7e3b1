//! The reviewers of a run, in the order in which they are asked.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use async_trait::async_trait;
use review::{ReviewAnswer, ReviewRequest, Reviewer};
use review_types::AgentError;
use serde::{Deserialize, Serialize};

use crate::backend::{Backend, BackendError, pattern};
use crate::caller::setup_failed;
use crate::grammar::members;

/// At least one backend: the next one is asked when the previous one gives no
/// answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(
    with = "String",
    extend("pattern" = pattern("(,.+)?"))
)]
pub struct Chain {
    first: Backend,
    others: Vec<Backend>,
}

impl Chain {
    /// The chain of `first` and then `others`.
    pub fn new(first: Backend, others: Vec<Backend>) -> Self {
        Self { first, others }
    }

    /// The backend that is asked first.
    pub fn first(&self) -> &Backend {
        &self.first
    }

    /// The backends in order.
    pub fn iter(&self) -> impl Iterator<Item = &Backend> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The backends as the configuration of `root` has them, where they were written in
    /// `folder`.
    #[must_use]
    pub fn moved(self, folder: &Path, root: &Path) -> Self {
        let others = self.others.into_iter();
        Self {
            first: self.first.moved(folder, root),
            others: others.map(|backend| backend.moved(folder, root)).collect(),
        }
    }

    /// Whether the embedded rules alone review.
    pub fn is_builtin(&self) -> bool {
        self.first == Backend::Builtin && self.others.is_empty()
    }
}

impl From<Backend> for Chain {
    fn from(backend: Backend) -> Self {
        Self::new(backend, Vec::new())
    }
}

/// Reads one backend or several with commas between them.
impl FromStr for Chain {
    type Err = BackendError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut members = members(text).into_iter().map(str::parse);
        let first = members.next().unwrap_or_else(|| "".parse())?;
        Ok(Self::new(first, members.collect::<Result<_, _>>()?))
    }
}

/// Writes the backends with commas between them.
impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        self.others
            .iter()
            .try_for_each(|backend| write!(f, ",{backend}"))
    }
}

impl TryFrom<String> for Chain {
    type Error = BackendError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Chain> for String {
    fn from(chain: Chain) -> Self {
        chain.to_string()
    }
}

/// The reviewers of a chain, as one: a request names which of them is asked.
pub struct ChainReviewer(Vec<Box<dyn Reviewer>>);

impl ChainReviewer {
    /// The reviewers in the order of their chain.
    pub fn new(reviewers: Vec<Box<dyn Reviewer>>) -> Self {
        Self(reviewers)
    }
}

#[async_trait]
impl Reviewer for ChainReviewer {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let at = usize::try_from(request.reviewer).ok();
        match at.and_then(|at| self.0.get(at)) {
            Some(reviewer) => reviewer.review(request).await,
            None => {
                let message = format!("the chain has no reviewer {}", request.reviewer);
                Err(*setup_failed(message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_split_where_a_name_follows_a_comma() {
        for (text, members) in [
            ("builtin", &["builtin"] as &[_]),
            ("cmd:judge, builtin", &["cmd:judge", "builtin"]),
            (
                "cmd:a x,y,acp:b c,d,builtin",
                &["cmd:a x,y", "acp:b c,d", "builtin"],
            ),
            (
                "claude:opus,cmd:a x,codex, gemini:pro,http:local",
                &[
                    "claude:opus",
                    "cmd:a x",
                    "codex",
                    "gemini:pro",
                    "http:local",
                ],
            ),
        ] {
            let chain: Chain = text.parse().unwrap();
            let found: Vec<_> = chain.iter().map(ToString::to_string).collect();
            assert_eq!(found, members, "{text}");
        }
        for text in ["", "builtin,", "builtin,other", ",builtin"] {
            let error = text.parse::<Chain>().unwrap_err();
            assert!(
                matches!(error, BackendError::Unknown { .. }),
                "{text}: {error}"
            );
        }
    }
}
