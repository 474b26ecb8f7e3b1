//! A reworded finding keeps its identity, and two findings of one document stay
//! distinct.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]
#![expect(clippy::print_stdout, reason = "the figures are of interest")]

use review_text::{Issue, Lexicon};

/// Issues of one document each, on unrelated topics.
const TOPICS: &[&[&str]] = &[
    &[
        "The retry of a failed upload has no upper limit on attempts",
        "Thumbnails of deleted albums stay in the cache forever",
        "Nothing tells the user that a video is still being converted",
        "Two people who rename the same album overwrite each other silently",
        "The location of a photo is published together with the picture",
        "Search ignores captions that are written in capital letters",
    ],
    &[
        "Invoices in foreign currency are rounded before the tax is added",
        "A refund after the fiscal year has closed is not described",
        "The dunning letter is sent although the customer has paid in part",
        "Bank holidays move the due date but the example ignores them",
        "Who approves a credit above the ceiling remains open",
        "The export for the auditor lacks cancelled bookings",
    ],
    &[
        "A thermostat that loses its radio link keeps heating at full power",
        "Calibration of the humidity sensor is undefined below freezing",
        "The window contact wakes the battery device every second",
        "Firmware images are installed without checking their signature",
        "Neighbouring gateways on the same channel starve each other",
        "The holiday schedule overrides frost protection",
    ],
    &[
        "Trains that are delayed past midnight vanish from the timetable",
        "A platform change is announced only in German",
        "Seat reservations of a cancelled train are neither moved nor repaid",
        "The map tiles are fetched again on every scroll",
        "Screen readers cannot reach the button that starts the journey planner",
        "Bicycle spaces are sold twice when two kiosks are offline",
    ],
    &[
        "A vaccination entered for the wrong child cannot be withdrawn",
        "Doctors see the notes of psychotherapists without a reason given",
        "The dosage field accepts negative milligrams",
        "Laboratory values arrive without the unit they were measured in",
        "An emergency override of consent leaves no trace",
        "Appointments that straddle the clock change last an hour too long",
    ],
    &[
        "The parser recurses for every bracket and overflows the stack",
        "Tombstones are compacted while a snapshot still reads them",
        "Leader election never settles when two nodes have equal priority",
        "The checksum covers the payload and leaves the header out",
        "Back pressure from the slowest shard stalls all writers",
        "Schema migrations hold the table lock during the whole backfill",
    ],
    &[
        "Students may submit homework after the grading has begun",
        "Plagiarism reports are visible to the whole course",
        "The quiz shuffles answers that refer to each other by letter",
        "Teachers who leave the school keep access to transcripts",
        "A lecture recording starts before the participants have agreed",
        "Points for late work are deducted twice",
    ],
    &[
        "Pallets without a barcode block the conveyor until someone notices",
        "Perishable goods are picked in the order of arrival instead of expiry",
        "The forklift route crosses the pedestrian walkway near the dock",
        "Returned parcels are counted as stock before inspection",
        "Stocktaking freezes the shelves of the whole hall",
        "Weight limits of the upper racks are nowhere enforced",
    ],
];

/// Synonyms, as a reviewer would vary them.
const SYNONYMS: &[(&str, &str)] = &[
    ("deleted", "removed"),
    ("limit", "maximum"),
    ("cache", "buffer"),
    ("failed", "broken"),
    ("converted", "transformed"),
    ("published", "sent"),
    ("Search", "Lookup"),
    ("picture", "image"),
    ("ignores", "drops"),
    ("customer", "client"),
    ("described", "explained"),
    ("added", "appended"),
    ("cancelled", "aborted"),
    ("lacks", "omits"),
    ("checking", "validating"),
    ("undefined", "unspecified"),
    ("fetched", "downloaded"),
    ("starts", "begins"),
    ("delayed", "lagging"),
    ("accepts", "permits"),
    ("header", "preamble"),
    ("submit", "upload"),
    ("order", "sequence"),
    ("access", "permission"),
    ("every", "each"),
    ("Nothing tells", "There is no message telling"),
    ("remains open", "is not settled"),
    ("cannot", "is unable to"),
    ("without", "lacking"),
    ("is not", "isn't"),
];

/// Phrases that reviewers put before and after an issue.
const BEFORE: &[&str] = &[
    "",
    "In section 4.2: ",
    "Line 118 - ",
    "Still open: ",
    "REQ-17 says nothing about this. ",
    "As mentioned in round 2, ",
];
const AFTER: &[&str] = &[
    "",
    " (see specs/DEMO.md:42)",
    ", please clarify",
    " in `retry_policy`",
    ", which the section should state",
    " - 3 occurrences, e.g. https://example.org/x?y=1",
];

/// Deterministic pseudo-random numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }
}

/// The issue in other words.
fn reworded(issue: &str, dice: &mut Dice) -> String {
    let mut text = issue.to_owned();
    for (word, other) in SYNONYMS {
        if dice.roll(3) > 0 {
            text = text.replace(word, other);
        }
    }
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    match dice.roll(3) {
        0 => {
            let middle = words.len() / 2;
            words.rotate_left(middle);
        }
        1 => {
            let last = words.len() - 1;
            words.swap(dice.roll(last), last);
        }
        _ => {}
    }
    if dice.roll(2) == 0 {
        let long: Vec<_> = (0..words.len()).filter(|at| words[*at].len() > 5).collect();
        let at = long[dice.roll(long.len())];
        mistype(&mut words[at], dice);
    }
    let said = words.join(" ");
    format!("{}{said}{}", dice.one(BEFORE), dice.one(AFTER))
}

