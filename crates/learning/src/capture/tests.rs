use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use review_types::Timestamp;

use super::*;
use crate::corrections::{Line, Mode, Validation};

fn hook(event: &str) -> Hook {
    Hook::read(format!(r#"{{"session_id":"s-1","cwd":"/p",{event}}}"#).as_bytes()).unwrap()
}

fn prompt(text: &str) -> Hook {
    let text = serde_json::to_string(text).unwrap();
    hook(&format!(
        r#""hook_event_name":"UserPromptSubmit","prompt":{text}"#
    ))
}

fn wrote(path: &str) -> Hook {
    hook(&format!(
        r#""hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{{"file_path":"{path}","content":"x"}},"tool_response":{{"success":true}}"#
    ))
}

fn ran(command: &str) -> Hook {
    hook(&format!(
        r#""hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"{command}"}}"#
    ))
}

const NOTHING: [&str; 0] = [];

/// Files, a session and the time.
#[derive(Default)]
struct World {
    files: RefCell<BTreeMap<String, Content>>,
    session: RefCell<Session>,
    minutes: RefCell<u64>,
}

impl World {
    fn file(&self, path: &str, hash: &str, bytes: u64) {
        let hash = hash.to_owned();
        self.files
            .borrow_mut()
            .insert(path.to_owned(), Content { hash, bytes });
    }

    fn later(&self, minutes: u64) {
        *self.minutes.borrow_mut() += minutes;
    }

    fn take(&self, hook: &Hook) -> Vec<Captured> {
        self.noticed(hook).corrections
    }

    fn noticed(&self, hook: &Hook) -> Noticed {
        let now = Timestamp::UNIX_EPOCH.after(Duration::from_secs(60 * *self.minutes.borrow()));
        let files = self.files.borrow();
        let look = |path: &str| files.get(path).cloned();
        // The state is kept across processes.
        let text = serde_json::to_string(&*self.session.borrow()).unwrap();
        let mut session: Session = serde_json::from_str(&text).unwrap();
        let noticed = session.take(hook, now, &look);
        *self.session.borrow_mut() = session;
        noticed
    }

    fn types(&self, hook: &Hook) -> Vec<&'static str> {
        let captured = self.take(hook);
        captured
            .iter()
            .map(|one| one.correction_type.as_str())
            .collect()
    }
}

#[test]
fn a_hook_event_is_read() {
    assert_eq!(prompt("No").event, HookEvent::Prompt("No".to_owned()));
    let Hook {
        session,
        folder,
        agent,
        ..
    } = prompt("No");
    assert_eq!(
        (session.as_str(), folder.as_deref(), agent),
        ("s-1", Some("/p"), None)
    );
    let written = HookEvent::Wrote {
        tool: "Write".to_owned(),
        file: "/p/a.rs".to_owned(),
    };
    assert_eq!(wrote("/p/a.rs").event, written);
    assert_eq!(ran("ls").event, HookEvent::Ran("ls".to_owned()));
    for other in [
        r#""hook_event_name":"Stop""#,
        r#""hook_event_name":"UserPromptSubmit""#,
        r#""hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"file_path":"a"}"#,
        r#""hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{}"#,
        r#""hook_event_name":"PostToolUse""#,
    ] {
        assert_eq!(hook(other).event, HookEvent::Other, "{other}");
    }
    assert!(Hook::read(b"{}").is_err() && Hook::read(b"no").is_err() && Hook::read(b"[]").is_err());
}

#[test]
fn an_objection_concerns_the_file_that_the_agent_wrote_last() {
    let world = World::default();
    world.file("/p/a.rs", "1", 10);
    assert_eq!(world.take(&wrote("/p/a.rs")), []);
    let captured = world.take(&prompt("You forgot the limit. It is 10 MiB.\nThanks"));
    let expected = Captured {
        correction_type: CorrectionType::CodeCompleteness,
        remark: remark(
            "You forgot the limit.",
            "You forgot the limit. It is 10 MiB.\nThanks",
        ),
    };
    assert_eq!(captured, [expected]);
}

#[test]
fn a_file_that_the_user_changes_is_one_correction() {
    for (hash, bytes, expected) in [
        ("1", 10, &[][..]),
        ("2", 12, &["code_quality"]),
        ("2", 13, &["code_completeness"]),
    ] {
        let world = World::default();
        world.file("/p/a.rs", "1", 10);
        world.take(&wrote("/p/a.rs"));
        world.file("/p/a.rs", hash, bytes);
        assert_eq!(world.types(&prompt("Go on.")), expected);
        assert_eq!(world.types(&prompt("Go on.")), NOTHING);
    }
    let world = World::default();
    world.file("/p/a.rs", "1", 10);
    world.take(&wrote("/p/a.rs"));
    world.files.borrow_mut().clear();
    let captured = world.take(&prompt("Go on."));
    assert_eq!(
        captured[0].correction_type,
        CorrectionType::ApproachRejection
    );
    assert_eq!(
        captured[0].remark.summary,
        "The user deleted /p/a.rs after the agent wrote it"
    );
    assert_eq!(captured[0].remark.verbatim, None);
}

#[test]
fn a_change_counts_for_ten_minutes_and_two_prompts() {
    for (minutes, prompts, is_heard) in [(10, 0, true), (11, 0, false), (1, 1, true), (1, 2, false)]
    {
        let world = World::default();
        world.file("/p/a.rs", "1", 10);
        world.take(&wrote("/p/a.rs"));
        for _ in 0..prompts {
            world.take(&prompt("Go on."));
        }
        world.later(minutes);
        world.file("/p/a.rs", "2", 10);
        assert_eq!(
            world.take(&prompt("Go on.")).len(),
            usize::from(is_heard),
            "{minutes} {prompts}"
        );
    }
}

#[test]
fn changes_by_a_command_of_the_agent_are_its_own() {
    for (command, expected) in [
        ("cargo fmt", &[][..]),
        ("git status && cargo fmt", &[]),
        ("git checkout -- a.rs", &["approach_rejection"]),
        ("cd x && git restore .", &["approach_rejection"]),
        ("git -C . checkout a.rs", &["approach_rejection"]),
        ("git --no-pager -c a.b=c stash", &["approach_rejection"]),
        ("git -C checkout status", &[]),
    ] {
        let world = World::default();
        world.file("/p/a.rs", "1", 10);
        world.take(&wrote("/p/a.rs"));
        assert_eq!(world.types(&ran(command)), NOTHING);
        world.file("/p/a.rs", "2", 10);
        assert_eq!(world.types(&ran(command)), expected, "{command}");
        assert_eq!(world.types(&prompt("Go on.")), NOTHING, "{command}");
    }
}

#[test]
fn a_rephrased_request_is_a_correction() {
    let world = World::default();
    let first = "Sort the customers of the invoice by the date of their last payment";
    assert_eq!(world.types(&prompt(first)), NOTHING);
    assert_eq!(
        world.types(&prompt("Write a parser for the configuration of printers")),
        NOTHING
    );
    let again = "Sort customers of invoices by date of last payments";
    assert_eq!(world.types(&prompt(again)), ["communication_gap"]);
    let routine = "Run cargo fmt, cargo clippy and the tests, and commit the result";
    assert_eq!(world.types(&prompt(routine)), NOTHING);
    assert_eq!(world.types(&prompt(routine)), NOTHING);
    let world = World::default();
    for text in [first, "one prompt", "another prompt", "a third prompt"] {
        world.take(&prompt(text));
    }
    assert_eq!(world.types(&prompt(again)), NOTHING);
}

#[test]
fn no_words_of_the_user_are_stored() {
    let world = World::default();
    world.take(&prompt("The otter sorts customers by their payments"));
    let text = serde_json::to_string(&*world.session.borrow()).unwrap();
    for word in ["otter", "sort", "customer", "payment"] {
        assert!(!text.contains(word), "{text}");
    }
}

fn remark(summary: &str, verbatim: &str) -> Remark {
    Remark {
        action: "Wrote /p/a.rs".to_owned(),
        tool: Some("Write".to_owned()),
        file: Some("/p/a.rs".to_owned()),
        summary: summary.to_owned(),
        verbatim: Some(verbatim.to_owned()),
    }
}

#[test]
fn a_message_just_after_an_edit_that_no_phrase_matches_is_a_candidate() {
    let unclear = "The counter skips every second customer";
    let world = World::default();
    assert_eq!(world.noticed(&prompt(unclear)), Noticed::default());
    world.file("/p/a.rs", "1", 10);
    world.take(&wrote("/p/a.rs"));
    let expected = Noticed {
        corrections: Vec::new(),
        candidate: Some(remark(unclear, unclear)),
    };
    assert_eq!(world.noticed(&prompt(unclear)), expected);
    let other = "The counter starts at seven";
    assert_eq!(world.noticed(&prompt(other)), Noticed::default());
    world.take(&wrote("/p/a.rs"));
    assert_eq!(world.noticed(&prompt("Add a test")), Noticed::default());
}

#[test]
fn a_routine_request_may_be_made_twice() {
    let world = World::default();
    for _ in 0..2 {
        assert_eq!(
            world.types(&prompt("run the tests and fix what fails")),
            NOTHING
        );
    }
}

#[test]
fn a_captured_line_is_a_valid_correction() {
    let captured = Captured {
        correction_type: CorrectionType::CodeQuality,
        remark: remark("You forgot the hush.", "You forgot error handling, hush."),
    };
    let silent = Captured {
        correction_type: CorrectionType::CodeQuality,
        remark: Remark {
            verbatim: None,
            tool: None,
            file: None,
            ..captured
                .remark
                .clone()
                .map(|text| text.replace("hush", "[redacted]"))
        },
    };
    for (captured, source, correction_type) in [
        (captured, "explicit", "code_completeness"),
        (silent, "implicit", "code_quality"),
    ] {
        let line = captured.line(
            &AgentName::from("claude"),
            &ClientSession::from("s-1"),
            Timestamp::UNIX_EPOCH,
        );
        let is_explicit = source == "explicit";
        assert_eq!(line.to_string().contains("hush"), is_explicit, "{line}");
        assert_eq!(line["source"], source);
        assert_eq!(line["correction_type"], correction_type);
        let pattern = line.get("pattern_inferred");
        assert_eq!(pattern.is_some(), is_explicit, "{line}");
        assert_eq!(line["ai_action"].get("file").is_some(), is_explicit);
        let text = line.to_string();
        let mut validation = Validation::new(Mode::Default);
        let correction = validation.line(1, Line::Whole(text.as_bytes())).unwrap();
        assert_eq!(
            (correction.agent.as_str(), correction.session_id.as_deref()),
            ("claude", Some("s-1"))
        );
        assert_eq!(validation.into_diagnostics(), []);
    }
}

/// A session whose agent just wrote a file.
fn just_written() -> World {
    let world = World::default();
    world.file("/p/a.rs", "1", 10);
    world.take(&wrote("/p/a.rs"));
    world
}

#[test]
fn what_a_user_says_about_a_common_mistake_has_its_pattern() {
    let world = just_written();
    for (text, pattern) in [
        ("You forgot the error handling.", "missing-error-handling"),
        (
            "too complex, keep it simple please",
            "overly-complex-solution",
        ),
        (
            "That's wrong, you call the wrong endpoint",
            "wrong-api-usage",
        ),
        ("You forgot to validate the input", "missing-validation"),
        ("I prefer tabs over spaces", "style-mismatch"),
        ("You did more than I asked", "scope-creep"),
        (
            "You stopped halfway, finish it",
            "incomplete-implementation",
        ),
        ("That is not what I meant", "misunderstood-requirement"),
        ("You broke the build", ""),
    ] {
        let captured = world.take(&prompt(text));
        assert_eq!(captured.len(), 1, "{text}");
        let line = captured[0].line(
            &AgentName::from("claude"),
            &ClientSession::from("s-1"),
            Timestamp::UNIX_EPOCH,
        );
        let found = line["pattern_inferred"].as_str().unwrap_or_default();
        assert_eq!(found, pattern, "{text}");
        let confidence = line["pattern_confidence"].as_str();
        assert_eq!(confidence == Some("low"), !pattern.is_empty(), "{line}");
        // Each pattern has the type that the format gives it.
        let mut validation = Validation::new(Mode::Strict);
        validation.line(1, Line::Whole(line.to_string().as_bytes()));
        assert_eq!(validation.into_diagnostics(), [], "{text}");
    }
}

#[test]
fn objections_are_corrections_whatever_they_are_about() {
    for (text, correction_type) in [
        ("You swapped the two arguments", "code_quality"),
        ("You renamed the column", "expectation_mismatch"),
        ("This doesn't even compile", "code_quality"),
        ("where are the tests?", "code_completeness"),
        (
            "No, the download has no error handling",
            "code_completeness",
        ),
        (
            "I asked for a function and not for a class",
            "expectation_mismatch",
        ),
        ("I said no new dependencies", "communication_gap"),
        ("That is not the style of this repo", "preference_conflict"),
        ("This breaks the build on Windows", "code_quality"),
        ("We never log passwords", "preference_conflict"),
        (
            "Don't mock the database in these tests",
            "preference_conflict",
        ),
        ("Put the old tests back", "expectation_mismatch"),
        (
            "Why did you touch the migrations? Leave them alone.",
            "expectation_mismatch",
        ),
        ("let's try Redis instead", "approach_rejection"),
    ] {
        let captured = just_written().take(&prompt(text));
        assert_eq!(captured.len(), 1, "{text}");
        let line = captured[0].line(
            &AgentName::from("claude"),
            &ClientSession::from("s-1"),
            Timestamp::UNIX_EPOCH,
        );
        assert_eq!(line["correction_type"], correction_type, "{text}");
        assert_eq!(line["user_correction"]["verbatim"], text);
    }
    // Before any work, what is forbidden is part of the task.
    let before = World::default().types(&prompt("Don't mock the database in these tests"));
    assert_eq!(before, NOTHING);
    for text in [
        "No, I have not tried that yet",
        "You suggested a queue",
        "Anna wrote that you forgot the header, but she looked at the old branch",
        "You missed nothing, great work",
        "This is not too complicated, I like it",
    ] {
        assert_eq!(just_written().types(&prompt(text)), NOTHING, "{text}");
    }
}
