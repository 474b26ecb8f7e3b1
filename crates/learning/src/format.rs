//! The format version of a file.

use serde::{Deserialize, Serialize};

/// The format version of the files that this crate defines: 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "u32", try_from = "u32")]
pub struct Format;

/// An unsupported format version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unsupported format version: expected {FORMAT}, found {0}")]
pub struct UnsupportedFormat(u32);

const FORMAT: u32 = 1;

impl From<Format> for u32 {
    fn from(_: Format) -> Self {
        FORMAT
    }
}

impl TryFrom<u32> for Format {
    type Error = UnsupportedFormat;

    fn try_from(number: u32) -> Result<Self, UnsupportedFormat> {
        match number {
            FORMAT => Ok(Self),
            other => Err(UnsupportedFormat(other)),
        }
    }
}
