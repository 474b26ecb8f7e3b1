//! `prd.json`: stories with criteria, an order and claims.

use std::collections::{BTreeMap, HashMap};

use review_types::plural;
use serde_json::{Map, Value};

use super::text::clean;
use super::{ImportError, ImportNoteKind, Imported, Story};

type Object = Map<String, Value>;

/// The names of the list of stories.
const LISTS: [&str; 4] = ["userStories", "user_stories", "stories", "tasks"];
const TITLES: &[&str] = &["title", "name", "project"];
const CRITERIA: &[&str] = &["acceptanceCriteria", "acceptance_criteria", "criteria"];
const DEPENDENCIES: &[&str] = &["dependsOn", "depends_on", "dependencies"];
const CLAIMS: &[&str] = &["passes", "done", "completed"];
/// Keys whose value is likely a command.
const COMMANDS: &[&str] = &[
    "command",
    "testCommand",
    "verify",
    "verification",
    "backpressure",
];

pub(super) fn read(text: &str) -> Result<Imported, ImportError> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))?;
    let mut work = Imported::default();
    let head = value.get("prd").unwrap_or(&value);
    let list = match head {
        Value::Array(list) => list,
        head => list_of(head)?,
    };
    if let Some(head) = head.as_object() {
        work.title = text_of(head, &["title", "project", "name"]);
        work.summary = lines_of(head, &["description", "overview"]);
    }
    let mut stories: Vec<(u64, usize)> = Vec::new();
    let mut unread = 0;
    for (at, story) in list.iter().enumerate() {
        match story.as_object().filter(|story| title_of(story).is_some()) {
            Some(story) => {
                let number =
                    |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
                let priority = story.get("priority").and_then(number);
                stories.push((priority.unwrap_or(u64::MAX), at));
            }
            None => unread += 1,
        }
    }
    if unread > 0 {
        let text = plural(unread, "story", "stories") + " without a title";
        work.note(ImportNoteKind::Lost, text);
    }
    if !stories.is_sorted() {
        let text = "`priority`: the order of the numbers";
        work.note(ImportNoteKind::Changed, text);
    }
    stories.sort_unstable();
    let objects = stories.iter().filter_map(|(_, at)| list[*at].as_object());
    let objects: Vec<&Object> = objects.collect();
    work.stories = objects.iter().map(|object| story(object)).collect();
    link(&mut work, &objects);
    note_rest(&mut work, &objects);
    Ok(work)
}

fn list_of(head: &Value) -> Result<&Vec<Value>, ImportError> {
    let lists = LISTS
        .iter()
        .filter_map(|name| Some((*name, head.get(name)?.as_array()?)));
    let lists: Vec<_> = lists.collect();
    match lists[..] {
        [] => Err(ImportError::NoList),
        [(_, list)] => Ok(list),
        _ => {
            let names = lists.into_iter().map(|(name, _)| name);
            Err(ImportError::SeveralLists(names.collect()))
        }
    }
}

fn story(object: &Object) -> Story {
    let is_done = |status: &str| matches!(status, "done" | "complete" | "completed" | "passed");
    let status = object.get("status").and_then(Value::as_str);
    Story {
        id: text_of(object, &["id"]).unwrap_or_default(),
        title: title_of(object).unwrap_or_default(),
        text: lines_of(object, &["description"]),
        criteria: lines_of(object, CRITERIA),
        is_claimed: found(object, CLAIMS) == Some(&Value::Bool(true))
            || status.is_some_and(is_done),
        ..Story::default()
    }
}

/// Finds the stories that others wait for.
fn link(work: &mut Imported, objects: &[&Object]) {
    let mut ids: HashMap<String, usize> = HashMap::new();
    for (at, story) in work.stories.iter().enumerate() {
        ids.entry(story.id.clone()).or_insert(at);
    }
    for (at, object) in objects.iter().enumerate() {
        for wanted in lines_of(object, DEPENDENCIES) {
            match ids.get(&wanted) {
                Some(first) => work.stories[at].after.push(*first),
                None => {
                    let title = &work.stories[at].title;
                    let text = format!("{title} waits for {wanted}, which is not there");
                    work.note(ImportNoteKind::Lost, text);
                }
            }
        }
    }
}

/// Notes commands, and keys that nothing is made of.
fn note_rest(work: &mut Imported, objects: &[&Object]) {
    let known = [
        &["id", "description", "priority", "status"],
        &TITLES[..2],
        CRITERIA,
    ];
    let known: Vec<_> = [known.concat().as_slice(), DEPENDENCIES, CLAIMS].concat();
    let mut lost: BTreeMap<String, usize> = BTreeMap::new();
    for object in objects {
        for (key, value) in *object {
            let is_empty = matches!(value, Value::Null) || value.as_str() == Some("");
            if is_empty || known.contains(&key.as_str()) {
                continue;
            }
            match value.as_str().filter(|_| COMMANDS.contains(&key.as_str())) {
                Some(command) => {
                    let title = title_of(object).unwrap_or_default();
                    let text = format!("{title}: `{}`, not taken; use --command", clean(command));
                    work.note(ImportNoteKind::Found, text);
                }
                None => *lost.entry(clean(key)).or_default() += 1,
            }
        }
    }
    for (key, count) in lost {
        let stories = plural(count, "story", "stories");
        work.note(ImportNoteKind::Lost, format!("`{key}` of {stories}"));
    }
}

fn found<'o>(object: &'o Object, keys: &[&str]) -> Option<&'o Value> {
    keys.iter().find_map(|key| object.get(*key))
}

fn title_of(object: &Object) -> Option<String> {
    text_of(object, &TITLES[..2])
}

fn text_of(object: &Object, keys: &[&str]) -> Option<String> {
    let texts = keys.iter().filter_map(|key| text(object.get(*key)?));
    texts.map(|text| clean(&text)).find(|text| !text.is_empty())
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The lines of a text, or of all texts of a list.
fn lines_of(object: &Object, keys: &[&str]) -> Vec<String> {
    let texts: Vec<String> = match found(object, keys) {
        Some(Value::Array(list)) => list.iter().filter_map(text).collect(),
        Some(value) => text(value).into_iter().collect(),
        None => Vec::new(),
    };
    let lines = texts.iter().flat_map(|text| text.lines()).map(clean);
    lines.filter(|line| !line.is_empty()).collect()
}
