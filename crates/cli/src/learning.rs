//! What is learned from runs, as commands ask for it and print it.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use review::NoSink;
use review_config::{Config, Setting};
use review_engine::learn::{
    AfterRun, Decided, Evolution, Learned, Learner, Operators, Request, Updated, find_by_id,
    learning_config,
};
use review_engine::{EngineError, Replay, RunSettings};
use review_learning::AgentName;
use review_learning::collection::{CommentKind, UserComment};
use review_learning::config::LearningConfig;
use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::{Decision, Lesson, WaitingGroup};
use review_learning::protocol::Trigger;
use review_report::learn::{PromptUpdate, prompt_update};
use review_report::shown;
use review_store::RunDir;
use review_types::{Timestamp, plural};

use crate::args::Format;
use crate::clock::now;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::Streams;
use crate::runtime::{Runtime, wait_for};

/// A root with its configuration of learning.
pub(crate) struct Place {
    pub(crate) root: PathBuf,
    pub(crate) settings: Config,
    /// The defaults where nothing is learned.
    pub(crate) config: LearningConfig,
    /// Whether something is learned here.
    pub(crate) is_on: bool,
    pub(crate) now: Timestamp,
}

impl Place {
    /// The current root, where options replace keys of its configuration.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    pub(crate) fn current(
        context: &mut Context,
        overrides: &[Setting],
    ) -> Result<Self, CommandError> {
        context.show_log();
        let root = context.current_root();
        let settings = context.settings(&root, overrides)?;
        Self::at(&root, settings)
    }

    /// The root of a run; `None` where nothing is learned from it.
    ///
    /// # Errors
    /// When the configuration of learning cannot be used.
    pub(crate) fn of_run(
        root: &Path,
        settings: &Config,
        run: &RunSettings,
    ) -> Result<Option<Self>, CommandError> {
        let place = match run.apply {
            true => Some(Self::at(root, settings.clone())?),
            false => None,
        };
        Ok(place.filter(|place| place.is_on))
    }

    fn at(root: &Path, settings: Config) -> Result<Self, CommandError> {
        let config = learning_config(root, &settings)?;
        Ok(Self {
            root: root.to_owned(),
            settings,
            is_on: config.is_some(),
            config: config.unwrap_or_default(),
            now: now(),
        })
    }

    /// The feedback that a lesson was made of, as far as it is kept.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn sources(&self, lesson: &Lesson) -> Result<Vec<FeedbackEntry>, EngineError> {
        let store = self.learner()?.feedback()?;
        let ids = &lesson.source_feedback;
        let entries = store.entries().iter().cloned();
        Ok(entries
            .filter(|entry| ids.iter().any(|id| id == entry.id.as_str()))
            .collect())
    }

    /// The feedback, lessons and prompts.
    ///
    /// # Errors
    /// When the root is not a folder.
    pub(crate) fn learner(&self) -> Result<Learner<'_>, EngineError> {
        Learner::new(&self.root, &self.config, self.now)
    }

    /// The groups of feedback that wait for words.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(crate) fn waiting(&self) -> Result<Vec<WaitingGroup>, CommandError> {
        let learner = self.learner()?;
        let store = learner.feedback()?;
        let mut agents: Vec<&AgentName> = store.entries().iter().map(|one| &one.agent).collect();
        agents.sort_unstable();
        agents.dedup();
        let mut waiting = Vec::new();
        for agent in agents {
            waiting.extend(wait_for(learner.waiting(agent, &store))??);
        }
        Ok(waiting)
    }

    /// The group that waits for words whose id starts so.
    ///
    /// # Errors
    /// When it does not exist, or a file cannot be read.
    pub(crate) fn group(&self, id: &str) -> Result<WaitingGroup, CommandError> {
        let group = find_by_id(id, self.waiting()?, |group| group.id.as_str())?;
        group.ok_or_else(|| not_found(id))
    }

    /// Changes prompts and lessons: the steps are journaled, and operators are
    /// notified.
    ///
    /// # Errors
    /// When the state folder cannot be written, or the work fails.
    pub(crate) fn change<T>(
        &self,
        context: &mut Context,
        trigger: Trigger,
        work: impl AsyncFnOnce(&Evolution<'_>) -> Result<T, EngineError>,
    ) -> Result<T, CommandError> {
        let state = context.state(&self.settings, &self.root)?;
        let (learner, notify) = (self.learner()?, self.settings.notify.command.clone());
        let runtime = Runtime::new(context)?;
        let (environment, root) = (&context.environment, &self.root);
        let done = runtime.block_on(environment, root, state, &NoSink, async |project| {
            let evolution = Evolution {
                learner: &learner,
                state: project.state.clone(),
                trigger,
                run: None,
                operators: notify.map(|notify| Operators { notify, project }),
            };
            work(&evolution).await
        })?;
        Ok(done?)
    }

    /// Carries out a decision on a lesson; returns the lesson, the version of the prompt that
    /// was made, and the message that says so.
    ///
    /// # Errors
    /// When it cannot be decided so, or not by this user, or a file cannot be used.
    pub(crate) fn decide(
        &self,
        context: &mut Context,
        lesson: &Lesson,
        decision: Decision,
        by: &str,
    ) -> Result<(Lesson, Option<u32>, String), CommandError> {
        let trigger = Trigger::LessonApproved;
        let Decided { lesson, updated } = self.change(context, trigger, async |evolution| {
            evolution.decide(lesson, decision, by).await
        })?;
        let updated = updated.as_ref();
        let version = updated.and_then(|updated| updated.version.as_ref());
        let version = version.map(|version| version.version.get());
        let text = updated.map(|updated| prompt_update(&report_of(updated)));
        Ok((lesson, version, text.unwrap_or_default()))
    }
}

