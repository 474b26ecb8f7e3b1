//! Files that several tasks of a unit create or change.

use std::collections::HashMap;
use std::ptr;

use review_document::{Edit, Precedence, Unit, add_dependency};

use super::{Deliverable, DeliverableKind, Facts, Task};

/// The files that tasks share, and the order of these tasks.
///
/// Tasks on a cycle and tasks that depend on one are left out, since they have no valid
/// order.
pub(crate) struct Sharing {
    /// The files that more than one task creates or changes, in the order in which the
    /// tasks first name them.
    pub(crate) files: Vec<SharedFile>,
    precedence: Precedence,
    /// The index of each task in the unit.
    places: Vec<usize>,
}

/// A file and the tasks that create or change it, each list in an order that respects
/// the dependencies.
#[derive(Debug, Default)]
pub(crate) struct SharedFile {
    pub(crate) creates: Vec<FileUse>,
    pub(crate) modifies: Vec<FileUse>,
}

/// The line of a task about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileUse {
    task: usize,
    file: usize,
}

impl FileUse {
    /// The task.
    pub(crate) fn task<'t, 'a>(self, tasks: &'t [Task<'a>]) -> &'t Task<'a> {
        &tasks[self.task]
    }

    /// The deliverable that the line states.
    pub(crate) fn file<'t, 'a>(self, tasks: &'t [Task<'a>]) -> &'t Deliverable<'a> {
        &tasks[self.task].deliverables.files[self.file]
    }
}

/// The maximum number of dependencies that are added to one task: each requires its
/// front matter to be parsed again.
const MAX_EDITS: usize = 20;

/// The edits that add dependencies to tasks.
#[derive(Debug, Default)]
pub(crate) struct AddedDependencies(HashMap<usize, usize>);

impl AddedDependencies {
    /// Makes the second task depend on the first; `None` if that cannot be written, or
    /// if the task has enough new dependencies.
    pub(crate) fn edit(
        &mut self,
        facts: &Facts<'_>,
        first: FileUse,
        second: FileUse,
    ) -> Option<Edit> {
        let tasks = &facts.tasks;
        let number = first.task(tasks).number()?;
        let own = second.task(tasks).number();
        if facts.is_ambiguous(number) || own.is_some_and(|own| facts.is_ambiguous(own)) {
            return None;
        }
        let made = self.0.entry(second.task).or_default();
        if *made == MAX_EDITS {
            return None;
        }
        *made += 1;
        let document = second.task(tasks).document;
        add_dependency(document.source.get(..document.body)?, number)
    }
}

impl Sharing {
    pub(super) fn of(tasks: &[Task<'_>], unit: &Unit, precedence: Precedence) -> Self {
        let mut places = Vec::with_capacity(tasks.len());
        for (place, file) in unit.tasks.iter().enumerate() {
            // In the order of the unit, but some have no text.
            let next = tasks.get(places.len());
            if next.is_some_and(|task| ptr::eq(task.file, file)) {
                places.push(place);
            }
        }
        let mut ordered: Vec<_> = (0..tasks.len())
            .filter(|&task| precedence.position(places[task]).is_some())
            .collect();
        ordered.sort_by_key(|&task| precedence.position(places[task]));
        Self {
            files: shared(tasks, &ordered),
            precedence,
            places,
        }
    }

    /// For each pair, whether the second task depends on the first, directly or
    /// indirectly; `None` if unknown.
    pub(crate) fn waits(&self, pairs: &[(FileUse, FileUse)]) -> Vec<Option<bool>> {
        let place = |file: FileUse| self.places[file.task];
        let pairs: Vec<_> = pairs
            .iter()
            .map(|&(first, second)| (place(first), place(second)))
            .collect();
        self.precedence.waits(&pairs)
    }

    /// The lines before and after `used` if it changed the file too, each paired with
    /// `used` in order.
    pub(crate) fn beside(
        &self,
        file: &SharedFile,
        used: FileUse,
    ) -> impl Iterator<Item = (FileUse, FileUse)> {
        let position = |file: FileUse| self.precedence.position(self.places[file.task]);
        let modifies = &file.modifies;
        let next = modifies.partition_point(|other| position(*other) < position(used));
        let before = next.checked_sub(1).map(|last| (modifies[last], used));
        let behind = modifies.get(next).map(|&next| (used, next));
        before.into_iter().chain(behind)
    }

    /// Whether the second task can depend on the first without a cycle, also in
    /// combination with other such dependencies.
    pub(crate) fn can_depend(&self, first: FileUse, second: FileUse) -> bool {
        let position = |file: FileUse| self.precedence.position(self.places[file.task]);
        position(first) < position(second)
    }
}

/// The files that more than one of the tasks creates or changes.
fn shared(tasks: &[Task<'_>], ordered: &[usize]) -> Vec<SharedFile> {
    let uses = ordered.iter().enumerate().flat_map(|(order, &task)| {
        let files = tasks[task].deliverables.files.iter().enumerate();
        let files = files.filter(|(_, named)| named.kind != DeliverableKind::Unsaid);
        files.map(move |(file, named)| (&*named.path, order, FileUse { task, file }))
    });
    let mut uses: Vec<_> = uses.collect();
    uses.sort_unstable_by_key(|&(path, order, used)| (path, order, used.file));
    let alike = uses.chunk_by(|(one, ..), (other, ..)| one == other);
    let mut shared: Vec<_> = alike.filter(|uses| uses.len() > 1).collect();
    shared.sort_unstable_by_key(|uses| (uses[0].1, uses[0].2.file));
    let files = shared.into_iter().map(|uses| {
        let mut file = SharedFile::default();
        for &(.., used) in uses {
            match used.file(tasks).kind {
                DeliverableKind::Create => file.creates.push(used),
                DeliverableKind::Modify | DeliverableKind::Unsaid => file.modifies.push(used),
            }
        }
        file
    });
    files.collect()
}
