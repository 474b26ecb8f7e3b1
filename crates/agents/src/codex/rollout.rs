//! The file in which codex keeps a session while it works: it counts there what
//! each answer of the model consumed, and prints that with the last one alone.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::json;

use super::settings::home;
use super::stream::WireUsage;
use crate::client::{CountSpan, Counts, Variables};

/// The days with sessions, the last one first, that are looked through for one.
const MAX_DAYS: usize = 100;

/// Where codex tells what it has consumed.
pub(super) const COUNTS: Counts = Counts {
    files: |env, session| rollout(env, session).into_iter().collect(),
    event,
    span: CountSpan::Session,
};

/// A line of the file.
#[derive(Deserialize)]
struct Kept {
    payload: Payload,
}

#[derive(Deserialize)]
struct Payload {
    #[serde(rename = "type")]
    kind: PayloadKind,
    info: Option<Info>,
}

#[derive(PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PayloadKind {
    TokenCount,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Info {
    total_token_usage: WireUsage,
}

/// The file `sessions/YEAR/MONTH/DAY/rollout-TIME-SESSION.jsonl`.
fn rollout(env: &Variables, session: &str) -> Option<PathBuf> {
    let end = format!("-{session}.jsonl");
    let years = below(&home(env)?.join("sessions"));
    let months = years.into_iter().flat_map(|year| below(&year));
    let days = months.flat_map(|month| below(&month)).take(MAX_DAYS);
    let mut files = days.flat_map(|day| below(&day));
    files.find(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        let is_its = name.is_some_and(|name| name.ends_with(&end));
        is_its && path.symlink_metadata().is_ok_and(|found| found.is_file())
    })
}

/// What is in a folder, by name, the last one first.
fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort_unstable_by(|a, b| b.cmp(a));
    paths
}

/// The sum of a session as an event of the output.
fn event(line: &[u8]) -> Option<String> {
    let Kept { payload } = serde_json::from_slice(line).ok()?;
    let is_count = payload.kind == PayloadKind::TokenCount;
    let usage = payload.info.filter(|_| is_count)?.total_token_usage;
    Some(json!({"type": "token_count", "usage": usage}).to_string())
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests make the files that they need"
)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_kept_under_the_day_on_which_it_began() {
        let folder = tempfile::tempdir().unwrap();
        let env = [("HOME".into(), folder.path().into())].into();
        assert_eq!(rollout(&env, "th-1"), None);
        let sessions = folder.path().join(".codex/sessions");
        for (path, session) in [
            ("2026/02/03", "th-1"),
            ("2026/11/22", "th-2"),
            ("2025/12/31", "th-3"),
        ] {
            let day = sessions.join(path);
            std::fs::create_dir_all(&day).unwrap();
            let file = day.join(format!("rollout-2026-01-01T00-00-00-{session}.jsonl"));
            std::fs::write(&file, "").unwrap();
            assert_eq!(rollout(&env, session), Some(file));
        }
        std::fs::create_dir(sessions.join("2026/11/22/rollout-th-4.jsonl")).unwrap();
        for unknown in ["th-4", "th-5", "h-1", ""] {
            assert_eq!(rollout(&env, unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_session_of_long_ago_is_not_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let env = [("CODEX_HOME".into(), folder.path().into())].into();
        let day = |day: usize| folder.path().join(format!("sessions/2026/{day:03}/01"));
        for number in 0..=MAX_DAYS {
            std::fs::create_dir_all(day(number)).unwrap();
        }
        for (number, is_found) in [(1, true), (0, false)] {
            std::fs::write(day(number).join(format!("r-th-{number}.jsonl")), "").unwrap();
            let found = rollout(&env, &format!("th-{number}"));
            assert_eq!(found.is_some(), is_found, "{number}");
        }
    }

    #[test]
    fn of_a_line_only_the_sum_of_its_session_is_read() {
        let usage =
            r#"{"input_tokens":300,"cached_input_tokens":7,"output_tokens":30,"total_tokens":330}"#;
        let count = |info: &str| {
            let line = format!(
                r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{info}}}}}"#
            );
            event(line.as_bytes())
        };
        let told = count(&format!(
            r#"{{"total_token_usage":{usage},"last_token_usage":{{}}}}"#
        ));
        let expected = r#"{"type":"token_count","usage":{"cache_write_input_tokens":0,"cached_input_tokens":7,"input_tokens":300,"output_tokens":30}}"#;
        assert_eq!(told.as_deref(), Some(expected));
        assert_eq!(count("null"), None);
        for line in [
            "",
            "{}",
            r#"{"payload":{"type":"session_meta","id":"th-1"}}"#,
            &format!(
                r#"{{"payload":{{"type":"agent_message","info":{{"total_token_usage":{usage}}}}}}}"#
            ),
        ] {
            assert_eq!(event(line.as_bytes()), None, "{line}");
        }
    }
}
