//! Task files: one task of a unit, its command and its dependencies.

mod commands;
mod dependencies;
mod number;

use std::time::Duration;

use review_types::{TaskNumber, TaskStatus, closed_list, excerpt, parse_duration};

use crate::body::Body;
use crate::fault::{Fault, FaultKind};
use crate::front_matter::FrontMatter;
use crate::head::{self, Head, Sink};
use crate::source::SourceText;
use crate::span::{Place, Spanned};
use crate::status::{self, ParsedStatus};
use crate::yaml::{Node, Tree};

/// The most characters of a value in a message.
const MAX_SHOWN: usize = 60;

closed_list!(
    /// A key of the front matter of a task file, in the order in which it has them.
    TaskKey {
        /// The number.
        Task => "task",
        /// The claimed state.
        Status => "status",
        /// The command or commands.
        Backpressure => "backpressure",
        /// The tasks that come first.
        DependsOn => "depends_on",
        /// The time limit.
        Timeout => "timeout",
        /// The requirements that it covers.
        Covers => "covers",
        /// The paths that it touches.
        Paths => "paths",
        /// Patterns for protected files that it may change.
        MayChange => "may_change",
        /// Patterns for files that no agent of its unit sees.
        Hidden => "hidden",
    }
);

/// A parsed task file, with all its faults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskFile {
    /// The file, relative to the root.
    pub path: String,
    /// The place of its YAML block; `None` if it is missing or has no end.
    pub front_matter: Option<FrontMatter>,
    /// Its number.
    pub number: Option<Spanned<TaskNumber>>,
    /// Its claimed status.
    pub status: TaskStatus,
    /// The place of that status.
    pub status_place: Option<Place>,
    /// The commands that prove it done, one step each; may be empty.
    pub backpressure: Vec<Spanned<String>>,
    /// The tasks that must be complete first, each once.
    pub depends_on: Vec<Spanned<TaskNumber>>,
    /// The place of its dependencies.
    pub depends_on_place: Option<Place>,
    /// The time limit of its commands.
    pub timeout: Option<Spanned<Duration>>,
    /// The requirements that it covers.
    pub covers: Vec<Spanned<String>>,
    /// The paths that it touches.
    pub paths: Vec<Spanned<String>>,
    /// Patterns for protected files that an agent may change for it.
    pub may_change: Vec<Spanned<String>>,
    /// Patterns for files that no agent of its unit sees.
    pub hidden: Vec<Spanned<String>>,
    /// Keys that are not a [`TaskKey`].
    pub unknown_keys: Vec<Spanned<String>>,
    /// Its first heading.
    pub title: Option<Spanned<String>>,
    /// The spec that it belongs to, as written.
    pub parent_spec: Option<Spanned<String>>,
    /// Its faults, in the order of the file.
    pub faults: Vec<Fault>,
}

impl TaskFile {
    /// Parses a task file. This never fails: errors become faults.
    ///
    /// ```
    /// use review_document::TaskFile;
    ///
    /// let source = "---\ntask: 2\nbackpressure: cargo test\n---\n# Schema\n";
    /// let task = TaskFile::parse("tasks/x/02-schema.md", source);
    /// assert_eq!(task.number.map(|number| number.value.get()), Some(2));
    /// assert_eq!(task.backpressure[0].value, "cargo test");
    /// assert_eq!(task.faults, []);
    /// ```
    pub fn parse<'s>(path: impl Into<String>, source: impl Into<SourceText<'s>>) -> Self {
        let (path, source) = (path.into(), source.into());
        let mut sink = Sink::new(&path);
        let text = head::text(&source, &mut sink);
        let head = Head::read(text, &mut sink);
        let front_matter = head.front_matter();
        let body = Body::head(text, front_matter.as_ref());
        let mut task = Self {
            front_matter,
            title: body.title(),
            parent_spec: body.parent_spec(),
            ..Self::default()
        };
        match &head {
            Head::Absent => sink.push(Place::default(), FaultKind::NoFrontMatter),
            Head::Broken(_) => {}
            Head::Read(found, tree) => task.read_keys(found.place(), tree, &path, &mut sink),
        }
        task.faults = sink.into_faults();
        task.path = path;
        task
    }

    /// Returns the path without its folders.
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    fn read_keys(&mut self, head: Place, tree: &Tree<'_>, path: &str, sink: &mut Sink<'_>) {
        let mut has_number = false;
        let mut has_command = false;
        for entry in tree.root.entries() {
            let Ok(key) = entry.key.parse::<TaskKey>() else {
                head::unknown_key(entry, TaskKey::WORDS, sink);
                self.unknown_keys.push(Spanned {
                    value: entry.key.to_string(),
                    place: entry.key_place,
                });
                continue;
            };
            let node = &entry.value;
            match key {
                TaskKey::Task => {
                    has_number = true;
                    self.number = number::read(entry, path, sink);
                }
                TaskKey::Status => self.read_status(node, sink),
                TaskKey::Backpressure => {
                    has_command = true;
                    self.backpressure = commands::read(entry, &tree.comments, sink);
                }
                TaskKey::DependsOn => {
                    self.depends_on_place = Some(node.place);
                    self.depends_on = dependencies::read(node, sink);
                }
                TaskKey::Timeout => self.read_timeout(node, sink),
                TaskKey::Covers => self.covers = head::strings(node, key.as_str(), sink),
                TaskKey::Paths => self.paths = head::strings(node, key.as_str(), sink),
                TaskKey::MayChange => self.may_change = head::strings(node, key.as_str(), sink),
                TaskKey::Hidden => self.hidden = head::strings(node, key.as_str(), sink),
            }
        }
        if !has_number {
            sink.push(head, FaultKind::MissingNumber);
        }
        if !has_command {
            sink.push(head, FaultKind::NoCommand);
        }
    }

    fn read_status(&mut self, node: &Node<'_>, sink: &mut Sink<'_>) {
        self.status_place = Some(node.place);
        let Some(scalar) = node.scalar() else {
            let (key, expected) = ("status", "one word");
            sink.push(node.place, FaultKind::WrongType { key, expected });
            return;
        };
        if node.is_null() || scalar.text.trim().is_empty() {
            return;
        }
        let got = || excerpt(scalar.text.trim(), MAX_SHOWN);
        match status::read(&scalar.text) {
            ParsedStatus::Exact(status) => self.status = status,
            ParsedStatus::Loose(status) => {
                self.status = status;
                sink.push(node.place, FaultKind::LooseStatus { got: got(), status });
            }
            ParsedStatus::Unknown(nearest) => {
                sink.push(
                    node.place,
                    FaultKind::UnknownStatus {
                        got: got(),
                        nearest,
                    },
                );
            }
        }
    }

    fn read_timeout(&mut self, node: &Node<'_>, sink: &mut Sink<'_>) {
        if node.is_null() {
            return;
        }
        let text = node.scalar().map_or("", |scalar| &scalar.text);
        match parse_duration(text) {
            Ok(value) => {
                self.timeout = Some(Spanned {
                    value,
                    place: node.place,
                });
            }
            Err(error) => sink.push(
                node.place,
                FaultKind::BadTimeout {
                    got: error.into_text(),
                },
            ),
        }
    }
}

#[cfg(test)]
mod tests;
