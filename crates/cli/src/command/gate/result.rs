//! What the gate found, as a value and for people.

use std::fmt::Write as _;
use std::path::PathBuf;

use review_events::MustPass;
use review_types::{ExitCode, Outcome, RunId, TaskNumber, plural};
use serde::Serialize;

use crate::output::style::{ERROR, FAINT, GOOD, HINT, RESET, STRONG};
use crate::output::{Version, printable};
use crate::report::listed_tests;

/// What the gate found. This is the object that `--format json` prints.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Gate"))]
pub(crate) struct GateReport {
    /// Version of the format.
    v: Version,
    /// What the gate comes to: the worst of its specs.
    pub(super) outcome: Outcome,
    /// The exit code of the process.
    exit: u8,
    /// The specs in order.
    pub(super) specs: Vec<SpecGate>,
    /// Commands to run next; empty when the gate passes.
    next: Vec<String>,
}

/// One spec.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct SpecGate {
    /// The root that its paths are relative to.
    #[serde(skip)]
    pub(super) root: PathBuf,
    /// The spec, relative to the root.
    pub(super) spec: String,
    /// Its unit, if it has one.
    pub(super) unit: Option<String>,
    /// What it comes to.
    pub(super) outcome: Outcome,
    /// The review of the spec.
    pub(super) review: Claim,
    /// The tasks that claim to be complete, by number.
    pub(super) tasks: Vec<Claim>,
    /// What is wrong with the unit, so that none of its tasks can be trusted.
    pub(super) faults: Vec<String>,
    /// The run that the gate started, if it had to.
    pub(super) run: Option<RunId>,
}

/// Something that is claimed, and what becomes of the claim.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Claim {
    /// What is claimed, in words.
    pub(super) name: String,
    /// Number of the task; `null` for the review.
    pub(super) id: Option<TaskNumber>,
    /// What becomes of it.
    pub(super) status: ClaimStatus,
    /// Tests that ran; `null` when nothing ran or no known runner counted any.
    pub(super) tests_run: Option<u64>,
    /// What became of the tests that the task lists; `null` when it lists none
    /// or nothing passed.
    pub(super) must_pass: Option<MustPass>,
    /// How long it took, in seconds.
    pub(super) seconds: f64,
    /// Why it does not hold, in words; empty when it does.
    pub(super) reason: String,
    /// The file that makes the claim, relative to the root.
    pub(super) path: Option<String>,
    /// The end of what its command printed.
    #[serde(skip)]
    pub(super) output: String,
}

/// What becomes of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(super) enum ClaimStatus {
    /// A record proves it.
    Recorded,
    /// It was run or reviewed now, and passed.
    Passed,
    /// It does not hold.
    Failed,
    /// It was not run: something that the task depends on did not pass.
    Skipped,
    /// Nothing proves it, and nothing may be run.
    Unproven,
    /// It could not be found out.
    NoVerdict,
}

impl ClaimStatus {
    /// The word used in JSON and in reports.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Unproven => "unproven",
            Self::NoVerdict => "no_verdict",
        }
    }

    const fn outcome(self) -> Outcome {
        match self {
            Self::Recorded | Self::Passed => Outcome::Passed,
            Self::Failed | Self::Skipped => Outcome::NotPassed,
            Self::Unproven | Self::NoVerdict => Outcome::NoVerdict,
        }
    }
}

impl Claim {
    /// Whether it holds.
    pub(super) fn holds(&self) -> bool {
        self.status.outcome() == Outcome::Passed
    }

    /// What is to be said of the listed tests of a task.
    pub(super) fn note(&self) -> Option<String> {
        self.must_pass.as_ref().and_then(listed_tests)
    }
}

impl SpecGate {
    /// Sets what the spec comes to by its claims. What fails for certain
    /// counts more than what could not be found out.
    pub(super) fn conclude(&mut self) {
        let outcomes = || {
            self.tasks
                .iter()
                .chain([&self.review])
                .map(|claim| claim.status.outcome())
        };
        self.outcome = if !self.faults.is_empty() || outcomes().any(|o| o == Outcome::NotPassed) {
            Outcome::NotPassed
        } else if outcomes().any(|o| o == Outcome::NoVerdict) {
            Outcome::NoVerdict
        } else {
            Outcome::Passed
        };
    }

