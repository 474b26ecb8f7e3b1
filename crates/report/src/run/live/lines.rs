//! The lines of the view, by the width of the terminal.

use std::collections::BTreeMap;
use std::time::Duration;

use review_events::{AgentAction, AgentRole, TaskState};
use review_types::{Timestamp, plural, write_duration};
use unicode_width::UnicodeWidthStr as _;

use super::{Call, CommandView, LiveView, Purpose, Running, Work};
use crate::run::calls::turn;
use crate::text::one_line;

/// From this silence on it is shown.
const SILENCE: Duration = Duration::from_secs(30);

/// The most pieces of work that are shown.
const MAX_SHOWN: usize = 8;

/// The separator of two parts of a line.
const BETWEEN: &str = " · ";

impl LiveView {
    /// The lines at this time, none wider than `width` columns: how far the run is, and one
    /// for each piece of work. The first starts with `mark`.
    #[must_use]
    pub fn lines(&self, mark: char, width: usize, now: Timestamp) -> Vec<String> {
        if self.is_idle() {
            return Vec::new();
        }
        // A mark and a blank.
        let inner = width.saturating_sub(2);
        let work = self.running.iter().take(MAX_SHOWN);
        let work = work.map(|running| self.work(running, now));
        let lines = self.progress(now).into_iter().chain(work);
        let lines = lines.map(|parts| joined(&parts, inner)).enumerate();
        let mut lines: Vec<_> = lines
            .map(|(at, line)| match at {
                0 => format!("{mark} {line}"),
                _ => format!("  {line}"),
            })
            .collect();
        if let more @ 1.. = self.running.len().saturating_sub(MAX_SHOWN) {
            lines.push(format!("  and {more} more"));
        }
        lines
    }

    /// How far the tasks of the run are, its time and what it consumed; `None` where there is
    /// nothing but its time to say.
    fn progress(&self, now: Timestamp) -> Option<Vec<String>> {
        let mut parts = self.tasks_done();
        let mut usage = self.usage;
        for running in &self.running {
            if let Work::Call(Call {
                usage: Some(call), ..
            }) = &running.work
            {
                usage.add(Some(call));
            }
        }
        let tokens = Some(usage.tokens()).filter(|tokens| *tokens > 0);
        if parts.is_empty() && tokens.is_none() {
            return None;
        }
        parts.extend(self.since.map(|since| written(now.since(since))));
        parts.extend(tokens.map(|tokens| format!("{} tokens", thousands(tokens))));
        let cost = Some(usage.cost_micro_usd).filter(|cost| *cost > 0);
        let limit = self.max_cost.map(|limit| format!(" of ${limit}"));
        let limit = limit.unwrap_or_default();
        parts.extend(cost.map(|cost| format!("{}{limit}", dollars(cost))));
        Some(parts)
    }

    /// How many of the tasks are done, and where the others are; nothing while none runs, and
    /// where there is one task alone.
    fn tasks_done(&self) -> Vec<String> {
        let all = self.tasks.unwrap_or(0).saturating_sub(self.not_selected);
        if all < 2 {
            return Vec::new();
        }
        let is_done = |state: &&TaskState| state.meets_dependency();
        let done = self.ended.values().filter(is_done).count();
        let mut parts = vec![format!("{done} of {all} done")];
        if !self.open.is_empty() {
            parts.push(format!("{} running", self.open.len()));
        }
        let mut others: BTreeMap<&str, usize> = BTreeMap::new();
        for state in self.ended.values().filter(|state| !is_done(state)) {
            *others.entry(state.as_str()).or_default() += 1;
        }
        let others = others.into_iter().filter(|(word, _)| *word != "not_run");
        parts.extend(others.map(|(word, count)| format!("{count} {}", word.replace('_', " "))));
        parts
    }

    /// What is known of a piece of work, the most important first.
    fn work(&self, running: &Running, now: Timestamp) -> Vec<String> {
        let mut parts = Vec::new();
        let mut more = Vec::new();
        let limit = match &running.work {
            Work::Call(call) => {
                more.extend(
                    running
                        .silence(call.idle_limit, now)
                        .or_else(|| call.latest()),
                );
                more.push(call.agent.clone());
                more.extend(call.model.clone());
                parts.extend(self.turn(call));
                call.time_limit
            }
            Work::Command(command) => {
                more.extend(command.tests());
                more.extend(running.silence(None, now));
                more.push(command.line());
                parts.push(command.purpose.as_str().to_owned());
                command.time_limit
            }
            Work::Between => {
                parts.push("preparing".to_owned());
                None
            }
            Work::Pause { role, until } => {
                let (role, left) = (role.as_str(), written(until.since(now)));
                return vec![format!("the {role} is asked again in {left}")];
            }
        };
        let elapsed = written(now.since(running.started));
        parts.push(match limit {
            Some(limit) => format!("{elapsed} of {}", written(limit)),
            None => elapsed,
        });
        if let Some(task) = running.task {
            parts.insert(0, format!("task {task}"));
            parts.extend(self.titles.get(&task).map(|title| one_line(title)));
        }
        parts.append(&mut more);
        parts
    }

