//! A backend in the table of backends.

use crate::clients::Client;
use crate::{acp, builtin, cmd, http};

/// What a backend is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendKind {
    /// It is in the binary.
    Embedded,
    /// Any program of the user.
    Program,
    /// An agent that is talked with by a protocol.
    Protocol,
    /// A client of a language model.
    Client,
    /// A language model behind an HTTP API.
    Http,
}

/// A backend, what it can be, and what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackendRow {
    /// Its name.
    pub name: &'static str,
    /// What it is made of.
    pub kind: BackendKind,
    /// Whether it can be an implementer.
    pub implementer: bool,
    /// What must be there before it can be used.
    pub needs: &'static str,
    /// The command that installs it, where there is one.
    pub install: Option<&'static str>,
    /// The variables that it sees in addition to the usual ones, where they are set.
    pub variables: &'static [&'static str],
    /// Folders and files of a project that it writes whatever it is asked.
    pub writes: &'static [&'static str],
}

impl BackendRow {
    /// What it needs, with the command that installs it.
    pub fn requirement(&self) -> String {
        match self.install {
            Some(install) => format!("{}: {install}", self.needs),
            None => self.needs.to_owned(),
        }
    }

    /// How it is written where one is chosen, such as `cmd:PROGRAM`; the model
    /// of a client may be left out.
    pub fn written(&self) -> String {
        let name = self.name;
        match self.kind {
            BackendKind::Embedded | BackendKind::Client => name.to_owned(),
            BackendKind::Program => format!("{name}:PROGRAM"),
            BackendKind::Protocol => format!("{name}:COMMAND"),
            BackendKind::Http => format!("{name}:PROFILE"),
        }
    }
}

/// A client that is there when `needs` is met, and is installed by `install`.
pub(crate) const fn client(
    name: &'static str,
    needs: &'static str,
    install: &'static str,
) -> BackendRow {
    BackendRow {
        name,
        kind: BackendKind::Client,
        implementer: true,
        needs,
        install: Some(install),
        variables: &[],
        writes: &[],
    }
}

/// All backends.
pub fn backends() -> impl Iterator<Item = &'static BackendRow> {
    let clients = Client::ALL.into_iter().map(Client::row);
    let ours = [&builtin::ROW, &cmd::ROW].into_iter();
    ours.chain(clients).chain([&acp::ROW, &http::ROW])
}
