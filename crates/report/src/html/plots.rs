//! Plots of the rounds of a run: what each shows is also there in figures.

use std::collections::BTreeMap;

use review_types::{Finding, FindingStatus, Score};

use super::Html;
use crate::run::RunReport;

/// The classes of series, each a colour.
const COLOURS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// The size of a plot, and of the room for its axes and names.
const WIDTH: f64 = 950.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 36.0;
const RIGHT: f64 = 240.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 26.0;

impl Html {
    /// Writes a drawing of this size, which is as wide as the page.
    pub(super) fn plot(
        &mut self,
        name: &str,
        (width, height): (f64, f64),
        content: impl FnOnce(&mut Self),
    ) {
        let box_of = format!("0 0 {width} {height}");
        let attributes = [("viewBox", &*box_of), ("role", "img"), ("aria-label", name)];
        self.tag("div.scroll", |html| {
            html.tag_with("svg.plot", &attributes, content)
        });
    }

    /// Writes a drawing of this size, which may be wider than the page.
    pub(super) fn drawing(
        &mut self,
        name: &str,
        (width, height): (f64, f64),
        content: impl FnOnce(&mut Self),
    ) {
        let (width, height) = (figure(width), figure(height));
        let attributes = [
            ("width", &*width),
            ("height", &*height),
            ("role", "img"),
            ("aria-label", name),
        ];
        self.tag("div.scroll", |html| {
            html.tag_with("svg", &attributes, content)
        });
    }

    /// Writes a path of straight lines.
    pub(super) fn line(&mut self, class: &str, points: &[(f64, f64)]) {
        let points = points.iter();
        let points = points.map(|(x, y)| format!("{},{}", figure(*x), figure(*y)));
        let path = format!("M{}", points.collect::<Vec<_>>().join("L"));
        self.empty(&format!("path.{class}"), &[("d", &path)]);
    }

    pub(super) fn rect(
        &mut self,
        class: &str,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        title: &str,
    ) {
        let [x, y, width, height] = [x, y, width, height].map(figure);
        let place = [
            ("x", &*x),
            ("y", &*y),
            ("width", &*width),
            ("height", &*height),
        ];
        self.tag_with(&format!("rect.{class}"), &place, |html| match title {
            "" => {}
            title => html.leaf("title", title),
        });
    }

    /// Writes text. It starts at its place, unless its class is `middle` or `end`.
    pub(super) fn label(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let (x, y) = (figure(x), figure(y));
        let place = [("x", &*x), ("y", &*y)];
        self.tag_with(&format!("text.{class}"), &place, |html| html.text(text));
    }
}

/// A coordinate, to a tenth.
fn figure(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    format!("{rounded}")
}

/// A bar in a table, as long as its part of the most.
pub(super) fn bar(html: &mut Html, value: u64, most: u64) {
    const LENGTH: f64 = 90.0;
    let part = as_f64(value) / as_f64(most.max(1));
    swatch(html, "a", LENGTH, (LENGTH * part).max(1.0));
}

/// A bar of a colour in room of this width.
fn swatch(html: &mut Html, colour: &str, room: f64, width: f64) {
    let room = figure(room);
    let attributes = [("width", &*room), ("height", "10"), ("aria-hidden", "true")];
    html.tag_with(&format!("svg.{colour}"), &attributes, |html| {
        html.rect("bar", (0.0, 1.0), (width, 8.0), "");
    });
}

#[expect(clippy::cast_precision_loss, reason = "a plot is less exact than that")]
pub(super) fn as_f64(value: u64) -> f64 {
    value as f64
}

/// The scores of the criteria by round, with their minimum; nothing for a single round,
/// whose scores are in its line.
pub(super) fn scores(html: &mut Html, report: &RunReport, criteria: &[(String, Score)]) {
    let rounds = &report.iterations;
    let mut series: BTreeMap<&str, Vec<(usize, f64)>> = BTreeMap::new();
    for (at, round) in rounds.iter().enumerate() {
        for (name, score) in round.score.iter() {
            series
                .entry(name.as_str())
                .or_default()
                .push((at, value_of(score)));
        }
    }
    if rounds.len() < 2 || series.is_empty() {
        return;
    }
    let step = (WIDTH - LEFT - RIGHT) / as_f64((rounds.len() - 1) as u64);
    let x = |at: usize| LEFT + step * as_f64(at as u64);
    let y = |score: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - score / 100.0);
    html.section("scores", "Scores by round", |html| {
        html.plot("scores by round", (WIDTH, HEIGHT), |html| {
            for score in [0.0, 25.0, 50.0, 75.0, 100.0] {
                html.line("grid", &[(LEFT, y(score)), (WIDTH - RIGHT, y(score))]);
                html.label("axis end", (LEFT - 8.0, y(score) + 4.0), &figure(score));
            }
            for (at, round) in rounds.iter().enumerate() {
                let number = round.iteration.to_string();
                html.label("axis middle", (x(at), HEIGHT - 8.0), &number);
            }
            let minimum = |name: &str| {
                let mut found = criteria.iter().filter(|(criterion, _)| criterion == name);
                found.next().map(|(_, score)| value_of(*score))
            };
            let mut minima: Vec<_> = series.keys().filter_map(|name| minimum(name)).collect();
            minima.sort_by(f64::total_cmp);
            minima.dedup();
            for minimum in minima {
                html.line(
                    "minimum",
                    &[(LEFT, y(minimum)), (WIDTH - RIGHT, y(minimum))],
                );
            }
            let last = |points: &[(usize, f64)]| points.last().map_or(0.0, |(_, score)| *score);
            let mut ordered: Vec<_> = series.iter().zip(COLOURS.iter().cycle()).collect();
            ordered.sort_by(|((_, one), _), ((_, other), _)| last(other).total_cmp(&last(one)));
            let mut free = f64::MIN;
            for ((name, points), colour) in ordered {
                let place: Vec<_> = points
                    .iter()
                    .map(|(at, score)| (x(*at), y(*score)))
                    .collect();
                html.tag(&format!("g.{colour}"), |html| series_of(html, &place));
                free = (y(last(points)) + 4.0).max(free + 17.0);
                let score = last(points);
                let needs = minimum(name).map(|least| match score < least {
                    true => format!(" · ✗ needs {}", figure(least)),
                    false => format!(" · ✓ needs {}", figure(least)),
                });
                let text = format!("{name} {}{}", figure(score), needs.unwrap_or_default());
                html.label(
                    &format!("own {colour}"),
                    (WIDTH - RIGHT + 12.0, free),
                    &text,
                );
            }
        });
        html.leaf("p.legend", "dashed: the score that is needed");
    });
}

