use crate::support::Folder;
use review_types::SessionId;

fn id() -> SessionId {
    SessionId::new("ses_1").expect("a name")
}

#[test]
fn a_session_returns_the_last_written_state() {
    let folder = Folder::new();
    let state = folder.state();
    assert!(!state.session(&id()).path().exists());
    let session = state.make_session(&id()).expect("made");
    assert_eq!(session, state.make_session(&id()).expect("there"));
    assert_eq!(session.read::<Vec<u8>>().expect("read"), None);
    session.write(&[1_u8]).expect("written");
    session.write(&[2_u8, 3]).expect("written");
    let read = state.session(&id()).read::<Vec<u8>>().expect("read");
    assert_eq!(read, Some(vec![2, 3]));
    assert_eq!(folder.mode(".ralph-review/sessions/ses_1"), 0o700);
    let file = ".ralph-review/sessions/ses_1/session.json";
    assert_eq!(folder.mode(file), 0o600);
}

#[test]
fn a_damaged_state_is_an_error() {
    let folder = Folder::new();
    let session = folder.state().make_session(&id()).expect("made");
    folder.write(".ralph-review/sessions/ses_1/session.json", "{");
    let error = session.read::<Vec<u8>>().expect_err("damaged");
    assert!(error.to_string().contains("session.json"), "{error}");
}

#[test]
fn the_artifact_is_alone_in_its_folder() {
    let folder = Folder::new();
    let session = folder.state().make_session(&id()).expect("made");
    session.put_artifact("artifact.md", b"one").expect("put");
    session.put_artifact("artifact.md", b"two").expect("put");
    let state = session.state().expect("a state folder");
    assert!(state.path().ends_with("sessions/ses_1/state"));
    let below = ".ralph-review/sessions/ses_1/artifact";
    assert_eq!(folder.names(below), ["artifact.md"]);
    assert_eq!(folder.read(&format!("{below}/artifact.md")), "two");
}
