//! Values that more than one option takes.

use std::num::NonZeroU32;

use clap::ValueEnum;

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

/// Reads a whole number from 1.
///
/// # Errors
/// The text says what is expected.
pub(crate) fn count(text: &str) -> Result<NonZeroU32, String> {
    text.parse()
        .map_err(|_| "must be a whole number from 1".to_owned())
}
