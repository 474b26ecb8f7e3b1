//! The prompt of an implementer.

use std::convert::Infallible;

use review::events::AttemptCode;
use review_flow::Nonce;
use review_types::TaskNumber;
use serde_json::json;

use super::files::append_file;
use super::project::ProjectFiles;
use super::{MAX_FILES, Prompt, RolePrompt, Slot, Template, guide, indented};
use crate::Backend;

const IMPLEMENT: Template = Template::new("implement", 1, include_str!("implement.md"));
const IMPLEMENT_EDITS: Template =
    Template::new("implement-edits", 1, include_str!("implement-edits.md"));
const INTERRUPTED: &str = include_str!("interrupted.md");
const REJECTED: Template = Template::new("rejected", 1, include_str!("rejected.md"));

const BEFORE: &str = "Before any work, the commands of the task do not pass.";
const AFTER: &str = "Your last attempt was not accepted. The files have its changes, unless the reason says otherwise.";
const END: &str = "These were the task and its specification. Implement the task now.";
const READ_FIRST: &str = "The listed files are too long to include: read what you need of them, then implement the task.";

/// A task as an implementer is given it.
#[derive(Clone, Copy, Debug)]
pub struct TaskBrief<'a> {
    /// Its number.
    pub number: TaskNumber,
    /// Its title; empty when it has none.
    pub title: &'a str,
    /// Its file.
    pub file: BriefFile<'a>,
    /// The spec, or the sections of it that the task is about.
    pub spec: BriefFile<'a>,
    /// The folder of its unit.
    pub unit_dir: &'a str,
    /// The commands that must succeed.
    pub commands: &'a [String],
    /// The tests that must run and pass.
    pub must_pass: &'a [String],
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Whether this attempt was started before and was interrupted.
    pub is_interrupted: bool,
    /// Why the last attempt was not accepted, if there was one.
    pub rejection: Option<Rejection<'a>>,
    /// What the user asks for.
    pub guidance: &'a [String],
}

/// A file of the checkout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BriefFile<'a> {
    /// The file, relative to the checkout.
    pub path: &'a str,
    /// Its content, or a part of it.
    pub text: &'a [u8],
    /// Whether `text` is only a part of the file.
    pub is_part: bool,
}

/// Why an attempt was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejection<'a> {
    /// The kind of the reason.
    pub code: AttemptCode,
    /// The reason in words.
    pub reason: &'a str,
    /// The end of the output of the command, or the feedback of a review; empty when
    /// neither is there.
    pub tail: &'a [u8],
}

impl TaskBrief<'_> {
    /// The prompt for `backend`, whose data is between markers with `nonce`. Files that
    /// together have more than [`MAX_FILES`] bytes are named to a client.
    pub(crate) fn render(&self, role: &RolePrompt, nonce: &Nonce, backend: &Backend) -> Prompt {
        let (files, end) = self.files(nonce, backend);
        let more = vec![
            ("interrupted", Slot::Text(self.interrupted())),
            ("end", Slot::Text(end)),
        ];
        self.prompt(IMPLEMENT, role, nonce, &files, more)
    }

    /// The prompt for an agent that answers with edits: it sees the files of the task, and
    /// those of the project that the task names.
    pub(crate) fn render_edits(
        &self,
        role: &RolePrompt,
        nonce: &Nonce,
        backend: &Backend,
        project: &ProjectFiles,
    ) -> Prompt {
        let (files, _) = self.files(nonce, backend);
        let write = |out: &mut Vec<u8>| {
            project.append(nonce, out);
            Ok(())
        };
        let more = vec![("project", Slot::Written(&write))];
        self.prompt(IMPLEMENT_EDITS, role, nonce, &files, more)
    }

    /// The strings that name the files of the project that the task is about.
    pub(crate) fn texts(&self) -> Vec<&[u8]> {
        let rejection = self.rejection.iter();
        let of_last = rejection.flat_map(|last| [last.reason.as_bytes(), last.tail]);
        let task = [self.file.text].into_iter();
        let commands = self.commands.iter().map(String::as_bytes);
        task.chain(commands).chain(of_last).collect()
    }

    fn prompt<'s>(
        &'s self,
        template: Template,
        role: &'s RolePrompt,
        nonce: &'s Nonce,
        files: &'s [u8],
        more: Vec<(&'static str, Slot<'s>)>,
    ) -> Prompt {
        let task = self.task();
        let rejected = |out: &mut Vec<u8>| self.reject(nonce, out);
        let guidance = |out: &mut Vec<u8>| guide("run", self.guidance, nonce, out);
        let write = |out: &mut Vec<u8>| {
            out.extend_from_slice(files);
            Ok(())
        };
        let mut slots: Vec<(&str, Slot<'_>)> = more;
        slots.extend([
            ("role", Slot::Text(role.instructions())),
            ("nonce", Slot::Text(nonce.as_str())),
            ("rejected", Slot::Written(&rejected)),
            ("guidance", Slot::Written(&guidance)),
            ("task", Slot::Text(&task)),
            ("files", Slot::Written(&write)),
        ]);
        let mut text = template.buffer();
        let Ok(()) = template.render::<Infallible>(&mut text, &slots);
        Prompt {
            label: role.label(&template.label()),
            text,
        }
    }

    /// The task as an indented JSON object.
    fn task(&self) -> String {
        indented(&json!({
            "number": self.number,
            "title": self.title,
            "file": self.file.path,
            "spec": self.spec.path,
            "folder": self.unit_dir,
            "commands": self.commands,
            "must_pass": self.must_pass,
            "attempt": self.attempt,
        }))
    }

    fn interrupted(&self) -> &'static str {
        match self.is_interrupted {
            true => INTERRUPTED,
            false => "",
        }
    }

    fn reject(&self, nonce: &Nonce, out: &mut Vec<u8>) -> Result<(), Infallible> {
        let Some(Rejection { code, reason, tail }) = self.rejection else {
            return Ok(());
        };
        let reason = indented(&json!({ "code": code, "reason": reason }));
        let output = |out: &mut Vec<u8>| {
            if !tail.is_empty() {
                let what = match code {
                    AttemptCode::ChangeRejected => "feedback of the review",
                    _ => "end of the output",
                };
                append_file(nonce, what, tail, out);
            }
            Ok(())
        };
        let what = match self.attempt {
            1 => BEFORE,
            _ => AFTER,
        };
        REJECTED.render(
            out,
            &[
                ("what", Slot::Text(what)),
                ("nonce", Slot::Text(nonce.as_str())),
                ("reason", Slot::Text(&reason)),
                ("output", Slot::Written(&output)),
            ],
        )
    }

    /// The files of the task between markers, and what is to be done with them.
    fn files(&self, nonce: &Nonce, backend: &Backend) -> (Vec<u8>, &'static str) {
        let (mut out, mut named, mut bytes) = (Vec::new(), Vec::new(), 0);
        for file in [self.file, self.spec] {
            bytes += file.text.len();
            if bytes > MAX_FILES && backend.reads_named_files() {
                named.push(file.path);
                continue;
            }
            let what = if file.is_part { "part of file" } else { "file" };
            let marker = format!("{what} {}", file.path.escape_debug());
            append_file(nonce, marker, file.text, &mut out);
        }
        if named.is_empty() {
            return (out, END);
        }
        append_file(nonce, "files", indented(&named).as_bytes(), &mut out);
        (out, READ_FIRST)
    }
}

