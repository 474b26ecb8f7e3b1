//! The words of closed lists in reports: outcomes, verdicts, statuses.

use review_events::TestResult;
use review_lint::{Criterion, Safety, Severity as RuleSeverity};
use review_types::{
    Aspect, DecisionStatus, FindingEvidence, FindingStatus, Outcome, ReadingState, Severity,
    TaskStatus, Verdict,
};

use crate::gate::ClaimStatus;

/// A word's meaning in one sentence, and more about it.
type Meaning = (&'static str, &'static str);

/// What the outcome of a run means.
pub(super) const fn outcome(outcome: Outcome) -> Meaning {
    match outcome {
        Outcome::Passed => (
            "The run did all that it was asked for, and nothing failed.",
            "The review passed, and each task that ran passed.\n",
        ),
        Outcome::NotPassed => (
            "A verdict was reached, and it is not a pass.",
            "A reviewer wants a revision, or a task failed. The code in brackets says why\n\
             the run ended, and `ralph explain` knows it.\n",
        ),
        Outcome::NoVerdict => (
            "No verdict could be reached, which is never a pass.",
            "A reviewer could not be asked, or its answer could not be read. The code in\n\
             brackets says which.\n",
        ),
        Outcome::Limit => (
            "A limit of time, rounds, calls, tokens or cost ended the run.",
            "What was done is kept; `ralph resume latest` with a higher limit goes on.\n",
        ),
        Outcome::Nothing => (
            "There was nothing to do, which is not a pass.",
            "No spec or no task was selected. `ralph status` shows what there is.\n",
        ),
        Outcome::Tampered => (
            "The work changed the files that decide about it.",
            "A task changed its own tests, its command, or what ralph recorded.\n",
        ),
        Outcome::Approved => (
            "A user approved the artifact, whatever its reviewer says.",
            "It exits with 0. `ralph gate` counts an approval only with\n\
             `gate.allow_approved = true`.\n",
        ),
        Outcome::Interrupted => (
            "A signal ended the run, or it was cut off.",
            "`ralph resume latest` goes on from where it was.\n",
        ),
        Outcome::Error => (
            "The run could not be carried out as it was asked for.",
            "A wrong option or configuration, a file that cannot be used, or an artifact\n\
             that another program changed during the run.\n",
        ),
    }
}

/// What the verdict of a reviewer means.
pub(super) const fn verdict(verdict: Verdict) -> Meaning {
    match verdict {
        Verdict::Pass => (
            "The reviewer finds the artifact good as it is.",
            "It counts only when no score is below its minimum, no fact contradicts it, and\n\
             the answer could be read without loss.\n",
        ),
        Verdict::NeedsRevision => (
            "The reviewer wants the artifact changed.",
            "The answer has at least one item of feedback. The applier works them in, and\n\
             the next round looks at the result.\n",
        ),
    }
}

/// What a criterion asks of an artifact.
pub(super) const fn criterion(criterion: Criterion) -> Meaning {
    match criterion {
        Criterion::Completeness => (
            "Whether everything is there that is needed to build from the spec.",
            "Sections, acceptance criteria, decisions that are made, commands for tasks.\n\
             Rules cannot see what nobody wrote, so the embedded reviewer gives at most 90\n\
             (`lint.completeness_cap`): these 10 points are no finding.\n",
        ),
        Criterion::Consistency => (
            "Whether spec, plan and tasks say the same, and what they refer to exists.",
            "Numbers, dependencies, statuses, links, names of requirements.\n",
        ),
        Criterion::Testability => (
            "Whether commands prove what they should.",
            "Each requirement can be checked, each task has a command, and that command can\n\
             fail and runs the tests that it is meant to run.\n",
        ),
        Criterion::Architecture => (
            "Whether the work is divided and ordered so that it can be done.",
            "No cycles, nothing used before it exists, no two tasks that create the same\n\
             file.\n",
        ),
    }
}

/// What the aspect of an item of feedback means.
pub(super) const fn aspect(aspect: Aspect) -> Meaning {
    let meaning = match aspect {
        Aspect::Correctness => "The item is about whether it does what it should.",
        Aspect::Completeness => "The item is about something that is missing.",
        Aspect::Clarity => "The item is about whether it can be understood.",
        Aspect::Consistency => "The item is about a contradiction.",
        Aspect::Efficiency => "The item is about wasted time, memory or work.",
        Aspect::Security => "The item is about how it can be abused.",
        Aspect::Style => "The item is about whether it follows the style of the rest.",
        Aspect::Documentation => "The item is about its documentation.",
        Aspect::Testability => "The item is about whether it can be tested.",
        Aspect::Maintainability => "The item is about how easy it is to change.",
    };
    (
        meaning,
        "A reviewer that answers with an actionable-feedback document gives each item an\n\
         aspect. Where learning is on, an item of the aspect `security` is a security finding.\n",
    )
}

