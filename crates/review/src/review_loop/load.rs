//! What the texts of a run hold.

use review_types::{Hash, IterationHistory, Review};
use serde::de::DeserializeOwned;

use super::round::Round;
use crate::engine::{MissingText, Texts};

/// The value of a text.
pub(crate) fn load_json<T: DeserializeOwned>(texts: &Texts, hash: &Hash) -> Result<T, MissingText> {
    serde_json::from_slice(&texts.get(hash)?).map_err(|error| MissingText::Damaged {
        hash: *hash,
        message: error.to_string(),
    })
}

/// The review of a hash.
pub(crate) fn load_review(texts: &Texts, hash: &Hash) -> Result<Review, MissingText> {
    load_json(texts, hash)
}

/// A round as a session records it.
pub(crate) fn history(texts: &Texts, round: &Round) -> Result<IterationHistory, MissingText> {
    Ok(IterationHistory {
        iteration: round.iteration,
        result: Some(load_review(texts, &round.review)?),
        timestamp: round.at,
    })
}

/// The last `max` bytes of a text, cut at a character.
pub(crate) fn load_tail(texts: &Texts, hash: &Hash, max: usize) -> Result<String, MissingText> {
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
