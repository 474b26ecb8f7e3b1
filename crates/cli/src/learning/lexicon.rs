//! The words that mean the same.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::Path;

use review_text::Lexicon;

use crate::error::{CommandError, ErrorKind};

/// The user's own concepts, below the root.
const DEFAULT_FILE: &str = ".aiwg/lexicon.txt";

/// The embedded lexicon with the user's concepts: those of the file that was
/// named, else those of the root, if it has any.
///
/// # Errors
/// When the file cannot be read or a line of it is no concept.
pub(crate) fn lexicon(
    root: &Path,
    named: Option<&Path>,
) -> Result<Cow<'static, Lexicon>, CommandError> {
    let path = named.map_or_else(|| root.join(DEFAULT_FILE), Path::to_owned);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if named.is_none() && error.kind() == io::ErrorKind::NotFound => {
            return Ok(Cow::Borrowed(Lexicon::embedded()));
        }
        Err(error) => {
            let message = format!("cannot read {}", path.display());
            return Err(CommandError::new(ErrorKind::Input, message).source(error));
        }
    };
    Lexicon::embedded()
        .extended(&text)
        .map(Cow::Owned)
        .map_err(|error| {
            let message = format!("cannot read {}", path.display());
            CommandError::new(ErrorKind::Input, message).source(error)
        })
}
