//! A project in a temporary folder, and the files of its tasks.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use review::events::{Event, RunRecord, Seed, TaskFinished};
use review::{
    DriveError, Input, ManualClock, MemoryBlobs, MemoryJournal, MemorySink, RunLog, Texts, drive,
    hash_bytes,
};
use review_document::{Unit, file_hash};
use review_process::{GroupId, Groups, Redactor, Sink, Stop, Stream};
use review_tasks::{
    DEFAULT_TIMEOUT, Shell, TaskContext, TaskDone, TaskExecutor, TaskFiles, TaskLog, TaskMachine,
    TaskOptions, TaskPlan,
};
use review_types::{Hash, Manifest, TaskNumber, Timestamp};
use tokio::sync::watch;

/// A project with one unit, and its state beside it.
pub(crate) struct Project {
    root: tempfile::TempDir,
    state: tempfile::TempDir,
    pub(crate) stop: watch::Sender<Stop>,
}

/// What a run of the tasks left.
pub(crate) struct Run {
    pub(crate) done: TaskDone,
    pub(crate) finished: Vec<TaskFinished>,
}

impl Project {
    /// A project whose tasks are numbered from 1 and hold these YAML lines.
    pub(crate) fn new(tasks: &[&str]) -> Self {
        let project = Self {
            root: tempfile::tempdir().expect("a folder"),
            state: tempfile::tempdir().expect("a folder"),
            stop: watch::Sender::new(Stop::Run),
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

    /// A path outside of the tree.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.state.path().join(name)
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
        Arc::new(TaskPlan::of(&Unit::load(id, "tasks/web", files)))
    }

    pub(crate) fn context(&self) -> TaskContext {
        let path = std::env::var_os("PATH");
        TaskContext {
            root: self.root().to_owned(),
            run: "run-1".parse().expect("legal"),
            shell: Shell::find(path.as_deref(), self.root()),
            timeout: DEFAULT_TIMEOUT,
            deadline: None,
            redactor: Redactor::default(),
            groups: Groups::default(),
            stop: self.stop.subscribe(),
            files: Arc::new(Files {
                root: self.root().to_owned(),
                state: self.state.path().to_owned(),
            }),
            clock: Arc::new(ManualClock::default()),
        }
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
            resume: 0,
        };
        let mut machine = TaskMachine::new(Arc::clone(&plan), options);
        let executor = TaskExecutor::new(plan, context);
        let texts = Texts::new(Arc::new(MemoryBlobs::default()));
        let (mut journal, sink) = (MemoryJournal::default(), MemorySink::default());
        let mut log = RunLog::create(&mut journal, &texts, &sink, run_record())?;
        let start = Input::Start {
            at: Timestamp::UNIX_EPOCH,
        };
        let clock = ManualClock::default();
        let done = drive(&mut machine, &executor, &mut log, &clock, start).await?;
        let events = sink.events().into_iter();
        let finished = events.filter_map(|envelope| match envelope.event {
            Event::TaskFinished(finished) => Some(finished),
            _ => None,
        });
        Ok(Run {
            done,
            finished: finished.collect(),
        })
    }

    /// The tasks that records prove.
    pub(crate) async fn proven(&self) -> Vec<u32> {
        let executor = TaskExecutor::new(self.plan(), self.context());
        let proven: BTreeSet<TaskNumber> = executor.proven().await.expect("readable");
        proven.into_iter().map(TaskNumber::get).collect()
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
    /// The state of each task and whether it was taken from a record.
    pub(crate) fn states(&self) -> Vec<(&'static str, bool)> {
        let tasks = self.done.tasks.iter();
        tasks
            .map(|task| {
                let cached = task.ran.as_ref().is_some_and(|ran| ran.cached);
                (task.state.as_str(), cached)
            })
            .collect()
    }

    /// The only task that had its turn.
    pub(crate) fn only(&self) -> &TaskFinished {
        assert_eq!(self.finished.len(), 1);
        &self.finished[0]
    }

    pub(crate) fn log(&self) -> String {
        let path = self.only().log.as_ref().expect("a log");
        std::fs::read_to_string(path).expect("readable")
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
        root: String::new(),
        spec: "specs/WEB.md".to_owned(),
        unit: Some("web".parse().expect("legal")),
        manifest: Manifest::default(),
        texts: Vec::new(),
        config: serde_json::Value::Null,
        command: Vec::new(),
        version: "0".to_owned(),
    }
}

/// The plainest files that do.
struct Files {
    root: PathBuf,
    state: PathBuf,
}

struct Log(std::fs::File);

impl Sink for Log {
    fn write(&mut self, _stream: Stream, bytes: &[u8]) -> io::Result<()> {
        io::Write::write_all(&mut self.0, bytes)
    }
}

struct Note(PathBuf);

impl Drop for Note {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).expect("removed");
    }
}

impl TaskFiles for Files {
    fn log(&self, name: &str) -> io::Result<TaskLog> {
        let path = self.state.join(name);
        Ok(TaskLog {
            sink: Box::new(Log(std::fs::File::create(&path)?)),
            path: path.to_str().expect("UTF-8").to_owned(),
        })
    }

    fn note_child(&self, group: GroupId) -> io::Result<Box<dyn Send>> {
        let path = self.state.join("child");
        std::fs::write(&path, group.to_string())?;
        Ok(Box::new(Note(path)))
    }

    fn record(&self, task: TaskNumber) -> io::Result<Option<Vec<u8>>> {
        match std::fs::read(self.state.join(format!("{task}.json"))) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        }
    }

    fn write_record(&self, task: TaskNumber, record: &[u8]) -> io::Result<()> {
        std::fs::write(self.state.join(format!("{task}.json")), record)
    }

    fn tree(&self, listed: Option<&[u8]>) -> io::Result<Hash> {
        let mut paths = BTreeSet::new();
        match listed {
            Some(listed) => {
                let names = listed
                    .split(|byte| *byte == 0)
                    .filter(|name| !name.is_empty());
                let names = names.map(|name| String::from_utf8_lossy(name).into_owned());
                paths.extend(names.map(|name| self.root.join(name)));
            }
            None => walk(&self.root, &mut paths)?,
        }
        let mut whole = Vec::new();
        for path in paths {
            if let Ok(source) = std::fs::read(&path) {
                whole.extend_from_slice(path.as_os_str().as_encoded_bytes());
                whole.extend_from_slice(file_hash(&source).as_bytes());
            }
        }
        Ok(hash_bytes(&whole))
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        std::fs::read(self.root.join(path))
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        std::fs::write(self.root.join(path), bytes)
    }
}

fn walk(folder: &Path, paths: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, paths)?;
        } else {
            paths.insert(path);
        }
    }
    Ok(())
}
