//! The steps of a run on an axis of time.

use std::collections::BTreeMap;
use std::time::Duration;

use review_types::{Timestamp, plural};

use super::plots::{as_f64, legend};
use super::{Html, known};
use crate::run::{Span, SpanGroup, SpanKind, SpanState, Timeline, agent};
use crate::text::seconds;

/// More rows than this are shown by round and task alone.
const MAX_ROWS: usize = 400;
/// A time in which nothing runs is left out of the axis from this length on.
const IDLE: Duration = Duration::from_secs(60);

const WIDTH: f64 = 950.0;
const ROW: f64 = 20.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = 80.0;
const TOP: f64 = 26.0;
/// The width of what is left out.
const GAP: f64 = 26.0;

/// The kinds of steps, each with its colour.
const KINDS: [(&str, &str); 5] = [
    ("a", "review"),
    ("b", "apply"),
    ("d", "implement"),
    ("c", "command"),
    ("e", "other step or pause"),
];

/// A row: a round or task with the spans in it, or one span.
enum Row<'a> {
    Group(SpanGroup, Vec<&'a Span>),
    Span(&'a Span),
}

/// Each round and task with its spans below it, and between them the other spans.
fn rows(spans: &[Span]) -> Vec<Row<'_>> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for span in spans {
        groups.entry(span.group).or_default().push(span);
    }
    let mut rows = Vec::new();
    for span in spans {
        let Some(group) = span.group else {
            rows.push(Row::Span(span));
            continue;
        };
        if let Some(parts) = groups.remove(&span.group) {
            rows.push(Row::Group(group, parts.clone()));
            rows.extend(parts.into_iter().map(Row::Span));
        }
    }
    rows
}

/// Draws the rows of a timeline.
pub(super) fn timeline(html: &mut Html, timeline: &Timeline, now: Timestamp) {
    let spans = timeline.spans();
    if spans.is_empty() {
        return;
    }
    let axis = Axis::of(spans, now);
    let mut rows = rows(spans);
    let all = rows.len();
    if all > MAX_ROWS {
        rows.retain(|row| matches!(row, Row::Group(..)));
    }
    html.section("timeline", "Timeline", |html| {
        let height = TOP + ROW * as_f64(rows.len() as u64) + 6.0;
        html.plot("timeline", (WIDTH, height), |html| {
            axis.draw(html, height);
            for (at, row) in rows.iter().enumerate() {
                let y = TOP + ROW * as_f64(at as u64);
                draw(html, &axis, row, y, now);
            }
        });
        let is_used = |(kind, _): &&(&str, &str)| {
            let mut spans = rows.iter();
            spans.any(|row| matches!(row, Row::Span(span) if colour(span) == *kind))
        };
        let used: Vec<_> = KINDS.iter().filter(is_used).copied().collect();
        legend(html, &used);
        if rows.len() < all {
            let left_out = plural(all - rows.len(), "step", "steps");
            html.leaf("p.faint", &format!("{left_out} not drawn"));
        }
    });
}

fn draw(html: &mut Html, axis: &Axis, row: &Row<'_>, y: f64, now: Timestamp) {
    let spans = match row {
        Row::Group(_, parts) => parts.as_slice(),
        Row::Span(span) => std::slice::from_ref(span),
    };
    let end_of = |span: &Span| span.end.unwrap_or(now).max(span.start);
    let Some(start) = spans.iter().map(|span| span.start).min() else {
        return;
    };
    let Some(last) = spans
        .iter()
        .max_by_key(|span| (span.end.is_none(), span.end))
    else {
        return;
    };
    let end = end_of(last);
    let (from, to) = (axis.x(start), axis.x(end));
    let (wide, middle) = ((to - from).max(1.5), y + 14.0);
    let took = seconds(end.since(start));
    let (mark, state) = match last.state {
        SpanState::Open => ("… ", ", going on"),
        SpanState::Interrupted => ("✗ ", ", cut off"),
        SpanState::Finished => ("", ""),
    };
    match row {
        Row::Group(group, _) => {
            let name = group.name();
            html.label("strong", (0.0, middle), &name);
            let title = format!("{name} · {took}{state}");
            html.rect("group", (from, y + 8.0), (wide, 4.0), &title);
        }
        Row::Span(span) => {
            html.label("", (12.0, middle), &short(span));
            let by = span.by.as_ref().map(|by| format!(" · {}", agent(by)));
            let title = format!("{} · {took}{state}{}", span.name, known(by));
            let class = match span.state {
                SpanState::Finished => "bar",
                SpanState::Open | SpanState::Interrupted => "bar open",
            };
            html.tag(&format!("g.{}", colour(span)), |html| {
                html.rect(class, (from, y + 4.0), (wide, 12.0), &title);
            });
        }
    }
    html.label("faint end", (WIDTH, middle), &format!("{mark}{took}"));
}

