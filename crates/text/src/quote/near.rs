//! Places with words that are similar to those of a quote.

use super::{Part, Quote, QuoteIndex, QuotePlace, View};

/// One word in so many may differ, in quotes of at least as many words.
const WORDS_PER_SLIP: usize = 8;
/// Longer quotes are found as they are or not at all.
const MAX_WORDS: usize = 400;
/// The maximum number of places of a part that are compared.
const MAX_COMPARED: usize = 256;

/// The place with the fewest words that differ, the first of several; never one where a
/// number or a negation differs.
pub(super) fn nearest(index: &QuoteIndex, quote: &Quote) -> Option<QuotePlace> {
    let [part] = quote.parts.as_slice() else {
        return None;
    };
    if !(WORDS_PER_SLIP..=MAX_WORDS).contains(&part.words.len()) {
        return None;
    }
    let views = index.texts.iter().enumerate().flat_map(|(text, views)| {
        let views = [Some(&views.written), views.seen.as_ref()];
        views.into_iter().flatten().map(move |view| (text, view))
    });
    let slips = views.filter_map(|(text, view)| {
        let (slips, at) = view.nearest(part, &index.decisive)?;
        let span = view.spans[at].start..view.spans[at + part.words.len() - 1].end;
        Some((slips, QuotePlace { text, span }))
    });
    let (_, place) = slips.min_by_key(|(slips, _)| *slips)?;
    Some(place)
}

impl View {
    /// The number of words that differ at the nearest place, and its position.
    fn nearest(&self, part: &Part, decisive: &[bool]) -> Option<(usize, usize)> {
        let words = &part.words;
        let allowed = words.len() / WORDS_PER_SLIP;
        // Of more pieces than words that may differ, one stands there as it is.
        let size = words.len() / (allowed + 1);
        let pieces = words.chunks(size).take(allowed + 1).enumerate();
        let places = pieces.flat_map(|(piece, chunk)| {
            let places = self.positions_of(chunk).into_iter().take(MAX_COMPARED);
            places.filter_map(move |at| at.checked_sub(piece * size))
        });
        let slips = places.filter_map(|at| {
            let there = self.words.get(at..at + words.len())?;
            let mut slips = 0;
            for (position, (word, other)) in words.iter().zip(there).enumerate() {
                if word != other {
                    let is_decisive = part.decisive[position] || decisive[*other as usize];
                    slips += 1;
                    if is_decisive || slips > allowed {
                        return None;
                    }
                }
            }
            Some((slips, at))
        });
        slips.min()
    }
}
