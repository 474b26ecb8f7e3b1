//! Reads the artifact, and restores earlier states.

use std::collections::BTreeSet;
use std::sync::Arc;

use review_types::{Hash, Manifest};

use super::{LoopExecutor, broken, put_json};
use crate::agent::{Applier, Reviewer};
use crate::artifact::Snapshot;
use crate::review_loop::op::{BaseState, RestoreArgs, ReviewOut};
use review_flow::{ContentStore, Stop};

impl<R: Reviewer, A: Applier> LoopExecutor<'_, R, A> {
    pub(super) fn snapshot(&self, texts: Option<&ContentStore>) -> Result<Option<Snapshot>, Stop> {
        self.parts
            .artifact
            .map(|artifact| artifact.snapshot(texts))
            .transpose()
            .map_err(|error| Stop::Broken(format!("the artifact cannot be read: {error}")))
    }

    /// Reads the artifact after an applier. A user may remove an unreadable file, such
    /// as a link that leads out of the project: a resume restores the earlier state.
    pub(super) fn left_by_applier(&self, texts: &ContentStore) -> Result<Option<Snapshot>, Stop> {
        self.snapshot(Some(texts)).map_err(|halt| match halt {
            Stop::Broken(message) => Stop::Broken(format!(
                "{message}; remove it, and the resume restores the artifact as the applier got it"
            )),
            Stop::Interrupted => Stop::Interrupted,
        })
    }

    /// Returns the output that ends the run when another process changed the artifact.
    pub(super) fn changed_since(
        &self,
        base: Option<BaseState>,
        texts: &ContentStore,
    ) -> Result<Option<ReviewOut>, Stop> {
        let Some(base) = base else { return Ok(None) };
        let Some(now) = self.snapshot(None)? else {
            return Ok(None);
        };
        if now.hash == base.artifact {
            return Ok(None);
        }
        let before: Arc<Manifest> = texts.value(&base.manifest).map_err(broken)?;
        let found = now.manifest.describe_difference(&before);
        Ok(Some(ReviewOut::Changed(found)))
    }

    /// Restores the artifact of a round, except for files whose content is in none of
    /// the known manifests.
    pub(super) fn restore(
        &self,
        asked: &RestoreArgs,
        texts: &ContentStore,
    ) -> Result<ReviewOut, Stop> {
        let (Some(artifact), Some(now)) = (self.parts.artifact, self.snapshot(Some(texts))?) else {
            let (after, left) = (None, Vec::new());
            return Ok(ReviewOut::Restored { after, left });
        };
        let wanted: Arc<Manifest> = texts.value(&asked.to.manifest).map_err(broken)?;
        let (wanted, left) = if now.hash == asked.base.artifact {
            (wanted, Vec::new())
        } else {
            let known = asked.rounds.iter().chain([&asked.base.manifest]);
            let known = known.map(|hash| texts.value(hash));
            let known = known.collect::<Result<Vec<_>, _>>().map_err(broken)?;
            let (wanted, left) = sparing(&wanted, &now.manifest, &known);
            (Arc::new(wanted), left)
        };
        artifact
            .restore(&wanted, texts)
            .map_err(|error| Stop::Broken(format!("the artifact cannot be restored: {error}")))?;
        let after = self.snapshot(Some(texts))?;
        let after = after.map(|now| base_state(&now, texts)).transpose()?;
        Ok(ReviewOut::Restored { after, left })
    }

    /// Restores the artifact to its state at the start of the apply, if it differs. The
    /// state that was found is stored first, and its manifest returned.
    pub(super) fn undo(
        &self,
        base: Option<BaseState>,
        texts: &ContentStore,
    ) -> Result<Vec<Hash>, Stop> {
        let (Some(artifact), Some(base)) = (self.parts.artifact, base) else {
            return Ok(Vec::new());
        };
        let Some(found) = self.set_aside(base, texts)? else {
            return Ok(Vec::new());
        };
        let before: Arc<Manifest> = texts.value(&base.manifest).map_err(broken)?;
        artifact
            .restore(&before, texts)
            .map_err(|error| Stop::Broken(format!("the artifact cannot be restored: {error}")))?;
        Ok(vec![found])
    }

    /// Stores the current artifact durably if it differs from `base`, and returns the
    /// hash of its manifest; `None` if nothing differs.
    pub(super) fn set_aside(
        &self,
        base: BaseState,
        texts: &ContentStore,
    ) -> Result<Option<Hash>, Stop> {
        let Some(now) = self.left_by_applier(texts)? else {
            return Ok(None);
        };
        if now.hash == base.artifact {
            return Ok(None);
        }
        let before: Arc<Manifest> = texts.value(&base.manifest).map_err(broken)?;
        let found = base_state(&now, texts)?.manifest;
        let files = now.manifest.unlike(&before).map(|file| file.hash);
        for text in files.chain([found]) {
            texts.persist(&text).map_err(|error| {
                Stop::Broken(format!(
                    "cannot store the changes before they are undone: {error}"
                ))
            })?;
        }
        Ok(Some(found))
    }
}

/// Returns the `wanted` manifest, except for files whose content `now` is in none
/// of the `known` manifests, and the paths of these.
fn sparing(wanted: &Manifest, now: &Manifest, known: &[Arc<Manifest>]) -> (Manifest, Vec<String>) {
    let is_ours = |path: &str| {
        let hash = |manifest: &Manifest| manifest.get(path).map(|file| file.hash);
        known.iter().any(|manifest| hash(manifest) == hash(now))
    };
    let paths = wanted.files().iter().chain(now.files());
    let paths: BTreeSet<&str> = paths.map(|file| &*file.path).collect();
    let (ours, left): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| is_ours(path));
    let kept = left.iter().filter_map(|path| now.get(path));
    let files = ours.iter().filter_map(|path| wanted.get(path)).chain(kept);
    let left = left.iter().map(|path| (*path).to_owned());
    (files.cloned().collect(), left.collect())
}

/// Returns the state of an artifact for the machine, and stores its manifest.
///
/// # Errors
/// [`Stop::Broken`] when the manifest cannot be serialized.
pub fn base_state(snapshot: &Snapshot, texts: &ContentStore) -> Result<BaseState, Stop> {
    Ok(BaseState {
        artifact: snapshot.hash,
        manifest: put_json(texts, &snapshot.manifest)?,
    })
}
