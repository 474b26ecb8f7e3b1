//! What is wrong with a file, a variable or a value.

use std::collections::BTreeMap;
use std::ops::Range;

use review_document::Position;
use review_document::near::nearest;
use review_types::pointer_part;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};
use serde_path_to_error::Segment;

use crate::file::ConfigFile;
use crate::forms::learning;
use crate::key::Key;
use crate::tables::Config;

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
pub(crate) struct ValueFault {
    /// Where it is in the value: a JSON pointer.
    pub(crate) pointer: String,
    /// The same as it follows the name of the key, such as `.a.model`; not
    /// where the message itself names the entry.
    pub(crate) path: String,
    /// What is wrong.
    pub(crate) message: String,
    /// What to write instead.
    pub(crate) help: Option<String>,
}

/// A table as such: the derive of a struct takes an array of its fields as well.
type Table = Map<String, Json>;

impl ValueFault {
    /// A fault of the whole value.
    pub(crate) fn new(message: impl ToString) -> Self {
        Self {
            pointer: String::new(),
            path: String::new(),
            message: message.to_string(),
            help: None,
        }
    }

    /// The fault of the value that `key` has in a configuration, where all other values
    /// can be read.
    pub(crate) fn find(configuration: &Json, key: &Key) -> Option<Self> {
        let value = configuration.pointer(&key.pointer())?;
        if key.name == learning::TABLE && value.is_object() {
            return learning::fault(value);
        }
        let tables = match key.default {
            Json::Array(items) if items.iter().any(Json::is_object) => {
                Self::of_derive::<Vec<Table>>(value, 0)
            }
            Json::Object(_) if !key.name.contains('.') => {
                Self::of_derive::<BTreeMap<String, Table>>(value, 0)
            }
            _ => None,
        };
        let depth = key.name.split('.').count();
        tables.or_else(|| Self::of_derive::<Config>(configuration, depth))
    }

    /// The fault that a derived reader finds `depth` steps below the top of `top`.
    fn of_derive<T: DeserializeOwned>(top: &Json, depth: usize) -> Option<Self> {
        let error = serde_path_to_error::deserialize::<_, T>(top).err()?;
        let (mut pointer, mut path, mut above) = (String::new(), String::new(), 0);
        let mut value = Some(top);
        for (at, segment) in error.path().iter().enumerate() {
            let (step, shown) = match segment {
                Segment::Seq { index } => (format!("/{index}"), format!("[{index}]")),
                Segment::Map { key } => (step(key), dotted(key)),
                Segment::Enum { .. } | Segment::Unknown => continue,
            };
            value = value.and_then(|value| value.pointer(&step));
            if at >= depth {
                above = path.len();
                pointer.push_str(&step);
                path.push_str(&shown);
            }
        }
        let message = error.inner().to_string();
        if message.starts_with("unknown field") {
            path.truncate(above);
        }
        Some(Self {
            help: meant(&message).map(|near| format!("did you mean `{near}`?")),
            message: in_words(&message, value),
            pointer,
            path,
        })
    }
}

/// The step of a JSON pointer to the entry `key`.
pub(crate) fn step(key: &str) -> String {
    format!("/{}", pointer_part(key))
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
        "u32" => "an integer from 0",
        "i64" => "an integer",
        "a sequence" => "an array",
        "a map" => "a table",
        "string or map" => "a string",
        other => other,
    };
    match value {
        Json::Array(_) => format!("expected {expected}, found an array"),
        Json::Object(_) => format!("expected {expected}, found a table"),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            format!("expected {expected}, found `{value}`")
        }
    }
}
