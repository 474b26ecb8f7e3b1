use std::fs;

use review_store::{Area, STATE_DIR, StateDir, StateError};

use crate::support::{Folder, run};

#[test]
fn the_state_folder_is_private_and_ignored_by_git() {
    let folder = Folder::new();
    let state = folder.state();
    assert_eq!(state.path(), folder.root().path().join(STATE_DIR));
    assert_eq!(folder.mode(STATE_DIR), 0o700);
    assert_eq!(folder.names(STATE_DIR), [".gitignore"]);
    assert_eq!(folder.read(".ralph-review/.gitignore"), "*\n");
    assert_eq!(folder.mode(".ralph-review/.gitignore"), 0o600);
    state.create_run(&run("r1")).expect("a run");
    assert_eq!(folder.mode(".ralph-review/runs"), 0o700);
    assert_eq!(folder.mode(".ralph-review/runs/r1"), 0o700);
}

#[test]
fn an_existing_folder_is_kept() {
    let folder = Folder::with(&[
        (".ralph-review/.gitignore", "mine"),
        (".ralph-review/x", "y"),
    ]);
    folder.state();
    assert_eq!(folder.read(".ralph-review/.gitignore"), "mine");
    assert_eq!(folder.names(STATE_DIR), [".gitignore", "x"]);
}

#[test]
fn a_named_folder_is_created_with_its_parents() {
    let folder = Folder::new();
    let state = StateDir::open(&folder.join("a/b/state")).expect("made");
    assert_eq!(state.path(), folder.root().path().join("a/b/state"));
    assert_eq!(folder.mode("a/b/state"), 0o700);
}

#[test]
fn a_file_in_its_place_is_an_error_with_a_way_out() {
    let folder = Folder::with(&[(STATE_DIR, "")]);
    let error = StateDir::under(folder.path()).expect_err("a file");
    assert_eq!(
        error.to_string(),
        format!(
            "cannot use the state folder: {} cannot be created: it is not a folder; \
             select another one with --state-dir",
            folder.join(STATE_DIR).display()
        )
    );
    assert!(StateDir::open(&folder.join(".ralph-review/inner")).is_err());
}

#[test]
fn a_file_in_place_of_an_area_is_an_error() {
    let folder = Folder::with(&[(".ralph-review/runs", "")]);
    assert!(folder.state().create_run(&run("r1")).is_err());
}

#[test]
fn a_link_that_the_user_did_not_specify_is_rejected() {
    let elsewhere = Folder::new();
    let folder = Folder::new();
    folder.link(STATE_DIR, elsewhere.path());
    let error = StateDir::under(folder.path()).expect_err("a link");
    assert!(matches!(error, StateError::Link(_)));
    assert!(elsewhere.names("").is_empty());
    let state = StateDir::open(&folder.join(STATE_DIR)).expect("named by the user");
    assert_eq!(state.path(), elsewhere.root().path());
    elsewhere.link("runs", folder.path());
    assert!(state.create_run(&run("r1")).is_err());
    assert_eq!(folder.names(""), [STATE_DIR]);
}

#[test]
fn a_temporary_folder_is_deleted_with_its_last_clone() {
    let state = StateDir::temporary().expect("made");
    let clone = state.clone();
    let path = state.path().to_owned();
    drop(state);
    assert!(clone.is_temporary());
    clone.create_run(&run("r1")).expect("a run");
    assert!(path.join("runs/r1").is_dir());
    drop(clone);
    assert!(!path.exists());
}

#[test]
fn reading_creates_nothing() {
    let folder = Folder::new();
    let state = StateDir::at(folder.join("none"));
    assert!(state.runs().expect("no runs").is_empty());
    assert!(!state.is_temporary());
    assert_eq!(state.area(Area::Findings), folder.join("none/findings"));
    assert!(folder.names("").is_empty());
}

#[test]
fn an_unrelated_folder_is_left_alone() {
    let folder = Folder::with(&[(".ralph/config", "theirs")]);
    folder.state().create_run(&run("r1")).expect("a run");
    assert_eq!(folder.names(".ralph"), ["config"]);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
}
