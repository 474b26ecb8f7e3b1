//! The checks that reviewers name as proof, and the findings that they confirm.

use std::collections::{BTreeMap, BTreeSet};

use review_types::{
    Confirmation, FeedbackItem, Finding, FindingCheck, FindingEvidence, FindingId, FindingPlace,
    FindingStatus, NamedCheck,
};
use serde::{Deserialize, Serialize};

use super::Ledger;
use super::history;
use super::place::{again, locate};
use super::quotes::Quotes;
use super::sections::FileSections;
use crate::check::{NamedOutcome, RuleReport};

/// The results of the checks of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CheckResults {
    /// Of items, by their position in the review.
    pub(crate) items: BTreeMap<usize, FindingCheck>,
    /// Of findings that a check had confirmed before the round.
    pub(crate) findings: BTreeMap<FindingId, FindingCheck>,
}

impl CheckResults {
    /// Returns whether the check of an item confirms it.
    pub(super) fn confirms(&self, position: usize) -> bool {
        self.items
            .get(&position)
            .is_some_and(FindingCheck::confirms)
    }
}

impl Ledger {
    /// Returns the findings that a check has confirmed and that are neither fixed nor
    /// waived: they are open until that check passes.
    pub(crate) fn confirmed(&self) -> impl Iterator<Item = (&Finding, &NamedCheck)> {
        let findings = self.findings.iter();
        findings.filter_map(|finding| {
            let check = finding.confirmed_by()?;
            let is_over = matches!(finding.status, FindingStatus::Fixed | FindingStatus::Waived);
            (!is_over).then_some((finding, &check.named))
        })
    }
}

/// Returns the place of each item in the artifact.
pub(crate) fn places(items: &[FeedbackItem], files: &[FileSections]) -> Vec<FindingPlace> {
    let quotes = Quotes::new(files, items.iter());
    let place = |item: &FeedbackItem| {
        quotes
            .look(item, locate(item.section(), files))
            .located
            .place
    };
    items.iter().map(place).collect()
}

/// Returns the current place of a finding.
pub(crate) fn place_now(finding: &Finding, files: &[FileSections]) -> Option<FindingPlace> {
    again(&finding.place, files)
}

/// Returns what the outcome of a check says of a finding at a place.
pub(crate) fn result(
    named: &NamedCheck,
    outcome: &NamedOutcome,
    place: Option<&FindingPlace>,
    files: &[FileSections],
) -> FindingCheck {
    let (result, warns, message) = match outcome {
        NamedOutcome::Reports(reports) => {
            let mut there = reports
                .iter()
                .filter(|report| place.is_some_and(|place| is_at(report, place, files)));
            let first = there.clone().find(|report| !report.warns).or(there.next());
            match first {
                Some(report) => (
                    Confirmation::Confirmed,
                    report.warns,
                    format!("{}:{}: {}", report.path, report.lines.first, report.message),
                ),
                None => (
                    Confirmation::NotConfirmed,
                    false,
                    format!("{named} reports nothing there"),
                ),
            }
        }
        NamedOutcome::Fails(message) => (Confirmation::Confirmed, false, message.clone()),
        NamedOutcome::Passes => (Confirmation::NotConfirmed, false, format!("{named} passes")),
        NamedOutcome::NotRun(why) => (Confirmation::NotRun, false, why.clone()),
        NamedOutcome::Cut(limit) => (
            Confirmation::NotRun,
            false,
            format!("the run's limit of {limit} is used up"),
        ),
    };
    FindingCheck {
        named: named.clone(),
        result,
        warns,
        message,
    }
}

/// Returns whether a rule reports in the section of a place, or at its lines where it is in
/// no section.
fn is_at(report: &RuleReport, place: &FindingPlace, files: &[FileSections]) -> bool {
    if place.path.as_ref() != Some(&report.path) {
        return false;
    }
    if place.headings.is_empty() {
        let (of, at) = (report.lines, place.lines);
        return at.is_none_or(|at| of.first <= at.last && at.first <= of.last);
    }
    let mut files = files.iter().filter(|file| file.path == report.path);
    let reported = files.find_map(|file| file.at_lines(report.lines));
    reported.is_some_and(|reported| reported.headings.starts_with(&place.headings))
}

/// Returns the items for findings that a check still confirms and that no item of the
/// review raises, with that check.
pub(crate) fn unraised(
    ledger: &Ledger,
    raised: &[Option<FindingId>],
    results: &CheckResults,
) -> Vec<(FeedbackItem, FindingCheck)> {
    let raised: BTreeSet<_> = raised.iter().flatten().collect();
    let confirmed = results
        .findings
        .iter()
        .filter(|(id, check)| check.confirms() && !raised.contains(id));
    let again = confirmed.filter_map(|(id, check)| {
        let mut findings = ledger.findings.iter();
        let finding = findings.find(|finding| finding.id == *id)?;
        let item = FeedbackItem::new(&*finding.section, &*finding.issue, &*finding.suggestion);
        let item = item.ok()?.with_severity(finding.severity);
        let item = item.with_quote(finding.quote.clone());
        Some((item.with_check(check.named.clone()), check.clone()))
    });
    again.collect()
}

/// Takes the results of checks on known findings into them: without its check a finding is
/// no longer proved, unless a user upheld it.
pub(super) fn recheck(findings: &mut [Finding], results: &CheckResults) {
    for finding in findings {
        let Some(check) = results.findings.get(&finding.id) else {
            continue;
        };
        finding.check = Some(check.clone());
        match check.confirms() {
            true => finding.evidence = FindingEvidence::Proved,
            false => unprove(finding),
        }
    }
}

/// Drops the result of a check that was not run in this round.
pub(super) fn forget(finding: &mut Finding, results: &CheckResults) {
    if finding.confirmed_by().is_some() && !results.findings.contains_key(&finding.id) {
        finding.check = None;
        unprove(finding);
    }
}

/// Makes a finding one that no check proves; a user may have upheld it.
fn unprove(finding: &mut Finding) {
    if !history::is_upheld(finding) {
        finding.evidence = match finding.quote {
            Some(_) => FindingEvidence::Quoted,
            None => FindingEvidence::Unquoted,
        };
    }
}

/// Returns the result of the check of a finding that was confirmed before: where it cannot
/// be run it does not pass either, so that the finding stays as it is.
pub(crate) fn again_result(before: Option<&FindingCheck>, now: FindingCheck) -> FindingCheck {
    match (now.result, before) {
        (Confirmation::NotRun, Some(before)) => FindingCheck {
            message: format!("it could not be run again: {}", now.message),
            ..before.clone()
        },
        _ => now,
    }
}

/// Closes the findings whose check passes and that the round does not raise.
pub(super) fn close(
    findings: &mut [Finding],
    raised: &BTreeSet<usize>,
    iteration: u32,
    results: &CheckResults,
) {
    for (at, finding) in findings.iter_mut().enumerate() {
        let check = results.findings.get(&finding.id);
        let passed = check.filter(|check| check.result == Confirmation::NotConfirmed);
        if let Some(check) = passed.filter(|_| !raised.contains(&at)) {
            history::check_passed(finding, iteration, &check.message);
        }
    }
}
