use crate::support::{Folder, run};

#[test]
fn a_group_is_recorded_as_long_as_its_note_is_held() {
    let folder = Folder::new();
    let run = folder.state().create_run(&run("r1")).expect("a run");
    let noted = || run.child_slot().running().expect("read");
    assert_eq!(noted(), [""; 0]);
    let (mut first, mut second) = (run.child_slot().note(), run.child_slot().note());
    first.write("4711 1234567");
    second.write("56");
    assert_eq!(noted(), ["4711 1234567", "56"]);
    assert_eq!(folder.mode(".ralph-review/runs/r1/children"), 0o600);
    drop(first);
    assert_eq!(noted(), ["56"]);
    let mut third = run.child_slot().note();
    third.write("4711 1234599");
    drop(second);
    assert_eq!(noted(), ["4711 1234599"]);
    drop(third);
    drop(run.child_slot().note());
    assert_eq!(noted(), [""; 0]);
}

#[test]
fn a_note_of_another_process_stays_until_it_is_forgotten() {
    let folder = Folder::new();
    let run = folder.state().create_run(&run("r1")).expect("a run");
    let path = run.path().join("children");
    std::fs::write(&path, "56\n4711 12\n-56\n47").expect("noted");
    assert_eq!(run.child_slot().running().expect("read"), ["4711 12", "47"]);
    run.child_slot().clear().expect("removed");
    run.child_slot().clear().expect("nothing to remove");
    assert_eq!(run.child_slot().running().expect("read"), [""; 0]);
    std::fs::create_dir(&path).expect("a folder");
    run.child_slot().note().write("4711");
    assert!(run.child_slot().running().is_err());
    assert!(run.child_slot().clear().is_err());
}
