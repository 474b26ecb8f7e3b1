//! Errors of calls to agents.

use serde::{Deserialize, Serialize};

use crate::{Timestamp, closed_list};

closed_list!(
    /// The limit of a call that was reached.
    LimitKind {
        /// The time limit of the whole call.
        Wall => "wall",
        /// The time limit without any output.
        Idle => "idle",
    }
);

/// Why a program that ran gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailedBy {
    /// It ended with this exit status, which is not 0.
    Status(i32),
    /// It was ended by this signal.
    Signal(i32),
    /// Its stream violated its own protocol.
    Protocol,
    /// It ended well and said nothing.
    Silence,
}

/// What a call needs and did not find.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// This program could not be started.
    Program(String),
    /// The client does not know this agent, and another one answered.
    Agent(String),
}

/// The ways in which a call ends without an answer. The list is closed and the
/// same for every backend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Failure {
    /// The model's service limits the rate of calls.
    RateLimited {
        /// The time of the next allowed call, if the service reported it.
        retry_at: Option<Timestamp>,
        /// Whether it is the limit of a plan, which lasts longer than a short pause.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        of_plan: bool,
    },
    /// The agent was not allowed to do what it tried.
    PermissionDenied,
    /// The model's service could not be reached.
    Offline {
        /// The time in milliseconds for which the agent only waited for the network,
        /// if that is why it was ended.
        after_ms: Option<u64>,
    },
    /// The credentials were refused.
    AuthFailed,
    /// The model or its service failed.
    ModelError {
        /// HTTP status, if there was one, or the one that the words of the service
        /// stand for: 402 for no credit, 404 for an unknown model, 413 for a prompt
        /// that is too long.
        status: Option<u16>,
    },
    /// The model refused to answer.
    Refused,
    /// The answer is longer than the model writes, or than is read.
    Truncated {
        /// The number of bytes that are read, if that is the limit.
        limit: Option<u64>,
    },
    /// The program failed.
    Failed {
        /// By what.
        by: FailedBy,
    },
    /// A limit of the call was reached.
    Hung {
        /// The limit.
        limit: LimitKind,
        /// Its length in milliseconds.
        after_ms: u64,
    },
    /// Something that the call needs cannot be used, so that it was not made or its
    /// answer does not count.
    SetupFailed {
        /// The program or agent, if it is one.
        missing: Option<Missing>,
    },
    /// The artifact that a reviewer judged was not delivered to it.
    Unread,
    /// An agent changed files that it may not change.
    WroteFiles {
        /// The changed files.
        paths: Vec<String>,
    },
}

impl Failure {
    /// Returns the word used in JSON and in reports.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::RateLimited { .. } => "rate_limited",
            Self::PermissionDenied => "permission_denied",
            Self::Offline { .. } => "offline",
            Self::AuthFailed => "auth_failed",
            Self::ModelError { .. } => "model_error",
            Self::Refused => "refused",
            Self::Truncated { .. } => "truncated",
            Self::Failed { .. } => "failed",
            Self::Hung { .. } => "hung",
            Self::SetupFailed { .. } => "setup_failed",
            Self::Unread => "unread",
            Self::WroteFiles { .. } => "wrote_files",
        }
    }
}

impl From<FailedBy> for Failure {
    fn from(by: FailedBy) -> Self {
        Self::Failed { by }
    }
}

/// The usage of a call, as the backend reports it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Usage {
    /// Tokens read by the model.
    pub input_tokens: u64,
    /// Tokens written by the model.
    pub output_tokens: u64,
    /// Cost in millionths of a US dollar; `None` when unknown.
    pub cost_micro_usd: Option<u64>,
}

/// What questions to agents outside of any run consumed together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QuestionUsage {
    /// The number of calls, failed ones included.
    pub calls: u32,
    /// The tokens that they read and wrote, estimated where they are not counted.
    pub tokens: u64,
    /// The cost of the calls whose cost is known, in millionths of a US dollar.
    pub cost_micro_usd: u64,
    /// The number of calls without a known cost.
    pub calls_without_cost: u32,
}

impl Usage {
    /// Returns all tokens, read and written.
    pub const fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Returns the usage of a call without a model.
    pub const NOTHING: Self = Self {
        input_tokens: 0,
        output_tokens: 0,
        cost_micro_usd: Some(0),
    };

    /// Returns whether nothing was consumed.
    pub fn is_nothing(&self) -> bool {
        *self == Self::NOTHING
    }

    /// Returns whether the tokens are known: a cost without tokens is that of unknown ones.
    pub fn has_tokens(&self) -> bool {
        self.tokens() > 0 || self.cost_micro_usd.unwrap_or(0) == 0
    }

