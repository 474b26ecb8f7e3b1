//! The runs that were removed, or may be.

use review_types::{Outcome, RunId, Timestamp, plural};
use serde::Serialize;

use crate::path::below;
use crate::run::{minute, outcome_word};
use crate::style::{FAINT, RESET, STRONG, WARNING};
use crate::text::one_line;

/// The runs of a state folder, or those that were removed of them. This is the object
/// that `--format json` prints.
#[derive(Debug, Serialize)]
pub struct CleanReport {
    /// The runs, the newest first.
    pub runs: Vec<CleanedRun>,
    /// The bytes of the runs and checkouts that were removed, or would be.
    pub bytes: u64,
}

/// A run.
#[derive(Debug, Serialize)]
pub struct CleanedRun {
    /// Its id.
    pub run: RunId,
    /// The root that it works in, seen from the root of the current folder, which is
    /// `.` itself.
    pub root: String,
    /// When it was started; `null` where that is not known.
    pub at: Option<Timestamp>,
    /// The spec or path under review, relative to the root; empty where its journal cannot be read.
    pub spec: String,
    /// Its outcome; `null` while a process is executing it.
    pub outcome: Option<Outcome>,
    /// The bytes of its folder.
    pub bytes: u64,
    /// The bytes of its checkouts; `null` where it has none.
    pub checkouts: Option<u64>,
    /// Whether it can be removed.
    pub state: CleanState,
}

/// Whether a run can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CleanState {
    /// It was removed.
    Removed,
    /// It can be removed.
    Removable,
    /// It stays: a resume goes on with it.
    Resumable,
    /// It stays: a process is executing it.
    Live,
}

impl CleanReport {
    /// The report of these runs.
    #[must_use]
    pub fn new(runs: Vec<CleanedRun>) -> Self {
        Self {
            bytes: runs.iter().map(CleanedRun::removed_bytes).sum(),
            runs,
        }
    }

    fn count(&self, state: CleanState) -> usize {
        let runs = self.runs.iter().filter(|run| run.state == state);
        runs.count()
    }
}

impl CleanedRun {
    fn all_bytes(&self) -> u64 {
        self.bytes + self.checkouts.unwrap_or(0)
    }

    fn removed_bytes(&self) -> u64 {
        match self.state {
            CleanState::Removed | CleanState::Removable => self.all_bytes(),
            CleanState::Resumable | CleanState::Live => 0,
        }
    }
}

/// Returns the runs, one line each, and a total.
#[must_use]
pub fn human(report: &CleanReport) -> String {
    let text: String = report.runs.iter().map(line).collect();
    text + &brief(report)
}

/// Returns the number and size of the runs that were removed, or can be, in one line.
#[must_use]
pub fn brief(report: &CleanReport) -> String {
    let removed = report.count(CleanState::Removed);
    let removable = report.count(CleanState::Removable);
    let bytes = size(report.bytes);
    match (removed, plural(removable, "run", "runs")) {
        (0, _) if removable == 0 => "nothing to remove\n".to_owned(),
        (0, runs) => format!("{runs}, {bytes}, can be removed: `ralph clean RUN`\n"),
        (removed, _) => format!("removed {}, {bytes}\n", plural(removed, "run", "runs")),
    }
}

fn line(run: &CleanedRun) -> String {
    let at = run.at.map(minute).unwrap_or_default();
    let state = match run.state {
        CleanState::Removed => "removed",
        CleanState::Removable => "",
        CleanState::Resumable => "can be resumed",
        CleanState::Live => "cannot be removed",
    };
    let style = match run.state {
        CleanState::Removed | CleanState::Removable => FAINT,
        CleanState::Resumable | CleanState::Live => WARNING,
    };
    let line = format!(
        "{STRONG}{}{RESET}  {at:16}  {:>9}  {:<11}  {}",
        run.run.short(),
        size(run.all_bytes()),
        outcome_word(run.outcome),
        one_line(&below(&run.root, &run.spec)),
    );
    match state {
        "" => line.trim_end().to_owned() + "\n",
        state => format!("{line}  {style}{state}{RESET}\n"),
    }
}

/// A number of bytes in the largest unit in which it is 1 or more, with one decimal.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let (mut tenths, mut unit) = (u128::from(bytes) * 10 / 1024, 0);
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::Styling;

    fn run(id: &str, at: i64, bytes: u64, state: CleanState) -> CleanedRun {
        CleanedRun {
            run: RunId::new(id).unwrap(),
            root: ".".to_owned(),
            at: Some(Timestamp::from_unix_ms(at)),
            spec: "specs/A.md".to_owned(),
            outcome: Some(Outcome::Passed),
            bytes,
            checkouts: None,
            state,
        }
    }

    #[test]
    fn each_run_is_shown_with_its_start_and_size_and_the_total_of_what_goes() {
        let runs = vec![
            run("b", 3 * 86_400_000 - 7_200_000, 1536, CleanState::Removable),
            run("a", 0, 4096, CleanState::Resumable),
        ];
        let report = CleanReport::new(runs);
        assert_eq!(report.bytes, 1536);
        assert_eq!(
            Styling::Plain.apply(human(&report)),
            "b  1970-01-03 22:00    1.5 KiB  passed       specs/A.md\n\
             a  1970-01-01 00:00    4.0 KiB  passed       specs/A.md  can be resumed\n\
             1 run, 1.5 KiB, can be removed: `ralph clean RUN`\n"
        );
        assert_eq!(
            brief(&report),
            "1 run, 1.5 KiB, can be removed: `ralph clean RUN`\n"
        );
    }

    #[test]
    fn sizes_are_in_their_largest_unit() {
        for (bytes, expected) in [
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1_048_575, "1023.9 KiB"),
            (1_048_576, "1.0 MiB"),
            (u64::MAX, "16777215.9 TiB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }
}
