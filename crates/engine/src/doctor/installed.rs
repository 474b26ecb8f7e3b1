//! Which clients are installed.

use std::ffi::OsString;
use std::path::Path;

use futures_util::future::join_all;
use review_agents::{Client, ClientProbe};
use review_process::find_program;

/// A client, and its version where it is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledClient {
    /// The client.
    pub client: Client,
    /// What it says its version is, or why it says none; `None` where it is not on `PATH`.
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
