//! The hooks of a client, merged into its settings with consent.

use std::io::{BufRead as _, IsTerminal as _};

use review_engine::learn::{ClientLessons, learning_config};
use review_store::{Reader, Root, RootPath};
use serde_json::{Map, Value as Json, json};

use super::HookedClient;
use super::splice;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::style::{FAINT, GOOD, RESET};

/// What a hook runs.
const COMMAND: &str = "ralph corrections capture";

/// The file in which learning is switched on.
const CONFIG: &str = "ralph.toml";

/// The seconds that a hook has.
const TIMEOUT: u32 = 10;

/// The events that are captured, with the tools where only some are meant.
const EVENTS: [(&str, Option<&str>); 2] = [
    ("UserPromptSubmit", None),
    (
        "PostToolUse",
        Some("Write|Edit|MultiEdit|NotebookEdit|Bash"),
    ),
];

/// The settings of a client as they are to be, and what includes its lessons.
pub(super) struct Settings {
    path: RootPath,
    /// `None` where the hooks are there already.
    text: Option<String>,
    lessons: &'static ClientLessons,
    /// The file that includes the lessons; `None` where it does, or the user does not
    /// want it to.
    include: Option<String>,
    /// The configuration with learning switched on; `None` where it is on, or nothing was
    /// agreed to.
    learning: Option<String>,
}

impl HookedClient {
    const fn settings(self) -> &'static str {
        match self {
            Self::Claude => ".claude/settings.json",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
        }
    }

    fn lessons(self) -> Result<&'static ClientLessons, CommandError> {
        let name = self.name();
        ClientLessons::of(name).ok_or_else(|| CommandError::new(format!("{name} reads no lessons")))
    }
}

/// The settings of a client with the hooks, if the user agrees to the change.
///
/// # Errors
/// When the settings cannot be read or are not a JSON object, or the user does not agree.
pub(super) fn agreed(
    context: &mut Context,
    root: &Root,
    client: HookedClient,
    yes: bool,
) -> Result<Settings, CommandError> {
    let name = client.settings();
    let path = RootPath::new(name)?;
    let text = merged(&settings_of(root, &path)?)
        .map_err(|why| CommandError::new(format!("{name} is left as it is: {why}")))?;
    if text.is_some() && !yes {
        let question = format!(
            "Add hooks to {name} that run `{COMMAND}` when you say something, when a file is \
             written and when a command is run, and switch learning on in {CONFIG}? [y/N] "
        );
        if !ask(context, name, &question)? {
            return Err(unchanged(name, "the answer was no"));
        }
    }
    let lessons = client.lessons()?;
    let mut include = lessons.included(root)?;
    if include.is_some() && !yes {
        let (line, file) = (lessons.line, lessons.read_by);
        let question = format!(
            "Add this line to {file}, so that approved lessons are read?\n\n    {line}\n\n[y/N] "
        );
        if !ask(context, file, &question)? {
            include = None;
        }
    }
    let learning = match yes || text.is_some() {
        true => with_learning(context, root)?,
        false => None,
    };
    Ok(Settings {
        path,
        text,
        lessons,
        include,
        learning,
    })
}

/// The configuration with learning switched on; `None` where it is on.
fn with_learning(context: &mut Context, root: &Root) -> Result<Option<String>, CommandError> {
    let settings = context.settings(root.path(), &[])?;
    if learning_config(root.path(), &settings)?.is_some() {
        return Ok(None);
    }
    let path = RootPath::new(CONFIG)?;
    let text = text_of(root, &path)?.unwrap_or_default();
    let gap = match text.as_str() {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    Ok(Some(format!("{text}{gap}[learning]\n")))
}

impl Settings {
    /// Writes the settings and the line that includes the lessons; returns the lines
    /// that say so.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(super) fn write(&self, root: &Root) -> Result<String, CommandError> {
        let path = &self.path;
        let mut said = match &self.text {
            None => format!("{FAINT}kept {RESET} {path}, which has the hooks\n"),
            Some(text) => {
                put(root, path, text)?;
                format!("{GOOD}wrote{RESET} {path}: hooks that run `{COMMAND}`\n")
            }
        };
        if let Some(text) = &self.include {
            let ClientLessons { read_by, line, .. } = self.lessons;
            self.lessons.include(root, text)?;
            said += &format!("{GOOD}wrote{RESET} {read_by}: the line `{line}`\n");
        }
        if let Some(text) = &self.learning {
            let path = RootPath::new(CONFIG)?;
            put(root, &path, text)?;
            said += &format!("{GOOD}wrote{RESET} {CONFIG}: the table [learning]\n");
        }
        Ok(said)
    }
}

fn put(root: &Root, path: &RootPath, text: &str) -> Result<(), CommandError> {
    let made = root.create(path, text.as_bytes());
    let written = made.and_then(|made| match made {
        true => Ok(()),
        false => root.replace(path, text.as_bytes()),
    });
    written.map_err(CommandError::from)
}

/// The text of the settings; an empty object where there are none.
fn settings_of(root: &Root, path: &RootPath) -> Result<String, CommandError> {
    Ok(text_of(root, path)?.unwrap_or_else(|| "{}\n".to_owned()))
}

fn text_of(root: &Root, path: &RootPath) -> Result<Option<String>, CommandError> {
    match Reader::new(root)
        .read(path.as_str())
        .map_err(std::io::Error::from)
    {
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(CommandError::from),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(CommandError::from(error)),
    }
}

