//! What the command line and the configuration take for a backend.

use review_agents::Backend;
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
    #[error("backend \"{0}\" is not in this version; use builtin or cmd:PROGRAM")]
    NotHere(&'static str),
    /// A chain of several backends.
    #[error("a chain of backends is not in this version; name one backend")]
    Chain,
    /// The argument of a known backend is wrong.
    #[error(transparent)]
    Argument(#[from] review_agents::BackendError),
}

fn suggestion(nearest: Option<&str>) -> String {
    match nearest {
        Some(name) => format!("did you mean {name}?"),
        None => "use builtin or cmd:PROGRAM".to_owned(),
    }
}

/// The names that this version has.
const HERE: [&str; 2] = ["builtin", "cmd"];
/// The names that the grammar knows and this version cannot start.
const NOT_HERE: [&str; 6] = ["opencode", "claude", "codex", "gemini", "http", "acp"];

/// Reads `NAME` or `NAME:ARG`.
///
/// # Errors
/// [`BackendError`] says what can be written instead.
pub(crate) fn parse_backend(text: &str) -> Result<Backend, BackendError> {
    let text = text.trim();
    let mut members = text.split(',').map(name_of);
    let name = members.next().unwrap_or_default();
    // A comma inside the arguments of a command is not the comma of a chain.
    let is_known = |name: &&str| HERE.contains(name) || NOT_HERE.contains(name);
    if members.any(|name| is_known(&name)) || (text.contains(',') && name != "cmd") {
        return Err(BackendError::Chain);
    }
    if HERE.contains(&name) {
        return Ok(text.parse()?);
    }
    Err(match NOT_HERE.into_iter().find(|known| *known == name) {
        Some(known) => BackendError::NotHere(known),
        None => BackendError::Unknown {
            name: name.to_owned(),
            nearest: nearest(name, HERE.into_iter().chain(NOT_HERE), 1)
                .first()
                .and_then(|near| HERE.into_iter().chain(NOT_HERE).find(|name| name == near)),
        },
    })
}

/// The program of `--reviewer-cmd` or `--applier-cmd`, as a backend.
///
/// # Errors
/// When it names no program.
pub(crate) fn parse_command(text: &str) -> Result<Backend, BackendError> {
    Ok(format!("cmd:{text}").parse()?)
}

fn name_of(member: &str) -> &str {
    let member = member.trim();
    member.split_once(':').map_or(member, |(name, _)| name)
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
        ] {
            assert_eq!(parse_backend(text).unwrap().to_string(), written);
        }
        assert_eq!(
            parse_command("judge a,builtin").unwrap().to_string(),
            "cmd:judge a,builtin"
        );
    }

    #[test]
    fn what_names_no_backend_says_what_would() {
        for (text, expected) in [
            ("claude", BackendError::NotHere("claude")),
            ("http:local", BackendError::NotHere("http")),
            ("acp:agent --flag", BackendError::NotHere("acp")),
            ("builtin,claude", BackendError::Chain),
            ("builtin,cmd:x", BackendError::Chain),
            ("cmd:x, builtin", BackendError::Chain),
            ("claude:a,other", BackendError::Chain),
        ] {
            assert_eq!(parse_backend(text), Err(expected), "{text}");
        }
        for (text, message) in [
            ("bultin", "\"bultin\" is no backend; did you mean builtin?"),
            ("gpt", "\"gpt\" is no backend; use builtin or cmd:PROGRAM"),
            ("", "\"\" is no backend; use builtin or cmd:PROGRAM"),
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
