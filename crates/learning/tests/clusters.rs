//! The quality of clusters and fingerprints, on topics that were not used for tuning.

#[path = "support/agreement.rs"]
mod agreement;
#[path = "support/lines.rs"]
#[expect(dead_code, reason = "only its numbers are needed")]
mod lines;
#[path = "support/topics.rs"]
mod topics;

use review_learning::cluster::{FeedbackText, Forms, clusters};
use review_text::{Fingerprint, Lexicon, SAME_ISSUE};

use agreement::agreement;
use lines::Numbers;
use topics::{HELD_OUT, NEAR, Said, TUNED, said, topics};

/// Feedback and where it was found: its cluster and its issue.
struct Found {
    said: Said,
    cluster: Option<u32>,
    issue: Option<u32>,
}

fn found(of: &'static str, count: usize, text: fn(&Said) -> FeedbackText) -> Vec<Found> {
    let said = said(&topics(of), count, count as u64);
    let mut forms = Forms::new(Lexicon::embedded());
    let of: Vec<_> = said.iter().map(|said| forms.add(&text(said))).collect();
    let clusters = clusters(&forms, 3);
    let found = said.into_iter().zip(of);
    found
        .map(|(said, form)| Found {
            said,
            cluster: form.and_then(|form| clusters.of(form)),
            issue: form.and_then(|form| clusters.issue(form)),
        })
        .collect()
}

/// The agreement of clusters with topics; an entry without a cluster counts as a cluster
/// of its own.
fn measured(of: &'static str, count: usize, text: fn(&Said) -> FeedbackText) -> f64 {
    let found = found(of, count, text).into_iter().enumerate();
    let pairs = found.map(|(at, found)| {
        let cluster = found.cluster.map_or(count + at, |cluster| cluster as usize);
        (found.said.topic, cluster)
    });
    agreement(&pairs.collect::<Vec<_>>())
}

/// The share of the pairs of entries with the same issue that say the same of the same
/// topic.
fn precision(found: &[Found]) -> f64 {
    let (mut right, mut all) = (0_u32, 0_u32);
    for (at, one) in found
        .iter()
        .enumerate()
        .filter(|(_, one)| one.issue.is_some())
    {
        for other in found[..at].iter().filter(|other| other.issue == one.issue) {
            all += 1;
            let of = |found: &Found| (found.said.topic, found.said.template);
            right += u32::from(of(one) == of(other));
        }
    }
    f64::from(right) / f64::from(all)
}

fn whole(said: &Said) -> FeedbackText {
    FeedbackText {
        issue: said.issue.clone(),
        correction: said.correction.clone(),
    }
}

fn issue(said: &Said) -> FeedbackText {
    FeedbackText {
        issue: said.issue.clone(),
        correction: String::new(),
    }
}

#[test]
fn clusters_of_issues_with_corrections_match_the_topics() {
    for (topics, count) in [
        (TUNED, 1_000),
        (HELD_OUT, 1_000),
        (HELD_OUT, 10_000),
        (NEAR, 1_000),
    ] {
        let agreement = measured(topics, count, whole);
        assert!(agreement >= 0.95, "{count}: {agreement}");
    }
}

#[test]
fn clusters_of_issues_alone_mostly_match_the_topics() {
    for (topics, count, least) in [
        (TUNED, 1_000, 0.7),
        (HELD_OUT, 1_000, 0.45),
        (HELD_OUT, 10_000, 0.45),
        (NEAR, 1_000, 0.35),
    ] {
        let agreement = measured(topics, count, issue);
        assert!(agreement >= least, "{count}: {agreement}");
    }
}

#[test]
fn texts_of_one_issue_say_the_same() {
    for topics in [TUNED, HELD_OUT, NEAR] {
        for text in [whole, issue] {
            let precision = precision(&found(topics, 1_000, text));
            assert!(precision >= 0.9, "{precision}");
        }
    }
}

#[test]
fn near_issues_are_clusters_of_their_own_among_a_few_entries() {
    let issues = [
        "the input is not validated",
        "the api is called with a wrong argument",
        "the function is too complex",
        "docs are missing for the public function",
        "an error is ignored",
        "the test is flaky",
        "a secret is in the source",
        "the query runs in a loop",
    ];
    let mut forms = Forms::new(Lexicon::embedded());
    let mut of = Vec::new();
    for issue in issues {
        for (before, behind) in [
            ("", ""),
            ("In src/a.rs ", ""),
            ("", " again"),
            ("Please note that ", ""),
            ("", ", see line 7"),
        ] {
            of.push(forms.add(&FeedbackText {
                issue: format!("{before}{issue}{behind}"),
                correction: String::new(),
            }));
        }
    }
    let clusters = clusters(&forms, 3);
    let found: Vec<_> = of
        .into_iter()
        .map(|form| form.and_then(|form| clusters.of(form)))
        .collect();
    let expected: Vec<_> = (0..8).flat_map(|issue| [Some(issue); 5]).collect();
    assert_eq!(found, expected);
}

#[test]
fn only_a_reworded_issue_has_the_same_fingerprint() {
    for topics in [TUNED, HELD_OUT] {
        let issues = topics::issues(topics);
        let mut numbers = Numbers::new(5);
        let mut is_same = |a: &str, b: &str| {
            let mut of = |issue| {
                let text = topics::worded(issue, &mut numbers);
                Fingerprint::of(&text, Lexicon::embedded())
            };
            of(a).similarity(&of(b)) >= SAME_ISSUE
        };
        let (mut found, mut lost, mut wrong) = (0_u32, 0_u32, 0_u32);
        for (at, (topic, one)) in issues.iter().enumerate() {
            for _ in 0..25 {
                match is_same(one, one) {
                    true => found += 1,
                    false => lost += 1,
                }
            }
            let others = issues[..at].iter().filter(|(other, _)| other != topic);
            wrong += others
                .map(|(_, other)| u32::from(is_same(one, other)))
                .sum::<u32>();
        }
        assert!(
            found * 100 >= (found + lost) * 95,
            "{lost} of {} missed",
            found + lost
        );
        assert!(wrong * 100 <= found + wrong, "{wrong} wrong, {found} found");
    }
}

#[test]
fn the_same_feedback_gives_the_same_clusters() {
    let of = |said: &[Said]| {
        let mut forms = Forms::new(Lexicon::embedded());
        for said in said {
            forms.add(&whole(said));
        }
        clusters(&forms, 3)
    };
    let said = said(&topics(TUNED), 500, 3);
    assert_eq!(of(&said), of(&said));
}