/// Neither a lesson nor a group nor an entry has an id that starts so.
pub(crate) fn not_found(id: &str) -> CommandError {
    let message = format!("no lesson, group or entry has the id \"{id}\"");
    let hint = "`ralph learn show` lists the lessons, with an agent its feedback";
    CommandError::new(message).hint(hint)
}

/// The report of an update.
pub(crate) fn report_of(updated: &Updated) -> PromptUpdate<'_> {
    let before = &updated.before;
    let now = updated.version.as_ref().unwrap_or(before);
    PromptUpdate {
        agent: &before.agent,
        version: now.version.get(),
        previous: before.version.get(),
        changed: updated.version.is_some(),
        changes: updated
            .version
            .as_ref()
            .map_or(&[], |version| &version.changes),
        lessons: &updated.lessons,
        unasked: updated.unasked,
    }
}

/// Says that lessons went into the prompt of an agent without an approval.
pub(crate) fn note_update(streams: &mut Streams, agent: &AgentName, version: NonZeroU32) {
    streams.note(&format!(
        "the prompt of {agent} is at version {version} now: approval is not required"
    ));
}

/// Learns from a run that has ended, and prints what. A failure is only
/// a warning: the run is what it is.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn after_run(
    context: &mut Context,
    place: &Place,
    dir: &RunDir,
    format: Format,
) -> Result<(), CommandError> {
    let redactor = context.environment.redactor();
    let runtime = Runtime::new(context)?;
    let (environment, root) = (&context.environment, &place.root);
    let notify = place.settings.notify.command.clone();
    let learned = runtime.block_on(environment, root, dir.state(), &NoSink, async |project| {
        let after = AfterRun {
            project,
            learner: &Learner::new(root, &place.config, now())?,
            dir,
            redactor: &redactor,
            operators: notify.map(|notify| Operators { notify, project }),
        };
        after.learn().await
    });
    match learned.and_then(|learned| learned.map_err(CommandError::from)) {
        Ok(learned) => print(context, &place.root, &learned, format),
        Err(error) => {
            let why = error.message();
            let warning = format!("nothing was learned from this run: {why}");
            context.streams.warn(&warning);
            Ok(())
        }
    }
}

fn print(
    context: &mut Context,
    root: &Path,
    learned: &Learned,
    format: Format,
) -> Result<(), CommandError> {
    let reasons: BTreeSet<&String> = learned.unworded.iter().collect();
    for reason in reasons {
        let warning = format!("what was found waits for words, since {reason}");
        context.streams.warn(&warning);
    }
    for (agent, version) in &learned.updated {
        note_update(&mut context.streams, agent, *version);
    }
    match format {
        Format::Jsonl => {
            for event in &learned.events {
                context.streams.print_json(event)?;
            }
        }
        Format::Human => {
            if learned.entries > 0 {
                let entries = plural(learned.entries, "entry", "entries");
                let state = learn_command(context, root, &[]);
                let note = format!("{entries} of feedback collected; `{state}` says what is next");
                context.streams.note(&note);
            }
            if !learned.proposed.is_empty() {
                let lessons = plural(learned.proposed.len(), "lesson", "lessons");
                let review = learn_command(context, root, &["review"]);
                let note = format!("{lessons} proposed; `{review}` shows what");
                context.streams.note(&note);
            }
        }
        Format::Json => {}
    }
    Ok(())
}

/// A command of `ralph learn` about a root, for the user to copy.
fn learn_command(context: &Context, root: &Path, command: &[&str]) -> String {
    let mut words = [&["ralph", "learn"], command].concat();
    let path = shown(&context.environment.folder, root);
    if context.root_name(root) != "." {
        words.extend(["--root", &path]);
    }
    context.command(&words)
}

/// Collects what a user said about a run, where feedback is collected. Whatever
/// fails is only a warning: the run has it already.
pub(crate) fn learn_speech(
    context: &mut Context,
    dir: &RunDir,
    replay: &Replay,
    speech: CommentKind<'_>,
    words: &str,
) {
    if let Err(error) = learned_speech(context, dir, replay, speech, words) {
        let why = error.message();
        context
            .streams
            .warn(&format!("nothing was learned from it: {why}"));
    }
}

fn learned_speech(
    context: &mut Context,
    dir: &RunDir,
    replay: &Replay,
    speech: CommentKind<'_>,
    words: &str,
) -> Result<(), CommandError> {
    let root = Path::new(&replay.input.root);
    let settings = context.settings(root, &[])?;
    let Some(place) = Place::of_run(root, &settings, &replay.settings)? else {
        return Ok(());
    };
    let said = UserComment {
        run: dir.id(),
        artifact: replay.settings.target.spec(),
        at: place.now,
        speech,
        words,
    };
    let drafts = vec![said.draft()];
    let (redactor, learner) = (context.environment.redactor(), place.learner()?);
    let (run, state) = (Some(dir.id()), dir.state());
    learner.collect(drafts, Request::Run, run, &state, &redactor)?;
    Ok(())
}
