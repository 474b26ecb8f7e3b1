//! Performance files.

use std::fs;
use std::path::Path;

use review_learning::AgentName;
use review_learning::config::StoragePath;
use review_learning::measure::Observation;
use review_store::{PerformanceFiles, Root};

use crate::support::{applier, reviewer};

fn prompts() -> StoragePath {
    ".aiwg/.prompts/".to_owned().try_into().expect("a path")
}

fn seen(run: usize) -> Observation {
    Observation {
        run: format!("r-{run}"),
        task: "specs/A.md".to_owned(),
        error: false,
        quality: None,
        completed: true,
        rounds: 1,
    }
}

fn root(folder: &tempfile::TempDir) -> Root {
    Root::open(folder.path()).expect("a root")
}

#[test]
fn a_performance_round_trips() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = root(&folder);
    let files = PerformanceFiles::new(&root, &prompts()).expect("a folder");
    assert_eq!(files.find(&reviewer(), 2).expect("nothing"), None);
    assert_eq!(
        files.read(&reviewer(), 2).expect("nothing").observations(),
        []
    );
    let written = files.update(&reviewer(), 2, |performance| performance.record(seen(1)));
    let read = files.find(&reviewer(), 2).expect("a file").expect("a file");
    assert_eq!(written.expect("written"), read);
    assert_eq!(read.observations(), [seen(1)]);
    let prompts = folder.path().join(".aiwg/.prompts");
    assert!(prompts.join("reviewer/v2.performance.json").is_file());
    let ignore = prompts.join(".gitignore");
    let ignored = fs::read_to_string(&ignore).expect("a file");
    assert_eq!(ignored, ".gitignore\n*.performance.json\n");
    fs::write(&ignore, "").expect("written");
    files.update(&reviewer(), 2, |_| ()).expect("written");
    assert_eq!(fs::read_to_string(&ignore).expect("a file"), "");
    assert_eq!(files.find(&reviewer(), 1).expect("nothing"), None);
}

#[test]
fn concurrent_observations_are_all_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = root(&folder);
    let files = PerformanceFiles::new(&root, &prompts()).expect("a folder");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let files = &files;
            scope.spawn(move || {
                for run in 0..10 {
                    let observation = seen(10 * writer + run);
                    let updated = files.update(&applier(), 1, |known| known.record(observation));
                    updated.expect("written");
                }
            });
        }
    });
    let read = files.read(&applier(), 1).expect("a file");
    assert_eq!(read.observations().len(), 40);
}

#[test]
fn a_damaged_file_is_reported_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = root(&folder);
    let files = PerformanceFiles::new(&root, &prompts()).expect("a folder");
    let path = folder.path().join(".aiwg/.prompts/reviewer");
    fs::create_dir_all(&path).expect("a folder");
    let path = path.join("v1.performance.json");
    fs::write(&path, "{").expect("written");
    let error = files.update(&reviewer(), 1, |known| known.record(seen(1)));
    let error = error.expect_err("damaged").to_string();
    assert!(
        error.starts_with(".aiwg/.prompts/reviewer/v1.performance.json is not valid"),
        "{error}"
    );
    assert_eq!(fs::read_to_string(&path).expect("read"), "{");
}

#[test]
fn all_versions_are_found_by_agent_and_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = root(&folder);
    let files = PerformanceFiles::new(&root, &prompts()).expect("a folder");
    assert!(files.all().expect("nothing").is_empty());
    for (agent, version) in [("reviewer", 10), ("reviewer", 9), ("a b", 1)] {
        let updated = files.update(&AgentName::from(agent), version, |known| {
            known.record(seen(1))
        });
        updated.expect("written");
    }
    let reviewer = folder.path().join(".aiwg/.prompts/reviewer");
    fs::write(reviewer.join("v9.md"), "text").expect("written");
    fs::write(folder.path().join(".aiwg/.prompts/note.txt"), "text").expect("written");
    let copy = reviewer.join("v9.performance.json");
    fs::copy(copy, reviewer.join("v8.performance.json")).expect("copied");
    let all = files.all().expect("found");
    let found: Vec<(&str, Vec<u32>)> = all
        .iter()
        .map(|(agent, known)| {
            (
                agent.as_str(),
                known.iter().map(|it| it.version()).collect(),
            )
        })
        .collect();
    assert_eq!(found, [("a b", vec![1]), ("reviewer", vec![9, 10])]);
    for (agent, known) in &all {
        assert_eq!(files.of(agent).expect("found"), *known);
    }
    assert_eq!(files.of(&applier()).expect("nothing"), []);
    fs::write(reviewer.join("v1.performance.json"), "{").expect("written");
    assert!(files.all().is_err());
}

#[test]
fn an_agent_name_that_is_a_path_stays_inside() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = root(&folder);
    let files = PerformanceFiles::new(&root, &prompts()).expect("a folder");
    let written = files.update(&AgentName::from("../../x"), 1, |known| {
        known.record(seen(1))
    });
    assert_eq!(written.expect("written").observations(), [seen(1)]);
    assert!(is_empty_but_for(folder.path(), ".aiwg"));
    let folder = folder.path().join(".aiwg");
    assert!(is_empty_but_for(&folder, ".prompts"));
}

#[test]
fn nothing_is_written_outside_the_root() {
    let folder = tempfile::tempdir().expect("a folder");
    let outside = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(outside.path(), folder.path().join(".aiwg")).expect("a link");
    let root = root(&folder);
    let files = PerformanceFiles::new(&root, &prompts()).expect("a folder");
    let refused = files.update(&reviewer(), 1, |known| known.record(seen(1)));
    assert!(refused.is_err());
    assert!(is_empty(outside.path()));
    assert!(files.find(&reviewer(), 1).is_err());
}

fn is_empty_but_for(folder: &Path, name: &str) -> bool {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names = entries.map(|entry| entry.expect("an entry").file_name());
    names.all(|found| found == name)
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).expect("a folder").next().is_none()
}
