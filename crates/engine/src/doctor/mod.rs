//! Whether everything that a run needs is here.

mod client;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use review_agents::{Backend, Chain, ClientProbe, CommandLine};
use review_agents::{BaseUrl, Connections, HttpProfile, handshake};
use review_config::Config;
use review_events::{AgentRole, LaneOpened};
use review_lane::SandboxMode;
use review_process::git::{self, NoBase};
use review_process::{Groups, Stop, find_program, is_root};
use review_report::doctor::{Check, CheckState, Diagnosis};
use review_store::{Root, StateDir, StateError};
use review_types::plural;
use tokio::sync::watch;

use crate::admission::no_tools;
use crate::error::EngineError;
use crate::lane;
use crate::learn::{CONFIG_FILE, check_template, learning_config};
use crate::location::all_specs;
use crate::proposed_setup;

/// Why nothing is known of a backend.
const NOT_ASKED: &str = "it was not asked, since a signal came";

/// Looks at what a run needs of the system.
pub struct Doctor<'a> {
    /// The root of the project.
    pub root: &'a Path,
    /// The roots below it.
    pub nested: &'a [PathBuf],
    /// The folder that the user is in.
    pub folder: &'a Path,
    /// The environment of this process.
    pub env: &'a BTreeMap<OsString, OsString>,
    /// This program, if the system names it.
    pub program: Option<&'a Path>,
    /// The version of this program.
    pub version: &'static str,
    /// The engine that steps are for, if there is one.
    pub engine: Option<&'a BaseUrl>,
    /// Where the live process groups are listed.
    pub groups: Groups,
    /// Whether the checks go on.
    pub stop: watch::Receiver<Stop>,
}

/// Whether there is a spec to run in one of these roots.
fn specs<'r>(roots: impl Iterator<Item = &'r Path>) -> Check {
    let of_root = |root: &Path| -> Result<usize, String> {
        let root = Root::open(root).map_err(|error| error.to_string())?;
        let specs = all_specs(&root).map_err(|error| error.to_string())?;
        Ok(specs.len())
    };
    let found: Result<usize, String> = roots.map(of_root).sum();
    match found {
        Ok(0) => Check::bad(
            "specs",
            CheckState::Warning,
            "no spec in specs/",
            "the last lines say how to begin; `ralph review FILE` reviews any document",
        ),
        Ok(specs) => Check::ok("specs", plural(specs, "spec", "specs")),
        Err(message) => Check::bad(
            "specs",
            CheckState::Error,
            message,
            "make the folder of the project readable",
        ),
    }
}

/// What a checkout of an agent needs before its work, where nothing prepares it.
fn setup(root: &Path, config: &Config) -> Option<Check> {
    let is_missing = config.lane.setup.is_empty();
    let setup = is_missing.then(|| proposed_setup(root)).flatten()?;
    let message = "checkouts of agents have what git tracks, and nothing installs the rest";
    let hint = format!("set `{setup}` in ralph.toml");
    Some(Check::bad("setup", CheckState::Warning, message, hint))
}

/// Whether something is learned, and whether the configuration of that can be used.
fn learning(root: &Path, config: &Config) -> Check {
    let name = "learning";
    let found = learning_config(root, config).and_then(|found| {
        if let Some(found) = &found {
            check_template(root, found)?;
        }
        Ok(found)
    });
    let unused = config.learning.is_some() && root.join(CONFIG_FILE).is_file();
    match found {
        Ok(None) => Check::ok(name, "off: no table [learning] in ralph.toml"),
        Ok(Some(_)) if unused => {
            let message = format!("by [learning] in ralph.toml; {CONFIG_FILE} is not read");
            let hint = "keep one of the two";
            Check::bad(name, CheckState::Warning, message, hint)
        }
        Ok(Some(_)) if config.learning.is_some() => Check::ok(name, "by [learning] in ralph.toml"),
        Ok(Some(_)) => Check::ok(name, format!("by {CONFIG_FILE}")),
        Err(error) => {
            let hint = "`ralph schema agent-learning` lists the keys and their values";
            Check::bad(name, CheckState::Error, error.to_string(), hint)
        }
    }
}

