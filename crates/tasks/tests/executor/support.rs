//! A project in a temporary folder, and the files of its tasks.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use review::MemorySink;
use review::events::{Event, LiveEvents, TaskFinished, TaskState, TaskStatusSet};
use review::machine::Envelopes;
use review_flow::{
    ContentStore, DriveError, Input, ManualClock, MemoryBlobs, MemoryJournal, RunLog, RunRecord,
    Seed, drive,
};
use review_process::{Environment, Groups, Redactor, Stop};
use review_store::{Area, Root, RunDir, StateDir};
use review_tasks::{
    DEFAULT_TIMEOUT, Shell, TaskContext, TaskDone, TaskExecutor, TaskMachine, TaskOptions, TaskPlan,
};
use review_types::{TaskNumber, Timestamp};
use tokio::sync::watch;

/// A project with one unit, and a folder outside it.
pub(crate) struct Project {
    root: tempfile::TempDir,
    outside: tempfile::TempDir,
    pub(crate) stop: watch::Sender<Stop>,
    pub(crate) jobs: NonZeroU32,
}

/// The result of a run of the tasks.
pub(crate) struct Run {
    pub(crate) done: TaskDone,
    pub(crate) finished: Vec<TaskFinished>,
    pub(crate) statuses: Vec<TaskStatusSet>,
}

impl Project {
    /// Returns a project whose tasks are numbered from 1 and have these YAML lines.
    pub(crate) fn new(tasks: &[&str]) -> Self {
        let project = Self {
            root: tempfile::tempdir().expect("a folder"),
            outside: tempfile::tempdir().expect("a folder"),
            stop: watch::Sender::new(Stop::Run),
            jobs: NonZeroU32::MIN,
        };
        for (index, lines) in tasks.iter().enumerate() {
            let number = index + 1;
            let text = format!("---\ntask: {number}\nstatus: pending\n{lines}\n---\n# T{number}\n");
            project.write(&task_path(number), &text);
        }
        project
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    /// Returns a path outside the tree.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.outside.path().join(name)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).expect("readable")
    }

    pub(crate) fn replace(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{path} holds {from}");
        self.write(path, &text.replace(from, to));
    }

    pub(crate) fn plan(&self) -> Arc<TaskPlan> {
        let folder = self.root().join("tasks/web");
        let files: Vec<_> = std::fs::read_dir(folder)
            .expect("a unit")
            .map(|entry| {
                let name = entry.expect("an entry").file_name();
                let path = format!("tasks/web/{}", name.to_str().expect("UTF-8"));
                let text = self.read(&path);
                (path, text)
            })
            .collect();
        let id = "web".parse().expect("legal");
        Arc::new(TaskPlan::load(id, "tasks/web", &files))
    }

    /// Returns the folder of the run.
    pub(crate) fn run_dir(&self) -> RunDir {
        let (state, id) = (self.state(), "run-1".parse().expect("legal"));
        let made = state.create_run(&id);
        made.unwrap_or_else(|_| {
            state
                .find_run(&[], "run-1", self.root(), |_| true)
                .expect("made before")
        })
    }

    fn state(&self) -> StateDir {
        StateDir::under(self.root()).expect("writable")
    }

    pub(crate) fn context(&self) -> TaskContext {
        let path = std::env::var_os("PATH");
        TaskContext {
            environment: Environment::Inherit { set: Vec::new() },
            sandbox: None,
            shown_from: Root::open(self.root()).expect("a folder").path().to_owned(),
            root: Root::open(self.root()).expect("a folder"),
            state: self.state(),
            run: self.run_dir(),
            shell: Shell::find(path.as_deref(), self.root()),
            require_names: false,
            timeout: DEFAULT_TIMEOUT,
            deadline: None,
            redactor: Redactor::default(),
            groups: Groups::default(),
            live: LiveEvents::default(),
            trace_parent: None,
            stop: self.stop.subscribe(),
            clock: Arc::new(ManualClock::default()),
        }
    }

    /// Returns the file with the record of the first task.
    pub(crate) fn record(&self) -> PathBuf {
        self.state().area(Area::Records).join("web/1.json")
    }

    /// Runs the tasks.
    pub(crate) async fn run(&self) -> Run {
        self.run_in(self.context())
            .await
            .expect("driven to its end")
    }

    /// Runs the tasks in another context.
    pub(crate) async fn run_in(&self, context: TaskContext) -> Result<Run, DriveError> {
        let plan = self.plan();
        let options = TaskOptions {
            writes_status: true,
            jobs: self.jobs,
            resume: 0,
            lane: None,
        };
        let mut machine = TaskMachine::new(Arc::clone(&plan), options);
        let executor = TaskExecutor::new(plan.unit.clone(), context);
        let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
        let (mut journal, sink) = (MemoryJournal::default(), MemorySink::default());
        let mut log = RunLog::create(&mut journal, &texts, run_record())?;
        let envelopes = Envelopes::new(run_record().run, Some(plan.unit.clone()), &sink);
        log.emit_to(&envelopes);
        let start = Input::Start {
            at: Timestamp::UNIX_EPOCH,
        };
        let clock = ManualClock::default();
        let done = drive(&mut machine, &executor, &mut log, &clock, start).await?;
        let mut run = Run {
            done,
            finished: Vec::new(),
            statuses: Vec::new(),
        };
        for envelope in sink.events() {
            match envelope.event {
                Event::TaskFinished(finished) if finished.state != TaskState::Skipped => {
                    run.finished.push(finished);
                }
                Event::TaskStatus(status) => run.statuses.push(status),
                _ => {}
            }
        }
        Ok(run)
    }

    /// Returns the tasks that records prove.
    pub(crate) async fn proven(&self) -> Vec<u32> {
        let plan = self.plan();
        let executor = TaskExecutor::new(plan.unit.clone(), self.context());
        let proven = executor.proven(&plan).await.expect("readable");
        proven.into_keys().map(TaskNumber::get).collect()
    }

    /// Returns the log of the only task of a run.
    pub(crate) fn log(&self, run: &Run) -> String {
        self.read(run.only().log.as_ref().expect("a log"))
    }

    pub(crate) fn git(&self, args: &[&str]) {
        let status = std::process::Command::new("git")
            .args(args)
            .current_dir(self.root())
            .status();
        assert!(status.expect("git").success(), "git {args:?}");
    }
}

impl Run {
    /// Returns the state of each task and whether it came from a record.
    pub(crate) fn states(&self) -> Vec<(&'static str, bool)> {
        let tasks = self.done.tasks.iter();
        tasks
            .map(|task| {
                let mut finished = self.finished.iter();
                let cached = finished.any(|ran| ran.task == task.task && ran.cached);
                (task.state.as_str(), cached)
            })
            .collect()
    }

    /// Returns the only task that ran.
    pub(crate) fn only(&self) -> &TaskFinished {
        assert_eq!(self.finished.len(), 1);
        &self.finished[0]
    }
}

pub(crate) fn task_path(number: usize) -> String {
    format!("tasks/web/{number:02}.md")
}

fn run_record() -> RunRecord {
    RunRecord {
        run: "run-1".parse().expect("legal"),
        seed: Seed::from_bytes([7; 32]),
        at: Timestamp::UNIX_EPOCH,
        version: "0".to_owned(),
        input: serde_json::Value::Null,
        texts: Vec::new(),
    }
}
