//! Starts a run, goes on with one, and replays one.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use review::events::{RunFinished, RunRecord, Seed};
use review::{
    Artifact, BaseState, Clock, DriveError, EventSink, Executed, Executor, FactFinder, Halt,
    LogError, LoopConfig, LoopExecutor, Machine, MemoryJournal, MissingText, NoSink, ReviewDone,
    ReviewMachine, RunLog, Step, Texts, base_state,
};
use review_agents::{AgentContext, BuiltinAgent, Calls, Player, ProjectFiles, Recorder};
use review_document::Unit;
use review_process::{GroupId, Limits, Overflow, Stale, end_stale_group};
use review_store::{FileArtifact, Lock, Root, RootPath, RunDir, SpecRecord, StateDir};
use review_tasks::{Shell, TaskContext, TaskExecutor, TaskPlan};
use review_types::{Manifest, ModelId, RunId, Timestamp, Verdict};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::agents::Agents;
use crate::bounded::{Bounded, BoundedClock, Guarded};
use crate::compose::{Composer, Raised, Resume, RunDone};
use crate::documents::Documents;
use crate::error::{EngineError, halted};
use crate::inbox::FileInbox;
use crate::notice::LastEnd;
use crate::project::Project;
use crate::prompts;
use crate::recording::Recording;
use crate::scope::scope_of;
use crate::settings::{RunSettings, Stages, Target};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEnd {
    /// The run.
    pub run: RunId,
    /// What it became.
    pub finished: RunFinished,
}

/// What the first record of a run keeps as its configuration.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Stored {
    settings: RunSettings,
    base: BaseState,
    /// The folder that the user was in: programs given as paths are there.
    cwd: PathBuf,
}

impl Stored {
    fn of(record: &RunRecord) -> Result<Self, EngineError> {
        Self::deserialize(&record.config).map_err(|error| EngineError::Settings {
            run: record.run.clone(),
            message: error.to_string(),
        })
    }
}

/// A run whose files are open.
pub(crate) struct Opened<'a> {
    pub(crate) project: &'a Project<'a>,
    pub(crate) settings: RunSettings,
    pub(crate) cwd: PathBuf,
    pub(crate) artifact: Arc<FileArtifact>,
    pub(crate) dir: RunDir,
    pub(crate) calls: Arc<Calls>,
}

/// Starts a run and brings it to its end.
///
/// # Errors
/// [`EngineError`] when it could not be started, or was stopped.
pub async fn start(
    project: &Project<'_>,
    mut settings: RunSettings,
    recording: Recording,
) -> Result<RunEnd, EngineError> {
    let (seed, calls) = calls(recording)?;
    let is_replay = matches!(calls, Calls::Replayed(_));
    // Nobody looked at the artifact.
    settings.records_pass &= !is_replay;
    let run = RunId::new(uuid::Uuid::now_v7().to_string())?;
    let _lock = lock(project, &settings.target, &run)?;
    let artifact = artifact_of(project.root.clone(), &settings.target)?;
    settings.check_budget()?;
    settings.check_windows(&artifact)?;
    let dir = project.state.create_run(&run)?;
    let mut journal = dir.create_journal()?;
    let texts = Texts::new(Arc::new(project.state.blobs()));
    if let Some(base) = &settings.since {
        settings.scope = Some(scope_of(project, &artifact, base, &texts).await?);
    }
    let keeps = settings.apply || settings.scope.is_some();
    let kept = keeps.then_some(&texts);
    let now = artifact.snapshot(kept).map_err(EngineError::Artifact)?;
    let base = base_state(&now, &texts).map_err(|halt| broken(&run, &halt))?;
    let record = RunRecord {
        prompts: prompts::pin(&settings.prompts, &texts),
        ..record_of(project, &settings, base, now.manifest, &run, seed)?
    };
    let documents = Documents::new(&dir, record.seed, &settings, project.sink);
    let opened = Opened {
        project,
        settings,
        cwd: project.cwd.clone(),
        artifact: Arc::new(artifact),
        dir,
        calls: Arc::new(calls),
    };
    let end = LastEnd::new(&documents);
    let mut log = RunLog::create(&mut journal, &texts, &end, record)?;
    let done = Box::pin(opened.carry_on(&mut log, base, None)).await;
    let done = done.map_err(|error| if is_replay { error.of_replay() } else { error })?;
    if !is_replay {
        end.notify(project, &opened.settings, &opened.dir).await;
    }
    Ok(RunEnd {
        run,
        finished: done.finished,
    })
}

