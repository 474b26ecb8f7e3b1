//! The sandbox of the programs that work in checkouts.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use review::events::LaneOpened;
use review_config::Line;
use review_flow::{Stop, hash_bytes};
use review_lane::{Lane, Place, Refusal, SandboxMode};
use review_process::{
    Command, Context, Environment, Exit, FileAccess, FileRules, Groups, Redactor, Sandbox,
    SandboxTool, Stop as ProcessStop, find_program, run,
};
use review_store::{LaneDir, STATE_DIR};
use review_types::{SandboxKind, StartCode, error_chain};
use tokio::sync::watch;

use super::away::STEPS;
use super::caches::{CACHES, CacheHome};
use super::environment::Role;
use super::{LaneExecutor, protected, stopped};
use crate::error::halted;
use crate::project::Project;

const TMP: &str = "/tmp";
const TMPDIR: &str = "TMPDIR";

/// The world in which sandboxes, and the workers of an engine, are looked for.
pub(crate) struct Probe<'a> {
    pub(crate) env: &'a BTreeMap<OsString, OsString>,
    pub(crate) groups: &'a Groups,
    pub(crate) stop: watch::Receiver<ProcessStop>,
}

/// What keeps programs of a run to their checkouts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InForce {
    tool: Option<SandboxTool>,
    opened: LaneOpened,
}

impl InForce {
    /// Whether programs are kept to their checkouts.
    pub(super) const fn is_any(&self) -> bool {
        self.tool.is_some()
    }

    /// The sandbox of an agent that works in the root itself: it may change nothing there,
    /// and its own folders, those for temporary files, and those of `named`. Where it
    /// applies to the root, the repository and the records in it stay as they are.
    pub(crate) fn around(
        &self,
        root: &Path,
        named: &review_config::Sandbox,
        (env, own): (&BTreeMap<OsString, OsString>, &[PathBuf]),
    ) -> Option<Sandbox> {
        let tool = self.tool.as_ref()?;
        let variable = |name: &str| env.get(OsStr::new(name)).map(PathBuf::from);
        let tmp = variable(TMPDIR).unwrap_or_else(|| TMP.into());
        let mut rules = FileRules::default();
        for folder in own.iter().chain([&tmp]) {
            rules = rules.with(folder, FileAccess::Write);
        }
        for path in [root, &root.join(".git"), &root.join(STATE_DIR)] {
            rules = rules.with(path, FileAccess::Read);
        }
        let home = variable("HOME");
        let rules = named_rules(named, root, home.as_deref(), rules);
        Some(Sandbox::new(tool.clone(), rules))
    }

    /// What it does not keep programs of root from, in words.
    pub(crate) fn open_to_root(&self) -> Option<&'static str> {
        Some(match self.tool.as_ref()? {
            SandboxTool::Bwrap(_) => "the keyrings of the kernel",
            SandboxTool::Landlock => {
                "the clock, the host name, modes, owners and attributes of files, /dev/shm, \
                 shared memory and the keyrings of the kernel; bubblewrap does, but for the last"
            }
        })
    }

    /// What is reported of it.
    pub(crate) const fn opened(&self) -> &LaneOpened {
        &self.opened
    }
}

impl<'a> Probe<'a> {
    /// The world of a project.
    pub(crate) fn of(project: &'a Project<'_>) -> Self {
        Self {
            env: &project.env,
            groups: &project.groups,
            stop: project.stop.clone(),
        }
    }

    /// Finds what a mode asks for, by running a program in it.
    ///
    /// # Errors
    /// [`Refusal`] when the mode asks for one and none works.
    pub(crate) async fn find(&self, mode: SandboxMode) -> Result<InForce, Refusal> {
        let kinds: &[SandboxKind] = match mode {
            SandboxMode::Off => &[],
            SandboxMode::Auto | SandboxMode::Required => {
                &[SandboxKind::Bwrap, SandboxKind::Landlock]
            }
            SandboxMode::Bwrap => &[SandboxKind::Bwrap],
            SandboxMode::Landlock => &[SandboxKind::Landlock],
        };
        let mut missing = Vec::new();
        for kind in kinds {
            match self.tool(*kind).await {
                Ok(tool) => {
                    return Ok(InForce {
                        opened: LaneOpened {
                            sandbox: *kind,
                            reason: String::new(),
                        },
                        tool: Some(tool),
                    });
                }
                Err(why) => missing.push(format!("{kind}: {why}")),
            }
        }
        let sandbox = match mode {
            SandboxMode::Off => SandboxKind::Off,
            SandboxMode::Auto => SandboxKind::Unsandboxed,
            SandboxMode::Bwrap | SandboxMode::Landlock | SandboxMode::Required => {
                return Err(Refusal::new(
                    StartCode::SandboxMissing,
                    format!("no sandbox works here: {}", missing.join("; ")),
                    "install bubblewrap, or let agents work without a sandbox: --sandbox off",
                ));
            }
        };
        Ok(InForce {
            tool: None,
            opened: LaneOpened {
                sandbox,
                reason: missing.join("; "),
            },
        })
    }

