//! Items of lists in front matter.

use review_document::Span;

use crate::finding::{Fix, Safety};

/// Removes an item of a flow list with one of its commas.
pub(crate) fn without(source: &str, item: Span) -> Option<Fix> {
    let before = source.get(..item.start)?.trim_end_matches([' ', '\t']);
    let after = source.get(item.end..)?;
    let behind = after.len() - after.trim_start_matches([' ', '\t']).len();
    let next = after[behind..].chars().next();
    let span = match (before.chars().next_back(), next) {
        (Some(','), Some(',' | ']')) => Span::new(before.len() - 1, item.end),
        (Some('['), Some(',')) => {
            let rest = &after[behind + 1..];
            let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            Span::new(item.start, item.end + behind + 1 + blank)
        }
        (Some('['), Some(']')) => item,
        _ => return None,
    };
    Some(Fix::one(Safety::Unsafe, span, ""))
}