    /// Holds the spec to what a run became, where an approval counts or not.
    pub(super) fn hold_to(&mut self, run: &RunId, outcome: Option<Outcome>, allow_approved: bool) {
        self.run = Some(run.clone());
        let outcome = outcome.unwrap_or(Outcome::NoVerdict);
        match outcome {
            Outcome::Passed => {}
            // What is on record of it is judged already.
            Outcome::Approved if allow_approved => {}
            Outcome::Approved => {
                self.outcome = Outcome::NotPassed;
                self.review.status = ClaimStatus::Failed;
                self.review.reason = format!(
                    "run {run} ended as approved, which {}",
                    super::check::COUNTS
                );
            }
            outcome => {
                self.outcome = outcome;
                self.review.status = ClaimStatus::Failed;
                self.review.reason = format!("run {run} ended as {outcome}");
            }
        }
    }
}

impl GateReport {
    /// The report of a gate that has checked nothing yet.
    pub(super) fn new() -> Self {
        let mut report = Self {
            v: Version,
            outcome: Outcome::Nothing,
            exit: super::NOTHING.get(),
            specs: Vec::new(),
            next: Vec::new(),
        };
        report.next.push("ralph init".to_owned());
        report
    }

    /// Adds a spec that was checked; `next` is to be run if it does not pass.
    pub(super) fn push(&mut self, spec: SpecGate, next: String) {
        if self.specs.is_empty() || spec.outcome.exit_code() > self.outcome.exit_code() {
            self.outcome = spec.outcome;
            self.exit = spec.outcome.exit_code().get();
        }
        if self.specs.is_empty() {
            self.next.clear();
        }
        if spec.outcome != Outcome::Passed {
            self.next.push(next);
        }
        self.specs.push(spec);
    }

    /// The exit code of the process.
    pub(super) fn exit_code(&self) -> ExitCode {
        self.outcome.exit_code()
    }

    /// The claims that do not hold, with their spec.
    pub(super) fn open_claims(&self) -> impl Iterator<Item = (&SpecGate, &Claim)> {
        self.specs.iter().flat_map(|spec| {
            let claims = spec.tasks.iter().chain([&spec.review]);
            claims
                .filter(|claim| !claim.holds())
                .map(move |claim| (spec, claim))
        })
    }
}

/// The report for people.
pub(super) fn human(report: &GateReport) -> String {
    let mut text = String::new();
    for spec in &report.specs {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{STRONG}{}{RESET}", printable(&spec.spec));
        for fault in &spec.faults {
            let _ = writeln!(text, "  {ERROR}fault{RESET}  {}", printable(fault));
        }
        for claim in std::iter::once(&spec.review).chain(&spec.tasks) {
            text.push_str(&human_claim(claim));
        }
    }
    let style = if report.outcome == Outcome::Passed {
        GOOD
    } else {
        ERROR
    };
    let claims: usize = report.specs.iter().map(|spec| spec.tasks.len() + 1).sum();
    let _ = writeln!(
        text,
        "\n{style}{}{RESET} {FAINT}{} in {}, {} open{RESET}",
        report.outcome,
        plural(claims, "claim", "claims"),
        plural(report.specs.len(), "spec", "specs"),
        report.open_claims().count()
    );
    if let Some(next) = report.next.first() {
        let _ = writeln!(text, "{HINT}next{RESET}:\n{next}");
    }
    text
}

fn human_claim(claim: &Claim) -> String {
    let style = if claim.holds() { GOOD } else { ERROR };
    let tests = claim.tests_run.map_or_else(String::new, |tests| {
        let tests = usize::try_from(tests).unwrap_or(usize::MAX);
        format!("  {}", plural(tests, "test", "tests"))
    });
    let listed = claim
        .note()
        .map_or_else(String::new, |note| format!("  {note}"));
    let reason = match claim.reason.is_empty() {
        true => String::new(),
        false => format!("  {}", printable(&claim.reason).replace('\n', "\n    ")),
    };
    format!(
        "  {style}{}{RESET}  {}{FAINT}{tests}{listed}{reason}{RESET}\n",
        claim.status.as_str(),
        printable(&claim.name)
    )
}
