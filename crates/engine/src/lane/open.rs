//! Opens the lane of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use review_config::{BranchName, LaneTable, Line};
use review_document::FileRole;
use review_flow::Stop;
use review_lane::{
    Git, Lane, NewLane, Refusal, SandboxMode, Source, Uncommitted, named, refuse_without_merges,
};
use review_store::{FileArtifact, HostDir, LaneDir, RUN_VARIABLE};
use review_tasks::LaneOut;
use review_types::{RunId, StartCode};

use super::sandbox::Probe;
use super::{LaneExecutor, stopped};
use crate::error::{EngineError, halted};
use crate::project::Project;
use crate::run::Replay;
use crate::settings::{RunSettings, Stages};

/// Files that are seen as they are, beside those of the unit.
pub(super) const ALWAYS_SEEN: [&str; 2] = ["ralph.toml", ".worktreeinclude"];

/// The usual folder for lanes, and that for what the runs of a user share, in the folder
/// for states of programs.
const LANES: &str = "lanes";
const HOST: &str = "host";

/// A project as a lane can be made of it.
pub(crate) struct InspectedRepository {
    new: NewLane,
    uncommitted: Uncommitted,
}

/// Looks at a project of which agents implement tasks, and refuses one of which no lane can
/// be made, before anything is.
pub(crate) async fn look(
    project: &Project<'_>,
    settings: &RunSettings,
    artifact: &FileArtifact,
    run: &RunId,
) -> Result<Option<InspectedRepository>, EngineError> {
    if settings.implementer().is_none() {
        return Ok(None);
    }
    let table = &settings.config.lane;
    folder(project.root.path(), &project.env, run)?;
    refuse_several_jobs(project, settings).await?;
    let git = git(project);
    let looked = looked(&git, project, table, artifact, run).await?;
    if !matches!(table.sandbox.mode, SandboxMode::Auto | SandboxMode::Off) {
        Probe::of(project).find(table.sandbox.mode).await?;
    }
    Ok(Some(looked))
}

/// Refuses several tasks at a time where git cannot merge their work.
pub(crate) async fn refuse_several_jobs(
    project: &Project<'_>,
    settings: &RunSettings,
) -> Result<(), EngineError> {
    if settings.implementer().is_some() && settings.config.task.jobs.get() > 1 {
        refuse_without_merges(&git(project), project.root.path()).await?;
    }
    Ok(())
}

impl LaneExecutor<'_> {
    pub(super) async fn open(&self) -> Result<LaneOut, Stop> {
        let git = self.git();
        let dir = self.folder()?;
        let open = async || {
            if let Some(lane) = Lane::reopen(git.clone(), dir.clone()).map_err(stopped)? {
                return Ok(lane);
            }
            let run = self.run;
            // What a review took its time for is looked at once more.
            let before = run.looked.as_ref();
            let before = before.filter(|_| run.settings.stages == Stages::Tasks);
            let looked = match before {
                Some(before) => before,
                None => {
                    let id = run.dir.id();
                    let now = looked(&git, run.project, self.table, &run.artifact, id);
                    &now.await.map_err(halted)?
                }
            };
            let left_out = &looked.uncommitted.left_out;
            if !left_out.is_empty() {
                tracing::warn!(
                    "agents do not see files that are not tracked, and work that writes them does \
                     not land: {}",
                    named(left_out)
                );
            }
            let seen = &looked.uncommitted.seen;
            let lane = Lane::open(&git, &dir, &looked.new, seen).await;
            lane.map_err(stopped)
        };
        let lane = self.lane.get_or_try_init(open).await?;
        let ignored = lane.ignored(&self.results()?).await.map_err(stopped)?;
        if !ignored.is_empty() {
            tracing::warn!(
                "tasks name results that git ignores, so that no work on them is seen: {}; \
                 correct `.gitignore` or the tasks",
                named(&ignored)
            );
        }
        let tip = lane.tip().await.map_err(stopped)?;
        let tree = lane.tree_of(&tip).await.map_err(stopped)?;
        let in_force = self.in_force().await?;
        Ok(LaneOut::Opened {
            tip,
            tree,
            opened: Some(in_force.opened().clone()),
        })
    }

    /// The files that the tasks of the unit name as their results.
    fn results(&self) -> Result<BTreeSet<PathBuf>, Stop> {
        let mut results = BTreeSet::new();
        for path in self.run.artifact.paths().map_err(halted)? {
            if FileRole::of(path.as_str()) == FileRole::Task {
                let task = self.run.artifact.read(path.as_str()).map_err(halted)?;
                let named = review_lint::deliverables(path.as_str(), &*task);
                results.extend(named.into_iter().map(PathBuf::from));
            }
        }
        Ok(results)
    }

    /// The git of the run: a resume ends what a kill leaves of its calls.
    pub(super) fn git(&self) -> Git {
        let run = self.run.dir.id().as_str();
        git(self.run.project).with_variable(RUN_VARIABLE, run)
    }

    pub(super) fn folder(&self) -> Result<LaneDir, Stop> {
        let run = self.run;
        let (root, env) = (run.project.root.path(), &run.project.env);
        folder(root, env, run.dir.id()).map_err(halted)
    }
}

