//! The version of the format of a file.

use serde::{Deserialize, Serialize};

/// The version of the format of our files: 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "u32", try_from = "u32")]
pub struct Format;

/// A file of another version of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("has the format {0}, and this program knows the format {FORMAT}")]
pub struct OtherFormat(u32);

const FORMAT: u32 = 1;

impl From<Format> for u32 {
    fn from(_: Format) -> Self {
        FORMAT
    }
}

impl TryFrom<u32> for Format {
    type Error = OtherFormat;

    fn try_from(number: u32) -> Result<Self, OtherFormat> {
        match number {
            FORMAT => Ok(Self),
            other => Err(OtherFormat(other)),
        }
    }
}
