//! Joins the items of a round with the findings of the rounds before.

use std::collections::{BTreeSet, HashMap};

use review_text::{Fingerprint, Leaders, Lexicon, stems};
use review_types::actionable::Severity;
use review_types::afp::{DecisionStatus, FeedbackId};
use review_types::{
    Finding, FindingChange, FindingId, FindingPlace, FindingStatus, ReviewFeedback, Verdict,
};

use super::Ledger;
use super::place::{Located, again, locate, overlap, text_at};
use super::sections::FileSections;
use super::standing::{self, Settlement};
use crate::engine::hash_bytes;
use crate::memory::FeedbackMemory;

/// At most so many findings are kept; further items count without a finding.
const MAX_FINDINGS: usize = 2_048;
/// Bytes of a text that a finding keeps.
const MAX_TEXT: usize = 2_048;

/// What an applier answered to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The id under which it was given the item.
    pub(crate) id: FeedbackId,
    /// What it did.
    pub(crate) status: DecisionStatus,
    /// Why, in its words.
    pub(crate) why: Option<String>,
    /// Whether that was concluded from what changed.
    pub(crate) inferred: bool,
}

/// A round that is joined.
pub(crate) struct Joining<'a> {
    /// Its number, from 1.
    pub(crate) iteration: u32,
    /// What its reviewer decided.
    pub(crate) verdict: Verdict,
    /// Whether its reviewer passed the artifact, with no score too low.
    pub(crate) passed: bool,
    /// The items of its review with the ids under which they are given to an
    /// applier.
    pub(crate) items: &'a [(ReviewFeedback, FeedbackId)],
    /// What the applier answered to the items of the round before.
    pub(crate) answers: &'a [Answer],
    /// What persons decided, in order.
    pub(crate) settlements: &'a [Settlement],
    /// The artifact that was reviewed.
    pub(crate) files: &'a [FileSections],
    /// The item that a failing check of the project raises.
    pub(crate) tested: Option<&'a ReviewFeedback>,
    /// How often is too often.
    pub(crate) memory: &'a FeedbackMemory,
}

/// What came of a join.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Raised {
    /// The finding that each item belongs to, in order; `None` where there are
    /// too many.
    pub(crate) findings: Vec<Option<FindingId>>,
    /// The positions of the items that stand against a pass.
    pub(crate) blocking: Vec<usize>,
    /// Findings on which reviewer and applier disagree again and again.
    pub(crate) disputed: Vec<FindingId>,
    /// Findings that come back again and again.
    pub(crate) repeated: Vec<FindingId>,
    /// Who waived all that is raised, each once; none where anything is not
    /// waived.
    pub(crate) waived_by: Vec<String>,
}

/// Joins a round with what is known.
pub(crate) fn join(ledger: Ledger, round: &Joining<'_>) -> (Ledger, Raised) {
    let mut findings = ledger.findings;
    answer(&mut findings, round);
    let mut known = Known::of(&findings);
    let mut came_of = Raised::default();
    let mut at_items = Vec::with_capacity(round.items.len());
    for (item, feedback) in round.items {
        let Located {
            place,
            out_of_scope,
        } = locate(item.section(), round.files);
        let usual = Severity::of(round.verdict);
        let at = known.find_or_add(&mut findings, item, &place, usual);
        at_items.push(at);
        if let Some(finding) = at.map(|at| &mut findings[at]) {
            let place = kept(&finding.place, place, round.files);
            finding.out_of_scope = out_of_scope;
            finding.severity = severity(finding, item, round.iteration);
            let is_tested = round
                .tested
                .is_some_and(|tested| tested.says_the_same(item));
            standing::raised(
                finding,
                round.iteration,
                place,
                is_tested,
                round.memory.window,
            );
            finding.section = shortened(item.section());
            finding.suggestion = shortened(item.suggestion());
            finding.feedback.push(feedback.clone());
        }
    }
    settle(&mut findings, round);
    for (item, at) in at_items.iter().enumerate() {
        let finding = at.map(|at| &findings[at]);
        if finding.is_none_or(Finding::blocks) {
            came_of.blocking.push(item);
        }
        came_of
            .findings
            .push(finding.map(|finding| finding.id.clone()));
    }
    came_of.waived_by = all_waived_by(&at_items, &findings);
    for finding in &mut findings {
        let is_raised = finding.raised.last() == Some(&round.iteration);
        if is_raised && round.memory.is_repeated(&finding.raised, round.iteration) {
            came_of.repeated.push(finding.id.clone());
            if finding.status == FindingStatus::Disputed && !finding.out_of_scope {
                came_of.disputed.push(finding.id.clone());
            }
        }
        if round.passed && !is_raised {
            standing::passed(finding, round.iteration);
        }
    }
    (Ledger { findings }, came_of)
}

