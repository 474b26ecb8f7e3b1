//! What is learned from runs, as commands ask for it and print it.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::path::Path;

use review::NoSink;
use review_agents::CommandLine;
use review_config::Config;
use review_engine::Replay;
use review_engine::learn::{AfterRun, Learned, Learner, Operators, Request, learning_config};
use review_learning::AgentName;
use review_learning::collection::{CommentKind, UserComment};
use review_learning::config::LearningConfig;
use review_report::shown;
use review_store::RunDir;
use review_types::plural;

use crate::args::Format;
use crate::clock::now;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::Streams;
use crate::runtime::Runtime;

/// What is learned from a run, and who is notified of it.
pub(crate) struct Learning {
    config: LearningConfig,
    notify: Option<CommandLine>,
}

impl Learning {
    /// The one of a root; `None` where nothing is learned.
    ///
    /// # Errors
    /// When the configuration of learning cannot be used.
    pub(crate) fn of(root: &Path, settings: &Config) -> Result<Option<Self>, CommandError> {
        let config = learning_config(root, settings)?;
        Ok(config.map(|config| Self {
            config,
            notify: settings.notify.command.clone(),
        }))
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
    root: &Path,
    learning: &Learning,
    dir: &RunDir,
    format: Format,
) -> Result<(), CommandError> {
    let redactor = context.environment.redactor();
    let (state, notify) = (dir.state(), learning.notify.clone());
    let runtime = Runtime::new(context)?;
    let environment = &context.environment;
    let learned = runtime.block_on(environment, root, state, &NoSink, async |project| {
        let after = AfterRun {
            project,
            learner: &Learner::new(root, &learning.config, now())?,
            dir,
            redactor: &redactor,
            operators: notify.map(|notify| Operators { notify, project }),
        };
        after.learn().await
    });
    match learned.and_then(|learned| learned.map_err(CommandError::from)) {
        Ok(learned) => print(context, root, &learned, format),
        Err(error) => {
            let why = error.message();
            context
                .streams
                .warn(&format!("nothing was learned from this run: {why}"));
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
        let same = learned.unworded.iter().filter(|other| *other == reason);
        let patterns = plural(same.count(), "pattern waits", "patterns wait");
        let warning = format!("{patterns} for words, since {reason}");
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
    let path = shown(context.environment.folder(), root);
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
    let Some(config) = learning_config(root, &settings)?.filter(|_| replay.settings.apply) else {
        return Ok(());
    };
    let redactor = context.environment.redactor();
    let learner = Learner::new(root, &config, now())?;
    let said = UserComment {
        run: dir.id(),
        artifact: replay.settings.target.spec(),
        at: learner.now,
        speech,
        words,
    };
    let drafts = vec![said.draft()];
    let (run, state) = (Some(dir.id()), dir.state());
    learner.collect(drafts, Request::Run, run, &state, &redactor)?;
    Ok(())
}
