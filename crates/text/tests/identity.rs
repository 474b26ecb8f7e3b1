//! A finding that is put in other words stays the same finding, and two
//! findings of one document stay two.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::collections::BTreeSet;

use review_text::{Fingerprint, Lexicon, SAME_ISSUE};

/// Issues of one document each, on topics that have nothing to do with each
/// other.
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

/// Words that mean the same, as a reviewer would vary them.
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

/// Words that reviewers put before an issue, and behind it.
const BEFORE: &[&str] = &[
    "",
    "In section 4.2: ",
    "Line 118 - ",
    "Still open: ",
    "REQ-17 says nothing about this. ",
    "As mentioned in round 2, ",
];
const BEHIND: &[&str] = &[
    "",
    " (see specs/DEMO.md:42)",
    ", please clarify",
    " in `retry_policy`",
    ", which the section should state",
    " - 3 occurrences, e.g. https://example.org/x?y=1",
];

/// Numbers that look random and are the same in every run.
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
    format!("{}{said}{}", dice.one(BEFORE), dice.one(BEHIND))
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
    let of = |text| Fingerprint::of(text, Lexicon::embedded());
    of(a).similarity(&of(b)) >= SAME_ISSUE
}

#[test]
fn an_issue_in_other_words_is_the_same_in_95_of_100_pairs() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut lost = BTreeSet::new();
    let (mut pairs, mut same) = (0_u32, 0_u32);
    for issue in TOPICS.iter().copied().flatten() {
        for _ in 0..25 {
            let other = reworded(issue, &mut dice);
            pairs += 1;
            if is_same(issue, &other) {
                same += 1;
            } else {
                lost.insert(format!("{issue} | {other}"));
            }
        }
    }
    assert_eq!(pairs, 1_200);
    assert!(same * 100 >= pairs * 95, "{same} of {pairs}: {lost:#?}");
}

#[test]
fn of_different_issues_less_than_1_in_100_pairs_are_taken_for_one() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let mut merged = BTreeSet::new();
    let (mut pairs, mut same) = (0_u32, 0_u32);
    for issues in TOPICS {
        for (at, issue) in issues.iter().enumerate() {
            for other in &issues[at + 1..] {
                for _ in 0..10 {
                    let (a, b) = (reworded(issue, &mut dice), reworded(other, &mut dice));
                    pairs += 1;
                    if is_same(&a, &b) {
                        same += 1;
                        merged.insert(format!("{a} | {b}"));
                    }
                }
            }
        }
    }
    assert_eq!(pairs, 1_200);
    assert!(same * 100 < pairs, "{same} of {pairs}: {merged:#?}");
}
