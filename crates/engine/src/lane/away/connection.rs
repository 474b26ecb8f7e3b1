//! The programs that lead to hosts: `ssh`, or `ralph-worker`, which leads to the workers of
//! an engine.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use review_agents::BaseUrl;
use review_config::{EngineTable, HostName};
use review_process::Exit;

use crate::judging::is_ralphs;
use crate::settings::RunSettings;

/// How ssh is called: with no terminal, no question, and nothing of the user's forwarded.
const SSH: [&str; 6] = [
    "-T",
    "-oBatchMode=yes",
    "-oForwardAgent=no",
    "-oClearAllForwardings=yes",
    "-oServerAliveInterval=15",
    "--",
];

/// The program that leads to an engine.
pub(super) const WORKER: &str = "ralph-worker";

/// How the variables begin that it reads: a key, and files with certificates.
const WORKERS: &[u8] = b"RALPH_ENGINE_";

/// The status with which it ends where the engine does not answer.
const NO_ANSWER: Exit = Exit::Code(3);

/// An engine, as a project uses it.
pub(super) struct Engine<'a> {
    pub(super) url: &'a BaseUrl,
    table: &'a EngineTable,
    pub(super) project: String,
}

impl<'a> Engine<'a> {
    /// The engine at an address, for the project at a root, which is known by the name of
    /// its folder unless the configuration names it.
    pub(super) fn new(url: &'a BaseUrl, table: &'a EngineTable, root: &Path) -> Self {
        let folder = root.file_name().unwrap_or_default().to_string_lossy();
        let named = table.project.as_ref();
        let project = named.map_or_else(|| folder.into_owned(), ToString::to_string);
        Self {
            url,
            table,
            project,
        }
    }

    /// The arguments of a command of its program.
    pub(super) fn args(&self, command: &str) -> Vec<String> {
        let Self {
            url,
            table,
            project,
        } = self;
        [
            command,
            "--engine",
            url.as_str(),
            "--namespace",
            table.namespace.as_str(),
            "--project",
            project,
        ]
        .map(str::to_owned)
        .to_vec()
    }
}

/// What leads to a host.
pub(super) enum Connection<'a> {
    /// ssh, which is given this.
    Ssh(&'a HostName),
    /// An engine, with the name of a worker.
    Engine(Engine<'a>, &'a HostName),
}

impl<'a> Connection<'a> {
    /// What leads to a host of a run.
    pub(super) fn to(host: &'a HostName, settings: &'a RunSettings, root: &Path) -> Self {
        let config = &settings.config;
        if let Some(url) = &settings.engine {
            return Self::Engine(Engine::new(url, &config.engine, root), host);
        }
        let named = config.hosts.get(host);
        Self::Ssh(named.and_then(|named| named.ssh.as_ref()).unwrap_or(host))
    }

    /// The program with its arguments.
    pub(super) fn program(&self) -> (&'static str, Vec<String>) {
        match self {
            Self::Ssh(ssh) => {
                let command = SSH.into_iter().chain([ssh.as_str(), "ralph", "step"]);
                ("ssh", command.map(str::to_owned).collect())
            }
            Self::Engine(engine, host) => {
                let mut args = engine.args("relay");
                let patience = format!("{}s", engine.table.patience.as_secs());
                let more = ["--patience", &patience, "--host", host.as_str()];
                args.extend(more.map(str::to_owned));
                (WORKER, args)
            }
        }
    }

    /// What is lost with it where it ended in this way, without a result.
    pub(super) fn lost(&self, exit: Exit) -> Lost {
        match (self, exit) {
            (Self::Ssh(_), _) | (_, Exit::Signal(_)) => Lost::Connection,
            (Self::Engine(..), NO_ANSWER) => Lost::Engine,
            (Self::Engine(..), Exit::Code(_)) => Lost::Host,
        }
    }
}

/// What is lost with a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lost {
    /// Nothing else: another connection may do better.
    Connection,
    /// The host: its engine has tried enough.
    Host,
    /// The engine, and with it all hosts.
    Engine,
}

/// The variables of such a program: none of ralph's own but those that are for it.
pub(super) fn variables(
    program: &str,
    env: &BTreeMap<OsString, OsString>,
) -> Vec<(OsString, OsString)> {
    let is_passed = |name: &OsString| {
        let is_for_workers = name.as_encoded_bytes().starts_with(WORKERS);
        program == WORKER && is_for_workers || !is_ralphs(name)
    };
    let env = env.iter().filter(|(name, _)| is_passed(name));
    env.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_an_engine_is_for_its_program_alone() {
        let names = ["HOME", "RALPH_ENGINE_KEY", "RALPH_RUN"];
        let env = names.map(|name| (name.into(), "1".into())).into();
        for (program, expected) in [
            ("ssh", &["HOME"][..]),
            (WORKER, &["HOME", "RALPH_ENGINE_KEY"]),
        ] {
            let passed = variables(program, &env).into_iter();
            let passed: Vec<_> = passed.map(|(name, _)| name).collect();
            assert_eq!(passed, expected, "{program}");
        }
    }
}
