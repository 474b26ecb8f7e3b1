//! Closed lists of words, words with a count, and small forms of strings.

use std::error::Error;

/// A word that is not in a closed list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be one of [{known}], got: {got}")]
pub struct UnknownWord {
    /// The words of the list.
    pub known: String,
    /// The word itself.
    pub got: String,
}

/// Formats a count with its noun: `plural(1, "task", "tasks")` is `1 task`,
/// every other count has the second form.
#[must_use]
pub fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Names the first `most` of some things: `a, b and 3 more`.
pub fn listed(names: impl IntoIterator<Item: ToString>, most: usize) -> String {
    let mut names = names.into_iter();
    let first: Vec<_> = names
        .by_ref()
        .take(most)
        .map(|name| name.to_string())
        .collect();
    match names.count() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// The first `max` characters of a string, on one line, with `…` where there are more.
#[must_use]
pub fn excerpt(text: &str, max: usize) -> String {
    let blank = |char: char| if char.is_control() { ' ' } else { char };
    let mut rest = text.chars();
    let mut start: String = rest.by_ref().take(max).map(blank).collect();
    if rest.next().is_some() {
        start.push('…');
    }
    start
}

/// The words of a string with single spaces between them.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A key as a part of a JSON pointer (RFC 6901).
#[must_use]
pub fn pointer_part(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Bytes in lower-case hex digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    digits
        .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
        .collect()
}

/// The messages of an error and of its causes, without those that end the message before
/// them.
#[must_use]
pub fn causes(error: &dyn Error) -> Vec<String> {
    let mut messages: Vec<String> = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        let message = cause.to_string();
        if !messages.last().is_some_and(|last| last.ends_with(&message)) {
            messages.push(message);
        }
        next = cause.source();
    }
    messages
}

/// An error with its causes in one line.
#[must_use]
pub fn error_chain(error: &dyn Error) -> String {
    causes(error).join(": ")
}

/// Generates an enum of a closed list of words: the same word in JSON, in messages
/// and on the command line.
#[macro_export]
macro_rules! closed_list {
    ($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $word:ident => $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub enum $name {
            $($(#[$word_doc])* #[serde(rename = $text)] $word,)*
        }

        impl $name {
            /// All words, in the order in which messages list them.
            pub const ALL: &[Self] = &[$(Self::$word),*];

            /// The words, in the same order.
            pub const WORDS: &[&str] = &[$($text),*];

            /// Returns the word in JSON and on the command line.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($text => Ok(Self::$word),)*
                    _ => Err($crate::UnknownWord {
                        known: Self::WORDS.join(" "),
                        got: text.to_owned(),
                    }),
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_up_to_a_number() {
        for (names, expected) in [
            (&["a"][..], "a"),
            (&["a", "b"], "a, b"),
            (&["a", "b", "c", "d"], "a, b and 2 more"),
            (&[], ""),
        ] {
            assert_eq!(listed(names, 2), expected);
        }
    }

    #[test]
    fn an_excerpt_is_on_one_line_and_says_that_there_is_more() {
        for (text, expected) in [("äbc", "äbc"), ("äbcd", "äbc…"), ("a\nb", "a b"), ("", "")]
        {
            assert_eq!(excerpt(text, 3), expected);
        }
    }
}
