//! What the texts of a run hold.

use std::sync::Arc;

use review_types::{Hash, IterationHistory, Review};

use super::round::Round;
use crate::people::Said;
use review_flow::{ContentStore, MissingText};

/// What persons said, if anybody said anything.
pub(crate) fn load_said(
    texts: &ContentStore,
    people: Option<Hash>,
) -> Result<Arc<Vec<Said>>, MissingText> {
    let said = people.map(|hash| texts.value(&hash));
    Ok(said.transpose()?.unwrap_or_default())
}

/// A round as a session records it.
pub(crate) fn history(
    texts: &ContentStore,
    round: &Round,
) -> Result<IterationHistory, MissingText> {
    let review: Arc<Review> = texts.value(&round.review)?;
    Ok(IterationHistory {
        iteration: round.iteration,
        result: Some(Review::clone(&review)),
        timestamp: round.at,
    })
}

/// The last `max` bytes of a text, cut at a character.
pub(crate) fn load_tail(
    texts: &ContentStore,
    hash: &Hash,
    max: usize,
) -> Result<String, MissingText> {
    Ok(tail(&texts.get(hash)?, max))
}

/// The last `max` bytes, cut at a character.
pub(crate) fn tail(bytes: &[u8], max: usize) -> String {
    let mut start = bytes.len().saturating_sub(max);
    while start < bytes.len() && bytes[start] & 0xc0 == 0x80 {
        start += 1;
    }
    String::from_utf8_lossy(&bytes[start..]).into_owned()
}
