//! Deviations of a requirement from the patterns.

use super::Keyword;

/// The reason why a requirement matches no pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deviation {
    /// It has no `shall`, but may have another modal verb.
    NoShall { instead: Option<&'static str> },
    /// It has more than one `shall`.
    ManyShalls { count: usize },
    /// It names no system.
    NoSystem,
    /// Its condition does not end with a comma.
    NoComma { keyword: Keyword },
    /// It has an `If` without `then`.
    NoThen,
    /// Its condition starts with a word that is not a keyword.
    OtherOpening { word: &'static str },
    /// A condition follows `shall`.
    TrailingClause(&'static str),
    /// The second of these conditions comes before the first.
    OutOfOrder { first: Keyword, second: Keyword },
}

impl Deviation {
    /// The problem, as the end of a sentence that starts with the id.
    pub(crate) fn problem(self) -> String {
        match self {
            Self::NoShall { instead: None } => "has no `shall`".to_owned(),
            Self::NoShall {
                instead: Some(modal),
            } => format!("uses `{modal}` instead of `shall`"),
            Self::ManyShalls { count } => format!("uses `shall` {count} times"),
            Self::NoSystem => "does not name the system".to_owned(),
            Self::NoComma { keyword } => {
                format!("has no comma after its `{keyword}` condition")
            }
            Self::NoThen => "has an `If` without `then`".to_owned(),
            Self::OtherOpening { word } => format!("starts its condition with `{word}`"),
            Self::TrailingClause(word) => format!("has the condition `{word}` after `shall`"),
            Self::OutOfOrder { first, second } => format!("has `{second}` before `{first}`"),
        }
    }

    /// The suggestion.
    pub(crate) fn advice(self) -> String {
        match self {
            Self::NoShall { instead: None } => {
                "Write `The <system> shall <response>.`, with `When <event>,`, `While <state>,`, `Where <feature>,` or `If <fault>, then` in front if it does not always apply.".to_owned()
            }
            Self::NoShall {
                instead: Some(modal),
            } => format!("Write `shall` instead of `{modal}`."),
            Self::ManyShalls { count } => {
                format!("Split it into {count} requirements, each with its own id.")
            }
            Self::NoSystem => "Name the system, as in `the <system> shall <response>`.".to_owned(),
            Self::NoComma { keyword } => {
                format!("Write `{keyword} <condition>, the <system> shall <response>.`")
            }
            Self::NoThen => {
                "Write `If <fault>, then the <system> shall <response>.`, or use `When` for an expected event.".to_owned()
            }
            Self::OtherOpening { word } => format!(
                "Write `When <event>,` or `While <state>,` instead of `{word}`."
            ),
            Self::TrailingClause(word) => format!(
                "Move what follows `{word}` to the front: `When <event>, the <system> shall <response>.`"
            ),
            Self::OutOfOrder { first, second } => {
                format!("Write the `{first}` condition before the `{second}` condition.")
            }
        }
    }
}