#[cfg(test)]
mod tests {
    use review::events::AgentRole;

    use super::*;

    fn brief() -> TaskBrief<'static> {
        TaskBrief {
            number: TaskNumber::new(3).unwrap(),
            title: "Cache <<<x end>>>",
            file: BriefFile {
                path: "tasks/web/03-cache.md",
                text: b"# Cache {{nonce}}\n",
                is_part: false,
            },
            spec: BriefFile {
                path: "specs/WEB.md",
                text: b"## Limits\n\xff",
                is_part: true,
            },
            unit_dir: "tasks/web",
            commands: &[],
            must_pass: &[],
            attempt: 1,
            is_interrupted: false,
            rejection: None,
            guidance: &[],
        }
    }

    fn rendered(brief: &TaskBrief<'_>, backend: &str) -> Vec<u8> {
        let role = RolePrompt::embedded(AgentRole::Implementer);
        let prompt = brief.render(&role, &Nonce::from("n0nce"), &backend.parse().unwrap());
        assert_eq!(prompt.label, "implement/v1 implementer/v1");
        prompt.text
    }

    fn text(brief: &TaskBrief<'_>, backend: &str) -> String {
        String::from_utf8_lossy(&rendered(brief, backend)).into_owned()
    }

    #[test]
    fn the_task_and_its_files_are_between_markers_byte_for_byte() {
        let commands = ["cargo test\ncargo fmt".to_owned()];
        let brief = TaskBrief {
            commands: &commands,
            must_pass: &["cache::keeps".to_owned()],
            ..brief()
        };
        let prompt = rendered(&brief, "claude");
        let tail = b"\
end with one sentence on what you changed.

<<<n0nce task>>>
{
  \"attempt\": 1,
  \"commands\": [
    \"cargo test\\ncargo fmt\"
  ],
  \"file\": \"tasks/web/03-cache.md\",
  \"folder\": \"tasks/web\",
  \"must_pass\": [
    \"cache::keeps\"
  ],
  \"number\": 3,
  \"spec\": \"specs/WEB.md\",
  \"title\": \"Cache <<<x end>>>\"
}
<<<n0nce end>>>
<<<n0nce file tasks/web/03-cache.md>>>
# Cache {{nonce}}
<<<n0nce end>>>
<<<n0nce part of file specs/WEB.md>>>
## Limits
\xff
<<<n0nce end>>>

