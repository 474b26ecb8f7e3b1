//! What a client opens of the files that its prompt names.

use review::flow::hash_bytes;
use review::prompt::{OpenedFile, OpenedText};
use review_store::{ConfineError, FileArtifact, Reader, Root};
use review_text::LineMatcher;
use review_types::{Hash, LineRange, Opened, Share};

use crate::paths::below;
use crate::stream::ToolResult;

/// The lines of the files of an artifact that the tools of a client have shown.
pub(crate) struct OpenedFiles {
    root: Root,
    /// The path and the hash of each file.
    files: Vec<(String, Hash)>,
    lines: LineMatcher,
}

impl OpenedFiles {
    /// The files as they are now, of which these lines were opened `before`.
    pub(crate) fn new(
        artifact: &FileArtifact,
        before: &[OpenedFile],
    ) -> Result<Self, ConfineError> {
        let mut reader = Reader::new(artifact.root());
        let (mut files, mut texts) = (Vec::new(), Vec::new());
        for path in artifact.paths()? {
            let bytes = reader.read(path.as_str())?;
            files.push((path.as_str().to_owned(), hash_bytes(&bytes)));
            texts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
        let mut lines = LineMatcher::new(texts.iter().map(String::as_str));
        for known in before {
            let at = files
                .iter()
                .position(|(path, hash)| *path == known.path && *hash == known.text);
            if let Some(at) = at {
                known
                    .lines
                    .iter()
                    .for_each(|range| lines.mark(at, range.clone()));
            }
        }
        Ok(Self {
            root: artifact.root().clone(),
            files,
            lines,
        })
    }

    /// Takes the result of a tool. What is shown of another file says nothing.
    pub(crate) fn show(&mut self, result: &ToolResult) {
        let Some(named) = &result.file else {
            return self.lines.find(&result.text, None);
        };
        let path = below(&self.root, named);
        let at = self
            .files
            .iter()
            .position(|(file, _)| path.as_ref() == Some(file));
        if let Some(at) = at {
            self.lines.find(&result.text, Some(at));
        }
    }

    /// What was opened so far.
    pub(crate) fn opened(&self) -> OpenedText {
        let (found, all) = self.lines.found_bytes();
        let files = || (0..).zip(&self.files);
        let missing = files().flat_map(|(at, (path, _))| {
            let ranges = self.lines.missing(at).into_iter();
            ranges.map(|lines| LineRange {
                path: path.clone(),
                first: line_number(lines.start + 1),
                last: line_number(lines.end),
            })
        });
        OpenedText {
            opened: Opened {
                share: Share::of(found, all),
                missing: missing.take(Opened::MAX_MISSING).collect(),
            },
            files: files()
                .map(|(at, (path, text))| OpenedFile {
                    path: path.clone(),
                    text: *text,
                    lines: self.lines.found(at),
                })
                .collect(),
        }
    }
}

fn line_number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
