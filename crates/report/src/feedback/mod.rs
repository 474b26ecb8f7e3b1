//! Feedback from one format to another, and files with documents of it.

mod convert;
mod documents;
mod from;
mod invalid;
mod to;
mod yaml;

pub use convert::{Conversion, FeedbackFormat, convert, detect};
pub use documents::{
    CheckedDocument, DocumentFile, DocumentForm, DocumentList, document, documents,
};
pub use invalid::Invalid;
pub use to::NewDocument;
pub use yaml::{Translated, translate};

#[cfg(test)]
mod tests;