    /// The round or attempt, and what is done in it.
    fn turn(&self, call: &Call) -> [String; 2] {
        let (turn, number) = (turn(call.role), call.iteration);
        let max = match call.role {
            AgentRole::Reviewer | AgentRole::Applier => self.max_iterations,
            AgentRole::Implementer => None,
        };
        let max = max.filter(|max| *max >= number);
        let of = max.map_or_else(String::new, |max| format!(" of {max}"));
        let what = match (call.asked_again, call.role) {
            (true, _) => "asking again",
            (false, AgentRole::Reviewer) => "reviewing",
            (false, AgentRole::Applier) => "applying",
            (false, AgentRole::Implementer) => "implementing",
        };
        [format!("{turn} {number}{of}"), what.to_owned()]
    }
}

impl Running {
    /// How long nothing was printed or done, if that is long.
    fn silence(&self, limit: Option<Duration>, now: Timestamp) -> Option<String> {
        let silence = now.since(self.active);
        let limit = limit.map(|limit| format!(" of {}", written(limit)));
        let limit = limit.unwrap_or_default();
        (silence >= SILENCE).then(|| format!("silent for {}{limit}", written(silence)))
    }
}

impl Call {
    /// The last thing that the agent did or said.
    fn latest(&self) -> Option<String> {
        let does = self.does.as_ref();
        let does = does.map(|AgentAction { kind, target }| format!("{} {target}", kind.as_str()));
        match self.says_last {
            true => self.says.clone().or(does),
            false => does.or_else(|| self.says.clone()),
        }
    }
}

impl Purpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Setup => "setting up",
            Self::Proof => "testing",
            Self::Landing => "testing before landing",
            Self::Search => "finding what broke a task",
        }
    }
}

impl CommandView {
    fn tests(&self) -> Option<String> {
        let count = usize::try_from(self.tests?).unwrap_or(usize::MAX);
        Some(plural(count, "test", "tests"))
    }

    /// The last line of its output, or the command until it prints one.
    fn line(&self) -> String {
        let line = one_line(&self.line);
        match line.is_empty() {
            true => one_line(&self.command),
            false => line,
        }
    }
}

/// A time in whole seconds.
fn written(time: Duration) -> String {
    write_duration(Duration::from_secs(time.as_secs()))
}

/// A count in four digits at most: `812`, `12.3k`, `4.5M`.
fn thousands(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}.{}k", count / 1_000, count % 1_000 / 100),
        _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

/// An amount in cents; less than one is shown as such.
fn dollars(micro: u64) -> String {
    match micro / 10_000 {
        0 => "under $0.01".to_owned(),
        cents => format!("${}.{:02}", cents / 100, cents % 100),
    }
}

/// As many of the parts as fit, the last of them shortened.
fn joined(parts: &[String], width: usize) -> String {
    let mut line = String::new();
    let mut left = width;
    for part in parts {
        let between = if line.is_empty() { "" } else { BETWEEN };
        let room = left.saturating_sub(between.width());
        let Some(part) = shortened(part, room) else {
            break;
        };
        left = room - part.width();
        line.push_str(between);
        line.push_str(&part);
        if part.ends_with('…') {
            break;
        }
    }
    line
}

/// The string, cut after a word where it is wider than `width`; `None` where not even its
/// first word fits.
fn shortened(text: &str, width: usize) -> Option<String> {
    if text.width() <= width {
        return Some(text.to_owned());
    }
    let ends = text.match_indices(' ').map(|(end, _)| &text[..end]);
    let fitting = ends.take_while(|start| start.width() + 2 <= width);
    fitting.last().map(|start| format!("{start} …"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_after_a_word() {
        for (text, width, expected) in [
            ("reads specs/x.md", 16, Some("reads specs/x.md")),
            ("reads specs/x.md", 15, Some("reads …")),
            ("reads specs/x.md", 7, Some("reads …")),
            ("reads specs/x.md", 6, None),
            ("specs/x.md", 9, None),
            ("", 0, Some("")),
            ("日本 語", 6, Some("日本 …")),
            ("日本 語", 5, None),
        ] {
            assert_eq!(
                shortened(text, width).as_deref(),
                expected,
                "{text} {width}"
            );
        }
    }

    #[test]
    fn parts_that_do_not_fit_are_left_out() {
        let parts = ["one", "two three", "four"].map(str::to_owned);
        for (width, expected) in [
            (30, "one · two three · four"),
            (21, "one · two three"),
            (14, "one · two …"),
            (10, "one"),
            (2, ""),
        ] {
            assert_eq!(joined(&parts, width), expected, "{width}");
        }
    }

    #[test]
    fn figures_are_short() {
        for (seconds, text) in [
            (0, "0s"),
            (59, "59s"),
            (72, "1m12s"),
            (600, "10m"),
            (3_601, "1h1s"),
        ] {
            assert_eq!(written(Duration::from_secs(seconds)), text);
        }
        for (count, text) in [(999, "999"), (12_345, "12.3k"), (4_560_000, "4.5M")] {
            assert_eq!(thousands(count), text);
        }
        for (micro, text) in [
            (9_999, "under $0.01"),
            (123_456, "$0.12"),
            (12_000_000, "$12.00"),
        ] {
            assert_eq!(dollars(micro), text);
        }
    }
}
