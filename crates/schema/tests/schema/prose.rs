//! The prose around an answer: whether the answer stands alone, and words that put it in
//! doubt.

use review_schema::parse_and_validate;
use review_types::Verdict;

const PASS: &str = r#"{"verdict": "pass", "score": {"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95}, "feedback": []}"#;
const REVISE: &str = r#"{"verdict": "needs_revision", "score": {"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95}, "feedback": [{"section": "a", "issue": "b", "suggestion": "c"}]}"#;

/// Returns the answers of a table, which are separated by lines of `---`. `@` is a placeholder
/// for the object.
fn answers(table: &str) -> Vec<&str> {
    let answers = table.split("\n---\n");
    answers.map(|answer| answer.trim_matches('\n')).collect()
}

/// The ways in which an answer may be wrapped.
const WAYS: [fn(&str) -> String; 6] = [
    str::to_owned,
    |answer| answer.replace('\n', "\r\n"),
    |answer| format!("I have read the spec.\n\n{answer}"),
    |answer| format!("<think>My answer is needs_revision.</think>\n{answer}\n"),
    |answer| serde_json::json!(answer).to_string(),
    |answer| serde_json::json!({ "type": "result", "result": answer }).to_string(),
];

type Outcome = Result<Verdict, String>;

fn read(answer: &str) -> Outcome {
    let parsed = parse_and_validate(answer);
    parsed
        .map(|parsed| parsed.review.verdict())
        .map_err(|error| format!("{}: {}", error.field, error.message))
}

