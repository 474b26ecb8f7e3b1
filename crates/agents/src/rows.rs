//! The backends in a table, for people who choose one.

use crate::clients::Client;
use crate::http;
use crate::row::BackendRow;
use crate::{acp, builtin, cmd};

/// All backends.
pub fn backends() -> impl Iterator<Item = &'static BackendRow> {
    let clients = Client::ALL.into_iter().map(Client::row);
    let ours = [&builtin::ROW, &cmd::ROW].into_iter();
    ours.chain(clients).chain([&acp::ROW, &http::ROW])
}
