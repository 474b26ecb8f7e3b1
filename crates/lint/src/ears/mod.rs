//! The Easy Approach to Requirements Syntax: checks whether a sentence matches one of
//! its patterns.
//!
//! The patterns are those of Mavin, Wilkinson, Harwood and Novak, "Easy Approach to
//! Requirements Syntax (EARS)", 2009: ubiquitous, `When`, `While`, `Where`, `If ...
//! then`, and their combinations. The content of the conditions is not checked.

mod clause;
mod deviation;
mod token;

use clause::{Clause, Keyword, trailing};
pub(crate) use deviation::Deviation;
use token::{Token, tokens};

/// Returns how a requirement deviates from the patterns; `None` if it matches one.
pub(crate) fn deviation(statement: &str) -> Option<Deviation> {
    let all = tokens(statement);
    let is_shall = |token: &Token<'_>| token.is_word("shall");
    let Some(shall) = all.iter().position(is_shall) else {
        return Some(Deviation::NoShall {
            instead: all.iter().find_map(Token::other_modal),
        });
    };
    let count = all.iter().filter(|token| is_shall(token)).count();
    if count > 1 {
        return Some(Deviation::ManyShalls { count });
    }
    let before = &all[..shall];
    let stop = before.iter().rposition(|token| *token == Token::Stop);
    let before = &before[stop.map_or(0, |stop| stop + 1)..];
    opening(before).or_else(|| trailing(&all[shall..]).map(Deviation::TrailingClause))
}

/// The problem between the start of the sentence and its `shall`.
fn opening(before: &[Token<'_>]) -> Option<Deviation> {
    let ends_with_comma = before.last() == Some(&Token::Comma);
    let clauses = clause::split(before);
    let Some((system, conditions)) = clauses.split_last() else {
        return Some(Deviation::NoSystem);
    };
    let Some(keyword) = clauses.first().and_then(Clause::keyword) else {
        let other = clauses.first().and_then(Clause::other_opening);
        return other
            .filter(|_| !conditions.is_empty())
            .map(|word| Deviation::OtherOpening { word });
    };
    if conditions.is_empty() && !ends_with_comma {
        return Some(Deviation::NoComma { keyword });
    }
    if system.keyword().is_some() {
        return Some(Deviation::NoSystem);
    }
    let keywords: Vec<Keyword> = conditions.iter().filter_map(Clause::keyword).collect();
    let has_then = clauses.iter().any(|clause| clause.opens_with_then);
    if keywords.contains(&Keyword::If) && !has_then {
        return Some(Deviation::NoThen);
    }
    out_of_order(&keywords)
}

fn out_of_order(keywords: &[Keyword]) -> Option<Deviation> {
    let mut pairs = keywords.iter().zip(keywords.iter().skip(1));
    let (second, first) = pairs.find(|(one, next)| one.rank() > next.rank())?;
    Some(Deviation::OutOfOrder {
        first: *first,
        second: *second,
    })
}

#[cfg(test)]
mod tests;
