//! The clients of language models, and calls of them.

mod agent;
mod folders;
mod message;
mod probe;
mod recovery;

use std::fmt;
use std::str::FromStr;

use review::schema::Dialect;

use crate::client::{ClientRow, Pricing};
use crate::outcome::ExitCodes;
use crate::row::BackendRow;
use crate::stream::{StreamLimits, StreamReader};
use crate::watch::OwnFiles;

pub use agent::ClientAgent;
pub(crate) use folders::{cache_named, folders_named};
pub(crate) use message::message;
pub use probe::{ClientProbe, ProbeError};

/// Makes the closed set of clients of one row each: its variant, and the module
/// that holds its `ROW`.
macro_rules! clients {
    ($($(#[doc = $about:literal])+ $(#[cfg($when:meta)])? $client:ident = $module:ident,)+) => {
        /// A program that talks to a language model.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Client {
            $($(#[doc = $about])+ $(#[cfg($when)])? $client,)+
        }

        impl Client {
            /// All of them.
            pub const ALL: [Self; Self::COUNT] = [$($(#[cfg($when)])? Self::$client,)+];

            const COUNT: usize = [$($(#[cfg($when)])? stringify!($client),)+].len();

            /// All that is known of it.
            const fn parts(self) -> &'static ClientRow {
                match self {
                    $($(#[cfg($when)])? Self::$client => &crate::$module::ROW,)+
                }
            }
        }
    };
}

clients! {
    /// `opencode run --format json`.
    Opencode = opencode,
    /// `claude -p`.
    Claude = claude,
    /// `codex exec --json`.
    Codex = codex,
    /// `gemini -o stream-json`.
    Gemini = gemini,
    /// The example of the documentation, in the tests of this crate.
    #[cfg(test)]
    Demo = demo,
}

impl Client {
    /// The name of its backend.
    pub const fn as_str(self) -> &'static str {
        self.row().name
    }

    /// What it is like, for people who choose one.
    pub const fn row(self) -> &'static BackendRow {
        &self.parts().backend
    }

    /// What it reports about the price of a call, where the user gave none.
    pub const fn pricing(self) -> Pricing {
        self.parts().pricing
    }

    /// What it writes for itself in a project.
    pub(crate) const fn own_files(self) -> OwnFiles {
        OwnFiles {
            paths: self.row().writes,
            adds: self.parts().adds,
        }
    }

    /// The form of its answers as a reviewer.
    pub(crate) const fn dialect(self) -> Dialect {
        self.parts().dialect
    }

    /// A reader of what it prints during one call.
    pub fn reader(self, limits: StreamLimits) -> StreamReader {
        StreamReader::new((self.parts().events)(limits), limits)
    }

    /// What its exit codes mean beyond success and failure.
    pub const fn exit_codes(self) -> ExitCodes {
        self.parts().exit_codes
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name that no client has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a client")]
pub struct ClientError(pub String);

impl FromStr for Client {
    type Err = ClientError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let client = Self::ALL.into_iter().find(|client| client.as_str() == name);
        client.ok_or_else(|| ClientError(name.to_owned()))
    }
}
