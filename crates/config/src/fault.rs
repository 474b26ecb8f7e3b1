//! What is wrong with a file, a variable or a value.

use std::ops::Range;

use review_document::Position;
use review_document::near::nearest;
use review_types::pointer_part;
use serde_json::Value as Json;
use serde_path_to_error::Segment;

use crate::file::ConfigFile;
use crate::forms::learning;
use crate::key::Key;
use crate::tables::Config;

/// Something wrong in the configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFault {
    /// The bytes of the file that it is about.
    pub span: Range<usize>,
    /// The line and column of the first of them.
    pub position: Position,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

/// Why a configuration cannot be used: all that is wrong, at once.
#[derive(Debug, thiserror::Error)]
#[error("{}", summary(.file, .outside_file))]
pub struct ConfigError {
    /// The file.
    pub file: Box<ConfigFile>,
    /// What is wrong in it, from its start to its end.
    pub in_file: Vec<FileFault>,
    /// What is wrong elsewhere.
    pub outside_file: Vec<String>,
    /// What to do about it.
    pub help: String,
}

/// The faults that have no place to show; else that there are faults in the file.
fn summary(file: &ConfigFile, outside_file: &[String]) -> String {
    match outside_file {
        [] => format!("the configuration {} cannot be used", file.name()),
        faults => faults.join("; "),
    }
}

/// Why a value is not the value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValueFault {
    /// Where it is in the value: a JSON pointer.
    pub(crate) pointer: String,
    /// The same as it follows the name of the key, such as `.a.model`.
    pub(crate) path: String,
    /// What is wrong.
    pub(crate) message: String,
    /// What to write instead.
    pub(crate) help: Option<String>,
}

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
        if let Some((pointer, path)) = array_for_table(key, value) {
            return Some(Self {
                pointer,
                path,
                ..Self::new("expected a table, found an array")
            });
        }
        let error = serde_path_to_error::deserialize::<_, Config>(configuration).err()?;
        let (mut pointer, mut path) = (String::new(), String::new());
        for segment in error.path().iter().skip(key.name.split('.').count()) {
            match segment {
                Segment::Seq { index } => {
                    pointer.push_str(&format!("/{index}"));
                    path.push_str(&format!("[{index}]"));
                }
                Segment::Map { key } => {
                    pointer.push_str(&format!("/{}", pointer_part(key)));
                    path.push_str(&format!(".{key}"));
                }
                Segment::Enum { .. } | Segment::Unknown => {}
            }
        }
        let message = error.inner().to_string();
        Some(Self {
            help: meant(&message).map(|near| format!("did you mean `{near}`?")),
            message: in_words(&message) + &mode_of(key, value),
            pointer,
            path,
        })
    }
}

/// Where an array is in place of a table, of which the derive of a struct would take the
/// fields in their order: a JSON pointer, and as it follows the name of the key.
fn array_for_table(key: &Key, value: &Json) -> Option<(String, String)> {
    match (key.default, value) {
        (Json::Object(_), Json::Array(_)) => Some((String::new(), String::new())),
        (Json::Object(_), Json::Object(given)) if !key.name.contains('.') => {
            let (name, _) = given.iter().find(|(_, one)| one.is_array())?;
            Some((format!("/{}", pointer_part(name)), format!(".{name}")))
        }
        (Json::Array(items), Json::Array(given)) if items.iter().any(Json::is_object) => {
            let at = given.iter().position(Json::is_array)?;
            Some((format!("/{at}"), format!("[{at}]")))
        }
        _ => None,
    }
}

/// What to write in place of a word for the table of the sandbox.
fn mode_of(key: &Key, value: &Json) -> String {
    let word = value.as_str().filter(|_| key.name == "lane.sandbox");
    let instead = word.map(|word| {
        format!(
            "; write `sandbox.mode = \"{word}\"` (variable: {}=\"{{mode='{word}'}}\")",
            key.variable
        )
    });
    instead.unwrap_or_default()
}

/// The known word that was probably meant by an unknown one. A message about one
/// quotes it, and then all that are known.
fn meant(message: &str) -> Option<&str> {
    let mut words = message.split('`').skip(1).step_by(2);
    let unknown = words.next().filter(|_| message.starts_with("unknown "))?;
    nearest(unknown, words, 1).first().copied()
}

/// A message of a derived reader, in the words of the file instead of those of Rust.
fn in_words(message: &str) -> String {
    let wrong = message.strip_prefix("invalid ");
    let wrong = wrong.and_then(|wrong| wrong.split_once(": ")?.1.rsplit_once(", expected "));
    let Some((found, expected)) = wrong else {
        return message.replacen("unknown variant", "unknown value", 1);
    };
    let expected = match expected {
        "a nonzero u32" => "an integer from 1",
        "u32" => "an integer from 0",
        "i64" => "an integer",
        "a sequence" => "an array",
        "a map" => "a table",
        "string or map" => "a string",
        other if other.starts_with("struct ") => "a table",
        other => other,
    };
    let found = match found {
        "sequence" => "an array",
        "map" => "a table",
        other => other,
    };
    format!("expected {expected}, found {found}")
}
