//! `ralph completions`: the completions of a shell.

use clap::Args;
use clap_complete::Shell;
use review_agents::{BackendKind, BackendRow, backends};
use review_types::ExitCode;

use super::schema;
use crate::args::{KnownValues, with_values};
use crate::context::Context;
use crate::error::CommandResult;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// Prints the completions of a shell.
pub(crate) fn run(context: &mut Context, args: &CompletionsArgs) -> CommandResult {
    let mut script = Vec::new();
    let mut command = with_values(&known_values());
    clap_complete::generate(args.shell, &mut command, "ralph", &mut script);
    context.streams.print_raw(&script)?;
    Ok(ExitCode::Passed)
}

fn known_values() -> KnownValues {
    let named = |is_chosen: fn(&BackendRow) -> bool| {
        let rows = backends().filter(|row| is_chosen(row));
        rows.map(begun).collect()
    };
    KnownValues {
        explained: review_report::explain::names(),
        schemas: schema::names().map(str::to_owned).collect(),
        reviewers: named(|_| true),
        appliers: named(|_| true),
        implementers: named(|row| row.implementer),
    }
}

/// How the name of a backend is begun where one is chosen.
fn begun(row: &BackendRow) -> String {
    let name = row.name;
    match row.kind {
        BackendKind::Embedded | BackendKind::Client => name.to_owned(),
        BackendKind::Program | BackendKind::Http => format!("{name}:"),
    }
}
