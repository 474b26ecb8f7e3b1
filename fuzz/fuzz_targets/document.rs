//! Any text is checked as an actionable-feedback document without a panic, its
//! lines and places lie in it, and one without errors can be read.
#![no_main]

use review_schema::actionable::{Diagnostic, Mode, read, validate};

libfuzzer_sys::fuzz_target!(|text: &str| {
    for &mode in Mode::ALL {
        let found = validate(text, mode);
        let lines = text.matches('\n').count() + 1;
        for one in &found {
            assert!(one.at <= text.len() && (1..=lines as u64).contains(&one.line));
        }
        let valid = !found.iter().any(Diagnostic::is_error);
        assert_eq!(read(text, mode).is_ok(), valid);
    }
});
