//! Projects to lint: generated ones of realistic size, or one read from disk.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use review_document::workspace::{Document, DocumentRole, ListedUnit, PathSet, Workspace};
use review_document::{FileRole, SourceText, Unit};

/// The sizes in bytes of the task files of a real project at each tenth percentile, and
/// the sizes of its specs and plans.
const TASK_SIZES: [usize; 11] = [
    1876, 3339, 3718, 4248, 4604, 5086, 5301, 6007, 7413, 9380, 15624,
];
const SPEC_SIZES: [usize; 5] = [17_000, 22_000, 30_000, 33_000, 44_000];
const PLAN_SIZE: usize = 3_000;

/// Files with their content, grouped by unit.
pub(crate) struct Project {
    pub(crate) parts: Vec<Part>,
}

/// Files that are linted together: a unit with its spec, or other files.
pub(crate) struct Part {
    unit: Option<String>,
    files: Vec<(String, DocumentRole, String)>,
}

impl Project {
    /// Units of `tasks` tasks, each with a spec and a plan, `length` times as long as
    /// usual.
    pub(crate) fn generated(units: usize, tasks: usize, length: usize) -> Self {
        let parts = (0..units).map(|unit| Part::generated(unit, tasks, length));
        Self {
            parts: parts.collect(),
        }
    }

    /// The Markdown files of a folder: each folder with tasks is a unit, and all other
    /// files are specs.
    pub(crate) fn read(folder: &Path) -> Self {
        let mut parts = Vec::new();
        let mut specs = Vec::new();
        let mut open = vec![folder.to_owned()];
        while let Some(next) = open.pop() {
            let (folders, paths) = listed(&next);
            open.extend(folders);
            let files = paths.iter().map(|path| {
                let text = std::fs::read_to_string(path).expect("text");
                let path = path.strip_prefix(folder).expect("a file below").display();
                let role = match FileRole::of(&path.to_string()) {
                    FileRole::Plan => DocumentRole::Plan,
                    FileRole::Task => DocumentRole::Task,
                    FileRole::Text | FileRole::Other => DocumentRole::Spec,
                };
                (path.to_string(), role, text)
            });
            let files: Vec<_> = files.collect();
            if files.iter().any(|(_, role, _)| *role == DocumentRole::Task) {
                let dir = next.strip_prefix(folder).expect("a folder below");
                parts.push(Part {
                    unit: Some(dir.display().to_string()),
                    files,
                });
            } else {
                specs.extend(files);
            }
        }
        parts.push(Part {
            unit: None,
            files: specs,
        });
        Self { parts }
    }

    pub(crate) fn files(&self) -> usize {
        self.parts.iter().map(|part| part.files.len()).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.parts.iter().map(Part::bytes).sum()
    }

    /// The Markdown of each file, after its front matter.
    pub(crate) fn bodies(&self) -> Vec<String> {
        self.parts.iter().flat_map(Part::bodies).collect()
    }

    /// The workspace of each part, without its documents.
    pub(crate) fn workspaces(&self) -> Vec<Workspace> {
        let files = self.parts.iter().flat_map(|part| &part.files);
        let paths: PathSet = files.map(|(path, ..)| path).cloned().collect();
        let units = self.parts.iter().filter_map(Part::unit);
        let units: Arc<[ListedUnit]> = units.map(listed_unit).collect();
        let workspaces = self.parts.iter().map(|_| Workspace {
            units: units.clone(),
            paths: paths.clone(),
            ..Workspace::default()
        });
        workspaces.collect()
    }
}

fn listed_unit(unit: Unit) -> ListedUnit {
    ListedUnit {
        dir: unit.dir,
        id: unit.id,
        plan: unit.plan,
    }
}

impl Part {
    /// A single spec.
    pub(crate) fn spec(text: String) -> Self {
        Self {
            unit: None,
            files: vec![("specs/A.md".to_owned(), DocumentRole::Spec, text)],
        }
    }

    /// A unit of one task with this content.
    pub(crate) fn task(text: &str) -> Self {
        let text = format!(
            "---\ntask: 1\nstatus: pending\nbackpressure: cargo test web\ndepends_on: []\n---\n\n\
             # Web\n\n{text}"
        );
        Self::unit_of(vec![text])
    }

    /// A unit of `tasks` short tasks, each dependent on two others.
    pub(crate) fn chain(tasks: usize) -> Self {
        let texts = (1..=tasks).map(|number| task(0, number, tasks, 0));
        Self::unit_of(texts.collect())
    }

    fn unit_of(texts: Vec<String>) -> Self {
        let files = texts.into_iter().zip(1..).map(|(text, number)| {
            let path = format!("tasks/web/{number:02}-part.md");
            (path, DocumentRole::Task, text)
        });
        Self {
            unit: Some("tasks/web".to_owned()),
            files: files.collect(),
        }
    }

