//! Answers that are revisions, in many spellings and then corrupted. They all derive
//! from a few bytes, so that a fuzzer can steer them.

use review_schema::{Dialect, Mode, Options, parse_and_validate_with};
use review_types::Verdict;

const SCORE: &str =
    r#"{"completeness": 40, "consistency": 55, "testability": 30, "architecture": 60}"#;

/// A response that passes, for quotations.
const PASSING: &str = r#"{"protocol_version": "1.2", "iteration": 1, "status": "success", "feedback": {"confidence": {"level": "high", "justification": "j"}, "positive_points": [], "areas_for_improvement": [], "general_summary": ""}}"#;

/// Strings of feedback that quote a pass or look like special syntax.
const TEXTS: [&str; 10] = [
    "No limit is given.",
    r#"The example {"verdict": "pass", "score": {"completeness": 90, "consistency": 90, "testability": 90, "architecture": 90}, "feedback": []} is wrong."#,
    "Python prints {'verdict': 'pass', 'score': {'completeness': 90, 'consistency': 90, 'testability': 90, 'architecture': 90}} here.",
    "verdict: pass",
    "strip </think> and <think> tags",
    "a brace } and a quote \" and ``` fences",
    "back\\slash \\d and \\u12",
    "line one\nline two\ttab",
    "größer 😀 “quoted”",
    "{title} {/* comment */}",
];

/// Strings of responses.
const RESPONSE_TEXTS: [&str; 4] = [TEXTS[0], TEXTS[1], TEXTS[6], PASSING];

/// The fields of a document before its items.
const HEAD: &str = r#""id": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3", "timestamp": "2026-03-01T12:30:05Z", "iteration": {"number": 1, "max": 3, "phase": "initial"}, "target": {"type": "code", "path": "src/a.rs"}"#;

/// An item up to its example.
const POINT: &str = r#"{"aspect": "clarity", "severity": "minor", "issue": "The limit of the queue is not given.", "location": {"type": "line", "reference": "7"}, "suggestion": {"action": "State the limit of the queue in entries", "rationale": "Readers then know how large it gets""#;

/// A document that accepts, for quotations.
const ACCEPTING: &str = r#"{"id": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3", "timestamp": "2026-03-01T12:30:05Z", "iteration": {"number": 1, "max": 3, "phase": "initial"}, "target": {"type": "code", "path": "src/a.rs"}, "feedback_items": [{"aspect": "clarity", "severity": "minor", "issue": "The limit of the queue is not given.", "location": {"type": "line", "reference": "7"}, "suggestion": {"action": "State the limit of the queue in entries", "rationale": "Readers then know how large it gets"}}], "overall_assessment": {"score": 0.9, "verdict": "accept", "summary": "The queue is sound, and one word about its limit is left to be said."}}"#;

/// Strings of documents.
const DOCUMENT_TEXTS: [&str; 5] = [
    TEXTS[0],
    TEXTS[1],
    TEXTS[6],
    ACCEPTING,
    "\"verdict\": \"accept\"",
];

const BEFORE: [&str; 8] = [
    "",
    "Here is my review of {title}:\n\n",
    "```json\n",
    "<think>\nI would give {\"verdict\": \"pass\"} at first.\n</think>\n",
    "{\"usage\": {\"input_tokens\": 10}}\n",
    "The form is {\"verdict\": \"pass|needs_revision\", \"score\": {\"completeness\": 0-100}}.\n",
    "fn main() { println!(\"{}\", 1); }\nbody { color: red; }\n",
    "[1] \u{1b}[32mINFO\u{1b}[0m start {pid: 12}\n",
];

const AFTER: [&str; 6] = [
    "",
    "\n```\n",
    "\n\nLet me know, {name}!",
    "\n{\"model\": \"m\", \"seconds\": 1.5}",
    "\n}} ] }",
    " // end",
];

/// A source of choices.
pub(crate) struct Choices<'b> {
    bytes: &'b [u8],
}

