//! What to run next.

use review_types::BlockCode;

use super::RunReport;

/// More rounds, calls and time than were not enough.
const MORE_ROUNDS: usize = 3;
const MORE_CALLS: &str = "100";
const MORE_TIME: &str = "4h";

/// The commands that go on from where a run stands, the best one last.
pub(super) fn commands(report: &RunReport, state_dir: Option<&str>) -> Vec<String> {
    if report.passed() {
        return Vec::new();
    }
    let state = state_dir.map_or_else(String::new, |dir| {
        format!(" --state-dir {}", shell_words::quote(dir))
    });
    let Some(run) = &report.run else {
        return vec![format!("ralph status{state}")];
    };
    let rounds = report.iterations.len();
    let raised = match report.block_code {
        Some(BlockCode::Calls) => format!(" --max-calls {MORE_CALLS}"),
        Some(BlockCode::RunTime) => format!(" --max-time {MORE_TIME}"),
        Some(BlockCode::MaxIterations | BlockCode::BelowMinimum) if rounds > 0 => {
            format!(" --max-iterations {}", rounds + MORE_ROUNDS)
        }
        _ => String::new(),
    };
    vec![format!("ralph resume {run}{state}{raised}")]
}

#[cfg(test)]
mod tests {
    use review_types::{Outcome, RunId};

    use super::*;

    fn report(code: Option<BlockCode>) -> RunReport {
        let mut report = RunReport::new("specs/A.md", "builtin");
        report.run = Some(RunId::new("0199").unwrap());
        report.outcome = Outcome::NotPassed;
        report.block_code = code;
        report
    }

    #[test]
    fn the_command_raises_the_limit_that_was_reached() {
        let table = [
            (None, "ralph resume 0199"),
            (Some(BlockCode::NoChange), "ralph resume 0199"),
            (Some(BlockCode::Calls), "ralph resume 0199 --max-calls 100"),
            (Some(BlockCode::RunTime), "ralph resume 0199 --max-time 4h"),
        ];
        for (code, command) in table {
            assert_eq!(commands(&report(code), None), [command]);
        }
    }

    #[test]
    fn a_named_state_folder_is_named_again() {
        assert_eq!(
            commands(&report(None), Some("my state")),
            ["ralph resume 0199 --state-dir 'my state'"]
        );
    }

    #[test]
    fn nothing_is_left_to_do_after_a_pass() {
        let mut passed = report(None);
        passed.outcome = Outcome::Passed;
        assert_eq!(commands(&passed, None), [""; 0]);
    }
}
