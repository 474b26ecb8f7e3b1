//! What to run next.

use std::num::NonZeroU64;
use std::time::Duration;

use review_document::write_duration;
use review_types::{BlockCode, Outcome, Usd};

use super::report::RunReport;

/// The number of rounds that are added to those that were not enough.
const MORE_ROUNDS: usize = 3;
/// The least number of calls that are added to those that were not enough.
const MORE_CALLS: u32 = 10;

/// The limits of a run that decide what to run next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunLimits {
    /// Whether feedback may be applied.
    pub applies: bool,
    /// The most calls of agents.
    pub max_calls: Option<u32>,
    /// The most tokens, read and written.
    pub max_tokens: Option<NonZeroU64>,
    /// The most money.
    pub max_cost: Option<Usd>,
    /// The longest time.
    pub max_time: Option<Duration>,
}

/// The command that continues a run; none after a pass.
/// `command` is the command line of the run, and `is_kept` says whether the run
/// is remembered.
pub(super) fn commands(
    report: &RunReport,
    command: &[String],
    state_dir: Option<&str>,
    is_kept: bool,
) -> Vec<String> {
    if report.passed() {
        return Vec::new();
    }
    let state = state_dir.map_or_else(String::new, |dir| {
        format!(" --state-dir {}", shell_words::quote(dir))
    });
    let next = match &report.run {
        Some(run) if report.is_live => format!("ralph report {run}{state}"),
        _ if report.outcome == Outcome::Nothing => format!("ralph status{state}"),
        _ if report.block_code == Some(BlockCode::NothingChecked) => {
            "ralph explain nothing_checked".to_owned()
        }
        _ if !is_kept => again(command, |_| true),
        Some(run) if report.limits.applies || is_cut_off(report) => {
            format!("ralph resume {run}{state}{}", raised(report))
        }
        Some(_) => again(command, |word| word != "--no-apply"),
        None => again(command, |_| true),
    };
    vec![next]
}

/// Whether it stopped on its way, and not by what it found.
fn is_cut_off(report: &RunReport) -> bool {
    match report.outcome {
        Outcome::Interrupted => true,
        Outcome::Error => report.block_code.is_none(),
        _ => false,
    }
}

/// The option that raises the limit that was reached.
fn raised(report: &RunReport) -> String {
    let rounds = report.iterations.len();
    let limits = &report.limits;
    match report.block_code {
        Some(BlockCode::Calls) => match limits.max_calls {
            Some(calls) => {
                let more = calls
                    .saturating_mul(2)
                    .max(calls.saturating_add(MORE_CALLS));
                format!(" --max-calls {more}")
            }
            None => String::new(),
        },
        Some(BlockCode::Tokens) => match limits.max_tokens {
            Some(tokens) => format!(" --max-tokens {}", tokens.get().saturating_mul(2)),
            None => String::new(),
        },
        Some(BlockCode::Cost) => match limits.max_cost {
            Some(cost) => {
                let more = Usd::from_micro(cost.micro().saturating_mul(2));
                format!(" --max-cost {more}")
            }
            None => String::new(),
        },
        Some(BlockCode::RunTime) => match limits.max_time {
            Some(time) => format!(" --max-time {}", write_duration(time.saturating_mul(2))),
            None => String::new(),
        },
        Some(
            BlockCode::MaxIterations
            | BlockCode::BelowMinimum
            | BlockCode::Stagnated
            | BlockCode::UnprovedFindings,
        ) if rounds > 0 => {
            format!(" --max-iterations {}", rounds + MORE_ROUNDS)
        }
        _ => String::new(),
    }
}

/// The command line of the run itself, with the words that are kept.
fn again(command: &[String], keeps: impl Fn(&str) -> bool) -> String {
    let arguments = command.iter().skip(1).map(String::as_str);
    shell_words::join(std::iter::once("ralph").chain(arguments.filter(|word| keeps(word))))
}

#[cfg(test)]
mod tests {
    use review_types::RunId;

    use super::super::report::RunRequest;
    use super::*;

    fn report(outcome: Outcome, code: Option<BlockCode>) -> RunReport {
        let mut report = RunReport::new(RunRequest::default());
        report.run = Some(RunId::new("0199").unwrap());
        report.outcome = outcome;
        report.block_code = code;
        report.limits = RunLimits {
            applies: true,
            max_calls: Some(150),
            max_tokens: NonZeroU64::new(500),
            max_cost: Some(Usd::from_micro(1_250_000)),
            max_time: Some(Duration::from_secs(5_400)),
        };
        report
    }

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn next(report: &RunReport) -> Vec<String> {
        commands(report, &words("/bin/ralph run --no-apply"), None, true)
    }

    #[test]
    fn the_command_raises_the_limit_that_was_reached() {
        let table = [
            (None, "ralph resume 0199"),
            (Some(BlockCode::NoChange), "ralph resume 0199"),
            (Some(BlockCode::Calls), "ralph resume 0199 --max-calls 300"),
            (
                Some(BlockCode::Tokens),
                "ralph resume 0199 --max-tokens 1000",
            ),
            (Some(BlockCode::Cost), "ralph resume 0199 --max-cost 2.50"),
            (Some(BlockCode::RunTime), "ralph resume 0199 --max-time 3h"),
            (
                Some(BlockCode::NothingChecked),
                "ralph explain nothing_checked",
            ),
        ];
        for (code, command) in table {
            assert_eq!(next(&report(Outcome::NotPassed, code)), [command]);
        }
    }

    #[test]
    fn a_run_that_may_not_apply_is_done_again_with_leave_to() {
        let mut looked = report(Outcome::NotPassed, Some(BlockCode::MaxIterations));
        looked.limits.applies = false;
        assert_eq!(next(&looked), ["ralph run"]);
        looked.outcome = Outcome::Error;
        assert_eq!(next(&looked), ["ralph run"]);
        looked.block_code = None;
        for cut_off in [Outcome::Error, Outcome::Interrupted] {
            looked.outcome = cut_off;
            assert_eq!(next(&looked), ["ralph resume 0199"]);
        }
    }

    #[test]
    fn a_run_that_still_runs_is_looked_at_again() {
        let mut live = report(Outcome::Interrupted, None);
        live.is_live = true;
        assert_eq!(next(&live), ["ralph report 0199"]);
    }

    #[test]
    fn a_run_that_is_forgotten_is_done_again_as_it_was() {
        let forgotten = report(Outcome::NotPassed, None);
        let command = words("/bin/ralph run --no-apply");
        assert_eq!(
            commands(&forgotten, &command, None, false),
            ["ralph run --no-apply"]
        );
    }

    #[test]
    fn a_named_state_folder_is_named_again() {
        assert_eq!(
            commands(
                &report(Outcome::NotPassed, None),
                &[],
                Some("my state"),
                true
            ),
            ["ralph resume 0199 --state-dir 'my state'"]
        );
    }

    #[test]
    fn nothing_is_left_to_do_after_a_pass() {
        assert_eq!(next(&report(Outcome::Passed, None)), [""; 0]);
        assert_eq!(next(&report(Outcome::Nothing, None)), ["ralph status"]);
    }
}
