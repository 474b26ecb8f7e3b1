//! What the command line and the configuration take for a backend.

use std::fmt;

#[cfg(feature = "http")]
use review_agents::ProfileName;
use review_agents::{Backend, BackendRow, Chain, Client, backends};
use review_document::near::nearest;

/// A text that names no backend of this version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BackendError {
    /// No backend has the name.
    #[error("\"{name}\" is no backend; {}", suggestion(*nearest))]
    Unknown {
        /// The name.
        name: String,
        /// The one that was probably meant.
        nearest: Option<&'static str>,
    },
    /// A backend that this version does not have.
    #[error("backend \"{0}\" is not in this version; use {names}", names = written(|_| true))]
    NotHere(&'static str),
    /// A backend whose calls say nothing by themselves.
    #[error("calls of \"{0}\" cannot be read; use {names}", names = written(|row| row.replay))]
    Unread(String),
    /// Several backends where one is asked for.
    #[error("one backend is asked for, not several; only reviewers form a chain")]
    Several,
    /// The argument of a known backend is wrong.
    #[error(transparent)]
    Argument(#[from] review_agents::BackendError),
}

fn suggestion(nearest: Option<&str>) -> String {
    match nearest {
        Some(name) => format!("did you mean {name}?"),
        None => format!("use {}", written(|_| true)),
    }
}

/// How those backends are written which are meant, for people: `a, b or c`.
fn written(is_meant: impl Fn(&BackendRow) -> bool) -> String {
    let mut all: Vec<_> = backends().filter(|row| is_meant(row)).collect();
    let last = all.pop().map(BackendRow::written).unwrap_or_default();
    let all: Vec<_> = all.into_iter().map(BackendRow::written).collect();
    format!("{} or {last}", all.join(", "))
}

/// The names that the grammar knows and this version cannot start.
const NOT_HERE: &[&str] = &[
    "acp",
    #[cfg(not(feature = "http"))]
    "http",
];

/// Reads one backend or several with commas between them.
///
/// # Errors
/// [`BackendError`] says what can be written instead.
pub(crate) fn parse_chain(text: &str) -> Result<Chain, BackendError> {
    let mut members = members(text).into_iter().map(parse_backend);
    let first = members.next().unwrap_or_else(|| parse_backend(""))?;
    Ok(Chain::new(first, members.collect::<Result<_, _>>()?))
}

/// Splits a chain at the commas that a name follows: a comma inside the
/// arguments of a command is not one of the chain.
fn members(text: &str) -> Vec<&str> {
    let mut members = Vec::new();
    let mut start = 0;
    for (comma, _) in text.match_indices(',') {
        let in_command = name_of(&text[start..comma]) == "cmd";
        if !in_command || is_name(name_of(&text[comma + 1..])) {
            members.push(&text[start..comma]);
            start = comma + 1;
        }
    }
    members.push(&text[start..]);
    members
}

/// Whether this version has a backend of that name.
fn is_here(name: &str) -> bool {
    backends().any(|row| row.name == name)
}

fn is_name(name: &str) -> bool {
    is_here(name) || NOT_HERE.contains(&name)
}

/// Reads `NAME` or `NAME:ARG`.
///
/// # Errors
/// [`BackendError`] says what can be written instead.
pub(crate) fn parse_backend(text: &str) -> Result<Backend, BackendError> {
    let text = text.trim();
    if members(text).len() > 1 {
        return Err(BackendError::Several);
    }
    let name = name_of(text);
    if is_here(name) {
        return Ok(text.parse()?);
    }
    let known = || {
        backends()
            .map(|row| row.name)
            .chain(NOT_HERE.iter().copied())
    };
    Err(match NOT_HERE.iter().find(|known| **known == name) {
        Some(known) => BackendError::NotHere(known),
        None => BackendError::Unknown {
            name: name.to_owned(),
            nearest: nearest(name, known(), 1)
                .first()
                .and_then(|near| known().find(|name| name == near)),
        },
    })
}

/// Who made a call that was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RecordedBackend {
    /// A client, whatever its model.
    Client(Client),
    /// We, over HTTP. The recording says which API it was.
    #[cfg(feature = "http")]
    Http(ProfileName),
}

impl fmt::Display for RecordedBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(client) => write!(f, "{client}"),
            #[cfg(feature = "http")]
            Self::Http(profile) => write!(f, "http:{profile}"),
        }
    }
}

/// Reads `NAME` or `NAME:ARG` of a backend whose recorded calls can be read.
///
/// # Errors
/// [`BackendError`] says what can be written instead.
pub(crate) fn parse_recorded(text: &str) -> Result<RecordedBackend, BackendError> {
    match parse_backend(text)? {
        Backend::Client { client, .. } => Ok(RecordedBackend::Client(client)),
        #[cfg(feature = "http")]
        Backend::Http(profile) => Ok(RecordedBackend::Http(profile)),
        Backend::Builtin | Backend::Cmd(_) => Err(BackendError::Unread(text.to_owned())),
    }
}

