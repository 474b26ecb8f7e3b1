//! A run whose files are open.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use review::config::LoopConfig;
use review::events::{LiveEvents, RunEvent, RunInput, RunStarted};
use review::machine::{
    BaseState, Envelopes, LoopExecutor, LoopParts, ReviewDone, ReviewMachine, base_state,
};
use review::{Artifact, Check, CheckOutcome, FactFinder};
use review_agents::{AgentContext, Backend, BuiltinAgent, Checkout};
use review_config::Config;
use review_flow::{
    self as flow, ContentStore, DriveError, Journal, RunLog, RunRecord, Seed, Step, Stop,
    TraceParent,
};
use review_lane::Place;
use review_process::{Environment, Limits, Overflow, Redactor, Sandbox};
use review_store::{FileArtifact, LaneDir, Root, RootPath, RunDir};
use review_tasks::{Shell, TaskContext, TaskExecutor, TaskPlan, run_check};
use review_types::{ExitCode, RunId, UnitId};
use tokio::time::Instant;

use super::plan::{current_plan, plan_of, recorded_plan};
use super::{RunEnd, replay};
use crate::agents::Agents;
use crate::documents::Documents;
use crate::error::{EngineError, halted};
use crate::execute::{GuardedRecords, RunClock, RunExecutor};
use crate::inbox::FileInbox;
use crate::judging;
use crate::lane::{self, LaneExecutor};
use crate::live::{Live, Sinks};
use crate::live_file::LiveFile;
use crate::machine::{Found, ResumeRequest, RunChanges, RunDone, RunMachine};
use crate::notice::LastEnd;
use crate::project::Project;
use crate::settings::RunSettings;
use crate::traces::{Collector, Traces};

/// A run whose files are open.
pub(crate) struct Opened<'a> {
    pub(crate) project: &'a Project<'a>,
    pub(crate) settings: RunSettings,
    /// What replaces secrets in all that its programs say.
    pub(crate) redactor: Redactor,
    pub(crate) cwd: PathBuf,
    pub(crate) artifact: Arc<FileArtifact>,
    /// The project as it was looked at before the run started.
    pub(crate) looked: Option<lane::InspectedRepository>,
    pub(crate) dir: RunDir,
    /// Receives what steps do while they run.
    pub(crate) live: LiveEvents,
    /// Names the spans of steps to their programs, where traces are sent.
    pub(crate) trace_parent: Option<TraceParent>,
    /// The workers that are there, where an engine carries its steps.
    pub(crate) workers: Option<lane::Workers>,
}

/// What goes on when a run that ended is resumed.
pub(super) struct Resumption {
    pub(super) request: ResumeRequest,
    /// The configuration of the run, in which what is raised is raised.
    pub(super) config: Config,
}

impl<'a> Opened<'a> {
    /// A run that nobody follows yet, with its files at hand.
    pub(crate) fn new(
        project: &'a Project<'a>,
        settings: RunSettings,
        artifact: FileArtifact,
        dir: RunDir,
    ) -> Self {
        Self {
            project,
            redactor: project.redactor(&settings),
            settings,
            cwd: project.cwd.clone(),
            artifact: Arc::new(artifact),
            looked: None,
            dir,
            live: LiveEvents::default(),
            trace_parent: None,
            workers: None,
        }
    }

    /// Carries it out, and passes on what happens. The journal of a new run begins with
    /// its `record`.
    pub(super) async fn bring_to_end(
        mut self,
        (journal, texts): (&mut dyn Journal, &ContentStore),
        (seed, record): (Seed, Option<RunRecord>),
        machine: RunMachine,
        resumption: Option<&Resumption>,
    ) -> Result<RunEnd, EngineError> {
        let (project, dir) = (self.project, self.dir.clone());
        let (run, unit) = (dir.id().clone(), self.settings.target.unit().cloned());
        let documents = Documents::new(&dir, seed, &self.settings);
        let (end, live_file) = (LastEnd::default(), LiveFile::new(&dir));
        let traces = Traces::of(project, &run, &self.settings);
        if let (Some(collector), Some(_)) = (&traces.collector, resumption) {
            collector.recall(&Box::pin(replay(&dir)).await?.events);
        }
        let sinks = Sinks([project.sink, &documents, &end, &live_file, &traces]);
        let live = Live::new(Envelopes::new(run.clone(), unit, &sinks), project);
        let mut log = match record {
            Some(record) => RunLog::create(journal, texts, record)?,
            None => RunLog::open(journal, texts)?,
        };
        log.emit_to(&live);
        self.live = live.events();
        self.trace_parent = traces.collector.as_ref().map(Collector::trace_parent);
        let work = Box::pin(self.carry_on(&mut log, machine, resumption));
        let done = live_file.during(live.during(work)).await;
        traces.send().await;
        let finished = done?.finished;
        end.notify(project, &self.settings, &dir).await;
        Ok(RunEnd { run, finished })
    }

