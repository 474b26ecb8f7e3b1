//! Language models behind HTTP APIs, with no client program in between.
//!
//! One file an API: what is asked, and what its events say. How a call ends is
//! decided where it is for the clients, in [`crate::outcome`].

mod base_url;
mod profile;

#[cfg(feature = "http")]
mod agent;
#[cfg(feature = "http")]
mod anthropic;
#[cfg(feature = "http")]
mod api;
#[cfg(feature = "http")]
mod asking;
#[cfg(feature = "http")]
mod call;
#[cfg(feature = "http")]
mod connections;
#[cfg(feature = "http")]
mod exchange;
#[cfg(feature = "http")]
mod gemini;
#[cfg(feature = "http")]
mod handshake;
#[cfg(feature = "http")]
mod message;
#[cfg(feature = "http")]
mod openai_chat;
#[cfg(feature = "http")]
mod openai_responses;
#[cfg(feature = "http")]
mod reading;
#[cfg(feature = "http")]
mod reply;
#[cfg(feature = "http")]
mod request;
#[cfg(feature = "http")]
mod rows;
#[cfg(feature = "http")]
mod sse;
#[cfg(feature = "http")]
mod transcript;
#[cfg(feature = "http")]
mod wait;

pub use base_url::{BaseUrl, BaseUrlError};
pub use profile::{Api, HttpProfile, KeyName, KeyNameError, ProfileName, ProfileNameError};

#[cfg(feature = "http")]
pub use agent::HttpAgent;
#[cfg(feature = "http")]
pub use connections::Connections;
#[cfg(feature = "http")]
pub use handshake::{HandshakeError, handshake};
#[cfg(feature = "http")]
pub use transcript::HttpTranscript;

/// The name of the backend.
#[cfg(feature = "http")]
pub(crate) const NAME: &str = "http";

/// What it is like.
#[cfg(feature = "http")]
pub(crate) const ROW: crate::row::BackendRow = crate::row::BackendRow {
    name: NAME,
    kind: crate::row::BackendKind::Http,
    reviewer: true,
    applier: true,
    implementer: true,
    replay: true,
    family: None,
    needs: "a profile [http.NAME] in ralph.toml, given as http:NAME",
    install: None,
    variables: &[],
    writes: &[],
};
