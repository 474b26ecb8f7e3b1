//! Takes work that was planned with another tool into a unit of the project. Nothing that
//! is there is changed, and no command comes from what is read.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use review_document::import::{
    CommandTemplate, ImportError, ImportNote, ImportShape, Imported, Numbered, Story, plan_text,
    slug, source_line, spec_text, task_text,
};
use review_document::{Catalog, Unit, front_matter};
use review_store::{ConfineError, Reader, Root, RootPath};
use review_types::{IdError, UnitId};

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
    /// The files that are there already, and stay as they are.
    pub kept: Vec<String>,
    /// The tasks, in the order of the source.
    pub tasks: Vec<ImportedTask>,
    /// The number of criteria.
    pub criteria: usize,
    /// The number of dependencies.
    pub dependencies: usize,
    /// What was changed, found or lost.
    pub notes: Vec<ImportNote>,
}

/// A task of a source in its unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedTask {
    /// Its number in the unit.
    pub number: u32,
    /// Its id in the source.
    pub id: String,
    /// Its file, relative to the root.
    pub path: String,
    /// Whether its source says that it is done.
    pub is_claimed: bool,
    /// Whether it has a command.
    pub has_command: bool,
    /// Whether its file is there already.
    pub was_there: bool,
    /// Whether its file is there and says something else than the source.
    pub differs: bool,
}

