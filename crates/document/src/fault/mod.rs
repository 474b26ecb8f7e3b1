//! What is wrong with the files of a unit, as data.

use std::sync::Arc;

use review_types::{TaskNumber, UnitId};

use crate::span::Place;
use crate::yaml::YamlErrorKind;
use review_types::TaskStatus;

/// Something that is wrong with a task file, a plan or a unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct Fault {
    /// The file, relative to the root.
    pub path: String,
    /// Where in the file.
    pub place: Place,
    /// What is wrong.
    pub kind: FaultKind,
}

/// How much a fault weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The file was understood, and says it in an unusual way.
    Warning,
    /// Something cannot be taken as it is written.
    Error,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// The file is not UTF-8 from this place on.
    #[error("the file is not UTF-8 text")]
    NotUtf8,
    /// A task file has no YAML block.
    #[error("the file has no front matter")]
    NoFrontMatter,
    /// The YAML block begins and does not end.
    #[error("the front matter is never closed")]
    UnclosedFrontMatter,
    /// The block cannot be read as YAML.
    #[error("{kind}")]
    Yaml {
        /// What is wrong with the YAML.
        kind: YamlErrorKind,
        /// What to write instead.
        hint: Option<String>,
    },
    /// The block is a list or a single value.
    #[error("the front matter is not a list of keys and values")]
    NotAMapping,
    /// A key that this product does not know; it is kept.
    #[error("unknown key \"{key}\"")]
    UnknownKey {
        /// The key.
        key: String,
        /// The known key that was probably meant.
        nearest: Option<&'static str>,
    },
    /// A key holds a value of the wrong type.
    #[error("\"{key}\" must be {expected}")]
    WrongType {
        /// The key.
        key: &'static str,
        /// What it must hold.
        expected: &'static str,
    },
    /// The task has no number.
    #[error("the task has no number")]
    MissingNumber,
    /// The number is not a whole number from 1.
    #[error("\"{got}\" is not a task number")]
    BadNumber {
        /// What stands there.
        got: String,
    },
    /// The number was read from something else than a plain whole number.
    #[error("\"{got}\" is read as task {number}")]
    LooseNumber {
        /// What stands there.
        got: String,
        /// How it is read.
        number: TaskNumber,
    },
    /// A dependency that is not a whole number from 1.
    #[error("\"{got}\" is not the number of a task")]
    BadDependency {
        /// What stands there.
        got: String,
    },
    /// A dependency that was read from something else than a list of plain
    /// whole numbers.
    #[error("the dependency \"{got}\" is read as task {number}")]
    LooseDependency {
        /// What stands there.
        got: String,
        /// How it is read.
        number: TaskNumber,
    },
    /// A dependency that the list names already.
    #[error("the dependency on task {number} is listed twice")]
    RepeatedDependency {
        /// The number.
        number: TaskNumber,
    },
    /// A status in another spelling.
    #[error("the status \"{got}\" is read as {status}")]
    LooseStatus {
        /// What stands there.
        got: String,
        /// How it is read.
        status: TaskStatus,
    },
    /// A text that is no status; the task counts as pending.
    #[error("\"{got}\" is not a status")]
    UnknownStatus {
        /// What stands there.
        got: String,
        /// The status that was probably meant.
        nearest: Option<TaskStatus>,
    },
    /// The task has no command.
    #[error("no backpressure command")]
    NoCommand,
    /// A `#` in an unquoted command begins a comment.
    #[error("the command ends before \"{cut}\", which YAML takes for a comment")]
    CutCommand {
        /// The part that is lost.
        cut: String,
    },
    /// A time limit that is no duration; the default limit holds.
    #[error("\"{got}\" is not a duration")]
    BadTimeout {
        /// What stands there.
        got: String,
    },
    /// The `unit` of a plan is not the name of its folder.
    #[error("the plan names unit \"{unit}\", its folder is {folder}")]
    OtherUnitName {
        /// What the plan says.
        unit: String,
        /// The name of its folder.
        folder: UnitId,
    },
    /// A number that another task of the unit has already.
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
        /// The number that no task has.
        missing: TaskNumber,
        /// The numbers that there are.
        known: Arc<[TaskNumber]>,
    },
    /// Tasks that wait for one another.
    #[error("tasks depend on one another: {}", chain(path))]
    Cycle {
        /// Each task depends on the next; the last one is the first again.
        path: Vec<TaskNumber>,
    },
    /// A dependency on a unit that is not there.
    #[error("unit {unit} depends on unit \"{missing}\", which does not exist")]
    UnknownUnit {
        /// The unit.
        unit: UnitId,
        /// The name that no unit has.
        missing: String,
        /// The nearest names that there are.
        nearest: Vec<UnitId>,
    },
    /// Units that wait for one another.
    #[error("units depend on one another: {}", chain(path))]
    UnitCycle {
        /// Each unit depends on the next; the last one is the first again.
        path: Vec<UnitId>,
    },
}