impl Doctor<'_> {
    /// Looks at everything: programs, the state folder, the backends of the
    /// configuration, and the environment. Without a configuration the
    /// message says why.
    pub async fn diagnose(&self, config: Result<(&Config, &Path), String>) -> Diagnosis {
        let mut checks = vec![
            match self.find("bash") {
                Some(path) => Check::ok("bash", path.display().to_string()),
                None => Check::bad(
                    "bash",
                    CheckState::Warning,
                    "not found; commands of tasks run in sh",
                    "install bash, so that a failure inside a pipeline is seen",
                ),
            },
            self.git().await,
        ];
        checks.push(
            self.sandbox(config.as_ref().ok().map(|(config, _)| *config))
                .await,
        );
        match &config {
            Ok((config, state)) => {
                checks.push(Check::ok("configuration", "every key and value is known"));
                checks.push(state_folder(state));
                for reviewer in config.reviewer.iter() {
                    checks.push(self.backend(config, AgentRole::Reviewer, reviewer).await);
                }
                let applier = self.backend(config, AgentRole::Applier, &config.applier);
                checks.push(applier.await);
                for implementer in config.task.implementer.iter().flat_map(Chain::iter) {
                    checks.push(self.implementer(config, implementer).await);
                }
                checks.extend(self.unset_variables(config));
                checks.push(learning(self.root, config));
                checks.extend(setup(self.root, config));
                if let Some(url) = self.engine {
                    checks.extend(self.engine(url, config).await);
                }
            }
            Err(message) => checks.push(Check::bad(
                "configuration",
                CheckState::Error,
                message.clone(),
                "`ralph config` shows where",
            )),
        }
        let probe = self.probe(config.ok().map(|(config, _)| config));
        checks.extend(self.unless_stopped(client::installed(&probe)).await);
        let nested = self.nested.iter().map(PathBuf::as_path);
        checks.push(specs(std::iter::once(self.root).chain(nested)));
        checks.extend(self.foreign_ralph());
        Diagnosis::new(checks)
    }

    /// The engine and its workers.
    async fn engine(&self, url: &BaseUrl, config: &Config) -> Vec<Check> {
        let (engine, worker) = ("engine", "worker");
        let probe = self.lane_probe();
        let found = match probe.workers(self.root, url, &config.engine).await {
            Ok(found) => found,
            Err(error) => {
                let message = error.to_string();
                let hint = match error {
                    EngineError::Refused {
                        hint: Some(hint), ..
                    } => hint,
                    _ => "start the server, or name another one".to_owned(),
                };
                return vec![Check::bad(engine, CheckState::Error, message, hint)];
            }
        };
        let kept = plural(found.retention_days, "day", "days");
        let lane::EngineState {
            server,
            namespace,
            ms,
            workers,
            ..
        } = found;
        let message = format!(
            "Temporal {server}, namespace {namespace}, results kept {kept}; reachable in {ms} ms"
        );
        let mut checks = vec![Check::ok(engine, message)];
        if workers.is_empty() {
            let hint = format!("`ralph-worker --engine {url} --root DIR` on a host starts one");
            let none = "none of this project waits for steps";
            checks.push(Check::bad(worker, CheckState::Warning, none, hint));
        }
        checks.extend(workers.into_iter().map(|found| {
            let slots = plural(found.slots.get(), "slot", "slots");
            let clients = found.clients.unwrap_or_default();
            let clients = clients.iter().map(|client| format!(", {client}"));
            let clients: String = clients.collect();
            let lane::Worker { name, version, .. } = found;
            let message = format!("{name}: ralph {version}, {slots}{clients}");
            let own = self.version;
            if version == own {
                return Check::ok(worker, message);
            }
            let hint = format!("install ralph {own} there");
            Check::bad(worker, CheckState::Warning, message, hint)
        }));
        checks
    }

    /// The variables of `agent.pass_env` that are not set.
    fn unset_variables(&self, config: &Config) -> impl Iterator<Item = Check> {
        let names = client::pass_env(config).into_iter();
        let unset = names.filter(|name| !self.env.contains_key(name));
        unset.map(|name| {
            Check::bad(
                "environment",
                CheckState::Warning,
                format!("agent.pass_env names {}, which is not set", name.display()),
                "set it, or remove it from the list",
            )
        })
    }

    /// Whether work of agents has a repository to land in.
    async fn git(&self) -> Check {
        let Some(path) = self.find("git") else {
            return Check::bad(
                "git",
                CheckState::Warning,
                "not found; files are listed without it",
                "install git, so that ignored files are known",
            );
        };
        let git = git::Folder::new(self.root, self.stop.clone(), &self.groups);
        let (missing, hint) = match git.base_commit("HEAD").await {
            Ok(_) => return Check::ok("git", path.display().to_string()),
            Err(NoBase::NoWorkTree(_)) => (
                "this folder is in no repository",
                "`git init`, and commit what is there",
            ),
            Err(NoBase::Unknown | NoBase::Shallow) => {
                ("the repository has no commit", "commit what is there")
            }
        };
        Check::bad(
            "git",
            CheckState::Warning,
            format!("{missing}: agents cannot implement tasks"),
            hint,
        )
    }

    /// What would keep agents from files outside of their checkouts.
    async fn sandbox(&self, config: Option<&Config>) -> Check {
        let name = "sandbox";
        let mode = config.map_or(SandboxMode::Auto, |config| config.lane.sandbox.mode);
        let (state, message) = match self.lane_probe().find(mode).await {
            Ok(found) => match found.opened() {
                LaneOpened {
                    sandbox, reason, ..
                } if reason.is_empty() => {
                    return Check::ok(
                        name,
                        match found.open_to_root().filter(|_| is_root()) {
                            Some(open) => {
                                format!("{sandbox}; as root ralph keeps no program from {open}")
                            }
                            None => sandbox.to_string(),
                        },
                    );
                }
                // No agent works in a checkout.
                LaneOpened {
                    sandbox, reason, ..
                } if config.is_none_or(|config| config.task.implementer.is_none()) => {
                    return Check::ok(name, format!("{sandbox}: {reason}"));
                }
                LaneOpened { reason, .. } => (
                    CheckState::Warning,
                    format!("agents could write outside of their checkouts: {reason}"),
                ),
            },
            Err(error) => (CheckState::Error, error.to_string()),
        };
        let hint = "install bubblewrap, or use a kernel with landlock";
        Check::bad(name, state, message, hint)
    }

    fn lane_probe(&self) -> lane::Probe<'_> {
        lane::Probe {
            env: self.env,
            groups: &self.groups,
            stop: self.stop.clone(),
        }
    }

    /// What asks clients as the calls of a run with this configuration would.
    fn probe(&self, config: Option<&Config>) -> ClientProbe {
        ClientProbe {
            folder: self.root.to_owned(),
            env: self.env.clone(),
            pass_env: config.map(client::pass_env).unwrap_or_default(),
            groups: self.groups.clone(),
            stop: self.stop.clone(),
        }
    }

    fn search_path(&self) -> Option<&OsStr> {
        self.env.get(OsStr::new("PATH")).map(OsString::as_os_str)
    }

    fn find(&self, program: &str) -> Option<PathBuf> {
        find_program(Path::new(program), self.search_path(), self.folder)
    }

    async fn backend(&self, config: &Config, role: AgentRole, backend: &Backend) -> Check {
        let name = role.as_str();
        match backend {
            Backend::Builtin => Check::ok(name, backend.to_string()),
            Backend::Cmd(line) => self.command(role, line),
            Backend::Acp(line) => self.agent(config, role, line).await,
            Backend::Client { client, .. } => self.client(config, role, (backend, *client)).await,
            Backend::Http(profile) => match config.http.get(profile) {
                Some(profile) => self.model(role, backend, profile).await,
                None => Check::bad(name, CheckState::Error, backend.to_string(), NO_PROFILE),
            },
        }
    }

    async fn implementer(&self, config: &Config, backend: &Backend) -> Check {
        let role = AgentRole::Implementer;
        match backend.can_implement() {
            true => self.backend(config, role, backend).await,
            false => Check::bad(
                role.as_str(),
                CheckState::Error,
                no_tools(backend).to_string(),
                "name a client or a program in task.implementer",
            ),
        }
    }

    /// Whether the API of a model can be asked; the model itself is not.
    async fn model(&self, role: AgentRole, backend: &Backend, profile: &HttpProfile) -> Check {
        let (name, url, model) = (role.as_str(), profile.base_url(), &profile.model);
        let connections = Connections::default();
        let asked = self.unless_stopped(handshake(profile, &connections, self.env));
        let reason = match asked.await {
            Some(Ok(status)) if status < 300 => {
                return Check::ok(name, format!("{backend}, model {model}, {url} answers"));
            }
            Some(Ok(status)) => {
                let message =
                    format!("{backend}: {url} answers, and lists no models: status {status}");
                let hint = "check base_url, or go on: some servers have no such list";
                return Check::bad(name, CheckState::Warning, message, hint);
            }
            Some(Err(error)) => error.to_string(),
            None => NOT_ASKED.to_owned(),
        };
        let hint = "check api, base_url and key_env of its profile, and that the server runs";
        Check::bad(
            name,
            CheckState::Error,
            format!("{backend}: {reason}"),
            hint,
        )
    }

    /// What an agent that is talked with says it is; its model is not asked.
    async fn agent(&self, config: &Config, role: AgentRole, line: &CommandLine) -> Check {
        let (name, probe) = (role.as_str(), self.probe(Some(config)));
        let reason = match self.unless_stopped(probe.agent(line, self.root)).await {
            Some(Ok(agent)) => return Check::ok(name, format!("acp:{line}, {agent}")),
            Some(Err(error)) => error.to_string(),
            None => NOT_ASKED.to_owned(),
        };
        let message = format!("acp:{line}: {reason}");
        let hint = "check its spelling and PATH, and log in with the agent itself";
        Check::bad(name, CheckState::Error, message, hint)
    }

    fn command(&self, role: AgentRole, line: &CommandLine) -> Check {
        let (name, program) = (role.as_str(), Path::new(line.program()));
        match find_program(program, self.search_path(), self.root) {
            Some(found) => {
                let found: PathBuf = found.components().collect();
                Check::ok(name, format!("cmd:{line}, found at {}", found.display()))
            }
            None => Check::bad(
                name,
                CheckState::Error,
                format!("cmd:{line}: program {} not found", program.display()),
                "check its spelling, its x permission and PATH",
            ),
        }
    }

    /// Other tools install a `ralph` as well.
    fn foreign_ralph(&self) -> Option<Check> {
        let first = self.find("ralph")?;
        let own = self.program?.canonicalize().ok()?;
        if first.canonicalize().is_ok_and(|first| first == own) {
            return None;
        }
        Some(Check::bad(
            "path",
            CheckState::Warning,
            format!("another ralph comes first on PATH: {}", first.display()),
            "call this one ralph-review, or put its folder first",
        ))
    }

    /// Waits for `work`; `None` when a signal comes first.
    async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut stop = self.stop.clone();
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop != Stop::Run) => None,
            done = work => Some(done),
        }
    }
}

const NO_PROFILE: &str = "add its profile to ralph.toml";

fn state_folder(folder: &Path) -> Check {
    match StateDir::check(folder) {
        Ok(()) => Check::ok(
            "state folder",
            format!("{} can be written", folder.display()),
        ),
        Err(error) => Check::bad(
            "state folder",
            CheckState::Error,
            match error {
                StateError::Unusable(file) => file.to_string(),
                StateError::Link(_) => error.to_string(),
            },
            "name another with --state-dir",
        ),
    }
}
