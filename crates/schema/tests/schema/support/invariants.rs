//! Properties of every answer. The property tests and the fuzz targets call
//! these with generated input.

use review_schema::{Dialect, Mode, Options, extract_json, measure};

/// Checks any bytes: the work is bounded, and strict mode accepts nothing that tolerant
/// mode rejects.
pub(crate) fn holds_on_any_bytes(answer: &[u8]) {
    for &dialect in Dialect::ALL {
        holds_in_dialect(dialect, answer);
    }
    if let Ok(text) = std::str::from_utf8(answer)
        && let Some(object) = extract_json(text)
    {
        assert!(object.starts_with('{') && object.ends_with('}'), "{object}");
    }
}

fn holds_in_dialect(dialect: Dialect, answer: &[u8]) {
    let [tolerant, strict] = [Mode::Tolerant, Mode::Strict].map(|mode| {
        let options = Options {
            mode,
            dialect,
            ..Options::default()
        };
        let whole = measure(answer, &options);
        assert!(
            whole.work <= 17 * answer.len(),
            "{} bytes of work on {}",
            whole.work,
            answer.len()
        );
        if let Ok(parsed) = &whole.result {
            let length = String::from_utf8_lossy(answer).len();
            assert!(parsed.span.start < parsed.span.end && parsed.span.end <= length);
        }
        whole.result
    });
    if let Ok(strict) = strict {
        let tolerant = tolerant.expect("tolerant mode accepts what strict mode accepts");
        assert_eq!(strict.review.verdict(), tolerant.review.verdict());
    }
}
