//! The quality of clusters and fingerprints, on topics that were not used for tuning.

#[path = "support/agreement.rs"]
mod agreement;
#[path = "support/lines.rs"]
#[expect(dead_code, reason = "only its numbers are needed")]
mod lines;
#[path = "support/topics.rs"]
mod topics;

use review_learning::cluster::{Forms, clusters};
use review_text::{Fingerprint, Lexicon, SAME_ISSUE};

use agreement::agreement;
use lines::Numbers;
use topics::{HELD_OUT, Said, TUNED, said, topics};

/// The agreement of clusters with topics; a text without a cluster counts as a cluster
/// of its own.
fn measured(of: &'static str, count: usize, text: fn(&Said) -> String) -> f64 {
    let said = said(&topics(of), count, count as u64);
    let mut forms = Forms::new(Lexicon::embedded());
    let of: Vec<_> = said.iter().map(|said| forms.add(&text(said))).collect();
    let clusters = clusters(&forms, 3);
    let alone = clusters.sizes().len();
    let found = said.iter().zip(of).enumerate().map(|(at, (said, form))| {
        let cluster = form.and_then(|form| clusters.of(form));
        let cluster = cluster.map_or(alone + at, |cluster| cluster as usize);
        (said.topic, cluster)
    });
    agreement(&found.collect::<Vec<_>>())
}

fn whole(said: &Said) -> String {
    format!("{}\n{}", said.issue, said.correction)
}

fn issue(said: &Said) -> String {
    said.issue.clone()
}

#[test]
fn clusters_of_issues_with_corrections_match_the_topics() {
    for (topics, count) in [(TUNED, 1_000), (HELD_OUT, 1_000), (HELD_OUT, 10_000)] {
        let agreement = measured(topics, count, whole);
        assert!(agreement >= 0.95, "{count}: {agreement}");
    }
}

#[test]
fn clusters_of_issues_alone_mostly_match_the_topics() {
    for (topics, count) in [(TUNED, 1_000), (HELD_OUT, 1_000), (HELD_OUT, 10_000)] {
        let agreement = measured(topics, count, issue);
        assert!(agreement >= 0.5, "{count}: {agreement}");
    }
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
