//! Where the words of a quote occur in strings.
//!
//! Case, Markdown, punctuation, line breaks and typography do not matter; words, their
//! order and numbers do. A quote may leave parts out (`…`), and may be what a reader sees
//! of a string, without the targets of links, the numbers of lists, and tags.

mod near;
mod words;

use std::collections::HashMap;
use std::ops::Range;

pub(crate) use words::{Word, is_decisive, words};

/// The minimum number of words of a quote.
const MIN_WORDS: usize = 4;
/// The minimum number of letters and digits of a quote.
const MIN_LETTERS: usize = 16;
/// The minimum number of words of a part of a quote that leaves others out.
const MIN_PART: usize = 3;
/// The maximum number of bytes from the first to the last part.
const MAX_REACH: usize = 1_200;
/// The maximum number of places that are returned.
const MAX_PLACES: usize = 16;

/// The word of a quote that occurs in no string.
const UNKNOWN: u32 = u32::MAX;

/// Where a quote occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuoteMatch {
    /// At these places, in order; at least one.
    Found(Vec<QuotePlace>),
    /// Only similar words are there.
    Near(QuotePlace),
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
    /// Its bytes, from the first word to the last.
    pub span: Range<usize>,
}

/// The words of strings, prepared for finding quotes.
#[derive(Clone, Debug, Default)]
pub struct QuoteIndex {
    /// The number of each word.
    numbers: HashMap<String, u32>,
    /// Whether each word is a number or a negation.
    decisive: Vec<bool>,
    texts: Vec<Views>,
}

/// A string as it is written and as a reader sees it.
#[derive(Clone, Debug)]
struct Views {
    written: View,
    /// `None` where it is the same.
    seen: Option<View>,
}

/// A sequence of words with the positions of each.
#[derive(Clone, Debug)]
struct View {
    words: Vec<u32>,
    spans: Vec<Range<usize>>,
    /// The positions of each word in the sequence.
    positions: HashMap<u32, Vec<usize>>,
}

impl QuoteIndex {
    /// Prepares strings.
    #[must_use]
    pub fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut index = Self::default();
        for text in texts {
            let found: Vec<_> = words(text).collect();
            let is_all_seen = found.iter().all(|word| word.is_seen);
            let written = index.view(found.iter());
            let seen = (!is_all_seen).then(|| index.view(found.iter().filter(|word| word.is_seen)));
            index.texts.push(Views { written, seen });
        }
        index
    }

    fn view<'w>(&mut self, found: impl Iterator<Item = &'w Word>) -> View {
        let mut view = View {
            words: Vec::new(),
            spans: Vec::new(),
            positions: HashMap::new(),
        };
        for word in found {
            let number = self.number(&word.text);
            let positions = view.positions.entry(number).or_default();
            positions.push(view.words.len());
            view.words.push(number);
            view.spans.push(word.span.clone());
        }
        view
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        // A text with so many different words would not fit into memory.
        let number = u32::try_from(self.decisive.len()).unwrap_or(UNKNOWN);
        self.numbers.insert(word.to_owned(), number);
        self.decisive.push(is_decisive(word));
        number
    }

    /// Finds a quote.
    #[must_use]
    pub fn locate(&self, quote: &str) -> QuoteMatch {
        let quote = Quote::read(quote, &self.numbers);
        if quote.is_too_short() {
            return QuoteMatch::TooShort;
        }
        let mut places = self.places(&quote, |views| Some(&views.written));
        if places.is_empty() {
            places = self.places(&quote, |views| views.seen.as_ref());
        }
        if !places.is_empty() {
            return QuoteMatch::Found(places);
        }
        match near::nearest(self, &quote) {
            Some(place) => QuoteMatch::Near(place),
            None => QuoteMatch::Nowhere,
        }
    }

    fn places(&self, quote: &Quote, view: impl Fn(&Views) -> Option<&View>) -> Vec<QuotePlace> {
        let views = self.texts.iter().enumerate();
        let views = views.filter_map(|(text, views)| Some((text, view(views)?)));
        let places = views.flat_map(|(text, view)| {
            let spans = view.spans_of(quote);
            spans.map(move |span| QuotePlace { text, span })
        });
        places.take(MAX_PLACES).collect()
    }
}

impl View {
    /// The spans in which the parts of a quote follow each other.
    fn spans_of(&self, quote: &Quote) -> impl Iterator<Item = Range<usize>> {
        let parts: Vec<_> = quote
            .parts
            .iter()
            .map(|part| (self.positions_of(&part.words), part.words.len()))
            .collect();
        let first = parts.first().map_or(Vec::new(), |(found, _)| found.clone());
        first.into_iter().filter_map(move |at| {
            let start = self.spans[at].start;
            let mut next = at;
            let mut end = start;
            for (found, length) in &parts {
                let after = found.partition_point(|position| *position < next);
                let position = *found.get(after)?;
                next = position + length;
                end = self.spans[next - 1].end;
            }
            (parts.len() == 1 || end - start <= MAX_REACH).then_some(start..end)
        })
    }

    /// The positions at which words follow each other, in order.
    fn positions_of(&self, words: &[u32]) -> Vec<usize> {
        let rarest = words
            .iter()
            .enumerate()
            .map(|(at, word)| (at, self.positions.get(word).map_or(&[][..], Vec::as_slice)))
            .min_by_key(|(_, positions)| positions.len());
        let Some((offset, positions)) = rarest else {
            return Vec::new();
        };
        let starts = positions.iter().filter_map(|at| at.checked_sub(offset));
        starts
            .filter(|start| self.words[*start..].starts_with(words))
            .collect()
    }
}

/// The words of a quote.
struct Quote {
    parts: Vec<Part>,
    letters: usize,
}

/// Words that follow each other.
struct Part {
    words: Vec<u32>,
    /// Whether each word is a number or a negation.
    decisive: Vec<bool>,
}

impl Quote {
    fn read(quote: &str, numbers: &HashMap<String, u32>) -> Self {
        let mut letters = 0;
        let whole = quote.replace('…', "...");
        let parts = whole.split("...").map(|part| {
            let mut words_of_part = Part {
                words: Vec::new(),
                decisive: Vec::new(),
            };
            for word in words(part) {
                letters += word.text.chars().count();
                let number = numbers.get(&word.text).copied().unwrap_or(UNKNOWN);
                words_of_part.words.push(number);
                words_of_part.decisive.push(is_decisive(&word.text));
            }
            words_of_part
        });
        let parts = parts.filter(|part| !part.words.is_empty()).collect();
        Self { parts, letters }
    }

    fn is_too_short(&self) -> bool {
        let words: usize = self.parts.iter().map(|part| part.words.len()).sum();
        let has_short_part =
            self.parts.len() > 1 && self.parts.iter().any(|part| part.words.len() < MIN_PART);
        words < MIN_WORDS || self.letters < MIN_LETTERS || has_short_part
    }
}

#[cfg(test)]
mod tests;