/// What the severity of feedback means.
pub(super) const fn severity(severity: Severity) -> Meaning {
    match severity {
        Severity::Critical => (
            "Feedback that must be acted on.",
            "It asks for a revision at every `review.fail_level`.\n",
        ),
        Severity::Major => (
            "Feedback that should be acted on.",
            "It asks for a revision unless `review.fail_level` is `critical`. Feedback of a\n\
             reviewer who wants a revision and names no severity is major.\n",
        ),
        Severity::Minor => (
            "Feedback that may stay as it is.",
            "It asks for a revision only if `review.fail_level` is `minor` or `suggestion`.\n",
        ),
        Severity::Suggestion => (
            "Feedback that is only a proposal.",
            "It asks for a revision only if `review.fail_level` is `suggestion`.\n",
        ),
    }
}

/// What the severity of a rule's finding means.
pub(super) const fn rule_severity(severity: RuleSeverity) -> Meaning {
    match severity {
        RuleSeverity::Error => (
            "A finding of a rule that keeps the artifact from passing.",
            "It costs its criterion the most points. For other reviewers it is a fact that\n\
             overrules a pass.\n",
        ),
        RuleSeverity::Warning => (
            "A finding of a rule that should be fixed and does not block alone.",
            "It costs points, and a score below its minimum blocks a pass. `ralph lint` fails\n\
             on it only with `--fail-level warning`.\n",
        ),
        RuleSeverity::Info => (
            "A finding of a rule that is only worth knowing.",
            "It costs few points, and `ralph lint` fails on it only with\n\
             `--fail-level info`.\n",
        ),
    }
}

/// What the evidence for a finding means.
pub(super) const fn evidence(evidence: FindingEvidence) -> Meaning {
    match evidence {
        FindingEvidence::Proved => (
            "A rule, a check of the project or a user has confirmed the finding.",
            "It blocks a pass at least like a `major` one, in every round in which it is raised; a\n\
             rule that only warns leaves its severity. What is proved is what the check says, not the\n\
             words of the reviewer. One that a named check proves is open until that check passes or\n\
             a user waives it.\n",
        ),
        FindingEvidence::Quoted => (
            "The words that the reviewer quotes occur in the artifact.",
            "They give the place of the finding. That they occur there does not prove what the\n\
             reviewer says of them.\n",
        ),
        FindingEvidence::Unquoted => (
            "The reviewer quotes nothing, or fewer than 4 words.",
            "It asks for a revision like any other finding, unless `review.evidence` is `require`.\n",
        ),
        FindingEvidence::Misquoted => (
            "The words that the reviewer quotes do not occur in the artifact.",
            "The reviewer may not have read it. The finding asks for a revision like any other,\n\
             unless `review.evidence` is `require`; `ralph findings waive ID --by NAME --why TEXT`\n\
             sets it aside.\n",
        ),
    }
}

/// What it means whether a text was delivered.
pub(super) const fn reading(state: ReadingState) -> Meaning {
    match state {
        ReadingState::NotApplicable => (
            "No prompt was sent, so nothing could get lost.",
            "The embedded rules read the files themselves.\n",
        ),
        ReadingState::Answered => (
            "The text that was to be judged reached the reviewer, which answered questions about it.",
            "It named the words at five of six places that were chosen for this review, and at one\n\
             in text that changed since the last review. That says nothing about the care with\n\
             which it judged.\n",
        ),
        ReadingState::Delivered => (
            "The text that was to be judged reached the reviewer.",
            "It read all of its prompt, and named its ends or counted enough tokens; of files that\n\
             the prompt only names it opened at least 95 %. That says nothing about the care with\n\
             which it judged.\n",
        ),
        ReadingState::Contradicted => (
            "The text that was to be judged did not reach the reviewer, or not all of it.",
            "A client left a part of its prompt unread, its service counted fewer tokens than the\n\
             prompt has words, it does not see the mark at the end, it opened less than half of the\n\
             files that the prompt names, or it knows the answer to no question about the text. The\n\
             review does not count, unless `review.reading` is `off`.\n",
        ),
        ReadingState::Unknown => (
            "Nothing shows whether the text that was to be judged reached the reviewer.",
            "The report says why. The review counts, unless `review.reading` is `require`.\n",
        ),
    }
}

