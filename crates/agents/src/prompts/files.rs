//! The files of an artifact in a prompt.

use std::fmt::Display;

/// How a prompt shows an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArtifactForm {
    /// It contains its files, byte for byte.
    Full,
    /// It names its files, which the agent reads.
    Paths,
}
use review_store::{ConfineError, FileArtifact, Reader};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::indented;

/// An artifact as a prompt shows it.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) artifact: &'a FileArtifact,
    pub(crate) form: ArtifactForm,
}

impl<'a> From<&'a FileArtifact> for Shown<'a> {
    fn from(artifact: &'a FileArtifact) -> Self {
        let form = ArtifactForm::Full;
        Self { artifact, form }
    }
}

impl Shown<'_> {
    /// Appends the files in the order of their paths, one at a time.
    pub(super) fn append(self, nonce: &str, out: &mut Vec<u8>) -> Result<(), ConfineError> {
        match self.form {
            ArtifactForm::Full => append_files(self.artifact, nonce, out),
            ArtifactForm::Paths => append_list(self.artifact, nonce, out),
        }
    }
}

fn append_files(
    artifact: &FileArtifact,
    nonce: &str,
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
pub(super) fn append_file(nonce: &str, what: impl Display, bytes: &[u8], out: &mut Vec<u8>) {
    append_marker(nonce, what, out);
    out.extend_from_slice(bytes);
    if !out.ends_with(b"\n") {
        out.push(b'\n');
    }
    append_marker(nonce, "end", out);
}

/// Appends what a reader needs to know that it has read all of a file.
fn append_list(
    artifact: &FileArtifact,
    nonce: &str,
    out: &mut Vec<u8>,
) -> Result<(), ConfineError> {
    let mut reader = Reader::new(artifact.root());
    let mut files = Vec::new();
    for path in artifact.paths()? {
        let bytes = reader.read(path.as_str())?;
        files.push(json!({
            "path": path.as_str(),
            "bytes": bytes.len(),
            "lines": bytes.split_inclusive(|byte| *byte == b'\n').count(),
            "sha256": sha256(&bytes),
        }));
    }
    append_file(nonce, "files", indented(&files).as_bytes(), out);
    Ok(())
}

fn append_marker(nonce: &str, what: impl Display, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("<<<{nonce} {what}>>>\n").as_bytes());
}

/// The SHA-256 of bytes, in hexadecimal digits.
pub(crate) fn sha256(bytes: impl AsRef<[u8]>) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