    fn generated(unit: usize, tasks: usize, length: usize) -> Self {
        let size = SPEC_SIZES[unit % SPEC_SIZES.len()];
        let path = format!("specs/SHOP-{unit}.md");
        let mut files = vec![(path, DocumentRole::Spec, spec(unit, size * length))];
        let path = format!("tasks/shop-{unit}/IMPLEMENTATION_PLAN.md");
        files.push((
            path,
            DocumentRole::Plan,
            plan(unit, tasks, PLAN_SIZE * length),
        ));
        for number in 1..=tasks {
            let size = TASK_SIZES[(unit * 5 + number) % TASK_SIZES.len()];
            let path = format!("tasks/shop-{unit}/{number:02}-part.md");
            let text = task(unit, number, tasks, size * length);
            files.push((path, DocumentRole::Task, text));
        }
        Self {
            unit: Some(format!("tasks/shop-{unit}")),
            files,
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.files.iter().map(|(_, _, text)| text.len()).sum()
    }

    /// The Markdown of each file, after its front matter.
    pub(crate) fn bodies(&self) -> Vec<String> {
        let documents = self.documents().into_iter();
        documents
            .map(|document| document.source[document.body..].to_owned())
            .collect()
    }

    pub(crate) fn documents(&self) -> Vec<Document> {
        self.read(self.texts())
    }

    /// The documents with this content, one for each of its files.
    pub(crate) fn read<'a, T>(&self, files: impl Iterator<Item = T>) -> Vec<Document>
    where
        T: Into<SourceText<'a>>,
    {
        let files = self.files.iter().zip(files);
        files
            .map(|((path, role, _), file)| Document::parse(path.as_str(), *role, file))
            .collect()
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = String> {
        self.files.iter().map(|(_, _, text)| text.clone())
    }

    pub(crate) fn unit(&self) -> Option<Unit> {
        let dir = self.unit.as_deref()?;
        let name = dir.rsplit('/').next().unwrap_or(dir);
        let files = self.files.iter().map(|(path, _, text)| (path, text));
        Some(Unit::load(name.parse().expect("a name"), dir, files))
    }

    /// A workspace without documents.
    pub(crate) fn workspace(&self) -> Workspace {
        Workspace {
            documents: self.documents(),
            unit: self.unit(),
            paths: self.files.iter().map(|(path, ..)| path).cloned().collect(),
            ..Workspace::default()
        }
    }
}

/// The subfolders and the Markdown files of a folder, sorted.
fn listed(folder: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let (folders, mut files): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| path.is_dir());
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    (folders, files)
}

fn spec(unit: usize, size: usize) -> String {
    let mut text = format!(
        "# Shop, part {unit}\n\n## Overview\n\nThe shop takes orders, keeps them in `orders.db` \
         and tells its clients of changes. It replaces the [old shop](SHOP-0.md), whose orders \
         could be lost on a crash.\n\n## Requirements\n\n### Functional Requirements\n\n"
    );
    for number in 1..=12 {
        let _infallible = writeln!(
            text,
            "- **FR-{number}**: When an order reaches state {number}, the shop writes it to \
             `orders.db` within 50 ms and answers with the number of the order (see FR-{}).",
            number / 2 + 1
        );
    }
    text += "\n### Performance Requirements\n\n| Metric | Target |\n|--------|--------|\n";
    for number in 1..=5 {
        let _infallible = writeln!(text, "| Time of request {number} | < {} ms |", number * 10);
    }
    text += "\n### Constraints\n\n- It must use the existing `Store` and must not change its files.\n\
             - Locks are held for at most 10 ms.\n\n## Design\n\n";
    let mut part = 0;
    while text.len() < size {
        part += 1;
        design(&mut text, part);
    }
    text += "\n## Acceptance Criteria\n\n- [ ] Orders survive a crash\n- [ ] All tests pass\n";
    text
}

/// A subsection of a design: prose, code, a list or a table.
fn design(text: &mut String, part: usize) {
    let _infallible = write!(
        text,
        "### Part {part}\n\nOrders of this part are held by `Orders{part}`, which is built from \
         a *store* and a clock. It is shared by the [server](../docs/server.md) and the importer; \
         each of them holds a handle, and the last one closes the file. A write that fails leaves \
         the old order in place, and the client receives the number of the rejected line and the reason.\n\n"
    );
    let _infallible = match part % 3 {
        0 => write!(
            text,
            "| State | Meaning | Next |\n|-------|---------|------|\n\
             | `open` | Lines can be added | `paid`, `void` |\n\
             | `paid` | The money is there | `sent` |\n\
             | `sent` | The parcel left | - |\n\n\
             1. The order is read by its number.\n2. Its lines are checked against `prices`.\n\
             3. The sum is written, and the event `order.{part}` is sent.\n\n"
        ),
        1 => code(text, part, 24),
        _ => write!(
            text,
            "- `max_lines`: the most lines of an order, 100 unless set\n\
             - `timeout`: seconds until a write is given up, 5 unless set\n\
             - `path`: the path of the file\n\n> A limit of 0 switches the check off.\n\n\
             ```toml\n[orders]\nmax_lines = 100\ntimeout = \"5s\"\n```\n\n"
        ),
    };
}

fn code(text: &mut String, part: usize, lines: usize) -> std::fmt::Result {
    writeln!(
        text,
        "```rust\n/// The orders of part {part}.\npub struct Orders{part} {{"
    )?;
    for line in 0..lines / 2 {
        writeln!(text, "    line_{line}: Option<Line>, // of the order")?;
    }
    writeln!(text, "}}\n\nimpl Orders{part} {{")?;
    for line in 0..lines / 2 {
        writeln!(
            text,
            "    fn line_{line}(&self) -> Option<&Line> {{ self.line_{line}.as_ref() }}"
        )?;
    }
    writeln!(text, "}}\n```\n")
}

fn plan(unit: usize, tasks: usize, size: usize) -> String {
    let other = unit / 2;
    let depends_on = if other == unit {
        String::new()
    } else {
        format!("shop-{other}")
    };
    let mut text = format!(
        "---\n# === Author-provided ===\nunit: shop-{unit}\ndepends_on: [{depends_on}]\n---\n\n\
         # Implementation Plan\n\n## Overview\n\nThe orders of part {unit} in {tasks} tasks.\n\n\
         ## Task Sequence\n\n\
         | # | Task Spec | Description | Dependencies | Backpressure |\n\
         |---|-----------|-------------|--------------|--------------|\n"
    );
    for number in 1..=tasks {
        let before: Vec<_> = before(number).iter().map(|n| format!("#{n}")).collect();
        let before = match before.as_slice() {
            [] => "None".to_owned(),
            before => before.join(", "),
        };
        let _infallible = writeln!(
            text,
            "| {number} | {number:02}-part.md | Part {number} of the orders | {before} | \
             `cargo test -p shop orders_{number}` |"
        );
    }
    text += "\n## Baseline Checks\n\n```bash\ncargo fmt --check && cargo test -p shop\n```\n\n\
             ## Notes\n\n";
    while text.len() < size {
        text += "- A part is done when its tests pass and `cargo clippy` reports nothing.\n";
    }
    let _infallible = write!(
        text,
        "\n## Reference\n\n- Design spec: `/specs/SHOP-{unit}.md`\n"
    );
    text
}

fn before(number: usize) -> Vec<usize> {
    let mut before = vec![number / 2, number.saturating_sub(1)];
    before.dedup();
    before.retain(|&other| other > 0 && other != number);
    before
}

fn task(unit: usize, number: usize, tasks: usize, size: usize) -> String {
    let before = before(number);
    let mut text = format!(
        "---\ntask: {number}\nstatus: pending\nbackpressure: \"cargo test -p shop orders_{number}\"\n\
         depends_on: {before:?}\n---\n\n# Orders, part {number}\n\n\
         **Parent spec**: `/specs/SHOP-{unit}.md`\n\
         **Task**: #{number} of {tasks} in implementation plan\n\n## Objective\n\n\
         Hold the orders of part {number} (FR-{number}).\n\n## Dependencies\n\n\
         ### External Specs (must be implemented)\n- None\n\n\
         ### Task Dependencies (within this unit)\n"
    );
    for before in &before {
        let _infallible = writeln!(
            text,
            "- Task #{before} must be complete (provides: `Orders{before}`)"
        );
    }
    let _infallible = write!(
        text,
        "\n## Deliverables\n\n### Files to Create\n\n```\ncrates/shop/src/\n\
         ├── orders_{number}.rs  # CREATE: Orders{number}\n\
         └── lines_{number}.rs   # CREATE: its lines\n```\n\n### Functions to Implement\n\n"
    );
    while text.len() + 900 < size {
        let _infallible = code(&mut text, number, 16);
    }
    let _infallible = write!(
        text,
        "## Backpressure\n\n### Validation Command\n\n```bash\ncargo test -p shop orders_{number}\n\
         ```\n\n### Must Pass\n\n| Test | Assertion |\n|------|-----------|\n"
    );
    for test in ["reads", "writes", "refuses_too_many_lines", "keeps_the_old"] {
        let _infallible = writeln!(
            text,
            "| `orders_{number}_{test}` | `Orders{number}` holds 3 lines |"
        );
    }
    text += "\n### CI Compatibility\n\n- [x] No external API keys required\n\
             - [x] No network access required\n- [x] Runs in <60 seconds\n\n\
             ## Implementation Notes\n\n";
    while text.len() + 150 < size {
        text +=
            "- A write that fails leaves the old order, and returns `refused` (see the store).\n";
    }
    text += "\n## NOT In Scope\n\n- The importer, which reads files of other shops\n";
    text
}