    /// A tool that works, or why it does not.
    async fn tool(&self, kind: SandboxKind) -> Result<SandboxTool, String> {
        let path = self.env.get(OsStr::new("PATH")).map(OsString::as_os_str);
        let tool = match kind {
            SandboxKind::Bwrap => {
                let found = find_program(Path::new("bwrap"), path, Path::new("/"));
                SandboxTool::Bwrap(found.ok_or("it is not on PATH")?)
            }
            SandboxKind::Landlock if cfg!(target_os = "linux") => {
                let launcher = self.groups.launcher();
                launcher.ok_or("this program does not start others through a launcher")?;
                SandboxTool::Landlock
            }
            SandboxKind::Landlock => return Err("it is part of Linux".to_owned()),
            SandboxKind::Off | SandboxKind::Unsandboxed => return Err(String::new()),
        };
        let env = self.env.iter();
        let env = env.map(|(name, value)| (name.clone(), value.clone()));
        let command = Command {
            env: Environment::Only(env.collect()),
            sandbox: Some(Sandbox::new(tool.clone(), FileRules::default())),
            ..Command::new("true", "/")
        };
        let redactor = Redactor::default();
        let context = Context::new(self.stop.clone(), self.groups, &redactor);
        let ended = run(command, context).await;
        let ended = ended.map_err(|error| error_chain(&error))?;
        match ended.exit {
            Exit::Code(0) => Ok(tool),
            exit => {
                let said = ended.stderr.tail(SAID);
                let last = said.lines().last().unwrap_or_default();
                Err(format!("{exit}: {last}"))
            }
        }
    }
}

/// Bytes of what a tool said that are looked at.
const SAID: usize = 1024;

/// The sandbox of one program, with the folder for its temporary files.
#[derive(Default)]
pub(super) struct Confined {
    pub(super) sandbox: Option<Sandbox>,
    /// The variables that it needs.
    pub(super) variables: Vec<(OsString, OsString)>,
    /// Held for as long as the program runs.
    _tmp: Option<TmpFolder>,
}

/// A folder that is deleted with the value.
struct TmpFolder {
    above: LaneDir,
    name: String,
}

impl Drop for TmpFolder {
    fn drop(&mut self) {
        if let Err(error) = self.above.remove(&self.name) {
            tracing::debug!("a folder for temporary files is left: {error}");
        }
    }
}

