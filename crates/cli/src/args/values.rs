//! Values that more than one option takes.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use review_agents::{BackendError, Chain};
use review_config::{ColorChoice, FailLevel};
use review_lane::{Dirty, LandMode, SandboxMode};
use review_types::{TaskNumber, Usd, UsdError};

/// The words that an option takes, their values, and their help.
type Choices<T> = &'static [(&'static str, T, &'static str)];

/// Reads one of the words of `choices`.
pub(crate) fn one_of<T>(choices: Choices<T>) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync,
{
    let words = choices.iter();
    let words = words.map(|(word, _, help)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(words).try_map(|word| {
        let choice = choices.iter().find(|(known, ..)| *known == word);
        choice.map(|(_, value, _)| *value).ok_or("not a known word")
    })
}

/// What becomes of changes that are not committed.
pub(crate) const DIRTY: Choices<Dirty> = &[
    ("refuse", Dirty::Refuse, "Refuse the run"),
    ("include", Dirty::Include, "Start from them"),
    ("ignore", Dirty::Ignore, "Start without them"),
];

/// Where implemented tasks go.
pub(crate) const LAND: Choices<LandMode> = &[
    ("auto", LandMode::Auto, "To the target branch"),
    ("branch", LandMode::Branch, "To a branch of their own"),
    (
        "never",
        LandMode::Never,
        "Nowhere: they are kept outside of the project",
    ),
];

/// What keeps agents from files outside of their checkouts.
pub(crate) const SANDBOX: Choices<SandboxMode> = &[
    (
        "auto",
        SandboxMode::Auto,
        "The first that works here, else none",
    ),
    ("bwrap", SandboxMode::Bwrap, "Bubblewrap"),
    ("landlock", SandboxMode::Landlock, "Landlock of the kernel"),
    ("off", SandboxMode::Off, "Nothing"),
    (
        "required",
        SandboxMode::Required,
        "The first that works here; none refuses the run",
    ),
];

/// When to use colours.
pub(crate) const COLOR: Choices<ColorChoice> = &[
    (
        "auto",
        ColorChoice::Auto,
        "On a terminal, unless `NO_COLOR` is set",
    ),
    ("always", ColorChoice::Always, "Always"),
    ("never", ColorChoice::Never, "Never"),
];

/// From which severity on findings are a failure.
pub(crate) const FAIL_LEVEL: Choices<FailLevel> = &[
    ("error", FailLevel::Error, "Errors"),
    ("warning", FailLevel::Warning, "Warnings and errors"),
    ("info", FailLevel::Info, "Any finding"),
    ("never", FailLevel::Never, "Nothing"),
];

/// Reads an integer from 1 that fits in 32 bits.
///
/// # Errors
/// The message says what is expected.
pub(crate) fn count(text: &str) -> Result<NonZeroU32, String> {
    text.parse()
        .map_err(|_| format!("must be an integer from 1 to {}", u32::MAX))
}

/// Reads an integer.
///
/// # Errors
/// The message says what is expected.
pub(crate) fn whole<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| "must be an integer".to_owned())
}

/// Reads the number of a task.
///
/// # Errors
/// The message says what is expected.
pub(crate) fn task_number(text: &str) -> Result<TaskNumber, &'static str> {
    let number = text.parse().ok().and_then(TaskNumber::new);
    number.ok_or("must be the number of a task")
}

/// Reads an amount of US dollars above 0.
///
/// # Errors
/// The message says what is expected.
pub(crate) fn amount(text: &str) -> Result<Usd, String> {
    let amount: Usd = text.parse().map_err(|error: UsdError| error.to_string())?;
    let wrong = || "must be above 0".to_owned();
    (amount.micro() > 0).then_some(amount).ok_or_else(wrong)
}

/// Who implements tasks, if anybody does.
#[derive(Clone, Debug)]
pub(crate) struct Implementer(pub(crate) Option<Chain>);

impl fmt::Display for Implementer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(backend) => backend.fmt(f),
            None => f.write_str("none"),
        }
    }
}

impl FromStr for Implementer {
    type Err = BackendError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "none" => Ok(Self(None)),
            chain => chain.parse().map(|chain| Self(Some(chain))),
        }
    }
}

/// The number of a version, as `2` or `v2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VersionNumber(pub(crate) NonZeroU32);

impl FromStr for VersionNumber {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.strip_prefix('v').unwrap_or(text);
        let number = number.parse().ok().filter(|_| !number.starts_with('+'));
        number
            .map(Self)
            .ok_or_else(|| "must be the number of a version, such as 2 or v2".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_an_option_are_those_of_its_key() {
        let colors = COLOR.iter().map(|(word, color, _)| (*word, *color));
        let all = ColorChoice::ALL
            .iter()
            .map(|color| (color.as_str(), *color));
        assert!(colors.eq(all));
        let levels = FAIL_LEVEL.iter().map(|(word, level, _)| (*word, *level));
        let all = FailLevel::ALL.iter().map(|level| (level.as_str(), *level));
        assert!(levels.eq(all));
        let dirty = DIRTY.iter().map(|(word, dirty, _)| (*word, *dirty));
        assert!(dirty.eq(Dirty::ALL.iter().map(|dirty| (dirty.as_str(), *dirty))));
        let land = LAND.iter().map(|(word, land, _)| (*word, *land));
        assert!(land.eq(LandMode::ALL.iter().map(|land| (land.as_str(), *land))));
        let modes = SANDBOX.iter().map(|(word, mode, _)| (*word, *mode));
        assert!(modes.eq(SandboxMode::ALL.iter().map(|mode| (mode.as_str(), *mode))));
    }

    #[test]
    fn a_version_is_a_number_with_or_without_v() {
        for (text, expected) in [("v2", 2), ("12", 12), ("v1", 1)] {
            let version: VersionNumber = text.parse().unwrap();
            assert_eq!(version.0.get(), expected);
        }
        for text in [
            "",
            "v",
            "v0",
            "0",
            "-1",
            "+1",
            "vv1",
            "V1",
            "1.0",
            "4294967296",
        ] {
            assert!(text.parse::<VersionNumber>().is_err(), "{text}");
        }
    }
}
