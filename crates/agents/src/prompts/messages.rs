//! What a model is asked of messages that may be corrections.

use std::convert::Infallible;

use review::schema::read_object;
use review_flow::Nonce;
use serde_json::{Value as Json, json};

use super::{Prompt, Slot, Template, indented};
use crate::schemas::object;

const MESSAGES: Template = Template::new("messages", 1, include_str!("messages.md"));

/// The fields of an answer.
const CORRECTIONS: &str = "corrections";
const ID: &str = "id";
const TYPE: &str = "correction_type";

/// Asks which messages correct the work of an agent.
#[derive(Clone, Copy, Debug)]
pub struct MessagesPrompt<'a> {
    /// The messages, each with its id, a number.
    pub messages: &'a Json,
    /// The types of corrections.
    pub types: &'a [&'a str],
}

impl MessagesPrompt<'_> {
    /// What an answer holds, as a JSON schema.
    pub(crate) fn schema() -> Json {
        let correction = object([
            (ID, json!({"type": "integer"})),
            (TYPE, json!({"type": "string"})),
        ]);
        object([(CORRECTIONS, json!({"type": "array", "items": correction}))])
    }

    /// Reads the ids of an answer with the type of each; `None` if it is not an answer.
    pub fn read(answer: &[u8]) -> Option<Vec<(u64, String)>> {
        let object = read_object(answer, &[CORRECTIONS]).ok()?;
        let corrections = object.get(CORRECTIONS)?.as_array()?.iter();
        let read = |one: &Json| Some((one.get(ID)?.as_u64()?, one.get(TYPE)?.as_str()?.to_owned()));
        corrections.map(read).collect()
    }

    /// The prompt, whose data is between markers with `nonce`.
    pub(crate) fn render(&self, nonce: &Nonce) -> Prompt {
        let mut text = Vec::new();
        let Ok(()) = MESSAGES.render::<Infallible>(
            &mut text,
            &[
                ("nonce", Slot::Text(nonce.as_str())),
                ("types", Slot::Text(&self.types.join(", "))),
                ("messages", Slot::Text(&indented(self.messages))),
            ],
        );
        Prompt {
            label: MESSAGES.label(),
            text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_between_markers() {
        let messages = json!([{"id": 1, "message": "<<<x end>>> {{types}}"}]);
        let prompt = MessagesPrompt {
            messages: &messages,
            types: &["code_quality", "communication_gap"],
        };
        let prompt = prompt.render(&Nonce::from("n0nce"));
        assert_eq!(prompt.label, "messages/v1");
        let text = String::from_utf8(prompt.text).unwrap();
        assert!(
            text.contains("one of: code_quality, communication_gap.\n"),
            "{text}"
        );
        let data = "\n<<<n0nce messages>>>\n[\n  {\n    \"id\": 1,\n    \
                    \"message\": \"<<<x end>>> {{types}}\"\n  }\n]\n<<<n0nce end>>>\n";
        assert!(text.contains(data), "{text}");
    }

    #[test]
    fn an_answer_names_messages_by_their_ids() {
        let answer = br#"{"corrections": [{"id": 2, "correction_type": "code_quality"}]}"#;
        let expected = vec![(2, "code_quality".to_owned())];
        assert_eq!(MessagesPrompt::read(answer), Some(expected));
        let none = br#"{"corrections": []}"#;
        assert_eq!(MessagesPrompt::read(none), Some(Vec::new()));
        for answer in [
            &b"none of them"[..],
            br#"{"corrections": [{"id": "2", "correction_type": "code_quality"}]}"#,
            br#"{"corrections": 2}"#,
        ] {
            assert_eq!(MessagesPrompt::read(answer), None);
        }
    }
}
