//! What a run changed, as a diff for readers: the artifact by the versions of its rounds, and
//! the project by the commits of its tasks.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use review::events::Event;
use review_flow::MissingContent;
use review_lane::Lane;
use review_report::unified;
use review_types::{Hash, Manifest, TaskNumber};

use super::Replay;
use crate::error::EngineError;
use crate::lane;
use crate::project::Project;

/// Which change of a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeOf {
    /// That of the whole run.
    Run,
    /// What the applier changed after the review of a round.
    Round(u32),
    /// The last attempt at a task.
    Task(TaskNumber),
}

/// What shows the rounds and attempts of a run.
const REPORT: &str = "`ralph report RUN -v` shows the rounds and attempts of a run";

/// The versions of the artifact in a run, each as the hash of its manifest.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArtifactTexts {
    /// Those that were reviewed, by round.
    pub(crate) reviewed: Vec<(u32, Option<Hash>)>,
    /// The last one.
    pub(crate) last: Option<Hash>,
}

impl ArtifactTexts {
    /// The versions before and after the applier of a round, or before and after the run.
    fn around(&self, round: Option<u32>) -> Result<Option<(Hash, Hash)>, EngineError> {
        let rounds = self.reviewed.len();
        let (before, after) = match round {
            None => (self.reviewed.first(), self.last),
            Some(round) => {
                let mut at = self
                    .reviewed
                    .iter()
                    .skip_while(|(number, _)| *number != round);
                let before = at.next().ok_or_else(|| no_round(round, rounds))?;
                (Some(before), at.next().map_or(self.last, |(_, text)| *text))
            }
        };
        Ok(before.and_then(|(_, text)| *text).zip(after))
    }
}

impl Replay {
    /// Returns what the run changed, without secrets and escape sequences; empty if that is
    /// nothing.
    ///
    /// # Errors
    /// [`EngineError`] when the run has no such round or attempt, or what it changed is gone.
    pub async fn diff(&self, project: &Project<'_>, of: ChangeOf) -> Result<String, EngineError> {
        let mut diff = match of {
            ChangeOf::Task(_) => String::new(),
            ChangeOf::Run => self.artifact_diff(None)?,
            ChangeOf::Round(round) => self.artifact_diff(Some(round))?,
        };
        let commits = match of {
            ChangeOf::Round(_) => Vec::new(),
            ChangeOf::Run => self.landed_ranges(),
            ChangeOf::Task(task) => vec![self.attempt(task).ok_or_else(|| no_attempt(task))?],
        };
        if !commits.is_empty() {
            let folder = lane::of_run(self, &project.env).ok_or_else(lane::no_folder)?;
            let path = folder.path().to_owned();
            let found = Lane::find(lane::git(project), folder).map_err(EngineError::Checkouts)?;
            let lane = found.ok_or_else(|| lane_gone(&path))?;
            for (before, after) in commits {
                let change = lane.diff(&before, &after).await;
                let change = change.map_err(EngineError::Checkouts)?;
                diff.push_str(&String::from_utf8_lossy(&change));
            }
        }
        let redacted = project.redactor(&self.settings).redact(diff.as_bytes());
        Ok(String::from_utf8_lossy(&redacted).into_owned())
    }

    /// The differences between two versions of the artifact.
    fn artifact_diff(&self, round: Option<u32>) -> Result<String, EngineError> {
        let Some((before, after)) = self.texts.around(round)? else {
            return Ok(String::new());
        };
        let texts = &self.contents;
        let before: Arc<Manifest> = texts.value(&before).map_err(not_kept)?;
        let after: Arc<Manifest> = texts.value(&after).map_err(not_kept)?;
        let changed = before.unlike(&after).chain(after.unlike(&before));
        let paths: BTreeSet<&str> = changed.map(|file| file.path.as_str()).collect();
        let mut diff = String::new();
        for path in paths {
            let read = |manifest: &Manifest| {
                let file = manifest.get(path).map(|file| texts.get(&file.hash));
                file.transpose().map_err(not_kept)
            };
            let (before, after) = (read(&before)?, read(&after)?);
            let name = |side, text: &Option<_>| match text {
                Some(_) => format!("{side}/{path}"),
                None => "/dev/null".to_owned(),
            };
            let text = |bytes: &Option<Arc<[u8]>>| {
                let bytes = bytes.as_deref().unwrap_or_default();
                String::from_utf8_lossy(bytes).into_owned()
            };
            diff.push_str(&format!("diff --git a/{path} b/{path}\n"));
            let names = (name("a", &before), name("b", &after));
            diff.push_str(&unified(
                (&names.0, &names.1),
                &text(&before),
                &text(&after),
            ));
        }
        Ok(diff)
    }

    /// The commits around the work that went on to the lane, a pair for each time that it
    /// landed.
    fn landed_ranges(&self) -> Vec<(String, String)> {
        let mut ranges: Vec<(String, String)> = Vec::new();
        let mut is_open = false;
        for sent in &self.events {
            match &sent.event {
                Event::TaskOnLane(on_lane) => match ranges.last_mut().filter(|_| is_open) {
                    Some(range) => range.1.clone_from(&on_lane.commit),
                    None => ranges.push(around(&on_lane.commit)),
                },
                Event::LaneLanded(_) => {
                    is_open = false;
                    continue;
                }
                _ => continue,
            }
            is_open = true;
        }
        ranges
    }

    /// The commits around the last change of an agent for a task.
    fn attempt(&self, task: TaskNumber) -> Option<(String, String)> {
        self.events.iter().rev().find_map(|sent| match &sent.event {
            Event::TaskOnLane(on_lane) if on_lane.task == task => Some(around(&on_lane.commit)),
            Event::TaskAttempted(tried) if tried.task == task && tried.files > 0 => {
                Some(around(&format!("refs/ralph/task/{task}/{}", tried.attempt)))
            }
            _ => None,
        })
    }
}

/// A commit and its parent.
fn around(commit: &str) -> (String, String) {
    (format!("{commit}^"), commit.to_owned())
}

fn no_round(round: u32, rounds: usize) -> EngineError {
    let has = match rounds {
        0 => "nothing was reviewed".to_owned(),
        1 => "it has one".to_owned(),
        _ => format!("it has {rounds}"),
    };
    EngineError::hinted(format!("the run has no round {round}: {has}"), REPORT)
}

/// No agent has changed anything for a task.
fn no_attempt(task: TaskNumber) -> EngineError {
    let message = format!("the run has no change of an agent for task {task}");
    EngineError::hinted(message, REPORT)
}

fn lane_gone(path: &Path) -> EngineError {
    EngineError::hinted(
        format!(
            "the commits of the run are gone: {} was removed",
            path.display()
        ),
        "what landed is in the commits of your branch: `git log`",
    )
}

fn not_kept(missing: MissingContent) -> EngineError {
    EngineError::hinted(
        format!("content of the run is missing: {missing}"),
        "what a run read and wrote is in the state folder until `ralph clean` removes the run",
    )
}