/// The colour of a span.
fn colour(span: &Span) -> &'static str {
    let place = match (span.kind, span.word()) {
        (SpanKind::Step, "review") => 0,
        (SpanKind::Step, "apply") => 1,
        (SpanKind::Step, "work") => 2,
        (SpanKind::Step, "gate" | "run" | "command" | "check" | "checkout") => 3,
        (SpanKind::Step | SpanKind::Wait, _) => 4,
    };
    KINDS[place].0
}

/// The name of a step within its round or task.
fn short(span: &Span) -> String {
    let name = match (span.group, span.name.rsplit_once('/')) {
        (Some(_), Some((_, name))) => name,
        _ => &span.name,
    };
    let again = match span.attempt {
        1 => String::new(),
        attempt => format!(" (start {attempt})"),
    };
    match span.kind {
        SpanKind::Wait => format!("pause of the {}", span.name),
        _ => format!("{name}{again}"),
    }
}

/// An axis from which idle times are left out.
struct Axis {
    /// The times in which something runs, with where they begin.
    pieces: Vec<(Timestamp, Timestamp, f64)>,
    /// Pixels a millisecond.
    scale: f64,
}

impl Axis {
    fn of(spans: &[Span], now: Timestamp) -> Self {
        let mut busy: Vec<(Timestamp, Timestamp)> = spans
            .iter()
            .map(|span| (span.start, span.end.unwrap_or(now).max(span.start)))
            .collect();
        busy.sort();
        let mut pieces: Vec<(Timestamp, Timestamp)> = Vec::new();
        for (start, end) in busy {
            match pieces.last_mut() {
                Some(last) if start.since(last.1) < IDLE => last.1 = last.1.max(end),
                _ => pieces.push((start, end)),
            }
        }
        let total: Duration = pieces.iter().map(|(start, end)| end.since(*start)).sum();
        let gaps = GAP * as_f64(pieces.len().saturating_sub(1) as u64);
        let room = (WIDTH - LEFT - RIGHT - gaps).max(100.0);
        let scale = room / (total.as_secs_f64() * 1000.0).max(1.0);
        let mut x = LEFT;
        let pieces = pieces.into_iter().map(|(start, end)| {
            let piece = (start, end, x);
            x += end.since(start).as_secs_f64() * 1000.0 * scale + GAP;
            piece
        });
        Self {
            pieces: pieces.collect(),
            scale,
        }
    }

    fn x(&self, at: Timestamp) -> f64 {
        let piece = self.pieces.iter().rev().find(|(start, ..)| *start <= at);
        let Some((start, end, x)) = piece.or(self.pieces.first()) else {
            return LEFT;
        };
        x + at.min(*end).since(*start).as_secs_f64() * 1000.0 * self.scale
    }

    /// Draws where something begins to run, and how long nothing did before it.
    fn draw(&self, html: &mut Html, height: f64) {
        let ends = self.pieces.iter().map(|(_, end, _)| Some(*end));
        let before = std::iter::once(None).chain(ends);
        for ((start, _, x), before) in self.pieces.iter().zip(before) {
            html.line("grid", &[(*x, TOP), (*x, height)]);
            let text = match before {
                Some(before) => format!("idle {}", seconds(start.since(before))),
                None => "0".to_owned(),
            };
            html.label("axis middle", (*x, 20.0), &text);
        }
    }
}
