//! Starts a run, and goes on with one.

mod diff;
mod landed;
mod lock;
mod opened;
mod plan;
mod preconditions;
mod record;
mod replay;
mod report;
mod stored;

use std::sync::Arc;

use review::Artifact;
use review::events::{RunEvent, RunFinished};
use review::machine::base_state;
use review_config::Config;
use review_flow::Seed;
use review_flow::{ContentStore, DriveError, Journal, RunLog, RunRecord, Stop};
use review_store::{FileArtifact, Root, RootPath, RunDir};
use review_types::RunId;

use crate::error::{EngineError, halted};
use crate::id::{no_random, time_ordered_id};
use crate::lane;
use crate::machine::{ResumeRequest, RunChanges};
use crate::project::Project;
use crate::prompts;
use crate::scope::scope_of;
use crate::settings::{ReviewTarget, RunSettings};
use lock::lock;
use opened::{Resumption, machine};
pub use stored::find_run;
use stored::{Stored, input_of, stored};

pub(crate) use diff::ArtifactTexts;
pub use diff::ChangeOf;
pub use landed::{WaitingWork, land_again, waiting_work};
pub(crate) use opened::{Opened, builtin, task_context};
pub(crate) use plan::{current_whole_plan, plan_of};
pub use replay::{Replay, interrupted_before, replay};

/// The keys that hold at once in a run that was cut off, since they limit calls and the
/// process alone.
const AT_ONCE: [&str; 3] = ["run.max_time", "agent.call_timeout", "agent.idle_timeout"];

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEnd {
    /// The run.
    pub run: RunId,
    /// What it became.
    pub finished: RunFinished,
}

/// Starts a run and brings it to its end.
///
/// # Errors
/// [`EngineError`] when it could not be started, or was stopped.
pub async fn start(
    project: &Project<'_>,
    mut settings: RunSettings,
) -> Result<RunEnd, EngineError> {
    let seed = seed()?;
    preconditions::check(project, &settings)?;
    let run = RunId::new(time_ordered_id(project.clock.now())?.to_string())?;
    let _lock = lock(project, &settings.target, &run)?;
    let artifact = artifact_of(project.root.clone(), &settings.target)?;
    settings.check_implementer()?;
    settings.check_budget()?;
    settings.check_size(&artifact)?;
    if let Some(plan) = settings.plan_to_work(&artifact)? {
        settings.check_test_names(&plan)?;
        Box::pin(landed::refuse_waiting(project, &settings, &plan)).await?;
    }
    let looked = lane::look(project, &settings, &artifact, &run).await?;
    lane::refuse_without_room(project, &settings, &run)?;
    let workers = lane::find_workers(project, &mut settings, &run).await?;
    let dir = project.state.create_run(&run)?;
    let mut journal = dir.create_journal()?;
    let texts = ContentStore::new(Arc::new(project.state.blobs()));
    if let Some(base) = &settings.since {
        settings.scope = Some(scope_of(project, &artifact, base, &texts).await?);
    }
    let now = artifact.snapshot(Some(&texts));
    let now = now.map_err(EngineError::of_artifact)?;
    let base = base_state(&now, &texts).map_err(|stop| broken(&run, &stop))?;
    let prompts = prompts::pin(settings.given_prompts(), &texts);
    let input = input_of(project, &settings, base, now.manifest, prompts)
        .map_err(|error| broken(&run, &halted(error)))?;
    let machine = machine(&settings, &input, base, seed, &run)?;
    let record = RunRecord {
        seed,
        at: project.clock.now(),
        version: project.version.to_owned(),
        input: serde_json::to_value(&input).map_err(|error| broken(&run, &halted(error)))?,
        texts: Vec::new(),
        run,
    };
    let opened = Opened {
        looked,
        workers,
        ..Opened::new(project, settings, artifact, dir)
    };
    let files = (&mut journal as &mut dyn Journal, &texts);
    Box::pin(opened.bring_to_end(files, (seed, Some(record)), machine, None)).await
}

