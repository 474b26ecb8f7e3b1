//! The file that a tool is called with.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::wire::Text;

/// The field of a tool's input that holds the command it runs.
const COMMAND: &str = "command";

/// The most bytes that are kept of a command.
const MAX_COMMAND: usize = 4 * 1024;

/// The fields of a tool's input that name its file, in the words of all clients.
const FIELDS: [&str; 4] = ["absolute_path", "filePath", "file_path", "notebook_path"];

/// The tools of a client that read or write the one file that they are called
/// with.
pub(crate) struct FileTools {
    /// The tools that read it.
    pub(crate) read: &'static [&'static str],
    /// The tools that write it.
    pub(crate) write: &'static [&'static str],
}

/// The input of a tool, of which only the file and the command are kept. It may be of any type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ToolInput {
    /// The file, as the agent names it.
    pub(crate) file: Option<String>,
    /// The end of the command that the tool runs.
    pub(crate) command: Option<String>,
}

impl<'de> Deserialize<'de> for ToolInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(InputVisitor::Input)
    }
}

/// Reads an input, or a field of it.
enum InputVisitor {
    Input,
    File,
    Command,
}

impl<'de> serde::de::DeserializeSeed<'de> for InputVisitor {
    type Value = ToolInput;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ToolInput, D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// Ignores values of these types.
macro_rules! ignore {
    ($($visit:ident: $value:ty,)+) => {
        $(fn $visit<E>(self, _: $value) -> Result<ToolInput, E> {
            Ok(ToolInput::default())
        })+
    };
}

impl<'de> Visitor<'de> for InputVisitor {
    type Value = ToolInput;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ToolInput, A::Error> {
        let mut input = ToolInput::default();
        while let Some(Text(name)) = map.next_key()? {
            match self {
                Self::Input if FIELDS.contains(&&*name) => {
                    input.file = map.next_value_seed(Self::File)?.file;
                }
                Self::Input if name == COMMAND => {
                    input.command = map.next_value_seed(Self::Command)?.command;
                }
                Self::Input | Self::File | Self::Command => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(input)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ToolInput, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(ToolInput::default())
    }

    fn visit_str<E>(self, text: &str) -> Result<ToolInput, E> {
        let mut input = ToolInput::default();
        match self {
            Self::Input => {}
            Self::File => input.file = Some(text.to_owned()),
            Self::Command => {
                let end = text.ceil_char_boundary(text.len().saturating_sub(MAX_COMMAND));
                input.command = Some(text[end..].to_owned());
            }
        }
        Ok(input)
    }

    ignore! {
        visit_bool: bool,
        visit_i64: i64,
        visit_u64: u64,
        visit_f64: f64,
        visit_bytes: &[u8],
    }

    fn visit_unit<E>(self) -> Result<ToolInput, E> {
        Ok(ToolInput::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_tool_is_found_in_the_words_of_each_client() {
        for (input, file) in [
            (
                r#"{"file_path": "a.md", "content": "\ud800 x"}"#,
                Some("a.md"),
            ),
            (
                r#"{"oldString": "x", "filePath": "/p/a.md"}"#,
                Some("/p/a.md"),
            ),
            (r#"{"absolute_path": "a", "limit": 7}"#, Some("a")),
            (r#"{"notebook_path": "a.ipynb"}"#, Some("a.ipynb")),
            (r#"{"path": "a", "pattern": "x"}"#, None),
            (r#"{"x": {"file_path": "a"}}"#, None),
            (r#"{"file_path": {"file_path": "a"}}"#, None),
            (r#"{"file_path": 7}"#, None),
            (r#"["file_path", {}]"#, None),
            ("\"a.md\"", None),
            ("-1.5", None),
            ("null", None),
        ] {
            let read: ToolInput = serde_json::from_str(input).unwrap();
            assert_eq!(read.file.as_deref(), file, "{input}");
        }
    }

    #[test]
    fn the_end_of_the_command_of_a_tool_is_kept() {
        let long = format!("x{}", "y".repeat(MAX_COMMAND));
        let long_input = format!(r#"{{"command": "{long}"}}"#);
        for (input, command) in [
            (r#"{"command": "make", "file_path": "a"}"#, Some("make")),
            (r#"{"command": ["make"]}"#, None),
            (r#"{"command": {"command": "make"}}"#, None),
            (&long_input, Some(&long[1..])),
        ] {
            let read: ToolInput = serde_json::from_str(input).unwrap();
            assert_eq!(read.command.as_deref(), command, "{input}");
        }
    }
}
