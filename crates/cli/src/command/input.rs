//! Files that the command line names, and standard input.

use std::io::{self, BufRead as _, BufReader, Read};
use std::path::Path;

use review_learning::corrections::BYTE_ORDER_MARK;
use review_store::open_named;
use serde::de::IgnoredAny;

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

    /// Reads it line by line, each with a JSON object.
    ///
    /// # Errors
    /// When it cannot be read, or holds JSON of another form.
    pub(crate) fn lines(self) -> Result<BufReader<Box<dyn Read>>, CommandError> {
        let mut input = BufReader::with_capacity(64 * 1024, self.source);
        let start = input.fill_buf();
        let start = start.map_err(cannot(format!("read {}", self.name)))?;
        let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
        let mut lines = start.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let first = lines.find(|line| !line.is_empty()).unwrap_or_default();
        let is_other = first.starts_with(b"[") || first == b"{" && start.contains(&b'\n');
        let mut values = serde_json::Deserializer::from_slice(start).into_iter::<IgnoredAny>();
        // A line that is torn hides no others.
        if is_other && matches!(values.next(), Some(Ok(_))) {
            let message = format!("{} must have one JSON object a line", self.name);
            let hint = "`jq -c .` writes an object on one line, `jq -c '.[]'` those of an array";
            return Err(CommandError::new(message).hint(hint));
        }
        Ok(input)
    }
}
