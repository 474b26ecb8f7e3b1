//! The dependencies among the tasks of a unit.

use std::collections::HashMap;
use std::sync::Arc;

use review_types::TaskNumber;

use super::{Edges, Precedence};
use crate::fault::{Fault, FaultKind};
use crate::span::{Place, Spanned};
use crate::task::TaskFile;

/// The dependencies among the tasks of a unit, with their faults.
///
/// Tasks are identified by their position in the list that the graph was built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    numbers: Vec<Option<TaskNumber>>,
    index: HashMap<TaskNumber, usize>,
    /// The transitive dependencies, for questions about many pairs.
    pub precedence: Precedence,
    faults: Vec<Fault>,
    stopping: Vec<Fault>,
}

impl Graph {
    /// Builds the graph of tasks, which are sorted by number as in a unit.
    pub fn new(tasks: &[TaskFile]) -> Self {
        let numbers: Vec<_> = tasks
            .iter()
            .map(|task| task.number.as_ref().map(|number| number.value))
            .collect();
        let mut index = HashMap::with_capacity(tasks.len());
        for (task, number) in numbers.iter().enumerate() {
            if let Some(number) = number {
                index.entry(*number).or_insert(task);
            }
        }
        let mut faults = duplicates(tasks, &index);
        let precedence = Precedence::new(edges(tasks, &index, &mut faults));
        if precedence.order.len() < tasks.len() {
            faults.extend(cycles(tasks, &precedence.edges));
        }
        let stopping = tasks
            .iter()
            .flat_map(|task| &task.faults)
            .chain(&faults)
            .filter(|fault| fault.stops_tasks())
            .cloned()
            .collect();
        Self {
            numbers,
            index,
            precedence,
            faults,
            stopping,
        }
    }

    /// Returns the faults among the tasks: duplicate numbers, unknown dependencies,
    /// self dependencies, cycles. Faults of single files are not included.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Returns the order in which the tasks run, by their position in the list: each after
    /// all that it depends on, and the lowest number first among the ready ones.
    ///
    /// # Errors
    /// All faults, of files and of the graph, that prevent every task from running.
    pub fn runnable(&self) -> Result<&[usize], Vec<Fault>> {
        if self.stopping.is_empty() {
            Ok(&self.precedence.order)
        } else {
            Err(self.stopping.clone())
        }
    }

    /// Returns all tasks that wait for this one, directly or not, by number.
    pub fn dependents(&self, number: TaskNumber) -> Vec<TaskNumber> {
        self.index.get(&number).map_or_else(Vec::new, |&task| {
            let reached = self.precedence.edges.reachable(task);
            reached
                .into_iter()
                .filter_map(|task| self.numbers[task])
                .collect()
        })
    }
}

/// Returns every task whose number an earlier one has.
fn duplicates(tasks: &[TaskFile], index: &HashMap<TaskNumber, usize>) -> Vec<Fault> {
    let mut free = 1;
    let mut faults = Vec::new();
    for (at, task) in tasks.iter().enumerate() {
        let Some(Spanned { value, place }) = task.number else {
            continue;
        };
        let first = index[&value];
        if first == at {
            continue;
        }
        while TaskNumber::new(free).is_some_and(|number| index.contains_key(&number)) {
            free += 1;
        }
        faults.push(Fault {
            path: task.path.clone(),
            place,
            kind: FaultKind::DuplicateNumber {
                number: value,
                first: tasks[first].path.clone(),
                free: TaskNumber::new(free).unwrap_or(value),
            },
        });
        free += 1;
    }
    faults
}

fn edges(tasks: &[TaskFile], index: &HashMap<TaskNumber, usize>, faults: &mut Vec<Fault>) -> Edges {
    let mut known: Option<Arc<[TaskNumber]>> = None;
    let dependencies = tasks.iter().map(|task| task.depends_on.len());
    let mut list = Vec::with_capacity(dependencies.sum());
    for (at, task) in tasks.iter().enumerate() {
        let Some(number) = task.number.as_ref().map(|number| number.value) else {
            continue;
        };
        let mut fault = |place: Place, kind| {
            faults.push(Fault {
                path: task.path.clone(),
                place,
                kind,
            });
        };
        for dependency in &task.depends_on {
            let before = dependency.value;
            if before == number {
                fault(dependency.place, FaultKind::SelfDependency { number });
            } else if let Some(&before) = index.get(&before) {
                list.push((before, at));
            } else {
                let known = known.get_or_insert_with(|| sorted(index)).clone();
                let missing = before;
                fault(
                    dependency.place,
                    FaultKind::UnknownDependency {
                        number,
                        missing,
                        known,
                    },
                );
            }
        }
    }
    Edges::new(tasks.len(), &list)
}

fn sorted(index: &HashMap<TaskNumber, usize>) -> Arc<[TaskNumber]> {
    let mut numbers: Vec<_> = index.keys().copied().collect();
    numbers.sort_unstable();
    numbers.into()
}