/// Parses all answers of a table in all ways, and returns those with an unexpected
/// result.
fn check(table: &str, object: &str, is_right: impl Fn(&Outcome) -> bool) {
    let mut wrong = Vec::new();
    for answer in answers(table) {
        for (number, way) in WAYS.iter().enumerate() {
            let outcome = read(&way(&answer.replace('@', object)));
            if !is_right(&outcome) {
                wrong.push(format!("{answer}\n  way {number} => {outcome:?}\n"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn is_doubted(result: &Outcome) -> bool {
    let start = "verdict: the sentence around the pass puts it in doubt (\"";
    matches!(result, Err(message) if message.starts_with(start))
}

const DOUBTED: &str = include_str!("prose/doubted.txt");
const MEANT: &str = include_str!("prose/meant.txt");
const MEANT_REVISIONS: &str = include_str!("prose/meant_revisions.txt");

#[test]
fn a_pass_with_a_word_of_doubt_in_its_sentence_is_not_a_verdict() {
    check(DOUBTED, PASS, is_doubted);
}

#[test]
fn a_pass_among_other_words_is_read() {
    check(MEANT, PASS, |outcome| *outcome == Ok(Verdict::Pass));
}

#[test]
fn a_revision_is_read_whatever_the_words_around_it() {
    let all = [DOUBTED, MEANT, MEANT_REVISIONS].join("\n---\n");
    check(&all, REVISE, |outcome| {
        *outcome == Ok(Verdict::NeedsRevision)
    });
}

#[test]
fn a_pass_with_any_words_beside_it_is_not_alone() {
    for table in [DOUBTED, MEANT, OTHER_LANGUAGES] {
        for answer in answers(table) {
            let has_more = ["</", "//"].iter().any(|mark| answer.contains(mark));
            let bare = answer.trim().trim_matches('`').trim_start_matches("json");
            if has_more || bare.trim() == "@" {
                continue;
            }
            let parsed = parse_and_validate(answer.replace('@', PASS));
            assert!(
                parsed.is_err() || parsed.is_ok_and(|parsed| !parsed.is_alone),
                "{answer}"
            );
        }
    }
}

/// What no list of words knows.
const OTHER_LANGUAGES: &str = "\
Wäre alles gut, dann wäre die Antwort @
---
@
Das ist nur ein Beispiel.
---
La réponse serait @ si tout était complet.
---
如果完整，答案是 @
---
Ответ был бы @, если бы не раздел 2.
---
# Example
@
---
| @ |
---
- @
---
(@)
---
<!-- example --> @
---
@ @
---
[@]
---
Review: @";

#[test]
fn a_pass_is_alone_with_blanks_thinking_before_it_and_one_fence() {
    for (answer, is_alone) in [
        ("@", true),
        (" \n@\n\u{feff}\u{200b}", true),
        ("```json\n@\n```", true),
        ("~~~\n@\n~~~\n", true),
        ("```json\n@", true),
        ("<think>It would pass {if}.</think>\n@", true),
        (
            "<think>One.</think> <thinking>Two.</thinking>\n```json\n@\n```",
            true,
        ),
        ("I think so.</think>\n@", false),
        ("I reject it.\n<think>x</think>\n@", false),
        ("<think>x</think>I reject it.\n<think>y</think>\n@", false),
        ("@\n<think>x</think>", false),
        ("```json as asked\n@\n```", false),
        ("// unread\n@", false),
        ("@ /* mine */", false),
        ("```json\n@\n```\nx", false),
        ("x\n```json\n@\n```", false),
        ("```\nx\n```\n@", false),
        ("```json\nx\n@\n```", false),
        ("```json\n@\n```\n```json\n```", false),
        ("x</think>y\n@", false),
        ("// checked\nx @", false),
        ("# checked\n@", false),
        ("{}\n@", false),
        ("@\n{}", false),
        ("@.", false),
        (r#"{"result": @}"#, false),
    ] {
        let parsed = parse_and_validate(answer.replace('@', PASS)).unwrap();
        assert_eq!(parsed.is_alone, is_alone, "{answer}");
    }
    let whole = serde_json::json!(PASS).to_string();
    assert!(parse_and_validate(whole).unwrap().is_alone);
}

#[test]
fn a_doubted_pass_contradicts_a_pass_but_not_a_revision() {
    let would = format!("The answer would be {PASS} if it were good.\n\n");
    let both = read(&format!("{would}My verdict: {PASS}"));
    let message = "verdict: a pass that is not unanimous: another answer does not pass";
    assert_eq!(both, Err(message.to_owned()));
    let revised = read(&format!("{would}My verdict: {REVISE}"));
    assert_eq!(revised, Ok(Verdict::NeedsRevision));
    let taken_back = read(&format!("My verdict: {REVISE}\n\n{would}"));
    assert_eq!(taken_back, Ok(Verdict::NeedsRevision));
}

#[test]
fn thinking_hides_nothing_that_stands_before_it() {
    let thought = "\n<think>x</think>\n";
    for before in [
        REVISE.to_owned(),
        "verdict: needs_revision".to_owned(),
        r#"{"verdict": "needs_revision""#.to_owned(),
    ] {
        let answer = read(&format!("{before}{thought}{PASS}"));
        assert!(answer.is_err(), "{before}: {answer:?}");
    }
    // A tag that nothing opened may be text, so that a revision before it is one.
    let answer = read(&format!("{REVISE}</think>{PASS}"));
    assert!(answer.is_err(), "{answer:?}");
    let hidden = read(&format!("<think>{REVISE}</think>{PASS}"));
    assert_eq!(hidden, Ok(Verdict::Pass));
}

#[test]
fn words_far_from_an_answer_do_not_matter() {
    let far = format!("The answer would be {} {PASS}", "\n: word".repeat(200));
    assert_eq!(read(&far), Ok(Verdict::Pass));
    let end = format!("{PASS}, {} if it were good", "word ".repeat(200));
    assert_eq!(read(&end), Ok(Verdict::Pass));
}

#[test]
fn the_error_has_the_word_and_the_offset() {
    for (answer, word) in [
        (
            "The answer would be @ if it were good, but it is not.",
            "would",
        ),
        ("It is short, but if it were good, it is @", "if"),
        ("I'd say @", "would"),
        ("It isn’t @", "not"),
        ("I cannot say @", "not"),
        ("@, which I do not believe", "not"),
        ("@ is only an example.", "only"),
    ] {
        let answer = answer.replace('@', PASS);
        let error = parse_and_validate(&answer).unwrap_err();
        assert_eq!(
            error.message,
            format!("the sentence around the pass puts it in doubt (\"{word}\")"),
            "{answer}"
        );
        assert_eq!(error.at, answer.find('{'));
        assert_eq!(error.hint.as_deref(), Some("answer with one object only"));
    }
}