fn value_of(score: Score) -> f64 {
    as_f64(i64::from(score).unsigned_abs())
}

fn series_of(html: &mut Html, points: &[(f64, f64)]) {
    html.line("series", points);
    for (x, y) in points {
        let (x, y) = (figure(*x), figure(*y));
        html.empty("circle.mark", &[("cx", &x), ("cy", &y), ("r", "3")]);
    }
}

/// The outcome of findings in each round.
pub(super) fn findings(html: &mut Html, report: &RunReport) {
    let rounds = &report.iterations;
    if rounds.len() < 2 || report.ledger.is_empty() {
        return;
    }
    const KINDS: [(&str, &str); 3] = [
        ("b", "raised"),
        ("c", "fixed"),
        ("a", "open after its applier"),
    ];
    let counts: Vec<[usize; 3]> = rounds
        .iter()
        .map(|round| {
            let number = round.iteration;
            let findings = || report.ledger.iter();
            let is_fixed = |one: &&Finding| {
                let mut history = one.history.iter();
                history
                    .any(|change| change.round == number && change.status == FindingStatus::Fixed)
            };
            [
                round.feedback.len(),
                findings().filter(is_fixed).count(),
                findings().filter(|one| is_open_after(one, number)).count(),
            ]
        })
        .collect();
    let most = counts.iter().flatten().copied().max().unwrap_or(1).max(1);
    const TALL: f64 = 150.0;
    let step = ((WIDTH - LEFT) / as_f64(rounds.len() as u64)).min(140.0);
    let wide = (step - 24.0) / 3.0;
    html.section("counts", "Findings by round", |html| {
        html.plot("findings by round", (WIDTH, TALL), |html| {
            let bottom = TALL - BOTTOM;
            html.line(
                "grid",
                &[
                    (LEFT, bottom),
                    (LEFT + step * as_f64(rounds.len() as u64), bottom),
                ],
            );
            for (at, (round, counts)) in rounds.iter().zip(&counts).enumerate() {
                let left = LEFT + step * as_f64(at as u64) + 12.0;
                let number = round.iteration.to_string();
                html.label("axis middle", (left + wide * 1.5, TALL - 8.0), &number);
                for (place, ((colour, _), count)) in KINDS.iter().zip(counts).enumerate() {
                    let height =
                        (bottom - TOP - 16.0) * as_f64(*count as u64) / as_f64(most as u64);
                    let x = left + wide * as_f64(place as u64);
                    html.tag(&format!("g.{colour}"), |html| {
                        html.rect(
                            "bar",
                            (x + 1.0, bottom - height),
                            ((wide - 2.0).max(1.0), height),
                            "",
                        );
                    });
                    html.label(
                        "middle",
                        (x + wide / 2.0, bottom - height - 5.0),
                        &count.to_string(),
                    );
                }
            }
        });
        legend(html, &KINDS);
    });
}

/// Says in words what colours are, in the order of the bars.
pub(super) fn legend(html: &mut Html, kinds: &[(&str, &str)]) {
    html.tag("p.legend", |html| {
        for (colour, name) in kinds {
            html.tag("span", |html| {
                swatch(html, colour, 10.0, 10.0);
                html.text(name);
            });
        }
    });
}

fn is_open_after(finding: &Finding, round: u32) -> bool {
    let raised = finding.raised.first().is_some_and(|first| *first <= round);
    let mut history = finding.history.iter().rev();
    let status = history
        .find(|change| change.round <= round)
        .map(|change| change.status);
    let is_open = |status| {
        matches!(
            status,
            FindingStatus::Open | FindingStatus::Partial | FindingStatus::Disputed
        )
    };
    raised && status.is_none_or(is_open)
}
