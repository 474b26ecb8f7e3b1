use crate::support::{Folder, run};

#[test]
fn a_group_is_noted_as_long_as_its_note_is_held() {
    let folder = Folder::new();
    let run = folder.state().create_run(&run("r1")).expect("a run");
    let mut child = run.child();
    assert_eq!(child.read().expect("read"), None);
    for note in ["4711 1234567", "5 6", "123456"] {
        child.write(note);
        assert_eq!(run.child().read().expect("read").as_deref(), Some(note));
    }
    assert_eq!(folder.mode(".ralph-review/runs/r1/child"), 0o600);
    drop(child);
    assert_eq!(run.child().read().expect("read"), None);
    assert!(!run.path().join("child").exists());
}

#[test]
fn what_another_process_noted_stays_until_it_is_removed() {
    let folder = Folder::new();
    let run = folder.state().create_run(&run("r1")).expect("a run");
    run.child().remove().expect("nothing to remove");
    std::fs::write(run.path().join("child"), "4711").expect("noted");
    assert_eq!(run.child().read().expect("read").as_deref(), Some("4711"));
    run.child().remove().expect("removed");
    assert_eq!(run.child().read().expect("read"), None);
    std::fs::create_dir(run.path().join("child")).expect("a folder");
    run.child().write("4711");
    assert!(run.child().remove().is_err());
}
