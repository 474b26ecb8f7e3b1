//! Loads the stored content of a run.

use std::sync::Arc;

use review_types::{Hash, IterationHistory, Review};

use super::round::Round;
use crate::people::Comment;
use review_flow::{ContentStore, MissingContent};

/// Loads the comments of users; empty without any.
pub(crate) fn load_comments(
    texts: &ContentStore,
    comments: Option<Hash>,
) -> Result<Arc<Vec<Comment>>, MissingContent> {
    let comments = comments.map(|hash| texts.value(&hash));
    Ok(comments.transpose()?.unwrap_or_default())
}

/// Loads a round as a session records it.
pub(crate) fn history(
    texts: &ContentStore,
    round: &Round,
) -> Result<IterationHistory, MissingContent> {
    let review: Arc<Review> = texts.value(&round.read.review)?;
    Ok(IterationHistory {
        iteration: round.iteration,
        result: Some(Review::clone(&review)),
        timestamp: round.at,
    })
}

/// Returns the last `max` bytes of `text`, cut at a character boundary.
pub(crate) fn load_tail(
    texts: &ContentStore,
    hash: &Hash,
    max: usize,
) -> Result<String, MissingContent> {
    Ok(tail(&texts.get(hash)?, max))
}

/// Returns the last `max` bytes, cut at a character boundary.
pub(crate) fn tail(bytes: &[u8], max: usize) -> String {
    let mut start = bytes.len().saturating_sub(max);
    while start < bytes.len() && bytes[start] & 0xc0 == 0x80 {
        start += 1;
    }
    String::from_utf8_lossy(&bytes[start..]).into_owned()
}
