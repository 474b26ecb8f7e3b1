//! The state that is kept between the events of a client's session.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use review_text::stems;
use review_types::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    Captured, Hook, HookEvent, MAX_VERBATIM, MessageKind, Noticed, Remark, cut, message_kind,
    sentence,
};
use crate::corrections::{AiAction, CorrectionType};

/// A user's edit of a file counts as a correction within this time after the agent
/// wrote it.
const WINDOW: Duration = Duration::from_secs(10 * 60);

/// A user's edit of a file counts as a correction up to this number of prompts after
/// the agent wrote it.
const MAX_MESSAGES: u32 = 2;

/// The number of requests that are remembered.
const MAX_REQUESTS: usize = 3;

/// A request with fewer distinct words resembles too many others, as "run the tests and fix
/// what fails" does.
const MIN_WORDS: usize = 5;

/// Requests that share more than this fraction of their words are the same.
const SAME: f64 = 0.7;

/// The maximum number of files that are remembered.
const MAX_FILES: usize = 32;

/// A file that grew by more than this factor was extended, not corrected.
const EXTENDED: f64 = 1.2;

/// The hash and length of a file's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// The hash of the content.
    pub hash: String,
    /// Its length in bytes.
    pub bytes: u64,
}

/// The state of a session: hashes of files and of words, never the words themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    messages: u32,
    files: Vec<Written>,
    requests: Vec<Request>,
}

/// The hashes of a message and of its significant words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Request {
    message: u64,
    words: BTreeSet<u64>,
}

/// A file that the agent wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Written {
    path: String,
    tool: String,
    content: Content,
    at: Timestamp,
    message: u32,
}

impl Session {
    /// Processes a hook event at the time `now` and returns what it shows. `look` returns a
    /// file's current content, `None` if the file does not exist.
    pub fn take(
        &mut self,
        hook: &Hook,
        now: Timestamp,
        look: &dyn Fn(&str) -> Option<Content>,
    ) -> Noticed {
        match &hook.event {
            HookEvent::Prompt(text) => self.prompted(text, now, look),
            HookEvent::Wrote { tool, file } => {
                self.wrote(tool, file, now, look);
                Noticed::default()
            }
            HookEvent::Ran(command) => Noticed {
                corrections: self.ran(command, now, look),
                candidate: None,
            },
            HookEvent::Other => Noticed::default(),
        }
    }

    fn prompted(
        &mut self,
        text: &str,
        now: Timestamp,
        look: &dyn Fn(&str) -> Option<Content>,
    ) -> Noticed {
        self.messages = self.messages.saturating_add(1);
        let last = self.files.last().cloned();
        self.forget(now);
        let after_work = !self.files.is_empty();
        let written = self.files.last();
        let is_next = written.is_some_and(|file| file.message.saturating_add(1) == self.messages);
        let mut noticed = Noticed {
            corrections: self.changed(look),
            candidate: None,
        };
        let request = Request::of(text);
        let is_repeated = self.requests.iter().any(|past| request.rephrases(past));
        let remark = |summary: String, verbatim| Remark {
            action: action_of(last.as_ref()),
            tool: last.as_ref().map(|file| file.tool.clone()),
            file: last.as_ref().map(|file| file.path.clone()),
            summary,
            verbatim,
        };
        let message = || remark(sentence(text), Some(cut(text.trim(), MAX_VERBATIM)));
        match message_kind(text, after_work) {
            MessageKind::Objection(correction_type) => noticed.corrections.push(Captured {
                correction_type,
                remark: message(),
            }),
            MessageKind::Unknown | MessageKind::Other if is_repeated => {
                noticed.corrections.push(Captured {
                    correction_type: CorrectionType::CommunicationGap,
                    remark: remark("The user repeated a request".to_owned(), None),
                })
            }
            MessageKind::Unknown if is_next && noticed.corrections.is_empty() => {
                noticed.candidate = Some(message());
            }
            MessageKind::Unknown | MessageKind::Other => {}
        }
        self.requests.push(request);
        let too_many = self.requests.len().saturating_sub(MAX_REQUESTS);
        self.requests.drain(..too_many);
        noticed
    }

    /// Returns the corrections for files that were changed since the agent wrote them.
    /// Each change is reported once.
    fn changed(&mut self, look: &dyn Fn(&str) -> Option<Content>) -> Vec<Captured> {
        let mut captured = Vec::new();
        self.files.retain(|file| {
            let found = look(&file.path);
            let is_changed = found.as_ref() != Some(&file.content);
            if is_changed {
                captured.push(file.changed_to(found.as_ref()));
            }
            !is_changed
        });
        captured
    }

