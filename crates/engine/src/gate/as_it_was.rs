//! Runs the commands of complete tasks in a copy of the root with the tests as they
//! were at the base, so that work cannot pass by a test that was emptied, skipped or
//! deleted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use review::events::{Event, StepFinished};
use review::machine::Envelopes;
use review_document::file_hash;
use review_flow::{ContentStore, MemoryBlobs, Step, StepName};
use review_process::git::{ChangedFiles, Commit};
use review_report::gate::{Change, ChangeLevel};
use review_store::{LaneDir, Root, StateDir};
use review_tasks::{
    GateCommand, GateKind, PlannedTask, Ran, Shell, SomeTests, TaskContext, TaskPlan, run_command,
};
use review_types::{ChangeCode, Hash, RunId, UnitId, is_test_file};

use super::compare::{Deciding, counterpart, files_of};
use crate::error::EngineError;
use crate::inspect::unreadable;
use crate::live::Live;
use crate::project::Project;
use crate::run::task_context;
use crate::settings::RunSettings;

/// The copy of the root, below the folder that is made for it.
const COPY: &str = "project";

/// The maximum size of a root that is copied, in bytes.
const MAX_COPY: u64 = 4 << 30;

/// A task that holds where it is, and the spec that it is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HeldTask {
    /// The task, as UNIT/NUMBER.
    pub name: String,
    /// The spec, relative to the root.
    pub spec: String,
}

/// What the commands are run for, and with.
pub(super) struct AsItWas<'a> {
    pub(super) project: &'a Project<'a>,
    pub(super) settings: &'a RunSettings,
    pub(super) commit: &'a Commit,
    pub(super) base: &'a Deciding,
    pub(super) head: &'a Deciding,
    pub(super) files: &'a ChangedFiles,
}

/// A command, and the tasks that it proves.
struct Proof<'a> {
    /// The unit of the first task.
    unit: &'a UnitId,
    tasks: Vec<(String, &'a PlannedTask)>,
    /// Whether spec, task file or listed tests of one of them differ, so that its tests
    /// may.
    may_differ: bool,
}