impl Fault {
    /// How much it weighs.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }

    /// Whether no task of the unit may run because of it.
    #[must_use]
    pub fn stops_tasks(&self) -> bool {
        self.kind.stops_tasks()
    }

    /// What to write instead, if that can be told.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        self.kind.hint()
    }
}

impl FaultKind {
    /// How much it weighs.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            Self::UnknownKey { .. }
            | Self::LooseNumber { .. }
            | Self::LooseDependency { .. }
            | Self::RepeatedDependency { .. }
            | Self::LooseStatus { .. }
            | Self::CutCommand { .. }
            | Self::OtherUnitName { .. } => Severity::Warning,
            Self::NotUtf8
            | Self::NoFrontMatter
            | Self::UnclosedFrontMatter
            | Self::Yaml { .. }
            | Self::NotAMapping
            | Self::WrongType { .. }
            | Self::MissingNumber
            | Self::BadNumber { .. }
            | Self::BadDependency { .. }
            | Self::UnknownStatus { .. }
            | Self::NoCommand
            | Self::BadTimeout { .. }
            | Self::DuplicateNumber { .. }
            | Self::SelfDependency { .. }
            | Self::UnknownDependency { .. }
            | Self::Cycle { .. }
            | Self::UnknownUnit { .. }
            | Self::UnitCycle { .. } => Severity::Error,
        }
    }

    /// Whether no task of the unit may run because of it: which task is meant
    /// or what must come first cannot be told.
    #[must_use]
    pub fn stops_tasks(&self) -> bool {
        match self {
            Self::NoFrontMatter
            | Self::UnclosedFrontMatter
            | Self::Yaml { .. }
            | Self::NotAMapping
            | Self::MissingNumber
            | Self::BadNumber { .. }
            | Self::BadDependency { .. }
            | Self::DuplicateNumber { .. }
            | Self::SelfDependency { .. }
            | Self::UnknownDependency { .. }
            | Self::Cycle { .. } => true,
            Self::NotUtf8
            | Self::UnknownKey { .. }
            | Self::WrongType { .. }
            | Self::LooseNumber { .. }
            | Self::LooseDependency { .. }
            | Self::RepeatedDependency { .. }
            | Self::LooseStatus { .. }
            | Self::UnknownStatus { .. }
            | Self::NoCommand
            | Self::CutCommand { .. }
            | Self::BadTimeout { .. }
            | Self::OtherUnitName { .. }
            | Self::UnknownUnit { .. }
            | Self::UnitCycle { .. } => false,
        }
    }

    /// What to write instead, if that can be told.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let advice = match self {
            Self::Yaml { hint, .. } => return hint.clone(),
            Self::UnknownKey { nearest, .. } => {
                return nearest.map(|key| format!("did you mean {key}?"));
            }
            Self::UnknownStatus { nearest, .. } => match nearest {
                Some(status) => format!("did you mean {status}?"),
                None => format!("write one of {}", listed(&TaskStatus::ALL)),
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
            Self::OtherUnitName { folder, .. } => format!("write unit: {folder}"),
            Self::RepeatedDependency { .. } => "remove one of the two".to_owned(),
            Self::WrongType { key, expected } => {
                format!("write {key}: as {expected}; quote a text that holds \": \"")
            }
            Self::NotUtf8 => "save the file as UTF-8".to_owned(),
            Self::NoFrontMatter => "begin the file with ---, task: 1, and ---".to_owned(),
            Self::UnclosedFrontMatter => "close it with a line ---".to_owned(),
            Self::NotAMapping => "write lines such as task: 1".to_owned(),
            Self::MissingNumber => "add task: with a whole number from 1".to_owned(),
            Self::BadNumber { .. } => "write a whole number from 1".to_owned(),
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

/// The whole path where it is short, else its ends around how many more there
/// are.
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
