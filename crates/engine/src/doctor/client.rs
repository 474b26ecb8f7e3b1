//! Which clients are installed, and whether those that are configured can be used.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use futures_util::future::join_all;
use review_agents::{Backend, BackendKind, BackendRow, Client, ClientProbe, backends};
use review_config::Config;
use review_events::AgentRole;
use review_process::find_program;
use review_report::doctor::{Check, CheckState};

use super::{Doctor, NOT_ASKED};

impl Doctor<'_> {
    /// Asks a client for its version and its agent; its model is not asked.
    pub(super) async fn client(
        &self,
        config: &Config,
        role: AgentRole,
        (backend, client): (&Backend, Client),
    ) -> Check {
        let name = role.as_str();
        let probe = self.probe(Some(config));
        let (reason, hint) = match self.unless_stopped(probe.usable(client, role)).await {
            Some(Ok(version)) => return Check::ok(name, format!("{backend}, version {version}")),
            Some(Err(error)) => (error.to_string(), error.hint(client)),
            None => (NOT_ASKED.to_owned(), "try again".to_owned()),
        };
        let message = format!("{backend}: {reason}");
        Check::bad(name, CheckState::Error, message, hint)
    }
}

/// Which agents there are: the clients that are installed with the versions that they
/// report, those that are not on `PATH`, and what needs no client. No model is asked.
pub(super) async fn installed(probe: &ClientProbe) -> Check {
    let path = probe.env.get(OsStr::new("PATH")).map(OsString::as_os_str);
    let versions = Client::ALL.into_iter().map(|client| async move {
        find_program(Path::new(client.as_str()), path, &probe.folder)?;
        let version = probe.version(client).await;
        let version = version.unwrap_or_else(|error| format!("({error})"));
        Some(format!("{client} {version}"))
    });
    let versions = join_all(versions).await;
    let missing = Client::ALL.into_iter().zip(&versions);
    let missing = missing.filter(|(_, version)| version.is_none());
    let missing: Vec<_> = missing.map(|(client, _)| client.row().name).collect();
    let found: Vec<_> = versions.into_iter().flatten().collect();
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
    let names = config.agent.pass_env.iter();
    names.map(|name| name.as_str().into()).collect()
}
