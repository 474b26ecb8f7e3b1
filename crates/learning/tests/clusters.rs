//! The quality of clusters and fingerprints, on topics that were not used for tuning.

#[path = "support/agreement.rs"]
mod agreement;
#[path = "support/lines.rs"]
#[expect(dead_code, reason = "only its numbers are needed")]
mod lines;
#[path = "support/topics.rs"]
mod topics;

use review_learning::cluster::{FeedbackText, Forms, clusters};
use review_text::{Fingerprint, SAME_ISSUE};

use agreement::agreement;
use lines::Numbers;
use topics::{HELD_OUT, NEAR, Said, TUNED, said, topics};

/// Feedback in natural words: `TOPIC\tWHAT THE AGENT DID\tWHAT THE USER WANTS`.
const NATURAL: &str = include_str!("support/natural.tsv");

fn found(texts: &[FeedbackText]) -> Vec<Option<u32>> {
    let mut forms = Forms::new();
    let of: Vec<_> = texts.iter().map(|text| forms.add(text)).collect();
    let clusters = clusters(&forms, 3);
    let found = of.into_iter();
    found
        .map(|form| form.and_then(|form| clusters.of(form)))
        .collect()
}

/// The agreement of clusters with topics; an entry without a cluster counts as a cluster
/// of its own.
fn agreement_of(topics: &[usize], found: &[Option<u32>]) -> f64 {
    let pairs = topics.iter().zip(found).enumerate();
    let pairs = pairs.map(|(at, (topic, cluster))| {
        let alone = found.len() + at;
        (*topic, cluster.map_or(alone, |cluster| cluster as usize))
    });
    agreement(&pairs.collect::<Vec<_>>())
}

fn measured(of: &'static str, count: usize) -> f64 {
    let said = said(&topics(of), count, count as u64);
    let texts: Vec<_> = said.iter().map(whole).collect();
    let topics: Vec<_> = said.iter().map(|said| said.topic).collect();
    agreement_of(&topics, &found(&texts))
}

fn whole(said: &Said) -> FeedbackText {
    FeedbackText {
        issue: said.issue.clone(),
        correction: said.correction.clone(),
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
        let agreement = measured(topics, count);
        assert!(agreement >= 0.85, "{count}: {agreement}");
    }
}

#[test]
fn six_of_eight_issues_in_natural_words_are_frequent_groups() {
    let lines: Vec<Vec<&str>> = NATURAL
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let texts = lines.iter().map(|line| FeedbackText {
        issue: line[1].to_owned(),
        correction: line[2].to_owned(),
    });
    let found = found(&texts.collect::<Vec<_>>());
    let mut names: Vec<&str> = lines.iter().map(|line| line[0]).collect();
    let topics: Vec<usize> = {
        let mut all = names.clone();
        all.dedup();
        let number = |name: &&str| all.iter().position(|one| one == name);
        names.iter().filter_map(number).collect()
    };
    let agreement = agreement_of(&topics, &found);
    assert!(agreement >= 0.8, "{agreement}");
    let in_groups = found.iter().flatten().count();
    let mut frequent = Vec::new();
    for cluster in 0..20 {
        let of_cluster = |at: &usize| found[*at] == Some(cluster);
        let members: Vec<_> = (0..60).filter(of_cluster).collect();
        let of = |name: &str| members.iter().filter(|at| lines[**at][0] == name).count();
        let most = names.iter().copied().max_by_key(|name| of(name));
        if let Some(name) = most.filter(|name| of(name) * 4 >= members.len() * 3)
            && members.len() * 10 > in_groups
        {
            frequent.push(name);
        }
    }
    frequent.sort_unstable();
    frequent.dedup();
    names.dedup();
    assert_eq!(names.len(), 8);
    assert!(frequent.len() >= 6, "{frequent:?} {agreement}");
}

#[test]
fn near_issues_are_clusters_of_their_own_among_a_few_entries() {
    let issues = [
        "the input is not validated",
        "the api is called with a wrong argument",
        "the function is too complex",
        "docs are missing for the public trait",
        "an error is ignored",
        "the test is flaky",
        "a secret is in the source",
        "the query runs in a loop",
    ];
    let mut texts = Vec::new();
    for issue in issues {
        for (before, behind) in [
            ("", ""),
            ("In src/a.rs ", ""),
            ("", " again"),
            ("Please note that ", ""),
            ("", ", see line 7"),
        ] {
            texts.push(FeedbackText {
                issue: format!("{before}{issue}{behind}"),
                correction: String::new(),
            });
        }
    }
    let found = found(&texts);
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
                Fingerprint::of(&text)
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
    let of = |said: &[Said]| found(&said.iter().map(whole).collect::<Vec<_>>());
    let said = said(&topics(TUNED), 500, 3);
    assert_eq!(of(&said), of(&said));
}
