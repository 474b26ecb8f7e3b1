//! A scripted stand-in for the services of language models, for tests.
//!
//! It listens on a port of its own of the loopback interface, speaks the
//! streaming forms of Anthropic Messages, `OpenAI` Responses and `OpenAI` Chat
//! Completions, and answers by the first rule of its script that fits. What no
//! rule fits is answered with status 400, which clients do not try again.
//!
//! ```
//! use review_model_server::ModelServer;
//! use serde_json::json;
//!
//! let script = json!([{"name": "any", "reply": {"parts": [{"text": "OK"}]}}]);
//! let server = ModelServer::start(serde_json::from_value(script).unwrap());
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! ```
#![allow(
    clippy::expect_used,
    reason = "a test stops at the first surprise, and nothing else uses this"
)]

mod asked;
mod chat;
mod http;
mod messages;
mod reply;
mod responses;
mod script;
mod server;

pub use asked::Api;
pub use reply::{Part, Reply, Tool};
pub use script::{Rule, Script, When};
pub use server::{Call, ModelServer};
