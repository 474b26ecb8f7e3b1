//! What the gate found, a row each: all formats that list it are made of these.

use super::change::ChangeLevel;
use super::report::{Claim, ClaimStatus, GateReport};

/// A claim, a fault of a unit, or a difference from a base.
#[derive(Clone, Debug)]
pub(crate) struct Row<'r> {
    /// The spec that it belongs to, or the comparison.
    pub(crate) of: String,
    /// What it is.
    pub(crate) name: String,
    /// The word for its state.
    pub(crate) state: &'static str,
    /// What the state means.
    pub(crate) kind: RowKind,
    /// Tests that ran, where they were counted.
    pub(crate) tests_run: Option<u64>,
    /// How long it took, in seconds.
    pub(crate) seconds: f64,
    /// Why it is so, in words; empty where nothing is to be said.
    pub(crate) remark: String,
    /// The end of what was printed, where it does not hold.
    pub(crate) output: &'r str,
}

/// What the state of a row means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowKind {
    /// It holds.
    Good,
    /// It is worth a look.
    Warning,
    /// It does not hold.
    Failure,
    /// It could not be found out.
    Unknown,
    /// It waits for another one.
    Skipped,
}

impl RowKind {
    /// Whether it fails the gate.
    pub(crate) const fn fails(self) -> bool {
        !matches!(self, Self::Good | Self::Warning)
    }
}

impl GateReport {
    /// The rows, by spec and then by comparison.
    pub(crate) fn rows(&self) -> Vec<Row<'_>> {
        let mut rows = Vec::new();
        for spec in &self.specs {
            let of = spec.seen(&spec.spec);
            rows.extend(spec.faults.iter().map(|fault| Row {
                remark: spec.seen(fault),
                ..row(&of, "unit", "fault", RowKind::Failure)
            }));
            let claims = std::iter::once(&spec.review).chain(&spec.tasks);
            rows.extend(claims.map(|claim| of_claim(&of, claim)));
        }
        for compared in &self.compared {
            let of = compared.heading();
            rows.extend(compared.changes.iter().map(|change| {
                let kind = match change.level {
                    _ if change.allowed => RowKind::Good,
                    ChangeLevel::Error => RowKind::Failure,
                    ChangeLevel::Warning => RowKind::Warning,
                };
                Row {
                    remark: change.sentence(),
                    ..row(&of, &compared.place(change), change.level.as_str(), kind)
                }
            }));
            if compared.changes.is_empty() {
                rows.push(row(&of, "what decides", "same", RowKind::Good));
            }
        }
        rows
    }
}

fn row<'r>(of: &str, name: &str, state: &'static str, kind: RowKind) -> Row<'r> {
    Row {
        of: of.to_owned(),
        name: name.to_owned(),
        state,
        kind,
        tests_run: None,
        seconds: 0.0,
        remark: String::new(),
        output: "",
    }
}

fn of_claim<'r>(of: &str, claim: &'r Claim) -> Row<'r> {
    let kind = match claim.status {
        ClaimStatus::Recorded | ClaimStatus::Passed => RowKind::Good,
        ClaimStatus::Failed | ClaimStatus::Unclaimed => RowKind::Failure,
        ClaimStatus::Skipped => RowKind::Skipped,
        ClaimStatus::Unproven | ClaimStatus::NoVerdict => RowKind::Unknown,
    };
    Row {
        tests_run: claim.tests_run,
        seconds: claim.seconds,
        remark: claim.remark(),
        output: if kind.fails() { &claim.output } else { "" },
        ..row(of, &claim.name, claim.status.as_str(), kind)
    }
}
