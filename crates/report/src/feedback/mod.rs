//! Feedback from one format to another.

mod convert;
mod exchange;
mod from;
mod invalid;
mod to;
mod wire;

pub use convert::{Conversion, FeedbackFormat, convert, detect};
pub use invalid::Invalid;
pub use to::NewDocument;

#[cfg(test)]
mod tests;
