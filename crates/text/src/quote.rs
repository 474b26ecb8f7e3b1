//! Where a quote occurs in strings: word for word, whatever its case and line breaks.

use std::ops::Range;

/// The minimum number of words of a quote.
const MIN_WORDS: usize = 4;
/// The minimum number of letters and digits of a quote.
const MIN_LETTERS: usize = 16;
/// The maximum number of places that are returned.
const MAX_PLACES: usize = 16;

/// Where a quote occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuoteMatch {
    /// At these places, in order; at least one.
    Found(Vec<QuotePlace>),
    /// Nowhere.
    Nowhere,
    /// It has too few words to say.
    TooShort,
}

/// A place in one of the strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotePlace {
    /// The number of the string, from 0.
    pub text: usize,
    /// Its bytes, from the first character to the last.
    pub span: Range<usize>,
}

/// Strings, prepared for finding quotes.
#[derive(Clone, Debug, Default)]
pub struct QuoteIndex {
    texts: Vec<Folded>,
}

/// A string in lower case, with one space for each run of white space.
#[derive(Clone, Debug)]
struct Folded {
    text: String,
    /// The position in the original of each byte, and at the end the original's length.
    origins: Vec<usize>,
}

impl Folded {
    fn new(original: &str) -> Self {
        let mut folded = Self {
            text: String::with_capacity(original.len()),
            origins: Vec::with_capacity(original.len() + 1),
        };
        for (at, char) in original.char_indices() {
            if !char.is_whitespace() {
                folded.text.extend(char.to_lowercase());
            } else if !folded.text.ends_with(' ') {
                folded.text.push(' ');
            }
            folded.origins.resize(folded.text.len(), at);
        }
        folded.origins.push(original.len());
        folded
    }

    /// The spans of the original in which a folded quote occurs.
    fn find(&self, quote: &str) -> impl Iterator<Item = Range<usize>> {
        let found = self.text.match_indices(quote);
        found.map(|(at, quote)| self.origins[at]..self.origins[at + quote.len()])
    }
}

impl QuoteIndex {
    /// Prepares strings.
    #[must_use]
    pub fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        Self {
            texts: texts.into_iter().map(Folded::new).collect(),
        }
    }

    /// Finds a quote.
    #[must_use]
    pub fn locate(&self, quote: &str) -> QuoteMatch {
        let letters = quote.chars().filter(|char| char.is_alphanumeric());
        if quote.split_whitespace().count() < MIN_WORDS || letters.count() < MIN_LETTERS {
            return QuoteMatch::TooShort;
        }
        let quote = Folded::new(quote.trim()).text;
        let places = self.texts.iter().enumerate().flat_map(|(text, folded)| {
            let spans = folded.find(&quote);
            spans.map(move |span| QuotePlace { text, span })
        });
        let places: Vec<_> = places.take(MAX_PLACES).collect();
        match places.is_empty() {
            true => QuoteMatch::Nowhere,
            false => QuoteMatch::Found(places),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SPEC: &str = "\
# Upload

A file of at most **50 MB** is accepted.
The server never keeps a file that is larger
   than the limit; ÄNDERUNGEN are kept for ever.

A retry waits one second. A retry waits one second.
";

    fn text_at(found: &QuoteMatch, texts: &[&str]) -> String {
        let shown = |place: &QuotePlace| texts[place.text][place.span.clone()].to_owned();
        match found {
            QuoteMatch::Found(places) => places.iter().map(shown).collect::<Vec<_>>().join("|"),
            QuoteMatch::Nowhere => "nowhere".to_owned(),
            QuoteMatch::TooShort => "too short".to_owned(),
        }
    }

    #[test]
    fn a_quote_is_found_word_for_word_in_any_case_and_line() {
        let texts = [SPEC, "An error names the file and the line of the fault."];
        let index = QuoteIndex::new(texts);
        for (quote, expected) in [
            ("A file of at most **50 MB**", "A file of at most **50 MB**"),
            (
                " a FILE that is larger\u{a0}than the limit",
                "a file that is larger\n   than the limit",
            ),
            (
                "änderungen are kept for ever.\n",
                "ÄNDERUNGEN are kept for ever.",
            ),
            (
                "a retry waits one second",
                "A retry waits one second|A retry waits one second",
            ),
            ("names the file and the line", "names the file and the line"),
            ("A file of at most 50 MB is accepted", "nowhere"),
            ("the server always keeps a file", "nowhere"),
            ("A file of at most ... is accepted", "nowhere"),
            ("waits one second", "too short"),
            ("a b c d", "too short"),
            ("", "too short"),
        ] {
            assert_eq!(text_at(&index.locate(quote), &texts), expected, "{quote}");
        }
    }

    proptest! {
        #[test]
        fn a_passage_is_found_where_it_stands(
            words in prop::collection::vec("[a-zäö]{4,8}", 12..60),
            from in 0_usize..40,
            length in 6_usize..12,
            blanks in prop::collection::vec("[ \n\t]{1,3}", 12),
        ) {
            let from = from.min(words.len() - 6);
            let passage = &words[from..(from + length).min(words.len())];
            let quote: Vec<_> = passage
                .iter()
                .zip(blanks.iter().cycle())
                .map(|(word, blank)| format!("{}{blank}", word.to_uppercase()))
                .collect();
            let text = words.join(" ");
            let start = words[..from].iter().map(|word| word.len() + 1).sum::<usize>();
            let found = QuoteIndex::new([&*text]).locate(&quote.concat());
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
}