/// Goes on with an earlier run: one that was cut off from where it was, one
/// that ended without passing from its end.
///
/// # Errors
/// [`EngineError`] when it cannot go on, or was stopped again.
pub async fn resume(
    project: &Project<'_>,
    dir: RunDir,
    raised: Raised,
) -> Result<RunEnd, EngineError> {
    let run = dir.id().clone();
    let texts = Texts::new(Arc::new(project.state.blobs()));
    let (record, stored) = stored(&dir, &texts)?;
    let Stored {
        mut settings,
        base,
        cwd,
    } = stored;
    let _lock = lock(project, &settings.target, &run)?;
    let mut journal = dir.open_journal()?;
    let documents = Documents::new(&dir, record.seed, &settings, project.sink);
    let end = LastEnd::new(&documents);
    let mut log = RunLog::open(&mut journal, &texts, &end)?;
    settings.max_time = raised.max_time.or(settings.max_time);
    settings.call = raised.call(settings.call);
    settings.prompts = prompts::pinned(&log.run().prompts, &texts)?;
    let opened = Opened {
        project,
        artifact: Arc::new(artifact_of(project.root.clone(), &settings.target)?),
        settings,
        cwd,
        dir,
        calls: Arc::default(),
    };
    let done = Box::pin(opened.carry_on(&mut log, base, Some(raised))).await?;
    end.notify(project, &opened.settings, &opened.dir).await;
    Ok(RunEnd {
        run,
        finished: done.finished,
    })
}

/// What the journal of a run says, without going on with it.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Its first record.
    pub record: RunRecord,
    /// What it was asked to do.
    pub settings: RunSettings,
    /// What it became; `None` when it was cut off or still runs.
    pub finished: Option<RunFinished>,
}

/// Replays a run for a report: every event is told to `sink` again.
///
/// # Errors
/// [`EngineError`] when its journal cannot be read.
pub async fn replay(dir: &RunDir, sink: &dyn EventSink) -> Result<Replay, EngineError> {
    let texts = Texts::new(Arc::new(dir.state().blobs()));
    let mut journal = MemoryJournal::from_bytes(dir.read_journal()?);
    let mut log = RunLog::open(&mut journal, &texts, sink)?;
    log.tell_replayed();
    let record = log.run().clone();
    let Stored { settings, base, .. } = Stored::of(&record)?;
    let composer = Composer {
        review: machine(&settings, base, record.seed, dir.id())?,
        review_executor: &Nobody,
        task_executor: &|_, _| Nobody,
        tasks: settings.task_policy(),
        writes_status: settings.apply,
        plan: &|base| plan_for_replay(&settings, base, &texts),
        clock: &StoppedClock(record.at),
    };
    let finished = match composer.run(&mut log, None).await {
        Ok(done) => Some(done.finished),
        Err(DriveError::Interrupted) => None,
        Err(error) => return Err(EngineError::of_drive(dir.id(), error)),
    };
    Ok(Replay {
        record,
        settings,
        finished,
    })
}