/// Returns cycles in the order of dependency: each task depends on the next.
fn cycles(tasks: &[TaskFile], edges: &Edges) -> Vec<Fault> {
    let mut faults = Vec::new();
    for mut cycle in edges.cycles() {
        cycle.reverse();
        let numbers = cycle.iter().filter_map(|&task| tasks[task].number.as_ref());
        let path: Vec<_> = numbers.map(|number| number.value).collect();
        let task = &tasks[cycle[0]];
        let edge = task
            .depends_on
            .iter()
            .find(|edge| Some(&edge.value) == path.get(1));
        faults.push(Fault {
            path: task.path.clone(),
            place: edge.map_or_else(Place::default, |edge| edge.place),
            kind: FaultKind::Cycle { path },
        });
    }
    faults
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(number: u32) -> TaskNumber {
        TaskNumber::new(number).expect("not 0")
    }

    fn tasks(list: &[(u32, &[u32])]) -> Vec<TaskFile> {
        list.iter()
            .enumerate()
            .map(|(at, (number, depends_on))| {
                let text = format!(
                    "---\ntask: {number}\nbackpressure: x\ndepends_on: {depends_on:?}\n---\n"
                );
                let task = TaskFile::parse(format!("u/{at}.md"), text);
                assert_eq!(task.faults, []);
                task
            })
            .collect()
    }

    fn kinds(list: &[(u32, &[u32])]) -> Vec<FaultKind> {
        let graph = Graph::new(&tasks(list));
        assert_eq!(graph.runnable(), Err(graph.faults().to_vec()));
        graph
            .faults()
            .iter()
            .map(|fault| fault.kind.clone())
            .collect()
    }

    #[test]
    fn ready_tasks_run_by_number() {
        let graph = Graph::new(&tasks(&[(1, &[3]), (2, &[]), (3, &[]), (4, &[1, 2])]));
        assert_eq!(graph.faults(), []);
        let order = graph.runnable().expect("runnable");
        assert_eq!(order, [1, 2, 0, 3]);
    }

    #[test]
    fn a_failed_task_blocks_all_that_depend_on_it() {
        let graph = Graph::new(&tasks(&[
            (1, &[]),
            (2, &[1]),
            (3, &[2]),
            (4, &[]),
            (5, &[3, 4]),
        ]));
        assert_eq!(graph.dependents(number(2)), [number(3), number(5)]);
        assert_eq!(graph.dependents(number(5)), []);
        assert_eq!(graph.dependents(number(9)), []);
    }

    #[test]
    fn a_duplicate_number_names_the_first_file_and_a_free_number() {
        let duplicate = |free| FaultKind::DuplicateNumber {
            number: number(1),
            first: "u/0.md".to_owned(),
            free: number(free),
        };
        assert_eq!(
            kinds(&[(1, &[]), (1, &[]), (1, &[]), (2, &[]), (4, &[])]),
            [duplicate(3), duplicate(5)]
        );
        let graph = Graph::new(&tasks(&[(1, &[]), (1, &[])]));
        assert_eq!(graph.faults()[0].path, "u/1.md");
        assert_eq!(graph.faults()[0].place.position.line, 2);
    }

    #[test]
    fn unknown_and_self_dependencies_are_reported_where_they_are_listed() {
        let list: &[(u32, &[u32])] = &[(1, &[1, 9]), (2, &[1])];
        assert_eq!(
            kinds(list),
            [
                FaultKind::SelfDependency { number: number(1) },
                FaultKind::UnknownDependency {
                    number: number(1),
                    missing: number(9),
                    known: [number(1), number(2)].into(),
                },
            ]
        );
        let graph = Graph::new(&tasks(list));
        let columns: Vec<_> = graph
            .faults()
            .iter()
            .map(|fault| fault.place.position.column)
            .collect();
        assert_eq!(columns, [14, 17]);
        assert_eq!(
            graph.faults()[1].kind.hint().as_deref(),
            Some("there are tasks 1, 2")
        );
    }

    #[test]
    fn a_cycle_is_a_path_from_its_lowest_task() {
        let list: &[(u32, &[u32])] = &[(1, &[]), (2, &[1, 4]), (3, &[2]), (4, &[3])];
        let path = [2, 4, 3, 2].map(number).to_vec();
        assert_eq!(kinds(list), [FaultKind::Cycle { path }]);
        let graph = Graph::new(&tasks(list));
        let fault = &graph.faults()[0];
        assert_eq!(
            fault.to_string(),
            "tasks depend on one another: 2 -> 4 -> 3 -> 2"
        );
        assert_eq!(
            (fault.path.as_str(), fault.place.position.column),
            ("u/1.md", 17)
        );
    }

    #[test]
    fn an_unreadable_file_stops_the_unit_and_a_missing_command_does_not() {
        let mut list = tasks(&[(1, &[])]);
        list.push(TaskFile::parse("u/2.md", "---\ntask: 2\n---\n"));
        assert_eq!(
            Graph::new(&list).runnable().map(<[usize]>::to_vec),
            Ok(vec![0, 1])
        );
        list.push(TaskFile::parse("u/3.md", "# Nothing\n"));
        let graph = Graph::new(&list);
        assert_eq!(graph.faults(), []);
        let stopping = graph.runnable().expect_err("unreadable");
        assert_eq!(stopping, list[2].faults);
    }

    proptest! {
        #[test]
        fn an_order_exists_exactly_when_nothing_is_wrong(
            list in prop::collection::vec((1u32..7, prop::collection::btree_set(1u32..7, 0..3)), 0..6),
        ) {
            let owned: Vec<_> = list.iter().map(|(n, d)| (*n, d.iter().copied().collect::<Vec<_>>())).collect();
            let borrowed: Vec<_> = owned.iter().map(|(n, d)| (*n, d.as_slice())).collect();
            let tasks = tasks(&borrowed);
            let graph = Graph::new(&tasks);
            match graph.runnable() {
                Ok(order) => {
                    prop_assert!(graph.faults().is_empty());
                    let mut done = Vec::new();
                    for &task in order {
                        prop_assert!(owned[task].1.iter().all(|before| done.contains(before)));
                        done.push(owned[task].0);
                    }
                    prop_assert_eq!(done.len(), owned.len());
                }
                Err(faults) => prop_assert!(!faults.is_empty()),
            }
        }
    }
}
