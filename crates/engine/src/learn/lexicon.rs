//! Words that mean the same.

use std::borrow::Cow;
use std::path::Path;

use review_store::Root;
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
    let root = Root::open(root).map_err(|error| failed(error.into()))?;
    let bytes = root.read(FILE).map_err(|error| failed(error.into()))?;
    let Some(bytes) = bytes else {
        return Ok(Cow::Borrowed(Lexicon::embedded()));
    };
    let text = String::from_utf8(bytes).map_err(|error| failed(error.into()))?;
    let extended = Lexicon::embedded().extended(&text);
    extended
        .map(Cow::Owned)
        .map_err(|error| failed(error.into()))
}
