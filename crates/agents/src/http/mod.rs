//! Language models behind HTTP APIs, with no client program in between.
//!
//! [`JsonSink`] alone is no model. One file an API: what is asked, and what its events say. How a call ends is
//! decided where it is for the clients, in [`crate::outcome`].

mod base_url;
mod profile;

mod agent;
mod api;
mod asking;
mod call;
mod chat_completions;
mod connections;
mod exchange;
mod handshake;
mod message;
mod messages;
mod reading;
mod reply;
mod request;
mod responses;
mod sink;
mod sse;
mod wait;

pub use base_url::{BaseUrl, BaseUrlError};
pub use profile::{Api, HttpProfile, KeyName, KeyNameError, ProfileName, ProfileNameError};

pub use agent::HttpAgent;
pub use connections::Connections;
pub use handshake::{HandshakeError, handshake};
pub use sink::{Accepted, JsonSink};

/// The name of the backend.
pub(crate) const NAME: &str = "http";

/// What it is like.
pub(crate) const ROW: crate::row::BackendRow = crate::row::BackendRow {
    name: NAME,
    kind: crate::row::BackendKind::Http,
    implementer: true,
    needs: "a profile [http.NAME] in ralph.toml, given as http:NAME",
    install: None,
    variables: &[],
    writes: &[],
};
