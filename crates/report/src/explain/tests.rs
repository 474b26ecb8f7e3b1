use review_events::{AttemptCode, ChangeFlag, TaskState, TestResult};
use review_types::{
    BlockCode, ChangeCode, DecisionStatus, ExitCode, FailedBy, Failure, FindingEvidence,
    FindingStatus, LandCode, LimitKind, Outcome, StartCode, TaskStatus, Verdict,
};

use super::*;
use crate::gate::ClaimStatus;

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
