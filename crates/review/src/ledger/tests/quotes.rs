//! What quotes say about the place and the evidence of findings.

use review_types::{FindingEvidence, ItemDetails, Lines};

use super::*;

const RETRY: &str =
    "# Retry\nA failed upload is tried again.\nThe client never gives up at night.\n";
const LEGEND: &str =
    "# Legend\nEach line of the plot has a colour.\nA failed upload is tried again.\n";

fn rounds() -> Rounds {
    Rounds {
        text: [RETRY, LEGEND],
        ..Rounds::new()
    }
}

fn item(section: &str, quote: &str) -> FeedbackItem {
    let item = FeedbackItem::new(section, LIMIT, "Give a limit").unwrap();
    item.with_quote(quote.to_owned())
}

#[test]
fn a_quote_gives_the_place_and_the_evidence() {
    use FindingEvidence::{Misquoted, Quoted, Unquoted};
    let client = Some("The client never gives up at night");
    let upload = Some("A failed upload is tried again");
    for (section, quote, evidence, line, shown) in [
        ("Retry", "", Unquoted, 1, None),
        ("Retry", "gives up", Unquoted, 1, None),
        (
            "Retry",
            "the CLIENT never  gives up at night",
            Quoted,
            3,
            client,
        ),
        (
            "No such section",
            "The client never gives up at night",
            Quoted,
            3,
            client,
        ),
        ("Retry", "a failed upload is tried again", Quoted, 2, upload),
        (
            "Legend",
            "a failed upload is tried again",
            Quoted,
            6,
            upload,
        ),
        (
            "a.md:6",
            "a failed upload is tried again",
            Quoted,
            6,
            upload,
        ),
        (
            "other.md",
            "a failed upload is tried again",
            Quoted,
            2,
            upload,
        ),
        (
            "Legend",
            "the **client** never gives up at night",
            Misquoted,
            4,
            None,
        ),
        (
            "Legend",
            "The client always gives up at noon.",
            Misquoted,
            4,
            None,
        ),
        (
            "Legend",
            "Each line of the graph has a nice colour",
            Misquoted,
            4,
            None,
        ),
    ] {
        let mut rounds = rounds();
        rounds.join_items([item(section, quote)], false);
        let finding = rounds.finding();
        let found = finding.place.lines.map(|lines| lines.first);
        assert_eq!(finding.evidence, evidence, "{quote}");
        assert_eq!(found, Some(line), "{section}: {quote}");
        assert_eq!(finding.quote.as_deref(), shown, "{quote}");
        assert!(!finding.out_of_scope, "{section}: {quote}");
    }
}

#[test]
fn two_items_that_say_the_same_have_the_better_evidence() {
    let mut rounds = rounds();
    let quoted = item("Retry", "The client never gives up at night");
    let misquoted = item("Retry", "The client has a good night every day");
    rounds.join_items([quoted, misquoted], false);
    assert_eq!(rounds.ledger.findings().len(), 1);
    assert_eq!(rounds.finding().evidence, FindingEvidence::Quoted);
    let lines = Lines { first: 3, last: 3 };
    assert_eq!(rounds.finding().place.lines, Some(lines));
}

#[test]
fn a_finding_that_is_raised_again_has_the_evidence_of_its_last_round() {
    let mut rounds = rounds();
    rounds.join_items([item("Retry", "The client never gives up at night")], false);
    rounds.join_items([item("Retry", "")], false);
    assert_eq!(rounds.ledger.findings().len(), 1);
    assert_eq!(rounds.finding().evidence, FindingEvidence::Unquoted);
    let quote = rounds.finding().quote.as_deref();
    assert_eq!(quote, Some("The client never gives up at night"));
}

#[test]
fn the_reference_of_a_document_is_tried_as_a_quote_where_it_names_no_section() {
    use FindingEvidence::{Quoted, Unquoted};
    for (reference, has_details, evidence, line) in [
        ("never gives up at night", true, Quoted, 3),
        ("never gives up at night", false, Unquoted, 1),
        ("always gives up at noon", true, Unquoted, 1),
        ("Legend", true, Unquoted, 4),
        ("a.md:5", true, Unquoted, 5),
    ] {
        let mut rounds = rounds();
        let details = has_details.then(|| ItemDetails {
            rationale: Some("Uploads end".to_owned()),
            ..ItemDetails::default()
        });
        let item = FeedbackItem::new(reference, LIMIT, "Give a limit").unwrap();
        let item = details.into_iter().fold(item, FeedbackItem::with_details);
        rounds.join_items([item], false);
        let finding = rounds.finding();
        assert_eq!(finding.evidence, evidence, "{reference}");
        let first = finding.place.lines.map_or(1, |lines| lines.first);
        assert_eq!(first, line, "{reference}");
    }
}
