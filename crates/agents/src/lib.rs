//! Reviewers and appliers: the embedded rules, any program of the user, and
//! clients of language models.
//!
//! Each backend turns whatever can happen to a call into an answer or into one
//! of the closed list of outcomes, [`review_types::Failure`]. Whether an answer
//! is any good is not judged here, nor is anything tried twice.

mod backend;
mod builtin;
mod call;
mod caller;
mod chain;
mod claude;
mod client;
mod cmd;
mod codex;
mod completion;
mod context;
mod deltas;
#[cfg(test)]
mod demo;
mod ending;
mod environment;
mod gemini;
mod grammar;
mod http;
mod models;
mod opencode;
mod outcome;
mod prompts;
pub mod provider;
mod recorded;
mod recording;
mod reviewing;
mod rows;
mod stream;
mod transcript;
mod watch;

pub use backend::{Backend, BackendError};
pub use builtin::BuiltinAgent;
pub use chain::{Chain, ChainReviewer};
pub use client::{
    Client, ClientAgent, ClientError, ClientProbe, Login, Model, ModelError, NoConfig, Pricing,
    ProbeError, VersionAge,
};
pub use cmd::{CmdAgent, CommandLine, CommandLineError};
pub use completion::{Completer, Completion, CompletionRequest};
pub use context::{AgentContext, Interruption};
pub use ending::Ending;
pub use environment::usual_variables;
pub use http::{
    Api, BaseUrl, BaseUrlError, HttpProfile, KeyName, KeyNameError, ProfileName, ProfileNameError,
};
#[cfg(feature = "http")]
pub use http::{Connections, HandshakeError, HttpAgent, HttpTranscript, handshake};
pub use models::{ModelTerms, Models, estimated_tokens};
pub use opencode::opencode_agents;
pub use outcome::{CallEnd, ExitCodes, outcome};
pub use prompts::{ArtifactForm, LessonPrompt, RolePrompt, RolePrompts};
pub use recorded::{RecordedBackend, RecordedBackendError};
pub use recording::{Calls, Player, Recorder, RecordingError};
pub use reviewing::{AnswerForm, BuiltinFacts};
pub use rows::{BackendKind, BackendRow, backends};
pub use stream::{
    Consumption, Fault, Observed, ReportedError, RetryAfter, RetryAfterError, Standing, StopReason,
    StreamLimits, StreamReader, ToolEnd, ToolLog, ToolUse, UsageSpan, WrongAgent,
};
pub use transcript::{Replayed, Transcript, TranscriptError};
pub use watch::{ApplyScope, ProjectFiles};
