//! The hooks of Claude Code, written into its settings with consent.

use std::io::{BufRead as _, IsTerminal as _};

use review_engine::learn::{ClientLessons, learning_config};
use review_learning::AgentName;
use review_report::{NextStep, next_steps};
use review_store::{Root, RootPath};
use serde_json::{Map, Value as Json, json};

use crate::context::Context;
use crate::error::{CommandError, cannot};
use crate::output::style::{FAINT, GOOD, RESET};

/// What a hook runs.
const COMMAND: &str = "ralph corrections capture";

/// The settings of the client.
const SETTINGS: &str = ".claude/settings.json";

/// The file in which learning is switched on.
const CONFIG: &str = "ralph.toml";

/// A file with its new text, and what is new in it.
type Change = (&'static str, String, String);

/// Adds the hooks, the line by which lessons are read, and the table of learning, where
/// they are missing and the user agrees; returns the lines that say so, and what is next.
///
/// # Errors
/// When the settings cannot be read, or the user does not agree.
pub(super) fn add(context: &mut Context, root: &Root, yes: bool) -> Result<String, CommandError> {
    let mut changes: Vec<Change> = Vec::new();
    let mut next = NextStep::by_command("see what was noticed", "ralph learn");
    let mut said = String::new();
    match with_hooks(&text_of(root, SETTINGS)?)? {
        Hooks::There => said += &format!("{FAINT}kept{RESET} {SETTINGS}, which has the hooks\n"),
        Hooks::Added(text) => {
            changes.push((SETTINGS, text, format!("hooks that run `{COMMAND}`")));
        }
        Hooks::Missing(hooks) => {
            said += &format!("{FAINT}kept{RESET} {SETTINGS}, which has hooks of its own\n");
            next = NextStep::by_hand(format!("add these to the `hooks` of {SETTINGS}: {hooks}"));
        }
    }
    if let Some(lessons) = ClientLessons::of(&AgentName::from("claude"))
        && let Some(text) = lessons.included(root)?
    {
        changes.push((
            lessons.read_by,
            text,
            format!("the line `{}`", lessons.line),
        ));
    }
    let settings = context.settings(root.path(), &[])?;
    if learning_config(root.path(), &settings)?.is_none() {
        let text = text_of(root, CONFIG)?;
        let gap = if text.is_empty() { "" } else { "\n" };
        let text = format!("{text}{gap}[learning]\n");
        changes.push((CONFIG, text, "the table [learning]".to_owned()));
    }
    if !yes && !changes.is_empty() {
        agree(context, &changes)?;
    }
    for (file, text, what) in &changes {
        let path = RootPath::new(file)?;
        if !root.create(&path, text.as_bytes())? {
            root.replace(&path, text.as_bytes())?;
        }
        said += &format!("{GOOD}wrote{RESET} {file}: {what}\n");
    }
    Ok(said + &next_steps(&[next], None))
}

fn text_of(root: &Root, name: &str) -> Result<String, CommandError> {
    Ok(String::from_utf8(root.read(name)?.unwrap_or_default())?)
}

/// The hooks in the settings.
#[derive(Debug, PartialEq, Eq)]
enum Hooks {
    There,
    /// The settings with the hooks at their start, and all that was there byte for byte.
    Added(String),
    /// What the user adds to other hooks.
    Missing(Json),
}

fn with_hooks(text: &str) -> Result<Hooks, CommandError> {
    let text = if text.is_empty() { "{}\n" } else { text };
    let settings: Map<String, Json> = serde_json::from_str(text).map_err(cannot(format!(
        "read {SETTINGS} as a JSON object, which is left unchanged"
    )))?;
    let run = json!([{"type": "command", "command": COMMAND, "timeout": 10}]);
    let mut hooks = json!({
        "UserPromptSubmit": [{"hooks": run}],
        "PostToolUse": [{"matcher": "Write|Edit|MultiEdit|NotebookEdit|Bash", "hooks": run}],
    });
    let Some(there) = settings.get("hooks") else {
        let gap = if settings.is_empty() { "\n" } else { "," };
        let hooks = format!("{{\n  \"hooks\": {hooks}{gap}");
        return Ok(Hooks::Added(text.replacen('{', &hooks, 1)));
    };
    if let Some(events) = hooks.as_object_mut() {
        events.retain(|event, _| !there[event].to_string().contains("corrections capture"));
        if events.is_empty() {
            return Ok(Hooks::There);
        }
    }
    Ok(Hooks::Missing(hooks))
}

/// Asks the user about the changes.
fn agree(context: &mut Context, changes: &[Change]) -> Result<(), CommandError> {
    let unchanged = |why: &str| CommandError::new(format!("nothing is changed: {why}"));
    let stdin = std::io::stdin();
    if !stdin.is_terminal() || !context.streams.err.is_terminal() {
        return Err(unchanged("no user to ask").hint("agree with --yes"));
    }
    for (file, _, what) in changes {
        context.streams.say(&format!("{file}: {what}\n"));
    }
    context.streams.say("Write this? [y/N] ");
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    match &*answer.trim().to_ascii_lowercase() {
        "y" | "yes" => Ok(()),
        _ => Err(unchanged("the answer was no")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_added_once_and_all_else_is_kept_byte_for_byte() {
        for (before, rest) in [
            ("", "\n}\n"),
            ("{}\n", "\n}\n"),
            ("{\"a\":\t1}", ",\"a\":\t1}"),
        ] {
            let Hooks::Added(after) = with_hooks(before).unwrap() else {
                panic!("no hooks are added to {before}");
            };
            assert!(after.ends_with(rest), "{after}");
            let settings: Json = serde_json::from_str(&after).unwrap();
            let hook = &settings["hooks"]["PostToolUse"][0]["hooks"][0];
            assert_eq!(hook["command"], COMMAND);
            assert_eq!(with_hooks(&after).unwrap(), Hooks::There);
        }
    }

    #[test]
    fn hooks_that_other_hooks_lack_are_for_the_user_to_add() {
        let half = json!({"hooks": {"UserPromptSubmit": [{"hooks": [{"command": COMMAND}]}]}});
        for (text, lacking) in [
            (
                "{\"hooks\": {\"Stop\": []}}",
                &["PostToolUse", "UserPromptSubmit"][..],
            ),
            (&half.to_string(), &["PostToolUse"]),
        ] {
            let Hooks::Missing(hooks) = with_hooks(text).unwrap() else {
                panic!("no hooks are missing in {text}");
            };
            let events: Vec<_> = hooks.as_object().unwrap().keys().collect();
            assert_eq!(events, lacking);
        }
    }

    #[test]
    fn settings_that_are_no_object_are_left_as_they_are() {
        for text in ["[]", "{"] {
            let error = with_hooks(text).unwrap_err().message();
            assert!(
                error.contains("as a JSON object, which is left unchanged"),
                "{error}"
            );
        }
    }
}
