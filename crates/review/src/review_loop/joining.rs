//! Carries out the join of a round with the findings before.

use review_types::Manifest;
use review_types::afp::Decisions;

use super::notice::{items_of, load_json, load_review};
use super::op::{BaseState, Joined, PastReview, ReviewOut};
use crate::artifact::Artifact;
use crate::engine::{MissingText, Texts};
use crate::feedback::Besides;
use crate::ledger::{Answer, FileSections, Joining, Ledger, join};
use crate::people::{Said, settlements};
use review_types::Hash;

/// A machine is told of at most so many findings.
const MAX_NAMED: usize = 16;

/// A round and what it is joined with.
pub(super) struct ToJoin {
    pub(super) round: PastReview,
    pub(super) passed: bool,
    pub(super) before: Option<PastReview>,
    pub(super) ledger: Option<Hash>,
    pub(super) base: BaseState,
    pub(super) people: Option<Hash>,
    pub(super) noted: u32,
}

impl ToJoin {
    /// Joins the round; the ledger becomes a text.
    pub(super) fn join(
        &self,
        artifact: Option<&dyn Artifact>,
        texts: &Texts,
    ) -> Result<ReviewOut, MissingText> {
        let review = load_review(texts, &self.round.review)?;
        let areas = items_of(texts, &self.round, &Besides::default())?;
        let ids = areas.as_slice().iter().map(|area| area.id().clone());
        let items: Vec<_> = review.feedback().iter().cloned().zip(ids).collect();
        let said: Vec<Said> = load_said(self.people, texts)?;
        let ledger = self.ledger.map(|hash| load_json(texts, &hash));
        let (ledger, came_of) = join(
            ledger.transpose()?.unwrap_or_default(),
            &Joining {
                iteration: self.round.iteration,
                passed: self.passed,
                items: &items,
                answers: &self.answers(texts)?,
                settlements: &settlements(&said, self.noted as usize),
                files: &self.files(artifact, texts)?,
            },
        );
        let counting = ledger.counting();
        Ok(ReviewOut::Joined(Joined {
            ledger: put(texts, &ledger, self.round.review)?,
            counting: count(counting),
            blocking: count(came_of.blocking.len()),
            disputed: first(came_of.disputed),
            repeated: first(came_of.repeated),
            waived_by: first(came_of.waived_by),
        }))
    }

    /// What was decided on the items of the round before.
    fn answers(&self, texts: &Texts) -> Result<Vec<Answer>, MissingText> {
        let decisions = self.before.as_ref().and_then(|before| before.decisions);
        let decisions = decisions.map(|hash| load_json::<Decisions>(texts, &hash));
        let decisions = decisions.transpose()?.unwrap_or_default();
        let answers = decisions.as_slice().iter().map(|taken| {
            let decision = &taken.decision;
            let code = decision.reason_code().map(|code| code.as_str());
            Answer {
                id: decision.id().clone(),
                status: decision.status(),
                why: decision.explanation().or(code).map(str::to_owned),
                inferred: taken.inferred,
            }
        });
        Ok(answers.collect())
    }

    /// The files that were reviewed, with their sections.
    fn files(
        &self,
        artifact: Option<&dyn Artifact>,
        texts: &Texts,
    ) -> Result<Vec<FileSections>, MissingText> {
        let manifest: Manifest = load_json(texts, &self.base.manifest)?;
        let files = manifest.files().iter().map(|file| {
            let text = texts.get(&file.hash)?;
            let sections = artifact.map(|artifact| artifact.sections(&file.path, &text));
            let sections = sections.unwrap_or_default().into_iter();
            let sections = sections.map(|section| (section.headings, section.span));
            Ok(FileSections::new(&file.path, &text, sections))
        });
        files.collect()
    }
}

fn put(texts: &Texts, ledger: &Ledger, about: Hash) -> Result<Hash, MissingText> {
    let json = serde_json::to_vec(ledger).map_err(|error| MissingText::Damaged {
        hash: about,
        message: error.to_string(),
    })?;
    Ok(texts.put(json))
}

fn first<T>(mut named: Vec<T>) -> Vec<T> {
    named.truncate(MAX_NAMED);
    named
}

/// What persons said, from its hash.
pub(super) fn load_said(people: Option<Hash>, texts: &Texts) -> Result<Vec<Said>, MissingText> {
    let said = people.map(|hash| load_json(texts, &hash));
    Ok(said.transpose()?.unwrap_or_default())
}

fn count(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}
