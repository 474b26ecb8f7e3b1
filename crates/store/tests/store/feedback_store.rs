//! The store of feedback.

use std::collections::HashSet;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use review_learning::config::StoragePath;
use review_learning::feedback::FeedbackEntry;
use review_learning::object::LearningObject as _;
use review_store::{FeedbackStore, Root};
use serde_json::json;

struct Project {
    folder: tempfile::TempDir,
    root: Root,
    storage: StoragePath,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a test that works");
        Self {
            root: Root::open(folder.path()).expect("a test that works"),
            storage: ".aiwg/.feedback/"
                .to_owned()
                .try_into()
                .expect("a test that works"),
            folder,
        }
    }

    fn open(&self) -> FeedbackStore {
        FeedbackStore::open(&self.root, &self.storage).expect("a test that works")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(".aiwg/.feedback").join(name)
    }
}

fn entry(agent: &str, number: u32) -> FeedbackEntry {
    let entry = json!({
        "id": format!("0192f0c1-2d3e-7a4b-8c5d-{number:012x}"),
        "agent": agent,
        "timestamp": format!("2026-03-01T12:30:{:02}Z", number % 60),
        "type": "review_rejection",
        "severity": "high",
        "context": {"session": "r-1"},
        "details": {"error_message": format!("issue {number}")},
    });
    FeedbackEntry::read(&entry)
        .into_result()
        .expect("a test that works")
}

fn ids(store: &FeedbackStore) -> Vec<u32> {
    let entries = store.entries().iter();
    entries
        .map(|entry| u32::from_str_radix(&entry.id.as_str()[24..], 16).expect("a test that works"))
        .collect()
}

#[test]
fn an_entry_is_a_file_in_the_folder_of_its_agent() {
    let project = Project::new();
    let mut store = project.open();
    assert_eq!(store.entries(), []);
    let entries = [entry("reviewer", 2), entry("a/b", 1)];
    assert_eq!(store.add(&entries).unwrap().len(), 2);
    let name = "20260301T123002Z-0192f0c1-2d3e-7a4b-8c5d-000000000002.json";
    let text = std::fs::read_to_string(project.path("reviewer").join(name)).unwrap();
    assert_eq!(
        FeedbackEntry::parse(text.as_bytes()).into_result(),
        Ok(entries[0].clone())
    );
    assert_eq!(std::fs::read(project.path(".gitignore")).unwrap(), b"*\n");
    std::fs::remove_file(project.path(".gitignore")).unwrap();
    store.add(&[entry("reviewer", 2)]).unwrap();
    assert!(!project.path(".gitignore").exists());
    let again = project.open();
    assert_eq!(ids(&again), [1, 2]);
    assert_eq!(again.entries(), [entries[1].clone(), entries[0].clone()]);
}

#[test]
fn an_existing_entry_is_not_added_again() {
    let project = Project::new();
    let mut store = project.open();
    let entries = [
        entry("reviewer", 1),
        entry("reviewer", 1),
        entry("reviewer", 2),
    ];
    assert_eq!(store.add(&entries).unwrap().len(), 2);
    assert_eq!(store.add(&entries).unwrap().len(), 0);
    assert_eq!(project.open().add(&entries[..1]).unwrap().len(), 0);
    assert_eq!(ids(&store), [1, 2]);
    assert_eq!(ids(&project.open()), [1, 2]);
}

#[test]
fn entries_added_by_others_are_kept() {
    let project = Project::new();
    let mut first = project.open();
    let mut second = project.open();
    first.add(&[entry("reviewer", 1)]).unwrap();
    assert_eq!(second.add(&[entry("reviewer", 1)]).unwrap().len(), 0);
    second.add(&[entry("reviewer", 2)]).unwrap();
    let foreign = entry("reviewer", 3);
    let path = project.path("reviewer").join(foreign.file_name());
    std::fs::write(path, serde_json::to_vec(&foreign).unwrap()).unwrap();
    std::fs::write(project.path("reviewer/notes.txt"), "mine").unwrap();
    assert_eq!(ids(&project.open()), [1, 2, 3]);
}

#[test]
fn twenty_writers_at_once_lose_no_entry() {
    let project = Project::new();
    std::thread::scope(|scope| {
        for writer in 0..20 {
            let project = &project;
            scope.spawn(move || {
                let entries = [entry("reviewer", 100), entry("reviewer", writer)];
                project.open().add(&entries).unwrap();
            });
        }
    });
    let expected: Vec<u32> = (0..20).chain([100]).collect();
    let mut found = ids(&project.open());
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn removed_entries_lose_their_files() {
    let project = Project::new();
    let entries: Vec<_> = (0..4).map(|number| entry("reviewer", number)).collect();
    let mut store = project.open();
    store.add(&entries).unwrap();
    let old = entries[..2].iter().map(|entry| entry.id.clone()).collect();
    assert_eq!(store.remove(&old).unwrap(), 2);
    assert_eq!(store.remove(&old).unwrap(), 0);
    assert_eq!(store.remove(&HashSet::new()).unwrap(), 0);
    assert_eq!(ids(&store), [2, 3]);
    assert_eq!(ids(&project.open()), [2, 3]);
}

#[test]
fn an_invalid_file_is_reported_and_hides_no_other() {
    let project = Project::new();
    project.open().add(&[entry("reviewer", 1)]).unwrap();
    let elsewhere = entry("applier", 2);
    let path = project.path("reviewer").join(elsewhere.file_name());
    std::fs::write(path, serde_json::to_vec(&elsewhere).unwrap()).unwrap();
    let bad = "20260301T123005Z-0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3.json";
    std::fs::write(project.path("reviewer").join(bad), "{}").unwrap();
    let store = project.open();
    assert_eq!(ids(&store), [1]);
    let told: Vec<_> = store.bad().iter().map(|bad| &*bad.message).collect();
    assert_eq!(told[0], "it is not where its agent and its id say");
    assert!(told[1].starts_with("/id: "), "{}", told[1]);
    assert_eq!(told.len(), 2);
}

#[test]
fn a_folder_that_is_a_link_out_of_the_root_is_rejected() {
    let project = Project::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::create_dir(project.folder.path().join(".aiwg")).unwrap();
    let link = project.folder.path().join(".aiwg/.feedback");
    symlink(outside.path(), link).unwrap();
    let error = FeedbackStore::open(&project.root, &project.storage).unwrap_err();
    assert!(error.to_string().contains("outside the root"), "{error}");
}
