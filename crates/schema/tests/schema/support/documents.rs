//! Actionable-feedback documents by number, valid and mutated ones.
//!
//! The same number gives the same document everywhere, so that the results of another
//! validator can be recorded without the documents.

use review_schema::actionable::{Code, Diagnostic};
use serde_json::{Map, Value as Json, json};

/// Returns whether the published schema rejects a document for this: no other rule does.
pub(crate) fn is_schema_error(found: &Diagnostic) -> bool {
    let is_of_schema = !matches!(
        found.code,
        Code::TextInvisible
            | Code::IssueVague
            | Code::ActionAdvisory
            | Code::ActionNotConcrete
            | Code::LocationEmpty
            | Code::LocationReference
            | Code::LocationLineIsRange
            | Code::IterationBeyondMax
            | Code::PhaseUnexpected
            | Code::VerdictInconsistent
            | Code::VerdictHarsh
            | Code::VerdictUnsure
            | Code::ScoreMissing
            | Code::KeyDuplicate
            | Code::KeyMisspelt
            | Code::TimestampOutOfRange
            | Code::DerivedNotPointers
    );
    found.is_error() && is_of_schema
}

/// A pseudorandom sequence of numbers (splitmix64).
pub(crate) struct Numbers(u64);

impl Numbers {
    /// Returns the numbers of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap_or(1);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

const SUBJECTS: [&str; 8] = [
    "The parser",
    "Section 3",
    "The retry loop",
    "`open_session`",
    "The migration",
    "The example",
    "The cache of tokens",
    "Größe und Maß",
];

const FAULTS: [&str; 8] = [
    "accepts an empty name, so that the later look-up fails without a hint",
    "names no limit for the queue, and a slow reader fills the memory",
    "contradicts the table above it, so that nobody can tell which one holds",
    "reads the whole file for each line, which takes minutes for large inputs",
    "keeps the lock while it waits for the network, and all others wait too",
    "says \"soon\" and gives no time in milliseconds",
    "drops the error of the last write, and the caller sees a success",
    "has no test for a value of zero — the division panics there",
];

const ACTIONS: [&str; 6] = [
    "Add a check that refuses the empty name, and name the field in the error",
    "Replace the loop by one pass over the lines with a map from name to offset",
    "State the limit in milliseconds at the 99th percentile in section 3",
    "Release the lock before the call, and take it again for the result",
    "Return the error of the last write to the caller with the path of the file",
    "Write a test with the value 0 and one with the greatest value",
];

const REASONS: [&str; 4] = [
    "Whoever calls it sees at once what is wrong and where",
    "The time then grows with the size of the input, not with its square",
    "A reader can check the claim with one measurement",
    "No caller can mistake a failure for a success any more",
];

const ASPECTS: [&str; 10] = [
    "correctness",
    "completeness",
    "clarity",
    "consistency",
    "efficiency",
    "security",
    "style",
    "documentation",
    "testability",
    "maintainability",
];

/// Returns a valid document.
pub(crate) fn sound(numbers: &mut Numbers) -> Json {
    let count = 1 + numbers.below(6);
    let items: Vec<Json> = (0..count).map(|_| item(numbers)).collect();
    let max = 2 + numbers.below(4);
    let number = 1 + numbers.below(max);
    let phase = match number {
        number if number == max => "final",
        1 => "initial",
        _ => "refinement",
    };
    let mut document = json!({
        "id": uuid(numbers),
        "timestamp": timestamp(numbers),
        "iteration": { "number": number, "max": max, "phase": phase },
        "target": {
            "type": *numbers.one_of(&["code", "document", "artifact", "configuration", "test", "schema"]),
            "path": format!("src/part_{}/mod.rs", numbers.below(100)),
            "version": format!("{:016x}", numbers.next()),
        },
        "feedback_items": items,
        "overall_assessment": {
            "score": fraction(numbers, 79),
            "verdict": *numbers.one_of(&["refine", "reject", "escalate"]),
            "summary": format!(
                "{} and {} points remain open. {} goes first, since the others build on it.",
                numbers.below(9), numbers.below(9), numbers.one_of(&SUBJECTS),
            ),
        },
    });
    if numbers.chance(70) {
        document["overall_assessment"]["confidence"] = fraction(numbers, 100);
    }
    if numbers.chance(30) {
        document["quality_tracking"] = json!({
            "feedback_followed": numbers.chance(50),
            "improvement_observed": numbers.chance(50),
            "improvement_delta": numbers.below(100),
            "feedback_clarity_score": fraction(numbers, 100),
        });
    }
    document
}

fn item(numbers: &mut Numbers) -> Json {
    let line = 1 + numbers.below(900);
    let (kind, reference) = match numbers.below(5) {
        0 => ("line", line.to_string()),
        1 => ("range", format!("{line}-{}", line + numbers.below(30))),
        2 => ("function", "open_session()".to_owned()),
        3 => ("section", "Limits and their reasons".to_owned()),
        _ => ("path", "$.servers[2].port".to_owned()),
    };
    let mut item = json!({
        "aspect": *numbers.one_of(&ASPECTS),
        "severity": *numbers.one_of(&["critical", "major", "minor", "suggestion"]),
        "issue": format!("{} {}", numbers.one_of(&SUBJECTS), numbers.one_of(&FAULTS)),
        "location": { "type": kind, "reference": reference },
        "suggestion": {
            "action": *numbers.one_of(&ACTIONS),
            "rationale": *numbers.one_of(&REASONS),
        },
    });
    if numbers.chance(70) {
        item["score"] = fraction(numbers, 100);
    }
    if numbers.chance(60) {
        item["suggestion"]["priority"] = json!(1 + numbers.below(10));
    }
    if numbers.chance(40) {
        item["location"]["context_before"] = json!("    let session = open_session(&name)?;");
        item["suggestion"]["example"] = json!(
            "if name.is_empty() {\n    return Err(Error::EmptyName { field: \"name\" });\n}\n"
        );
    }
    if numbers.chance(30) {
        item["evidence"] = json!({ "test_result": "FAILED: 1 of 12", "metric": "p99 = 840 ms" });
    }
    item
}

fn uuid(numbers: &mut Numbers) -> String {
    let hex = format!("{:016x}{:016x}", numbers.next(), numbers.next());
    let parts = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    parts.join("-")
}

fn timestamp(numbers: &mut Numbers) -> String {
    format!(
        "20{:02}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
        numbers.below(40),
        1 + numbers.below(12),
        1 + numbers.below(28),
        numbers.below(24),
        numbers.below(60),
        numbers.below(60),
    )
}

/// Returns hundredths up to `most`.
fn fraction(numbers: &mut Numbers, most: usize) -> Json {
    let hundredths = u32::try_from(numbers.below(most + 1)).unwrap_or(0);
    json!(f64::from(hundredths) / 100.0)
}

/// Returns a document with up to four changes, most of which make it invalid.
pub(crate) fn mutated(seed: u64) -> Json {
    let mut numbers = Numbers::new(seed);
    let mut document = sound(&mut numbers);
    for _ in 0..numbers.below(4) + usize::from(numbers.chance(50)) {
        change(&mut document, &mut numbers);
    }
    document
}

/// Walks down to a random value and changes it.
fn change(value: &mut Json, numbers: &mut Numbers) {
    match value {
        Json::Object(members) if !members.is_empty() => {
            let key = key_of(members, numbers);
            match numbers.below(10) {
                0 => {
                    members.remove(&key);
                }
                1 => {
                    let other = odd_value(numbers);
                    members.insert(key, other);
                }
                2 => {
                    let other = odd_value(numbers);
                    let name = *numbers.one_of(&["extra", "Score", "locaton", "context", "$ref"]);
                    members.insert(name.to_owned(), other);
                }
                _ => {
                    if let Some(member) = members.get_mut(&key) {
                        descend(&key, member, numbers);
                    }
                }
            }
        }
        Json::Array(items) if !items.is_empty() => {
            let at = numbers.below(items.len());
            match numbers.below(12) {
                0 => items.clear(),
                1 => items[at] = odd_value(numbers),
                _ => change(&mut items[at], numbers),
            }
        }
        other => *other = odd_value(numbers),
    }
}

fn key_of(members: &Map<String, Json>, numbers: &mut Numbers) -> String {
    let at = numbers.below(members.len());
    members.keys().nth(at).cloned().unwrap_or_default()
}

fn descend(key: &str, value: &mut Json, numbers: &mut Numbers) {
    match value {
        Json::Object(_) | Json::Array(_) => change(value, numbers),
        Json::String(text) => {
            let changed = odd_text(key, text, numbers);
            *value = changed;
        }
        Json::Number(_) => *value = odd_number(numbers),
        Json::Null | Json::Bool(_) => *value = odd_value(numbers),
    }
}

fn odd_value(numbers: &mut Numbers) -> Json {
    match numbers.below(9) {
        0 => Json::Null,
        1 => json!(true),
        2 => json!([]),
        3 => json!({}),
        4 => json!(""),
        5 => json!("line"),
        6 => json!([{}]),
        _ => odd_number(numbers),
    }
}

fn odd_number(numbers: &mut Numbers) -> Json {
    numbers
        .one_of(&[
            json!(0),
            json!(1),
            json!(-1),
            json!(10),
            json!(11),
            json!(0.0),
            json!(-0.0),
            json!(1.0),
            json!(10.0),
            json!(1.5),
            json!(1.000_000_000_000_1),
            json!(-0.000_001),
            json!(0.5),
            json!(1e300),
            json!(1e-300),
            json!(u64::MAX),
            json!(i64::MIN),
            json!("1"),
        ])
        .clone()
}

fn odd_text(key: &str, text: &str, numbers: &mut Numbers) -> Json {
    let changed = match key {
        "id" => odd_id(text, numbers),
        "timestamp" => odd_timestamp(numbers),
        "issue" | "rationale" => text_of(numbers, &[19, 20, 21, 499, 500, 501]),
        "action" => text_of(numbers, &[19, 20, 21, 999, 1000, 1001]),
        "summary" => text_of(numbers, &[49, 50, 51, 499, 500, 501]),
        _ => match numbers.below(4) {
            0 => text.to_uppercase(),
            1 => format!("{text} "),
            2 => String::new(),
            _ => (*numbers.one_of(&["code", "final", "critical", "security", "accept", "section"]))
                .to_owned(),
        },
    };
    json!(changed)
}

/// Returns a string of one of the lengths, with characters of one to four bytes.
fn text_of(numbers: &mut Numbers, lengths: &[usize]) -> String {
    let length = *numbers.one_of(lengths);
    let unit = *numbers.one_of(&["a", "ä", "€", "\u{1F980}", "e\u{301}", "\\", "\"", "\u{1}"]);
    unit.chars().cycle().take(length).collect()
}

fn odd_id(text: &str, numbers: &mut Numbers) -> String {
    match numbers.below(8) {
        0 => text.to_uppercase(),
        1 => text.replace('-', ""),
        2 => format!("{{{text}}}"),
        3 => format!("urn:uuid:{text}"),
        4 => text.replacen(|c: char| c.is_ascii_hexdigit(), "g", 1),
        5 => text.replacen('-', "_", 1),
        6 => text.chars().skip(1).collect(),
        _ => "fb-001-example".to_owned(),
    }
}

fn odd_timestamp(numbers: &mut Numbers) -> String {
    let date = *numbers.one_of(&[
        "2026-03-01",
        "2024-02-29",
        "2026-02-29",
        "1900-02-29",
        "2000-02-29",
        "2026-04-31",
        "2026-13-01",
        "2026-00-10",
        "2016-12-31",
        "0000-01-01",
        "9999-12-31",
        "26-03-01",
    ]);
    let separator = *numbers.one_of(&["T", "T", "T", "t", " ", ""]);
    let time = *numbers.one_of(&[
        "12:30:05",
        "23:59:60",
        "00:00:60",
        "24:00:00",
        "12:60:00",
        "12:30:61",
        "12:30",
        "1:30:05",
        "00:59:60",
        "12:30:05.1",
        "12:30:05.123456789",
        "12:30:05.",
        "23:59:60.5",
    ]);
    let offset = *numbers.one_of(&[
        "Z", "Z", "z", "+00:00", "-00:00", "+01:00", "-01:00", "+23:59", "+24:00", "+0100", "+01",
        "", "+05:60",
    ]);
    format!("{date}{separator}{time}{offset}")
}

/// Returns a fingerprint of the documents of some seeds (FNV-1a over their
/// JSON).
pub(crate) fn fingerprint(seeds: std::ops::Range<u64>) -> u64 {
    seeds.fold(0xcbf2_9ce4_8422_2325, |sum, seed| {
        let text = mutated(seed).to_string();
        text.bytes().fold(sum, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    })
}
