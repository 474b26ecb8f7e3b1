//! Matches the items of a round with the findings of earlier rounds.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use review_types::{
    FeedbackItem, FeedbackItems, Finding, FindingEvidence, FindingId, FindingPlace, FindingStatus,
    Severity, TakenDecision, Verdict,
};
use serde::{Deserialize, Serialize};

use super::Ledger;
use super::history::{self, Evidence, FindingDecision};
use super::identity::{RaisedItem, find_or_add, shortened};
use super::place::{Located, again, locate, text_at};
use super::quotes::Quotes;
use super::sections::FileSections;
use crate::count;
use crate::memory::FeedbackMemory;

/// Maximum number of findings that are named in the result of a round.
const MAX_NAMED: usize = 16;

/// A round to match.
pub(crate) struct ReviewedRound<'a> {
    /// Its number, from 1.
    pub(crate) iteration: u32,
    /// The verdict of its reviewer.
    pub(crate) verdict: Verdict,
    /// Whether its reviewer passed the artifact, with no score below its minimum.
    pub(crate) passed: bool,
    /// Whether its scores are high enough to pass.
    pub(crate) scores_pass: bool,
    /// The lowest severity that asks for a revision.
    pub(crate) fail_level: Severity,
    /// The items of its review, as they are given to an applier.
    pub(crate) items: &'a FeedbackItems,
    /// The applier's decisions on the items of the previous round.
    pub(crate) decisions: &'a [TakenDecision],
    /// The decisions of users, in order.
    pub(crate) user_decisions: &'a [FindingDecision],
    /// The artifact that was reviewed.
    pub(crate) files: &'a [FileSections],
    /// The number of leading items that are facts.
    pub(crate) proved: usize,
    /// Whether a user changed the artifact since the last join.
    pub(crate) rebased: bool,
    /// The threshold for repeated issues.
    pub(crate) memory: &'a FeedbackMemory,
}

/// The findings of a round beside those of earlier rounds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoundFindings {
    /// The positions of the items that block a pass, one for each finding.
    pub blocking: Vec<u32>,
    /// The number of blocking findings that are new and unproved.
    pub unproved: u32,
    /// The number of findings of the round that are below the fail level.
    pub below_fail_level: u32,
    /// Whether the applier rejected or a user waived each item before.
    pub settled: bool,
    /// The number of findings that blocked the previous round and no longer do.
    pub closed: u32,
    /// Findings that a user upheld, that a pass does not raise and whose text is
    /// unchanged, at most 16.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub upheld: Vec<FindingId>,
    /// Findings on which reviewer and applier repeatedly disagree, at most 16.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disputed: Vec<FindingId>,
    /// Findings that are raised repeatedly and that no user waived, at most 16.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repeated: Vec<FindingId>,
    /// The users who waived everything that is raised, each once and at most 16; empty if
    /// anything is not waived.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waived_by: Vec<String>,
}

