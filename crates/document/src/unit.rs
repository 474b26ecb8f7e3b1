//! Units: a folder with a plan and tasks.

use review_text::near;
use review_types::{TaskNumber, UnitId};

use crate::fault::{Fault, FaultKind};
use crate::path::{below, markdown_stem};
use crate::plan::{PLAN_STEM, Plan};
use crate::source::SourceText;
use crate::span::Place;
use crate::task::{TaskFile, TaskKey};
use crate::{Graph, yaml};

/// A parsed unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its id.
    pub id: UnitId,
    /// Its folder, relative to the root.
    pub dir: String,
    /// The spec that it implements, relative to the root, if it is known.
    pub spec: Option<String>,
    /// Its plan.
    pub plan: Option<Plan>,
    /// Its tasks by number; those without one come last, by path.
    pub tasks: Vec<TaskFile>,
}

/// The role of a file in the folder of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRole {
    /// The plan.
    Plan,
    /// A Markdown file whose name starts with a number.
    Task,
    /// A Markdown file that is a task if its front matter has a key of tasks.
    Text,
    /// Anything else.
    Other,
}

impl FileRole {
    /// Returns the role by the name of a file.
    pub fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or_default();
        let Some(stem) = markdown_stem(name).filter(|stem| !stem.starts_with('.')) else {
            return Self::Other;
        };
        if stem.is_empty() {
            Self::Other
        } else if near::is_same(stem, PLAN_STEM) {
            Self::Plan
        } else if name.starts_with(|first: char| first.is_ascii_digit()) {
            Self::Task
        } else {
            Self::Text
        }
    }
}

impl Unit {
    /// Parses the files of a unit: paths relative to the root, with their contents.
    ///
    /// A task in a subfolder of `dir` has a fault; files that are neither plan nor task
    /// are ignored. This never fails: errors become faults.
    ///
    /// ```
    /// use review_document::Unit;
    ///
    /// let files = [
    ///     ("tasks/web/02-page.md", "---\ntask: 2\nbackpressure: cargo test\n---\n"),
    ///     ("tasks/web/01-store.md", "---\ntask: 1\nbackpressure: cargo test\n---\n"),
    /// ];
    /// let unit = Unit::load("web".parse()?, "tasks/web", files);
    /// assert_eq!(unit.tasks[0].path, "tasks/web/01-store.md");
    /// # Ok::<(), review_types::IdError>(())
    /// ```
    pub fn load<'s, P, T>(
        id: UnitId,
        dir: impl Into<String>,
        files: impl IntoIterator<Item = (P, T)>,
    ) -> Self
    where
        P: AsRef<str>,
        T: Into<SourceText<'s>>,
    {
        let dir = dir.into();
        let mut plan = None;
        let mut tasks = Vec::new();
        for (path, source) in files {
            let (path, source) = (path.as_ref(), source.into());
            let Some(name) = below(&dir, path) else {
                continue;
            };
            let is_below = name.contains('/');
            match FileRole::of(path) {
                FileRole::Plan if !is_below => plan = Some(read_plan(&id, path, source)),
                FileRole::Task if !is_below => tasks.push(TaskFile::parse(path, source)),
                FileRole::Task | FileRole::Text if claims_to_be_a_task(&source) => {
                    let mut task = TaskFile::parse(path, source);
                    if is_below {
                        task.faults.insert(0, misplaced(path, &dir));
                    }
                    tasks.push(task);
                }
                FileRole::Plan | FileRole::Task | FileRole::Text | FileRole::Other => {}
            }
        }
        tasks.sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
        Self {
            id,
            dir,
            spec: None,
            plan,
            tasks,
        }
    }

    /// Returns the task with this number; the first by path when there are several.
    pub fn task(&self, number: TaskNumber) -> Option<&TaskFile> {
        self.place(number).map(|place| &self.tasks[place])
    }

    /// Returns the position of the first task with this number.
    pub fn place(&self, number: TaskNumber) -> Option<usize> {
        let number_of = |task: &TaskFile| task.number.as_ref().map(|found| found.value);
        let place = self
            .tasks
            .partition_point(|task| number_of(task).is_some_and(|found| found < number));
        let found = self.tasks.get(place).and_then(number_of);
        (found == Some(number)).then_some(place)
    }

    /// Returns the dependencies among its tasks.
    pub fn graph(&self) -> Graph {
        Graph::new(&self.tasks)
    }

    /// Returns all faults of its files and its graph: those of the plan, then of
    /// the tasks, then of several tasks together.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults: Vec<_> = self.file_faults().cloned().collect();
        faults.extend(self.graph().faults().iter().cloned());
        faults
    }

    /// Returns the faults of single files: those of the plan, then of the
    /// tasks.
    pub fn file_faults(&self) -> impl Iterator<Item = &Fault> {
        let plan = self.plan.iter().flat_map(|plan| &plan.faults);
        let tasks = self.tasks.iter().flat_map(|task| &task.faults);
        plan.chain(tasks)
    }
}

