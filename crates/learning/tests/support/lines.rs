//! Lines of corrections by number, valid and mutated ones.
//!
//! The same number always gives the same line, so the verdicts of another validator can
//! be recorded without the lines.

use review_learning::corrections::{Code, Diagnostic};
use serde_json::{Value as Json, json};

/// Returns whether the schema rejects a line for this: no other rule does.
pub(crate) fn is_schema_error(found: &Diagnostic) -> bool {
    let is_of_schema = !matches!(
        found.code,
        Code::LineTooLong
            | Code::LineTorn
            | Code::DateMismatch
            | Code::TimestampNaive
            | Code::SeverityOfReview
            | Code::PatternConverted
            | Code::KeyTwice
            | Code::KeyUnknown
            | Code::TextBlank
            | Code::VerbatimMissing
            | Code::PatternShort
            | Code::PatternNear
            | Code::PatternOtherType
            | Code::FeatureIdForm
    );
    found.is_error() && is_of_schema
}

/// Pseudo-random numbers (splitmix64).
pub(crate) struct Numbers(u64);

impl Numbers {
    /// The sequence of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap_or(1);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    pub(crate) fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

const TYPES: [&str; 6] = [
    "code_quality",
    "code_completeness",
    "approach_rejection",
    "expectation_mismatch",
    "communication_gap",
    "preference_conflict",
];
const LEVELS: [&str; 3] = ["high", "medium", "low"];
const PATTERNS: [&str; 6] = [
    "missing-error-context",
    "unbounded-queue",
    "ignored-exit-code",
    "duplicated-helper",
    "hard-coded-path",
    "unused-parameter-2",
];
const ACTIONS: [&str; 5] = [
    "Wrote the upload handler without a limit on the size of the body",
    "Replaced the shared client by one for each request, with its own pool of connections",
    "Deleted the retry around the call to the queue because a test was slow",
    "Renamed the public functions of the crate while mending a typing error in a comment",
    "Added a second parser for dates next to the one that the project has",
];
const ANSWERS: [&str; 5] = [
    "The user wants a limit of 10 MiB, checked before the body is read, with status 413",
    "The user put the shared client back and asked to reuse what is there",
    "The user restored the retry and raised the limit of the test instead",
    "The user undid the renaming: the names are part of the interface",
    "The user removed the second parser \u{2014} Größe und Maß bleiben",
];

/// A valid line.
pub(crate) fn sound(numbers: &mut Numbers) -> Json {
    let date = format!(
        "20{:02}-{:02}-{:02}",
        20 + numbers.below(10),
        1 + numbers.below(12),
        1 + numbers.below(28)
    );
    let offset = *numbers.one_of(&["Z", "Z", "+02:00", "-05:30"]);
    let time = format!(
        "{:02}:{:02}:{:02}",
        numbers.below(24),
        numbers.below(60),
        numbers.below(60)
    );
    let mut line = json!({
        "date": date,
        "timestamp": format!("{date}T{time}{offset}"),
        "agent": *numbers.one_of(&["api-dev", "frontend-dev", "reviewer"]),
        "session_id": format!("{:016x}", numbers.next()),
        "correction_type": *numbers.one_of(&TYPES),
        "ai_action": {
            "summary": *numbers.one_of(&ACTIONS),
            "tool_used": *numbers.one_of(&["Write", "Edit", "Bash"]),
            "file": format!("crates/part_{}/src/lib.rs:{}", numbers.below(90), numbers.below(900)),
        },
        "user_correction": {
            "summary": *numbers.one_of(&ANSWERS),
            "verbatim": *numbers.one_of(&ANSWERS),
        },
        "pattern_inferred": *numbers.one_of(&PATTERNS),
        "pattern_confidence": *numbers.one_of(&LEVELS),
        "context": {
            "task": "Uploads of large files to the store of snapshots",
            "feature_id": format!("feat-{:03}", numbers.below(1_000)),
            "service": *numbers.one_of(&["files", "users", "billing"]),
        },
        "severity": *numbers.one_of(&LEVELS),
        "source": *numbers.one_of(&["explicit", "implicit"]),
    });
    for optional in ["session_id", "context", "pattern_confidence", "severity"] {
        if numbers.chance(15)
            && let Some(members) = line.as_object_mut()
        {
            members.remove(optional);
        }
    }
    line
}

/// A line with up to three mutations of its values or of its bytes.
pub(crate) fn mutated(seed: u64) -> Vec<u8> {
    let mut numbers = Numbers::new(seed);
    let mut line = sound(&mut numbers);
    for _ in 0..numbers.below(3) {
        mutate_value(&mut line, &mut numbers);
    }
    let mut text = line.to_string().into_bytes();
    if numbers.chance(30) {
        mutate_bytes(&mut text, &mut numbers);
    }
    text
}

fn mutate_value(line: &mut Json, numbers: &mut Numbers) {
    let objects = ["", "/ai_action", "/user_correction", "/context"];
    let object = line.pointer_mut(objects[numbers.below(objects.len())]);
    let Some(Json::Object(members)) = object else {
        return;
    };
    let names: Vec<String> = members.keys().cloned().collect();
    if names.is_empty() {
        return;
    }
    let name = numbers.one_of(&names).clone();
    match numbers.below(4) {
        0 => {
            members.remove(&name);
        }
        1 => {
            let value = members.remove(&name).unwrap_or_default();
            members.insert(format!("{name}s"), value);
        }
        _ => {
            members.insert(name, odd(numbers));
        }
    }
}

/// A value that is valid in some places and invalid in most.
fn odd(numbers: &mut Numbers) -> Json {
    let long = "a".repeat(63 + numbers.below(4));
    match numbers.below(8) {
        0 => Json::Null,
        1 => json!(numbers.below(10)),
        2 => json!([1, {"summary": "s"}]),
        3 => json!({"summary": "s", "file": 7}),
        4 => json!(long),
        5 => json!(*numbers.one_of(&DATES)),
        6 => json!(*numbers.one_of(&WORDS)),
        _ => json!(numbers.chance(50)),
    }
}

const DATES: [&str; 16] = [
    "2025-02-29",
    "2024-02-29",
    "2025-04-31",
    "2025-12-31",
    "0000-01-01",
    "2025-1-01",
    "2025-01-01T00:00:00",
    "2025-01-01T00:00:00Z",
    "2025-01-01t00:00:00z",
    "2025-01-01 00:00:00Z",
    "2016-12-31T23:59:60Z",
    "2016-12-31T23:59:60+01:00",
    "2017-01-01T05:29:60.25+05:30",
    "2025-01-01T24:00:00Z",
    "2025-01-01T00:00:00+24:00",
    "2025-01-01T00:00:00.Z",
];

const WORDS: [&str; 14] = [
    "",
    "high",
    "explicit",
    "code_quality",
    "Code_Quality",
    "kebab-case",
    "kebab--case",
    "-kebab",
    "kebab-",
    "camelCase",
    "snake_case",
    "k\u{e4}se",
    "a",
    "\u{1f980}\n\"\\",
];

fn mutate_bytes(text: &mut Vec<u8>, numbers: &mut Numbers) {
    let at = numbers.below(text.len());
    match numbers.below(6) {
        0 => text.truncate(at),
        1 => {
            text.remove(at);
        }
        2 => text.insert(at, *numbers.one_of(b"\"\\{}[],:x0 \n\xff")),
        // No comma: the other validator accepts one for the second digit of a time.
        3 => text[at] = *numbers.one_of(b"\"\\{}[]:x0 \n\xc3"),
        4 => {
            let twice = *numbers.one_of(&TWICE);
            text.splice(1..1, twice.bytes());
        }
        _ => {
            let behind = *numbers.one_of(&["\n", " {}", ",", " "]);
            text.extend(behind.bytes());
        }
    }
}

/// Fields that precede one of the same name, or that are unknown.
const TWICE: [&str; 8] = [
    "\"agent\":7,",
    "\"ai_action\":{\"summary\":1,\"file\":null},",
    "\"x\":1e400,",
    "\"x\":\"\\ud800\",",
    "\"x\":\"\\ud83e\\udd80\",",
    "\"a\\u0067ent\":null,",
    "\"x\":[[[[{\"y\":-0.5e-3}]]]],",
    "\"source\":\"no\",",
];

/// The fingerprint of the lines, which detects changes since the recording.
pub(crate) fn fingerprint(seeds: std::ops::Range<u64>) -> u64 {
    let bytes = seeds.flat_map(mutated);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