pub(crate) fn git(project: &Project<'_>) -> Git {
    Git::new(&project.env, project.stop.clone(), project.groups.clone())
}

/// The folder of the lane of a run, if agents implement its tasks.
pub(crate) fn of_run(replayed: &Replay, env: &BTreeMap<OsString, OsString>) -> Option<LaneDir> {
    replayed.settings.implementer()?;
    let root = Path::new(&replayed.input.root);
    lane_folder(root, env, &replayed.record.run)
}

/// Returns the folder of the lane of a run, if a variable names where lanes are.
pub fn lane_folder(
    root: &Path,
    env: &BTreeMap<OsString, OsString>,
    run: &RunId,
) -> Option<LaneDir> {
    folder(root, env, run).ok()
}

/// The folder of the lane of a run. It is outside of the root: git would list it there,
/// and programs would take the project around it for their own.
pub(super) fn folder(
    root: &Path,
    env: &BTreeMap<OsString, OsString>,
    run: &RunId,
) -> Result<LaneDir, EngineError> {
    let lanes = usual_folder(env).ok_or_else(no_folder)?.join(LANES);
    match lanes.starts_with(root) {
        true => Err(EngineError::new(format!(
            "the folder for checkouts is {}, in the project; set XDG_STATE_HOME to a folder \
             outside of it",
            lanes.display()
        ))),
        false => Ok(Lane::folder(&lanes, root, run)),
    }
}

/// No variable names a folder for checkouts.
pub(crate) fn no_folder() -> EngineError {
    EngineError::new("no folder for the checkouts of agents: set HOME or XDG_STATE_HOME")
}

/// The folder with what the runs of all projects of a user share.
pub(super) fn host(env: &BTreeMap<OsString, OsString>) -> HostDir {
    HostDir::at(usual_folder(env).unwrap_or_default().join(HOST))
}

/// The folder in which ralph keeps what belongs to no project.
fn usual_folder(env: &BTreeMap<OsString, OsString>) -> Option<PathBuf> {
    let variable = |name: &str| {
        let value = env.get(OsStr::new(name))?;
        Some(Path::new(value)).filter(|path| path.is_absolute())
    };
    let state = variable("XDG_STATE_HOME").map(Path::to_owned);
    let state = state.or_else(|| Some(variable("HOME")?.join(".local/state")));
    state.map(|state| state.join("ralph"))
}

async fn looked(
    git: &Git,
    project: &Project<'_>,
    table: &LaneTable,
    artifact: &FileArtifact,
    run: &RunId,
) -> Result<InspectedRepository, EngineError> {
    let root = project.root.path();
    let source = Source::look(git, root, table.target.as_ref().map(BranchName::as_str)).await?;
    let fetches = |command: &Line| command.as_str().contains("submodule");
    if !table.setup.iter().any(fetches) {
        let missing = source.submodules(git).await?;
        if !missing.is_empty() {
            let submodules = match missing.len() {
                1 => "submodule",
                _ => "submodules",
            };
            return Err(Refusal::new(
                StartCode::BaseIncomplete,
                format!(
                    "checkouts lack the files of {submodules} {}",
                    named(&missing)
                ),
                "fetch them in each checkout: add `git submodule update --init` to `lane.setup`",
            )
            .into());
        }
    }
    let unit = artifact.paths()?;
    let unit = unit.iter().map(|path| PathBuf::from(path.as_str()));
    let always = ALWAYS_SEEN.into_iter().map(PathBuf::from);
    let new = NewLane {
        run: run.clone(),
        root: root.to_owned(),
        source,
        dirty: table.dirty,
        unit_files: unit.chain(always).collect(),
    };
    let uncommitted = new.uncommitted(git).await?;
    Ok(InspectedRepository { new, uncommitted })
}
