//! The words and names of an issue, in order.

use super::anchor::{Anchor, number_word, unit};
use crate::Lexicon;
use crate::mask::{has_hump, has_inner_dot};
use crate::quoted;
use crate::stem::{Stems, is_stop_word};

/// A token of an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word in lower case.
    Word(String),
    /// A word in lower case that is a proper name.
    Proper(String),
    /// Any other name.
    Anchor(Anchor),
}

/// Words before the number of a place, which changes with every revision and is not a
/// name.
const PLACES: &[&str] = &[
    "line",
    "lines",
    "page",
    "pages",
    "round",
    "rounds",
    "iteration",
];
/// Words before the number of a section.
const SECTIONS: &[&str] = &["section", "sections", "chapter", "\u{a7}"];
/// HTTP methods, which belong to the path after them.
const METHODS: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
/// The maximum length of an id's prefix before its number, as in `FR 1`.
const MAX_PREFIX: usize = 5;

/// Splits a string into tokens. A capitalized word that is not in `lexicon` is a name.
pub(super) fn tokens(text: &str, lexicon: &Lexicon) -> Vec<Token> {
    let mut tokens = Tokens {
        names: has_names(text).then_some(lexicon),
        tokens: Vec::new(),
        before: String::new(),
        is_begun: false,
    };
    let mut from = 0;
    for span in quoted::spans(text) {
        tokens.plain(text.get(from..span.start).unwrap_or_default());
        tokens.quoted(text.get(span.clone()).unwrap_or_default());
        from = span.end;
    }
    tokens.plain(text.get(from..).unwrap_or_default());
    tokens.tokens
}

/// Whether capitals indicate names, which they do not if most words have one.
fn has_names(text: &str) -> bool {
    let words = || {
        text.split_whitespace()
            .filter(|word| word.starts_with(char::is_alphabetic))
    };
    let capital = words()
        .filter(|word| word.starts_with(char::is_uppercase))
        .count();
    capital.saturating_sub(1) * 3 <= words().count()
}

struct Tokens<'l> {
    tokens: Vec<Token>,
    /// The lexicon, if capitals indicate names.
    names: Option<&'l Lexicon>,
    /// The previous chunk, without punctuation around it.
    before: String,
    /// Whether the current sentence has a word.
    is_begun: bool,
}

impl Tokens<'_> {
    /// Adds a quoted span.
    fn quoted(&mut self, span: &str) {
        let inside = span.trim_matches(is_quote).trim();
        let inside = inside.trim_end_matches(['.', ',', ';']);
        if !inside.is_empty() {
            self.anchor(anchor_of(inside).unwrap_or_else(|| Anchor::name(inside)));
        }
        self.before.clear();
        self.is_begun = true;
    }

    /// Adds unquoted text.
    fn plain(&mut self, text: &str) {
        for written in text.split_whitespace() {
            let chunk = trimmed(written);
            if !chunk.is_empty() && !is_abbreviation(chunk) {
                self.chunk(chunk);
                self.before.clear();
                self.before.push_str(chunk);
            }
            self.is_begun = !written.ends_with(['.', '?', '!', ':']);
        }
    }

    fn chunk(&mut self, chunk: &str) {
        if self.unit_of_number(chunk) || self.number_of_word(chunk) {
            return;
        }
        match anchor_of(chunk) {
            Some(anchor) => self.anchor(anchor),
            None => self.words(chunk),
        }
    }

    /// Adds the unit of the previous number.
    fn unit_of_number(&mut self, chunk: &str) -> bool {
        match self.tokens.last_mut() {
            Some(Token::Anchor(Anchor::Number(_, of @ None))) if !self.before.is_empty() => {
                *of = unit(chunk);
                of.is_some()
            }
            _ => false,
        }
    }

    /// Adds a number that belongs to the previous word.
    fn number_of_word(&mut self, chunk: &str) -> bool {
        let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '\u{2013}');
        let is_number = chunk.starts_with(|c: char| c.is_ascii_digit());
        if !is_number || !chunk.chars().all(is_of_number) {
            return false;
        }
        let before = self.before.to_lowercase();
        let is_prefix = before != "http"
            && before.len() <= MAX_PREFIX
            && self.before.chars().nth(1).is_some()
            && self.before.chars().all(char::is_uppercase);
        let token = match () {
            () if PLACES.contains(&before.as_str()) => return true,
            () if SECTIONS.contains(&before.as_str()) => {
                Token::Anchor(Anchor::Section(chunk.to_owned()))
            }
            () if is_prefix => {
                self.tokens.pop();
                Token::Anchor(Anchor::id(&format!("{before}{chunk}")))
            }
            () => return false,
        };
        self.tokens.push(token);
        true
    }

    fn anchor(&mut self, anchor: Anchor) {
        let anchor = match anchor {
            Anchor::Name(name)
                if name.starts_with('/') && METHODS.contains(&self.before.as_str()) =>
            {
                self.tokens.pop();
                Anchor::Name(format!("{} {name}", self.before.to_lowercase()))
            }
            anchor => anchor,
        };
        self.tokens.push(Token::Anchor(anchor));
    }

    fn words(&mut self, chunk: &str) {
        for part in chunk.split(|c: char| !c.is_alphanumeric() && !is_apostrophe(c)) {
            let part = part.trim_matches(is_apostrophe);
            let word = part.split(is_apostrophe).next().unwrap_or_default();
            if word.is_empty() {
                continue;
            }
            let lower = word.to_lowercase();
            self.tokens.push(match number_word(&lower) {
                Some(number) => Token::Anchor(Anchor::Number(number.to_owned(), None)),
                None if self.is_proper(word, &lower) => Token::Proper(lower),
                None => Token::Word(lower),
            });
            self.is_begun = true;
        }
    }

    /// Whether a word is a proper name: it is capitalized inside a sentence and unknown
    /// otherwise.
    fn is_proper(&self, word: &str, lower: &str) -> bool {
        let is_unknown = |lexicon: &Lexicon| {
            lower.len() == 1
                || !is_stop_word(lower) && !lexicon.knows(&Stems::english().of_word(lower))
        };
        self.is_begun
            && word != "I"
            && word.starts_with(char::is_uppercase)
            && self.names.is_some_and(is_unknown)
    }
}

