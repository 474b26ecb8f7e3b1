//! `ralph agents`: the backends, and the results of recorded calls.

use std::collections::BTreeMap;

use review_agents::{BackendRow, ClientProbe, backends};
use review_engine::doctor::installed_clients;
use review_engine::{CallReport, RecordedCall};
use review_types::ExitCode;
use serde::Serialize;

use crate::args::{PlainFormat, ReplayArgs};
use crate::context::Context;
use crate::error::{CommandError, Ended};
use crate::output::style::{RESET, STRONG};
use crate::output::{Version, printable};
use crate::world::World;

/// The result of `ralph agents list --format json`.
#[derive(Serialize)]
struct AgentList {
    v: Version,
    agents: Vec<&'static BackendRow>,
    /// The version of each client that is on `PATH`, and `null` for the others.
    clients: BTreeMap<&'static str, Option<String>>,
}

/// Shows the backends, and which clients are installed.
pub(crate) fn list(context: &mut Context, format: PlainFormat) -> Ended {
    let world = World::new(context)?;
    let environment = &context.environment;
    let probe = ClientProbe {
        folder: environment.folder().to_owned(),
        env: environment.variables().clone(),
        pass_env: Vec::new(),
        groups: world.groups(),
        stop: world.stop(),
    };
    let clients = world.finish(installed_clients(&probe)).into_iter();
    let clients: BTreeMap<_, _> = clients
        .map(|found| (found.client.as_str(), found.version))
        .collect();
    match format {
        PlainFormat::Human => {
            let width = backends().map(|row| row.name.len()).max().unwrap_or(0);
            for row in backends() {
                let installed = clients.get(row.name).map(Option::as_deref);
                context.streams.print(&line(row, width, installed))?;
            }
        }
        PlainFormat::Json => context.streams.print_json(&AgentList {
            v: Version,
            agents: backends().collect(),
            clients,
        })?,
    }
    Ok(ExitCode::Passed)
}

/// The line of a backend; of a client it says which version is `installed`.
fn line(row: &BackendRow, width: usize, installed: Option<Option<&str>>) -> String {
    let roles: Vec<_> = [
        (row.reviewer, "reviewer"),
        (row.applier, "applier"),
        (row.implementer, "implementer"),
        (row.replay, "replay"),
    ]
    .into_iter()
    .filter_map(|(can, role)| can.then_some(role))
    .collect();
    let (name, kind) = (row.name, row.kind.as_str());
    let state = match installed {
        Some(Some(version)) => format!("installed: {}", printable(version)),
        Some(None) => format!("not installed; needs {}", row.requirement()),
        None => format!("needs {}", row.needs),
    };
    let roles = roles.join(", ");
    format!("{STRONG}{name:width$}{RESET}  {kind:8}  {roles:38}  {state}\n")
}

/// Reads a recording and prints the result of the call.
pub(crate) fn replay(context: &mut Context, args: &ReplayArgs) -> Ended {
    let recorded = RecordedCall::read(&args.backend, &context.absolute(&args.case));
    let recorded = recorded.map_err(|error| CommandError::input(&error))?;
    let case = args.case.display().to_string();
    let report = CallReport::new(args.backend.to_string(), case, &recorded);
    context.streams.print_json(&report)?;
    Ok(match recorded.is_answered() {
        true => ExitCode::Passed,
        false => ExitCode::NoVerdict,
    })
}
