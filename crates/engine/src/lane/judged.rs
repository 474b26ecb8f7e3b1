//! The trees on which the command of a task judges its change.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use review_flow::Stop;
use review_lane::{CommitId, Lane, MergedTree, TestsPolicy, TreeId};
use review_lint::Glob;
use review_tasks::{LaneOut, MergedTrees, PlannedTask, RunnerChange, TaskPlan};
use review_types::is_test_file;

use super::failing::{RunScript, scripts_of};
use super::runner_files::{Reach, ReadBefore, RunnerEffect, RunnerFile};
use super::{LaneExecutor, protected, shown, stopped};
use crate::error::halted;
use crate::run::current_whole_plan;

/// A runner file that a change touches.
struct Touched {
    /// The path, relative to the top folder of the repository.
    path: PathBuf,
    file: RunnerFile,
    effect: RunnerEffect,
    /// Whether the task may change it.
    is_open: bool,
}

/// What a task may change of what judges it.
struct Opened {
    patterns: Vec<Glob>,
    deliverables: Vec<String>,
}

impl Opened {
    /// Returns whether its file or the configuration opens a path, relative to the root.
    fn by_pattern(&self, path: &Path) -> bool {
        protected::is_open(&self.patterns, path)
    }

    /// Returns whether the task names a path as its result, or may change it.
    fn names(&self, path: &Path) -> bool {
        let mut deliverables = self.deliverables.iter();
        self.by_pattern(path) || deliverables.any(|named| Path::new(named) == path)
    }

    /// Returns whether the task is to write tests, and nothing else.
    fn wants_only_tests(&self) -> bool {
        let mut deliverables = self.deliverables.iter();
        !self.deliverables.is_empty() && deliverables.all(|named| is_test_file(Path::new(named)))
    }
}

impl LaneExecutor<'_> {
    /// Returns what the commands of a task reach in a commit.
    pub(super) async fn reach(&self, lane: &Lane, task: &PlannedTask, at: &CommitId) -> Reach {
        Reach::of(&task.commands, &CommitFiles { lane, commit: at }).await
    }

    /// Returns a merged tree with those on which its tests are judged.
    pub(super) async fn merged_trees(
        &self,
        (task, had_tests): (&PlannedTask, bool),
        tip: &CommitId,
        tree: TreeId,
    ) -> Result<LaneOut, Stop> {
        let lane = self.lane().await?;
        let opened = self.opened(task)?;
        let whole = lane.merged_tree(tip, &tree).await.map_err(stopped)?;
        let reach = self.reach(lane, task, tip).await;
        let mut touched = touched(lane, &whole, &reach, &opened).await?;
        let mut is_untested = false;
        if !had_tests && touched.iter().any(|one| !one.is_open) {
            let files = lane.files_at(tip.as_str()).await.map_err(stopped)?;
            let mut one = touched.iter();
            is_untested = !one.any(|one| one.file.has_tests(&reach.commands, &files));
            for one in touched.iter_mut().filter(|_| is_untested) {
                one.is_open = true;
            }
        }
        let (open, closed): (Vec<_>, Vec<_>) = touched.into_iter().partition(|one| one.is_open);
        let (judged, runner) = match closed.is_empty() {
            true => (whole, None),
            false => {
                let is_set_aside = closed.iter().all(|one| one.effect == RunnerEffect::Alone);
                let paths: Vec<_> = closed.into_iter().map(|one| one.path).collect();
                let without = lane.without(&whole, &paths).await.map_err(stopped)?;
                let runner = RunnerChange {
                    tree,
                    files: shown(paths),
                    is_set_aside,
                };
                let without = lane.merged_tree(tip, &without).await.map_err(stopped)?;
                (without, Some(runner))
            }
        };
        let opens = |path: &Path| opened.by_pattern(path);
        let protected = lane.with_tests_before(&judged, &opens).await;
        let reverted = match opened.wants_only_tests() {
            true => None,
            false => lane
                .with_only_tests(&judged, &opens)
                .await
                .map_err(stopped)?,
        };
        let scripts = scripts_of(&task.commands);
        let failing = with_failing(lane, judged.tree(), &scripts).await?;
        let deleted = judged.deleted_tests().filter(|path| !opens(path));
        Ok(LaneOut::Merged {
            trees: MergedTrees {
                merged: judged.tree().clone(),
                runner,
                configured: shown(open.into_iter().map(|one| one.path).collect()),
                is_untested,
                protected: protected.map_err(stopped)?,
                reverted,
                failing,
                deleted: shown(deleted.map(Path::to_owned).collect()),
            },
        })
    }

    /// Returns the files by which other tasks of the unit are judged, but for those that
    /// this task is judged by as well or may change; none where weaker tests are flags.
    pub(super) async fn files_of_others(
        &self,
        lane: &Lane,
        task: &PlannedTask,
        base: &CommitId,
    ) -> Result<BTreeSet<PathBuf>, Stop> {
        if self.table.tests == TestsPolicy::Flag {
            return Ok(BTreeSet::new());
        }
        let plan = current_whole_plan(&self.run.settings, &self.run.artifact)?;
        let opened = self.opened(task)?;
        let own = protected::judging_files(&task.commands);
        let mut scripts = Vec::new();
        for path in &own {
            let content = lane.file_at(base.as_str(), path).await.map_err(stopped)?;
            scripts.extend(content.and_then(|content| String::from_utf8(content).ok()));
        }
        let tasks = plan.iter().flat_map(TaskPlan::tasks);
        let others = tasks.filter(|other| other.number != task.number);
        let mut files: BTreeSet<_> = others
            .flat_map(|other| protected::judging_files(&other.commands))
            .collect();
        files.retain(|path| {
            let is_own = own.contains(path) || opened.names(path);
            !is_own && !protected::may_run(&task.commands, &scripts, path)
        });
        Ok(files)
    }

    fn opened(&self, task: &PlannedTask) -> Result<Opened, Stop> {
        let text = self.run.artifact.read(&task.path).map_err(halted)?;
        Ok(Opened {
            patterns: protected::opened(&self.table.may_change, &task.may_change),
            deliverables: review_lint::deliverables(&task.path, &*text),
        })
    }
}

