use review_events::{AttemptCode, ChangeFlag, TaskState, TestResult};
use review_types::{
    BlockCode, ChangeCode, DecisionStatus, ExitCode, FailedBy, Failure, FindingEvidence,
    FindingStatus, LandCode, LimitKind, Outcome, StartCode, TaskStatus, Verdict,
};

use super::*;
use crate::gate::ClaimStatus;
use crate::style::plain;

/// One of each kind.
fn failures() -> [Failure; 12] {
    [
        Failure::RateLimited {
            retry_at: None,
            of_plan: false,
        },
        Failure::Offline { after_ms: None },
        Failure::PermissionDenied,
        Failure::AuthFailed,
        Failure::ModelError { status: None },
        Failure::Refused,
        Failure::Truncated { limit: None },
        FailedBy::Silence.into(),
        Failure::Hung {
            limit: LimitKind::Wall,
            after_ms: 0,
        },
        Failure::SetupFailed { missing: None },
        Failure::Unread,
        Failure::WroteFiles { paths: Vec::new() },
    ]
}

#[test]
fn the_page_has_one_heading_for_each_code_and_no_other() {
    let exits: Vec<_> = ExitCode::ALL
        .iter()
        .map(|code| code.get().to_string())
        .collect();
    let failures = failures();
    let words = |words: &[&'static str]| words.to_vec();
    let severities = [review_types::Severity::WORDS, Severity::WORDS];
    let lists = [
        ("Exit codes", exits.iter().map(String::as_str).collect()),
        ("Block codes", words(BlockCode::WORDS)),
        (
            "Call failures",
            failures.iter().map(Failure::as_str).collect(),
        ),
        ("Run outcomes", words(Outcome::WORDS)),
        ("Verdicts", Verdict::WORDS.to_vec()),
        ("Criteria", Criterion::WORDS.to_vec()),
        ("Severities", severities.concat()),
        ("Finding statuses", words(FindingStatus::WORDS)),
        ("Evidence", words(FindingEvidence::WORDS)),
        ("Applier decisions", words(DecisionStatus::WORDS)),
        ("Task states", words(TaskState::WORDS)),
        ("Attempts", words(AttemptCode::WORDS)),
        ("Change flags", words(ChangeFlag::WORDS)),
        ("Landing", words(LandCode::WORDS)),
        ("Start", words(StartCode::WORDS)),
        ("Task statuses", TaskStatus::WORDS.to_vec()),
        ("Gate claims", words(ClaimStatus::WORDS)),
        ("Differences from a base", words(ChangeCode::WORDS)),
        ("Listed tests", words(TestResult::WORDS)),
    ];
    let entries = entries();
    let groups = groups(&entries);
    assert_eq!(groups[1..], lists.each_ref().map(|(group, _)| *group));
    for (group, mut codes) in lists {
        let on_page = entries.iter().filter(|entry| entry.group == group);
        let mut on_page: Vec<_> = on_page.map(|entry| entry.code).collect();
        codes.sort_unstable();
        on_page.sort_unstable();
        assert_eq!(on_page, codes, "{group}");
    }
}

#[test]
fn each_section_is_a_sentence_and_what_to_do() {
    for entry in entries() {
        assert!(entry.summary.ends_with('.'), "{entry:?}");
        assert!(!entry.text.is_empty(), "{entry:?}");
    }
}

#[test]
fn a_block_code_ends_with_its_outcome_and_exit_code() {
    for code in BlockCode::ALL {
        let outcome = code.outcome();
        let exit = outcome.exit_code().get();
        let end = format!("\n\nOutcome `{outcome}`, exit code {exit}.");
        let mut found = find(code.as_str()).unwrap();
        found.retain(|entry| entry.group == "Block codes");
        assert!(found[0].text.ends_with(&end), "{code}: {}", found[0].text);
    }
}

fn explained(word: &str) -> String {
    plain(&pages(&find(word).unwrap()))
}

#[test]
fn a_rule_is_found_by_code_and_by_name_in_any_case() {
    let by_code = explained("B3");
    let head = "B3 filter-selects-nothing\nerror, testability\n\n";
    assert!(by_code.starts_with(head), "{by_code}");
    assert!(by_code.contains("## Why is this bad"), "{by_code}");
    for word in ["b3", "filter-selects-nothing", "Filter-Selects-Nothing"] {
        assert_eq!(explained(word), by_code, "{word}");
    }
}

#[test]
fn exit_codes_block_codes_and_outcomes_are_explained() {
    for (word, first, more) in [
        ("0", "Passed.", "says yes"),
        ("3", "No verdict.", "never a pass"),
        ("129", "Ended by SIGHUP.", "nohup"),
        ("143", "Ended by SIGTERM.", "ralph resume latest"),
        (
            "no_change",
            "The applier left the artifact as it was.",
            "Outcome `not_passed`, exit code 1.",
        ),
        (
            "artifact_changed",
            "Another program changed the artifact during the run.",
            "exit code 2.",
        ),
        (
            "run_time",
            "The run's time is used up.",
            "Outcome `limit`, exit code 5.",
        ),
        ("hung", "A limit of the call ran out.", "--idle-timeout"),
        (
            "no_tests",
            "The task's command passed and ran no test at all.",
            "proves nothing",
        ),
        (
            "tests_missing",
            "The task's command passed, and a test of its Must Pass table did not run and pass.",
            "correct it",
        ),
    ] {
        let text = explained(word);
        assert!(text.starts_with(&format!("{word}\n")), "{text}");
        assert!(text.contains(&format!("\n\n{first}\n")), "{text}");
        assert!(text.contains(more), "{word}: {text}");
    }
}

#[test]
fn a_word_with_several_meanings_gets_all() {
    let text = explained("skipped");
    for group in ["Task states", "Gate claims", "Listed tests"] {
        let head = format!("skipped\n{group}\n\n");
        assert!(text.contains(&head), "{group}: {text}");
    }
    let found = find("rate_limited").unwrap();
    let groups: Vec<_> = found.iter().map(|entry| entry.group).collect();
    assert_eq!(groups, ["Block codes", "Call failures"]);
}

#[test]
fn the_overview_has_every_code() {
    let list = plain(&overview());
    for part in [
        "Rules\n  G1 G2",
        "\nRun outcomes\n  passed not_passed no_verdict limit",
        "\nCriteria\n  completeness consistency testability architecture\n",
        "\n`ralph explain CODE` explains one of them, `ralph explain GROUP` a group, such as block-codes.\n",
    ] {
        assert!(list.contains(part), "{part}: {list}");
    }
    assert!(list.lines().count() <= 80, "{list}");
    for entry in entries() {
        let mut words = list.split_whitespace();
        assert!(words.any(|word| word == entry.code), "{}", entry.code);
    }
}

#[test]
fn a_group_of_rules_is_explained_rule_by_rule() {
    let rules = explained("g");
    assert!(rules.starts_with("G1 duplicate-task-number\n"), "{rules}");
    assert!(rules.contains("\n\nG2 self-dependency\nerror, "), "{rules}");
    assert!(!rules.contains("\nB1 "), "{rules}");
}

#[test]
fn an_unknown_word_has_near_ones_or_none() {
    assert_eq!(find("no_chnage").unwrap_err(), ["no_change"]);
    assert_eq!(find("xyzzy").unwrap_err(), [""; 0]);
}

#[test]
fn facts_about_a_rule_are_fields_of_its_entry() {
    let found = find("S3").unwrap();
    assert_eq!(
        crate::json::value(&found[0])["rule"],
        serde_json::json!({
            "severity": "error",
            "criterion": "consistency",
            "fixes": ["safe", "unsafe"],
        })
    );
}
