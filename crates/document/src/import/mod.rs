//! Work that was planned with another tool: its content becomes tasks, with what was not
//! taken over. No file is read or written.

mod checklist;
mod open_spec;
mod prd;
mod spec_kit;
mod text;
mod write;

use std::collections::HashSet;

pub use text::slug;
pub use write::{Numbered, plan_text, source_line, spec_text, task_text};

/// The form of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportShape {
    /// `prd.json`: stories with criteria and claims.
    Prd,
    /// A Markdown file with boxes.
    Checklist,
    /// The `tasks.md` of a feature of spec-kit.
    SpecKit,
    /// The `tasks.md` of a change of OpenSpec.
    OpenSpec,
}

/// The work of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Its title, where it has one.
    pub title: Option<String>,
    /// Its description.
    pub summary: Vec<String>,
    /// Its tasks, in the order of their numbers.
    pub stories: Vec<Story>,
    /// What is not taken over, in words.
    pub left_out: Vec<String>,
}

/// A task of a source. All its strings are on one line and free of control characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    /// Its id in the source, or one from its title; unique, of `[A-Za-z0-9._-]`.
    pub id: String,
    /// The name of its file without the number, of `[a-z0-9-]`.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its description.
    pub text: Vec<String>,
    /// What must hold when it is done.
    pub criteria: Vec<String>,
    /// The heading that it is below.
    pub group: Option<String>,
    /// The tasks that come first, by their places in the list.
    pub after: Vec<usize>,
    /// Whether the source says that it is done.
    pub is_claimed: bool,
}

/// Why nothing of a source can be taken.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It is not a list of stories in JSON.
    #[error("it is not a valid prd.json: {0}")]
    Json(#[from] serde_json::Error),
    /// It has no task.
    #[error("it has no task: {0}")]
    NoTask(&'static str),
}

impl Imported {
    /// Reads a source.
    ///
    /// ```
    /// use review_document::import::{ImportShape, Imported};
    ///
    /// let text = "# Shop\n\n- [x] Pay by card\n- [ ] Pay by invoice\n";
    /// let work = Imported::read(ImportShape::Checklist, text)?;
    /// assert_eq!(work.stories[1].title, "Pay by invoice");
    /// assert!(work.stories[0].is_claimed);
    /// # Ok::<(), review_document::import::ImportError>(())
    /// ```
    ///
    /// # Errors
    /// [`ImportError`] where no task can be taken.
    pub fn read(shape: ImportShape, text: &str) -> Result<Self, ImportError> {
        let mut work = match shape {
            ImportShape::Prd => prd::read(text)?,
            ImportShape::Checklist => checklist::read(text),
            ImportShape::SpecKit => spec_kit::read(text),
            ImportShape::OpenSpec => open_spec::read(text),
        };
        if work.stories.is_empty() {
            return Err(ImportError::NoTask(match shape {
                ImportShape::Prd => "its list of stories is empty",
                ImportShape::Checklist | ImportShape::OpenSpec => "no line is like `- [ ] text`",
                ImportShape::SpecKit => "no line is like `- [ ] T001 text`",
            }));
        }
        work.name_stories();
        for story in &mut work.stories {
            story.after.sort_unstable();
            story.after.dedup();
        }
        Ok(work)
    }

    /// Gives every story an id and a name of its own.
    fn name_stories(&mut self) {
        let mut seen: HashSet<String> = HashSet::new();
        for story in &mut self.stories {
            let given = text::id(&story.id);
            let base = match given.as_str() {
                "" => slug(&story.title, "task"),
                given => given.to_owned(),
            };
            let mut id = base.clone();
            let mut copy = 1;
            while !seen.insert(id.to_lowercase()) {
                copy += 1;
                id = format!("{base}-{copy}");
            }
            story.name = match given.is_empty() {
                true => slug(&id, "task"),
                false => slug(&format!("{id} {}", story.title), "task"),
            };
            story.id = id;
            if story.title.is_empty() {
                story.title.clone_from(&story.id);
            }
        }
    }
}

#[cfg(test)]
mod tests;
