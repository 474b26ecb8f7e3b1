//! Words that mean the same.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::Path;

use review_text::Lexicon;

use super::LearnError;

/// The user's own concepts, below the root.
const FILE: &str = ".aiwg/lexicon.txt";

/// Returns the embedded lexicon with the user's concepts, if the root has any.
///
/// # Errors
/// When their file cannot be read or a line of it is not a valid concept.
pub fn lexicon(root: &Path) -> Result<Cow<'static, Lexicon>, LearnError> {
    let path = root.join(FILE);
    let failed = |source: Box<dyn std::error::Error + Send + Sync>| LearnError::Lexicon {
        path: path.clone(),
        source,
    };
    match fs::read_to_string(&path) {
        Ok(text) => {
            let extended = Lexicon::embedded().extended(&text);
            extended
                .map(Cow::Owned)
                .map_err(|error| failed(error.into()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(Cow::Borrowed(Lexicon::embedded()))
        }
        Err(error) => Err(failed(error.into())),
    }
}
