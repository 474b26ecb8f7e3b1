//! The run that a user means.

use std::path::Path;
use std::sync::Arc;

use review_flow::ContentStore;
use review_store::{RunDir, RunError, StateDir};

use super::stored::stored;
use crate::settings::Purpose;

/// Finds a run by its id, a unique beginning or end of its id, `latest`, `latest~N`, or
/// the path of its folder, relative to `folder`, in `state` and in `others`. A run that a gate made is
/// never `latest`.
///
/// # Errors
/// [`RunError`] lists the candidates.
pub fn find_run(
    state: &StateDir,
    others: &[StateDir],
    text: &str,
    folder: &Path,
) -> Result<RunDir, RunError> {
    state.find_run(others, text, folder, |run| !is_of_gate(run))
}

/// Whether a gate made the run. One that cannot be read counts as work, so that its
/// error is reported.
fn is_of_gate(dir: &RunDir) -> bool {
    let texts = ContentStore::new(Arc::new(dir.state().blobs()));
    stored(dir, &texts).is_ok_and(|(_, _, stored)| stored.settings.purpose == Purpose::Gate)
}