impl Opened<'_> {
    async fn carry_on(
        &self,
        log: &mut RunLog<'_>,
        base: BaseState,
        raised: Option<Raised>,
    ) -> Result<RunDone, EngineError> {
        let run = self.dir.id();
        let texts = log.texts();
        let spent = log.spent();
        let deadline = self
            .settings
            .max_time
            .map(|max| Instant::now() + max.saturating_sub(spent));
        let context = Arc::new(self.agent_context(deadline));
        let seed = log.run().seed;
        let machine = machine(&self.settings, base, seed, run)?;
        let config = self.settings.loop_config(seed, Vec::new());
        let rules = self.settings.tells_facts();
        let rules = rules.then(|| builtin(&self.settings, &context));
        let agents = Agents::new(&self.settings, &context);
        let inbox = FileInbox::new(&self.dir, &self.settings.target);
        let executor = Bounded {
            inner: LoopExecutor::new(
                &config,
                seed,
                agents.reviewer()?,
                agents.applier()?,
                Some(&*self.artifact),
            )
            .with_facts(rules.as_ref().map(|rules| rules as &dyn FactFinder))
            .with_inbox(&inbox),
            context,
            target: &self.settings.target,
        };
        let look = || {
            let now = self.artifact.snapshot(Some(texts)).map_err(|error| {
                DriveError::Broken(format!("the artifact cannot be read: {error}"))
            })?;
            let state = base_state(&now, texts);
            state
                .map(Some)
                .map_err(|halt| DriveError::Broken(halt.to_string()))
        };
        let plan_now = || self.plan_now(texts);
        let listen = |heard| inbox.news(heard);
        let resume = raised.map(|raised| Resume {
            raised,
            plan: &plan_now,
            look: &look,
            listen: &listen,
        });
        let composer = Composer {
            review: machine,
            review_executor: &executor,
            task_executor: &|plan, base| self.task_executor(plan, base, deadline),
            tasks: self.settings.task_policy(),
            writes_status: self.settings.apply,
            plan: &|base| self.plan(base, texts),
            clock: &BoundedClock {
                inner: &*self.project.clock,
                deadline,
                pauses: !matches!(*self.calls, Calls::Replayed(_)),
            },
        };
        let done = composer.run(log, resume).await;
        let done = done.map_err(|error| EngineError::of_drive(run, error))?;
        match &done.review {
            Some(ReviewDone::Passed) => self.record_pass(&done, log.last_at())?,
            Some(ReviewDone::Approved { by }) => {
                self.record_approval(&done, by.clone(), log.last_at())?;
            }
            Some(ReviewDone::Blocked { .. }) | None => {}
        }
        Ok(done)
    }

    pub(crate) fn agent_context(&self, deadline: Option<Instant>) -> AgentContext {
        let (project, settings) = (self.project, &self.settings);
        AgentContext {
            artifact: Arc::clone(&self.artifact),
            cwd: self.cwd.clone(),
            run: self.dir.clone(),
            child: Mutex::new(self.dir.child()),
            spec: settings.target.spec().into(),
            unit_dir: settings.target.unit_dir().map(Into::into),
            calls: Arc::clone(&self.calls),
            files: ProjectFiles::default(),
            watches_programs: settings.watch_programs,
            apply_scope: settings.apply_scope,
            max_inline: settings.max_inline(),
            env: project.env.clone(),
            pass_env: settings.pass_env.iter().map(Into::into).collect(),
            prompts: settings.prompts.clone(),
            models: settings.models.clone(),
            limits: Limits {
                wall: Some(settings.call.wall),
                idle: Some(settings.call.idle),
                grace: settings.call.grace,
                overflow: Overflow::Stop,
                ..Limits::default()
            },
            clock: Arc::clone(&project.clock),
            deadline,
            redactor: project.redactor(settings),
            groups: project.groups.clone(),
            stop: project.stop.clone(),
        }
    }

    fn task_executor(
        &self,
        plan: Arc<TaskPlan>,
        base: Option<BaseState>,
        deadline: Option<Instant>,
    ) -> Guarded<'_, TaskExecutor> {
        let context = task_context(self.project, &self.settings, self.dir.clone(), deadline);
        for task in context.shell.unchecked_pipelines(&plan) {
            tracing::warn!(
                "task {task}: without bash only the last command of a pipeline decides; install bash"
            );
        }
        let reviewed = match self.settings.stages {
            Stages::Tasks => None,
            Stages::Review | Stages::ReviewThenTasks | Stages::ReviewAndTasks => base,
        };
        Guarded::new(TaskExecutor::new(plan, context), &*self.artifact, reviewed)
    }

    /// The tasks as the review left them: from the texts of the journal, so
    /// that a replay sees the same, or from disk where no text is kept.
    fn plan(&self, base: Option<BaseState>, texts: &Texts) -> Result<Option<TaskPlan>, DriveError> {
        if self.settings.apply {
            return recorded_plan(&self.settings, base, texts);
        }
        self.plan_now(texts)
    }

    /// The tasks as they are on disk.
    fn plan_now(&self, texts: &Texts) -> Result<Option<TaskPlan>, DriveError> {
        let read = |error| DriveError::Broken(format!("the tasks cannot be read: {error}"));
        let snapshot = self.artifact.snapshot(Some(texts)).map_err(read)?;
        plan_of(&self.settings, &snapshot.manifest, texts)
    }

    /// Records that the spec passed its review as it was then, for the gate.
    fn record_pass(&self, done: &RunDone, at: Timestamp) -> Result<(), EngineError> {
        let (Some(artifact), Some(reviewer), true) = (
            done.passed_artifact,
            done.passed_by.clone(),
            self.settings.records_pass,
        ) else {
            return Ok(());
        };
        self.record(SpecRecord {
            artifact,
            reviewer,
            verdict: Verdict::Pass,
            approved_by: None,
            run: self.dir.id().clone(),
            at,
        })
    }

    /// Records who approved the spec as it is, unless it is on record that it
    /// passed.
    fn record_approval(
        &self,
        done: &RunDone,
        by: String,
        at: Timestamp,
    ) -> Result<(), EngineError> {
        let (Some(artifact), true) = (done.passed_artifact, self.settings.records_pass) else {
            return Ok(());
        };
        let spec = RootPath::new(self.settings.target.spec())?;
        let known = self.project.state.records().spec(&spec).record();
        if known.is_some_and(|record| record.proves(artifact)) {
            return Ok(());
        }
        let nobody = || ModelId {
            backend: self.settings.reviewer.to_string(),
            model: None,
            prompt: None,
        };
        self.record(SpecRecord {
            artifact,
            reviewer: done.passed_by.clone().unwrap_or_else(nobody),
            verdict: Verdict::NeedsRevision,
            approved_by: Some(by),
            run: self.dir.id().clone(),
            at,
        })
    }

    fn record(&self, record: SpecRecord) -> Result<(), EngineError> {
        let spec = RootPath::new(self.settings.target.spec())?;
        Ok(self.project.state.records().put_spec(&spec, &record)?)
    }
}

