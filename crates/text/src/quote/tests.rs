use proptest::prelude::*;

use super::*;

const SPEC: &str = "\
# Upload

1. A file of at most **50 MB** is accepted, see [the limits](docs/limits.md#size) of the service.
2. The server never keeps a file that is `larger than` the limit;
   it answers with status 413 within 200 ms.

A retry waits one second. A retry waits one second.
";

fn text_at(found: &QuoteMatch, texts: &[&str]) -> String {
    let shown = |place: &QuotePlace| texts[place.text][place.span.clone()].to_owned();
    match found {
        QuoteMatch::Found(places) => places.iter().map(shown).collect::<Vec<_>>().join("|"),
        QuoteMatch::Near(place) => format!("near: {}", shown(place)),
        QuoteMatch::Nowhere => "nowhere".to_owned(),
        QuoteMatch::TooShort => "too short".to_owned(),
    }
}

#[test]
fn a_quote_is_found_by_its_words() {
    let index = QuoteIndex::new([SPEC, "An error names the file and the line of the fault."]);
    let texts = [SPEC, "An error names the file and the line of the fault."];
    for (quote, expected) in [
        (
            "A file of at most 50 MB is accepted",
            "A file of at most **50 MB** is accepted",
        ),
        (
            "a FILE, of at most 50MB is \u{201c}accepted\u{201d}",
            "A file of at most **50 MB** is accepted",
        ),
        (
            "keeps a file that is larger than the limit; it answers",
            "keeps a file that is `larger than` the limit;\n   it answers",
        ),
        (
            "see the limits of the service",
            "see [the limits](docs/limits.md#size) of the service",
        ),
        (
            "of the service. The server never keeps",
            "of the service.\n2. The server never keeps",
        ),
        (
            "see [the limits](docs/limits.md#size)",
            "see [the limits](docs/limits.md#size",
        ),
        (
            "A file of at most \u{2026} of the service",
            "A file of at most **50 MB** is accepted, see [the limits](docs/limits.md#size) of the service",
        ),
        (
            "a file of at most [...] it answers with status",
            "A file of at most **50 MB** is accepted, see [the limits](docs/limits.md#size) of the service.\n2. The server never keeps a file that is `larger than` the limit;\n   it answers with status",
        ),
        (
            "...a retry waits one second...",
            "A retry waits one second|A retry waits one second",
        ),
        ("names the file and the line", "names the file and the line"),
        ("it answers with status 413 ... of at most 50", "nowhere"),
        ("answers with status 413 within 300 ms", "nowhere"),
        ("the server always keeps a file", "nowhere"),
        (
            "the server never keeps the file that is larger than",
            "near: The server never keeps a file that is `larger than",
        ),
        (
            "the server always keeps a file that is larger than",
            "nowhere",
        ),
        (
            "it answers with status 413 within 250 ms of the request",
            "nowhere",
        ),
        (
            "the server never keeps the document that is larger than",
            "nowhere",
        ),
        (
            "it replies with status 413 within 200 ms a retry waits one second a try waits",
            "near: it answers with status 413 within 200 ms.\n\nA retry waits one second. A retry waits",
        ),
        ("waits one second", "too short"),
        ("a b c d", "too short"),
        ("a file of at most ... it answers", "too short"),
        ("", "too short"),
    ] {
        assert_eq!(text_at(&index.locate(quote), &texts), expected, "{quote}");
    }
}

#[test]
fn soft_hyphens_and_characters_without_width_split_no_word() {
    let hyphenated = "Every re\u{ad}quest has a dead\u{200b}line of one sec\u{ad}ond.";
    let plain = "Every request has a deadline of one second.";
    for (text, quote, expected) in [
        (
            hyphenated,
            "request has a deadline",
            "re\u{ad}quest has a dead\u{200b}line",
        ),
        (
            plain,
            "re\u{ad}quest has\u{feff} a \u{2060}dead\u{ad}line",
            "request has a deadline",
        ),
        (
            hyphenated,
            "every req\u{ad}uest has a deadline of one \u{200d}second",
            "Every re\u{ad}quest has a dead\u{200b}line of one sec\u{ad}ond",
        ),
        (plain, "every re\u{2010}quest has a deadline", "nowhere"),
    ] {
        let found = QuoteIndex::new([text]).locate(quote);
        assert_eq!(text_at(&found, &[text]), expected, "{quote}");
    }
}

#[test]
fn parts_that_are_far_from_each_other_are_no_quote() {
    let far = format!("the first part {} the second part", "filler ".repeat(200));
    let index = QuoteIndex::new([&*far]);
    let quote = "the first part ... the second part";
    assert_eq!(index.locate(quote), QuoteMatch::Nowhere);
    let near = format!("the first part {} the second part", "filler ".repeat(100));
    let index = QuoteIndex::new([&*near]);
    assert!(matches!(index.locate(quote), QuoteMatch::Found(_)));
}

proptest! {
    #[test]
    fn a_passage_is_found_where_it_stands_in_any_typography(
        words in prop::collection::vec("[a-z]{3,8}", 12..60),
        from in 0_usize..40,
        length in 6_usize..12,
        noise in prop::collection::vec(0_usize..6, 12),
    ) {
        let text = words.join(" ");
        let from = from.min(words.len() - 6);
        let passage = &words[from..(from + length).min(words.len())];
        let mut quote = String::new();
        for (word, noise) in passage.iter().zip(noise.iter().cycle()) {
            quote += &match noise {
                0 => format!("**{word}** "),
                1 => format!("{}, ", word.to_uppercase()),
                2 => format!("`{word}`\n"),
                3 => format!("\u{201c}{word}\u{201d} "),
                4 => format!("{word} \u{2014} "),
                _ => format!("{word} "),
            };
        }
        let start = words[..from].iter().map(|word| word.len() + 1).sum::<usize>();
        let found = QuoteIndex::new([&*text]).locate(&quote);
        let QuoteMatch::Found(places) = found else {
            panic!("{found:?}");
        };
        let span = start..start + passage.join(" ").len();
        let is_there = places.contains(&QuotePlace { text: 0, span });
        prop_assert!(is_there);
    }

    #[test]
    fn no_text_and_no_quote_is_too_much(text in any::<String>(), quote in any::<String>()) {
        let found = QuoteIndex::new([&*text, &*quote]).locate(&quote);
        if let QuoteMatch::Found(places) = found {
            for place in places {
                let texts = [&*text, &*quote];
                prop_assert!(texts[place.text].get(place.span).is_some());
            }
        }
    }
}
