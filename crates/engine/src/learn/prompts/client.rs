//! The lessons of a client's own agent, in a file that the client reads.

use review_learning::AgentName;
use review_store::{Reader, Root, RootPath};

use crate::error::EngineError;
use crate::learn::Learner;

/// Where a client reads the lessons of its own agent.
///
/// The file of the user is never changed without consent; the lessons are in a file of
/// ours that one line of it includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientLessons {
    /// The file of the lessons, relative to the root.
    pub file: String,
    /// The file of the user that the client reads.
    pub read_by: &'static str,
    /// The line by which that file includes the lessons.
    pub line: String,
}

/// The first line of the file.
const HEAD: &str = "<!-- Lessons that users approved. `ralph learn` writes this file. -->\n";

impl ClientLessons {
    /// Those of an agent that is a client itself.
    pub fn of(agent: &AgentName) -> Option<Self> {
        let (read_by, imports) = match agent.as_str() {
            "claude" => ("CLAUDE.md", true),
            "gemini" => ("GEMINI.md", true),
            "codex" | "opencode" => ("AGENTS.md", false),
            _ => return None,
        };
        let file = format!(".{agent}/ralph-lessons.md");
        let line = match imports {
            true => format!("@{file}"),
            false => format!("Read `{file}` first, and follow it."),
        };
        Some(Self {
            file,
            read_by,
            line,
        })
    }

    /// The file of the user with the line that includes the lessons; `None` if it has
    /// the line.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn included(&self, root: &Root) -> Result<Option<String>, EngineError> {
        let text = text_of(root, self.read_by)?.unwrap_or_default();
        if text.lines().any(|line| line.contains(&self.file)) {
            return Ok(None);
        }
        let gap = match text.as_str() {
            "" => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        Ok(Some(format!("{text}{gap}{}\n", self.line)))
    }

    /// Writes the lessons; a file that holds them already stays.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn write(&self, root: &Root, lessons: &str) -> Result<(), EngineError> {
        let text = format!("{HEAD}{lessons}");
        if text_of(root, &self.file)?.as_ref() != Some(&text) {
            put(root, &self.file, &text)?;
        }
        Ok(())
    }
}

impl Learner<'_> {
    /// The file that a client reads the lessons of an agent from, if the agent has no
    /// prompt of its own.
    pub fn client(&self, agent: &AgentName) -> Option<ClientLessons> {
        let has_prompt = self.config.agents.contains_key(agent.as_str());
        ClientLessons::of(agent).filter(|_| !has_prompt)
    }

    /// Writes what is in use where the client reads it.
    pub(super) fn publish(&self, agent: &AgentName, content: &str) -> Result<(), EngineError> {
        match self.client(agent) {
            Some(client) => client.write(&self.root, content),
            None => Ok(()),
        }
    }

    /// Returns the client of an agent that does not read its lessons yet, since the
    /// file of the user does not include them.
    ///
    /// # Errors
    /// When the file of the user cannot be read.
    pub fn unread(&self, agent: &AgentName) -> Result<Option<ClientLessons>, EngineError> {
        let Some(client) = self.client(agent) else {
            return Ok(None);
        };
        let missing = client.included(&self.root)?;
        Ok(missing.map(|_| client))
    }
}

fn text_of(root: &Root, path: &str) -> Result<Option<String>, EngineError> {
    match Reader::new(root).read(path).map_err(std::io::Error::from) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(not_utf8(path)),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A file whose content is not text.
pub(super) fn not_utf8(path: &str) -> EngineError {
    EngineError::hinted(format!("{path} is not valid UTF-8"), "save it as UTF-8")
}

fn put(root: &Root, path: &str, text: &str) -> Result<(), EngineError> {
    let path = RootPath::new(path)?;
    if !root.create(&path, text.as_bytes())? {
        root.replace(&path, text.as_bytes())?;
    }
    Ok(())
}
