//! The page of a gate.

use std::time::Duration;

use super::{Delivery, Html, known, page, sign};
use crate::gate::{GateReport, Row};
use crate::text::seconds;

/// The page of a gate, those rows first that fail it.
#[must_use]
pub fn gate(report: &GateReport) -> String {
    page("ralph gate", Delivery::File, |html| {
        html.tag("header", |html| {
            html.leaf("h1", "ralph gate");
            html.tag("p.outcome", |html| {
                let (class, sign) = sign(Some(report.outcome));
                let outcome = report.outcome;
                html.leaf(&format!("b.{class}"), &format!("{sign} {outcome}"));
                html.text(&format!(": {}", report.counts()));
            });
            for warning in &report.warnings {
                html.tag("p", |html| {
                    html.leaf("b.warn", "warning ");
                    html.text(warning);
                });
            }
        });
        html.next(&report.next);
        let mut rows = report.rows();
        rows.sort_by_key(|row| !row.kind.fails());
        if rows.is_empty() {
            return;
        }
        html.section("claims", "Claims", |html| {
            html.table("status, claim, spec, #tests, #time", |html| {
                html.rows(&rows, row);
            });
        });
        outputs(html, &rows);
    })
}

fn row(html: &mut Html, row: &Row<'_>) {
    let (class, sign) = match row.kind.fails() {
        false => ("good whole", "✓"),
        true => ("bad whole", "✗"),
    };
    html.leaf(&format!("td.{class}"), &format!("{sign} {}", row.state));
    html.tag("td.wide", |html| {
        html.text(&row.name);
        if !row.remark.is_empty() {
            html.leaf("div.faint", &row.remark);
        }
    });
    html.leaf("td", &row.of);
    html.leaf("td.number", &known(row.tests_run));
    let took = Duration::try_from_secs_f64(row.seconds).unwrap_or_default();
    let took = (took.as_millis() > 0).then(|| seconds(took));
    html.leaf("td.number", &known(took));
}

/// The end of what failed.
fn outputs(html: &mut Html, rows: &[Row<'_>]) {
    let failed: Vec<_> = rows.iter().filter(|row| !row.output.is_empty()).collect();
    if failed.is_empty() {
        return;
    }
    html.section("outputs", "Output of what failed", |html| {
        for row in failed {
            html.tag_with("details", &[("open", "")], |html| {
                html.leaf("summary", &format!("{} · {}", row.of, row.name));
                html.tag("div", |html| html.leaf("pre", row.output));
            });
        }
    });
}
