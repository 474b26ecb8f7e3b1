//! Takes work that was planned with another tool into a unit of the project. Of what is
//! there only a task without a command is changed, and no command comes from what is read.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use review_document::import::{
    ImportError, ImportShape, Imported, Numbered, plan_text, slug, source_line, spec_text,
    task_text,
};
use review_document::{Catalog, TaskFile, add_command, front_matter};
use review_store::{Reader, Root, RootPath};
use review_types::{ExitCode, UnitId};

use crate::error::EngineError;

/// The most bytes of a source.
const MAX_SIZE: usize = 1024 * 1024;
/// The folder of the changes of OpenSpec.
const CHANGES: &str = "openspec/changes";
const TASKS: &str = "tasks.md";
/// What lists of things to do are called in a root.
const CHECKLISTS: [&str; 2] = ["TODO.md", "fix_plan.md"];

/// The unit that a source becomes.
#[derive(Clone, Debug)]
pub struct Importing {
    /// The file that was read, relative to the root.
    pub source: String,
    /// The spec of the unit, relative to the root.
    pub spec: String,
    /// The files to write, relative to the root.
    pub files: BTreeMap<RootPath, String>,
    /// The task files of earlier imports that get their command, with their new content.
    pub changed: BTreeMap<RootPath, String>,
    /// The spec and the plan, where they are there already and stay as they are.
    pub kept: Vec<String>,
    /// The tasks, in the order of the source.
    pub tasks: Vec<ImportedTask>,
    /// What is not taken over, in words.
    pub left_out: Vec<String>,
}

/// A task of a source in its unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedTask {
    /// Its number in the unit.
    pub number: u32,
    /// Its id in the source.
    pub id: String,
    /// Whether its source says that it is done.
    pub is_claimed: bool,
    /// Whether an earlier import wrote its file.
    pub was_there: bool,
    /// Whether its file is there and says something else than the source.
    pub differs: bool,
    /// Whether it has a command.
    pub has_command: bool,
}

/// What is read: the file, its form, and the spec that is there with it.
struct Source {
    shape: ImportShape,
    file: String,
    name: String,
    spec: Option<String>,
}

/// A task that was imported before.
struct KnownTask {
    number: u32,
    path: String,
    text: String,
    has_command: bool,
}

impl Importing {
    /// Reads a source, and decides what is to be written. Nothing is written. Each task
    /// without a command gets `command`, with its id in place of `{id}`.
    ///
    /// # Errors
    /// [`EngineError`] where it cannot be read, or nothing of it can be taken.
    pub fn of(root: &Root, path: &Path, command: Option<&str>) -> Result<Self, EngineError> {
        let paths = review_store::paths(root)?;
        let source = Source::find(root, &root.relative(path)?, &paths)?;
        let work = source.read(root)?;
        let unit = UnitId::new(source.name.clone()).map_err(unusable)?;
        let dir = format!("tasks/{unit}");
        let catalog = Catalog::new(paths);
        let named = || format!("specs/{}.md", source.name.to_uppercase());
        let spec = source.spec.clone().unwrap_or_else(named);
        let mut reader = Reader::new(root);
        if let Ok(other) = catalog.unit_of_spec(&spec, |path| reader.read(path).ok())
            && other.dir != dir
        {
            return Err(unusable(format!(
                "{spec} has its tasks in {}: add those of the source there",
                other.dir
            )));
        }
        let (known, highest) = known_tasks(&catalog, &dir, &source.file, &mut reader);
        let of_source = |at: usize| known.get(&source_line(&work.stories[at], &source.file));
        let mut new = (highest..=u32::MAX).skip(1);
        let numbers = (0..work.stories.len()).map(|at| match of_source(at) {
            Some(known) => Some(known.number),
            None => new.next(),
        });
        let numbers: Option<Vec<u32>> = numbers.collect();
        let numbers = numbers.ok_or_else(|| unusable("its unit has the highest number"))?;
        let numbered = work.stories.iter().zip(&numbers).map(|(story, number)| {
            let mut depends_on: Vec<_> = story.after.iter().map(|at| numbers[*at]).collect();
            depends_on.sort_unstable();
            Numbered {
                story,
                number: *number,
                file: format!("{number:02}-{}.md", story.name),
                depends_on,
            }
        });
        let numbered: Vec<Numbered<'_>> = numbered.collect();
        let mut importing = Self {
            source: source.file.clone(),
            spec: spec.clone(),
            files: BTreeMap::new(),
            changed: BTreeMap::new(),
            kept: Vec::new(),
            tasks: Vec::new(),
            left_out: work.left_out.clone(),
        };
        importing.add(root, &spec, spec_text(&work, &source.file, &numbered))?;
        let plan = plan_text(unit.as_str(), &spec, &numbered);
        importing.add(root, &format!("{dir}/IMPLEMENTATION_PLAN.md"), plan)?;
        for (at, task) in numbered.iter().enumerate() {
            // An id has no character that a shell reads.
            let command = command.map(|command| command.replace("{id}", &task.story.id));
            let (head, body) = task_text(task, &spec, &source.file, command.as_deref());
            let mut imported = ImportedTask {
                number: task.number,
                id: task.story.id.clone(),
                is_claimed: task.story.is_claimed,
                was_there: false,
                differs: false,
                has_command: command.is_some(),
            };
            match of_source(at) {
                None => importing.add(root, &format!("{dir}/{}", task.file), head + &body)?,
                Some(known) => {
                    let lacking = command.filter(|_| !known.has_command);
                    let added = lacking.and_then(|command| add_command(&known.text, &command));
                    imported.was_there = true;
                    imported.differs = markdown_of(&known.text) != body.trim();
                    imported.has_command = known.has_command || added.is_some();
                    if let Some(text) = added {
                        importing.changed.insert(RootPath::new(&known.path)?, text);
                    }
                }
            }
            importing.tasks.push(imported);
        }
        Ok(importing)
    }

