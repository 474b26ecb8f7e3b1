//! The Test Anything Protocol, and the closing lines of `node --test`.

use super::number::add;
use super::{Runner, Spoken};

/// A stream of TAP. Where it ends with counts of its own, as those of
/// `node --test` and `tape` do, these are taken instead of its lines.
#[derive(Default)]
pub(super) struct Tap {
    plan: bool,
    tests: u64,
    summary: Option<u64>,
    in_summary: bool,
}

impl Runner for Tap {
    fn line(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("# ").or(line.strip_prefix("ℹ ")) {
            self.summary_line(rest);
        } else if let Some(rest) = line.strip_prefix("ok ").or(line.strip_prefix("not ok ")) {
            let number = rest.split(' ').next().unwrap_or_default();
            let skipped = rest.to_ascii_lowercase().contains("# skip");
            if number.parse::<u64>().is_ok() && !skipped {
                self.tests = self.tests.saturating_add(1);
            }
        } else if let Some(rest) = line.strip_prefix("1..") {
            let end = rest.split(' ').next().unwrap_or_default();
            self.plan |= end.parse::<u64>().is_ok();
        }
    }

    fn spoken(&self) -> Spoken {
        match self.summary {
            Some(tests) => Spoken::Ran(tests),
            None if self.plan => Spoken::Ran(self.tests),
            None => Spoken::Silent,
        }
    }
}

impl Tap {
    fn summary_line(&mut self, rest: &str) {
        let Some((noun, count)) = rest.split_once(' ') else {
            return;
        };
        let Ok(count) = count.trim_start().parse::<u64>() else {
            return;
        };
        match noun {
            "tests" => {
                self.in_summary = true;
                add(&mut self.summary, 0);
            }
            "pass" | "fail" if self.in_summary => add(&mut self.summary, count),
            _ => {}
        }
    }
}
