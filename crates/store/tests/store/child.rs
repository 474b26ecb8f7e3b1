use review_store::RunDir;

use crate::support::{Folder, run};

/// The recorded groups by number.
fn noted(run: &RunDir) -> Vec<String> {
    let children = run.children().expect("listed");
    let notes = children
        .iter()
        .filter_map(|child| child.read().expect("read"));
    let mut notes: Vec<_> = notes.collect();
    notes.sort();
    notes
}

#[test]
fn a_group_is_recorded_as_long_as_its_note_is_held() {
    let folder = Folder::new();
    let run = folder.state().create_run(&run("r1")).expect("a run");
    assert_eq!(noted(&run), [""; 0]);
    let (mut first, mut second) = (run.child(), run.child());
    first.write("4711 1234567");
    second.write("56");
    assert_eq!(first.read().expect("read").as_deref(), Some("4711 1234567"));
    assert_eq!(noted(&run), ["4711 1234567", "56"]);
    assert_eq!(folder.mode(".ralph-review/runs/r1/child-4711"), 0o600);
    drop(first);
    assert_eq!(noted(&run), ["56"]);
    drop(second);
    assert_eq!(noted(&run), [""; 0]);
}

#[test]
fn a_note_of_another_process_stays_until_it_is_removed() {
    let folder = Folder::new();
    let run = folder.state().create_run(&run("r1")).expect("a run");
    std::fs::write(run.path().join("child-4711"), "4711").expect("noted");
    assert_eq!(noted(&run), ["4711"]);
    for mut child in run.children().expect("listed") {
        child.remove().expect("removed");
    }
    assert_eq!(noted(&run), [""; 0]);
    std::fs::create_dir(run.path().join("child-4711")).expect("a folder");
    let mut child = run.child();
    child.write("4711");
    assert!(child.remove().is_err());
}
