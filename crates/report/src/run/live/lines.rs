//! The lines of the view, by the width of the terminal.

use std::collections::BTreeMap;
use std::time::Duration;

use review_events::{ActionKind, AgentAction, AgentRole};
use review_types::{Timestamp, plural};
use unicode_width::UnicodeWidthStr as _;

use super::{Call, CommandView, LiveView, Purpose, Running, Work};
use crate::run::calls::turn;
use crate::text::one_line;

/// From this silence on it is shown.
const SILENCE: Duration = Duration::from_secs(30);

/// The most pieces of work that are shown.
const MAX_SHOWN: usize = 8;

/// What happens to a task of which no command and no agent runs.
const PREPARING: &str = "preparing";

/// The separator of two parts of a line.
const BETWEEN: &str = " · ";

/// How much room there is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    /// One line.
    Narrow,
    /// Three lines.
    Medium,
    /// Four lines.
    Wide,
}

impl Room {
    fn of(width: usize) -> Self {
        match width {
            0..60 => Self::Narrow,
            60..100 => Self::Medium,
            100.. => Self::Wide,
        }
    }
}

impl LiveView {
    /// The lines at this time, none wider than `width` columns. The first begins with
    /// `mark`: how far a run of several tasks is, or what runs. Several pieces of work have
    /// a line each.
    #[must_use]
    pub fn lines(&self, mark: char, width: usize, now: Timestamp) -> Vec<String> {
        let room = Room::of(width);
        // A mark and a blank.
        let inner = width.saturating_sub(2);
        let head = self.progress(now);
        let mut lines: Vec<_> = head
            .iter()
            .map(|parts| format!("{mark} {}", joined(parts, inner)))
            .collect();
        for running in self.running.iter().take(MAX_SHOWN) {
            let parts = match self.running.len() {
                1 => self.lines_of(running, room, now),
                _ => vec![self.line_of(running, room, now)],
            };
            let work = parts.into_iter().map(|parts| joined(&parts, inner));
            let work = work.filter(|line| !line.is_empty()).enumerate();
            lines.extend(work.map(|(index, line)| match (index, &head) {
                (0, None) => format!("{mark} {line}"),
                _ => format!("  {line}"),
            }));
        }
        if let more @ 1.. = self.running.len().saturating_sub(MAX_SHOWN) {
            lines.push(format!("  and {more} more"));
        }
        lines
    }

    /// How far the tasks of the run are, its time and its cost; `None` while none runs, and
    /// where there is one task alone.
    fn progress(&self, now: Timestamp) -> Option<Vec<String>> {
        let all = self.tasks?.saturating_sub(self.not_selected);
        if all < 2 {
            return None;
        }
        let done = self.ended.values().filter(|state| state.meets_dependency());
        let mut parts = vec![format!("{} of {all} done", done.count())];
        if !self.open.is_empty() {
            parts.push(format!("{} running", self.open.len()));
        }
        let mut others: BTreeMap<&str, usize> = BTreeMap::new();
        for state in self
            .ended
            .values()
            .filter(|state| !state.meets_dependency())
        {
            *others.entry(state.as_str()).or_default() += 1;
        }
        let others = others.into_iter().filter(|(word, _)| *word != "not_run");
        parts.extend(others.map(|(word, count)| format!("{count} {}", word.replace('_', " "))));
        parts.extend(self.since.map(|since| written(now.since(since))));
        let calls = self
            .running
            .iter()
            .filter_map(|running| match &running.work {
                Work::Call(call) => call.usage?.cost_micro_usd,
                Work::Command(_) | Work::Between | Work::Pause { .. } => None,
            });
        let cost = calls.fold(self.usage.cost_micro_usd, u64::saturating_add);
        let limit = self.max_cost.map(|limit| format!(" of ${limit}"));
        (cost > 0).then(|| parts.push(format!("{}{}", dollars(cost), limit.unwrap_or_default())));
        Some(parts)
    }

