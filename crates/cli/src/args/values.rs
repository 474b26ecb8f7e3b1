//! Values that more than one option takes.

use std::num::NonZeroU32;
use std::str::FromStr;

use clap::ValueEnum;
use review::Keep;
use review_agents::{Backend, Chain, CommandLineError};
use review_types::{Usd, UsdError};

/// An option that is switched on or off by word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

impl From<Switch> for bool {
    fn from(switch: Switch) -> Self {
        switch == Switch::On
    }
}

/// What is on disk after a loop that did not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeepChoice {
    /// The artifact of the best round.
    Best,
    /// What the last applier left.
    Last,
}

impl From<KeepChoice> for Keep {
    fn from(choice: KeepChoice) -> Self {
        match choice {
            KeepChoice::Best => Self::Best,
            KeepChoice::Last => Self::Last,
        }
    }
}

/// Reads a whole number from 1 that fits in 32 bits.
///
/// # Errors
/// The text says what is expected.
pub(crate) fn count(text: &str) -> Result<NonZeroU32, String> {
    text.parse()
        .map_err(|_| format!("must be a whole number from 1 to {}", u32::MAX))
}

/// Reads a whole number.
///
/// # Errors
/// The text says what is expected.
pub(crate) fn whole<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse()
        .map_err(|_| "must be a whole number".to_owned())
}

/// Reads an amount of US dollars above 0.
///
/// # Errors
/// The text says what is expected.
pub(crate) fn amount(text: &str) -> Result<Usd, String> {
    let amount: Usd = text.parse().map_err(|error: UsdError| error.to_string())?;
    let wrong = || "must be above 0".to_owned();
    (amount.micro() > 0).then_some(amount).ok_or_else(wrong)
}

/// The backend of `--applier-cmd PROGRAM`.
///
/// # Errors
/// When the text names no program.
pub(crate) fn program(text: &str) -> Result<Backend, CommandLineError> {
    text.parse().map(Backend::Cmd)
}

/// The chain of `--reviewer-cmd PROGRAM`: a comma is one of its arguments.
///
/// # Errors
/// When the text names no program.
pub(crate) fn program_chain(text: &str) -> Result<Chain, CommandLineError> {
    program(text).map(Chain::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_in_a_program_starts_no_other_backend() {
        let chain = program_chain("judge a,builtin").unwrap();
        assert_eq!(chain.to_string(), "cmd:judge a,builtin");
        assert_eq!(chain.iter().count(), 1);
        assert!(program(" ").is_err());
    }
}
