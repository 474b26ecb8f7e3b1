//! The findings of a review whose text was not delivered.

use std::collections::BTreeSet;

use review_types::{FindingEvidence, Severity};

use super::Ledger;
use super::identity::{RaisedItem, find_or_add, shortened};
use super::join::{JoinInput, JoinOutcome, waivers, weigh};
use super::place::locate;
use super::quotes::{Quotes, counted};

/// Adds the new findings of a review that quote the artifact: their reviewer did read
/// that part. What it does not raise, or raises again, changes nothing.
pub(crate) fn add_quoted(ledger: Ledger, round: &JoinInput<'_>) -> (Ledger, JoinOutcome) {
    let mut findings = ledger.findings;
    let known = findings.len();
    let items: Vec<_> = round.items.iter().map(|(_, item)| item).collect();
    let quotes = Quotes::new(round.files, items.iter().copied());
    let looked = items
        .iter()
        .map(|item| quotes.look(item, locate(item.section(), round.files)));
    let looked: Vec<_> = looked.collect();
    let counts = counted(&looked);
    let quoted = items.into_iter().zip(looked);
    let quoted: Vec<_> = quoted
        .filter(|(_, evident)| evident.evidence == FindingEvidence::Quoted)
        .collect();
    let raising: Vec<_> = quoted
        .iter()
        .map(|(item, evident)| RaisedItem {
            item,
            place: &evident.located.place,
        })
        .collect();
    let usual = Severity::of(round.verdict);
    let at_items = find_or_add(&mut findings, &raising, waivers(round), usual);
    let mut added = BTreeSet::new();
    for ((item, evident), at) in quoted.into_iter().zip(at_items) {
        let Some(at) = at.filter(|at| *at >= known && added.insert(*at)) else {
            continue;
        };
        let finding = &mut findings[at];
        finding.out_of_scope = evident.located.out_of_scope;
        finding.evidence = evident.evidence;
        finding.quote = evident.quote;
        finding.section = shortened(item.section());
        finding.suggestion = shortened(item.suggestion());
        finding.raised.push(round.iteration);
    }
    weigh(&mut findings, &added, round, true);
    let outcome = JoinOutcome {
        quotes: counts,
        ..JoinOutcome::default()
    };
    (Ledger { findings }, outcome)
}