/// The settings with the hooks, all that was there byte for byte; `None` if they
/// have them.
fn merged(text: &str) -> Result<Option<String>, String> {
    let settings: Map<String, Json> =
        serde_json::from_str(text).map_err(|error| format!("it is not a JSON object: {error}"))?;
    let hooks = match settings.get("hooks") {
        Some(hooks) => Some(hooks.as_object().ok_or("expected an object at hooks")?),
        None => None,
    };
    let mut merged = text.to_owned();
    if hooks.is_none() {
        merged = added_to(&merged, &[], Some("hooks"), &json!({}))?;
    }
    for (event, matcher) in EVENTS {
        let group = group(matcher);
        let groups = hooks.and_then(|hooks| hooks.get(event));
        merged = match groups {
            None => added_to(&merged, &["hooks"], Some(event), &json!([group]))?,
            Some(Json::Array(groups)) if groups.iter().any(runs_ours) => continue,
            Some(Json::Array(_)) => added_to(&merged, &["hooks", event], None, &group)?,
            Some(_) => return Err(format!("expected an array at hooks.{event}")),
        };
    }
    Ok((merged != text).then_some(merged))
}

/// A text with an addition to the value below these keys.
fn added_to(text: &str, keys: &[&str], key: Option<&str>, value: &Json) -> Result<String, String> {
    let place = splice::find(text, keys).ok_or("its form cannot be kept")?;
    splice::added(text, place, key, value).map_err(|error| error.to_string())
}

fn group(matcher: Option<&str>) -> Json {
    let hooks = json!([{ "type": "command", "command": COMMAND, "timeout": TIMEOUT }]);
    match matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": hooks }),
        None => json!({ "hooks": hooks }),
    }
}

/// Whether one of the hooks of a group is ours, however it is called.
fn runs_ours(group: &Json) -> bool {
    let hooks = group["hooks"].as_array();
    let mut commands = hooks
        .into_iter()
        .flatten()
        .filter_map(|hook| hook["command"].as_str());
    commands.any(|command| command.contains("corrections capture"))
}

/// Asks the user about a file; whether the answer is yes.
fn ask(context: &mut Context, name: &str, question: &str) -> Result<bool, CommandError> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() || !context.streams.err.is_terminal() {
        let refused = unchanged(name, "no user to ask");
        return Err(refused.hint("agree with --yes"));
    }
    context.streams.say(question);
    let mut answer = String::new();
    let read = stdin.lock().read_line(&mut answer);
    read.map_err(|error| unchanged(name, "there was no answer").source(error))?;
    let answer = answer.trim().to_ascii_lowercase();
    Ok(matches!(&*answer, "y" | "yes"))
}

fn unchanged(name: &str, why: &str) -> CommandError {
    CommandError::new(format!("{name} is not changed: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merge(text: &str) -> Json {
        serde_json::from_str(&merged(text).unwrap().unwrap()).unwrap()
    }

    #[test]
    fn hooks_come_after_those_of_the_user() {
        let text = r#"{"model": "opus", "hooks": {"PostToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "fmt"}]}], "Stop": []}}"#;
        let settings = merge(text);
        assert_eq!(settings["model"], "opus");
        assert_eq!(settings["hooks"]["Stop"], json!([]));
        let used = settings["hooks"]["PostToolUse"].as_array().unwrap();
        assert_eq!(used.len(), 2);
        assert_eq!(used[0]["hooks"][0]["command"], "fmt");
        assert_eq!(used[1]["matcher"], "Write|Edit|MultiEdit|NotebookEdit|Bash");
        let said = &settings["hooks"]["UserPromptSubmit"];
        let expected = json!([{"hooks": [{"type": "command", "command": "ralph corrections capture", "timeout": 10}]}]);
        assert_eq!(*said, expected);
    }

    #[test]
    fn the_order_of_the_users_keys_and_every_other_byte_stay() {
        let text = "{\n    \"zoo\": 1,   \"model\":\"opus\",\n    \"hooks\": {\"Stop\": [ ],\n      \"PostToolUse\": []},\n    \"env\": {\"B\": \"1\", \"A\": \"2\"}\n}";
        let merged = merged(text).unwrap().unwrap();
        let mut rest = merged.as_str();
        for part in text.split("[]}") {
            let at = rest.find(part.trim_end_matches('\n')).unwrap();
            rest = &rest[at + part.len()..];
        }
        assert!(merged.starts_with("{\n    \"zoo\": 1,   \"model\":\"opus\",\n    \"hooks\": {\"Stop\": [ ],\n      \"PostToolUse\": [\n"));
        assert!(merged.ends_with("},\n    \"env\": {\"B\": \"1\", \"A\": \"2\"}\n}"));
        let new = super::merged("{}\n").unwrap().unwrap();
        assert!(
            new.starts_with("{\n  \"hooks\": {\n    \"UserPromptSubmit\": [\n      {\n"),
            "{new}"
        );
        assert!(new.ends_with("\n    ]\n  }\n}\n"), "{new}");
    }

    #[test]
    fn hooks_that_are_there_are_not_added_again() {
        let once = merged("{}").unwrap().unwrap();
        assert_eq!(merged(&once), Ok(None));
        let elsewhere = once.replace("ralph corrections", "/opt/bin/ralph -q corrections");
        assert_eq!(merged(&elsewhere), Ok(None));
        let half = r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"command": "ralph corrections capture"}]}]}}"#;
        let settings = merge(half);
        assert_eq!(
            settings["hooks"]["UserPromptSubmit"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
        assert_eq!(
            settings["hooks"]["PostToolUse"].as_array().unwrap().len(),
            1
        );
    }

    #[test]
    fn settings_of_another_shape_are_refused() {
        for text in [
            "",
            "[]",
            "{",
            "{\"hooks\": []}",
            "{\"hooks\": {\"PostToolUse\": {}}}",
        ] {
            assert!(merged(text).is_err(), "{text}");
        }
    }
}
