//! What is remembered between two hooks.

use review_store::StateDir;
use review_types::Timestamp;

#[test]
fn a_session_is_remembered_until_nothing_is_heard_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path()).unwrap();
    let capture = state.capture().unwrap();
    assert_eq!(capture.read::<u32>("s-1"), None);
    capture.write("s-1", &7).unwrap();
    capture.write("../../etc", &8).unwrap();
    assert!(state.path().join("capture/s-1.json").is_file());
    let again = state.capture().unwrap();
    assert_eq!(again.read("s-1"), Some(7));
    assert_eq!(again.read("../../etc"), Some(8));
    assert_eq!(
        std::fs::read_dir(state.path().join("capture"))
            .unwrap()
            .count(),
        2
    );
    again.forget_before(Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(again.read("s-1"), Some(7));
    again
        .forget_before("9999-01-01T00:00:00Z".parse().unwrap())
        .unwrap();
    assert_eq!(again.read::<u32>("s-1"), None);
}

#[test]
fn what_went_wrong_is_a_line_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path()).unwrap();
    state.capture().unwrap().log("one\nline").unwrap();
    state.capture().unwrap().log("another").unwrap();
    let log = std::fs::read_to_string(state.path().join("capture.log")).unwrap();
    assert_eq!(log, "one line\nanother\n");
}

#[test]
fn what_cannot_be_read_is_not_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path()).unwrap();
    let capture = state.capture().unwrap();
    std::fs::write(state.path().join("capture/s-1.json"), "{").unwrap();
    assert_eq!(capture.read::<u32>("s-1"), None);
}