/// Goes on with an earlier run: one that was cut off from where it was, one
/// that ended without passing from its end.
///
/// # Errors
/// [`EngineError`] when it cannot go on, or was stopped again.
pub async fn resume(
    project: &Project<'_>,
    dir: RunDir,
    request: ResumeRequest,
) -> Result<RunEnd, EngineError> {
    let run = dir.id().clone();
    let texts = ContentStore::new(Arc::new(project.state.blobs()));
    let (record, input, stored) = stored(&dir, &texts)?;
    let Stored {
        mut settings,
        base,
        cwd,
    } = stored;
    // A run that was cut off restores the files that its applier was working on.
    let spec = project.root.path().join(settings.target.spec());
    if !spec.exists() && replay(&dir).await?.finished.is_some() {
        return Err(EngineError::gone(&spec));
    }
    let machine = machine(&settings, &input, base, record.seed, &run)?;
    let raise = |config: &mut Config| {
        let raised = config.raise(&request.raised);
        raised.map_err(|error| broken(&run, &halted(error)))
    };
    raise(&mut settings.config)?;
    let later: Vec<_> = (request.raised.0.keys().copied())
        .filter(|key| !AT_ONCE.contains(key))
        .collect();
    if !later.is_empty() && replay(&dir).await?.finished.is_none() {
        tracing::warn!(
            "run {} was cut off and goes on as it began; set {} when it has ended",
            run.short(),
            later.join(", ")
        );
    }
    settings.work_at(request.hosts.clone(), request.engine.clone());
    settings.check_implementer()?;
    preconditions::check(project, &settings)?;
    if settings.implementer().is_some() {
        let replayed = replay(&dir).await?;
        replayed.refuse_nothing_to_land(&request)?;
        replayed.refuse_gone_lane(project, &request)?;
        lane::refuse_without_room(project, &settings, &run)?;
    }
    if request.land.is_some() {
        settings.engine = None;
    }
    let workers = lane::find_workers(project, &mut settings, &run).await?;
    let _lock = lock(project, &settings.target, &run)?;
    let mut journal = dir.open_journal()?;
    for resumed in RunLog::<RunEvent>::open(&mut journal, &texts)?.recorded_resumes() {
        settings.config = *resumed.parsed::<RunChanges>()?.config;
    }
    raise(&mut settings.config)?;
    let config = settings.config.clone();
    lane::refuse_several_jobs(project, &settings).await?;
    if let Some(destination) = &request.land {
        if settings.implementer().is_none() {
            return Err(EngineError::new(format!(
                "no agent implements the tasks of run {}, so it has nothing to land",
                run.short()
            )));
        }
        settings.land_at(destination);
    }
    settings.prompts = prompts::pinned(&input.prompts, &texts)?;
    let artifact = artifact_of(project.root.clone(), &settings.target)?;
    let opened = Opened {
        cwd,
        workers,
        ..Opened::new(project, settings, artifact, dir)
    };
    let resumption = Resumption { request, config };
    let files = (&mut journal as &mut dyn Journal, &texts);
    let goes_on = Some(&resumption);
    Box::pin(opened.bring_to_end(files, (record.seed, None), machine, goes_on)).await
}

pub(crate) fn artifact_of(root: Root, target: &ReviewTarget) -> Result<FileArtifact, EngineError> {
    Ok(match target {
        ReviewTarget::Unit { spec, id, dir } => {
            let (dir, spec) = (RootPath::new(dir)?, RootPath::new(spec)?);
            FileArtifact::unit(root, id.clone(), dir, Some(spec))
        }
        ReviewTarget::File { path } => FileArtifact::file(root, RootPath::new(path)?),
        ReviewTarget::Folder { path } => FileArtifact::folder(root, RootPath::new(path)?),
    })
}

/// The seed of a run.
pub(crate) fn seed() -> Result<Seed, EngineError> {
    Seed::random().map_err(no_random)
}

fn broken(run: &RunId, halt: &Stop) -> EngineError {
    EngineError::of_drive(run, DriveError::Broken(halt.to_string()))
}
