//! Findings are specific and actionable, as actionable feedback must be.

use review_lint::{Finding, Rule, lint};

use crate::fixtures::{fixture, only};

/// Vague phrases of an issue, and phrases of a suggestion that does not commit.
const VAGUE: [&str; 5] = [
    "could be better",
    "needs improvement",
    "consider changing",
    "might want to",
    "should probably",
];
const ADVISORY: [&str; 5] = ["think about", "consider", "maybe", "perhaps", "you might"];

fn findings() -> Vec<Finding> {
    let rules = Rule::ALL.iter();
    let cases = rules.flat_map(|&rule| fixture(rule).into_iter().map(move |case| (rule, case)));
    cases
        .flat_map(|(rule, case)| {
            lint(&case.workspace(), &only(rule, &case))
                .findings()
                .to_vec()
        })
        .collect()
}

/// A string in lower case without its quotations.
fn own_words(text: &str) -> String {
    let quoted = |(at, part): (usize, &str)| (at % 2 == 0).then(|| part.to_lowercase());
    let outside: Vec<_> = text
        .split(['`', '"'])
        .enumerate()
        .filter_map(quoted)
        .collect();
    outside.join(" ")
}

#[test]
fn every_issue_and_every_suggestion_is_specific() {
    let mut wrong = Vec::new();
    for finding in findings() {
        let (issue, action) = (&finding.message, &finding.suggestion);
        let long = issue.chars().count();
        if !(20..=500).contains(&long) {
            wrong.push(format!("{}: {long} characters: {issue}", finding.rule));
        }
        let long = action.chars().count();
        if !(20..=1000).contains(&long) {
            wrong.push(format!("{}: {long} characters: {action}", finding.rule));
        }
        for (text, words) in [(issue, VAGUE), (action, ADVISORY)] {
            let own = own_words(text);
            let found = words.iter().filter(|word| own.contains(**word));
            wrong.extend(found.map(|word| format!("{}: {word}: {text}", finding.rule)));
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