/// Returns a tree with the scripts that can be made to end with a failure; `None` if none
/// can.
async fn with_failing(
    lane: &Lane,
    tree: &TreeId,
    scripts: &[RunScript],
) -> Result<Option<TreeId>, Stop> {
    let mut failing = None;
    for script in scripts {
        let path = Path::new(&script.path);
        let content = lane.file_at(tree.as_str(), path).await.map_err(stopped)?;
        let text = content.and_then(|content| String::from_utf8(content).ok());
        if let Some(text) = text.and_then(|text| script.failing(&text)) {
            let on = failing.as_ref().unwrap_or(tree);
            let with = lane.with_file(on, path, text.into_bytes()).await;
            failing = Some(with.map_err(stopped)?);
        }
    }
    Ok(failing)
}

/// Finds the runner files that a merged tree changes.
async fn touched(
    lane: &Lane,
    merged: &MergedTree,
    reach: &Reach,
    opened: &Opened,
) -> Result<Vec<Touched>, Stop> {
    let prefix = lane.source().prefix.as_path();
    let mut touched = Vec::new();
    for change in merged.files() {
        let below = change.path.strip_prefix(prefix).ok();
        let Some(path) = below.unwrap_or(&change.path).to_str() else {
            continue;
        };
        let Some(file) = RunnerFile::find(path, reach) else {
            continue;
        };
        let [before, after] = lane.contents_of(change).await.map_err(stopped)?;
        let effect = file.effect(path, [before.as_deref(), after.as_deref()], reach);
        if effect != RunnerEffect::None {
            touched.push(Touched {
                path: change.path.clone(),
                file,
                effect,
                is_open: below.is_some_and(|path| opened.names(path)),
            });
        }
    }
    Ok(touched)
}

/// The files of a commit.
struct CommitFiles<'a> {
    lane: &'a Lane,
    commit: &'a CommitId,
}

impl ReadBefore for CommitFiles<'_> {
    async fn read(&self, path: &str) -> Option<String> {
        let content = self.lane.file_at(self.commit.as_str(), Path::new(path));
        String::from_utf8(content.await.ok()??).ok()
    }
}
