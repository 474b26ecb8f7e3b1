//! The faults of the files of a unit, as data.

use std::sync::Arc;

use review_types::{TaskNumber, UnitId};

use crate::span::Place;
use crate::yaml::YamlErrorKind;
use review_types::TaskStatus;

/// A fault of a task file, a plan or a unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct Fault {
    /// The file, relative to the root.
    pub path: String,
    /// Its place in the file.
    pub place: Place,
    /// The kind.
    pub kind: FaultKind,
}

/// The severity of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The file was understood, but has an unusual form.
    Warning,
    /// Something cannot be used as written.
    Error,
}

/// The kind of a fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// The file is not UTF-8 from this place on.
    #[error("the file is not UTF-8 text")]
    NotUtf8,
    /// A task file has no YAML block.
    #[error("the file has no front matter")]
    NoFrontMatter,
    /// The YAML block starts and does not end.
    #[error("the front matter is never closed")]
    UnclosedFrontMatter,
    /// The block is not valid YAML.
    #[error("{kind}")]
    Yaml {
        /// The YAML error.
        kind: YamlErrorKind,
        /// The suggested replacement.
        hint: Option<String>,
    },
    /// The block is an array or a single value.
    #[error("the front matter is not a mapping of keys to values")]
    NotAMapping,
    /// An unknown key; it is kept.
    #[error("unknown key \"{key}\"")]
    UnknownKey {
        /// The key.
        key: String,
        /// The known key that was probably meant.
        nearest: Option<&'static str>,
    },
    /// A key has a value of the wrong type.
    #[error("\"{key}\" must be {expected}")]
    WrongType {
        /// The key.
        key: &'static str,
        /// The expected type.
        expected: &'static str,
    },
    /// The task has no number.
    #[error("the task has no number")]
    MissingNumber,
    /// The number is not an integer from 1.
    #[error("\"{got}\" is not a task number")]
    BadNumber {
        /// The value found.
        got: String,
    },
    /// The number was parsed from something else than a plain integer.
    #[error("\"{got}\" is read as task {number}")]
    LooseNumber {
        /// The value found.
        got: String,
        /// The number that it means.
        number: TaskNumber,
    },
    /// A dependency that is not an integer from 1.
    #[error("\"{got}\" is not the number of a task")]
    BadDependency {
        /// The value found.
        got: String,
    },
    /// A dependency that was parsed from something else than an array of plain
    /// integers.
    #[error("the dependency \"{got}\" is read as task {number}")]
    LooseDependency {
        /// The value found.
        got: String,
        /// The number that it means.
        number: TaskNumber,
    },
    /// A dependency that is already listed.
    #[error("the dependency on task {number} is listed twice")]
    RepeatedDependency {
        /// The number.
        number: TaskNumber,
    },
    /// A status in another spelling.
    #[error("the status \"{got}\" is read as {status}")]
    LooseStatus {
        /// The value found.
        got: String,
        /// The status that it means.
        status: TaskStatus,
    },
    /// An invalid status; the task counts as pending.
    #[error("\"{got}\" is not a status")]
    UnknownStatus {
        /// The value found.
        got: String,
        /// The status that was probably meant.
        nearest: Option<TaskStatus>,
    },
    /// The task has no command.
    #[error("no backpressure command")]
    NoCommand,
    /// A `#` in an unquoted command starts a comment.
    #[error("the command ends before \"{cut}\", which is a YAML comment")]
    CutCommand {
        /// The part that is cut off.
        cut: String,
    },
    /// An invalid time limit; the default applies.
    #[error("\"{got}\" is not a duration")]
    BadTimeout {
        /// The value found.
        got: String,
    },
    /// The task is in a folder below the one of its unit.
    #[error("the task is in a folder below {folder}, the folder of its unit")]
    TaskInSubfolder {
        /// The folder of the unit.
        folder: String,
    },
    /// The `unit` of a plan is not the name of its folder.
    #[error("the plan names unit \"{unit}\", its folder is {folder}")]
    OtherUnitName {
        /// The name in the plan.
        unit: String,
        /// The name of its folder.
        folder: UnitId,
    },
    /// A number that another task of the unit already has.
    #[error("task number {number} is used twice, first in {first}")]
    DuplicateNumber {
        /// The number.
        number: TaskNumber,
        /// The file that has it first.
        first: String,
        /// The lowest number that is free.
        free: TaskNumber,
    },
    /// A task that depends on itself.
    #[error("task {number} depends on itself")]
    SelfDependency {
        /// Its number.
        number: TaskNumber,
    },
    /// A dependency on a task that the unit does not have.
    #[error("task {number} depends on task {missing}, which does not exist")]
    UnknownDependency {
        /// The number of the task.
        number: TaskNumber,
        /// The number without a task.
        missing: TaskNumber,
        /// The existing numbers.
        known: Arc<[TaskNumber]>,
    },
    /// Tasks that depend on one another.
    #[error("tasks depend on one another: {}", chain(path))]
    Cycle {
        /// Each task depends on the next; the last one is the first again.
        path: Vec<TaskNumber>,
    },
    /// A dependency on a unit that does not exist.
    #[error("unit {unit} depends on unit \"{missing}\", which does not exist")]
    UnknownUnit {
        /// The unit.
        unit: UnitId,
        /// The name without a unit.
        missing: String,
        /// The nearest existing names.
        nearest: Vec<UnitId>,
    },
    /// Units that depend on one another.
    #[error("units depend on one another: {}", chain(path))]
    UnitCycle {
        /// Each unit depends on the next; the last one is the first again.
        path: Vec<UnitId>,
    },
}

