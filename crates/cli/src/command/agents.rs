//! `ralph agents`: the backends, and the results of recorded calls.

use review_agents::{BackendRow, backends};
use review_engine::{CallReport, RecordedCall};
use review_types::ExitCode;
use serde::Serialize;

use crate::args::{PlainFormat, ReplayArgs};
use crate::context::Context;
use crate::error::{CommandError, Ended};
use crate::output::Version;
use crate::output::style::{RESET, STRONG};

/// The result of `ralph agents list --format json`.
#[derive(Serialize)]
struct AgentList {
    v: Version,
    agents: Vec<&'static BackendRow>,
}

/// Shows the backends.
pub(crate) fn list(context: &mut Context, format: PlainFormat) -> Ended {
    match format {
        PlainFormat::Human => {
            let width = backends().map(|row| row.name.len()).max().unwrap_or(0);
            for row in backends() {
                context.streams.print(&line(row, width))?;
            }
        }
        PlainFormat::Json => context.streams.print_json(&AgentList {
            v: Version,
            agents: backends().collect(),
        })?,
    }
    Ok(ExitCode::Passed)
}

fn line(row: &BackendRow, width: usize) -> String {
    let roles: Vec<_> = [
        (row.reviewer, "reviewer"),
        (row.applier, "applier"),
        (row.replay, "replay"),
    ]
    .into_iter()
    .filter_map(|(can, role)| can.then_some(role))
    .collect();
    let (name, kind, needs) = (row.name, row.kind.as_str(), row.needs);
    let roles = roles.join(", ");
    format!("{STRONG}{name:width$}{RESET}  {kind:8}  {roles:25}  needs {needs}\n")
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