    async fn carry_on(
        &self,
        log: &mut RunLog<'_, RunEvent>,
        mut machine: RunMachine,
        resumption: Option<&Resumption>,
    ) -> Result<RunDone, EngineError> {
        let run = self.dir.id();
        let texts = log.texts();
        let spent = log.spent();
        let lands = resumption.is_some_and(|resumption| resumption.request.land.is_some());
        // What is finished lands, however long it took.
        let limit = (!lands).then_some(self.settings.config.run.max_time);
        let deadline = limit.map(|max| Instant::now() + max.saturating_sub(spent));
        let context = Arc::new(self.agent_context(deadline).await?);
        let checkout = Arc::new(self.checkout());
        let seed = log.run().seed;
        let config = self.settings.loop_config(seed, Vec::new());
        let rules = builtin(&self.settings, &context, &checkout);
        let facts = self.settings.tells_facts().then_some(&rules);
        let check = self.check(deadline);
        let agents = Agents::new(&self.settings, &context, &checkout);
        let inbox = FileInbox::new(&self.dir, &self.settings.target);
        let spec = RootPath::new(self.settings.target.spec())?;
        let records = GuardedRecords::new(self.project, &self.settings, &self.dir, &spec);
        let review = LoopExecutor::new(
            &config,
            seed,
            agents.reviewer()?,
            agents.applier()?,
            LoopParts {
                artifact: Some(&*self.artifact),
                facts: facts.map(|rules| rules as &dyn FactFinder),
                check: check.as_ref().map(|check| check as &dyn Check),
                inbox: Some(&inbox),
            },
        );
        let executor = RunExecutor {
            run: self,
            review,
            tasks: self.task_executor(deadline),
            lane: LaneExecutor::of(self, &context, seed, deadline),
            context,
            records: Mutex::new(records),
            found: OnceLock::new(),
        };
        let clock = RunClock {
            inner: &*self.project.clock,
            deadline,
        };
        let goes_on = |machine: &RunMachine| match resumption {
            Some(resumption) => self.goes_on(machine, &inbox, resumption, spent, texts),
            None => Ok(None),
        };
        let done = flow::run(&mut machine, &executor, log, &clock, Some(&goes_on)).await;
        let has_no_host = executor
            .lane
            .as_ref()
            .is_some_and(LaneExecutor::has_no_host);
        let done = done.map_err(|error| match error {
            DriveError::Broken(why) if has_no_host => no_host(run, &why),
            error => EngineError::of_drive(run, error),
        })?;
        match &done.review {
            Some(ReviewDone::Passed) => self.record_pass(&done, log.last_at())?,
            Some(ReviewDone::Approved { by }) => {
                self.record_approval(&done, by.clone(), log.last_at())?;
            }
            Some(ReviewDone::Blocked { .. }) | None => {}
        }
        Ok(done)
    }

    /// What an ended run goes on with when it is resumed.
    fn goes_on(
        &self,
        machine: &RunMachine,
        inbox: &FileInbox,
        Resumption { request, config }: &Resumption,
        spent: Duration,
        texts: &ContentStore,
    ) -> Result<Option<RunChanges>, DriveError> {
        if request.land.is_none() && machine.has_passed() {
            return Ok(None);
        }
        let broken = |stop: Stop| DriveError::Broken(stop.to_string());
        let now = self
            .artifact
            .snapshot(Some(texts))
            .map_err(|error| DriveError::Broken(format!("the artifact cannot be read: {error}")))?;
        let found = Found {
            artifact: Some(base_state(&now, texts).map_err(broken)?),
            plan: plan_of(&self.settings, &now.manifest, texts).map_err(broken)?,
            comments_until: inbox.news(machine.comments_until()),
            spent,
        };
        Ok(machine.goes_on_with(found, request, config.clone()))
    }