/// What the status of a finding means.
pub(super) const fn finding(status: FindingStatus) -> Meaning {
    match status {
        FindingStatus::Open => (
            "The finding is not fixed yet.",
            "It is given to the applier, and blocks a pass if it is severe enough.\n",
        ),
        FindingStatus::Fixed => (
            "The finding is settled: the last review did not raise it again.",
            "It is open again when a later review raises it.\n",
        ),
        FindingStatus::Partial => (
            "The applier fixed a part of the finding.",
            "It is given to the applier again until a review no longer raises it.\n",
        ),
        FindingStatus::Rejected => (
            "The applier did not act on the finding.",
            "It gave a reason, or changed nothing at that place, which is marked as inferred.\n\
             The embedded applier rejects all that it cannot fix mechanically: fix it by hand.\n",
        ),
        FindingStatus::Disputed => (
            "The reviewer raised the finding again after the applier had rejected it.",
            "A user decides: `ralph findings uphold ID` or `ralph findings waive ID`.\n",
        ),
        FindingStatus::Waived => (
            "A user decided that the finding does not count.",
            "`ralph findings show ID` says who, and why.\n",
        ),
    }
}

/// What the decision of an applier means.
pub(super) const fn decision(decision: DecisionStatus) -> Meaning {
    match decision {
        DecisionStatus::Accepted => (
            "The applier did what the feedback recommends.",
            "Where it reported no decision, this is inferred from a change at that place.\n",
        ),
        DecisionStatus::Rejected => (
            "The applier did not do what the feedback recommends.",
            "Where it reported no decision, this is inferred: nothing changed at that place.\n",
        ),
        DecisionStatus::Partial => (
            "The applier did a part of what the feedback recommends, or something else.",
            "The reviewer gets this report, and looks at it in the next round.\n",
        ),
    }
}

/// What the status in a task's file means.
pub(super) const fn task_status(status: TaskStatus) -> Meaning {
    match status {
        TaskStatus::Pending => (
            "The file of the task says that it is still to be done.",
            "A task that fails after it was complete becomes pending again.\n",
        ),
        TaskStatus::InProgress => (
            "The file of the task says that it is being worked on.",
            "ralph never writes this status; a run takes the task like any other.\n",
        ),
        TaskStatus::Complete => (
            "The file of the task claims that it is done.",
            "`ralph run` writes it when the task's command passes. It is a claim: `ralph gate`\n\
             asks for a record that proves it, or runs the command again.\n",
        ),
        TaskStatus::Failed => (
            "The file of the task says that it failed for good.",
            "ralph never writes this status; a run tries the task like any other.\n",
        ),
        TaskStatus::Blocked => (
            "The file of the task says that something outside of it is in the way.",
            "ralph never writes this status; a run tries the task like any other.\n",
        ),
    }
}

/// What becomes of a claim in the gate.
pub(super) const fn claim(status: ClaimStatus) -> Meaning {
    match status {
        ClaimStatus::Recorded => (
            "A record proves the claim, so nothing had to be run.",
            "The command passed earlier, or the spec passed its review, with the same files\n\
             as now. Records are in the state folder, `.ralph-review/`.\n",
        ),
        ClaimStatus::Passed => (
            "The gate ran or reviewed it now, and it passed.",
            "No record belonged to the files as they are.\n",
        ),
        ClaimStatus::Failed => (
            "The claim does not hold.",
            "The line says why: a command failed, or the review wants a revision.\n",
        ),
        ClaimStatus::Skipped => (
            "The claim was not checked, since a task that comes first did not pass.",
            "It is checked once that task passes.\n",
        ),
        ClaimStatus::Unproven => (
            "No record proves the claim, and with `--offline` nothing is run.",
            "`ralph gate` without `--offline` runs what is missing.\n",
        ),
        ClaimStatus::NoVerdict => (
            "The gate could not find out whether the claim holds.",
            "The line says why, such as a limit or a reviewer that gave no answer.\n",
        ),
        ClaimStatus::Unclaimed => (
            "The task does not claim to be done, and `--require-all` demands that it does.",
            "`ralph run` runs the task and writes the claim.\n",
        ),
    }
}

/// What the result of a test of a Must Pass table means.
pub(super) const fn test(result: TestResult) -> Meaning {
    match result {
        TestResult::Passed => (
            "The listed test ran and passed.",
            "The test runner named it.\n",
        ),
        TestResult::Failed => ("The listed test ran and failed.", NOT_PROVED),
        TestResult::Skipped => ("The listed test was skipped or ignored.", NOT_PROVED),
        TestResult::NotRun => (
            "The listed test did not run: the runner named others, and not this one.",
            NOT_PROVED,
        ),
        TestResult::Unknown => (
            "The output does not show whether the listed test passed.",
            "The report says why, such as a runner that names no tests.\n",
        ),
    }
}

const NOT_PROVED: &str = "A task with such a test is `tests_missing`.\n";

/// What the safety of a fix means.
pub(super) const fn safety(safety: Safety) -> Meaning {
    match safety {
        Safety::Safe => (
            "A fix that keeps the meaning of everything else.",
            "`ralph lint --fix` applies it, and so does the embedded applier.\n",
        ),
        Safety::Unsafe => (
            "A fix that changes a command, a dependency or an id, deletes text, or guesses.",
            "`ralph lint --fix --unsafe-fixes` applies it; look at it with `--diff` first.\n",
        ),
    }
}
