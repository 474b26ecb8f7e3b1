//! What claims to be complete, and what proves it.

use std::path::PathBuf;

use review_events::MustPass;
use review_types::{ExitCode, Finding, Outcome, RunId, TaskNumber, closed_list, plural};
use serde::Serialize;

use super::change::BaseComparison;
use super::next::steps;
use crate::must_pass::listed_tests;
use crate::next::NextStep;
use crate::path::below;
use crate::status::SpecStatus;
use crate::text::printable;

/// What the gate found. This is the object that `--format json` prints.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Gate")]
pub struct GateReport {
    /// The outcome of the gate: the worst of its specs.
    pub(crate) outcome: Outcome,
    /// The exit code of the process.
    exit: u8,
    /// The specs in order.
    pub(crate) specs: Vec<SpecGate>,
    /// The comparisons with the base of a change, one a root; empty without a base.
    pub(crate) compared: Vec<BaseComparison>,
    /// What the outcome does not say, in words.
    pub(crate) warnings: Vec<String>,
    /// What a user can do next, by spec; empty when the gate passes.
    pub(crate) next: Vec<NextStep>,
}

/// One spec.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct SpecGate {
    /// The folder of its root.
    #[serde(skip)]
    pub folder: PathBuf,
    /// The root that its paths are relative to, seen from the root of the current
    /// folder, which is `.` itself.
    pub root: String,
    /// The spec, relative to the root.
    pub spec: String,
    /// Its unit, if it has one.
    pub unit: Option<String>,
    /// Its outcome.
    pub outcome: Outcome,
    /// The review of the spec.
    pub review: Claim,
    /// The tasks that claim to be complete, by number; all tasks where all have to.
    pub tasks: Vec<Claim>,
    /// The tasks that do not claim to be complete, by number.
    pub unclaimed: Vec<TaskNumber>,
    /// What is wrong with the unit, so that none of its tasks can be trusted.
    pub faults: Vec<String>,
    /// The run that the gate started, if it had to.
    pub run: Option<RunId>,
    /// What records prove about it.
    #[serde(skip)]
    pub status: SpecStatus,
}

/// Something that is claimed, and what becomes of the claim.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Claim {
    /// What is claimed, in words.
    pub name: String,
    /// Number of the task; `null` for the review.
    pub id: Option<TaskNumber>,
    /// Whether it holds.
    pub status: ClaimStatus,
    /// Tests that ran; `null` when nothing ran or no known runner counted any.
    pub tests_run: Option<u64>,
    /// The results of the tests that the task lists; `null` when it lists none
    /// or nothing passed.
    pub must_pass: Option<MustPass>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Why it does not hold, in words; empty when it does.
    pub reason: String,
    /// The file that makes the claim, relative to the root.
    pub path: Option<String>,
    /// The end of what its command printed.
    pub output: String,
    /// What a review found that does not pass, where findings are followed.
    #[serde(skip)]
    pub findings: Vec<Finding>,
}

closed_list!(
    /// What becomes of a claim.
    ClaimStatus {
        /// A record proves it.
        Recorded => "recorded",
        /// It was run or reviewed now, and passed.
        Passed => "passed",
        /// It does not hold.
        Failed => "failed",
        /// It was not run: something that the task depends on did not pass.
        Skipped => "skipped",
        /// Nothing proves it, and nothing may be run.
        Unproven => "unproven",
        /// It could not be found out.
        NoVerdict => "no_verdict",
        /// It is not claimed, and has to be.
        Unclaimed => "unclaimed",
    }
);

impl ClaimStatus {
    const fn outcome(self) -> Outcome {
        match self {
            Self::Recorded | Self::Passed => Outcome::Passed,
            Self::Failed | Self::Skipped | Self::Unclaimed => Outcome::NotPassed,
            Self::Unproven | Self::NoVerdict => Outcome::NoVerdict,
        }
    }
}

impl Claim {
    /// Whether it holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.status.outcome() == Outcome::Passed
    }

    /// Its listed tests and why it does not hold, in words; empty without both.
    pub(crate) fn remark(&self) -> String {
        let listed = self.must_pass.as_ref().and_then(listed_tests);
        let reason = Some(self.reason.clone()).filter(|reason| !reason.is_empty());
        let parts: Vec<_> = listed.into_iter().chain(reason).collect();
        parts.join("; ")
    }
}

impl SpecGate {
    /// A path of its root as seen from the root of the current folder.
    pub(crate) fn seen(&self, path: &str) -> String {
        below(&self.root, path)
    }