    /// Adds a file, unless it is there.
    fn add(&mut self, root: &Root, path: &str, text: String) -> Result<(), EngineError> {
        let file = RootPath::new(path)?;
        match root.resolve(&file)?.symlink_metadata() {
            Ok(_) => self.kept.push(path.to_owned()),
            Err(_) => {
                self.files.insert(file, text);
            }
        }
        Ok(())
    }

    /// Writes the new files, all of them or none, then those that get a command.
    ///
    /// # Errors
    /// [`EngineError`] where one cannot be written, or is there now.
    pub fn write(&self, root: &Root) -> Result<(), EngineError> {
        if let Some(path) = root.create_all(&self.files)? {
            return Err(unusable(format!(
                "{path} is there now; nothing was written"
            )));
        }
        for (path, text) in &self.changed {
            root.replace(path, text.as_bytes())?;
        }
        Ok(())
    }
}

impl Source {
    fn find(root: &Root, given: &RootPath, paths: &[String]) -> Result<Self, EngineError> {
        let path = given.as_str();
        let real = root.resolve(given)?;
        let mut sources = sources_of(paths);
        if real.is_dir() {
            sources.retain(|source| path.is_empty() || Path::new(&source.file).starts_with(path));
            if sources.len() > 1 {
                let given: Vec<_> = sources.iter().map(Self::given).collect();
                let given = given.join(", ");
                return Err(unusable(format!("name one of these to import: {given}")));
            }
            let shown = if path.is_empty() { "." } else { path };
            return sources.pop().ok_or_else(|| no_shape(shown));
        }
        if !real.is_file() {
            return Err(unusable(format!("no such file or folder: {path}")));
        }
        sources.retain(|source| source.file == path || source.spec.as_deref() == Some(path));
        if let Some(source) = sources.pop() {
            return Ok(source);
        }
        let extension = Path::new(path).extension().and_then(|text| text.to_str());
        match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("json") => Ok(Self::file(path, ImportShape::Prd)),
            Some("md" | "markdown") => Ok(Self::file(path, ImportShape::Checklist)),
            _ => Err(no_shape(path)),
        }
    }

    /// A file that has no spec.
    fn file(path: &str, shape: ImportShape) -> Self {
        let stem = Path::new(path).with_extension("");
        Self {
            shape,
            file: path.to_owned(),
            name: slug(&stem.to_string_lossy(), "imported"),
            spec: None,
        }
    }

    /// What a user names: the file, or the folder of tasks with their spec.
    fn given(&self) -> &str {
        match (&self.spec, self.file.rsplit_once('/')) {
            (Some(_), folder) => folder.map_or(".", |(folder, _)| folder),
            (None, _) => &self.file,
        }
    }

    fn read(&self, root: &Root) -> Result<Imported, EngineError> {
        let path = &self.file;
        let wrong = |why| unusable(format!("{path} {why}"));
        if path.contains(|char: char| char.is_control() || char == '`') {
            return Err(wrong(
                "has a character in its name that Markdown cannot hold",
            ));
        }
        let bytes = root.read(path)?.ok_or_else(|| wrong("is gone"))?;
        if bytes.len() > MAX_SIZE {
            return Err(wrong("is larger than 1 MiB"));
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| wrong("is not UTF-8"))?;
        Imported::read(self.shape, text).map_err(|error| {
            let message = format!("cannot import {path}: {error}");
            match error {
                ImportError::NoTask(_) => EngineError::of_code(ExitCode::NotPassed, message),
                ImportError::Json(_) => EngineError::new(message),
            }
        })
    }
}

