//! The file that a tool is called with.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::wire::Text;

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

/// The input of a tool, of which only the file is kept. It may be of any type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ToolInput {
    /// The file, as the agent names it.
    pub(crate) file: Option<String>,
}

impl<'de> Deserialize<'de> for ToolInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(InputVisitor { in_object: false })
    }
}

/// Reads an input, or a field of it that names a file.
struct InputVisitor {
    in_object: bool,
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
            if !self.in_object && FIELDS.contains(&&*name) {
                input = map.next_value_seed(Self { in_object: true })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(input)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ToolInput, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(ToolInput::default())
    }

    fn visit_str<E>(self, text: &str) -> Result<ToolInput, E> {
        Ok(ToolInput {
            file: self.in_object.then(|| text.to_owned()),
        })
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
}
