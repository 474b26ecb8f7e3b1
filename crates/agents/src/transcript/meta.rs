//! What is recorded of a call beside its outputs.

use std::collections::BTreeMap;
use std::time::Duration;

use review_document::parse_age;
use review_types::{LimitKind, PromptRead};
use serde::{Deserialize, Serialize};

use crate::ending::Ending;
use crate::http::Api;

/// The signals by which calls are ended, with their numbers on Linux.
const SIGNALS: [(&str, i32); 5] = [
    ("SIGHUP", 1),
    ("SIGINT", 2),
    ("SIGQUIT", 3),
    ("SIGKILL", 9),
    ("SIGTERM", 15),
];

/// How the end of a call starts that only waited for the network.
const OFFLINE: &str = "offline ";

/// The meta file of a recorded call.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Meta {
    #[serde(default)]
    pub(crate) name: String,
    /// The program and its arguments.
    #[serde(default)]
    pub(crate) argv: Vec<String>,
    /// The variables that it saw.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// The exit code, or a signal as a negative number.
    pub(crate) exit: Option<i32>,
    /// Whose doing the end was.
    pub(crate) ended: String,
    /// How long it took, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) wall_s: Option<f64>,
    /// The lines of standard output, where not all were recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stdout_lines_total: Option<u64>,
    /// How much it read of its standard input, where that was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) prompt: Option<PromptRead>,
    /// The API that was spoken, where no program was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) api: Option<Api>,
}

impl Meta {
    /// The same call with its end.
    pub(crate) fn with_ending(self, ending: &Ending) -> Self {
        let exit = match ending {
            Ending::Exited(code) => Some(*code),
            Ending::Signalled(signal) => Some(-signal),
            Ending::NotStarted(_)
            | Ending::Limit { .. }
            | Ending::Offline(_)
            | Ending::TooLarge(_)
            | Ending::Dismissed => None,
        };
        let ended = match ending {
            Ending::NotStarted(_) => "not started".to_owned(),
            Ending::Exited(_) | Ending::Signalled(_) => "exit".to_owned(),
            Ending::Limit { limit, after } => {
                let limit = match limit {
                    LimitKind::Wall => "",
                    LimitKind::Idle => "idle ",
                };
                format!("limit {limit}{}s: killed", after.as_secs_f64())
            }
            Ending::Offline(after) => format!("{OFFLINE}{}s: killed", after.as_secs_f64()),
            Ending::TooLarge(limit) => format!("too large: {limit} bytes"),
            Ending::Dismissed => "dismissed".to_owned(),
        };
        Self {
            exit,
            ended,
            ..self
        }
    }

    /// Reads `exit`, `limit 60s: killed`, `limit idle 60s: killed`, `offline 60s:
    /// killed`, `sent SIGINT after 1.9s`, `too large: 64 bytes`, `dismissed` or `not
    /// started`.
    pub(crate) fn ending(&self) -> Option<Ending> {
        let ended = &*self.ended;
        if let Some(rest) = ended.strip_prefix("limit ") {
            let (limit, rest) = match rest.strip_prefix("idle ") {
                Some(rest) => (LimitKind::Idle, rest),
                None => (LimitKind::Wall, rest),
            };
            let after = time(rest);
            return Some(Ending::Limit { limit, after });
        }
        if let Some(rest) = ended.strip_prefix(OFFLINE) {
            return Some(Ending::Offline(time(rest)));
        }
        if let Some(rest) = ended.strip_prefix("sent ") {
            let name = rest.split(' ').next().unwrap_or_default();
            let signal = SIGNALS.iter().find(|(signal, _)| *signal == name)?;
            return Some(Ending::Signalled(signal.1));
        }
        if let Some(rest) = ended.strip_prefix("too large: ") {
            let limit = rest.split(' ').next()?.parse().ok()?;
            return Some(Ending::TooLarge(limit));
        }
        match (ended, self.exit) {
            ("not started", _) => {
                let program = self.argv.first().cloned();
                Some(Ending::NotStarted(program.unwrap_or_default()))
            }
            ("dismissed", _) => Some(Ending::Dismissed),
            ("exit", Some(signal @ ..0)) => Some(Ending::Signalled(signal.checked_neg()?)),
            ("exit", Some(code)) => Some(Ending::Exited(code)),
            _ => None,
        }
    }
}

/// The time of a limit, which is a limit even when its length is not readable.
fn time(text: &str) -> Duration {
    let time = text.split(':').next().and_then(parse_age);
    time.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_limit_is_read_in_all_its_forms() {
        for (text, expected) in [
            ("60s", 60_000),
            ("1.5s", 1_500),
            ("5m", 300_000),
            ("1h30m", 5_400_000),
            ("-1s", 0),
            ("soon", 0),
        ] {
            let meta = Meta {
                ended: format!("limit {text}: killed"),
                ..Meta::default()
            };
            let expected = Ending::Limit {
                limit: LimitKind::Wall,
                after: Duration::from_millis(expected),
            };
            assert_eq!(meta.ending(), Some(expected), "{text}");
        }
    }

    #[test]
    fn an_end_is_read_as_it_was_written() {
        let limit = |limit, ms| Ending::Limit {
            limit,
            after: Duration::from_millis(ms),
        };
        for (ending, exit, ended) in [
            (Ending::NotStarted("judge".to_owned()), None, "not started"),
            (Ending::Exited(0), Some(0), "exit"),
            (Ending::Exited(7), Some(7), "exit"),
            (Ending::Signalled(9), Some(-9), "exit"),
            (limit(LimitKind::Wall, 60_000), None, "limit 60s: killed"),
            (limit(LimitKind::Idle, 50), None, "limit idle 0.05s: killed"),
            (
                Ending::Offline(Duration::from_millis(1_500)),
                None,
                "offline 1.5s: killed",
            ),
            (Ending::TooLarge(64), None, "too large: 64 bytes"),
            (Ending::Dismissed, None, "dismissed"),
        ] {
            let meta = Meta {
                argv: vec!["judge".to_owned(), "--fast".to_owned()],
                ..Meta::default()
            };
            let meta = meta.with_ending(&ending);
            assert_eq!((meta.exit, &*meta.ended), (exit, ended));
            assert_eq!(meta.ending(), Some(ending));
        }
    }

    #[test]
    fn an_end_that_is_not_valid_is_an_error() {
        for ended in ["", "exit", "sent SIGX", "too large: many bytes"] {
            let meta = Meta {
                ended: ended.to_owned(),
                ..Meta::default()
            };
            assert_eq!(meta.ending(), None, "{ended}");
        }
    }
}