/// How much a finding matters that an item raises in a round: as the gravest of
/// the items says that do say it in the round, else as before.
fn severity(finding: &Finding, item: &ReviewFeedback, iteration: u32) -> Severity {
    let is_raised = finding.raised.last() == Some(&iteration);
    match item.severity() {
        Some(said) if is_raised => said.min(finding.severity),
        Some(said) => said,
        None => finding.severity,
    }
}

/// The place of a finding that is raised at `place`: where it was before, if
/// that is still there and one of the two is a part of the other.
fn kept(before: &FindingPlace, place: FindingPlace, files: &[FileSections]) -> FindingPlace {
    if before.headings == place.headings {
        return place;
    }
    again(before, files).unwrap_or(place)
}

/// Who waived all findings that items belong to.
fn all_waived_by(items: &[Option<usize>], findings: &[Finding]) -> Vec<String> {
    let mut people = BTreeSet::new();
    for at in items {
        let finding = at.map(|at| &findings[at]);
        let waived = finding.filter(|finding| finding.status == FindingStatus::Waived);
        let Some(finding) = waived else {
            return Vec::new();
        };
        let by = finding
            .history
            .iter()
            .rev()
            .find_map(|change| change.by.clone());
        people.extend(by);
    }
    people.into_iter().collect()
}

/// Notes what became of the items of the round before.
fn answer(findings: &mut [Finding], round: &Joining<'_>) {
    let answers: HashMap<&FeedbackId, &Answer> = round
        .answers
        .iter()
        .map(|answer| (&answer.id, answer))
        .collect();
    for finding in findings {
        let given = std::mem::take(&mut finding.feedback);
        if let Some(answer) = given.iter().find_map(|id| answers.get(id)) {
            let text = text_at(&finding.place, round.files);
            standing::answered(finding, round.iteration, answer, text);
        }
    }
}

/// Notes what persons decided.
fn settle(findings: &mut [Finding], round: &Joining<'_>) {
    for settlement in round.settlements {
        let mut about = findings.iter_mut();
        if let Some(finding) = about.find(|finding| finding.id == settlement.finding) {
            let text = text_at(&finding.place, round.files);
            standing::settled(finding, round.iteration, settlement, text);
        }
    }
}

/// The findings by what they are about and by id.
struct Known {
    leaders: Leaders,
    ids: HashMap<FindingId, usize>,
}

impl Known {
    fn of(findings: &[Finding]) -> Self {
        let mut known = Self {
            leaders: Leaders::default(),
            ids: HashMap::new(),
        };
        for finding in findings {
            known.add(&finding.id, &fingerprint(&finding.issue));
        }
        known
    }

    fn add(&mut self, id: &FindingId, about: &Fingerprint) {
        let at = self.leaders.push(about);
        self.ids.insert(id.clone(), at);
    }

    /// The position of the finding that an item belongs to, which is added if
    /// it is new and there is room.
    fn find_or_add(
        &mut self,
        findings: &mut Vec<Finding>,
        item: &ReviewFeedback,
        place: &FindingPlace,
        usual: Severity,
    ) -> Option<usize> {
        let about = fingerprint(item.issue());
        let is_there = |at: usize| overlap(&findings[at].place, place);
        if let Some(at) = self.leaders.nearest(&about, is_there) {
            return Some(at);
        }
        let id = id_of(item.issue(), place);
        if let Some(at) = self.ids.get(&id) {
            return Some(*at);
        }
        if findings.len() >= MAX_FINDINGS {
            return None;
        }
        self.add(&id, &about);
        findings.push(Finding {
            id,
            status: FindingStatus::Open,
            out_of_scope: false,
            section: String::new(),
            place: place.clone(),
            issue: shortened(item.issue()),
            suggestion: String::new(),
            severity: item.severity().unwrap_or(usual),
            raised: Vec::new(),
            repeats: 0,
            feedback: Vec::new(),
            history: Vec::<FindingChange>::new(),
        });
        Some(findings.len() - 1)
    }
}

fn fingerprint(issue: &str) -> Fingerprint {
    Fingerprint::of(&shortened(issue), Lexicon::embedded())
}

/// The id of a finding: a hash of where it is and of the stems of its issue, or
/// of the issue itself where it has none.
fn id_of(issue: &str, place: &FindingPlace) -> FindingId {
    let issue = shortened(issue);
    let mut stems = stems(&issue);
    if stems.is_empty() {
        stems.push(issue);
    }
    let path = place.path.as_deref().unwrap_or_default();
    let parts = std::iter::once(path)
        .chain(place.headings.iter().map(String::as_str))
        .chain([""])
        .chain(stems.iter().map(String::as_str));
    let parts: Vec<_> = parts.map(|part| format!("{}:{part}", part.len())).collect();
    FindingId::of(&hash_bytes(parts.concat().as_bytes()))
}

/// As much of a text as a finding keeps.
fn shortened(text: &str) -> String {
    text[..text.floor_char_boundary(MAX_TEXT)].to_owned()
}