/// Matches a round with the known findings.
pub(crate) fn match_findings(ledger: Ledger, round: &ReviewedRound<'_>) -> (Ledger, RoundFindings) {
    let mut findings = ledger.findings;
    let known_before = findings.len();
    let blocked_before = blocked_before(&findings, round);
    let in_question = in_question(&findings, round);
    answer(&mut findings, round);
    let items = round.items.iter();
    let quotes = Quotes::new(round.files, items.clone().map(|(_, item)| item));
    let evident = items
        .clone()
        .map(|(_, item)| quotes.look(item, locate(item.section(), round.files)));
    let evident: Vec<_> = evident.collect();
    let mut outcome = RoundFindings::default();
    let raising = items
        .clone()
        .zip(&evident)
        .map(|((id, item), evident)| RaisedItem {
            id,
            item,
            quote: evident.quote.as_deref(),
            place: &evident.located.place,
        });
    let raising: Vec<_> = raising.collect();
    let usual = Severity::of(round.verdict);
    let at_items = find_or_add(&mut findings, &raising, waivers(round), usual);
    let rewordings = reword(&mut findings, known_before, round.iteration);
    let back = reword_back(&mut findings, &at_items, known_before, round.iteration);
    let placed = items.zip(evident).zip(&at_items).enumerate();
    for (position, (((feedback, item), evident), at)) in placed {
        let Some(at) = *at else { continue };
        let Located {
            place,
            out_of_scope,
        } = evident.located;
        let finding = &mut findings[at];
        let place = kept(&finding.place, place, round.files);
        finding.out_of_scope = out_of_scope;
        let before = finding.severity;
        finding.severity = severity(finding, item, usual, round.iteration);
        let is_again = finding.raised.last() == Some(&round.iteration);
        let is_fact = position < round.proved;
        let is_proved = is_fact || finding.is_proved();
        finding.evidence = match (is_proved, is_again) {
            (true, _) => FindingEvidence::Proved,
            (false, true) => finding.evidence.min(evident.evidence),
            (false, false) => evident.evidence,
        };
        finding.quote = evident.quote.or(finding.quote.take());
        let evidence = Evidence {
            is_proved: is_fact,
            is_rebased: in_question.contains(&at),
            is_graver: finding.severity < before,
        };
        history::raised(
            finding,
            round.iteration,
            place,
            evidence,
            round.memory.window,
        );
        finding.section = shortened(item.section());
        finding.suggestion = shortened(item.suggestion());
        finding.feedback.push(feedback.clone());
    }
    settle(&mut findings, round);
    let raised: BTreeSet<usize> = at_items.iter().copied().flatten().collect();
    let is_tracked = at_items.iter().all(Option::is_some);
    mark_below_fail_level(&mut findings, &raised, round, is_tracked);
    let mut counted = BTreeSet::new();
    for (item, at) in at_items.iter().enumerate() {
        let finding = at.map(|at| &findings[at]);
        let is_first = at.is_none_or(|at| counted.insert(at));
        if is_first && finding.is_none_or(Finding::blocks) {
            outcome.blocking.push(count(item));
            let is_new = at.is_none_or(|at| at >= known_before && !rewordings.contains_key(&at));
            let is_proved = finding.is_some_and(Finding::is_proved);
            outcome.unproved += u32::from(is_new && !is_proved);
        }
    }
    let is_below = |finding: &Finding| finding.is_for_appliers() && finding.below_fail_level;
    let below = raised.iter().filter(|at| is_below(&findings[**at]));
    outcome.below_fail_level = count(below.count());
    let is_settled = |at: &Option<usize>| at.is_some_and(|at| !findings[at].status.blocks());
    outcome.settled = at_items.iter().all(is_settled);
    let still_blocks = |at: &usize| raised.contains(at) && findings[*at].blocks();
    let reworded: HashMap<_, _> = rewordings
        .iter()
        .map(|(new, earlier)| (earlier.at, *new))
        .chain(back)
        .collect();
    let closed = blocked_before.iter().filter(|at| {
        let is_again = reworded.get(at).is_some_and(&still_blocks);
        !still_blocks(at) && !is_again
    });
    outcome.closed = count(closed.count());
    outcome.waived_by = all_waived_by(&at_items, &findings);
    for (at, finding) in findings.iter_mut().enumerate() {
        let is_raised = raised.contains(&at);
        if is_raised && round.memory.is_repeated(&finding.raised, round.iteration) {
            if finding.status != FindingStatus::Waived {
                outcome.repeated.push(finding.id.clone());
            }
            let rejected_before = rewordings
                .get(&at)
                .is_some_and(|earlier| earlier.was_rejected);
            let is_disputed = finding.status == FindingStatus::Disputed || rejected_before;
            if is_disputed && !finding.out_of_scope {
                outcome.disputed.push(finding.id.clone());
            }
        }
        if round.passed && !is_raised && is_still_upheld(finding, round) {
            outcome.upheld.push(finding.id.clone());
        } else if round.passed && !is_raised {
            history::passed(finding, round.iteration);
        } else if in_question.contains(&at) && !is_raised {
            history::answered_by_user(finding, round.iteration);
        }
    }
    let ids = [
        &mut outcome.upheld,
        &mut outcome.disputed,
        &mut outcome.repeated,
    ];
    for ids in ids {
        ids.truncate(MAX_NAMED);
    }
    outcome.waived_by.truncate(MAX_NAMED);
    (Ledger { findings }, outcome)
}

