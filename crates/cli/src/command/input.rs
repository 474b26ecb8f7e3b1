//! Files that the command line names, and standard input.

use std::io::{self, BufReader, Read};
use std::path::Path;

use review_store::open_named;

use crate::context::Context;
use crate::error::{CommandError, cannot};

/// Standard input by the name that means it.
pub(crate) const STDIN: &str = "-";

/// An open file, or standard input.
pub(crate) struct Input {
    name: String,
    pub(super) source: Box<dyn Read>,
}

impl Context {
    /// Opens a file or, by its name, standard input.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(crate) fn input(&self, path: &Path) -> Result<Input, CommandError> {
        if path == Path::new(STDIN) {
            return Ok(Input::standard());
        }
        let name = path.display().to_string();
        let file = open_named(&self.absolute(path)).map_err(cannot(format!("read {name}")))?;
        Ok(Input {
            name,
            source: Box::new(file),
        })
    }
}

impl Input {
    /// Standard input.
    pub(crate) fn standard() -> Self {
        Self {
            name: "standard input".to_owned(),
            source: Box::new(io::stdin()),
        }
    }

    /// Reads it whole, but no more bytes than this.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn bytes(&mut self, most: u64) -> Result<Vec<u8>, CommandError> {
        let mut bytes = Vec::new();
        let read = self.source.by_ref().take(most).read_to_end(&mut bytes);
        read.map_err(cannot(format!("read {}", self.name)))?;
        Ok(bytes)
    }

    /// Reads it whole.
    ///
    /// # Errors
    /// When it cannot be read, or has more bytes than this.
    pub(crate) fn whole(&mut self, most: u64) -> Result<Vec<u8>, CommandError> {
        let bytes = self.bytes(most + 1)?;
        match bytes.len() as u64 > most {
            true => {
                let message = format!("{} is larger than {} MiB", self.name, most >> 20);
                Err(CommandError::new(message))
            }
            false => Ok(bytes),
        }
    }

    /// Reads it as UTF-8 of at most `most` bytes, without a byte order mark.
    ///
    /// # Errors
    /// When it cannot be read, is larger, or is not UTF-8.
    pub(crate) fn text(mut self, most: u64) -> Result<String, CommandError> {
        let text = String::from_utf8(self.whole(most)?).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            CommandError::new(format!("{} is not UTF-8 (byte {at})", self.name))
        })?;
        Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
    }

    /// Reads it line by line.
    pub(crate) fn lines(self) -> BufReader<Box<dyn Read>> {
        BufReader::with_capacity(64 * 1024, self.source)
    }
}