    /// Sets the outcome by the claims. A claim that fails for certain counts
    /// more than one that could not be decided.
    pub fn conclude(&mut self) {
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

    /// Lowers the outcome to that of a run.
    pub fn hold_to(&mut self, run: &RunId, outcome: Option<Outcome>) {
        self.run = Some(run.clone());
        let outcome = outcome.unwrap_or(Outcome::NoVerdict);
        match outcome {
            // What is on record of an approval is judged already.
            Outcome::Passed | Outcome::Approved => {}
            outcome => {
                self.outcome = outcome;
                self.review.status = ClaimStatus::Failed;
                self.review.reason = format!("run {run} ended as {outcome}");
            }
        }
    }
}

impl GateReport {
    /// The report of a gate that has checked nothing yet; `options` are those with
    /// which commands find what it looks at.
    #[must_use]
    pub fn new(options: &[String]) -> Self {
        let init = ["ralph", "init"].map(str::to_owned);
        let init = shell_words::join(init.iter().chain(options));
        Self {
            outcome: Outcome::Nothing,
            exit: ExitCode::Nothing.get(),
            specs: Vec::new(),
            compared: Vec::new(),
            warnings: Vec::new(),
            next: vec![NextStep::by_command("make a spec with a task", init)],
        }
    }

    /// Adds a spec that was checked; `run` is the command line that reviews it and runs
    /// its tasks.
    pub fn push(&mut self, spec: SpecGate, run: String) {
        if self.specs.is_empty() || spec.outcome.exit_code() > self.outcome.exit_code() {
            self.outcome = spec.outcome;
            self.exit = spec.outcome.exit_code().get();
        }
        if self.specs.is_empty() {
            self.next.clear();
        }
        if spec.outcome != Outcome::Passed {
            self.next.extend(steps(&spec, run));
        }
        self.specs.push(spec);
        self.warnings = unclaimed(&self.specs).into_iter().collect();
    }

    /// Adds the comparison of a root with the base of a change.
    pub fn compare(&mut self, compared: BaseComparison) {
        let failing: Vec<_> = compared
            .changes
            .iter()
            .filter(|change| change.fails())
            .collect();
        if !failing.is_empty() {
            self.outcome = Outcome::Tampered;
            self.exit = Outcome::Tampered.exit_code().get();
            let names = failing
                .iter()
                .map(|change| format!("--allow {}", change.name()));
            let names: Vec<_> = names.collect();
            self.next.push(NextStep::by_hand(printable(&format!(
                "undo what fails in comparison with {}, or let a maintainer allow it: {}",
                compared.base,
                names.join(" ")
            ))));
        }
        self.compared.push(compared);
    }

    /// Suggests these steps before all others.
    pub fn suggest_first(&mut self, steps: impl IntoIterator<Item = String>) {
        let steps = steps.into_iter().map(NextStep::by_hand);
        self.next.splice(0..0, steps);
    }

    /// What was checked, and how much of it is open, in words.
    pub(crate) fn counts(&self) -> String {
        let claims = self.specs.iter().map(|spec| spec.tasks.len() + 1).sum();
        match self.specs.len() {
            0 if self.outcome == Outcome::Nothing => "to check: no specs".to_owned(),
            specs => format!(
                "{} in {}, {} open",
                plural(claims, "claim", "claims"),
                plural(specs, "spec", "specs"),
                self.open_claims().count()
            ),
        }
    }

    /// The exit code of the process.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        self.outcome.exit_code()
    }

    /// The claims that do not hold, with their spec.
    pub(crate) fn open_claims(&self) -> impl Iterator<Item = (&SpecGate, &Claim)> {
        self.specs.iter().flat_map(|spec| {
            let claims = spec.tasks.iter().chain([&spec.review]);
            claims
                .filter(|claim| !claim.holds())
                .map(move |claim| (spec, claim))
        })
    }
}

