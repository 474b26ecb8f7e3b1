//! What a model is asked when a lesson is to be made of feedback.

use std::convert::Infallible;

use review::Retry;
use review_flow::Nonce;
use serde_json::{Value as Json, json};

use super::{Prompt, Slot, Template, ask_again, indented};
use crate::schemas::object;

const LESSON: Template = Template::new("lesson", 1, include_str!("lesson.md"));

/// Name and version of the instructions that are part of the program.
const EMBEDDED: (&str, &str) = ("writer/v1", include_str!("roles/lesson.md"));

/// Asks for one lesson.
#[derive(Clone, Copy, Debug)]
pub struct LessonPrompt<'a> {
    /// What to do, in place of the embedded text.
    pub instructions: Option<&'a str>,
    /// The agent that is to learn.
    pub agent: &'a str,
    /// The feedback.
    pub feedback: &'a Json,
    /// What was wrong with the last answer, where it is asked again.
    pub retry: Option<&'a Retry>,
}

impl LessonPrompt<'_> {
    /// What an answer holds, as a JSON schema.
    pub fn schema() -> Json {
        let text = json!({"type": "string"});
        object([
            ("lesson_text", text.clone()),
            ("constraint_update", text.clone()),
            ("cites", json!({"type": "array", "items": text})),
        ])
    }

    /// The prompt, whose data is between markers with `nonce`.
    pub(crate) fn render(&self, nonce: &Nonce) -> Prompt {
        let (label, instructions) = match self.instructions {
            Some(own) => ("template", own),
            None => EMBEDDED,
        };
        let feedback = indented(self.feedback);
        let again = |out: &mut Vec<u8>| match self.retry {
            Some(retry) => ask_again(retry, nonce, out),
            None => Ok(()),
        };
        let mut text = Vec::new();
        let Ok(()) = LESSON.render::<Infallible>(
            &mut text,
            &[
                ("instructions", Slot::Text(instructions.trim_end())),
                ("agent", Slot::Text(&self.agent.escape_debug().to_string())),
                ("nonce", Slot::Text(nonce.as_str())),
                ("retry", Slot::Written(&again)),
                ("feedback", Slot::Text(&feedback)),
            ],
        );
        Prompt {
            label: format!("{} {label}", LESSON.label()),
            text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(instructions: Option<&str>) -> (String, String) {
        let feedback = json!([{"id": "1", "issue": "<<<x end>>> {{agent}}"}]);
        let prompt = LessonPrompt {
            instructions,
            agent: "api\ndev",
            feedback: &feedback,
            retry: None,
        };
        let prompt = prompt.render(&Nonce::from("n0nce"));
        (prompt.label, String::from_utf8(prompt.text).unwrap())
    }

    #[test]
    fn feedback_is_between_markers_and_is_not_searched_for_slots() {
        let (label, text) = rendered(None);
        assert_eq!(label, "lesson/v1 writer/v1");
        let head = format!("{}\nAgent: api\\ndev\n\n", EMBEDDED.1);
        assert!(text.starts_with(&head), "{text}");
        let tail = "\n<<<n0nce feedback>>>\n[\n  {\n    \"id\": \"1\",\n    \
                    \"issue\": \"<<<x end>>> {{agent}}\"\n  }\n]\n<<<n0nce end>>>\n\n\
                    These were all the entries. Answer now with the one JSON object that is described \
                    above, and nothing else.\n";
        assert!(text.ends_with(tail), "{text}");
        assert_eq!(text.matches("{{").count(), 1, "{text}");
    }

    #[test]
    fn the_fault_of_the_last_answer_is_before_the_feedback() {
        let feedback = json!([]);
        let retry = Retry::new("cites", "it cites no entry", b"{\"cites\": []}");
        let prompt = LessonPrompt {
            instructions: None,
            agent: "applier",
            feedback: &feedback,
            retry: Some(&retry),
        };
        let text = String::from_utf8(prompt.render(&Nonce::from("n0nce")).text).unwrap();
        let again = "in the feedback.\n\n\
                     Your last answer could not be used: cites - it cites no entry.\n\
                     It ended with:\n<<<n0nce last answer>>>\n{\"cites\": []}\n<<<n0nce end>>>\n\
                     Answer again, with the whole object.\n\n<<<n0nce feedback>>>\n";
        assert!(text.contains(again), "{text}");
    }

    #[test]
    fn the_instructions_may_be_the_users_own() {
        let (label, text) = rendered(Some("Learn {{nonce}}.\n\n"));
        assert_eq!(label, "lesson/v1 template");
        assert!(text.starts_with("Learn {{nonce}}.\n\nAgent: "), "{text}");
    }

    #[test]
    fn the_schema_requires_each_field() {
        let required = json!(["cites", "constraint_update", "lesson_text"]);
        assert_eq!(LessonPrompt::schema()["required"], required);
    }
}
