//! The output of a program, as a file.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::disk;

/// A private file for the output of a program. It is created with the first byte, so a
/// program without output costs nothing.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    file: Option<File>,
}

impl LogFile {
    /// A log in `folder`; characters that are not valid in a file name are replaced
    /// with `-`.
    pub(crate) fn new(folder: &Path, name: &str) -> Self {
        let legal = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '~' | '-');
        let name: String = name
            .trim_start_matches('.')
            .chars()
            .map(|c| if legal(c) { c } else { '-' })
            .take(100)
            .collect();
        let name = if name.is_empty() { "log" } else { &name };
        Self {
            path: folder.join(name),
            file: None,
        }
    }

    /// The path of the log, which may not exist.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path in reports: relative to `root` if it is below it.
    pub fn shown(&self, root: &Path) -> String {
        let path = self.path.strip_prefix(root).unwrap_or(&self.path);
        path.display().to_string()
    }

    /// Whether anything was written.
    pub fn is_written(&self) -> bool {
        self.file.is_some()
    }

    fn open(&mut self) -> io::Result<&mut File> {
        if self.file.is_none() {
            if let Some(folder) = self.path.parent() {
                disk::create_private_folder(folder)?;
            }
            let file = disk::open_private(&self.path)?;
            // A truncated file is written to disk as soon as it is closed.
            if file.metadata()?.len() > 0 {
                file.set_len(0)?;
            }
            self.file = Some(file);
        }
        self.file
            .as_mut()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.open()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), File::flush)
    }
}
