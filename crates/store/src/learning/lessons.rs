//! Lessons: one file per lesson, in the folder of its agent.

use review_learning::cluster::ClusterRegistry;
use review_learning::lesson::Lesson;
use review_learning::object::LearningObject as _;
use review_learning::{AgentName, Id};

use super::folder::{AgentFolders, AgentLock, BadFile, LearningFileError};
use crate::{ConfineError, Root, RootPath};

const FOLDER: &str = ".aiwg/.lessons";
const CLUSTERS: &str = "clusters.json";
const EXTENSION: &str = ".json";

/// The lessons of a root.
#[derive(Debug)]
pub struct LessonFiles {
    folders: AgentFolders,
}

/// The lessons, and the files that are not valid lessons.
#[derive(Debug, Default)]
pub struct Lessons {
    /// The lessons, by agent and id.
    pub lessons: Vec<Lesson>,
    /// The files that cannot be used.
    pub bad: Vec<BadFile>,
}

impl LessonFiles {
    /// The lessons of a root.
    ///
    /// # Errors
    /// Returns an error only if the folder is outside of the root.
    pub fn new(root: &Root) -> Result<Self, ConfineError> {
        let folders = AgentFolders::new(root, FOLDER)?;
        Ok(Self { folders })
    }

    /// Reads all lessons of all agents.
    ///
    /// # Errors
    /// Returns an error when a folder cannot be listed.
    pub fn all(&self) -> Result<Lessons, ConfineError> {
        let mut lessons = Lessons::default();
        for folder in self.folders.each()? {
            self.read_folder(&folder, &mut lessons)?;
        }
        Ok(lessons)
    }

    /// Reads the lessons of an agent.
    ///
    /// # Errors
    /// Returns an error when its folder cannot be listed.
    pub fn of(&self, agent: &AgentName) -> Result<Lessons, ConfineError> {
        let mut lessons = Lessons::default();
        self.read_folder(&self.folders.of(agent), &mut lessons)?;
        Ok(lessons)
    }

    /// Waits for the lock on the lessons of an agent.
    ///
    /// # Errors
    /// Returns an error when their folder cannot be created or locked.
    pub fn lock(&self, agent: &AgentName) -> Result<AgentLock, ConfineError> {
        self.folders.lock(agent)
    }

    /// Writes a lesson, atomically, replacing its previous state.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn put(&self, _: &AgentLock, lesson: &Lesson) -> Result<(), ConfineError> {
        let path = self.folders.of(&lesson.agent);
        let path = path.child(&file_name(&lesson.id));
        self.folders.put(&path, serde_json::to_vec_pretty(lesson))
    }

    /// Reads the registry of the clusters of an agent; an empty one if it does not exist.
    ///
    /// # Errors
    /// Returns an error when the file is not valid or cannot be read.
    pub fn clusters(&self, agent: &AgentName) -> Result<ClusterRegistry, LearningFileError> {
        let path = self.folders.of(agent).child(CLUSTERS);
        let Some(bytes) = self.folders.read(&path)? else {
            return Ok(ClusterRegistry::default());
        };
        serde_json::from_slice(&bytes).map_err(|error| {
            let what = "is not a valid cluster registry; remove it to start with new cluster ids";
            LearningFileError::invalid(format!("{path} {what}"), error)
        })
    }

    /// Writes the registry of the clusters of an agent.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn put_clusters(
        &self,
        _: &AgentLock,
        agent: &AgentName,
        registry: &ClusterRegistry,
    ) -> Result<(), ConfineError> {
        let path = self.folders.of(agent).child(CLUSTERS);
        self.folders.put(&path, serde_json::to_vec(registry))
    }

    fn read_folder(&self, folder: &RootPath, lessons: &mut Lessons) -> Result<(), ConfineError> {
        let names = self.folders.names(folder)?;
        for name in names.iter().filter(|name| is_lesson(name)) {
            let path = folder.child(name);
            let Some(bytes) = self.folders.read(&path)? else {
                continue;
            };
            match Lesson::parse(&bytes).into_result() {
                Ok(lesson) => lessons.lessons.push(lesson),
                Err(diagnostics) => lessons.bad.push(BadFile::new(&path, &diagnostics)),
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
