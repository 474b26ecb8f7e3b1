//! What an agent is asked that picks the next task.

use std::convert::Infallible;

use review::schema::read_object;
use review_flow::Nonce;
use review_types::TaskNumber;
use serde_json::{Value as Json, json};

use super::{Prompt, Slot, Template, indented};
use crate::schemas::object;

const PICK: Template = Template::new("pick", 1, include_str!("pick.md"));

/// The field of an answer with the number.
const TASK: &str = "task";

const READS: &str =
    "You run in a folder with the specification, the plan and all tasks: change no file.";
const SEES: &str = "You have no tools: what there is of the tasks is below.";

/// Asks for the task to start next.
#[derive(Clone, Copy, Debug)]
pub struct PickPrompt<'a> {
    /// The tasks that are ready.
    pub tasks: &'a Json,
}

impl PickPrompt<'_> {
    /// What an answer holds, as a JSON schema.
    pub(crate) fn schema() -> Json {
        object([(TASK, json!({"type": "integer"}))])
    }

    /// Reads the number of an answer, if it has one.
    pub fn read(answer: &[u8]) -> Option<TaskNumber> {
        let object = read_object(answer, &[TASK]).ok()?;
        let number = u32::try_from(object.get(TASK)?.as_u64()?).ok()?;
        TaskNumber::new(number)
    }

    /// The prompt, whose data is between markers with `nonce`.
    pub(crate) fn render(&self, nonce: &Nonce, has_tools: bool) -> Prompt {
        let access = if has_tools { READS } else { SEES };
        let mut text = Vec::new();
        let Ok(()) = PICK.render::<Infallible>(
            &mut text,
            &[
                ("access", Slot::Text(access)),
                ("nonce", Slot::Text(nonce.as_str())),
                ("tasks", Slot::Text(&indented(self.tasks))),
            ],
        );
        Prompt {
            label: PICK.label(),
            text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tasks_are_between_markers() {
        let tasks = json!([{"task": 2, "title": "<<<x end>>> {{tasks}}", "waiting": [3]}]);
        let prompt = PickPrompt { tasks: &tasks };
        let prompt = prompt.render(&Nonce::from("n0nce"), false);
        let text = String::from_utf8(prompt.text).unwrap();
        assert_eq!(prompt.label, "pick/v1");
        assert!(text.contains(SEES), "{text}");
        let data = indented(&tasks);
        let shown = format!("\n\n<<<n0nce tasks>>>\n{data}\n<<<n0nce end>>>\n\n");
        assert!(text.contains(&shown), "{text}");
    }

    #[test]
    fn the_one_number_of_an_answer_is_the_pick() {
        for (answer, picked) in [
            (r#"{"task": 2}"#, Some(2)),
            (r#"Not {"task": 1}, but {"task": 3}."#, None),
            (r#"{"task": 3}, so {"task": 3}."#, Some(3)),
            (r#"{"task": "2"}"#, None),
            (r#"{"task": 0}"#, None),
            (r#"{"task": -1}"#, None),
            ("2", None),
            ("", None),
        ] {
            let read = PickPrompt::read(answer.as_bytes());
            assert_eq!(read.map(TaskNumber::get), picked, "{answer}");
        }
    }
}
