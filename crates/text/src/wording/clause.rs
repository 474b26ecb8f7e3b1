//! The weight of a phrase in its clause.

use super::Weight;
use super::phrase::Role;

/// The maximum number of bytes of a clause that are read; longer ones are prose.
const MAX_CLAUSE: usize = 512;

/// Words that may precede the first significant word.
const LEAD_INS: &[&str] = &[
    "also",
    "alternatively",
    "and",
    "but",
    "finally",
    "just",
    "next",
    "or",
    "otherwise",
    "please",
    "so",
    "then",
];

/// Words that start a subordinate clause.
const SUBORDINATORS: &[&str] = &[
    "although", "because", "how", "if", "since", "so", "that", "though", "unless", "until", "what",
    "when", "where", "whether", "which", "while", "who", "why",
];

/// The weight of a phrase at byte `at`.
pub(super) fn weight(role: Role, text: &str, at: usize) -> Weight {
    let mut words = clause_before(text, at)
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.chars().any(char::is_alphabetic));
    let is_one_of =
        |list: &[&str], word: &str| list.iter().any(|known| known.eq_ignore_ascii_case(word));
    let leads = match role {
        Role::Opening => words.all(|word| is_one_of(LEAD_INS, word)),
        Role::Predicate => !words.any(|word| is_one_of(SUBORDINATORS, word)),
    };
    if leads {
        Weight::Leading
    } else {
        Weight::Inside
    }
}

/// The part of the clause before byte `at`.
fn clause_before(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let near = before.ceil_char_boundary(before.len().saturating_sub(MAX_CLAUSE));
    let before = before.get(near..).unwrap_or_default();
    let mut end = before.len();
    for (at, c) in before.char_indices().rev() {
        let behind = before.get(at + c.len_utf8()..).unwrap_or_default();
        let ends = match c {
            ',' | ';' | ':' | '!' | '?' | '\n' | '(' | '[' | '\u{2013}' | '\u{2014}' => true,
            '.' => behind.is_empty() || behind.starts_with(char::is_whitespace),
            '-' => behind.starts_with(' ') && before.get(..at).is_some_and(|b| b.ends_with(' ')),
            _ => false,
        };
        if ends {
            return behind;
        }
        end = at;
    }
    before.get(end..).unwrap_or_default()
}
