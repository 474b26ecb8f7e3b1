//! Where the points of a score went.

use review_types::{Deduction, DeductionCause};

use crate::text::printable;

/// What cost points of a criterion, in brackets after its score: `(-10: G3
/// tasks/web/02.md:4)`; empty when that is not known.
pub(crate) fn lost_points(criterion: &str, deductions: &[Deduction]) -> String {
    let of_criterion = deductions.iter();
    let of_criterion = of_criterion.filter(|lost| lost.criterion.as_str() == criterion);
    let causes: Vec<_> = of_criterion
        .map(|lost| format!("-{}: {}", lost.points, cause(&lost.cause)))
        .collect();
    match causes.is_empty() {
        true => String::new(),
        false => format!("({})", causes.join("; ")),
    }
}

fn cause(cause: &DeductionCause) -> String {
    match cause {
        DeductionCause::Rule {
            code,
            path,
            line,
            findings,
        } => {
            let more = match findings.saturating_sub(1) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{code} {}:{line}{more}", printable(path))
        }
        DeductionCause::Cap => "rules see only what is written".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_has_its_points_and_its_first_place() {
        let lost = |criterion: &str, points, cause| Deduction {
            criterion: criterion.parse().unwrap(),
            points,
            cause,
        };
        let rule = |code: &str, findings| DeductionCause::Rule {
            code: code.to_owned(),
            path: "tasks/web/02.md".to_owned(),
            line: 4,
            findings,
        };
        let deductions = [
            lost("completeness", 10, DeductionCause::Cap),
            lost("consistency", 29, rule("G3", 1)),
            lost("consistency", 11, rule("P2", 3)),
        ];
        for (criterion, expected) in [
            ("completeness", "(-10: rules see only what is written)"),
            (
                "consistency",
                "(-29: G3 tasks/web/02.md:4; -11: P2 tasks/web/02.md:4 and 2 more)",
            ),
            ("testability", ""),
        ] {
            assert_eq!(lost_points(criterion, &deductions), expected);
        }
    }
}
