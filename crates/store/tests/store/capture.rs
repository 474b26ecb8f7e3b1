//! The state between two hooks.

use review_learning::capture::ClientSession;
use review_store::{CaptureDir, StateDir};
use review_types::Timestamp;

/// The state of a session, which is written again.
fn known(capture: &CaptureDir, session: &str) -> u32 {
    let known = capture.update(&ClientSession::from(session), |known: &mut u32| *known);
    known.expect("the session is remembered")
}

#[test]
fn a_session_is_kept_until_it_has_had_no_events_for_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path()).unwrap();
    let capture = state.capture().unwrap();
    assert_eq!(known(&capture, "s-1"), 0);
    capture
        .update(&ClientSession::from("s-1"), |known: &mut u32| *known = 7)
        .unwrap();
    let outside = |known: &mut u32| std::mem::replace(known, 8);
    assert_eq!(
        capture
            .update(&ClientSession::from("../../etc"), outside)
            .unwrap(),
        0
    );
    assert!(state.path().join("capture/s-1.json").is_file());
    let again = state.capture().unwrap();
    assert_eq!(known(&again, "s-1"), 7);
    assert_eq!(known(&again, "../../etc"), 8);
    assert_eq!(
        std::fs::read_dir(state.path().join("capture"))
            .unwrap()
            .count(),
        2
    );
    again.forget_before(Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(known(&again, "s-1"), 7);
    again
        .forget_before("9999-01-01T00:00:00Z".parse().unwrap())
        .unwrap();
    assert_eq!(known(&again, "s-1"), 0);
}

#[test]
fn concurrent_hooks_lose_no_changes() {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let capture = state.capture().unwrap();
                for _ in 0..50 {
                    capture
                        .update(&ClientSession::from("s-1"), |known: &mut u32| *known += 1)
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(known(&state.capture().unwrap(), "s-1"), 200);
}

#[test]
fn an_error_is_a_line_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path()).unwrap();
    state.capture().unwrap().log("one\nline").unwrap();
    state.capture().unwrap().log("another").unwrap();
    let log = std::fs::read_to_string(state.path().join("capture.log")).unwrap();
    assert_eq!(log, "one line\nanother\n");
}

#[test]
fn a_state_that_cannot_be_read_starts_with_the_default() {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path()).unwrap();
    let capture = state.capture().unwrap();
    std::fs::write(state.path().join("capture/s-1.json"), "{").unwrap();
    assert_eq!(known(&capture, "s-1"), 0);
}
