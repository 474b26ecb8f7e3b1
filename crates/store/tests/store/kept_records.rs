//! Records while agents run.

use review_flow::Journal;
use review_store::{FileJournal, KeptRecords, RunDir};
use review_types::UnitId;

use crate::support::{Folder, path, run};

const OWN: &str = ".ralph-review/records/OWN.md.json";
const OWN_TASK: &str = ".ralph-review/records/web/1.json";
const OTHER: &str = ".ralph-review/records/specs%2FOTHER.md.json";

/// A record that names a run.
fn record(run: &str) -> String {
    format!("{{\"run\": \"{run}\"}}")
}

/// A run of a spec that is active until its journal is dropped.
fn live(folder: &Folder, id: &str, spec: &str) -> (RunDir, FileJournal) {
    let dir = folder.state().create_run(&run(id)).expect("a run");
    let mut journal = dir.create_journal().expect("new");
    let first = format!(
        "{{\"v\":1,\"n\":0,\"run\":{{\"run\":\"{id}\",\"input\":{{\"spec\":\"{spec}\",\"unit\":null}}}}}}\n"
    );
    journal.append(first.as_bytes()).expect("appended");
    (dir, journal)
}

fn kept(dir: &RunDir) -> KeptRecords {
    let unit = UnitId::new("web").expect("an id");
    let mut kept = dir.keep_records(&path("OWN.md"), Some(&unit));
    kept.look().expect("listed");
    kept
}

fn names(changed: &[std::path::PathBuf]) -> Vec<String> {
    let name = |path: &std::path::PathBuf| {
        path.file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned()
    };
    changed.iter().map(name).collect()
}

#[test]
fn records_are_restored_to_their_state_before_the_call() {
    let known = [(OWN, "{}"), (OTHER, "{\"run\": \"r0\"}")];
    let folder = Folder::with(&known);
    let (dir, _journal) = live(&folder, "r1", "OWN.md");
    let kept = kept(&dir);
    folder.write(OWN, record("r1"));
    folder.write(OWN_TASK, record("r1"));
    folder.write(OTHER, record("r1"));
    let changed = kept.restore().expect("written");
    assert_eq!(
        names(&changed),
        ["OWN.md.json", "specs%2FOTHER.md.json", "1.json"]
    );
    for (file, text) in known {
        assert_eq!(folder.read(file), text);
    }
    assert!(!folder.join(OWN_TASK).exists());
    assert!(kept.restore().expect("listed").is_empty());
}

#[test]
fn a_removed_record_is_restored_if_it_belongs_to_the_run() {
    let folder = Folder::with(&[(OWN, "{}"), (OTHER, "{}")]);
    let (dir, _journal) = live(&folder, "r1", "OWN.md");
    let kept = kept(&dir);
    for file in [OWN, OTHER] {
        std::fs::remove_file(folder.join(file)).expect("removed");
    }
    assert_eq!(names(&kept.restore().expect("written")), ["OWN.md.json"]);
    assert_eq!(folder.read(OWN), "{}");
    assert!(!folder.join(OTHER).exists());
}

#[test]
fn a_run_writes_only_the_records_of_its_own_target() {
    for (spec, is_believed) in [("specs/OTHER.md", true), ("specs/THIRD.md", false)] {
        let folder = Folder::new();
        let (dir, _journal) = live(&folder, "r1", "OWN.md");
        let kept = kept(&dir);
        let (_other, journal) = live(&folder, "r2", spec);
        folder.write(OTHER, record("r2"));
        // It has ended since, shortly after its last event.
        drop(journal);
        let changed = kept.restore().expect("written");
        assert_eq!(changed.is_empty(), is_believed, "{spec}");
        assert_eq!(folder.join(OTHER).exists(), is_believed, "{spec}");
    }
}

#[test]
fn with_another_active_run_an_untrusted_record_is_removed_without_blame() {
    let folder = Folder::with(&[(OTHER, "{}")]);
    let (dir, _journal) = live(&folder, "r1", "OWN.md");
    let (_other, _live) = live(&folder, "r2", "specs/THIRD.md");
    let kept = kept(&dir);
    folder.write(OTHER, record("r2"));
    folder.write(OWN, record("r2"));
    assert_eq!(names(&kept.restore().expect("written")), ["OWN.md.json"]);
    assert!(!folder.join(OTHER).exists());
}

#[test]
fn a_record_written_between_two_calls_is_known_to_the_second() {
    let folder = Folder::new();
    let (dir, _journal) = live(&folder, "r1", "OWN.md");
    let mut kept = kept(&dir);
    folder.write(OWN, record("r1"));
    kept.look().expect("listed");
    assert!(kept.restore().expect("listed").is_empty());
    assert_eq!(folder.read(OWN), record("r1"));
}
