//! What is wrong with a file, a variable or a value.

use std::ops::Range;

use review_document::Position;
use review_document::near::nearest;
use serde_json::Value as Json;
use serde_path_to_error::Segment;

use crate::file::ConfigFile;

/// Something wrong in the configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFault {
    /// Where it is in the file: a JSON pointer, empty where the content is not TOML.
    pub pointer: String,
    /// The bytes of the file that it is about.
    pub span: Range<usize>,
    /// The line and column of the first of them.
    pub position: Position,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl FileFault {
    /// A fault of the bytes `span` of a file.
    pub(crate) fn new(
        file: &ConfigFile,
        pointer: &str,
        span: Range<usize>,
        message: String,
    ) -> Self {
        Self {
            pointer: pointer.to_owned(),
            position: file.position(span.start),
            span,
            message,
            help: None,
        }
    }

    /// The fault with what to write instead.
    pub(crate) fn help(self, help: Option<String>) -> Self {
        Self { help, ..self }
    }
}

/// Why a value is not the value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueFault {
    /// It has the wrong form; the key says what is expected.
    Form,
    /// It has the right form, and something in it is wrong.
    Content {
        /// Where it is in the value: a JSON pointer.
        pointer: String,
        /// The same as it follows the name of the key, such as `.a.model`; not
        /// where the message itself names the entry.
        path: String,
        /// What is wrong.
        message: String,
        /// What to write instead.
        help: Option<String>,
    },
}

impl ValueFault {
    /// A fault of the whole value.
    pub(crate) fn new(message: impl ToString) -> Self {
        Self::Content {
            pointer: String::new(),
            path: String::new(),
            message: message.to_string(),
            help: None,
        }
    }

    /// The fault with what to write instead.
    pub(crate) fn help(mut self, instead: String) -> Self {
        if let Self::Content { help, .. } = &mut self {
            *help = Some(instead);
        }
        self
    }

    /// The fault as one of the entry `key` of a value.
    pub(crate) fn below(mut self, key: &str) -> Self {
        if let Self::Content { pointer, .. } = &mut self {
            pointer.insert_str(0, &step(key));
        }
        self
    }

    /// The fault that a derived reader found in `value`.
    pub(crate) fn of_derive(
        error: &serde_path_to_error::Error<serde_json::Error>,
        value: &Json,
    ) -> Self {
        let (mut pointer, mut path, mut above) = (String::new(), String::new(), 0);
        for segment in error.path() {
            above = path.len();
            match segment {
                Segment::Seq { index } => {
                    pointer.push_str(&format!("/{index}"));
                    path.push_str(&format!("[{index}]"));
                }
                Segment::Map { key } => {
                    pointer.push_str(&step(key));
                    path.push_str(&dotted(key));
                }
                Segment::Enum { .. } | Segment::Unknown => {}
            }
        }
        let message = error.inner().to_string();
        let is_form = ["invalid type", "invalid value", "unknown variant"]
            .iter()
            .any(|kind| message.starts_with(kind));
        if is_form && pointer.is_empty() {
            return Self::Form;
        }
        if message.starts_with("unknown field") {
            path.truncate(above);
        }
        Self::Content {
            help: meant(&message).map(|near| format!("did you mean `{near}`?")),
            message: in_words(&message, value.pointer(&pointer)),
            pointer,
            path,
        }
    }
}

/// The step of a JSON pointer to the entry `key`.
pub(crate) fn step(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The entry `key` of a table as it follows the name of the table.
fn dotted(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(is_bare) {
        format!(".{key}")
    } else {
        format!(".{key:?}")
    }
}

/// A message about `subject`, which may be what it starts with.
pub(crate) fn about(subject: &str, message: &str) -> String {
    let colon = if message.starts_with("must ") {
        ""
    } else {
        ":"
    };
    format!("{subject}{colon} {message}")
}

/// The known word that was probably meant by an unknown one. A message about one
/// quotes it, and then all that are known.
fn meant(message: &str) -> Option<&str> {
    let mut words = message.split('`').skip(1).step_by(2);
    let unknown = words.next().filter(|_| message.starts_with("unknown "))?;
    nearest(unknown, words, 1).first().copied()
}

/// A message of a derived reader about a value, in the words of the file instead
/// of those of Rust.
fn in_words(message: &str, value: Option<&Json>) -> String {
    let wrong = message.strip_prefix("invalid ").and(value);
    let (Some(value), Some((_, expected))) = (wrong, message.rsplit_once(", expected ")) else {
        return message.replacen("unknown variant", "unknown value", 1);
    };
    let expected = match expected {
        "a nonzero u32" => "an integer from 1",
        "i64" => "an integer",
        "a sequence" => "an array",
        "a map" => "a table",
        "string or map" => "a string",
        other => other,
    };
    match value {
        Json::String(_) => format!("expected {expected}, found a string"),
        Json::Array(_) => format!("expected {expected}, found an array"),
        Json::Object(_) => format!("expected {expected}, found a table"),
        Json::Null | Json::Bool(_) | Json::Number(_) => {
            format!("expected {expected}, found `{value}`")
        }
    }
}