/// The finding that a new one resembles.
struct Earlier {
    at: usize,
    /// Whether the applier had rejected it.
    was_rejected: bool,
}

/// Marks the findings that the new ones, from `known_before` on, are raised in place of, and
/// returns them by the positions of the new ones.
fn reword(
    findings: &mut [Finding],
    known_before: usize,
    iteration: u32,
) -> BTreeMap<usize, Earlier> {
    let (known, new) = findings.split_at_mut(known_before);
    let by_id = known.iter().enumerate();
    let by_id: HashMap<_, _> = by_id.map(|(at, one)| (one.id.clone(), at)).collect();
    let similar = new.iter().enumerate().filter_map(|(at, finding)| {
        let earlier = *by_id.get(finding.similar_to.as_ref()?)?;
        Some((known_before + at, earlier, finding.id.clone()))
    });
    let similar: Vec<_> = similar.collect();
    let rewordings = similar.into_iter().map(|(at, earlier, id)| {
        let finding = &mut known[earlier];
        let was_rejected = matches!(
            finding.status,
            FindingStatus::Rejected | FindingStatus::Disputed
        );
        history::reworded(finding, iteration, &id);
        let earlier = Earlier {
            at: earlier,
            was_rejected,
        };
        (at, earlier)
    });
    rewordings.collect()
}

/// Gives the known findings that are raised again the rounds of those that they resemble,
/// or that resemble them, marks these, and returns them with what they are raised as.
fn reword_back(
    findings: &mut [Finding],
    at_items: &[Option<usize>],
    known_before: usize,
    iteration: u32,
) -> Vec<(usize, usize)> {
    let raised: BTreeSet<usize> = at_items.iter().copied().flatten().collect();
    if findings.iter().all(|finding| finding.similar_to.is_none()) {
        return Vec::new();
    }
    let firsts = first_of_each(findings);
    let mut reworded = Vec::new();
    let is_back =
        |at: &&usize| **at < known_before && findings[**at].status != FindingStatus::Waived;
    let back: Vec<usize> = raised.iter().filter(is_back).copied().collect();
    for at in back {
        let id = findings[at].id.clone();
        let mut rounds: BTreeSet<u32> = findings[at].raised.iter().copied().collect();
        for (other, finding) in findings.iter_mut().enumerate() {
            let is_other = other != at && firsts[other] == firsts[at];
            if is_other && !raised.contains(&other) {
                rounds.extend(&finding.raised);
                history::reworded(finding, iteration, &id);
                reworded.push((other, at));
            }
        }
        findings[at].raised = rounds.into_iter().collect();
    }
    reworded
}

/// Returns the position of the first finding that each resembles, over all that are between.
fn first_of_each(findings: &[Finding]) -> Vec<usize> {
    let mut by_id: HashMap<&FindingId, usize> = HashMap::new();
    let mut firsts: Vec<usize> = Vec::with_capacity(findings.len());
    for (at, finding) in findings.iter().enumerate() {
        // One resembles only an earlier one.
        let earlier = finding.similar_to.as_ref().and_then(|id| by_id.get(id));
        firsts.push(earlier.map_or(at, |earlier| firsts[*earlier]));
        by_id.insert(&finding.id, at);
    }
    firsts
}

/// Returns whether a user upheld a finding that counts and its content is unchanged since.
fn is_still_upheld(finding: &Finding, round: &ReviewedRound<'_>) -> bool {
    let is_same = || text_at(&finding.place, round.files) == finding.place.text;
    finding.counts() && history::is_upheld(finding) && is_same()
}

/// Returns the positions of the findings that blocked the previous round.
fn blocked_before(findings: &[Finding], round: &ReviewedRound<'_>) -> Vec<usize> {
    let before = round.iteration.checked_sub(1);
    let blocked = |finding: &Finding| finding.raised.last().copied() == before && finding.blocks();
    let all = findings.iter().enumerate();
    all.filter(|(_, finding)| blocked(finding))
        .map(|(at, _)| at)
        .collect()
}