/// Returns a chunk without the punctuation around it.
fn trimmed(chunk: &str) -> &str {
    let is_end = |c: char| !c.is_alphanumeric() && !matches!(c, '%' | ')' | '}' | '/' | '\u{20ac}');
    let is_start = |c: char| {
        !c.is_alphanumeric()
            && !matches!(c, '/' | '~' | '-' | '%' | '$' | '\u{20ac}' | '\u{a7}' | '.')
    };
    let chunk = chunk.trim_end_matches(is_end).trim_start_matches(is_start);
    let owner = chunk.strip_suffix("'s").or(chunk.strip_suffix("\u{2019}s"));
    let chunk = owner.unwrap_or(chunk);
    match chunk.contains('(') {
        true => chunk,
        false => chunk.trim_end_matches(')').trim_end_matches(is_end),
    }
}

/// Returns the name that a chunk is, unless it consists of words.
fn anchor_of(chunk: &str) -> Option<Anchor> {
    if let Some(section) = chunk.strip_prefix('\u{a7}') {
        return Some(Anchor::Section(section.to_owned()));
    }
    if let Some(number) = Anchor::number(chunk) {
        return Some(number);
    }
    if chunk.contains(char::is_whitespace) {
        return None;
    }
    let chunk = without_lines(chunk);
    let has_letter = chunk.contains(char::is_alphabetic);
    let is_path = chunk.starts_with(['/', '~']) || chunk.matches(['/', '\\']).count() > 1;
    let is_name = has_letter
        && (chunk.starts_with('-')
            || chunk.contains(['_', '{', '@'])
            || chunk.contains("::")
            || chunk.contains("://")
            || is_call(chunk)
            || is_path
            || has_inner_dot(chunk)
            || has_hump(chunk));
    let has_digit = chunk.contains(|c: char| c.is_ascii_digit());
    match () {
        () if is_name && !(has_digit && is_short_id(chunk)) => Some(Anchor::name(chunk)),
        () if has_letter && has_digit => Some(Anchor::id(chunk)),
        () => None,
    }
}

/// Whether a chunk is a name with arguments, and not a plural.
fn is_call(chunk: &str) -> bool {
    let call = chunk.split_once('(');
    call.is_some_and(|(name, rest)| {
        name.ends_with(char::is_alphanumeric) && !matches!(rest, "s)" | "es)")
    })
}

/// Whether a chunk consists of letters, digits, dots and hyphens.
fn is_short_id(chunk: &str) -> bool {
    chunk
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '.'))
        && chunk.chars().take_while(|c| c.is_alphabetic()).count() <= MAX_PREFIX
        && chunk
            .chars()
            .rev()
            .take_while(|c| c.is_ascii_digit())
            .count()
            > 0
}