/// Why nothing is imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportFailure {
    /// A path leads out of the root, or a file cannot be read or written.
    #[error(transparent)]
    Confine(#[from] ConfineError),
    /// Nothing is there.
    #[error("no such file or folder: {0}")]
    Missing(String),
    /// Its form is not known.
    #[error("{0} is no prd.json, Markdown with boxes, feature of spec-kit or change of OpenSpec")]
    NoShape(String),
    /// It has several forms, or holds several sources.
    #[error("{path} has several things to import; say which one")]
    Several {
        /// The path.
        path: String,
        /// What it has.
        sources: Vec<String>,
    },
    /// It is not text of a size that is read.
    #[error("{path} {why}")]
    NotText {
        /// The file.
        path: String,
        /// Why.
        why: &'static str,
    },
    /// No task can be taken from it.
    #[error("cannot import {path}: {error}")]
    Source {
        /// The file.
        path: String,
        /// Why.
        error: ImportError,
    },
    /// Its name can be no name of a unit.
    #[error(transparent)]
    Name(#[from] IdError),
    /// Its spec has tasks elsewhere.
    #[error("{spec} has its tasks in {dir}")]
    HasUnit {
        /// The spec.
        spec: String,
        /// The folder of the unit.
        dir: String,
    },
    /// The unit has the highest number already.
    #[error("there is no number for another task in {0}")]
    NoNumber(String),
    /// A file was written by someone else in the meantime.
    #[error("{0} is there now; nothing was written")]
    Appeared(RootPath),
}

/// What is read: the file, its form, and the spec that is there with it.
struct Source {
    shape: ImportShape,
    file: String,
    name: String,
    spec: Option<String>,
}

/// The unit as it is.
#[derive(Default)]
struct Existing {
    /// The numbers and texts of tasks, with their paths, by the line of their source.
    tasks: HashMap<String, (u32, String, String)>,
    commands: HashMap<String, bool>,
    highest: u32,
}

impl Importing {
    /// Reads a source, and decides what is to be written. Nothing is written.
    ///
    /// # Errors
    /// [`ImportFailure`] where it cannot be read, or nothing of it can be taken.
    pub fn of(
        root: &Root,
        path: &Path,
        command: Option<&CommandTemplate>,
    ) -> Result<Self, ImportFailure> {
        let paths = review_store::paths(root)?;
        let source = Source::find(root, &root.relative(path)?, &paths)?;
        let work = source.read(root)?;
        let unit = UnitId::new(source.name.clone())?;
        let dir = format!("tasks/{unit}");
        let catalog = Catalog::new(paths);
        let named = || format!("specs/{}.md", source.name.to_uppercase());
        let spec = source.spec.clone().unwrap_or_else(named);
        let mut reader = Reader::new(root);
        if let Ok(other) = catalog.unit_of_spec(&spec, |path| reader.read(path).ok())
            && other.dir != dir
        {
            let dir = other.dir.clone();
            return Err(ImportFailure::HasUnit { spec, dir });
        }
        let existing = Existing::load(&catalog, &unit, &dir, &mut reader);
        let numbered = existing.number(&work.stories, &source.file, &dir)?;
        let mut importing = Self {
            criteria: work.stories.iter().map(|story| story.criteria.len()).sum(),
            dependencies: work.stories.iter().map(|story| story.after.len()).sum(),
            source: source.file.clone(),
            files: BTreeMap::new(),
            kept: Vec::new(),
            tasks: Vec::new(),
            notes: work.notes.clone(),
            spec: spec.clone(),
        };
        importing.add(root, &spec, spec_text(&work, &source.file, &numbered))?;
        let plan = plan_text(unit.as_str(), &spec, &numbered);
        importing.add(root, &format!("{dir}/IMPLEMENTATION_PLAN.md"), plan)?;
        for task in &numbered {
            let new = format!("{dir}/{}", task.file);
            let command = command.map(|command| command.of(task.story));
            let (head, body) = task_text(task, &spec, &source.file, command.as_deref());
            let known = existing.tasks.get(&source_line(task.story, &source.file));
            let path = known.map_or(&new, |(_, path, _)| path).clone();
            if known.is_some() {
                importing.kept.push(path.clone());
            } else {
                importing.add(root, &path, head + &body)?;
            }
            importing.tasks.push(ImportedTask {
                number: task.number,
                id: task.story.id.clone(),
                is_claimed: task.story.is_claimed,
                has_command: existing
                    .commands
                    .get(&path)
                    .copied()
                    .unwrap_or(command.is_some()),
                was_there: known.is_some(),
                differs: known.is_some_and(|(.., text)| markdown_of(text) != body.trim()),
                path,
            });
        }
        Ok(importing)
    }

    /// Adds a file, unless it is there.
    fn add(&mut self, root: &Root, path: &str, text: String) -> Result<(), ImportFailure> {
        let file = RootPath::new(path)?;
        match root.resolve(&file)?.symlink_metadata() {
            Ok(_) => self.kept.push(path.to_owned()),
            Err(_) => {
                self.files.insert(file, text);
            }
        }
        Ok(())
    }

    /// Writes the files: all of them, or none.
    ///
    /// # Errors
    /// [`ImportFailure`] where one cannot be written, or is there now.
    pub fn write(&self, root: &Root) -> Result<(), ImportFailure> {
        match root.create_all(&self.files)? {
            Some(path) => Err(ImportFailure::Appeared(path)),
            None => Ok(()),
        }
    }
}

impl Source {
    fn find(root: &Root, given: &RootPath, paths: &[String]) -> Result<Self, ImportFailure> {
        let path = given.as_str();
        let real = root.resolve(given)?;
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if real.is_dir() {
            return match Self::of_folder(root, path)? {
                Some(source) => Ok(source),
                None => Self::only_below(root, path, paths),
            };
        }
        if !real.is_file() {
            return Err(ImportFailure::Missing(path.to_owned()));
        }
        if matches!(name, TASKS | "spec.md" | "proposal.md")
            && let Some(source) = Self::of_folder(root, folder)?
        {
            return Ok(source);
        }
        let extension = Path::new(name).extension().and_then(|text| text.to_str());
        let shape = match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("json") => ImportShape::Prd,
            Some("md" | "markdown") => ImportShape::Checklist,
            _ => return Err(ImportFailure::NoShape(path.to_owned())),
        };
        let stem = Path::new(path).with_extension("");
        Ok(Self {
            shape,
            file: path.to_owned(),
            name: slug(&stem.to_string_lossy(), "imported"),
            spec: None,
        })
    }

    /// The feature of spec-kit or change of OpenSpec that a folder is.
    fn of_folder(root: &Root, folder: &str) -> Result<Option<Self>, ImportFailure> {
        let file = |name: &str| below(folder, name);
        let there = |name: &str| -> Result<bool, ConfineError> {
            Ok(root.resolve(&RootPath::new(&file(name))?)?.is_file())
        };
        let forms = [
            ("spec.md", ImportShape::SpecKit),
            ("proposal.md", ImportShape::OpenSpec),
        ];
        let mut found = Vec::new();
        for (name, shape) in forms {
            if there(TASKS)? && there(name)? {
                found.push((file(name), shape));
            }
        }
        match &found[..] {
            [] => Ok(None),
            [(spec, shape)] => Ok(Some(Self {
                shape: *shape,
                file: file(TASKS),
                name: slug(folder.rsplit('/').next().unwrap_or_default(), "imported"),
                spec: Some(spec.clone()),
            })),
            _ => Err(ImportFailure::Several {
                path: named(folder),
                sources: found.into_iter().map(|(spec, _)| spec).collect(),
            }),
        }
    }

    /// The only source below a folder.
    fn only_below(root: &Root, folder: &str, paths: &[String]) -> Result<Self, ImportFailure> {
        let inside = |path: &String| folder.is_empty() || Path::new(path).starts_with(folder);
        let mut sources = sources_of(paths);
        sources.retain(inside);
        let prd = below(folder, "prd.json");
        if !sources.contains(&prd) && root.resolve(&RootPath::new(&prd)?)?.is_file() {
            sources.push(prd);
        }
        match &sources[..] {
            [] => Err(ImportFailure::NoShape(named(folder))),
            [one] => Self::find(root, &RootPath::new(one)?, &[]),
            _ => Err(ImportFailure::Several {
                path: named(folder),
                sources,
            }),
        }
    }

    fn read(&self, root: &Root) -> Result<Imported, ImportFailure> {
        let path = &self.file;
        let wrong = |why| ImportFailure::NotText {
            path: path.clone(),
            why,
        };
        if path.contains(|char: char| char.is_control() || char == '`') {
            return Err(wrong(
                "has a character in its name that Markdown cannot hold",
            ));
        }
        let bytes = root.read(path)?;
        let bytes = bytes.ok_or_else(|| ImportFailure::Missing(path.clone()))?;
        if bytes.len() > MAX_SIZE {
            return Err(wrong("is larger than 1 MiB"));
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| wrong("is not UTF-8"))?;
        Imported::read(self.shape, text).map_err(|error| ImportFailure::Source {
            path: path.clone(),
            error,
        })
    }
}

