//! How a run ends: block codes, outcomes, exit codes.

use crate::closed_list;

closed_list!(
    /// The reason that a run is blocked. The list is closed: programs can match on it.
    BlockCode {
        /// Every allowed round was used and none passed.
        MaxIterations => "max_iterations",
        /// The reviewer says pass, but a score is below its minimum.
        BelowMinimum => "below_minimum",
        /// The applier left the artifact unchanged.
        NoChange => "no_change",
        /// No blocking finding was closed in too many rounds.
        Stagnated => "stagnated",
        /// An applier brought back an earlier state of the artifact.
        Oscillation => "oscillation",
        /// Reviewer and applier disagree on a finding.
        Disputed => "disputed",
        /// The reviewer wants a revision but names nothing that blocks.
        NoBlockingFinding => "no_blocking_finding",
        /// Too many rounds brought only new findings without proof.
        UnprovedFindings => "unproved_findings",
        /// The reviewer left the decision to a user.
        Escalated => "escalated",
        /// A task's backpressure command failed, or finished work is not on the target
        /// branch.
        TaskFailed => "task_failed",
        /// An agent changed tests that exist, or files of the user's checkout.
        Tampered => "tampered",
        /// Too little space is free where the checkouts of agents are.
        DiskFloor => "disk_floor",
        /// The reviewer's answers stayed malformed.
        Malformed => "malformed",
        /// The artifact that the reviewer judged was not delivered to it.
        Unread => "unread",
        /// The reviewer could not be called, or had nothing to check.
        ReviewerFailed => "reviewer_failed",
        /// The applier did not complete, its edits did not fit, or it changed files outside
        /// the artifact.
        ApplierFailed => "applier_failed",
        /// The time limit of the run was reached.
        RunTime => "run_time",
        /// The limit of cost, tokens or calls of the run was reached.
        Budget => "budget",
        /// The agent's rate limit lasts longer than the run may wait.
        RateLimited => "rate_limited",
        /// Another process changed the artifact during the run.
        ArtifactChanged => "artifact_changed",
    }
);

impl BlockCode {
    /// Returns the outcome of a run that is blocked for this reason.
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::MaxIterations
            | Self::BelowMinimum
            | Self::NoChange
            | Self::Stagnated
            | Self::Oscillation
            | Self::Disputed
            | Self::NoBlockingFinding
            | Self::UnprovedFindings
            | Self::Escalated
            | Self::TaskFailed => Outcome::NotPassed,
            Self::Tampered => Outcome::Tampered,
            Self::Malformed | Self::Unread | Self::ReviewerFailed | Self::ApplierFailed => {
                Outcome::NoVerdict
            }
            Self::RunTime | Self::Budget | Self::RateLimited | Self::DiskFloor => Outcome::Limit,
            Self::ArtifactChanged => Outcome::Error,
        }
    }

    /// Returns whether a call failed, so that a resume retries it even if
    /// nothing has changed.
    pub const fn is_failure(self) -> bool {
        matches!(
            self,
            Self::Malformed
                | Self::Unread
                | Self::ReviewerFailed
                | Self::ApplierFailed
                | Self::RateLimited
        )
    }
}

closed_list!(
    /// The outcome of a run.
    Outcome {
        /// Review and tasks passed.
        Passed => "passed",
        /// A verdict was reached, and it is not a pass.
        NotPassed => "not_passed",
        /// No verdict could be reached.
        NoVerdict => "no_verdict",
        /// A limit of time, cost, tokens or calls was reached.
        Limit => "limit",
        /// The selection was empty.
        Nothing => "nothing",
        /// The files that decide were changed by the work that they decide on.
        Tampered => "tampered",
        /// A user approved it.
        Approved => "approved",
        /// A signal ended the run.
        Interrupted => "interrupted",
        /// An error in usage, configuration, input or output.
        Error => "error",
    }
);

impl Outcome {
    /// Returns the exit code of a process that ends with this outcome. An interrupt
    /// counts as SIGINT; SIGTERM and SIGHUP have codes of their own.
    pub const fn exit_code(self) -> ExitCode {
        match self {
            Self::Passed | Self::Approved => ExitCode::Passed,
            Self::NotPassed => ExitCode::NotPassed,
            Self::Error => ExitCode::Error,
            Self::NoVerdict => ExitCode::NoVerdict,
            Self::Nothing => ExitCode::Nothing,
            Self::Limit => ExitCode::Limit,
            Self::Tampered => ExitCode::Tampered,
            Self::Interrupted => ExitCode::Interrupted,
        }
    }
}

/// The exit codes, the same for every command and every output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ExitCode {
    /// Passed.
    Passed = 0,
    /// Not passed: a verdict, a task or a check is negative.
    NotPassed = 1,
    /// Usage, configuration, lock, input or output.
    Error = 2,
    /// No verdict.
    NoVerdict = 3,
    /// Nothing was selected.
    Nothing = 4,
    /// A limit was reached.
    Limit = 5,
    /// Tampering or untrusted configuration.
    Tampered = 6,
    /// Ended by SIGHUP.
    HungUp = 129,
    /// Interrupted by SIGINT.
    Interrupted = 130,
    /// Ended by SIGTERM.
    Terminated = 143,
}

impl ExitCode {
    /// All codes, ascending.
    pub const ALL: &'static [Self] = &[
        Self::Passed,
        Self::NotPassed,
        Self::Error,
        Self::NoVerdict,
        Self::Nothing,
        Self::Limit,
        Self::Tampered,
        Self::HungUp,
        Self::Interrupted,
        Self::Terminated,
    ];

    /// Returns whether an external signal ended the process.
    pub const fn is_interrupt(self) -> bool {
        matches!(self, Self::HungUp | Self::Interrupted | Self::Terminated)
    }

    /// Returns the numeric exit status.
    pub const fn get(self) -> u8 {
        self as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_code_is_parsed_from_its_word() {
        for code in BlockCode::ALL {
            assert_eq!(code.as_str().parse(), Ok(*code));
        }
        assert!("shrug".parse::<BlockCode>().is_err());
    }

    #[test]
    fn block_codes_have_the_documented_exit_codes() {
        let exits = |exit: ExitCode| -> Vec<&str> {
            BlockCode::ALL
                .iter()
                .filter(|code| code.outcome().exit_code() == exit)
                .map(|code| code.as_str())
                .collect()
        };
        assert_eq!(
            exits(ExitCode::NotPassed),
            [
                "max_iterations",
                "below_minimum",
                "no_change",
                "stagnated",
                "oscillation",
                "disputed",
                "no_blocking_finding",
                "unproved_findings",
                "escalated",
                "task_failed"
            ]
        );
        assert_eq!(
            exits(ExitCode::NoVerdict),
            ["malformed", "unread", "reviewer_failed", "applier_failed"]
        );
        assert_eq!(
            exits(ExitCode::Limit),
            ["disk_floor", "run_time", "budget", "rate_limited"]
        );
        assert_eq!(exits(ExitCode::Tampered), ["tampered"]);
        assert_eq!(exits(ExitCode::Error), ["artifact_changed"]);
    }

    #[test]
    fn only_failed_calls_are_retried_without_a_change() {
        let failures: Vec<_> = BlockCode::ALL
            .iter()
            .filter(|code| code.is_failure())
            .map(|code| code.as_str())
            .collect();
        assert_eq!(
            failures,
            [
                "malformed",
                "unread",
                "reviewer_failed",
                "applier_failed",
                "rate_limited"
            ]
        );
    }
}