/// The program of `--reviewer-cmd` or `--applier-cmd`, as a backend.
///
/// # Errors
/// When it names no program.
pub(crate) fn parse_command(text: &str) -> Result<Backend, BackendError> {
    Ok(format!("cmd:{text}").parse()?)
}

/// The same as a chain of one.
///
/// # Errors
/// When it names no program.
pub(crate) fn parse_command_chain(text: &str) -> Result<Chain, BackendError> {
    parse_command(text).map(Chain::from)
}

/// How a run is limited by a backend that does not say what a call consumes.
pub(crate) fn limited(backend: &Backend) -> &'static str {
    const PRICES: &str = "name a model, and its prices in a table [models.NAME] of ralph.toml";
    match backend {
        Backend::Builtin | Backend::Cmd(_) => {
            "limit the calls or the time of the run: --max-calls N, --max-time D"
        }
        Backend::Client { .. } => PRICES,
        #[cfg(feature = "http")]
        Backend::Http(_) => PRICES,
    }
}

fn name_of(member: &str) -> &str {
    let end = member.find([':', ',']).unwrap_or(member.len());
    member[..end].trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_is_a_name_with_an_argument() {
        for (text, written) in [
            ("builtin", "builtin"),
            (" builtin ", "builtin"),
            ("cmd:./review.sh", "cmd:./review.sh"),
            ("cmd:jq -r '.a, .b'", "cmd:jq -r '.a, .b'"),
            ("cmd:judge --also a,b", "cmd:judge --also a,b"),
            ("claude", "claude"),
            (
                "opencode:openrouter/glm:free",
                "opencode:openrouter/glm:free",
            ),
        ] {
            assert_eq!(parse_backend(text).unwrap().to_string(), written);
        }
        assert_eq!(
            parse_command("judge a,builtin").unwrap().to_string(),
            "cmd:judge a,builtin"
        );
    }

    #[test]
    fn a_chain_is_split_where_a_name_follows_a_comma() {
        for (text, members) in [
            ("builtin", &["builtin"] as &[_]),
            ("cmd:judge, builtin", &["cmd:judge", "builtin"]),
            (
                "cmd:a x,y,cmd:b,builtin",
                &["cmd:a x,y", "cmd:b", "builtin"],
            ),
            (
                "claude:opus,cmd:a x,codex, gemini:pro,http:local",
                &[
                    "claude:opus",
                    "cmd:a x",
                    "codex",
                    "gemini:pro",
                    "http:local",
                ],
            ),
        ] {
            let chain = parse_chain(text).unwrap();
            let found: Vec<_> = chain.iter().map(ToString::to_string).collect();
            assert_eq!(found, members, "{text}");
        }
        assert_eq!(
            parse_chain("cmd:x,acp:y"),
            Err(BackendError::NotHere("acp"))
        );
        for text in ["", "builtin,", "builtin,other", ",builtin"] {
            let error = parse_chain(text).unwrap_err();
            assert!(
                matches!(error, BackendError::Unknown { .. }),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn a_program_is_limited_by_what_it_cannot_hide() {
        for (text, way) in [
            ("cmd:judge", "--max-calls N, --max-time D"),
            ("codex", "[models.NAME]"),
            ("http:local", "[models.NAME]"),
        ] {
            let backend = parse_backend(text).unwrap();
            assert!(limited(&backend).contains(way), "{text}");
        }
    }

    #[test]
    fn the_calls_of_models_can_be_read() {
        for (text, written) in [
            ("claude", "claude"),
            ("codex:gpt-5", "codex"),
            ("http:local", "http:local"),
        ] {
            assert_eq!(parse_recorded(text).unwrap().to_string(), written);
        }
        for text in ["builtin", "cmd:cat"] {
            let error = BackendError::Unread(text.to_owned());
            assert_eq!(parse_recorded(text), Err(error));
        }
    }

    #[test]
    fn what_names_no_backend_says_what_would() {
        let not_here = BackendError::NotHere("acp");
        assert_eq!(parse_backend("acp:agent --flag"), Err(not_here));
        for (text, message) in [
            ("bultin", "\"bultin\" is no backend; did you mean builtin?"),
            (
                "gpt",
                "\"gpt\" is no backend; use builtin, cmd:PROGRAM, opencode, claude, codex, gemini or http:PROFILE",
            ),
            (
                "",
                "\"\" is no backend; use builtin, cmd:PROGRAM, opencode, claude, codex, gemini or http:PROFILE",
            ),
            ("cloude", "\"cloude\" is no backend; did you mean claude?"),
            (
                "claude:--resume",
                "\"--resume\" is not a valid name of a model; write `claude` or `claude:MODEL`, likewise for other clients",
            ),
            (
                "builtin:x",
                "the backend `builtin` takes no argument, got \"x\"",
            ),
        ] {
            assert_eq!(parse_backend(text).unwrap_err().to_string(), message);
        }
        assert!(parse_command(" ").is_err());
    }
}