impl Fault {
    /// Returns the severity.
    pub fn severity(&self) -> Severity {
        match self.kind.effect() {
            Effect::Nothing => Severity::Warning,
            Effect::Part | Effect::AllTasks => Severity::Error,
        }
    }

    /// Returns whether no task of the unit may run because of it.
    pub fn stops_tasks(&self) -> bool {
        self.kind.effect() == Effect::AllTasks
    }
}

/// What a fault keeps from working.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Nothing: the file was understood, but has an unusual form.
    Nothing,
    /// What it is about.
    Part,
    /// All tasks of the unit: the task or its dependencies are unclear.
    AllTasks,
}

impl FaultKind {
    const fn effect(&self) -> Effect {
        match self {
            Self::UnknownKey { .. }
            | Self::LooseNumber { .. }
            | Self::LooseDependency { .. }
            | Self::RepeatedDependency { .. }
            | Self::LooseStatus { .. }
            | Self::CutCommand { .. }
            | Self::OtherUnitName { .. } => Effect::Nothing,
            Self::NotUtf8
            | Self::WrongType { .. }
            | Self::UnknownStatus { .. }
            | Self::NoCommand
            | Self::BadTimeout { .. }
            | Self::UnknownUnit { .. }
            | Self::UnitCycle { .. } => Effect::Part,
            Self::NoFrontMatter
            | Self::UnclosedFrontMatter
            | Self::Yaml { .. }
            | Self::NotAMapping
            | Self::MissingNumber
            | Self::BadNumber { .. }
            | Self::BadDependency { .. }
            | Self::TaskInSubfolder { .. }
            | Self::DuplicateNumber { .. }
            | Self::SelfDependency { .. }
            | Self::UnknownDependency { .. }
            | Self::Cycle { .. } => Effect::AllTasks,
        }
    }

    /// Returns a suggestion for the fix, if there is one.
    pub fn hint(&self) -> Option<String> {
        let advice = match self {
            Self::Yaml { hint, .. } => return hint.clone(),
            Self::UnknownKey { nearest, .. } => {
                return nearest.map(|key| format!("did you mean {key}?"));
            }
            Self::UnknownStatus { nearest, .. } => match nearest {
                Some(status) => format!("did you mean {status}?"),
                None => format!("write one of {}", listed(TaskStatus::ALL)),
            },
            Self::LooseNumber { number, .. } => format!("write task: {number}"),
            Self::LooseDependency { number, .. } => format!("write depends_on: [{number}]"),
            Self::LooseStatus { status, .. } => format!("write status: {status}"),
            Self::DuplicateNumber { free, .. } => format!("{free} is free"),
            Self::UnknownDependency { known, .. } => match known.len() {
                0 => "no task of the unit has a number".to_owned(),
                1 => format!("there is only task {}", known[0]),
                2..=20 => format!("there are tasks {}", listed(known)),
                many => format!(
                    "there are {many} tasks, {} to {}",
                    known[0],
                    known[many - 1]
                ),
            },
            Self::UnknownUnit { nearest, .. } => {
                return (!nearest.is_empty()).then(|| format!("did you mean {}?", listed(nearest)));
            }
            Self::TaskInSubfolder { folder } => format!("move the file to {folder}"),
            Self::OtherUnitName { folder, .. } => format!("write unit: {folder}"),
            Self::RepeatedDependency { .. } => "remove one of the two".to_owned(),
            Self::WrongType { key, expected } => {
                format!("write {key}: as {expected}; quote a string that contains \": \"")
            }
            Self::NotUtf8 => "save the file as UTF-8".to_owned(),
            Self::NoFrontMatter => "start the file with ---, task: 1, and ---".to_owned(),
            Self::UnclosedFrontMatter => "close it with a line ---".to_owned(),
            Self::NotAMapping => "write lines such as task: 1".to_owned(),
            Self::MissingNumber => "add task: with an integer from 1".to_owned(),
            Self::BadNumber { .. } => "write an integer from 1".to_owned(),
            Self::BadDependency { .. } => "write task numbers: depends_on: [1, 2]".to_owned(),
            Self::NoCommand => {
                "add backpressure: with a command that fails until the task is done".to_owned()
            }
            Self::CutCommand { .. } => "put the whole command in quotes".to_owned(),
            Self::BadTimeout { .. } => "write 90s, 10m or 2h".to_owned(),
            Self::SelfDependency { .. } => "remove the number from depends_on".to_owned(),
            Self::Cycle { .. } | Self::UnitCycle { .. } => {
                "remove one of these dependencies".to_owned()
            }
        };
        Some(advice)
    }
}

fn listed<T: ToString>(values: &[T]) -> String {
    words(values).join(", ")
}

/// Returns the whole path if it is short, else its ends and the number of nodes
/// between them.
fn chain<T: ToString>(path: &[T]) -> String {
    const WHOLE: usize = 17;
    const END: usize = 5;
    if path.len() <= WHOLE {
        return words(path).join(" -> ");
    }
    let (first, rest) = path.split_at(END);
    let (more, last) = rest.split_at(rest.len() - END);
    let more = format!("... {} more ...", more.len());
    [words(first), vec![more], words(last)]
        .concat()
        .join(" -> ")
}

fn words<T: ToString>(values: &[T]) -> Vec<String> {
    values.iter().map(T::to_string).collect()
}

#[cfg(test)]
mod tests;