/// Returns the positions of the findings at whose place a user changed the content:
/// whether they still apply is open.
fn in_question(findings: &[Finding], round: &ReviewedRound<'_>) -> BTreeSet<usize> {
    if !round.rebased {
        return BTreeSet::new();
    }
    let is_changed = |finding: &Finding| text_at(&finding.place, round.files) != finding.place.text;
    let all = findings.iter().enumerate();
    all.filter(|(_, finding)| finding.status.counts() && is_changed(finding))
        .map(|(at, _)| at)
        .collect()
}

/// Marks which findings of the round are below the fail level. In a revision whose
/// scores are too low to pass and that has no item at the fail level, none is: the
/// findings are the reason for the missing points.
fn mark_below_fail_level(
    findings: &mut [Finding],
    raised: &BTreeSet<usize>,
    round: &ReviewedRound<'_>,
    is_tracked: bool,
) {
    for at in raised {
        let finding = &mut findings[*at];
        if finding.is_proved() {
            let least = round.fail_level.min(Severity::Major);
            finding.severity = finding.severity.min(least);
        }
    }
    let is_grave =
        |finding: &Finding| finding.is_for_appliers() && finding.severity <= round.fail_level;
    let is_by_scores = round.verdict == Verdict::NeedsRevision
        && !round.scores_pass
        && is_tracked
        && !raised.iter().any(|at| is_grave(&findings[*at]));
    for at in raised {
        let finding = &mut findings[*at];
        finding.below_fail_level = !is_by_scores && finding.severity > round.fail_level;
    }
}

/// Returns the severity of a finding that an item raises in a round: the highest of
/// its items in the round. An item without one counts as `usual`, or as the
/// finding's previous severity if that is higher.
fn severity(finding: &Finding, item: &FeedbackItem, usual: Severity, iteration: u32) -> Severity {
    let is_raised = finding.raised.last() == Some(&iteration);
    match item.severity() {
        Some(said) if is_raised => said.min(finding.severity),
        Some(said) => said,
        None => usual.min(finding.severity),
    }
}

/// Returns the place of a finding that is raised at `place`: its previous place, if
/// that still exists and one of the two contains the other.
fn kept(before: &FindingPlace, place: FindingPlace, files: &[FileSections]) -> FindingPlace {
    if before.headings == place.headings {
        return place;
    }
    again(before, files).unwrap_or(place)
}

/// Returns the users who waived all findings that items belong to.
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

/// Records the outcome of the items of the previous round.
fn answer(findings: &mut [Finding], round: &ReviewedRound<'_>) {
    let decisions = round.decisions.iter();
    let decisions: HashMap<_, _> = decisions
        .map(|taken| (taken.decision.id(), taken))
        .collect();
    for finding in findings {
        let given = std::mem::take(&mut finding.feedback);
        if let Some(taken) = given.iter().find_map(|id| decisions.get(id)) {
            let text = text_at(&finding.place, round.files);
            history::answered(finding, round.iteration, taken, text);
        }
    }
}

/// Returns a function that says whether a waiver applies to a finding in a round.
fn waivers<'r>(round: &'r ReviewedRound<'_>) -> impl Fn(&Finding) -> bool + 'r {
    let user_decisions = round.user_decisions.iter();
    let last: HashMap<_, _> = user_decisions
        .map(|decision| (&decision.finding, decision))
        .collect();
    move |finding| {
        let is_text = |text| text == text_at(&finding.place, round.files);
        match last.get(&finding.id) {
            Some(said) if said.counts => false,
            Some(said) => said.text.is_none() || is_text(said.text),
            None => finding.status == FindingStatus::Waived && is_text(finding.place.text),
        }
    }
}

/// Records the decisions of users.
fn settle(findings: &mut [Finding], round: &ReviewedRound<'_>) {
    for decision in round.user_decisions {
        let mut about = findings.iter_mut();
        if let Some(finding) = about.find(|finding| finding.id == decision.finding) {
            let text = text_at(&finding.place, round.files);
            history::settled(finding, round.iteration, decision, text);
        }
    }
}
