use crate::support::{Folder, run};

#[test]
fn a_group_is_noted_until_it_is_cleared() {
    let folder = Folder::new();
    let run = folder.state().create_run(&run("r1")).expect("a run");
    let mut child = run.child();
    assert_eq!(child.read().expect("read"), None);
    child.clear().expect("nothing to clear");
    assert!(!run.path().join("child").exists());
    for note in ["4711 1234567", "5 6", "123456"] {
        child.write(note).expect("noted");
        assert_eq!(run.child().read().expect("read").as_deref(), Some(note));
    }
    assert_eq!(folder.mode(".ralph-review/runs/r1/child"), 0o600);
    child.clear().expect("cleared");
    assert_eq!(run.child().read().expect("read"), None);
}

#[test]
fn what_another_process_noted_can_be_cleared() {
    let folder = Folder::new();
    let run = folder.state().create_run(&run("r1")).expect("a run");
    run.child().write("4711").expect("noted");
    run.child().clear().expect("cleared");
    assert_eq!(run.child().read().expect("read"), None);
}

#[test]
fn the_file_goes_with_the_run() {
    let folder = Folder::new();
    let run = folder.state().create_run(&run("r1")).expect("a run");
    run.child().remove().expect("nothing to remove");
    run.child().write("4711").expect("noted");
    run.child().remove().expect("removed");
    assert!(!run.path().join("child").exists());
    std::fs::create_dir(run.path().join("child")).expect("a folder");
    assert!(run.child().remove().is_err());
}

#[test]
fn a_note_that_is_too_long_is_refused() {
    let folder = Folder::new();
    let run = folder.state().create_run(&run("r1")).expect("a run");
    let mut child = run.child();
    child.write(&"1".repeat(64)).expect("fits");
    assert!(child.write(&"2".repeat(65)).is_err());
    assert_eq!(child.read().expect("read"), Some("1".repeat(64)));
}
