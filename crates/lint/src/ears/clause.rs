//! The clauses before and after the `shall` of a requirement.

use std::fmt;

use super::token::Token;

/// A keyword that starts a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyword {
    /// An optional feature.
    Where,
    /// A state.
    While,
    /// An event.
    When,
    /// An unwanted event.
    If,
}

impl Keyword {
    const ALL: [Self; 4] = [Self::Where, Self::While, Self::When, Self::If];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Where => "Where",
            Self::While => "While",
            Self::When => "When",
            Self::If => "If",
        }
    }

    /// The position among the conditions of a requirement: features, states, then the
    /// triggering event.
    pub(super) const fn rank(self) -> u8 {
        match self {
            Self::Where => 0,
            Self::While => 1,
            Self::When | Self::If => 2,
        }
    }
}

impl fmt::Display for Keyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Words that start a condition but are not keywords of EARS.
const OTHER_OPENINGS: [&str; 9] = [
    "after", "before", "during", "on", "once", "unless", "until", "upon", "whenever",
];

/// Words that start a condition after `shall`.
const TRAILING: [&str; 4] = ["when", "whenever", "if", "unless"];

/// Words before `if` and `when` that make them a question or a point in time.
const ASKING: [&str; 14] = [
    "as",
    "ask",
    "asks",
    "and",
    "check",
    "checks",
    "determine",
    "even",
    "indicate",
    "know",
    "or",
    "see",
    "show",
    "verify",
];

/// The text between two commas, without a leading `and` or `then`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clause<'a> {
    tokens: &'a [Token<'a>],
    pub(super) opens_with_then: bool,
}

impl Clause<'_> {
    pub(super) fn keyword(&self) -> Option<Keyword> {
        let first = self.tokens.first()?;
        Keyword::ALL
            .into_iter()
            .find(|keyword| first.is_word(keyword.as_str()))
    }

    pub(super) fn other_opening(&self) -> Option<&'static str> {
        self.tokens.first()?.one_of(&OTHER_OPENINGS)
    }
}

/// The clauses of a string, split at commas and before `then`, without empty ones.
pub(super) fn split<'a>(tokens: &'a [Token<'a>]) -> Vec<Clause<'a>> {
    let mut clauses = Vec::new();
    let mut start = 0;
    for (at, token) in tokens.iter().enumerate() {
        if *token == Token::Comma {
            clauses.push(clause(&tokens[start..at]));
            start = at + 1;
        } else if token.is_word("then") && at > start {
            clauses.push(clause(&tokens[start..at]));
            start = at;
        }
    }
    clauses.push(clause(&tokens[start..]));
    clauses.retain(|clause| !clause.tokens.is_empty());
    clauses
}

fn clause<'a>(tokens: &'a [Token<'a>]) -> Clause<'a> {
    let opens_with_then = tokens.first().is_some_and(|token| token.is_word("then"));
    let joined = tokens.first().is_some_and(|token| token.is_word("and"));
    Clause {
        tokens: &tokens[usize::from(opens_with_then || joined)..],
        opens_with_then,
    }
}

/// The word that starts a condition in the sentence after `shall`.
pub(super) fn trailing(tokens: &[Token<'_>]) -> Option<&'static str> {
    let sentence = tokens.iter().take_while(|token| **token != Token::Stop);
    let mut last = Token::Stop;
    for token in sentence {
        if let Some(word) = token.one_of(&TRAILING)
            && last.one_of(&ASKING).is_none()
        {
            return Some(word);
        }
        last = *token;
    }
    None
}
