//! The gate as JUnit XML: a suite for each spec, a case for each claim.

use std::fmt::Write as _;

use super::change::BaseComparison;
use super::report::{Claim, ClaimStatus, GateReport, SpecGate};
use crate::style::plain;

/// The whole document. There is at least one case in it.
#[must_use]
pub fn junit(report: &GateReport) -> String {
    let mut suites: Vec<Suite> = report.specs.iter().map(Suite::of).collect();
    suites.extend(report.compared.iter().map(Suite::compared));
    if suites.is_empty() {
        suites.push(Suite::without_specs());
    }
    let cases = suites.iter().flat_map(|suite| &suite.cases);
    let counts = counts(cases);
    let suites: String = suites.iter().map(Suite::render).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"ralph gate\" {counts}>\n{suites}</testsuites>\n"
    )
}

/// The cases of one spec, or of a gate that had none to check.
struct Suite {
    name: String,
    cases: Vec<Case>,
}

struct Case {
    name: String,
    seconds: f64,
    ending: Ending,
    /// Why it did not pass.
    reason: String,
    /// What is known of listed tests, and the end of what was printed.
    output: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Passed,
    Failure,
    Error,
    Skipped,
}

impl Suite {
    /// The review and the tasks of a spec. What is wrong with its unit is a
    /// case of its own, so that a gate that fails by it shows a failure.
    fn of(spec: &SpecGate) -> Self {
        let unit = spec.unit.as_deref().filter(|_| !spec.faults.is_empty());
        let unit = unit.map(|unit| Case {
            name: format!("unit {unit}"),
            seconds: 0.0,
            ending: Ending::Failure,
            reason: spec.faults.join("\n"),
            output: String::new(),
        });
        let claims = std::iter::once(&spec.review).chain(&spec.tasks);
        Self {
            name: spec.seen(&spec.spec),
            cases: unit.into_iter().chain(claims.map(Case::of)).collect(),
        }
    }

    /// The differences from the base of a change, or one case without differences.
    fn compared(compared: &BaseComparison) -> Self {
        let mut cases: Vec<_> = compared
            .changes
            .iter()
            .map(|change| Case {
                name: format!("{} {}", compared.place(change), change.name()),
                seconds: 0.0,
                ending: match change.fails() {
                    true => Ending::Failure,
                    false => Ending::Passed,
                },
                reason: change.sentence(),
                output: change.sentence(),
            })
            .collect();
        if cases.is_empty() {
            cases.push(Case {
                name: "what decides".to_owned(),
                seconds: 0.0,
                ending: Ending::Passed,
                reason: String::new(),
                output: compared.heading(),
            });
        }
        Self {
            name: format!("base {}", compared.base),
            cases,
        }
    }

    fn without_specs() -> Self {
        Self {
            name: "ralph gate".to_owned(),
            cases: vec![Case {
                name: "specs".to_owned(),
                seconds: 0.0,
                ending: Ending::Error,
                reason: "no spec to check".to_owned(),
                output: String::new(),
            }],
        }
    }

    fn render(&self) -> String {
        let name = escaped(&self.name);
        let cases: String = self.cases.iter().map(|case| case.render(&name)).collect();
        let counts = counts(&self.cases);
        format!("  <testsuite name=\"{name}\" {counts}>\n{cases}  </testsuite>\n")
    }
}

impl Case {
    fn of(claim: &Claim) -> Self {
        Self {
            name: claim.name.clone(),
            seconds: claim.seconds,
            ending: match claim.status {
                ClaimStatus::Recorded | ClaimStatus::Passed => Ending::Passed,
                ClaimStatus::Failed | ClaimStatus::Unclaimed => Ending::Failure,
                ClaimStatus::Skipped => Ending::Skipped,
                ClaimStatus::Unproven | ClaimStatus::NoVerdict => Ending::Error,
            },
            reason: claim.reason.clone(),
            output: match claim.note() {
                Some(note) => format!("{note}\n{}", claim.output),
                None => claim.output.clone(),
            },
        }
    }

    fn render(&self, suite: &str) -> String {
        let mut inside = String::new();
        let message = escaped(self.reason.lines().next().unwrap_or_default());
        let reason = escaped(&self.reason);
        // Writing to a String cannot fail.
        let _ = match self.ending {
            Ending::Passed => Ok(()),
            Ending::Failure => writeln!(
                inside,
                "      <failure message=\"{message}\">{reason}</failure>"
            ),
            Ending::Error => {
                writeln!(
                    inside,
                    "      <error message=\"{message}\">{reason}</error>"
                )
            }
            Ending::Skipped => writeln!(inside, "      <skipped message=\"{message}\"/>"),
        };
        if !self.output.is_empty() {
            let _ = writeln!(
                inside,
                "      <system-out>{}</system-out>",
                escaped(&plain(&self.output))
            );
        }
        let name = escaped(&self.name);
        let open = format!(
            "    <testcase classname=\"{suite}\" name=\"{name}\" time=\"{:.3}\"",
            self.seconds
        );
        match inside.is_empty() {
            true => format!("{open}/>\n"),
            false => format!("{open}>\n{inside}    </testcase>\n"),
        }
    }
}

fn counts<'c>(cases: impl IntoIterator<Item = &'c Case>) -> String {
    let cases: Vec<&Case> = cases.into_iter().collect();
    let count = |ending| cases.iter().filter(|case| case.ending == ending).count();
    let seconds: f64 = cases.iter().map(|case| case.seconds).sum();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{seconds:.3}\"",
        cases.len(),
        count(Ending::Failure),
        count(Ending::Error),
        count(Ending::Skipped),
    )
}

/// Writes XML's own characters as entities, and leaves out those
/// that XML cannot hold.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(char),
            char if char.is_control() || matches!(char, '\u{fffe}' | '\u{ffff}') => {}
            char => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_escaped_or_left_out() {
        assert_eq!(
            escaped("a<b & \"c\">\u{1b}[31m\u{0}\u{ffff}\nd"),
            "a&lt;b &amp; &quot;c&quot;&gt;[31m\nd"
        );
    }

    #[test]
    fn a_gate_without_specs_has_one_case_all_the_same() {
        let counts = r#"tests="1" failures="0" errors="1" skipped="0" time="0.000""#;
        assert_eq!(
            junit(&GateReport::new(&[])),
            format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                 <testsuites name=\"ralph gate\" {counts}>\n  \
                 <testsuite name=\"ralph gate\" {counts}>\n    \
                 <testcase classname=\"ralph gate\" name=\"specs\" time=\"0.000\">\n      \
                 <error message=\"no spec to check\">no spec to check</error>\n    \
                 </testcase>\n  </testsuite>\n</testsuites>\n"
            )
        );
    }
}