impl AsItWas<'_> {
    /// Returns what the commands of these tasks show.
    pub(super) async fn check(&self, held: &[HeldTask]) -> Result<Vec<Change>, EngineError> {
        let restored = self.restored();
        let proofs = self.proofs(held, &restored);
        if restored.is_empty() || proofs.is_empty() {
            return Ok(Vec::new());
        }
        let state = StateDir::temporary()?;
        let folder = LaneDir::at(state.path().join("copy"));
        if !folder.copy_folder(self.project.root.path(), COPY, MAX_COPY)? {
            let why = format!("the root has more than {} GiB", MAX_COPY >> 30);
            return Ok(vec![not_run(&why)]);
        }
        let mut context = self.context(&folder, &state)?;
        let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
        let mut runs = BTreeMap::new();
        self.write(&folder, &restored, true).await?;
        for (command, proof) in &proofs {
            let Some(was) = self.run(&mut context, proof, &[], &texts).await? else {
                return Ok(vec![not_run("the time of the run is over")]);
            };
            runs.insert(command.clone(), was);
        }
        self.write(&folder, &restored, false).await?;
        let mut changes = Vec::new();
        for (command, proof) in &proofs {
            let Some(was) = runs.remove(command) else {
                continue;
            };
            let known: Vec<_> = was.tests.iter().map(|tests| tests.names).collect();
            let Some(now) = self.run(&mut context, proof, &known, &texts).await? else {
                return Ok(vec![not_run("the time of the run is over")]);
            };
            changes.extend(differences(proof, &was, &now));
        }
        Ok(changes)
    }

    /// The files of tests and scripts that differ: where each is now, and its path at the
    /// base.
    fn restored(&self) -> BTreeMap<String, String> {
        let tasks = self.head.units.values().flat_map(TaskPlan::tasks);
        let commands = tasks.flat_map(|task| &task.commands);
        let scripts: BTreeSet<_> = commands.flat_map(|command| files_of(command)).collect();
        let changed = self.files.changed.iter();
        let decides = |path: &&String| is_test_file(path.as_ref()) || scripts.contains(*path);
        changed
            .filter(decides)
            .map(|path| {
                (
                    self.files.moved.get(path).unwrap_or(path).clone(),
                    path.clone(),
                )
            })
            .collect()
    }

    /// The commands of the tasks that hold and that a file which differs may decide.
    fn proofs(
        &self,
        held: &[HeldTask],
        restored: &BTreeMap<String, String>,
    ) -> BTreeMap<String, Proof<'_>> {
        let tasks = self.head.units.values().flat_map(TaskPlan::tasks);
        let commands = tasks.flat_map(|task| &task.commands);
        let named: BTreeSet<_> = commands.flat_map(|command| files_of(command)).collect();
        // A file that no command names, such as one that tests load, may decide any of them.
        let is_shared = restored.keys().any(|path| !named.contains(path));
        let mut proofs: BTreeMap<String, Proof<'_>> = BTreeMap::new();
        for (folder, plan) in &self.base.units {
            for was in plan.tasks() {
                let Some(now) = counterpart(was, folder, self.head, self.files) else {
                    continue;
                };
                let mut plans = self.head.units.values();
                let Some(plan) = plans.find(|plan| plan.tasks().contains(now)) else {
                    continue;
                };
                let name = format!("{}/{}", plan.unit, now.number);
                let Some(held) = held.iter().find(|held| held.name == name) else {
                    continue;
                };
                let named: Vec<_> = now
                    .commands
                    .iter()
                    .flat_map(|command| files_of(command))
                    .collect();
                let is_touched = named.iter().any(|path| restored.contains_key(path));
                let names_tests = named.iter().any(|path| is_test_file(path.as_ref()));
                if names_tests && !is_touched && !is_shared {
                    continue;
                }
                let text = |of: &Deciding, path: &str| {
                    of.texts.get(path).map(|text| file_hash(text.as_bytes()))
                };
                let may_differ = was.must_pass != now.must_pass
                    || text(self.base, &was.path) != text(self.head, &now.path)
                    || self.files.changed.contains(&held.spec);
                let proof = proofs.entry(now.command()).or_insert_with(|| Proof {
                    unit: &plan.unit,
                    tasks: Vec::new(),
                    may_differ: false,
                });
                proof.tasks.push((held.name.clone(), now));
                proof.may_differ |= may_differ;
            }
        }
        proofs
    }

    /// Writes the files as they were at the base, or as they are.
    async fn write(
        &self,
        folder: &LaneDir,
        restored: &BTreeMap<String, String>,
        as_they_were: bool,
    ) -> Result<(), EngineError> {
        let git = self.project.git();
        for (path, old) in restored {
            let to = format!("{COPY}/{path}");
            let bytes = match as_they_were {
                true => git.file_at(self.commit, old).await,
                false => review_store::Reader::new(&self.project.root)
                    .read(path)
                    .ok(),
            };
            match bytes {
                Some(bytes) => {
                    if let Some((above, _)) = to.rsplit_once('/') {
                        folder.create_folder(above)?;
                    }
                    folder.write_unsynced(&to, &bytes)?;
                }
                None => folder.remove(&to)?,
            }
        }
        Ok(())
    }

    fn context(&self, folder: &LaneDir, state: &StateDir) -> Result<TaskContext, EngineError> {
        let root = Root::open(&folder.entry(COPY))?;
        let run = state.create_run(&RunId::new("base")?)?;
        let run = (run, self.project.redactor(self.settings));
        let context = task_context(self.project, self.settings, run, None);
        let path = self.project.env.get(std::ffi::OsStr::new("PATH"));
        Ok(TaskContext {
            shell: Shell::find(path.map(|path| &**path), root.path()),
            shown_from: root.path().to_owned(),
            state: state.clone(),
            root,
            ..context
        })
    }

    /// Runs a command; `None` where the time of the run is over.
    async fn run(
        &self,
        context: &mut TaskContext,
        proof: &Proof<'_>,
        known: &[Hash],
        texts: &ContentStore,
    ) -> Result<Option<Ran>, EngineError> {
        let Some((_, task)) = proof.tasks.first() else {
            return Ok(None);
        };
        let (run, unit) = (context.run.id().clone(), Some(proof.unit.clone()));
        let sink = self.project.sink;
        let envelopes = Envelopes::new(run, unit, sink);
        let live = Live::new(envelopes, self.project);
        context.live = live.events();
        let context = &*context;
        let step = Step::alone(StepName::new("gate", 0, "base"));
        let ran = live.during(async {
            let command = GateCommand::Task((*task).clone());
            let ran = run_command(context, &step, &command, (GateKind::Merged, known), texts).await;
            context.live.report(|| {
                Event::StepFinished(StepFinished {
                    step: step.name.to_string(),
                    took_ms: match &ran {
                        Ok(Ok(ran)) => ran.took_ms,
                        Ok(Err(_)) | Err(_) => 0,
                    },
                    by: None,
                    usage: None,
                })
            });
            ran
        });
        Ok(ran.await.map_err(unreadable)?.ok())
    }
}

/// What the runs of a command, with the tests as they were and then with those that are
/// there, show of its tasks.
fn differences(proof: &Proof<'_>, was: &Ran, now: &Ran) -> Vec<Change> {
    let level = match proof.may_differ {
        true => ChangeLevel::Warning,
        false => ChangeLevel::Error,
    };
    let change = |(name, task): &(String, &PlannedTask), code, message: String| Change {
        level,
        ..Change::new(code, name, (task.path.clone(), 1), message)
    };
    if let Some(failure) = &now.failure {
        let why = format!("a command that passes in the root fails in a copy of it: {failure}");
        return vec![not_run(&why)];
    }
    let mut changes = Vec::new();
    for task in &proof.tasks {
        if let Some(failure) = &was.failure {
            let message = format!("with the tests as they were its command fails: {failure}");
            changes.push(change(task, ChangeCode::TestFailsAsItWas, message));
        }
        let Some(tests) = &now.tests else {
            continue;
        };
        let mut add = |code, tests: &SomeTests, how: &str| {
            if !tests.is_empty() {
                changes.push(change(task, code, format!("{how}: {tests}")));
            }
        };
        add(
            ChangeCode::TestsGone,
            &tests.gone,
            "tests that ran with the tests as they were are gone",
        );
        add(
            ChangeCode::TestsSkipped,
            &tests.skipped,
            "tests that ran with the tests as they were are skipped",
        );
    }
    changes
}

/// The commands could not be run with the tests as they were.
fn not_run(why: &str) -> Change {
    let message = format!("not run with the tests as they were: {why}");
    let place = (review_config::FILE_NAME.to_owned(), 1);
    Change {
        level: ChangeLevel::Warning,
        ..Change::new(ChangeCode::BaseNotRun, "tests", place, message)
    }
}