/// What the commands of tasks share.
pub(crate) fn task_context(
    project: &Project<'_>,
    settings: &RunSettings,
    run: RunDir,
    deadline: Option<Instant>,
) -> TaskContext {
    let path = project.env.get(std::ffi::OsStr::new("PATH"));
    TaskContext {
        root: project.root.clone(),
        state: project.state.clone(),
        run,
        shell: Shell::find(path.map(|path| &**path), project.root.path()),
        timeout: settings.task_timeout,
        deadline,
        redactor: project.redactor(settings),
        groups: project.groups.clone(),
        stop: project.stop.clone(),
        clock: Arc::clone(&project.clock),
    }
}

pub(crate) fn builtin(settings: &RunSettings, context: &Arc<AgentContext>) -> BuiltinAgent {
    BuiltinAgent::new(settings.lint.clone(), Arc::clone(context))
}

fn machine(
    settings: &RunSettings,
    base: BaseState,
    seed: Seed,
    run: &RunId,
) -> Result<ReviewMachine, EngineError> {
    let specs = settings
        .target
        .unit_dir()
        .unwrap_or_else(|| settings.target.spec());
    let recovery_actions = vec![
        format!("review the feedback of all iterations: ralph report {run}"),
        format!("edit {specs} by hand"),
        format!("go on: ralph resume {run}"),
    ];
    Ok(ReviewMachine::new(LoopConfig {
        base: Some(base),
        ..settings.loop_config(seed, recovery_actions)
    })?)
}

pub(crate) fn artifact_of(root: Root, target: &Target) -> Result<FileArtifact, EngineError> {
    Ok(match target {
        Target::Unit { spec, id, dir } => {
            let (dir, spec) = (RootPath::new(dir)?, RootPath::new(spec)?);
            FileArtifact::unit(root, id.clone(), dir, Some(spec))
        }
        Target::File { path } => FileArtifact::file(root, RootPath::new(path)?),
        Target::Folder { path } => FileArtifact::folder(root, RootPath::new(path)?),
    })
}

/// Takes the lock of the target, and ends what a run that was killed has left
/// running.
fn lock(project: &Project<'_>, target: &Target, run: &RunId) -> Result<Lock, EngineError> {
    let path = project.root.path().join(target.lock_path());
    let lock = Lock::acquire(&project.state, &path, run)
        .map_err(|error| EngineError::of_lock(error, project.parent_run()))?;
    if let Some(left) = lock.left_by() {
        end_left_over(&project.state, &left.run);
    }
    Ok(lock)
}

fn end_left_over(state: &StateDir, run: &RunId) {
    let Ok(dir) = state.find_run(run.as_str(), state.path()) else {
        return;
    };
    let group = dir.child().read().ok().flatten();
    if let Some(Ok(group)) = group.map(|group| group.parse::<GroupId>())
        && end_stale_group(group) == Stale::Ended
    {
        tracing::warn!("ended process group {group}, which run {run} had left behind");
    }
}