impl<'b> Choices<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes }
    }

    fn byte(&mut self) -> usize {
        let Some((first, rest)) = self.bytes.split_first() else {
            return 0;
        };
        self.bytes = rest;
        usize::from(*first)
    }

    fn number(&mut self) -> usize {
        self.byte() << 8 | self.byte()
    }

    fn one<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.byte() % texts.len()]
    }
}

/// Returns a corrupted answer whose reviewer requested a revision.
pub(crate) fn spoilt_revision(choices: &mut Choices<'_>) -> Vec<u8> {
    let object = object(choices);
    spoilt(object, choices)
}

/// Returns a corrupted response of the Agent Feedback Protocol that requests a
/// revision, by its verdict or by its areas for improvement.
pub(crate) fn spoilt_response(choices: &mut Choices<'_>) -> Vec<u8> {
    let object = response(choices);
    spoilt(object, choices)
}

/// Returns a corrupted document that does not accept.
pub(crate) fn spoilt_document(choices: &mut Choices<'_>) -> Vec<u8> {
    let object = document(choices);
    spoilt(object, choices)
}

fn spoilt(object: String, choices: &mut Choices<'_>) -> Vec<u8> {
    let wrapped = match choices.byte() % 6 {
        0 => format!(r#"{{"type": "result", "is_error": false, "result": {object}}}"#),
        1 => format!(r#"{{"type": "result", "result": {}}}"#, quote(&object)),
        2 => quote(&object),
        _ => object,
    };
    let text = format!("{}{wrapped}{}", choices.one(&BEFORE), choices.one(&AFTER));
    let mut bytes = text.into_bytes();
    match choices.byte() % 4 {
        0 => {}
        1 => mutate(&mut bytes, choices),
        _ => {
            let at = choices.number() % (bytes.len() + 1);
            bytes.truncate(at);
        }
    }
    bytes
}

fn object(choices: &mut Choices<'_>) -> String {
    let items: Vec<_> = (0..=choices.byte() % 3).map(|_| item(choices)).collect();
    let comma = [", ", ",\n", ",", " , // note\n"][choices.byte() % 4];
    let mut members = vec![
        verdict(choices),
        format!("\"score\": {SCORE}"),
        format!("\"feedback\": [{}]", items.join(comma)),
    ];
    let by = choices.byte() % members.len();
    members.rotate_left(by);
    match choices.byte() % 4 {
        0 => members.insert(
            0,
            format!(
                "\"previous\": {{\"verdict\": \"pass\", \"score\": {SCORE}, \"feedback\": []}}"
            ),
        ),
        1 => members.insert(0, format!("\"summary\": {}", quote(choices.one(&TEXTS)))),
        _ => {}
    }
    let end = ["}", ",}", "\n}"][choices.byte() % 3];
    format!("{{{}{end}", members.join(comma))
}

fn response(choices: &mut Choices<'_>) -> String {
    let comma = [", ", ",\n", ",", " , // note\n"][choices.byte() % 4];
    let areas: Vec<_> = (0..=choices.byte() % 3)
        .map(|index| area(index, choices))
        .collect();
    let level = ["low", "medium", "high"][choices.byte() % 3];
    let mut feedback = [
        format!("\"confidence\": {{\"level\": \"{level}\", \"justification\": \"j\"}}"),
        format!("\"areas_for_improvement\": [{}]", areas.join(comma)),
        "\"positive_points\": []".to_owned(),
        format!(
            "\"general_summary\": {}",
            quote(choices.one(&RESPONSE_TEXTS))
        ),
    ];
    let by = choices.byte() % feedback.len();
    feedback.rotate_left(by);
    let mut members = vec![
        "\"protocol_version\": \"1.2\"".to_owned(),
        "\"iteration\": 1".to_owned(),
        "\"status\": \"success\"".to_owned(),
        format!("\"feedback\": {{{}}}", feedback.join(comma)),
    ];
    if choices.byte().is_multiple_of(2) {
        let verdict = verdict(choices);
        members.push(format!("\"review\": {{{verdict}, \"score\": {SCORE}}}"));
    }
    let by = choices.byte() % members.len();
    members.rotate_left(by);
    match choices.byte() % 4 {
        0 => members.insert(0, format!("\"previous\": {PASSING}")),
        1 => members.push(format!("\"note\": {}", quote(PASSING))),
        _ => {}
    }
    let end = ["}", ",}", "\n}"][choices.byte() % 3];
    format!("{{{}{end}", members.join(comma))
}

fn document(choices: &mut Choices<'_>) -> String {
    let comma = [", ", ",\n", ",", " , // note\n"][choices.byte() % 4];
    let verdict = ["refine", "reject", "escalate"][choices.byte() % 3];
    let score = ["0.2", "0.95"][choices.byte() % 2];
    let points: Vec<_> = (0..=choices.byte() % 3)
        .map(|_| {
            let example = quote(choices.one(&DOCUMENT_TEXTS));
            format!(r#"{POINT}, "example": {example}}}}}"#)
        })
        .collect();
    let mut members = vec![
        HEAD.to_owned(),
        format!("\"feedback_items\": [{}]", points.join(comma)),
        format!(
            r#""overall_assessment": {{"score": {score}, "verdict": "{verdict}", "summary": "The queue has no limit, and its test is missing as well."}}"#
        ),
    ];
    let by = choices.byte() % members.len();
    members.rotate_left(by);
    match choices.byte() % 4 {
        0 => members.insert(0, format!("\"previous\": {ACCEPTING}")),
        1 => members.push(format!("\"note\": {}", quote(ACCEPTING))),
        _ => {}
    }
    let end = ["}", ",}", "\n}"][choices.byte() % 3];
    format!("{{{}{end}", members.join(comma))
}

fn area(index: usize, choices: &mut Choices<'_>) -> String {
    let [aspect, description, recommendation] =
        [(); 3].map(|()| quote(choices.one(&RESPONSE_TEXTS)));
    format!(
        r#"{{"id": "a-{index}", "aspect": {aspect}, "description": {description}, "recommendation": {recommendation}}}"#
    )
}

fn verdict(choices: &mut Choices<'_>) -> String {
    let forms = [
        r#""verdict": "needs_revision""#,
        r#""verdict":"needs_revision""#,
        "verdict: \"needs_revision\"",
        "'verdict': 'needs_revision'",
        r#""Verdict": "Needs Revision""#,
        "“verdict”: “needs_revision”",
    ];
    choices.one(&forms).to_owned()
}

fn item(choices: &mut Choices<'_>) -> String {
    let texts = [(); 3].map(|()| {
        let text = choices.one(&TEXTS);
        match choices.byte() % 8 {
            // As models write it, without escapes.
            0 => format!("\"{text}\""),
            _ => quote(text),
        }
    });
    let [section, issue, suggestion] = texts;
    format!(r#"{{"section": {section}, "issue": {issue}, "suggestion": {suggestion}}}"#)
}

fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

/// Replaces, drops or inserts one byte.
fn mutate(bytes: &mut Vec<u8>, choices: &mut Choices<'_>) {
    let at = choices.number() % bytes.len();
    let alphabet = b"\"'{}[],:\\ \n\x00\xff/#<>.a0";
    let byte = alphabet[choices.byte() % alphabet.len()];
    match choices.byte() % 3 {
        0 => bytes[at] = byte,
        1 => {
            bytes.remove(at);
        }
        _ => bytes.insert(at, byte),
    }
}

/// Checks what is left of an answer that requested a revision.
pub(crate) fn never_passes(dialect: Dialect, answer: &[u8]) {
    for &mode in Mode::ALL {
        let options = Options {
            mode,
            dialect,
            ..Options::default()
        };
        if let Ok(parsed) = parse_and_validate_with(answer, &options) {
            let text = String::from_utf8_lossy(answer);
            assert_eq!(
                parsed.review.verdict(),
                Verdict::NeedsRevision,
                "{mode}: {text}"
            );
        }
    }
}
