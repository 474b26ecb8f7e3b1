//! A run whose files are open.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use review::events::Seed;
use review::{
    Artifact, BaseState, Check, Checking, DriveError, FactFinder, Halt, LoopConfig, LoopExecutor,
    ReviewDone, ReviewMachine, RunLog, Step, Texts, base_state,
};
use review_agents::{AgentContext, BuiltinAgent, Calls, ProjectFiles};
use review_process::{Limits, Overflow};
use review_store::{FileArtifact, RootPath, RunDir};
use review_tasks::{Shell, TaskContext, TaskExecutor, TaskPlan, run_check};
use review_types::RunId;
use tokio::time::Instant;

use super::plan::{plan_of, recorded_plan};
use crate::agents::Agents;
use crate::bounded::{Bounded, BoundedClock, Guarded};
use crate::compose::{Composer, Raised, Resume, RunDone};
use crate::error::EngineError;
use crate::inbox::FileInbox;
use crate::project::Project;
use crate::settings::{RunSettings, Stages};

/// A run whose files are open.
pub(crate) struct Opened<'a> {
    pub(crate) project: &'a Project<'a>,
    pub(crate) settings: RunSettings,
    pub(crate) cwd: PathBuf,
    pub(crate) artifact: Arc<FileArtifact>,
    pub(crate) dir: RunDir,
    pub(crate) calls: Arc<Calls>,
}

impl Opened<'_> {
    pub(super) async fn carry_on(
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
        let check = self.check(deadline);
        let agents = Agents::new(&self.settings, &context);
        let inbox = FileInbox::new(&self.dir, &self.settings.target);
        let spec = RootPath::new(self.settings.target.spec())?;
        let records = self.dir.keep_records(&spec, self.settings.target.unit());
        let executor = Bounded {
            inner: LoopExecutor::new(
                &config,
                seed,
                agents.reviewer()?,
                agents.applier()?,
                Some(&*self.artifact),
            )
            .with_facts(rules.as_ref().map(|rules| rules as &dyn FactFinder))
            .with_check(check.as_ref().map(|check| check as &dyn Check))
            .with_inbox(&inbox),
            context,
            records: Mutex::new(records),
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

    /// The command that is run before each review, if there is one.
    fn check(&self, deadline: Option<Instant>) -> Option<ProjectCheck> {
        Some(ProjectCheck {
            command: self.settings.check.clone()?,
            context: task_context(self.project, &self.settings, self.dir.clone(), deadline),
        })
    }

    pub(crate) fn agent_context(&self, deadline: Option<Instant>) -> AgentContext {
        let (project, settings) = (self.project, &self.settings);
        AgentContext {
            artifact: Arc::clone(&self.artifact),
            cwd: self.cwd.clone(),
            run: self.dir.clone(),
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
        sets_pytest_options: !project
            .env
            .contains_key(std::ffi::OsStr::new("PYTEST_ADDOPTS")),
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

pub(super) fn machine(
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

/// A command, with what the commands of tasks share.
struct ProjectCheck {
    command: String,
    context: TaskContext,
}

#[async_trait]
impl Check for ProjectCheck {
    async fn check(&self, step: &Step) -> Result<Checking, Halt> {
        run_check(&self.context, step, &self.command).await
    }
}
