//! What the clients that implement and review keep outside of their checkouts.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use review_agents::Backend;
use review_flow::Stop;
use review_lane::Lane;
use review_store::LaneDir;

use super::LaneExecutor;
use crate::error::halted;

/// The folder of the lane with the databases of clients.
const CLIENTS: &str = "clients";

#[derive(Default)]
pub(super) struct ClientState {
    /// The folders that it writes to, which are there.
    pub(super) folders: Vec<PathBuf>,
    /// The variable that says where its database is: in the lane, for each task apart, and for
    /// the call that picks one.
    pub(super) database: Option<(OsString, OsString)>,
}

impl LaneExecutor<'_> {
    /// The folders of a client, which it would create as well.
    pub(super) fn client_state(
        &self,
        lane: &Lane,
        task: impl fmt::Display,
        backend: &Backend,
    ) -> Result<ClientState, Stop> {
        let env = &self.run.project.env;
        let own = lane.path().join(CLIENTS).join(task.to_string());
        let client = backend.client();
        let database = client.and_then(|client| client.database_in(&own, env));
        let mut folders = backend.state_folders(env);
        folders.extend(database.is_some().then_some(own));
        for folder in &folders {
            create(folder)?;
        }
        Ok(ClientState { folders, database })
    }
}

fn create(folder: &Path) -> Result<(), Stop> {
    let created = LaneDir::at(folder.to_owned()).create_folder("");
    created.map(|_| ()).map_err(halted)
}
