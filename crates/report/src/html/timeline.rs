//! The steps of a run on an axis of time.

use std::time::Duration;

use review_types::{Timestamp, plural};

use super::Html;
use super::plots::{as_f64, legend};
use crate::run::{Span, SpanKind, SpanState, Timeline};
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

/// The rows of a timeline: each round and task with its steps below it.
pub(super) fn timeline(html: &mut Html, timeline: &Timeline, now: Timestamp) {
    let spans = timeline.spans();
    if spans.len() < 2 {
        return;
    }
    let axis = Axis::of(spans, now);
    let is_group = |span: &Span| matches!(span.kind, SpanKind::Round | SpanKind::Task);
    let all = spans.len() - 1;
    let rows: Vec<&Span> = spans
        .iter()
        .enumerate()
        .filter(|(_, span)| span.parent == Some(0))
        .flat_map(|(at, span)| {
            let parts = spans
                .iter()
                .filter(move |part| part.parent == Some(at) && at > 0);
            std::iter::once(span).chain(parts)
        })
        .filter(|span| all <= MAX_ROWS || is_group(span))
        .collect();
    html.section("timeline", "Timeline", |html| {
        let height = TOP + ROW * as_f64(rows.len() as u64) + 6.0;
        html.plot("timeline", (WIDTH, height), |html| {
            axis.draw(html, height);
            for (at, span) in rows.iter().enumerate() {
                let y = TOP + ROW * as_f64(at as u64);
                row(html, &axis, span, y, now);
            }
        });
        let is_used =
            |(kind, _): &&(&str, &str)| rows.iter().any(|span| colour(span) == Some(*kind));
        let used: Vec<_> = KINDS.iter().filter(is_used).copied().collect();
        legend(html, &used);
        if rows.len() < all {
            let left_out = plural(all - rows.len(), "step", "steps");
            html.leaf("p.faint", &format!("{left_out} of them not drawn"));
        }
    });
}

fn row(html: &mut Html, axis: &Axis, span: &Span, y: f64, now: Timestamp) {
    let end = span.end.unwrap_or(now).max(span.start);
    let (from, to) = (axis.x(span.start), axis.x(end));
    let middle = y + 14.0;
    let (name, class, x) = match span.kind {
        SpanKind::Round => (format!("round {}", span.name), "strong", 0.0),
        SpanKind::Task => (format!("task {}", span.name), "strong", 0.0),
        SpanKind::Run | SpanKind::Step | SpanKind::Wait => (short(span), "", 12.0),
    };
    html.label(class, (x, middle), &name);
    let took = seconds(end.since(span.start));
    let state = match span.state {
        SpanState::Open => ", going on",
        SpanState::Interrupted => ", cut off",
        SpanState::Finished => "",
    };
    let by = span
        .by
        .as_ref()
        .map(|by| format!(" · {}", crate::run::agent(by)));
    let title = format!("{} · {took}{state}{}", span.name, by.unwrap_or_default());
    let wide = (to - from).max(1.5);
    match colour(span) {
        None => html.rect("group", (from, y + 8.0), (wide, 4.0), &title),
        Some(colour) => html.tag(&format!("g.{colour}"), |html| {
            let class = match span.state {
                SpanState::Finished => "bar",
                SpanState::Open | SpanState::Interrupted => "bar open",
            };
            html.rect(class, (from, y + 4.0), (wide, 12.0), &title);
        }),
    }
    let mark = match span.state {
        SpanState::Finished => "",
        SpanState::Open => "… ",
        SpanState::Interrupted => "✗ ",
    };
    html.label("faint end", (WIDTH, middle), &format!("{mark}{took}"));
}

/// The colour of a step; `None` for a round or task.
fn colour(span: &Span) -> Option<&'static str> {
    let (_, word) = span.name.rsplit_once('/').unwrap_or_default();
    let word = word.split(['-', '.']).next().unwrap_or_default();
    let place = match (span.kind, word) {
        (SpanKind::Run | SpanKind::Round | SpanKind::Task, _) => return None,
        (SpanKind::Step, "review") => 0,
        (SpanKind::Step, "apply") => 1,
        (SpanKind::Step, "work") => 2,
        (SpanKind::Step, "gate" | "run" | "command" | "check" | "checkout") => 3,
        (SpanKind::Step | SpanKind::Wait, _) => 4,
    };
    Some(KINDS[place].0)
}

/// The name of a step within its round or task.
fn short(span: &Span) -> String {
    let name = match (span.parent, span.name.rsplit_once('/')) {
        (Some(1..), Some((_, name))) => name,
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
            .filter(|span| matches!(span.kind, SpanKind::Step | SpanKind::Wait))
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

    /// Draws times since the start of the run, and what is left out.
    fn draw(&self, html: &mut Html, height: f64) {
        let mut spent = Duration::ZERO;
        for (at, (start, end, x)) in self.pieces.iter().enumerate() {
            if at > 0 {
                let (_, before, _) = self.pieces[at - 1];
                let middle = x - GAP / 2.0;
                html.line("minimum", &[(middle, TOP), (middle, height)]);
                let idle = seconds(start.since(before));
                html.label("axis middle", (middle, 10.0), &format!("idle {idle}"));
            }
            let length = end.since(*start);
            let step = tick(Duration::from_secs_f64(90.0 / self.scale / 1000.0));
            let mut next = Duration::ZERO;
            while next <= length {
                let place = x + next.as_secs_f64() * 1000.0 * self.scale;
                html.line("grid", &[(place, TOP), (place, height)]);
                let since = spent + next;
                let text = if since.is_zero() {
                    "0".to_owned()
                } else {
                    seconds(since)
                };
                if at == 0 || next > Duration::ZERO {
                    html.label("axis middle", (place, 20.0), &text);
                }
                next += step;
            }
            spent += length;
        }
    }
}

/// The shortest usual distance of two marks that is no shorter than this.
fn tick(least: Duration) -> Duration {
    const USUAL: [u64; 18] = [
        1, 10, 50, 100, 500, 1_000, 5_000, 10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000,
        3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000,
    ];
    let usual = USUAL
        .into_iter()
        .map(Duration::from_millis)
        .find(|usual| *usual >= least);
    usual.unwrap_or(least)
}
