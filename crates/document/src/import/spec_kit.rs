//! `tasks.md` of spec-kit: `- [ ] T001 [P] [US1] text`, in phases.

use review_types::plural;

use super::checklist::{Boxes, Item};
use super::{Imported, Story};

/// A task of a list in phases.
pub(super) struct Phased {
    pub(super) story: Story,
    /// Its phase.
    pub(super) phase: usize,
    /// Whether it waits for no task of its phase.
    pub(super) is_parallel: bool,
}

/// A phase waits for the previous one; in it a task without `[P]` waits for those above.
pub(super) fn read(text: &str) -> Imported {
    let boxes = Boxes::read(text);
    let all = boxes.items.len();
    let tasks: Vec<Phased> = boxes.items.iter().filter_map(task).collect();
    let without = all - tasks.len();
    let stories = in_phases(tasks);
    let mut work = boxes.imported(stories);
    if without > 0 {
        let boxes = plural(without, "box", "boxes");
        let text = format!("{boxes} without an id such as T001");
        work.left_out.push(text);
    }
    work
}

/// The task of a box, where its content starts with an id.
fn task(item: &Item) -> Option<Phased> {
    let (id, rest) = item.text.split_once(' ')?;
    let number = id.strip_prefix('T')?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let parallel = rest.strip_prefix("[P] ");
    Some(Phased {
        story: item.story(id.to_owned(), parallel.unwrap_or(rest).to_owned()),
        phase: item.section,
        is_parallel: parallel.is_some(),
    })
}

/// Makes dependencies of phases and of the order in them.
pub(super) fn in_phases(tasks: Vec<Phased>) -> Vec<Story> {
    let mut stories: Vec<Story> = Vec::new();
    // Those that no other task of the phase before waits for, and of this one.
    let (mut before, mut open): (Vec<usize>, Vec<usize>) = Default::default();
    let mut phase = None;
    for (at, task) in tasks.into_iter().enumerate() {
        if phase != Some(task.phase) {
            phase = Some(task.phase);
            before = std::mem::take(&mut open);
        }
        let mut story = task.story;
        if task.is_parallel || open.is_empty() {
            story.after = before.clone();
        } else {
            story.after = std::mem::take(&mut open);
        }
        open.push(at);
        stories.push(story);
    }
    stories
}
