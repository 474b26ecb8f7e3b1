//! The ways in which a requirement departs from the patterns.

use super::Keyword;

/// Why a requirement follows no pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deviation {
    /// It has no `shall`, but perhaps another modal verb.
    NoShall { instead: Option<&'static str> },
    /// It has several.
    ManyShalls { count: usize },
    /// Nothing is named that shall do it.
    NoSystem,
    /// No comma ends its condition.
    NoComma { keyword: Keyword },
    /// It has an `If` without `then`.
    NoThen,
    /// Its condition is opened by another word than those of the patterns.
    OtherOpening { word: &'static str },
    /// A condition stands behind `shall`.
    ClauseBehind(&'static str),
    /// The second of these stands before the first.
    OutOfOrder { first: Keyword, second: Keyword },
}

impl Deviation {
    /// What is wrong, as the end of a sentence that begins with the id.
    pub(crate) fn fault(self) -> String {
        match self {
            Self::NoShall { instead: None } => "has no `shall`".to_owned(),
            Self::NoShall {
                instead: Some(modal),
            } => format!("has `{modal}` where `shall` belongs"),
            Self::ManyShalls { count } => format!("has `shall` {count} times"),
            Self::NoSystem => "does not name what shall do it".to_owned(),
            Self::NoComma { keyword } => {
                format!("has no comma between its `{keyword}` and what shall respond")
            }
            Self::NoThen => "has an `If` without `then`".to_owned(),
            Self::OtherOpening { word } => format!("opens its condition with `{word}`"),
            Self::ClauseBehind(word) => format!("has the condition `{word}` behind `shall`"),
            Self::OutOfOrder { first, second } => format!("has `{second}` before `{first}`"),
        }
    }

    /// What to write.
    pub(crate) fn advice(self) -> String {
        match self {
            Self::NoShall { instead: None } => {
                "Write `The <system> shall <response>.`, with `When <event>,`, `While <state>,`, `Where <feature>,` or `If <fault>, then` before it where it does not hold always.".to_owned()
            }
            Self::NoShall {
                instead: Some(modal),
            } => format!("Write `shall` instead of `{modal}`."),
            Self::ManyShalls { count } => {
                format!("Split it into {count} requirements, each with an id of its own.")
            }
            Self::NoSystem => "Name the system, as in `the <system> shall <response>`.".to_owned(),
            Self::NoComma { keyword } => {
                format!("Write `{keyword} <condition>, the <system> shall <response>.`")
            }
            Self::NoThen => {
                "Write `If <fault>, then the <system> shall <response>.`, or `When` for an event that is wanted.".to_owned()
            }
            Self::OtherOpening { word } => format!(
                "Write `When <event>,` or `While <state>,` instead of `{word}`."
            ),
            Self::ClauseBehind(word) => format!(
                "Move what follows `{word}` to the front: `When <event>, the <system> shall <response>.`"
            ),
            Self::OutOfOrder { first, second } => {
                format!("Write the condition with `{first}` before the one with `{second}`.")
            }
        }
    }
}