    /// The command that is run before each review, if there is one.
    fn check(&self, deadline: Option<Instant>) -> Option<ProjectCheck> {
        Some(ProjectCheck {
            command: self.settings.config.review.check.as_ref()?.to_string(),
            context: self.task_context(deadline),
        })
    }

    fn task_context(&self, deadline: Option<Instant>) -> TaskContext {
        let run = (self.dir.clone(), self.redactor.clone());
        TaskContext {
            live: self.live.clone(),
            trace_parent: self.trace_parent.clone(),
            ..task_context(self.project, &self.settings, run, deadline)
        }
    }

    /// What commands in a private checkout share.
    pub(crate) fn checkout_context(
        &self,
        place: &Place,
        environment: Vec<(OsString, OsString)>,
        sandbox: Option<Sandbox>,
        deadline: Option<Instant>,
    ) -> Result<TaskContext, Stop> {
        let root = Root::open(&place.root).map_err(halted)?;
        let path = environment.iter().find(|(name, _)| name == "PATH");
        let path = path.map(|(_, value)| value.as_os_str());
        Ok(TaskContext {
            shell: Shell::find(path, root.path()),
            root,
            environment: Environment::Only(environment),
            sandbox,
            ..self.task_context(deadline)
        })
    }

    /// The world of the agents of the run.
    ///
    /// # Errors
    /// When they need a sandbox and none works.
    pub(crate) async fn agent_context(
        &self,
        deadline: Option<Instant>,
    ) -> Result<AgentContext, EngineError> {
        let (project, settings) = (self.project, &self.settings);
        let config = &settings.config;
        Ok(AgentContext {
            programs: project.root.path().to_owned(),
            run: self.dir.clone(),
            apply_scope: config.agent.apply_scope,
            env: project.env.clone(),
            pass_env: config
                .agent
                .pass_env
                .iter()
                .map(|name| name.as_str().into())
                .collect(),
            prompts: settings.prompts.clone(),
            models: config.models.clone(),
            limits: Limits {
                wall: Some(config.agent.call_timeout),
                idle: Some(config.agent.idle_timeout),
                overflow: Overflow::Stop,
                ..Limits::default()
            },
            clock: Arc::clone(&project.clock),
            deadline,
            redactor: self.redactor.clone(),
            groups: project.groups.clone(),
            sandbox: self.agent_sandbox().await?,
            live: self.live.clone(),
            trace_parent: self.trace_parent.clone(),
            stop: project.stop.clone(),
        })
    }

    /// The sandbox of agents that are talked with and work in the root, if there are any.
    async fn agent_sandbox(&self) -> Result<Option<Sandbox>, EngineError> {
        let (project, config) = (self.project, &self.settings.config);
        let asked = config.reviewer.iter().chain([&config.applier]);
        let asked = asked.chain(self.settings.implementers());
        let agents = asked.filter(|one| matches!(one, Backend::Acp(_)));
        let agents: Vec<_> = agents.collect();
        if agents.is_empty() {
            return Ok(None);
        }
        let (env, mut folders) = (&project.env, Vec::new());
        for agent in agents {
            folders.extend(agent.state_folders(env));
            folders.extend(agent.cache_folder(env));
        }
        for folder in &folders {
            LaneDir::at(folder.clone()).create_folder("")?;
        }
        let named = &config.lane.sandbox;
        let found = lane::Probe::of(project).find(named.mode).await?;
        Ok(found.around(project.root.path(), named, (env, &folders)))
    }

