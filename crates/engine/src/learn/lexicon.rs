//! Words that mean the same.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use review_store::{Root, read_named};
use review_text::Lexicon;

use super::LearnError;

/// The user's own concepts, below the root.
const DEFAULT_FILE: &str = ".aiwg/lexicon.txt";

/// Returns the embedded lexicon with the user's concepts: those of the file that
/// was named, else those of the root, if it has any.
///
/// # Errors
/// When the file cannot be read or a line of it is not a valid concept.
pub fn lexicon(root: &Path, named: Option<&Path>) -> Result<Cow<'static, Lexicon>, LearnError> {
    let path = named.map_or_else(|| root.join(DEFAULT_FILE), Path::to_owned);
    let bytes = match named {
        Some(named) => read_named(named).map(Some),
        None => Root::open(root)
            .map_err(io::Error::from)
            .and_then(|root| Ok(root.read(DEFAULT_FILE)?)),
    };
    let text = match bytes.map(|bytes| bytes.map(String::from_utf8)) {
        Ok(Some(Ok(text))) => text,
        Ok(None) => return Ok(Cow::Borrowed(Lexicon::embedded())),
        Ok(Some(Err(error))) => {
            let source = error.into();
            return Err(LearnError::Lexicon { path, source });
        }
        Err(error) => {
            let source = error.into();
            return Err(LearnError::Lexicon { path, source });
        }
    };
    let extended = Lexicon::embedded().extended(&text);
    extended.map(Cow::Owned).map_err(|error| {
        let source = error.into();
        LearnError::Lexicon { path, source }
    })
}
