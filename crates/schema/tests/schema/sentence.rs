//! The sentence around an answer: an answer that is qualified or denied is not a
//! verdict, and honest words around an answer do not matter.

use review_schema::parse_and_validate;
use review_types::Verdict;

const PASS: &str = r#"{"verdict": "pass", "score": {"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95}, "feedback": []}"#;
const REVISE: &str = r#"{"verdict": "needs_revision", "score": {"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95}, "feedback": [{"section": "a", "issue": "b", "suggestion": "c"}]}"#;

/// Returns the answers of a table, which are separated by lines of `---`. `@` stands
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

fn is_supposed(result: &Result<Verdict, String>) -> bool {
    let start = "verdict: the sentence around the object qualifies, denies or only mentions it (\"";
    matches!(result, Err(message) if message.starts_with(start))
}

const SUPPOSED: &str = include_str!("sentence/supposed.txt");
const SUPPOSED_REVISIONS: &str = include_str!("sentence/supposed_revisions.txt");
const MEANT: &str = include_str!("sentence/meant.txt");
const MEANT_REVISIONS: &str = include_str!("sentence/meant_revisions.txt");

#[test]
fn an_answer_that_is_qualified_or_denied_is_not_a_verdict() {
    assert!(answers(SUPPOSED).len() >= 30);
    check(SUPPOSED, PASS, is_supposed);
}

#[test]
fn a_revision_that_is_qualified_or_denied_is_not_a_verdict() {
    check(SUPPOSED_REVISIONS, REVISE, is_supposed);
}

#[test]
fn an_answer_among_honest_words_is_parsed() {
    assert!(answers(MEANT).len() >= 30);
    check(MEANT, PASS, |outcome| *outcome == Ok(Verdict::Pass));
}

#[test]
fn a_revision_among_honest_words_is_parsed() {
    let both = [MEANT, MEANT_REVISIONS].join("\n---\n");
    check(&both, REVISE, |outcome| {
        *outcome == Ok(Verdict::NeedsRevision)
    });
}

#[test]
fn a_qualified_pass_contradicts_a_pass_but_not_a_revision() {
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
fn the_words_for_one_answer_apply_to_an_answer_that_is_joined_to_it() {
    let joined = read(&format!("It might be {PASS} or {REVISE}."));
    assert!(is_supposed(&joined), "{joined:?}");
    let apart = read(&format!("It might be {PASS}\n\nMy verdict: {REVISE}"));
    assert_eq!(apart, Ok(Verdict::NeedsRevision));
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
        ("I considered @", "considered"),
        ("@ fits", "fits"),
        ("@?", "?"),
        ("@, which I do not believe", "not"),
        ("@, but it is not.", "not"),
        ("@ is only an example.", "only"),
        ("@\nThis is not my verdict.", "not"),
        ("@\nThis is what I'd say if it were good.", "'d"),
        ("@\nThat would be my answer.", "would"),
        ("@\nI cannot say that.", "not"),
        ("@\nBut, this is wrong.", "wrong"),
    ] {
        let answer = answer.replace('@', PASS);
        let error = parse_and_validate(&answer).unwrap_err();
        assert_eq!(
            error.message,
            format!(
                "the sentence around the object qualifies, denies or only mentions it (\"{word}\"), so it is not a verdict"
            ),
            "{answer}"
        );
        assert_eq!(error.at, answer.find('{'));
        assert_eq!(error.hint.as_deref(), Some("answer with one object only"));
    }
}
