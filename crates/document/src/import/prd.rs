//! `prd.json`: stories with criteria, an order and claims.

use std::collections::HashMap;

use serde::Deserialize;

use super::text::clean;
use super::{ImportError, Imported, Story};

/// The file. What else it has is not taken over.
#[derive(Deserialize)]
struct Document {
    #[serde(alias = "title", alias = "name")]
    project: Option<String>,
    #[serde(default)]
    description: String,
    #[serde(rename = "userStories", alias = "stories", alias = "tasks")]
    stories: Vec<UserStory>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UserStory {
    #[serde(default)]
    id: String,
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    acceptance_criteria: Vec<String>,
    priority: Option<u64>,
    #[serde(default)]
    depends_on: Vec<String>,
    #[serde(default)]
    passes: bool,
}

/// Stories are in the order of their priority; those without one are last.
pub(super) fn read(text: &str) -> Result<Imported, ImportError> {
    let mut document: Document = serde_json::from_str(text.trim_start_matches('\u{feff}'))?;
    let stories = &mut document.stories;
    stories.sort_by_key(|story| story.priority.unwrap_or(u64::MAX));
    let mut ids: HashMap<String, usize> = HashMap::new();
    for (at, story) in stories.iter().enumerate() {
        ids.entry(clean(&story.id)).or_insert(at);
    }
    let mut work = Imported {
        title: document.project.map(|title| clean(&title)),
        summary: lines(&document.description),
        ..Imported::default()
    };
    work.title = work.title.filter(|title| !title.is_empty());
    for story in document.stories {
        let mut after = Vec::new();
        for wanted in &story.depends_on {
            let wanted = clean(wanted);
            match ids.get(&wanted) {
                Some(first) => after.push(*first),
                None => {
                    let text = format!("{} waits for {wanted}, which is not there", story.title);
                    work.left_out.push(clean(&text));
                }
            }
        }
        let criteria = story.acceptance_criteria.iter();
        work.stories.push(Story {
            id: clean(&story.id),
            title: clean(&story.title),
            text: lines(&story.description),
            criteria: criteria.flat_map(|text| lines(text)).collect(),
            is_claimed: story.passes,
            after,
            ..Story::default()
        });
    }
    Ok(work)
}

/// The lines of a string that are not empty.
fn lines(text: &str) -> Vec<String> {
    let lines = text.lines().map(clean);
    lines.filter(|line| !line.is_empty()).collect()
}