    fn wrote(
        &mut self,
        tool: &str,
        path: &str,
        now: Timestamp,
        look: &dyn Fn(&str) -> Option<Content>,
    ) {
        self.forget(now);
        self.files.retain(|file| file.path != path);
        if let Some(content) = look(path) {
            self.files.push(Written {
                path: path.to_owned(),
                tool: tool.to_owned(),
                content,
                at: now,
                message: self.messages,
            });
        }
        let too_many = self.files.len().saturating_sub(MAX_FILES);
        self.files.drain(..too_many);
    }

    /// A command of the agent counts as its own edit, unless it reverts what the agent
    /// wrote.
    fn ran(
        &mut self,
        command: &str,
        now: Timestamp,
        look: &dyn Fn(&str) -> Option<Content>,
    ) -> Vec<Captured> {
        self.forget(now);
        let is_revert = is_revert(command);
        let mut captured = Vec::new();
        self.files.retain_mut(|file| {
            let found = look(&file.path);
            if found.as_ref() == Some(&file.content) {
                return true;
            }
            if is_revert {
                let summary = format!("The changes to {} were reverted", file.path);
                captured.push(Captured {
                    correction_type: CorrectionType::ApproachRejection,
                    remark: file.remark(summary),
                });
                return false;
            }
            let is_there = found.is_some();
            if let Some(found) = found {
                file.content = found;
            }
            is_there
        });
        captured
    }

    /// Removes the files whose changes no longer count as corrections.
    fn forget(&mut self, now: Timestamp) {
        let messages = self.messages;
        self.files.retain(|file| {
            now.since(file.at) <= WINDOW && messages.saturating_sub(file.message) <= MAX_MESSAGES
        });
    }
}

impl Written {
    fn changed_to(&self, found: Option<&Content>) -> Captured {
        #[expect(clippy::cast_precision_loss, reason = "files are smaller than 8 PiB")]
        let grew = |found: &Content| found.bytes as f64 > EXTENDED * self.content.bytes as f64;
        let (correction_type, summary) = match found {
            None => (CorrectionType::ApproachRejection, "The user deleted"),
            Some(found) if grew(found) => (CorrectionType::CodeCompleteness, "The user extended"),
            Some(_) => (CorrectionType::CodeQuality, "The user changed"),
        };
        Captured {
            correction_type,
            remark: self.remark(format!("{summary} {} after the agent wrote it", self.path)),
        }
    }

    fn remark(&self, summary: String) -> Remark {
        Remark {
            action: action_of(Some(self)),
            tool: Some(self.tool.clone()),
            file: Some(self.path.clone()),
            summary,
            verbatim: None,
        }
    }
}

fn action_of(file: Option<&Written>) -> String {
    action(file.map(|file| (&*file.path, &*file.tool)))
}

/// What an agent did, where hooks report it: the file and the tool.
fn action(written: Option<(&str, &str)>) -> String {
    match written {
        Some((file, "Write")) => format!("Wrote {file}"),
        Some((file, _)) => format!("Edited {file}"),
        None => "Answered the previous request".to_owned(),
    }
}

impl AiAction {
    /// Whether the summary says no more than the file and the tool, as that of a
    /// captured correction.
    pub(crate) fn is_captured(&self) -> bool {
        let file = self.file.as_deref().zip(self.tool_used.as_deref());
        self.summary == action(file)
    }
}

/// Whether a command reverts changes to files.
fn is_revert(command: &str) -> bool {
    let mut words = command.split_whitespace();
    while words.by_ref().any(|word| word == "git") {
        let named = loop {
            match words.next() {
                Some("-C" | "-c" | "--git-dir" | "--work-tree") => drop(words.next()),
                Some(option) if option.starts_with('-') => {}
                other => break other,
            }
        };
        if matches!(
            named,
            Some("checkout" | "reset" | "restore" | "revert" | "stash")
        ) {
            return true;
        }
    }
    false
}

impl Request {
    fn of(text: &str) -> Self {
        Self {
            message: hash_of(text.trim()),
            words: stems(text).iter().map(|stem| hash_of(stem)).collect(),
        }
    }

    /// Whether it has nearly the words of an earlier one. The very same message is routine.
    fn rephrases(&self, past: &Self) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "a request has few words")]
        let part = |common: usize, all: usize| common as f64 / all as f64;
        let common = past.words.intersection(&self.words).count();
        let all = past.words.union(&self.words).count();
        past.message != self.message
            && past.words.len().min(self.words.len()) >= MIN_WORDS
            && part(common, all) > SAME
    }
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
