//! Feedback about known topics: templates with slots, other words, and phrases that
//! reviewers add.

use crate::lines::Numbers;

/// Topics that were used for tuning.
pub(crate) const TUNED: &str = include_str!("topics-tuned.txt");
/// Topics that were not used for tuning.
pub(crate) const HELD_OUT: &str = include_str!("topics-held-out.txt");
/// Topics with many wordings, some of them near to each other; not used for tuning.
pub(crate) const NEAR: &str = include_str!("topics-near.txt");

/// A topic: the templates of its issues and of its corrections.
pub(crate) struct Topic {
    issues: Vec<&'static str>,
    corrections: Vec<&'static str>,
}

/// A piece of feedback about a topic.
pub(crate) struct Said {
    pub(crate) topic: usize,
    pub(crate) issue: String,
    pub(crate) correction: String,
}

const BEFORE: &[&str] = &[
    "",
    "",
    "",
    "",
    "Blocking: ",
    "Round {n}: ",
    "As noted before, ",
    "In my view ",
    "While reviewing {path} I saw the following. ",
    "Still open: ",
    "nit: ",
    "The reviewer found that ",
];
const BEHIND: &[&str] = &[
    "",
    "",
    "",
    "",
    ", see {path}:{n}",
    " (severity: {field})",
    ", please fix before the merge",
    ". This came up in {ticket} already",
    ". Not acceptable for a release",
    " which is a problem",
    ". Found while testing build {n}",
];
const AFTER_CORRECTION: &[&str] = &[
    "",
    "",
    "",
    "",
    ", then ask for another review",
    " in {path}",
    ", as agreed in {ticket}",
    " before the next round",
    ". Thank you",
];

/// Parses topics: `# NAME`, then `- issue` and `+ correction`.
pub(crate) fn topics(text: &'static str) -> Vec<Topic> {
    let mut topics: Vec<Topic> = Vec::new();
    for line in text.lines() {
        match (line.split_at_checked(2), topics.last_mut()) {
            (Some(("# ", name)), _) if !name.contains(' ') => topics.push(Topic {
                issues: Vec::new(),
                corrections: Vec::new(),
            }),
            (Some(("- ", issue)), Some(topic)) => topic.issues.push(issue),
            (Some(("+ ", correction)), Some(topic)) => topic.corrections.push(correction),
            _ => {}
        }
    }
    topics
}

/// Generates `count` pieces of feedback; the first topics are more frequent than the
/// last.
pub(crate) fn said(topics: &[Topic], count: usize, seed: u64) -> Vec<Said> {
    let mut numbers = Numbers::new(seed);
    let mut one = || {
        let most = numbers.below(topics.len()) + 1;
        let topic = if numbers.chance(50) {
            most - 1
        } else {
            numbers.below(most)
        };
        let of = &topics[topic];
        let issue = *numbers.one_of(&of.issues);
        let correction = *numbers.one_of(&of.corrections);
        let after = *numbers.one_of(AFTER_CORRECTION);
        Said {
            topic,
            issue: worded(issue, &mut numbers),
            correction: filled(&format!("{correction}{after}"), &mut numbers),
        }
    };
    (0..count).map(|_| one()).collect()
}

/// The issues of all topics as templates, each with the number of its topic.
pub(crate) fn issues(text: &'static str) -> Vec<(usize, &'static str)> {
    let topics = topics(text).into_iter().enumerate();
    topics
        .flat_map(|(at, topic)| topic.issues.into_iter().map(move |issue| (at, issue)))
        .collect()
}

/// A reviewer's wording of the template of an issue.
pub(crate) fn worded(issue: &str, numbers: &mut Numbers) -> String {
    let (before, behind) = (*numbers.one_of(BEFORE), *numbers.one_of(BEHIND));
    filled(&format!("{before}{issue}{behind}"), numbers)
}

fn filled(template: &str, numbers: &mut Numbers) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['(', '{']) {
        text.push_str(&rest[..at]);
        let close = if rest[at..].starts_with('(') {
            ')'
        } else {
            '}'
        };
        let Some(end) = rest[at..].find(close).map(|end| at + end) else {
            break;
        };
        let inner = &rest[at + 1..end];
        if close == '}' {
            text.push_str(&slot(inner, numbers));
        } else if inner.contains('|') {
            let words: Vec<&str> = inner.split('|').collect();
            text.push_str(words[numbers.below(words.len())]);
        } else {
            text.push_str(&filled(inner, numbers));
        }
        rest = &rest[end + 1..];
    }
    text.push_str(rest);
    text
}

fn slot(name: &str, numbers: &mut Numbers) -> String {
    const WORDS: [&str; 12] = [
        "order", "invoice", "user", "catalog", "session", "mail", "search", "report", "price",
        "basket", "profile", "ledger",
    ];
    let word = *numbers.one_of(&WORDS);
    let other = *numbers.one_of(&WORDS);
    let number = numbers.below(900) + 2;
    match name {
        "path" => format!("src/{word}/{other}_{number}.rs"),
        "id" => format!("{word}_{other}"),
        "n" => number.to_string(),
        "ticket" => format!("REQ-{number}"),
        "url" => format!("/api/v1/{word}/{other}"),
        "service" => format!("{word}-service"),
        _ => word.to_owned(),
    }
}
