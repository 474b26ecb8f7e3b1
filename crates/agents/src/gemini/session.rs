//! The files in which gemini keeps a session while it works: it counts there
//! what each message of the model consumed, and prints only the sum, at its end.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::client::{CountSpan, Counts, Variables};
use crate::stream::Consumption;

/// The most projects whose sessions are looked through for one.
const MAX_PROJECTS: usize = 1_000;

/// The start of a session's id that is in the names of its files.
const NAMED: usize = 8;

/// Where gemini tells what it has consumed.
pub(super) const COUNTS: Counts = Counts {
    files,
    event,
    span: CountSpan::Message,
};

/// A line of a file.
#[derive(Deserialize)]
struct Kept {
    id: String,
    timestamp: String,
    tokens: MessageTokens,
    model: Option<String>,
}

/// What a message consumed.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct MessageTokens {
    input: u64,
    cached: u64,
    output: u64,
    thoughts: u64,
}

impl MessageTokens {
    /// The figures in the terms of all clients.
    pub(super) fn consumption(&self) -> Consumption {
        Consumption {
            input: self.input,
            cache_read: self.cached,
            output: self.output.saturating_add(self.thoughts),
            ..Consumption::default()
        }
    }
}

/// The files `tmp/PROJECT/chats/session-TIME-START.jsonl`, where START is the
/// start of the session's id. A session that goes on has one for each of its
/// calls, and stays in the first.
fn files(env: &Variables, session: &str) -> Vec<PathBuf> {
    let (Some(home), Some(start)) = (env.get(OsStr::new("HOME")), session.get(..NAMED)) else {
        return Vec::new();
    };
    let end = format!("-{start}.jsonl");
    let projects = below(&Path::new(home).join(".gemini/tmp")).take(MAX_PROJECTS);
    let all = projects.flat_map(|project| below(&project.join("chats")));
    let its = all.filter(|path| {
        let name = path.file_name().and_then(OsStr::to_str);
        let is_its = name.is_some_and(|name| name.starts_with("session-") && name.ends_with(&end));
        is_its && path.symlink_metadata().is_ok_and(|found| found.is_file())
    });
    its.collect()
}

/// What is in a folder.
fn below(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.flatten().map(|entry| entry.path())
}

/// The figures of a message as an event of the output.
fn event(line: &[u8]) -> Option<String> {
    let kept: Kept = serde_json::from_slice(line).ok()?;
    let Kept {
        id,
        timestamp,
        tokens,
        model,
    } = kept;
    let event = json!({
        "type": "token_count",
        "timestamp": timestamp,
        "id": id,
        "model": model,
        "tokens": tokens,
    });
    Some(event.to_string())
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests make the files that they need"
)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_kept_below_its_project() {
        let folder = tempfile::tempdir().unwrap();
        let env = [("HOME".into(), folder.path().into())].into();
        let session = "01234567-89ab";
        assert!(files(&env, session).is_empty());
        let chats = folder.path().join(".gemini/tmp/demo/chats");
        std::fs::create_dir_all(chats.join("session-x-01234567.jsonl")).unwrap();
        for name in [
            "session-2026-11-23T03-34-01234567.jsonl",
            "session-2026-11-23T03-35-01234567.jsonl",
            "session-2026-11-23T03-34-01234568.jsonl",
            "session-2026-11-23T03-34-01234567.json",
            "notes-01234567.jsonl",
        ] {
            std::fs::write(chats.join(name), "").unwrap();
        }
        let mut found = files(&env, session);
        found.sort_unstable();
        let expected = ["34", "35"]
            .map(|minute| chats.join(format!("session-2026-11-23T03-{minute}-01234567.jsonl")));
        assert_eq!(found, expected);
        for unknown in ["", "0123456", "01234569-89ab", "0123456\u{e9}"] {
            assert!(files(&env, unknown).is_empty(), "{unknown}");
        }
        assert!(files(&Variables::new(), session).is_empty());
    }

    #[test]
    fn of_a_message_only_its_figures_are_read() {
        let line = r#"{"id":"m-1","timestamp":"2026-11-23T03:34:15.724Z","type":"gemini","content":"{}","thoughts":[],"tokens":{"input":100,"output":20,"cached":7,"thoughts":4,"tool":0,"total":124},"model":"flash"}"#;
        let expected = r#"{"id":"m-1","model":"flash","timestamp":"2026-11-23T03:34:15.724Z","tokens":{"cached":7,"input":100,"output":20,"thoughts":4},"type":"token_count"}"#;
        assert_eq!(event(line.as_bytes()).as_deref(), Some(expected));
        for line in [
            "",
            "{}",
            r#"{"sessionId":"s","startTime":"2026-11-23T03:34:15.554Z"}"#,
            r#"{"$set":{"messages":[{"id":"m-1","tokens":{"input":1}}]}}"#,
            r#"{"id":"m-1","timestamp":"2026-11-23T03:34:15.578Z","type":"user","content":[]}"#,
            r#"{"id":"m-1","timestamp":"2026-11-23T03:34:15.578Z","type":"gemini","tokens":null}"#,
        ] {
            assert_eq!(event(line.as_bytes()), None, "{line}");
        }
    }
}