    /// Adds the usage of another call; the cost is known if both are known.
    pub fn add(&mut self, call: &Self) {
        self.input_tokens = self.input_tokens.saturating_add(call.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(call.output_tokens);
        let costs = self.cost_micro_usd.zip(call.cost_micro_usd);
        self.cost_micro_usd = costs.map(|(cost, more)| cost.saturating_add(more));
    }

    /// Subtracts `earlier` from a total that includes it; returns the usage since
    /// then.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let costs = self.cost_micro_usd.zip(earlier.cost_micro_usd);
        Self {
            input_tokens: self.input_tokens.saturating_sub(earlier.input_tokens),
            output_tokens: self.output_tokens.saturating_sub(earlier.output_tokens),
            cost_micro_usd: costs.map(|(total, cost)| total.saturating_sub(cost)),
        }
    }
}

/// The origin of an answer: backend, model and prompt version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ModelId {
    /// The backend, such as `builtin` or `cmd`.
    pub backend: String,
    /// The model, if the backend names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The prompt and its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

impl ModelId {
    /// Returns the id of a backend without model and prompt.
    #[must_use]
    pub fn of_backend(backend: impl Into<String>) -> Self {
        Self {
            backend: backend.into(),
            model: None,
            prompt: None,
        }
    }
}

/// A call that ended without an answer.
#[derive(
    Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error, schemars::JsonSchema,
)]
#[error("{message}")]
pub struct AgentError {
    /// The failure, with its data.
    pub failure: Failure,
    /// The failure in words, with the end of the agent's own message.
    pub message: String,
    /// What the call consumed nevertheless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The agent's own session, if it named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl AgentError {
    /// Returns an error without usage and session.
    #[must_use]
    pub fn new(failure: Failure, message: impl Into<String>) -> Self {
        Self {
            failure,
            message: message.into(),
            usage: None,
            session: None,
        }
    }

    /// Returns the message with the role that failed, unless it names that already.
    #[must_use]
    pub fn of_role(&self, role: &str) -> String {
        let message = &self.message;
        match message.starts_with(&format!("the {role} ")) {
            true => message.clone(),
            false => format!("the {role} failed: {message}"),
        }
    }

    /// Returns whether the call consumed nothing if it reports no usage: no
    /// model was reached, or its service refused the call.
    pub fn is_free(&self) -> bool {
        match self.failure {
            Failure::SetupFailed {
                missing: None | Some(Missing::Program(_)),
            }
            | Failure::RateLimited { .. }
            | Failure::Offline { .. }
            | Failure::AuthFailed
            | Failure::ModelError { status: Some(_) } => true,
            Failure::SetupFailed {
                missing: Some(Missing::Agent(_)),
            }
            | Failure::PermissionDenied
            | Failure::ModelError { status: None }
            | Failure::Refused
            | Failure::Truncated { .. }
            | Failure::Failed { .. }
            | Failure::Hung { .. }
            | Failure::Unread
            | Failure::WroteFiles { .. } => false,
        }
    }
}

/// How much of a prompt was read from standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PromptRead {
    /// The length of the prompt in bytes.
    pub bytes: u64,
    /// The number of bytes that were read.
    pub read: u64,
}

impl PromptRead {
    /// Returns whether all of it was read.
    pub const fn is_whole(self) -> bool {
        self.read >= self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_without_a_started_model_is_free() {
        let missing = |missing| Failure::SetupFailed {
            missing: Some(missing),
        };
        for (failure, is_free) in [
            (Failure::AuthFailed, true),
            (Failure::ModelError { status: Some(503) }, true),
            (Failure::ModelError { status: None }, false),
            (Failure::Truncated { limit: None }, false),
            (missing(Missing::Program("p".to_owned())), true),
            (missing(Missing::Agent("a".to_owned())), false),
        ] {
            assert_eq!(AgentError::new(failure, "").is_free(), is_free);
        }
    }

    #[test]
    fn the_usage_since_an_earlier_total_is_the_difference() {
        let usage = |input_tokens, output_tokens, cost_micro_usd| Usage {
            input_tokens,
            output_tokens,
            cost_micro_usd,
        };
        for (before, later, total) in [
            (
                usage(10, 2, Some(3)),
                usage(5, 1, Some(4)),
                usage(15, 3, Some(7)),
            ),
            (usage(10, 2, None), usage(5, 1, None), usage(15, 3, None)),
        ] {
            let mut sum = before;
            sum.add(&later);
            assert_eq!(sum, total);
            assert_eq!(total.since(&before), later);
        }
        let mut unknown = usage(1, 1, Some(1));
        unknown.add(&usage(1, 1, None));
        assert_eq!(unknown, usage(2, 2, None));
        assert_eq!(
            usage(1, 1, Some(1)).since(&usage(2, 2, None)),
            usage(0, 0, None)
        );
    }
}