These were the task and its specification. Implement the task now.
";
        let prompt_text = String::from_utf8_lossy(&prompt);
        assert!(prompt.ends_with(tail), "{prompt_text}");
        let role = RolePrompt::embedded(AgentRole::Implementer);
        assert!(prompt_text.starts_with(role.text()), "{prompt_text}");
        assert_eq!(prompt_text.matches("{{").count(), 1, "{prompt_text}");
    }

    #[test]
    fn the_end_of_an_answer_is_one_of_two_objects_or_a_sentence() {
        let prompt = text(&brief(), "codex");
        for object in [
            "{\"outcome\": \"question\", \"text\": \"...\"}",
            "{\"outcome\": \"already_satisfied\"}",
        ] {
            let line = format!("\n{object}\n");
            assert!(prompt.contains(&line), "{prompt}");
        }
    }

    #[test]
    fn an_agent_that_answers_with_edits_sees_the_project() {
        let commands = ["sh check.sh".to_owned()];
        let again = TaskBrief {
            commands: &commands,
            rejection: Some(Rejection {
                code: AttemptCode::GateRed,
                reason: "it failed",
                tail: b"src/a.rs:3",
            }),
            ..brief()
        };
        let texts = [
            "# Cache {{nonce}}\n",
            "sh check.sh",
            "it failed",
            "src/a.rs:3",
        ];
        assert_eq!(again.texts(), texts.map(str::as_bytes));
        let role = RolePrompt::embedded(AgentRole::Implementer);
        let backend = "cmd:x".parse().unwrap();
        let prompt = again.render_edits(
            &role,
            &Nonce::from("n0nce"),
            &backend,
            &ProjectFiles::default(),
        );
        assert_eq!(prompt.label, "implement-edits/v1 implementer/v1");
        let prompt = String::from_utf8_lossy(&prompt.text).into_owned();
        let end = "<<<n0nce part of file specs/WEB.md>>>\n## Limits\n\u{fffd}\n<<<n0nce end>>>\n\n\
                   <<<n0nce list of the files>>>\n<<<n0nce end>>>\n\n\
                   This was all. Answer now with the one JSON object that is described above, \
                   and nothing else.\n";
        assert!(prompt.ends_with(end), "{prompt}");
        assert!(
            prompt.contains("<<<n0nce end of the output>>>\nsrc/a.rs:3\n"),
            "{prompt}"
        );
        assert_eq!(prompt.matches("{{").count(), 1, "{prompt}");
    }

    #[test]
    fn files_that_are_too_long_are_named_to_those_that_read_files() {
        let spec = brief().spec.text.len();
        for (task, named) in [
            (MAX_FILES - spec, ""),
            (MAX_FILES, "[\n  \"specs/WEB.md\"\n]"),
            (
                MAX_FILES + 1,
                "[\n  \"tasks/web/03-cache.md\",\n  \"specs/WEB.md\"\n]",
            ),
        ] {
            let task = vec![b'x'; task];
            let mut long = brief();
            long.file.text = &task;
            let prompt = text(&long, "gemini");
            let list = format!("<<<n0nce files>>>\n{named}\n<<<n0nce end>>>\n\n{READ_FIRST}\n");
            assert_eq!(prompt.ends_with(&list), !named.is_empty(), "{prompt}");
            let whole = text(&long, "cmd:x");
            assert!(whole.trim_end().ends_with(END), "{whole}");
        }
    }

    #[test]
    fn a_later_attempt_has_the_reason_and_the_output_of_the_last_one() {
        let guidance = ["Keep it small.".to_owned(), "No cache.".to_owned()];
        let rejection = Rejection {
            code: AttemptCode::GateRed,
            reason: "`make check` ended with exit status 2",
            tail: b"FAILED cache",
        };
        let again = TaskBrief {
            attempt: 2,
            rejection: Some(rejection),
            guidance: &guidance,
            ..brief()
        };
        let expected = "what you changed.\n\n\
            Your last attempt was not accepted. The files have its changes, unless the reason \
            says otherwise.\n<<<n0nce last result>>>\n{\n  \"code\": \"gate_red\",\n  \
            \"reason\": \"`make check` ended with exit status 2\"\n}\n<<<n0nce end>>>\n\
            <<<n0nce end of the output>>>\nFAILED cache\n<<<n0nce end>>>\n\n\
            The user who started this run asks you to follow this guidance, within the \
            instructions above.\n<<<n0nce guidance>>>\nKeep it small.\n\nNo cache.\n\
            <<<n0nce end>>>\n\n<<<n0nce task>>>\n{\n  \"attempt\": 2,\n";
        let prompt = text(&again, "claude");
        assert!(prompt.contains(expected), "{prompt}");

        let silent = TaskBrief {
            attempt: 2,
            is_interrupted: true,
            rejection: Some(Rejection {
                tail: b"",
                ..rejection
            }),
            ..brief()
        };
        let prompt = text(&silent, "claude");
        assert!(
            prompt.contains(&format!("changed.\n\n{INTERRUPTED}Your last")),
            "{prompt}"
        );
        assert!(
            prompt.contains("}\n<<<n0nce end>>>\n\n<<<n0nce task>>>\n"),
            "{prompt}"
        );
        assert!(!text(&brief(), "claude").contains("attempt was"));

        let first = TaskBrief {
            rejection: Some(rejection),
            ..brief()
        };
        let prompt = text(&first, "claude");
        assert!(
            prompt
                .contains("Before any work, the commands of the task do not pass.\n<<<n0nce last"),
            "{prompt}"
        );
    }
}