/// The warning that claims cover a part of the tasks of these specs; `None` where they
/// cover all, or have to.
pub(super) fn unclaimed(specs: &[SpecGate]) -> Option<String> {
    let all_have_to = |spec: &SpecGate| {
        let mut tasks = spec.tasks.iter();
        tasks.any(|claim| claim.status == ClaimStatus::Unclaimed)
    };
    let (mut claimed, mut left) = (0, 0);
    for spec in specs.iter().filter(|spec| !all_have_to(spec)) {
        claimed += spec.tasks.len();
        left += spec.unclaimed.len();
    }
    (left > 0).then(|| {
        format!(
            "{claimed} of {} claimed to be complete; --require-all demands all",
            plural(claimed + left, "task", "tasks")
        )
    })
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use review_types::TaskStatus;

    use super::super::{brief, github, human, markdown};
    use super::*;
    use crate::status::TaskLine;
    use crate::style::Styling;

    pub(in crate::gate) fn claim(name: &str, status: ClaimStatus, reason: &str) -> Claim {
        Claim {
            name: name.to_owned(),
            id: None,
            status,
            tests_run: None,
            must_pass: None,
            seconds: 0.0,
            reason: reason.to_owned(),
            path: None,
            output: String::new(),
            findings: Vec::new(),
        }
    }

    pub(in crate::gate) fn spec(review: ClaimStatus, task: ClaimStatus) -> SpecGate {
        let mut spec = SpecGate {
            folder: "/project".into(),
            root: ".".to_owned(),
            spec: "specs/A.md".to_owned(),
            unit: None,
            outcome: Outcome::Passed,
            review: claim("review by builtin", review, ""),
            tasks: vec![claim("task 1 Index", task, "failed: exit status 1")],
            unclaimed: Vec::new(),
            faults: Vec::new(),
            run: None,
            status: SpecStatus::default(),
        };
        spec.conclude();
        spec
    }

    #[test]
    fn a_failed_claim_counts_more_than_one_without_a_verdict() {
        use ClaimStatus::{Failed, NoVerdict, Passed, Recorded, Skipped, Unproven};
        for (review, task, outcome) in [
            (Recorded, Passed, Outcome::Passed),
            (Recorded, Unproven, Outcome::NoVerdict),
            (NoVerdict, Passed, Outcome::NoVerdict),
            (NoVerdict, Failed, Outcome::NotPassed),
            (Unproven, Skipped, Outcome::NotPassed),
        ] {
            assert_eq!(spec(review, task).outcome, outcome, "{review:?} {task:?}");
        }
    }

    #[test]
    fn the_next_step_is_the_run_where_it_can_decide_and_else_the_task() {
        use ClaimStatus::{Failed, NoVerdict, Recorded, Skipped, Unclaimed, Unproven};
        let run = "ralph run specs/A.md";
        for (review, task, commands) in [
            (Recorded, Failed, &[None][..]),
            (Unproven, Failed, &[Some(run), None]),
            (NoVerdict, Recorded, &[Some(run)]),
            (Recorded, Unclaimed, &[None]),
            (Unproven, Unclaimed, &[Some(run), None]),
            (Recorded, Unproven, &[Some(run)]),
            (Recorded, Skipped, &[Some(run)]),
            (Recorded, Recorded, &[]),
        ] {
            let mut report = GateReport::new(&[]);
            report.push(spec(review, task), run.to_owned());
            let found: Vec<_> = report.next.iter().map(|s| s.command.as_deref()).collect();
            assert_eq!(found, commands, "{review:?} {task:?}");
        }
        let mut report = GateReport::new(&[]);
        let mut broken = spec(Recorded, Recorded);
        broken.faults = vec!["tasks/a/02-b.md:2: task number 1 is used twice".to_owned()];
        broken.conclude();
        report.push(broken, run.to_owned());
        assert_eq!(
            report.next,
            [NextStep::by_hand(
                "fix tasks/a/02-b.md:2: task number 1 is used twice"
            )]
        );
    }

    #[test]
    fn a_run_that_did_not_pass_lowers_the_outcome_and_an_approval_does_not() {
        let run = RunId::new("0199").unwrap();
        for (outcome, expected) in [
            (Some(Outcome::Passed), Outcome::Passed),
            (Some(Outcome::Approved), Outcome::Passed),
            (Some(Outcome::Limit), Outcome::Limit),
            (None, Outcome::NoVerdict),
        ] {
            let mut spec = spec(ClaimStatus::Recorded, ClaimStatus::Recorded);
            spec.hold_to(&run, outcome);
            assert_eq!(spec.outcome, expected, "{outcome:?}");
        }
    }

    #[test]
    fn each_format_shows_the_claim_that_does_not_hold() {
        let mut report = GateReport::new(&[]);
        let spec = spec(ClaimStatus::Recorded, ClaimStatus::Failed);
        report.push(spec, "ralph run specs/A.md".to_owned());
        assert_eq!(report.exit_code(), ExitCode::NotPassed);
        assert_eq!(
            human(&report, Styling::Plain),
            "specs/A.md\n  recorded  review by builtin\n  \
             failed  task 1 Index  failed: exit status 1\n\n\
             not_passed 2 claims in 1 spec, 1 open\nnext:\nmake task 1 Index pass\n"
        );
        assert_eq!(
            github(&report, Path::new("/project")),
            "::error file=specs/A.md,line=1,endLine=1,col=1,title=ralph gate\
             ::task 1 Index: failed: exit status 1\n"
        );
    }

    #[test]
    fn claims_of_a_part_of_the_tasks_are_a_warning() {
        let number = |number| TaskNumber::new(number).unwrap();
        let mut part = spec(ClaimStatus::Recorded, ClaimStatus::Passed);
        part.unclaimed = vec![number(2), number(3)];
        let mut report = GateReport::new(&[]);
        report.push(part.clone(), String::new());
        let warning = "1 of 3 tasks claimed to be complete; --require-all demands all";
        assert_eq!(report.warnings, [warning]);
        assert_eq!(
            github(&report, Path::new("/project")),
            format!(
                "::warning file=specs/A.md,line=1,endLine=1,col=1,title=ralph gate::{warning}\n"
            )
        );
        report.push(part.clone(), String::new());
        assert_eq!(
            report.warnings,
            ["2 of 6 tasks claimed to be complete; --require-all demands all"]
        );
        let mut all = part;
        all.tasks
            .push(claim("task 2 Use", ClaimStatus::Unclaimed, "pending"));
        all.conclude();
        assert_eq!(all.outcome, Outcome::NotPassed);
        let mut report = GateReport::new(&[]);
        report.push(all, "ralph run specs/A.md".to_owned());
        assert_eq!(report.warnings, [""; 0]);
        assert_eq!(report.next, [NextStep::by_hand("make task 2 Use pass")]);
    }

    #[test]
    fn the_run_is_named_by_what_it_decides() {
        use ClaimStatus::{Failed, NoVerdict, Recorded, Unclaimed, Unproven};
        for (review, task, text) in [
            (Unproven, Unproven, "review it and run its tasks"),
            (Unproven, Failed, "review it"),
            (NoVerdict, Unclaimed, "review it"),
            (NoVerdict, Recorded, "review it"),
            (Recorded, Unproven, "run its tasks"),
        ] {
            let mut report = GateReport::new(&[]);
            report.push(spec(review, task), String::new());
            assert_eq!(report.next[0].text, text, "{review:?} {task:?}");
        }
    }

    #[test]
    fn a_task_without_a_command_gets_one_before_anything_is_reviewed() {
        use ClaimStatus::{Failed, Recorded, Unclaimed};
        for (review, task) in [
            (Failed, Recorded),
            (Recorded, Unclaimed),
            (Failed, Unclaimed),
        ] {
            let mut spec = spec(review, task);
            spec.status.tasks.push(TaskLine {
                id: TaskNumber::new(3).unwrap(),
                title: "Rank".to_owned(),
                status: TaskStatus::Pending,
                recorded: false,
                depends_on: Vec::new(),
                command: String::new(),
            });
            let mut report = GateReport::new(&[]);
            report.push(spec, "ralph run".to_owned());
            let step = "give task 3 a command: `backpressure` in the front matter, or `ralph import PATH \
                     --command CMD` where they were imported, then `ralph run`";
            assert_eq!(
                report.next,
                [NextStep::by_hand(step)],
                "{review:?} {task:?}"
            );
        }
    }

    #[test]
    fn an_annotation_has_the_end_of_what_failed() {
        let mut spec = spec(ClaimStatus::Recorded, ClaimStatus::Failed);
        spec.tasks[0].output = "two\nthree\n".to_owned();
        let mut report = GateReport::new(&[]);
        report.push(spec, String::new());
        assert_eq!(
            github(&report, Path::new("/project")),
            "::error file=specs/A.md,line=1,endLine=1,col=1,title=ralph gate\
             ::task 1 Index: failed: exit status 1%0Atwo%0Athree\n"
        );
        assert_eq!(
            brief(&report, Styling::Plain),
            "not_passed 2 claims in 1 spec, 1 open\n"
        );
    }

    #[test]
    fn what_failed_is_shown_with_the_end_of_its_output() {
        let mut spec = spec(ClaimStatus::Recorded, ClaimStatus::Failed);
        spec.tasks[0].output = "one ``` two\n\u{1b}[31mthree\n".to_owned();
        let mut report = GateReport::new(&[]);
        report.push(spec, String::new());
        let shown = human(&report, Styling::Plain);
        let tail = "failed: exit status 1\n    | one ``` two\n    | \u{fffd}[31mthree\n\n";
        assert!(shown.contains(tail), "{shown}");
        assert_eq!(
            markdown(&report),
            "### ralph gate: not_passed\n\n2 claims in 1 spec, 1 open\n\n\
             | Spec | Claim | Status | |\n|---|---|---|---|\n\
             | specs/A.md | task 1 Index | **failed** | failed: exit status 1 |\n\
             | specs/A.md | review by builtin | recorded |  |\n\n\
             <details><summary>task 1 Index</summary>\n\n\
             ````text\none ``` two\nthree\n````\n\n</details>\n\n\
             **Next**\n\n- make task 1 Index pass\n"
        );
    }

    #[test]
    fn without_specs_there_is_nothing_to_check() {
        let report = GateReport::new(&[]);
        let shown = human(&report, Styling::Plain);
        let expected = "nothing to check: no specs\nnext:\nmake a spec with a task:\nralph init\n";
        assert_eq!(shown, expected);
    }
}