impl Existing {
    fn load(catalog: &Catalog, id: &UnitId, dir: &str, reader: &mut Reader<'_>) -> Self {
        let mut existing = Self::default();
        let Some(unit) = catalog.units().iter().find(|unit| unit.dir == dir) else {
            return existing;
        };
        let mut files: Vec<(&String, String)> = Vec::new();
        for path in &unit.files {
            if let Ok(bytes) = reader.read(path) {
                files.push((path, String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
        let texts: HashMap<_, _> = files
            .iter()
            .map(|(path, text)| (path.as_str(), text))
            .collect();
        let of_unit = files.iter().map(|(path, text)| (path.as_str(), text));
        for task in Unit::load(id.clone(), dir, of_unit).tasks {
            let has_command = !task.backpressure.is_empty();
            existing.commands.insert(task.path.clone(), has_command);
            let (Some(number), Some(text)) = (task.number, texts.get(task.path.as_str())) else {
                continue;
            };
            let number = number.value.get();
            existing.highest = existing.highest.max(number);
            if let Some(line) = text.lines().find(|line| line.starts_with("**Source**: ")) {
                let known = (number, task.path.clone(), (*text).clone());
                existing.tasks.insert(line.to_owned(), known);
            }
        }
        existing
    }

    /// Gives numbers to stories: those that they have, else the next ones.
    fn number<'s>(
        &self,
        stories: &'s [Story],
        source: &str,
        dir: &str,
    ) -> Result<Vec<Numbered<'s>>, ImportFailure> {
        let mut highest = self.highest;
        let mut numbered = Vec::new();
        for story in stories {
            let known = self.tasks.get(&source_line(story, source));
            let number = match known {
                Some((number, ..)) => *number,
                None => {
                    let next = highest.checked_add(1);
                    highest = next.ok_or_else(|| ImportFailure::NoNumber(dir.to_owned()))?;
                    highest
                }
            };
            numbered.push(Numbered {
                story,
                number,
                file: format!("{number:02}-{}.md", story.name),
                depends_on: Vec::new(),
            });
        }
        let numbers: Vec<_> = numbered.iter().map(|task| task.number).collect();
        for task in &mut numbered {
            let mut first: Vec<_> = task.story.after.iter().map(|at| numbers[*at]).collect();
            first.sort_unstable();
            task.depends_on = first;
        }
        Ok(numbered)
    }
}

/// The Markdown of a task file.
fn markdown_of(text: &str) -> &str {
    let head = front_matter::find(text).ok().flatten();
    let start = head.map_or(0, |head| head.block.end);
    text.get(start..).unwrap_or_default().trim()
}

/// The name of a folder of the root.
fn named(folder: &str) -> String {
    match folder {
        "" => ".".to_owned(),
        folder => folder.to_owned(),
    }
}

fn below(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

/// The files and folders among these paths that other tools planned work in.
fn sources_of(paths: &[String]) -> Vec<String> {
    let mut sources: Vec<String> = Vec::new();
    for path in paths {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let beside = |name: &str| paths.contains(&below(folder, name));
        let is_change = folder
            .rsplit_once('/')
            .is_some_and(|(above, _)| above == CHANGES || above.ends_with(&format!("/{CHANGES}")));
        match name {
            "prd.json" => sources.push(path.clone()),
            TASKS if beside("spec.md") || is_change && beside("proposal.md") => {
                sources.push(folder.to_owned());
            }
            _ => {}
        }
    }
    sources
}

/// Returns what can be imported in a root: `prd.json`, features of spec-kit, changes of
/// OpenSpec, and lists with open boxes, as absolute paths. A root that cannot be listed has
/// none.
#[must_use]
pub fn importable(root: &Path) -> Vec<PathBuf> {
    let Ok(opened) = Root::open(root) else {
        return Vec::new();
    };
    let mut sources = sources_of(&review_store::paths(&opened).unwrap_or_default());
    let lists = CHECKLISTS.into_iter().map(str::to_owned);
    sources.extend(lists.filter(|list| open_boxes(&opened, list) > 0));
    let sources = sources.into_iter();
    sources.map(|source| root.join(source)).collect()
}

/// Returns the number of open boxes of a Markdown file; 0 where it cannot be read.
#[must_use]
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
        assert_eq!(
            sources,
            [
                "docs/prd.json",
                "openspec/changes/a",
                "prd.json",
                "specs/001-x"
            ]
        );
    }
}
