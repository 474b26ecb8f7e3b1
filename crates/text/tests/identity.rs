//! A reworded issue is similar to what it was, and issues that name different things are
//! not.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]
#![expect(clippy::print_stdout, reason = "the figures are of interest")]

use review_text::{Issue, issue_key};

fn is_similar(a: &str, b: &str) -> bool {
    let (a, b) = (Issue::of(a), Issue::of(b));
    let similarity = a.similarity(&b);
    assert_eq!(similarity, b.similarity(&a));
    similarity.is_some()
}

/// The pairs that are similar, and the others.
#[derive(Default)]
struct Tally {
    pairs: usize,
    /// Those that even have equal words.
    equal: usize,
    similar: Vec<String>,
    different: Vec<String>,
}

impl Tally {
    fn count(&mut self, a: &str, b: &str) {
        self.pairs += 1;
        self.equal += usize::from(issue_key(a) == issue_key(b));
        let counted = match is_similar(a, b) {
            true => &mut self.similar,
            false => &mut self.different,
        };
        counted.push(format!("{a} | {b}"));
    }

    /// Asserts that at least `percent` of the pairs are similar.
    fn keeps(&self, percent: usize, what: &str) {
        let (similar, pairs) = (self.similar.len(), self.pairs);
        println!("{what}: {similar} of {pairs} similar");
        assert!(similar * 100 >= pairs * percent, "{:#?}", self.different);
    }

    /// Asserts that no pair is equal, and at most `percent` of them are similar.
    fn separates(&self, percent: usize, what: &str) {
        let (similar, pairs) = (self.similar.len(), self.pairs);
        println!("{what}: {similar} of {pairs} similar");
        assert_eq!(self.equal, 0);
        assert!(similar * 100 <= pairs * percent, "{:#?}", self.similar);
    }
}

/// A finding with its rewordings, by section of a document.
type Findings<'t> = Vec<Vec<Vec<&'t str>>>;

fn findings(text: &str) -> Findings<'_> {
    let mut sections: Findings<'_> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if line.starts_with("## ") {
            sections.push(Vec::new());
        } else if let Some(reworded) = line.strip_prefix("  ") {
            let finding = sections.last_mut().unwrap().last_mut();
            finding.unwrap().push(reworded);
        } else if !line.starts_with('#') {
            sections.last_mut().unwrap().push(vec![line]);
        }
    }
    sections
}

const REWORDINGS: &str = include_str!("data/rewordings.txt");

#[test]
fn at_least_90_percent_of_reworded_issues_are_similar() {
    let mut tally = Tally::default();
    for issue in findings(REWORDINGS).iter().flatten() {
        for reworded in &issue[1..] {
            tally.count(issue[0], reworded);
        }
    }
    assert_eq!(tally.pairs, 310);
    tally.keeps(90, "rewordings of the first words");
}

#[test]
fn less_than_1_percent_of_different_issues_in_a_section_are_similar() {
    let mut tally = Tally::default();
    for section in findings(REWORDINGS) {
        for (at, issue) in section.iter().enumerate() {
            let others = section[at + 1..].iter().flatten();
            for other in others {
                issue.iter().for_each(|one| tally.count(one, other));
            }
        }
    }
    assert_eq!(tally.pairs, 3_290);
    tally.separates(1, "different issues of one section");
}

#[test]
fn pairs_with_another_name_are_not_similar() {
    let text = include_str!("data/different.txt");
    let (one, same_name) = text.split_once("## The same name").unwrap();
    let pairs = |text: &str| {
        let mut tally = Tally::default();
        let pairs = text.lines().filter_map(|line| line.split_once(" | "));
        let pairs = pairs.filter(|(a, _)| !a.starts_with('#'));
        pairs.for_each(|(a, b)| tally.count(a, b));
        tally
    };
    let (one, same_name) = (pairs(one), pairs(same_name));
    assert_eq!((one.pairs, same_name.pairs), (77, 30));
    one.separates(50, "one identifier, number or name differs");
    same_name.separates(50, "the same name, another issue");
}

#[test]
fn short_issues_that_differ_in_a_noun_are_at_most_similar() {
    let text = include_str!("data/short.txt");
    let mut tally = Tally::default();
    let pairs = text.lines().filter_map(|line| line.split_once(" | "));
    pairs.for_each(|(a, b)| tally.count(a, b));
    assert_eq!(tally.pairs, 36);
    tally.separates(100, "short issues that differ in a noun");
}

/// Sentences with a slot, each in two wordings.
const FRAMES: &[[&str; 2]] = &[
    [
        "{} has no acceptance criterion",
        "No acceptance criterion is given for {}",
    ],
    [
        "{} does not say which error it raises",
        "Which error {} raises is not said",
    ],
    [
        "The example contradicts {}",
        "{} and the example contradict each other",
    ],
    ["No one is named who owns {}", "{} has no owner"],
    [
        "It is unclear when {} applies",
        "The conditions under which {} applies are unclear",
    ],
    ["No test covers {}", "{} is not covered by a test"],
    ["The plan leaves {} out", "{} is missing from the plan"],
    [
        "The rationale behind {} is missing",
        "No rationale is given for {}",
    ],
    [
        "{} cannot be changed after the start",
        "There is no way to change {} after the start",
    ],
    ["Two tasks implement {}", "{} is implemented by two tasks"],
    [
        "The unit of {} is not stated",
        "It is not stated which unit {} has",
    ],
    [
        "The log entry for {} lacks the request",
        "The request is missing in the log entry for {}",
    ],
];

/// Names for the slots.
const NAMED: &[&[&str]] = &[
    &["FR-1", "FR-2", "FR-12", "NFR-1", "R3.2", "R3.3", "T12"],
    &[
        "`shorten`",
        "`resolve`",
        "`expand_all`",
        "`RetryPolicy`",
        "`run.ended`",
    ],
    &[
        "parse_config",
        "merge_config",
        "maxRetries",
        "minRetries",
        "Store::open()",
    ],
    &["--quiet", "--verbose", "`--format json`", "`--format yaml`"],
    &[
        "src/main.rs",
        "src/lib.rs",
        "docs/api/users.md",
        "Cargo.toml",
    ],
    &[
        "the timeout of 30 s",
        "the timeout of 60 s",
        "the timeout of 30 ms",
    ],
    &[
        "the limit of 5 MB",
        "the limit of 50 MB",
        "the limit of 1,000 rows",
    ],
    &[
        "the 80 % threshold",
        "the 95 % threshold",
        "the 99 % threshold",
    ],
    &[
        "\"as fast as possible\"",
        "\"user friendly\"",
        "\"in near real time\"",
    ],
    &["step 3", "step 4", "step 13"],
];

/// All pairs of different things of one kind.
fn swaps<'t>(kinds: &[&[&'t str]]) -> Vec<(&'t str, &'t str)> {
    let pairs = kinds.iter().flat_map(|kind| {
        let ordered = kind
            .iter()
            .flat_map(|one| kind.iter().map(move |other| (*one, *other)));
        ordered.filter(|(one, other)| one != other)
    });
    pairs.collect()
}

#[test]
fn issues_with_another_identifier_number_or_quotation_are_not_similar() {
    let mut tally = Tally::default();
    for [one_way, other_way] in FRAMES {
        for (one, other) in swaps(NAMED) {
            for frame in [one_way, other_way] {
                tally.count(&one_way.replace("{}", one), &frame.replace("{}", other));
            }
        }
    }
    assert_eq!(tally.pairs, 3_264);
    // 30 s and 30 ms are one number.
    tally.separates(2, "one identifier, number or quotation differs");
}
