//! Where the quotes of items occur in the artifact.

use std::ops::Range;

use review_text::{QuoteIndex, QuoteMatch};
use review_types::{FeedbackItem, FindingEvidence, FindingPlace, Lines, one_line};

use super::identity::shortened;
use super::place::{Located, located_at};
use super::sections::FileSections;

/// The files of the artifact, prepared for finding quotes.
pub(super) struct Quotes<'f> {
    files: &'f [FileSections],
    index: QuoteIndex,
}

/// An item with its place and what shows that it is about the artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Evident {
    pub(super) located: Located,
    pub(super) evidence: FindingEvidence,
    /// The quoted words, as written in the artifact.
    pub(super) quote: Option<String>,
}

impl<'f> Quotes<'f> {
    /// Prepares the files if one of the items may quote them.
    pub(super) fn new<'i>(
        files: &'f [FileSections],
        mut items: impl Iterator<Item = &'i FeedbackItem>,
    ) -> Self {
        let index = match items.any(|item| item.quote().is_some() || item.details().is_some()) {
            true => QuoteIndex::new(files.iter().map(FileSections::text)),
            false => QuoteIndex::default(),
        };
        Self { files, index }
    }

    /// Looks for the quote of an item whose section is at a place. Of several places the
    /// first one counts that the section contains.
    pub(super) fn look(&self, item: &FeedbackItem, named: Located) -> Evident {
        let found = match item.quote() {
            Some(quote) => self.index.locate(quote),
            None => self.referred(item, &named),
        };
        let (places, evidence) = match found {
            QuoteMatch::TooShort => (Vec::new(), FindingEvidence::Unquoted),
            QuoteMatch::Nowhere => (Vec::new(), FindingEvidence::Misquoted),
            QuoteMatch::Found(places) => (places, FindingEvidence::Quoted),
        };
        let places: Vec<_> = places
            .iter()
            .filter_map(|place| {
                let file = self.files.get(place.text)?;
                Some((file.at_span(&place.span)?, file, &place.span))
            })
            .collect();
        let in_section = places
            .iter()
            .find(|(place, _, _)| is_within(place, &named.place));
        let Some((place, file, span)) = in_section.or(places.first()) else {
            return Evident {
                located: named,
                evidence,
                quote: None,
            };
        };
        Evident {
            located: located_at(place.clone(), self.files),
            evidence,
            quote: Some(words_at(file, span)),
        }
    }

    /// Looks for the place of an item of a document as for a quote, where it names no
    /// section and no lines: its reference may be words of the artifact.
    fn referred(&self, item: &FeedbackItem, named: &Located) -> QuoteMatch {
        let is_found = !named.place.headings.is_empty() || named.place.lines.is_some();
        if item.details().is_none() || is_found {
            return QuoteMatch::TooShort;
        }
        match self.index.locate(item.section()) {
            QuoteMatch::Found(places) => QuoteMatch::Found(places),
            QuoteMatch::Nowhere | QuoteMatch::TooShort => QuoteMatch::TooShort,
        }
    }
}

/// The words of a file at these bytes, on one line.
fn words_at(file: &FileSections, span: &Range<usize>) -> String {
    let words = file.text().get(span.clone()).unwrap_or_default();
    shortened(&one_line(words))
}

fn is_within(place: &FindingPlace, named: &FindingPlace) -> bool {
    let is_file = named.path.is_none() || named.path == place.path;
    let meet = |one: Lines, other: Lines| one.first <= other.last && other.first <= one.last;
    let is_line = match (place.lines, named.lines) {
        (Some(lines), Some(named)) => meet(lines, named),
        (_, None) => place.headings.starts_with(&named.headings),
        (None, Some(_)) => false,
    };
    is_file && is_line
}
