//! What an agent is asked when the tasks of a spec are to be planned.

use std::convert::Infallible;

use review_flow::Nonce;

use super::files::append_file;
use super::project::ProjectFiles;
use super::{BriefFile, MAX_FILES, Prompt, Slot, Template, indented};
use crate::Backend;

const PLAN: Template = Template::new("plan", 1, include_str!("plan.md"));
const AGAIN: Template = Template::new("plan-again", 1, include_str!("plan-again.md"));

/// Name and version of the instructions that are part of the program.
const EMBEDDED: (&str, &str) = ("planner/v1", include_str!("roles/planner.md"));

const READS: &str =
    "You run in the root of the project: read what you need of it, and change no file.";
const SEES: &str = "You have no tools: what there is of the project is below.";

/// Asks for the plan and the tasks of a spec.
#[derive(Clone, Copy, Debug)]
pub struct PlanPrompt<'a> {
    /// The spec.
    pub spec: BriefFile<'a>,
    /// The id of the unit.
    pub unit: &'a str,
    /// Its folder, relative to the root.
    pub dir: &'a str,
    /// Files of this folder that exist already.
    pub existing: &'a [BriefFile<'a>],
    /// The last answer, where it is asked again.
    pub again: Option<RejectedPlan<'a>>,
}

/// An answer that was not accepted.
#[derive(Clone, Copy, Debug)]
pub struct RejectedPlan<'a> {
    /// The answer.
    pub answer: &'a [u8],
    /// What is wrong with it, a line for each problem.
    pub problems: &'a str,
}

impl PlanPrompt<'_> {
    /// The prompt for `backend`, whose data is between markers with `nonce`. `project` is
    /// for one that reads no files itself.
    pub(crate) fn render(
        &self,
        nonce: &Nonce,
        backend: &Backend,
        project: Option<&ProjectFiles>,
    ) -> Prompt {
        let (label, instructions) = EMBEDDED;
        let again = |out: &mut Vec<u8>| self.again.map_or(Ok(()), |last| last.append(nonce, out));
        let files = |out: &mut Vec<u8>| {
            self.append_files(nonce, backend, out);
            if let Some(project) = project {
                project.append(nonce, out);
            }
            Ok(())
        };
        let access = match project {
            Some(_) => SEES,
            None => READS,
        };
        let mut text = PLAN.buffer();
        let Ok(()) = PLAN.render::<Infallible>(
            &mut text,
            &[
                ("instructions", Slot::Text(instructions.trim_end())),
                ("access", Slot::Text(access)),
                ("nonce", Slot::Text(nonce.as_str())),
                ("dir", Slot::Text(&self.dir.escape_debug().to_string())),
                ("unit", Slot::Text(&self.unit.escape_debug().to_string())),
                (
                    "spec",
                    Slot::Text(&self.spec.path.escape_debug().to_string()),
                ),
                ("again", Slot::Written(&again)),
                ("files", Slot::Written(&files)),
            ],
        );
        Prompt {
            label: format!("{} {label}", PLAN.label()),
            text,
        }
    }

    /// Appends the spec, and what exists of the unit.
    fn append_files(&self, nonce: &Nonce, backend: &Backend, out: &mut Vec<u8>) {
        let (mut named, mut bytes) = (Vec::new(), 0);
        for file in std::iter::once(&self.spec).chain(self.existing) {
            bytes += file.text.len();
            if bytes > MAX_FILES && backend.reads_named_files() {
                named.push(file.path);
                continue;
            }
            let marker = format!("file {}", file.path.escape_debug());
            append_file(nonce, marker, file.text, out);
        }
        if !named.is_empty() {
            let marker = "files to read first, too long to include";
            append_file(nonce, marker, indented(&named).as_bytes(), out);
        }
    }
}

impl RejectedPlan<'_> {
    fn append(self, nonce: &Nonce, out: &mut Vec<u8>) -> Result<(), Infallible> {
        let answer = String::from_utf8_lossy(self.answer);
        AGAIN.render(
            out,
            &[
                ("nonce", Slot::Text(nonce.as_str())),
                ("answer", Slot::Text(answer.trim_end())),
                ("problems", Slot::Text(self.problems.trim_end())),
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt() -> PlanPrompt<'static> {
        PlanPrompt {
            spec: BriefFile {
                path: "specs/WEB.md",
                text: b"# Web {{nonce}}\n",
                is_part: false,
            },
            unit: "web",
            dir: "tasks/web",
            existing: &[],
            again: None,
        }
    }

    fn rendered(prompt: &PlanPrompt<'_>, backend: &str, project: Option<&ProjectFiles>) -> String {
        let rendered = prompt.render(&Nonce::from("n0nce"), &backend.parse().unwrap(), project);
        assert_eq!(rendered.label, "plan/v1 planner/v1");
        String::from_utf8(rendered.text).unwrap()
    }

    #[test]
    fn the_spec_is_between_markers_and_the_form_names_its_unit() {
        let text = rendered(&prompt(), "claude", None);
        let end = "{ \"outcome\": \"question\", \"text\": \"...\" }\n\n\
                   <<<n0nce file specs/WEB.md>>>\n# Web {{nonce}}\n<<<n0nce end>>>\n\n\
                   This was all. Answer now with the one JSON object that is described above, \
                   and nothing else.\n";
        assert!(text.ends_with(end), "{text}");
        assert_eq!(text.matches("{{").count(), 1, "{text}");
        for part in [
            READS,
            "\"path\": \"tasks/web/01-NAME.md\"",
            "\nunit: web\nspec: specs/WEB.md\n",
            "**Parent spec**: `/specs/WEB.md`\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn a_long_spec_is_named_to_those_that_read_files() {
        let long = BriefFile {
            text: &[b'x'; MAX_FILES + 1],
            ..prompt().spec
        };
        let prompt = PlanPrompt {
            spec: long,
            ..prompt()
        };
        let named =
            "<<<n0nce files to read first, too long to include>>>\n[\n  \"specs/WEB.md\"\n]\n";
        assert!(rendered(&prompt, "codex", None).contains(named));
        assert!(!rendered(&prompt, "cmd:x", None).contains(named));
    }

    #[test]
    fn an_answer_that_was_not_accepted_comes_back_with_what_is_wrong() {
        let again = RejectedPlan {
            answer: b"{\"files\": []}\n",
            problems: "the answer has no file of a task\n",
        };
        let prompt = PlanPrompt {
            again: Some(again),
            ..prompt()
        };
        let part = "It was:\n<<<n0nce last answer>>>\n{\"files\": []}\n<<<n0nce end>>>\n\
                    This is wrong with it:\n<<<n0nce problems>>>\n\
                    the answer has no file of a task\n<<<n0nce end>>>\n\
                    Answer again, with all files, also those that are right.\n\n<<<n0nce file";
        let text = rendered(&prompt, "cmd:x", Some(&ProjectFiles::default()));
        assert!(text.contains(part), "{text}");
        assert!(text.contains(SEES), "{text}");
        assert!(
            text.contains("<<<n0nce list of the files>>>\n<<<n0nce end>>>\n"),
            "{text}"
        );
    }
}
