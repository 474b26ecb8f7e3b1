//! Files that several tasks of a unit create or change.

use std::ptr;

use review_document::{Precedence, Unit};

use super::{Deliverable, DeliverableKind, Task};

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
