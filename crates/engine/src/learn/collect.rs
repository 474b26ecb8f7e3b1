//! Feedback on its way into the store.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{self, BufReader};
use std::path::Path;

use review_events::Envelope;
use review_flow::hash_bytes;
use review_learning::Id;
use review_learning::collection::{Draft, RunFeedback, expired, steps};
use review_learning::corrections::{Correction, Mode, Validation};
use review_learning::feedback::FeedbackEntry;
use review_learning::protocol::LearningEvent;
use review_process::Redactor;
use review_store::{FeedbackStore, Root, StateDir};
use review_types::{RunId, Score};

use super::Learner;
use crate::error::EngineError;
use crate::settings::RunSettings;

/// The file of corrections, relative to the root.
pub const CORRECTIONS_FILE: &str = ".claude/user-corrections.jsonl";

/// Who asks for feedback to be collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// A user: sources that do not collect by themselves are included.
    User,
    /// The end of a run, or what a user said to one.
    Run,
}

/// The outcome of collecting feedback.
#[derive(Debug, Default)]
pub struct Collected {
    /// The number of pieces of feedback, whatever the configuration accepts.
    pub found: usize,
    /// The entries that are new in the store.
    pub added: Vec<FeedbackEntry>,
    /// The number of entries that are no longer kept.
    pub pruned: usize,
    /// The number of new entries that are too old or too many to be kept.
    pub left_out: usize,
    /// The steps that were taken.
    pub events: Vec<LearningEvent>,
}

impl Learner<'_> {
    /// Puts feedback into the store that is not there yet, prunes what is no
    /// longer kept, and journals the steps in the state folder.
    ///
    /// # Errors
    /// When the store or the journal cannot be written.
    pub fn collect(
        &self,
        drafts: Vec<Draft>,
        request: Request,
        run: Option<&RunId>,
        state: &StateDir,
        redactor: &Redactor,
    ) -> Result<Collected, EngineError> {
        let found = drafts.len();
        let mut store = self.feedback()?;
        let entries = self.accepted(drafts, request, redactor);
        let (entries, left_out) = self.kept(entries, &store);
        let added = store.add(&entries)?;
        let added: Vec<_> = added.into_iter().cloned().collect();
        let pruned = self.prune(&mut store)?;
        let events: Vec<_> = added
            .iter()
            .flat_map(|entry| steps(entry, run, self.now))
            .collect();
        state.learning_journal().append(&events)?;
        Ok(Collected {
            found,
            added,
            pruned,
            left_out,
            events,
        })
    }

    /// Removes what the configuration does not keep; returns how many entries
    /// that were.
    ///
    /// # Errors
    /// When one cannot be removed.
    fn prune(&self, store: &mut FeedbackStore) -> Result<usize, EngineError> {
        let entries = store.entries();
        let known = entries.iter().map(|entry| (&entry.agent, entry.timestamp));
        let retention = self.config.feedback_collection.retention;
        let places = expired(known, retention, self.now);
        let old = places.iter().map(|place| entries[*place].id.clone());
        let old: HashSet<Id> = old.collect();
        Ok(store.remove(&old)?)
    }

    /// The entries that the sources of the configuration accept.
    fn accepted(
        &self,
        drafts: Vec<Draft>,
        request: Request,
        redactor: &Redactor,
    ) -> Vec<FeedbackEntry> {
        let redact =
            |text: &str| String::from_utf8_lossy(&redactor.redact(text.as_bytes())).into_owned();
        let collection = &self.config.feedback_collection;
        let accepted = drafts.into_iter().filter(|draft| {
            let severity = draft.severity.unwrap_or_default();
            match request {
                Request::User => collection.accepts(draft.feedback_type, severity),
                Request::Run => collection.auto_collects(draft.feedback_type, severity),
            }
        });
        accepted.map(|draft| draft.entry(&redact, &id_of)).collect()
    }

    /// The new entries that would not be pruned at once, and the number of the others.
    fn kept(
        &self,
        entries: Vec<FeedbackEntry>,
        store: &FeedbackStore,
    ) -> (Vec<FeedbackEntry>, usize) {
        let known = store.entries().iter();
        let known = known.map(|entry| (&entry.agent, entry.timestamp));
        let before = store.entries().len();
        let ids: BTreeSet<&str> = store
            .entries()
            .iter()
            .map(|entry| entry.id.as_str())
            .collect();
        let new: Vec<_> = entries
            .into_iter()
            .filter(|entry| !ids.contains(entry.id.as_str()))
            .collect();
        let all = known.chain(new.iter().map(|entry| (&entry.agent, entry.timestamp)));
        let retention = self.config.feedback_collection.retention;
        let gone: BTreeSet<usize> = expired(all, retention, self.now).into_iter().collect();
        let is_kept = |place: usize| !gone.contains(&(before + place));
        let count = new.len();
        let new = new.into_iter().enumerate();
        let kept: Vec<_> = new
            .filter(|(place, _)| is_kept(*place))
            .map(|(_, entry)| entry)
            .collect();
        let left_out = count - kept.len();
        (kept, left_out)
    }
}

/// Returns the feedback of a run: of its reviewers, tasks and users.
pub fn drafts_of_run(events: &[Envelope], settings: &RunSettings) -> Vec<Draft> {
    let criteria = settings.config.review.criteria.iter();
    let minimums: BTreeMap<String, Score> = criteria
        .map(|criterion| (criterion.name.to_string(), criterion.min_score))
        .collect();
    RunFeedback::of(events, &minimums)
}

/// The id that belongs to a key.
pub(super) fn id_of(key: &str) -> Id {
    let hash = hash_bytes(key.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    Id::of_bytes(bytes)
}

/// The corrections of a root.
#[derive(Debug, Default)]
pub struct RootCorrections {
    /// The corrections, as feedback.
    pub drafts: Vec<Draft>,
    /// The number of lines that hold none.
    pub bad: usize,
}

impl RootCorrections {
    /// Reads those of the folder `root`; none without the file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn of(root: &Path) -> io::Result<Self> {
        let Some(input) = Root::open(root)?.open_file(CORRECTIONS_FILE)? else {
            return Ok(Self::default());
        };
        let mut drafts = Vec::new();
        let mut validation = Validation::new(Mode::Import);
        validation.each(BufReader::new(input), |_, correction| {
            drafts.push(Draft::of_correction(&correction));
        })?;
        let bad = validation.count() - validation.valid();
        Ok(Self {
            drafts,
            bad: usize::try_from(bad).unwrap_or(usize::MAX),
        })
    }
}

impl Learner<'_> {
    /// Removes the entry of a correction from the store, if it was collected.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn forget(&self, correction: &Correction) -> Result<bool, EngineError> {
        let id = id_of(&Draft::of_correction(correction).key);
        let mut store = self.feedback()?;
        let removed = store.remove(&HashSet::from([id]))?;
        Ok(removed > 0)
    }
}
