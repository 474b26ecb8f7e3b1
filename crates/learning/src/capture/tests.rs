use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use review_types::Timestamp;

use super::*;
use crate::corrections::{Line, Mode, Validation};

const LABELLED: &str = include_str!("../../../../tests/fixtures/corrections/capture.txt");

fn labelled() -> Vec<(&'static str, &'static str)> {
    LABELLED
        .lines()
        .map(|line| line.split_once('\t').unwrap())
        .collect()
}

#[test]
fn nine_of_ten_captured_texts_are_corrections() {
    let texts = labelled();
    assert!(texts.len() >= 40);
    let (mut heard_right, mut heard_wrong, mut typed_right, mut meant) = (0, 0, 0, 0);
    for (label, text) in texts {
        let found = correction_type(text, true);
        meant += u32::from(label != "none");
        match found {
            Some(found) if label != "none" => {
                heard_right += 1;
                typed_right += u32::from(found.as_str() == label);
            }
            Some(_) => heard_wrong += 1,
            None => {}
        }
    }
    let precision = f64::from(heard_right) / f64::from(heard_right + heard_wrong);
    assert!(precision >= 0.9, "{heard_right} right, {heard_wrong} wrong");
    let recall = f64::from(heard_right) / f64::from(meant);
    assert!(recall >= 0.8, "{heard_right} of {meant}");
    assert!(
        typed_right * 10 >= heard_right * 9,
        "{typed_right} of {heard_right}"
    );
}

#[test]
fn weak_phrases_count_in_short_texts_that_open_with_dissent() {
    let filler = "with the words of a longer message ".repeat(5);
    assert!(correction_type("No, the limit should be ten.", false).is_some());
    assert_eq!(correction_type("The limit should be ten.", true), None);
    assert_eq!(
        correction_type(&format!("No, the limit should be ten {filler}"), true),
        None
    );
    assert!(correction_type(&format!("You forgot the limit {filler}"), false).is_some());
}

#[test]
fn filters_come_before_phrases() {
    for text in [
        "Is it true that you forgot the limit?",
        "Add what you forgot.",
        "Oops, that's wrong, I mistyped the path.",
        "Maybe that's wrong",
        "The log says `that's wrong` here",
        "youforgot",
        "",
    ] {
        assert_eq!(correction_type(text, true), None, "{text}");
    }
}

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
        let now = Timestamp::UNIX_EPOCH.after(Duration::from_secs(60 * *self.minutes.borrow()));
        let files = self.files.borrow();
        let look = |path: &str| files.get(path).cloned();
        // The state is kept across processes.
        let text = serde_json::to_string(&*self.session.borrow()).unwrap();
        let mut session: Session = serde_json::from_str(&text).unwrap();
        let captured = session.take(hook, now, &look);
        *self.session.borrow_mut() = session;
        captured
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
    let used = Tool::Wrote {
        tool: "Write".to_owned(),
        file: "/p/a.rs".to_owned(),
    };
    assert_eq!(wrote("/p/a.rs").event, HookEvent::Used(used));
    let used = Tool::Ran {
        command: "ls".to_owned(),
    };
    assert_eq!(ran("ls").event, HookEvent::Used(used));
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
        action: "Wrote /p/a.rs".to_owned(),
        tool: Some("Write".to_owned()),
        file: Some("/p/a.rs".to_owned()),
        summary: "You forgot the limit.".to_owned(),
        verbatim: Some("You forgot the limit. It is 10 MiB.\nThanks".to_owned()),
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
        captured[0].summary,
        "The user deleted /p/a.rs after the agent wrote it"
    );
    assert_eq!(captured[0].verbatim, None);
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
    assert_eq!(world.types(&prompt("Go on.")), NOTHING);
    assert_eq!(world.types(&prompt("Go on.")), NOTHING);
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

#[test]
fn a_captured_line_holds_no_secrets() {
    let captured = Captured {
        correction_type: CorrectionType::CodeCompleteness,
        action: "Wrote /p/a.rs".to_owned(),
        tool: Some("Write".to_owned()),
        file: Some("/p/a.rs".to_owned()),
        summary: "You forgot the hush.".to_owned(),
        verbatim: Some("You forgot error handling, hush.".to_owned()),
    };
    let redact = |text: &str| text.replace("hush", "[redacted]");
    let now = Timestamp::UNIX_EPOCH;
    for (captured, source) in [
        (captured.clone(), "explicit"),
        (
            Captured {
                verbatim: None,
                tool: None,
                file: None,
                ..captured
            },
            "implicit",
        ),
    ] {
        let line = captured.line("claude", "s-1", now, &redact);
        assert!(!line.to_string().contains("hush"), "{line}");
        assert_eq!(line["source"], source);
        let is_explicit = source == "explicit";
        assert_eq!(
            line.get("pattern_inferred").is_some(),
            is_explicit,
            "{line}"
        );
        assert_eq!(line["ai_action"].get("file").is_some(), is_explicit);
        let text = line.to_string();
        let mut validation = Validation::new(Mode::Default);
        let correction = validation.line(1, Line::Whole(text.as_bytes())).unwrap();
        assert_eq!(
            (&*correction.agent, correction.session_id.as_deref()),
            ("claude", Some("s-1"))
        );
        assert_eq!(validation.into_diagnostics(), []);
    }
}

#[test]
fn contrasts_work_of_the_agent_and_judgments_are_corrections_as_the_agent_has_written() {
    for (text, after_work, before) in [
        (
            "We use pnpm here, not npm",
            Some("preference_conflict"),
            None,
        ),
        (
            "I need that in the header, not the footer",
            Some("expectation_mismatch"),
            None,
        ),
        ("We are done, not sure about tomorrow", None, None),
        ("The names are bad", Some("code_quality"), None),
        ("The names are in the list", None, None),
        (
            "Your test checks nothing",
            Some("code_quality"),
            Some("code_quality"),
        ),
        (
            "Your fix breaks the import",
            Some("code_quality"),
            Some("code_quality"),
        ),
        ("Your fix breaks nothing", None, None),
        ("This is too complex to explain here", None, None),
        (
            "This is too complex",
            Some("approach_rejection"),
            Some("approach_rejection"),
        ),
    ] {
        let found = [true, false].map(|after_work| correction_type(text, after_work));
        let found = found.map(|one| one.map(CorrectionType::as_str));
        assert_eq!(found, [after_work, before], "{text}");
    }
}

/// The labelled messages, written down before the rules were changed for them.
const PHRASES: &str = include_str!("phrases.tsv");

#[test]
fn nine_of_ten_hits_are_corrections_and_seven_of_ten_corrections_are_hits() {
    let labelled = PHRASES.lines().filter_map(|line| line.split_once('\t'));
    let (mut hits, mut right, mut corrections) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (label, text) in labelled {
        let (is_correction, is_hit) = (label == "yes", correction_type(text, true).is_some());
        hits += u32::from(is_hit);
        corrections += u32::from(is_correction);
        right += u32::from(is_hit && is_correction);
        if is_hit != is_correction {
            wrong.push(text);
        }
    }
    let precision = f64::from(right) / f64::from(hits);
    let recall = f64::from(right) / f64::from(corrections);
    assert!(precision >= 0.9, "{precision:.2} {recall:.2} {wrong:#?}");
    assert!(recall >= 0.7, "{precision:.2} {recall:.2} {wrong:#?}");
}
