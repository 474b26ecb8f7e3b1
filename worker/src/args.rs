//! The command line.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use tonic::transport::Uri;

/// Carries out steps of ralph's runs that other computers lead.
///
/// A user who can write to the namespace has a shell in the sandbox of each worker. An API key
/// is taken from `RALPH_ENGINE_KEY`; `RALPH_ENGINE_TLS_CA`, `RALPH_ENGINE_TLS_CERT` and
/// `RALPH_ENGINE_TLS_KEY` name files as the options do.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) work: Option<WorkArgs>,
    #[command(flatten)]
    pub(crate) engine: Option<EngineArgs>,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Has a worker carry out the step on standard input; `ralph run --engine` starts it.
    Relay(RelayArgs),
    /// Prints the server and its workers as a line of JSON.
    List(ListArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct WorkArgs {
    /// The clone in which steps are carried out.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: PathBuf,
    /// What runs call this worker [default: the name of the host].
    #[arg(long, value_name = "NAME", value_parser = worker)]
    pub(crate) name: Option<String>,
    /// How many steps are carried out at a time [default: the number of processors].
    #[arg(long, value_name = "N")]
    pub(crate) slots: Option<NonZeroU32>,
    /// The agents that orders may ask for, by the names of their backends [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) clients: Option<Vec<String>>,
    /// What keeps agents from files outside of their checkouts, as for `ralph step`.
    #[arg(long, value_name = "MODE")]
    pub(crate) sandbox: Option<String>,
    /// The project whose steps are taken [default: the name of the root's folder].
    #[arg(long, value_name = "P", value_parser = project)]
    pub(crate) project: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RelayArgs {
    /// The project of the run.
    #[arg(long, value_name = "P", value_parser = project)]
    pub(crate) project: String,
    /// The worker that carries out the step.
    #[arg(long, value_name = "NAME", value_parser = worker)]
    pub(crate) host: String,
    /// How long the server may be away.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    pub(crate) patience: Duration,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// The project of the workers.
    #[arg(long, value_name = "P", value_parser = project)]
    pub(crate) project: String,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// How the server is reached.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct EngineArgs {
    /// The address of the Temporal server.
    #[arg(long, value_name = "URL", env = "RALPH_ENGINE", value_parser = url)]
    pub(crate) engine: Uri,
    /// The namespace, better one for ralph alone.
    #[arg(long, value_name = "NS", default_value = "default")]
    pub(crate) namespace: String,
    /// Certificates by which the server is known [default: those of the system].
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_ca: Option<PathBuf>,
    /// The certificate that is shown to the server.
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The key of that certificate.
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_key: Option<PathBuf>,
    /// How long a worker may be silent, and how long a step waits for it.
    #[arg(long, hide = true, default_value = "10m,10m", value_parser = timeouts)]
    pub(crate) timeouts: Timeouts,
}

/// When steps are given up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    /// After the last sign of life of a worker that has it.
    pub(crate) heartbeat: Duration,
    /// After it was ordered if no worker takes it, or asks its run and that does not answer.
    pub(crate) to_start: Duration,
}

/// A project, which is part of the names of queues and of a folder.
pub(crate) fn project(text: &str) -> Result<String, String> {
    let is_wrong = |c: char| c == '/' || c.is_control();
    match matches!(text, "" | "." | "..") || text.contains(is_wrong) {
        true => Err("expected the name of a folder".to_owned()),
        false => Ok(text.to_owned()),
    }
}

/// A worker, which runs name as they name hosts.
pub(crate) fn worker(text: &str) -> Result<String, String> {
    if text == "local" || text.starts_with('-') || text.contains(char::is_whitespace) {
        return Err("expected a name without blanks, without `-` at its start, not `local`".into());
    }
    project(text)
}

fn url(text: &str) -> Result<Uri, String> {
    let url: Uri = text.parse().map_err(|_| "expected a URL".to_owned())?;
    match url.scheme_str() {
        Some("http" | "https") => Ok(url),
        _ => Err("expected http:// or https://".to_owned()),
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a number of seconds or minutes, such as 90s or 10m".to_owned();
    let (number, unit) = text
        .split_at_checked(text.len().saturating_sub(1))
        .ok_or_else(expected)?;
    let number: u64 = number.parse().map_err(|_| expected())?;
    match unit {
        "s" => Ok(Duration::from_secs(number)),
        "m" => Ok(Duration::from_secs(60 * number)),
        _ => Err(expected()),
    }
}

fn timeouts(text: &str) -> Result<Timeouts, String> {
    let (heartbeat, to_start) = text.split_once(',').ok_or("expected two times")?;
    Ok(Timeouts {
        heartbeat: duration(heartbeat)?,
        to_start: duration(to_start)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_part_of_a_path() {
        for (name, is_project, is_worker) in [
            ("a.b", true, true),
            ("a b", true, false),
            ("local", true, false),
            ("-a", true, false),
            ("../x", false, false),
            ("..", false, false),
            ("a\n", false, false),
            ("", false, false),
        ] {
            assert_eq!(project(name).is_ok(), is_project, "{name:?}");
            assert_eq!(worker(name).is_ok(), is_worker, "{name:?}");
        }
    }
}