/// The seed of a run, and what is done about its calls.
pub(crate) fn calls(recording: Recording) -> Result<(Seed, Calls), EngineError> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| EngineError::Random(error.to_string()))?;
    let seed = Seed::from_bytes(seed);
    Ok(match recording {
        Recording::None => (seed, Calls::Live),
        Recording::Record(folder) => (seed, Calls::Recorded(Recorder::create(&folder, seed)?)),
        Recording::Replay(folder) => {
            let player = Player::open(&folder)?;
            (player.seed(), Calls::Replayed(player))
        }
    })
}

fn record_of(
    project: &Project<'_>,
    settings: &RunSettings,
    base: BaseState,
    manifest: Manifest,
    run: &RunId,
    seed: Seed,
) -> Result<RunRecord, EngineError> {
    let stored = Stored {
        settings: settings.clone(),
        base,
        cwd: project.cwd.clone(),
    };
    Ok(RunRecord {
        run: run.clone(),
        seed,
        at: project.clock.now(),
        root: project.root.path().display().to_string(),
        spec: settings.target.spec().to_owned(),
        unit: settings.target.unit().cloned(),
        manifest,
        texts: Vec::new(),
        prompts: Vec::new(),
        config: serde_json::to_value(&stored).map_err(|error| broken(run, &halted(error)))?,
        command: project.command.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// Reads how a run began; its texts are loaded.
fn stored(dir: &RunDir, texts: &Texts) -> Result<(RunRecord, Stored), EngineError> {
    let mut journal = MemoryJournal::from_bytes(dir.read_journal()?);
    let record = RunLog::open(&mut journal, texts, &NoSink)?.run().clone();
    let stored = Stored::of(&record)?;
    Ok((record, stored))
}

/// The tasks for a report. A run that may not touch a file keeps the texts of
/// its task files with their results; before the first there is no plan.
fn plan_for_replay(
    settings: &RunSettings,
    base: Option<BaseState>,
    texts: &Texts,
) -> Result<Option<TaskPlan>, DriveError> {
    match recorded_plan(settings, base, texts) {
        Err(DriveError::Log(LogError::Text(MissingText::Gone(_)))) if !settings.apply => Ok(None),
        plan => plan,
    }
}

fn recorded_plan(
    settings: &RunSettings,
    base: Option<BaseState>,
    texts: &Texts,
) -> Result<Option<TaskPlan>, DriveError> {
    let Some(base) = base else { return Ok(None) };
    let text = texts.get(&base.manifest).map_err(LogError::from)?;
    let manifest: Manifest = serde_json::from_slice(&text).map_err(|error| {
        DriveError::Broken(format!("the recorded artifact is damaged: {error}"))
    })?;
    plan_of(settings, &manifest, texts)
}

pub(crate) fn plan_of(
    settings: &RunSettings,
    manifest: &Manifest,
    texts: &Texts,
) -> Result<Option<TaskPlan>, DriveError> {
    let Target::Unit { id, dir, .. } = &settings.target else {
        return Ok(None);
    };
    let below = format!("{dir}/");
    let mut files = Vec::new();
    for file in manifest.files() {
        if file.path.starts_with(&below) {
            let bytes = texts.get(&file.hash).map_err(LogError::from)?;
            files.push((file.path.clone(), bytes));
        }
    }
    let plan = TaskPlan::of(&Unit::load(id.clone(), dir.clone(), files));
    Ok(Some(match &settings.only {
        Some(only) => plan.only(only),
        None => plan,
    }))
}

fn broken(run: &RunId, halt: &Halt) -> EngineError {
    EngineError::of_drive(run, DriveError::Broken(halt.to_string()))
}

/// Carries out nothing: a replay ends where the journal does.
struct Nobody;

impl<M: Machine> Executor<M> for Nobody {
    async fn exec(&self, _: Step, _: M::Op, _: &Texts) -> Result<Executed<M::Out>, Halt> {
        Err(Halt::Interrupted)
    }
}

/// Shows the time at which the run began: a replay ends no pause.
struct StoppedClock(Timestamp);

#[async_trait::async_trait]
impl Clock for StoppedClock {
    fn now(&self) -> Timestamp {
        self.0
    }

    async fn sleep(&self, _: Duration) -> Result<(), Halt> {
        Err(Halt::Interrupted)
    }
}