/// The path of `PATH:LINE`.
fn without_lines(chunk: &str) -> &str {
    let lines = chunk.rsplit_once(':');
    let is_lines = |lines: &str| {
        let is_of_lines = |c: char| c.is_ascii_digit() || c == '-';
        !lines.is_empty() && lines.chars().all(is_of_lines)
    };
    match lines {
        Some((path, lines)) if is_lines(lines) => path,
        _ => chunk.split("#L").next().unwrap_or(chunk),
    }
}

/// Whether a chunk consists of single letters separated by dots: `e.g`.
fn is_abbreviation(chunk: &str) -> bool {
    chunk.contains('.')
        && chunk
            .split('.')
            .all(|part| part.len() <= 1 && !part.starts_with(|c: char| c.is_ascii_digit()))
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}

pub(super) fn is_quote(c: char) -> bool {
    matches!(
        c,
        '`' | '"' | '\'' | '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{2019}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of a string: words as they are, names in backticks, proper names in
    /// asterisks.
    fn read(text: &str) -> String {
        let tokens = tokens(text, Lexicon::embedded()).into_iter();
        let tokens = tokens.map(|token| match token {
            Token::Word(word) => word,
            Token::Proper(word) => format!("*{word}*"),
            Token::Anchor(anchor) => anchor.to_string(),
        });
        tokens.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_have_one_normalized_notation() {
        for (texts, expected) in [
            (
                &[
                    "FR-1", "FR-01", "**FR-1**", "(FR-1)", "FR 1", "`fr-1`", "FR-1's",
                ][..],
                "`fr1`",
            ),
            (&["R3.2", "`R3.2`.", "[R3.2]"], "`r3.2`"),
            (&["FR-10", "FR-010"], "`fr10`"),
            (
                &[
                    "`shorten`",
                    "shorten()",
                    "`shorten()`",
                    "\"shorten\"",
                    "`shorten(url)`",
                ],
                "`shorten`",
            ),
            (
                &["merge_config", "`merge_config`", "merge_config(a, "],
                "`merge_config`",
            ),
            (&["RetryPolicy", "`RetryPolicy`"], "`retrypolicy`"),
            (&["--format", "`--format`", "--format,"], "`--format`"),
            (
                &[
                    "src/a/b.rs",
                    "src/a/b.rs:41",
                    "`src/a/b.rs:4-9`",
                    "src/a/b.rs#L4",
                ],
                "`src/a/b.rs`",
            ),
            (&["GET /users", "`GET /users`"], "`get /users`"),
            (
                &[
                    "\"as soon as possible\"",
                    "\u{201c}as soon as possible.\u{201d}",
                ],
                "`as soon as possible`",
            ),
            (
                &[
                    "30 s",
                    "30s",
                    "30 seconds",
                    "`30 s`",
                    "30 sec.",
                    "thirty seconds",
                ],
                "30s",
            ),
            (&["80 %", "80%", "80 percent"], "80%"),
            (&["$5", "5 USD"], "5$"),
            (&["1,000", "1000", "thousand"], "1000"),
            (&["3\u{2013}5", "3-5"], "3-5"),
            (&["-1", "`-1`"], "-1"),
            (&["HTTP 404", "http 404"], "http 404"),
            (&["section 4.2", "Section 4.2,"], "section \u{a7}4.2"),
            (&["\u{a7}4.2", "(\u{a7}4.2)"], "\u{a7}4.2"),
        ] {
            for text in texts {
                assert_eq!(read(text), expected, "{text}");
            }
        }
    }

    #[test]
    fn words_are_words_and_numbers_of_places_are_dropped() {
        for (text, expected) in [
            (
                "On line 41, see lines 4-5 of round 2",
                "on line see lines of round",
            ),
            (
                "Read/write access, e.g. of file(s)",
                "read write access of file s",
            ),
            ("The user's files don't load", "the user files don load"),
            ("well-known (and old) words.", "well known and old words"),
            ("It says \"\" - and '.' too", "it says and too"),
            ("", ""),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn an_unknown_capitalized_word_inside_a_sentence_is_a_name() {
        for (text, expected) in [
            (
                "may Alice approve it, or Bob",
                "may *alice* approve it or *bob*",
            ),
            ("Alice may. Bob may. I may", "alice may bob may i may"),
            (
                "the Retry Policy of API and GDPR",
                "the retry policy of api and gdpr",
            ),
            (
                "in case A and case B of it",
                "in case *a* and case *b* of it",
            ),
            ("Alice Asked Bob And Carol", "alice asked bob and carol"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