    /// All that is known of a piece of work, in lines of parts.
    fn lines_of(&self, running: &Running, room: Room, now: Timestamp) -> Vec<Vec<String>> {
        if room == Room::Narrow {
            return vec![self.line_of(running, room, now)];
        }
        let silence = running.silence(now);
        match &running.work {
            Work::Call(call) => {
                let mut first = self.named(running);
                first.extend(self.turn(call, room));
                first.push(running.elapsed(call.time_limit, now));
                let mut second = vec![call.agent.clone()];
                second.extend(call.model.clone());
                second.extend(self.consumed(call));
                let (mut third, mut fourth) = match room {
                    Room::Wide => (call.does(room), call.says.clone()),
                    Room::Narrow | Room::Medium => (call.latest(room), None),
                };
                if third.is_none() {
                    third = fourth.take();
                }
                let third = third.into_iter().chain(silence);
                vec![first, second, third.collect(), fourth.into_iter().collect()]
            }
            Work::Command(command) => {
                let mut first = self.named(running);
                first.extend(command.what(room).map(str::to_owned));
                first.push(running.elapsed(command.time_limit, now));
                let mut second = command.tests();
                second.push(one_line(&command.command));
                let third = command.line().into_iter().chain(silence);
                vec![first, second, third.collect()]
            }
            Work::Between | Work::Pause { .. } => vec![self.line_of(running, room, now)],
        }
    }

    /// The most important parts, in the order of their weight.
    fn line_of(&self, running: &Running, room: Room, now: Timestamp) -> Vec<String> {
        let silence = running.silence(now);
        let time = written(now.since(running.started));
        match &running.work {
            Work::Call(call) => {
                let mut parts = self.named(running);
                match room {
                    Room::Narrow if parts.is_empty() => {
                        let turn = self.turn(call, room).concat();
                        parts.push(format!("{turn} {time}"));
                    }
                    Room::Narrow => {
                        parts[0] = format!("{} {} {time}", parts[0], call.what());
                        parts.truncate(1);
                    }
                    Room::Medium | Room::Wide => {
                        parts.extend(self.turn(call, room));
                        parts.push(time);
                    }
                }
                parts.extend(silence.or_else(|| call.latest(room)));
                parts.push(call.agent.clone());
                parts
            }
            Work::Command(command) => {
                let what = command.what(room).map(str::to_owned);
                let mut named = self.named(running).into_iter().chain(what);
                let name = named.next().unwrap_or_default();
                let mut parts = Vec::new();
                match room {
                    Room::Narrow => {
                        parts.push(format!("{name} {time}"));
                        parts.extend(command.tests());
                        parts.extend(silence);
                        parts.extend(named);
                    }
                    Room::Medium | Room::Wide => {
                        parts.push(name);
                        parts.extend(named);
                        parts.push(running.elapsed(command.time_limit, now));
                        parts.extend(command.tests());
                        parts.extend(silence);
                    }
                }
                parts.extend(command.line());
                parts
            }
            Work::Between => {
                let mut parts = self.named(running);
                match (room, parts.first_mut()) {
                    (Room::Narrow, Some(name)) => *name = format!("{name} {PREPARING} {time}"),
                    _ => parts.extend([PREPARING.to_owned(), time]),
                }
                parts
            }
            Work::Pause { role, until } => {
                let role = role.as_str();
                let left = written(until.since(now));
                vec![format!("the {role} is asked again in {left}")]
            }
        }
    }

    /// The round or attempt, and what is done in it.
    fn turn(&self, call: &Call, room: Room) -> Vec<String> {
        let (turn, number) = (turn(call.role), call.iteration);
        let max = match call.role {
            AgentRole::Reviewer | AgentRole::Applier => self.max_iterations,
            AgentRole::Implementer => None,
        };
        let max = max.filter(|max| *max >= number);
        let what = call.what();
        match (room, max) {
            (Room::Narrow, Some(max)) => vec![format!("{number}/{max} {what}")],
            (Room::Narrow, None) => vec![format!("{number} {what}")],
            (_, Some(max)) => vec![format!("{turn} {number} of {max}"), what.to_owned()],
            (_, None) => vec![format!("{turn} {number}"), what.to_owned()],
        }
    }

