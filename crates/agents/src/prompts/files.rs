//! The files of an artifact in a prompt.

use std::fmt::Display;

use review_flow::Nonce;
use review_store::{ConfineError, FileArtifact, Reader};
use review_types::hex;
use sha2::{Digest as _, Sha256};

/// The most bytes of an artifact that a prompt holds.
const MAX_ARTIFACT: usize = 1024 * 1024;

/// The most bytes of files in a prompt to an implementer: what a client is to read beside
/// them is named, as it reads files itself.
pub(crate) const MAX_FILES: usize = 64 * 1024;

/// An artifact that no prompt has room for.
#[derive(Debug, thiserror::Error)]
#[error("the artifact has {bytes} bytes, and a prompt holds {MAX_ARTIFACT}")]
pub struct ArtifactTooLarge {
    bytes: usize,
}

impl ArtifactTooLarge {
    /// Checks the size of an artifact.
    ///
    /// # Errors
    /// When no prompt has room for that many bytes.
    pub const fn check(bytes: usize) -> Result<(), Self> {
        match bytes > MAX_ARTIFACT {
            true => Err(Self { bytes }),
            false => Ok(()),
        }
    }
}

/// Appends the files of an artifact in the order of their paths, one at a time.
pub(super) fn append_files(
    artifact: &FileArtifact,
    nonce: &Nonce,
    out: &mut Vec<u8>,
) -> Result<(), ConfineError> {
    let mut reader = Reader::new(artifact.root());
    for path in artifact.paths()? {
        let path = path.as_str();
        let bytes = reader.read(path)?;
        append_file(
            nonce,
            format_args!("file {}", path.escape_debug()),
            &bytes,
            out,
        );
    }
    Ok(())
}

/// Appends bytes between markers, the first of which says what they are.
pub(super) fn append_file(nonce: &Nonce, what: impl Display, bytes: &[u8], out: &mut Vec<u8>) {
    append_marker(nonce, what, out);
    out.extend_from_slice(bytes);
    if !out.ends_with(b"\n") {
        out.push(b'\n');
    }
    append_marker(nonce, "end", out);
}

fn append_marker(nonce: &Nonce, what: impl Display, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("<<<{nonce} {what}>>>\n").as_bytes());
}

/// The SHA-256 of bytes, in hexadecimal digits.
pub(crate) fn sha256(bytes: impl AsRef<[u8]>) -> String {
    hex(&Sha256::digest(bytes))
}