    /// The folder that the agents of the review work in.
    pub(crate) fn checkout(&self) -> Checkout {
        let target = &self.settings.target;
        let variables = vec![
            ("RALPH_SPEC".into(), Some(target.spec().into())),
            ("RALPH_UNIT_DIR".into(), target.unit_dir().map(Into::into)),
        ];
        Checkout::new(Arc::clone(&self.artifact), self.dir.child_slot(), variables)
    }

    fn task_executor(&self, deadline: Option<Instant>) -> Option<TaskExecutor> {
        let unit = self.settings.target.unit()?;
        Some(self.tasks_of(unit.clone(), deadline))
    }

    /// Carries out the commands of a unit in the user's files.
    pub(crate) fn tasks_of(&self, unit: UnitId, deadline: Option<Instant>) -> TaskExecutor {
        TaskExecutor::new(unit, self.task_context(deadline))
    }

    /// The tasks as the review left them: from the content of the journal, so that
    /// they are those that were reviewed, or from disk where none is kept.
    pub(crate) fn plan(
        &self,
        base: Option<BaseState>,
        texts: &ContentStore,
    ) -> Result<Option<TaskPlan>, Stop> {
        if self.settings.apply {
            return recorded_plan(&self.settings, base, texts);
        }
        current_plan(&self.settings, &self.artifact)
    }
}

/// None of the hosts of a run can be reached; it can be resumed.
fn no_host(run: &RunId, why: &str) -> EngineError {
    let message = format!("run {run} cannot go on: {why}");
    let run = run.short();
    EngineError::of_code(ExitCode::NoVerdict, message).hint(format!(
        "`ralph resume {run}` goes on once a host can be reached, `ralph resume {run} --host NAME` \
         with another one, and `--host local` without any"
    ))
}

/// What the commands of tasks share.
pub(crate) fn task_context(
    project: &Project<'_>,
    settings: &RunSettings,
    (run, redactor): (RunDir, Redactor),
    deadline: Option<Instant>,
) -> TaskContext {
    let path = project.env.get(std::ffi::OsStr::new("PATH"));
    TaskContext {
        root: project.root.clone(),
        environment: Environment::Only(judging::variables(&project.env, run.id())),
        sandbox: None,
        shown_from: project.root.path().to_owned(),
        state: project.state.clone(),
        run,
        shell: Shell::find(path.map(|path| &**path), project.root.path()),
        require_names: settings.config.task.require_names,
        timeout: settings.config.task.timeout,
        deadline,
        redactor,
        groups: project.groups.clone(),
        live: LiveEvents::default(),
        trace_parent: None,
        stop: project.stop.clone(),
        clock: Arc::clone(&project.clock),
    }
}

pub(crate) fn builtin(
    settings: &RunSettings,
    context: &Arc<AgentContext>,
    checkout: &Arc<Checkout>,
) -> BuiltinAgent {
    let (context, checkout) = (Arc::clone(context), Arc::clone(checkout));
    BuiltinAgent::new(settings.config.lint(&[]), context, checkout)
}

/// The machine of a run at its start.
pub(super) fn machine(
    settings: &RunSettings,
    input: &RunInput,
    base: BaseState,
    seed: Seed,
    run: &RunId,
) -> Result<RunMachine, EngineError> {
    let specs = settings
        .target
        .unit_dir()
        .unwrap_or_else(|| settings.target.spec());
    let recovery_actions = vec![
        format!("review the feedback of all iterations: ralph report {run}"),
        format!("edit {specs} by hand"),
        format!("go on: ralph resume {run}"),
    ];
    let review = ReviewMachine::new(LoopConfig {
        base: Some(base),
        ..settings.loop_config(seed, recovery_actions)
    })?;
    let started = RunStarted {
        spec: input.spec.clone(),
        root: input.root.clone(),
        prompts: input.prompts.clone(),
    };
    Ok(RunMachine::new(
        started,
        review,
        settings.stages,
        settings.task_options(seed),
    ))
}

/// A command, with what the commands of tasks share.
struct ProjectCheck {
    command: String,
    context: TaskContext,
}

#[async_trait]
impl Check for ProjectCheck {
    async fn check(&self, step: &Step) -> Result<CheckOutcome, Stop> {
        run_check(&self.context, step, &self.command).await
    }
}
