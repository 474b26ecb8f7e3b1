//! What persons say about runs, as feedback.

use std::path::Path;

use review_config::Overrides;
use review_learning::collection::{CommentKind, UserComment};
use review_store::RunDir;

use super::{Asked, Collector, learning_config};
use crate::clock::now;
use crate::command::Replayed;
use crate::context::Context;
use crate::error::CommandError;

/// Collects what a person said about a run, where feedback is collected. Whatever
/// becomes of that is no more than a warning: it was said to the run already.
pub(crate) fn hear(
    context: &mut Context,
    dir: &RunDir,
    replayed: &Replayed,
    speech: CommentKind<'_>,
    words: &str,
) {
    if let Err(error) = heard(context, dir, replayed, speech, words) {
        let why = error.message();
        context
            .streams
            .warn(&format!("nothing was learned from it: {why}"));
    }
}

fn heard(
    context: &mut Context,
    dir: &RunDir,
    replayed: &Replayed,
    speech: CommentKind<'_>,
    words: &str,
) -> Result<(), CommandError> {
    let root = Path::new(&replayed.input.root);
    let settings = context.settings(root, Overrides::default())?;
    let Some(config) = learning_config(root, &settings)?.filter(|_| replayed.settings.apply) else {
        return Ok(());
    };
    let collector = Collector {
        root,
        config: &config,
        environment: &context.environment,
        now: now(),
    };
    let comment = UserComment {
        run: dir.id(),
        artifact: replayed.settings.target.spec(),
        at: collector.now,
        speech,
        words,
    };
    let drafts = vec![comment.draft()];
    collector.collect(drafts, Asked::No, Some(dir.id()), &dir.state())?;
    Ok(())
}