fn sort_key(task: &TaskFile) -> (bool, Option<TaskNumber>, &str) {
    let number = task.number.as_ref().map(|number| number.value);
    (number.is_none(), number, &task.path)
}

fn read_plan(id: &UnitId, path: &str, source: SourceText<'_>) -> Plan {
    let mut plan = Plan::parse(path, source);
    if let Some(unit) = plan
        .unit
        .as_ref()
        .filter(|unit| !near::is_same(&unit.value, id.as_str()))
    {
        plan.faults.push(Fault {
            path: path.to_owned(),
            place: unit.place,
            kind: FaultKind::OtherUnitName {
                unit: unit.value.clone(),
                folder: id.clone(),
            },
        });
    }
    plan
}

fn misplaced(path: &str, dir: &str) -> Fault {
    Fault {
        path: path.to_owned(),
        place: Place::default(),
        kind: FaultKind::TaskInSubfolder {
            folder: dir.to_owned(),
        },
    }
}

/// Returns whether the front matter of a file has a key that only tasks have.
pub fn claims_to_be_a_task(source: &SourceText<'_>) -> bool {
    let text = &source.text;
    let Ok(Some(found)) = crate::front_matter::find(text) else {
        return false;
    };
    source.invalid_at.is_none()
        && yaml::parse_within(text, found.yaml, found.yaml_line).is_ok_and(|tree| {
            let has = |key: TaskKey| tree.root.get(key.as_str()).is_some();
            has(TaskKey::Task) || has(TaskKey::Backpressure)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "---\nunit: web\ndepends_on: [events]\n---\n# Plan\n";

    fn id(name: &str) -> UnitId {
        name.parse().expect("a legal name")
    }

    fn task(number: u32) -> String {
        format!("---\ntask: {number}\nbackpressure: cargo test\n---\n")
    }

    fn load(files: &[(&str, &str)]) -> Unit {
        Unit::load(id("web"), "tasks/web", files.iter().copied())
    }

    #[test]
    fn the_role_of_a_file_depends_on_its_name() {
        for (path, role) in [
            ("tasks/web/IMPLEMENTATION_PLAN.md", FileRole::Plan),
            ("implementation-plan.MD", FileRole::Plan),
            ("01-a.md", FileRole::Task),
            ("1.md", FileRole::Task),
            ("notes.md", FileRole::Text),
            ("tasks/web/02-b.markdown", FileRole::Task),
            ("Implementation_Plan.Markdown", FileRole::Plan),
            ("notes.mdx", FileRole::Other),
            (".hidden.md", FileRole::Other),
            ("01-a.txt", FileRole::Other),
            (".md", FileRole::Other),
            ("", FileRole::Other),
            ("aé.d", FileRole::Other),
        ] {
            assert_eq!(FileRole::of(path), role, "{path}");
        }
    }

    #[test]
    fn tasks_are_sorted_by_number_and_other_files_ignored() {
        let (one, two) = (task(1), task(2));
        let unit = load(&[
            ("tasks/web/00-broken.md", "the file has no front matter"),
            ("tasks/web/10-b.md", &two),
            ("tasks/web/20-a.md", &one),
            ("tasks/web/late.md", &task(3)),
            ("tasks/web/README.md", "# Read me\n"),
            ("tasks/web/fixtures/01-input.md", "# Input\n"),
            ("tasks/web2/01-other.md", &one),
            ("tasks/web/IMPLEMENTATION_PLAN.md", PLAN),
        ]);
        let paths: Vec<_> = unit.tasks.iter().map(TaskFile::file_name).collect();
        assert_eq!(paths, ["20-a.md", "10-b.md", "late.md", "00-broken.md"]);
        assert_eq!(unit.dir, "tasks/web");
        assert_eq!(unit.plan.map(|plan| plan.faults), Some(vec![]));
    }

    #[test]
    fn a_task_in_a_subfolder_is_read_and_keeps_the_unit_from_running() {
        let unit = load(&[
            ("tasks/web/01-a.md", &task(1)),
            ("tasks/web/ui/02-b.md", &task(2)),
            ("tasks/web/ui/page.md", "---\nbackpressure: make\n---\n"),
        ]);
        let paths: Vec<_> = unit.tasks.iter().map(|task| task.path.as_str()).collect();
        let expected = [
            "tasks/web/01-a.md",
            "tasks/web/ui/02-b.md",
            "tasks/web/ui/page.md",
        ];
        assert_eq!(paths, expected);
        let faults = unit.graph().runnable().expect_err("faults");
        let messages: Vec<_> = faults.iter().map(ToString::to_string).collect();
        let is_below = "the task is in a folder below tasks/web, the folder of its unit";
        assert_eq!(messages, [is_below, is_below, "the task has no number"]);
        assert_eq!(
            faults[0].kind.hint().as_deref(),
            Some("move the file to tasks/web")
        );
    }

    #[test]
    fn a_file_that_is_not_utf8_is_a_task_only_by_its_name() {
        let bytes = b"---\ntask: 3\n---\n\xff".as_slice();
        let files = [("tasks/web/late.md", bytes), ("tasks/web/03-c.md", bytes)];
        let unit = Unit::load(id("web"), "tasks/web", files);
        let paths: Vec<_> = unit.tasks.iter().map(TaskFile::file_name).collect();
        assert_eq!(paths, ["03-c.md"]);
        let mut faults = unit.tasks[0].faults.iter();
        assert!(faults.any(|fault| fault.kind == FaultKind::NotUtf8));
    }

    #[test]
    fn a_unit_may_be_in_the_root() {
        for dir in ["", "."] {
            let unit = Unit::load(
                id("web"),
                dir,
                [("01-a.md", task(1)), ("x/README.md", "# X\n".to_owned())],
            );
            assert_eq!(unit.tasks.len(), 1, "{dir:?}");
        }
    }

    #[test]
    fn a_task_is_found_by_its_number() {
        let unit = load(&[
            ("tasks/web/01-a.md", &task(1)),
            ("tasks/web/03-b.md", &task(3)),
            ("tasks/web/03-c.md", &task(3)),
        ]);
        let path = |number| {
            TaskNumber::new(number)
                .and_then(|number| unit.task(number))
                .map(TaskFile::file_name)
        };
        assert_eq!(path(3), Some("03-b.md"));
        assert_eq!(path(1), Some("01-a.md"));
        assert_eq!(path(2), None);
        assert_eq!(path(4), None);
    }

    #[test]
    fn a_plan_that_names_another_unit_is_a_warning() {
        let unit = load(&[(
            "tasks/web/IMPLEMENTATION_PLAN.md",
            "---\nunit: WEB_2\n---\n",
        )]);
        let faults = unit.faults();
        assert_eq!(
            faults[0].kind,
            FaultKind::OtherUnitName {
                unit: "WEB_2".to_owned(),
                folder: id("web")
            }
        );
        assert_eq!(faults[0].place.position.line, 2);
        let same = load(&[("tasks/web/IMPLEMENTATION_PLAN.md", "---\nunit: WEB\n---\n")]);
        assert_eq!(same.faults(), []);
    }

    #[test]
    fn the_faults_of_a_unit_are_those_of_its_files_and_its_graph() {
        let unit = load(&[
            ("tasks/web/01-a.md", "---\ntask: 1\n---\n"),
            ("tasks/web/02-b.md", &task(1)),
            ("tasks/web/IMPLEMENTATION_PLAN.md", "---\nunits: web\n---\n"),
        ]);
        let kinds: Vec<_> = unit
            .faults()
            .into_iter()
            .map(|fault| (fault.path, std::mem::discriminant(&fault.kind)))
            .collect();
        let kind = |kind: &FaultKind| std::mem::discriminant(kind);
        let unknown = FaultKind::UnknownKey {
            key: String::new(),
            nearest: None,
        };
        let number = TaskNumber::new(1).expect("not 0");
        let duplicate = FaultKind::DuplicateNumber {
            number,
            first: String::new(),
            free: number,
        };
        assert_eq!(
            kinds,
            [
                (
                    "tasks/web/IMPLEMENTATION_PLAN.md".to_owned(),
                    kind(&unknown)
                ),
                ("tasks/web/01-a.md".to_owned(), kind(&FaultKind::NoCommand)),
                ("tasks/web/02-b.md".to_owned(), kind(&duplicate)),
            ]
        );
    }
}