    /// The tokens and the cost of the run so far, if known.
    fn consumed(&self, call: &Call) -> Option<String> {
        let mut usage = self.usage;
        if call.usage.is_some() {
            usage.add(call.usage.as_ref());
        }
        let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
        let tokens = (tokens > 0).then(|| format!("{} tokens", thousands(tokens)));
        let cost = (usage.cost_micro_usd > 0).then(|| dollars(usage.cost_micro_usd));
        let known: Vec<_> = [tokens, cost].into_iter().flatten().collect();
        (!known.is_empty()).then(|| format!("{} so far", known.join(", ")))
    }

    /// The task that something is done for, with its title.
    fn named(&self, running: &Running) -> Vec<String> {
        running.task.map_or_else(Vec::new, |task| {
            let title = self.titles.get(&task).map(|title| one_line(title));
            std::iter::once(format!("task {task}"))
                .chain(title)
                .collect()
        })
    }
}

impl Running {
    /// The time since the start, and its limit.
    fn elapsed(&self, limit: Option<Duration>, now: Timestamp) -> String {
        let elapsed = written(now.since(self.started));
        match limit {
            Some(limit) => format!("{elapsed} of {}", written(limit)),
            None => elapsed,
        }
    }

    /// How long nothing was printed, if that is long.
    fn silence(&self, now: Timestamp) -> Option<String> {
        let silence = now.since(self.active);
        let limit = match &self.work {
            Work::Call(call) => call.idle_limit,
            Work::Command(_) => None,
            Work::Between | Work::Pause { .. } => return None,
        };
        let limit = limit.map(|limit| format!(" of {}", written(limit)));
        (silence >= SILENCE).then(|| {
            let limit = limit.unwrap_or_default();
            format!("silent for {}{limit}", written(silence))
        })
    }
}

impl Call {
    fn what(&self) -> &'static str {
        match (self.asked_again, self.role) {
            (true, _) => "asking again",
            (false, AgentRole::Reviewer) => "reviewing",
            (false, AgentRole::Applier) => "applying",
            (false, AgentRole::Implementer) => "implementing",
        }
    }

    /// The last thing that the agent did or said.
    fn latest(&self, room: Room) -> Option<String> {
        match self.says_last {
            true => self.says.clone().or_else(|| self.does(room)),
            false => self.does(room).or_else(|| self.says.clone()),
        }
    }

    /// Its last use of a tool, such as `reads specs/x.md`; without the folder where room
    /// is short.
    fn does(&self, room: Room) -> Option<String> {
        let AgentAction { kind, target } = self.does.as_ref()?;
        let target = match (room, kind) {
            (Room::Narrow, ActionKind::Reads | ActionKind::Edits) => {
                target.rsplit('/').next().unwrap_or(target)
            }
            _ => target,
        };
        Some(format!("{} {target}", kind.as_str()))
    }
}

impl CommandView {
    /// What it is run for, where the task that is named with it does not say so.
    fn what(&self, room: Room) -> Option<&'static str> {
        match (self.purpose, room) {
            (Purpose::Check, _) => Some("check"),
            (Purpose::Setup, _) => Some("setting up"),
            (Purpose::Landing, _) => Some("testing before landing"),
            (Purpose::Search, _) => Some("finding what broke a task"),
            (Purpose::Proof, Room::Narrow) => None,
            (Purpose::Proof, Room::Medium | Room::Wide) => Some("testing"),
        }
    }

    fn tests(&self) -> Vec<String> {
        let tests = self.tests.map(|tests| {
            let count = usize::try_from(tests).unwrap_or(usize::MAX);
            plural(count, "test", "tests")
        });
        tests.into_iter().collect()
    }

    /// The last line of its output.
    fn line(&self) -> Option<String> {
        Some(one_line(&self.line)).filter(|line| !line.is_empty())
    }
}

/// Whole seconds, minutes and hours, without those that are nothing after the first.
fn written(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let units = [(hours, "h"), (minutes, "m"), (seconds, "s")].into_iter();
    let units = units.filter(|(count, _)| *count > 0);
    let text: String = units
        .map(|(count, unit)| format!("{count}{unit}"))
        .collect();
    match text.is_empty() {
        true => "0s".to_owned(),
        false => text,
    }
}

/// A count in four digits at most: `812`, `12.3k`, `4.5M`.
fn thousands(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}.{}k", count / 1_000, count % 1_000 / 100),
        _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

/// An amount in cents; less than one is said to be so.
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
