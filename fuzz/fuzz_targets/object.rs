//! Any bytes are searched for one object without a panic, and what is found has
//! the keys that were asked for.
#![no_main]

use review_schema::read_object;

const KEYS: [&str; 2] = ["lesson_text", "cites"];

libfuzzer_sys::fuzz_target!(|answer: &[u8]| {
    if let Ok(found) = read_object(answer, &KEYS) {
        assert!(KEYS.iter().all(|key| found.contains_key(*key)));
    }
});
