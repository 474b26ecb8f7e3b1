use std::io::Write;

use crate::support::{Folder, run};

#[test]
fn a_log_is_created_with_its_first_byte() {
    let folder = Folder::new();
    let run = folder.state().create_run(&run("r1")).expect("a run");
    let mut log = run.log("task-1.log");
    log.write_all(b"").expect("nothing to write");
    log.flush().expect("nothing to flush");
    assert!(!log.is_written() && !log.path().exists());
    assert!(!run.path().join("logs").exists());
    log.write_all(b"one\n").expect("written");
    log.write_all(b"two \xff\n").expect("written");
    assert!(log.is_written());
    let shown = log.shown(folder.root().path());
    assert_eq!(shown, ".ralph-review/runs/r1/logs/task-1.log");
    assert_eq!(folder.bytes(&shown), b"one\ntwo \xff\n");
    assert_eq!(folder.mode(&shown), 0o600);
    assert_eq!(folder.mode(".ralph-review/runs/r1/logs"), 0o700);
}

#[test]
fn a_log_with_the_same_name_is_truncated() {
    let folder = Folder::new();
    let run = folder.state().create_run(&run("r1")).expect("a run");
    run.log("a").write_all(b"a long text").expect("written");
    run.log("a").write_all(b"short").expect("written");
    assert_eq!(folder.read(".ralph-review/runs/r1/logs/a"), "short");
}

#[test]
fn a_name_cannot_leave_the_folder() {
    let folder = Folder::new();
    let run = folder.state().create_run(&run("r1")).expect("a run");
    for (name, file) in [
        ("../../x", "-..-x"),
        ("review/review-1.2", "review-review-1.2"),
        ("task~1/web 7", "task~1-web-7"),
        ("", "log"),
        ("..", "log"),
        ("\0\n", "--"),
    ] {
        let log = run.log(name);
        assert_eq!(log.path(), run.path().join("logs").join(file), "{name:?}");
    }
    assert_eq!(
        run.log(&"x".repeat(5_000))
            .path()
            .file_name()
            .map(|name| name.len()),
        Some(100)
    );
    let elsewhere = Folder::new();
    assert!(run.log("x").shown(elsewhere.path()).starts_with('/'));
}

#[test]
fn a_log_that_cannot_be_created_is_an_error() {
    let folder = Folder::new();
    let run = folder.state().create_run(&run("r1")).expect("a run");
    folder.write(".ralph-review/runs/r1/logs", "");
    let mut log = run.log("a");
    assert!(log.write_all(b"x").is_err());
    assert!(!log.is_written());
}