/// Swaps, doubles or drops one letter.
fn mistype(word: &mut String, dice: &mut Dice) {
    let mut letters: Vec<char> = word.chars().collect();
    let at = 1 + dice.roll(letters.len() - 2);
    match dice.roll(3) {
        0 => letters.swap(at, at + 1),
        1 => letters.insert(at, letters[at]),
        _ => _ = letters.remove(at),
    }
    *word = letters.into_iter().collect();
}

fn is_same(a: &str, b: &str) -> bool {
    let of = |text| Issue::of(text, Lexicon::embedded());
    let (a, b) = (of(a), of(b));
    let nearness = a.nearness(&b);
    assert_eq!(nearness.is_some(), b.nearness(&a).is_some());
    nearness.is_some()
}

/// The number of pairs that are considered one issue, and the others.
#[derive(Default)]
struct Tally {
    pairs: usize,
    same: Vec<String>,
    different: Vec<String>,
}

impl Tally {
    fn count(&mut self, a: &str, b: &str) {
        self.pairs += 1;
        let counted = match is_same(a, b) {
            true => &mut self.same,
            false => &mut self.different,
        };
        counted.push(format!("{a} | {b}"));
    }

    /// Asserts that at least `percent` of the pairs are considered one issue.
    fn keeps(&self, percent: usize, what: &str) {
        let (same, pairs) = (self.same.len(), self.pairs);
        println!("{what}: {same} of {pairs} kept");
        assert!(same * 100 >= pairs * percent, "{:#?}", self.different);
    }

    /// Asserts that at most `percent` of the pairs are considered one issue.
    fn joins(&self, percent: usize, what: &str) {
        let (same, pairs) = (self.same.len(), self.pairs);
        println!("{what}: {same} of {pairs} joined");
        assert!(same * 100 <= pairs * percent, "{:#?}", self.same);
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
fn at_least_95_percent_of_reworded_findings_are_matched() {
    let mut first = Tally::default();
    let mut any = Tally::default();
    for finding in findings(REWORDINGS).iter().flatten() {
        for (at, one) in finding.iter().enumerate() {
            for other in &finding[at + 1..] {
                any.count(one, other);
            }
        }
        for reworded in &finding[1..] {
            first.count(finding[0], reworded);
        }
    }
    assert_eq!((first.pairs, any.pairs), (310, 615));
    first.keeps(95, "rewordings of the first words");
    any.keeps(95, "rewordings of each other");
}

#[test]
fn less_than_1_percent_of_different_findings_in_a_section_are_joined() {
    let mut tally = Tally::default();
    for section in findings(REWORDINGS) {
        for (at, finding) in section.iter().enumerate() {
            let others = section[at + 1..].iter().flatten();
            for other in others {
                finding.iter().for_each(|one| tally.count(one, other));
            }
        }
    }
    assert_eq!(tally.pairs, 3_290);
    tally.joins(1, "different findings of one section");
}

#[test]
fn pairs_of_different_findings_stay_different() {
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
    one.joins(0, "one identifier, number or name differs");
    same_name.joins(10, "the same name, another issue");
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
    ["Nobody is named who owns {}", "{} has no owner"],
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

/// Ordinary words for the slots.
const WORDS: &[&[&str]] = &[
    &["the upload", "the download", "the preview", "the thumbnail"],
    &[
        "the billing service",
        "the catalog service",
        "the search service",
    ],
    &[
        "the Postgres backup",
        "the MySQL backup",
        "the Redis backup",
    ],
    &["the invoice", "the receipt", "the reminder", "the contract"],
    &["the admin role", "the editor role", "the guest role"],
    &["the otter", "the zebra", "the giraffe"],
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
fn at_most_1_percent_of_findings_with_different_names_are_joined() {
    let mut tally = Tally::default();
    for [one_way, other_way] in FRAMES {
        for (one, other) in swaps(NAMED) {
            for frame in [one_way, other_way] {
                tally.count(&one_way.replace("{}", one), &frame.replace("{}", other));
            }
        }
    }
    assert_eq!(tally.pairs, 3_264);
    tally.joins(1, "one identifier, number or quotation differs");
}

#[test]
fn at_most_1_percent_of_findings_with_a_different_word_are_joined() {
    let mut tally = Tally::default();
    let mut reframed = Tally::default();
    for [one_way, other_way] in FRAMES {
        for (one, other) in swaps(WORDS) {
            let said = one_way.replace("{}", one);
            tally.count(&said, &one_way.replace("{}", other));
            reframed.count(&said, &other_way.replace("{}", other));
        }
    }
    assert_eq!((tally.pairs, reframed.pairs), (576, 576));
    tally.joins(1, "one word for a thing differs");
    reframed.joins(5, "one word for a thing differs, in another sentence");
}

#[test]
fn reworded_issues_are_the_same_in_95_percent_of_pairs() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut tally = Tally::default();
    for issue in TOPICS.iter().copied().flatten() {
        for _ in 0..25 {
            tally.count(issue, &reworded(issue, &mut dice));
        }
    }
    assert_eq!(tally.pairs, 1_200);
    tally.keeps(95, "synonyms, other order, slips");
}

#[test]
fn less_than_1_percent_of_different_issues_are_considered_one() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let mut tally = Tally::default();
    for issues in TOPICS {
        for (at, issue) in issues.iter().enumerate() {
            for other in &issues[at + 1..] {
                for _ in 0..10 {
                    let (a, b) = (reworded(issue, &mut dice), reworded(other, &mut dice));
                    tally.count(&a, &b);
                }
            }
        }
    }
    assert_eq!(tally.pairs, 1_200);
    tally.joins(1, "topics of one document");
}
