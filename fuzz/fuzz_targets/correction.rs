//! Any bytes are checked as a line of corrections without a panic, and what is
//! valid is the same once it was written and read again.
#![no_main]

use review_learning::corrections::{Diagnostic, Mode, read};

libfuzzer_sys::fuzz_target!(|line: &[u8]| {
    for &mode in Mode::ALL {
        let reading = read(line, 1, mode);
        let is_valid = !reading.diagnostics.iter().any(Diagnostic::is_error);
        assert_eq!(reading.object.is_some(), is_valid);
        if let Some(correction) = reading.object {
            let written = serde_json::to_vec(&correction).expect("JSON");
            assert_eq!(read(&written, 1, Mode::Default).object, Some(correction));
        }
    }
});