impl LaneExecutor<'_> {
    /// Finds the sandbox of the run once.
    pub(super) async fn in_force(&self) -> Result<&InForce, Stop> {
        let probe = Probe::of(self.run.project);
        let find = async || probe.find(self.table.sandbox.mode).await.map_err(halted);
        self.in_force.get_or_try_init(find).await
    }

    /// The sandbox of a program in a checkout, and a folder for its temporary files. It writes
    /// there, in its checkout, in the home of its caches and in `writable`, and reads all else:
    ///
    /// | | implementer, setup | reviewer | gate |
    /// |---|---|---|---|
    /// | checkouts and caches of others | hidden | hidden | hidden |
    /// | files that tasks hide, steps that show them | hidden | hidden | read |
    /// | the state folder, if tasks hide files | hidden | read | read |
    pub(super) async fn confine(
        &self,
        lane: &Lane,
        (place, role): (&Place, Role),
        caches: &CacheHome,
        writable: &[PathBuf],
    ) -> Result<Confined, Stop> {
        let tool = &self.in_force().await?.tool;
        let env = &self.run.project.env;
        let home = env.get(OsStr::new("HOME")).map(PathBuf::from);
        let is_bwrap = matches!(tool, Some(SandboxTool::Bwrap(_)));
        let replaces_tmp = is_bwrap && self.may_replace_tmp(lane);
        let above = match replaces_tmp {
            true => LaneDir::at(lane.path().join("tmp")),
            false => {
                let folder = env.get(OsStr::new(TMPDIR)).filter(|path| !path.is_empty());
                LaneDir::at(folder.map_or(TMP.into(), PathBuf::from))
            }
        };
        let hash = hash_bytes(place.top.as_os_str().as_encoded_bytes()).short();
        let name = format!("r-{}", &hash[..8]);
        // Of a call that was cut off.
        above.remove(&name).map_err(halted)?;
        let tmp = above.create_folder(&name).map_err(halted)?;
        let mut variables: Vec<_> = caches.variables().collect();
        let Some(tool) = tool else {
            variables.push((TMPDIR.into(), tmp.into()));
            return Ok(Confined {
                sandbox: None,
                variables,
                _tmp: Some(TmpFolder { above, name }),
            });
        };
        let mut rules = FileRules::default();
        for path in writable.iter().chain([&tmp]) {
            rules = rules.with(path, FileAccess::Write);
        }
        let source = lane.source();
        for path in [&source.top, &source.git_dir, lane.path()] {
            rules = rules.with(path, FileAccess::Read);
        }
        let root = self.run.project.root.path();
        rules = named_rules(&self.table.sandbox, root, home.as_deref(), rules);
        for folder in ["tasks", "verify", CACHES] {
            rules = rules.with(&lane.path().join(folder), FileAccess::Hidden);
        }
        let hidden = self.hidden.get().filter(|hidden| !hidden.is_empty());
        if let Some(hidden) = hidden.filter(|_| role != Role::Gate) {
            let hides = |path: &Path| protected::is_open(hidden, path);
            for path in lane.hidden_paths(&hides).await.map_err(stopped)? {
                rules = rules.with(&path, FileAccess::Hidden);
            }
            rules = rules.with(&lane.checkout_settings(), FileAccess::Read);
            rules = rules.with(&lane.path().join(STEPS), FileAccess::Hidden);
            // The output of commands quotes them, in logs and in the journal. A client that
            // reviews reads the form of its answer there.
            if role != Role::Reviewer {
                rules = rules.with(self.run.project.state.path(), FileAccess::Hidden);
            }
        }
        for own in [&place.top, caches.path()] {
            rules = rules.with(own, FileAccess::Write);
        }
        let sandbox = Sandbox::new(tool.clone(), rules);
        let (sandbox, tmpdir) = match replaces_tmp {
            true => (sandbox.with_tmp(tmp), TMP.into()),
            false => (sandbox, tmp.into()),
        };
        variables.push((TMPDIR.into(), tmpdir));
        Ok(Confined {
            sandbox: Some(sandbox),
            variables,
            _tmp: Some(TmpFolder { above, name }),
        })
    }

    /// Whether the usual folder for temporary files holds nothing that programs need.
    fn may_replace_tmp(&self, lane: &Lane) -> bool {
        let project = self.run.project;
        let env = |name: &str| project.env.get(OsStr::new(name));
        let path = env("PATH").into_iter().flat_map(std::env::split_paths);
        let home = env("HOME").map(PathBuf::from);
        let fixed = [
            lane.path().to_owned(),
            lane.source().top.clone(),
            self.run.cwd.clone(),
        ];
        let mut needed = path.chain(home).chain(fixed);
        let tmp = Path::new(TMP);
        tmp.is_dir() && !needed.any(|path| path.starts_with(tmp))
    }
}

/// What the user names: it holds within the project, too, but not for all of it.
fn named_rules(
    named: &review_config::Sandbox,
    root: &Path,
    home: Option<&Path>,
    mut rules: FileRules,
) -> FileRules {
    let path = |text: &Line| match (text.as_str().strip_prefix("~/"), home) {
        (Some(below), Some(home)) => home.join(below),
        _ => root.join(text.as_str()),
    };
    let review_config::Sandbox { write, hide, .. } = named;
    let write = write.iter().map(|text| (path(text), FileAccess::Write));
    let hide = hide.iter().map(|text| (path(text), FileAccess::Hidden));
    for (path, access) in write.chain(hide) {
        if !root.starts_with(&path) || access == FileAccess::Hidden {
            rules = rules.with(&path, access);
        }
    }
    rules
}