/// The tasks that were imported from a source into the unit in a folder, by the line that
/// names it, and the highest number of the unit.
fn known_tasks(
    catalog: &Catalog,
    dir: &str,
    source: &str,
    reader: &mut Reader<'_>,
) -> (HashMap<String, KnownTask>, u32) {
    let (mut known, mut highest) = (HashMap::new(), 0);
    let unit = catalog.units().iter().find(|unit| unit.dir == dir);
    let end = format!(" of `{source}`");
    let is_named = |line: &&str| line.starts_with("**Source**: ") && line.ends_with(&end);
    for path in unit.into_iter().flat_map(|unit| &unit.files) {
        let bytes = reader.read(path).ok();
        let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
        let task = TaskFile::parse(path, &text);
        let Some(number) = task.number.map(|number| number.value.get()) else {
            continue;
        };
        highest = highest.max(number);
        if let Some(line) = text.lines().find(is_named).map(str::to_owned) {
            let known_task = KnownTask {
                number,
                path: path.clone(),
                text,
                has_command: !task.backpressure.is_empty(),
            };
            known.insert(line, known_task);
        }
    }
    (known, highest)
}

fn unusable(why: impl ToString) -> EngineError {
    EngineError::new(why.to_string())
}

/// The form of a source is not known.
fn no_shape(path: &str) -> EngineError {
    EngineError::Absent {
        message: format!(
            "{path} is not a prd.json, Markdown with boxes, feature of spec-kit or change of \
             OpenSpec"
        ),
        hint: "`ralph plan` has an agent make tasks of any file".to_owned(),
    }
}

/// The Markdown of a task file.
fn markdown_of(text: &str) -> &str {
    let head = front_matter::find(text).ok().flatten();
    let start = head.map_or(0, |head| head.block.end);
    text.get(start..).unwrap_or_default().trim()
}

/// What other tools planned among these paths: `prd.json`, features of spec-kit and changes
/// of OpenSpec that are not archived.
fn sources_of(paths: &[String]) -> Vec<Source> {
    let mut sources = Vec::new();
    for path in paths {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let above = Path::new(folder).parent();
        let is_change = above.is_some_and(|above| above.ends_with(CHANGES));
        let forms = [
            ("spec.md", ImportShape::SpecKit, true),
            ("proposal.md", ImportShape::OpenSpec, is_change),
        ];
        match name {
            "prd.json" => sources.push(Source::file(path, ImportShape::Prd)),
            TASKS => sources.extend(forms.into_iter().find_map(|(name, shape, fits)| {
                let spec = path.strip_suffix(TASKS)?.to_owned() + name;
                (fits && paths.contains(&spec)).then(|| Source {
                    shape,
                    file: path.clone(),
                    name: slug(folder.rsplit('/').next().unwrap_or_default(), "imported"),
                    spec: Some(spec),
                })
            })),
            _ => {}
        }
    }
    sources
}

/// Returns what can be imported in a root: `prd.json`, features of spec-kit, changes of
/// OpenSpec, and lists with open boxes, as absolute paths. A root that cannot be listed has
/// none.
pub fn importable(root: &Path) -> Vec<PathBuf> {
    let Ok(opened) = Root::open(root) else {
        return Vec::new();
    };
    let sources = sources_of(&review_store::paths(&opened).unwrap_or_default());
    let sources = sources.iter().map(Source::given);
    let lists = CHECKLISTS.into_iter();
    let lists = lists.filter(|list| open_boxes(&opened, list) > 0);
    sources.chain(lists).map(|one| root.join(one)).collect()
}

/// Returns the number of open boxes of a Markdown file; 0 where it cannot be read.
pub fn open_boxes(root: &Root, path: &str) -> usize {
    let bytes = root.read(path).ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let work = Imported::read(ImportShape::Checklist, &text).unwrap_or_default();
    work.stories
        .iter()
        .filter(|story| !story.is_claimed)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_tools_planned_is_known_by_its_files() {
        let paths = [
            "docs/prd.json",
            "openspec/changes/a/proposal.md",
            "openspec/changes/a/tasks.md",
            "openspec/changes/archive/b/proposal.md",
            "openspec/changes/archive/b/tasks.md",
            "openspec/changes/c/tasks.md",
            "prd.json",
            "specs/001-x/spec.md",
            "specs/001-x/tasks.md",
            "specs/002-y/tasks.md",
            "specs/SEARCH.md",
            "tasks.md",
            "tasks/x/01-a.md",
        ];
        let sources = sources_of(&paths.map(str::to_owned));
        let given: Vec<_> = sources.iter().map(Source::given).collect();
        assert_eq!(
            given,
            [
                "docs/prd.json",
                "openspec/changes/a",
                "prd.json",
                "specs/001-x"
            ]
        );
    }
}
