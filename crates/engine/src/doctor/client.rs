//! Which clients are installed, and whether those that are configured can be used.

use std::ffi::OsString;
use std::path::Path;

use futures_util::future::join_all;
use review_agents::{Backend, BackendKind, BackendRow, Client, ClientProbe, backends};
use review_config::Config;
use review_events::AgentRole;
use review_process::find_program;
use review_report::doctor::{Check, CheckState};

use super::{Doctor, NOT_ASKED};

/// A client in the place that it is configured for.
pub(super) struct Asked<'a> {
    pub(super) client: Client,
    pub(super) backend: &'a Backend,
    pub(super) role: AgentRole,
}

impl Asked<'_> {
    /// Asks it for its version and its agent; its model is not asked.
    pub(super) async fn check(&self, doctor: &Doctor<'_>, config: &Config) -> Check {
        let Self {
            client,
            backend,
            role,
        } = *self;
        let name = role.as_str();
        let bad = |reason: String, hint: String| {
            Check::bad(
                name,
                CheckState::Error,
                format!("{backend}: {reason}"),
                hint,
            )
        };
        let probe = doctor.probe(Some(config));
        match doctor.unless_stopped(probe.usable(client, role)).await {
            Some(Ok(version)) => Check::ok(name, format!("{backend}, version {version}")),
            Some(Err(error)) => bad(error.to_string(), error.hint(client)),
            None => bad(NOT_ASKED.to_owned(), "try again".to_owned()),
        }
    }
}

/// Which agents there are: the clients that are installed, those that are not, and what
/// needs no client.
pub(super) fn installed(clients: &[InstalledClient]) -> Check {
    let (found, missing): (Vec<_>, Vec<_>) =
        clients.iter().partition(|client| client.version.is_some());
    let found: Vec<_> = found
        .into_iter()
        .filter_map(|one| Some(format!("{} {}", one.client, one.version.as_ref()?)))
        .collect();
    let missing: Vec<_> = missing.iter().map(|one| one.client.row().name).collect();
    let others = backends().filter(|row| row.kind != BackendKind::Client);
    let others: Vec<_> = others.map(BackendRow::written).collect();
    let parts = [
        ("installed", found.join(", ")),
        ("not installed", missing.join(", ")),
        ("without a client", others.join(", ")),
    ];
    let parts = parts.iter().filter(|(_, names)| !names.is_empty());
    let parts: Vec<_> = parts
        .map(|(what, names)| format!("{what}: {names}"))
        .collect();
    Check::ok("agents", parts.join("; "))
}

/// The variables that clients see because the configuration names them.
pub(super) fn pass_env(config: &Config) -> Vec<OsString> {
    config
        .agent
        .pass_env
        .iter()
        .map(|name| name.as_str().into())
        .collect()
}

/// A client, and its version where it is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledClient {
    /// The client.
    pub client: Client,
    /// The version that it reports, or why it reports none; `None` where it is not on `PATH`.
    pub version: Option<String>,
}

/// Asks all clients that are on `PATH` for their versions; no model is asked.
pub async fn installed_clients(probe: &ClientProbe) -> Vec<InstalledClient> {
    let path = probe.env.get(&OsString::from("PATH"));
    let clients = Client::ALL.into_iter().map(|client| async move {
        let path = path.map(OsString::as_os_str);
        let found = find_program(Path::new(client.as_str()), path, &probe.folder);
        let version = match found {
            Some(_) => Some(match probe.version(client).await {
                Ok(version) => version,
                Err(error) => format!("({error})"),
            }),
            None => None,
        };
        InstalledClient { client, version }
    });
    join_all(clients).await
}
