use std::fs::OpenOptions;
use std::io::Write;

use review_flow::Journal;
use review_store::{FileJournal, RunDir};

use crate::support::{Folder, run};

fn new_run(folder: &Folder) -> RunDir {
    folder.state().create_run(&run("r1")).expect("a run")
}

fn on_disk(run: &RunDir) -> String {
    String::from_utf8(run.read_journal().expect("a journal")).expect("UTF-8")
}

fn reopened(run: &RunDir) -> FileJournal {
    run.open_journal().expect("a journal")
}

#[test]
fn lines_are_appended_and_read_again() {
    let folder = Folder::new();
    let run = new_run(&folder);
    let mut journal = run.create_journal().expect("new");
    journal.append(b"one\n").expect("appended");
    journal.append(b"two\n").expect("appended");
    assert_eq!(on_disk(&run), "one\ntwo\n");
    let mut again = reopened(&run);
    assert_eq!(again.read().expect("read"), b"one\ntwo\n");
    again.append(b"three\n").expect("appended");
    assert_eq!(again.read().expect("read"), b"one\ntwo\nthree\n");
    assert_eq!(on_disk(&run), "one\ntwo\nthree\n");
    assert_eq!(folder.mode(".ralph-review/runs/r1/journal.jsonl"), 0o600);
}

#[test]
fn a_torn_line_is_removed() {
    let folder = Folder::with(&[]);
    let run = new_run(&folder);
    folder.write(".ralph-review/runs/r1/journal.jsonl", "one\ntw");
    let mut journal = reopened(&run);
    assert_eq!(journal.read().expect("read"), b"one\ntw");
    journal.truncate(4).expect("cut");
    journal.append(b"2\n").expect("appended");
    assert_eq!(on_disk(&run), "one\n2\n");
    assert!(journal.truncate(100).is_err());
    assert_eq!(on_disk(&run), "one\n2\n");
}

#[test]
fn a_journal_changed_by_another_process_is_rejected() {
    for (change, found) in [("", 0), ("one\nalien\n", 10)] {
        let folder = Folder::new();
        let run = new_run(&folder);
        let mut journal = run.create_journal().expect("new");
        journal.append(b"one\n").expect("appended");
        let mut file = OpenOptions::new()
            .write(true)
            .truncate(true)
            .open(run.journal_path())
            .expect("a journal");
        file.write_all(change.as_bytes()).expect("written");
        let error = journal.append(b"two\n").expect_err("changed").to_string();
        assert!(
            error.ends_with(&format!(
                "journal.jsonl was changed by another process: expected 4 bytes, found {found}"
            )),
            "{error}"
        );
        assert_eq!(on_disk(&run), change);
        assert!(journal.truncate(0).is_err());
    }
}

#[test]
fn a_journal_that_shrank_is_not_read() {
    let folder = Folder::new();
    let run = new_run(&folder);
    let mut journal = run.create_journal().expect("new");
    journal.append(b"one\ntwo\n").expect("appended");
    folder.write(".ralph-review/runs/r1/journal.jsonl", "one\n");
    assert!(journal.read().is_err());
}

#[test]
fn a_journal_is_created_once_and_opened_only_if_it_exists() {
    let folder = Folder::new();
    let run = new_run(&folder);
    assert!(run.open_journal().is_err());
    assert!(run.read_journal().is_err());
    run.create_journal().expect("new");
    assert!(run.create_journal().is_err());
}

#[test]
fn a_journal_that_is_a_link_is_rejected() {
    let folder = Folder::with(&[("mine.txt", "mine")]);
    let run = new_run(&folder);
    folder.link(
        ".ralph-review/runs/r1/journal.jsonl",
        folder.join("mine.txt"),
    );
    assert!(run.create_journal().is_err());
    assert!(run.open_journal().is_err());
    assert_eq!(folder.read("mine.txt"), "mine");
}
