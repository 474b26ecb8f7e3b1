//! Lessons: one file per lesson, in the folder of its agent.

use std::fs::File;
use std::path::{Path, PathBuf};

use review_learning::Id;
use review_learning::lesson::Lesson;
use review_learning::object::LearningObject as _;

use super::folder::{agent_folder, names, put};
use crate::disk;
use crate::{Action, ConfineError, FileError, Reader, Root, RootPath};

pub(super) const FOLDER: &str = ".aiwg/.lessons";
const EXTENSION: &str = ".json";

/// The lessons of a root.
#[derive(Debug)]
pub struct LessonFiles<'a> {
    root: &'a Root,
    folder: RootPath,
}

/// The lessons, and the files that are not valid lessons.
#[derive(Debug, Default)]
pub struct Lessons {
    /// The lessons, by agent and id.
    pub lessons: Vec<Lesson>,
    /// The files that cannot be used.
    pub bad: Vec<BadLesson>,
}

/// A file that is not a valid lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLesson {
    /// The file, relative to the root.
    pub path: PathBuf,
    /// The first error.
    pub message: String,
}

impl BadLesson {
    /// Whether the file is the one of a lesson.
    #[must_use]
    pub fn is_of(&self, id: &Id) -> bool {
        self.path
            .file_stem()
            .is_some_and(|stem| stem == id.as_str())
    }
}

/// Permission to change the lessons and the clusters of an agent; it is released with
/// this value.
#[derive(Debug)]
pub struct LessonLock {
    _folder: File,
}

impl<'a> LessonFiles<'a> {
    /// The lessons of a root.
    ///
    /// # Errors
    /// Returns an error only if the folder is outside of the root.
    pub fn new(root: &'a Root) -> Result<Self, ConfineError> {
        let folder = RootPath::new(FOLDER)?;
        Ok(Self { root, folder })
    }

    /// Reads all lessons of all agents.
    ///
    /// # Errors
    /// Returns an error when a folder cannot be listed.
    pub fn all(&self) -> Result<Lessons, ConfineError> {
        let mut lessons = Lessons::default();
        for name in names(self.root, &self.folder)? {
            self.read_folder(&self.folder.child(&name), &mut lessons)?;
        }
        Ok(lessons)
    }

    /// Reads the lessons of an agent.
    ///
    /// # Errors
    /// Returns an error when its folder cannot be listed.
    pub fn of(&self, agent: &str) -> Result<Lessons, ConfineError> {
        let mut lessons = Lessons::default();
        self.read_folder(&self.agent(agent), &mut lessons)?;
        Ok(lessons)
    }

    /// Waits for the lock on the lessons of an agent.
    ///
    /// # Errors
    /// Returns an error when their folder cannot be created or locked.
    pub fn lock(&self, agent: &str) -> Result<LessonLock, ConfineError> {
        let folder = self.root.resolve(&self.agent(agent))?;
        disk::create_user_folders(&folder).map_err(FileError::of(Action::Created, &folder))?;
        let locked = disk::lock_folder(&folder);
        let _folder = locked.map_err(FileError::of(Action::Locked, &folder))?;
        Ok(LessonLock { _folder })
    }

    /// Writes a lesson, atomically, replacing its previous state.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn put(&self, _: &LessonLock, lesson: &Lesson) -> Result<(), ConfineError> {
        let path = self.agent(&lesson.agent).child(&file_name(&lesson.id));
        put(self.root, &path, serde_json::to_vec_pretty(lesson))
    }

    fn agent(&self, agent: &str) -> RootPath {
        self.folder.child(&agent_folder(agent))
    }

    fn read_folder(&self, folder: &RootPath, lessons: &mut Lessons) -> Result<(), ConfineError> {
        let mut reader = Reader::new(self.root);
        let names = names(self.root, folder)?;
        for name in names.iter().filter(|name| is_lesson(name)) {
            let path = folder.child(name);
            let Some(found) = reader.content(&path)? else {
                continue;
            };
            match Lesson::parse(&found.bytes).into_result() {
                Ok(lesson) => lessons.lessons.push(lesson),
                Err(diagnostics) => lessons.bad.push(BadLesson {
                    path: Path::new(path.as_str()).to_owned(),
                    message: diagnostics.first().map_or_else(String::new, |first| {
                        match first.pointer.as_str() {
                            "" => first.message.clone(),
                            pointer => format!("{pointer}: {}", first.message),
                        }
                    }),
                }),
            }
        }
        Ok(())
    }
}

fn file_name(id: &Id) -> String {
    format!("{id}{EXTENSION}")
}

/// Whether the name of a file is an id.
fn is_lesson(name: &str) -> bool {
    let stem = name.strip_suffix(EXTENSION);
    stem.is_some_and(|stem| stem.parse::<Id>().is_ok())
}
