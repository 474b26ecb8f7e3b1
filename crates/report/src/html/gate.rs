//! The page of a gate.

use std::time::Duration;

use super::{Delivery, Html, known, page, sign};
use crate::gate::{Claim, GateReport, SpecGate};
use crate::text::seconds;

/// The page of a gate, those claims first that do not hold.
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
        compared(html, report);
        if report.specs.is_empty() {
            return;
        }
        html.section("claims", "Claims", |html| {
            html.table("status, claim, spec, #tests, #time", |html| {
                html.rows(report.ordered_claims(), |html, (spec, claim)| {
                    row(html, spec, claim)
                });
            });
        });
        outputs(html, report);
    })
}

fn row(html: &mut Html, spec: &SpecGate, claim: &Claim) {
    let (class, sign) = match claim.holds() {
        true => ("good whole", "✓"),
        false => ("bad whole", "✗"),
    };
    html.leaf(&format!("td.{class}"), &format!("{sign} {}", claim.status));
    html.tag("td.wide", |html| {
        html.text(&claim.name);
        let remark = claim.remark();
        if !remark.is_empty() {
            html.leaf("div.faint", &remark);
        }
    });
    html.leaf("td", &spec.seen(&spec.spec));
    html.leaf("td.number", &known(claim.tests_run));
    let took = Duration::try_from_secs_f64(claim.seconds).unwrap_or_default();
    let took = match took.as_millis() {
        0 => String::new(),
        _ => seconds(took),
    };
    html.leaf("td.number", &took);
}

/// What differs from the base of a change, and what is wrong with units.
fn compared(html: &mut Html, report: &GateReport) {
    for compared in &report.compared {
        html.section("base", &compared.heading(), |html| {
            html.tag("ul.plain", |html| {
                for change in &compared.changes {
                    html.tag("li", |html| {
                        let class = if change.fails() { "bad" } else { "warn" };
                        html.leaf(&format!("b.{class}"), &format!("{} ", change.level));
                        html.leaf("code", &compared.place(change));
                        html.text(&format!(" {}", change.sentence()));
                    });
                }
            });
        });
    }
    let faults = report
        .specs
        .iter()
        .flat_map(|spec| spec.faults.iter().map(|fault| spec.seen(fault)));
    let faults: Vec<_> = faults.collect();
    if !faults.is_empty() {
        html.section("faults", "Faults", |html| {
            html.tag("ul.plain", |html| {
                faults.iter().for_each(|fault| html.leaf("li", fault));
            });
        });
    }
}

/// The end of what failed.
fn outputs(html: &mut Html, report: &GateReport) {
    let failed: Vec<_> = report
        .open_claims()
        .filter(|(_, claim)| !claim.output.is_empty())
        .collect();
    if failed.is_empty() {
        return;
    }
    html.section("outputs", "Output of what failed", |html| {
        for (spec, claim) in failed {
            html.tag_with("details", &[("open", "")], |html| {
                let name = format!("{} · {}", spec.seen(&spec.spec), claim.name);
                html.leaf("summary", &name);
                html.tag("div", |html| html.leaf("pre", &claim.output));
            });
        }
    });
}
