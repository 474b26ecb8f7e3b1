//! Submodules: their files are not in checkouts, unless a command fetches them.

use std::path::{Path, PathBuf};

use review_lane::ChangeFault;

use super::support::{SUBMODULE, Steps as _, User, write};

#[tokio::test]
async fn a_submodule_is_named_and_can_be_fetched_in_a_checkout_and_its_changes_are_not_taken() {
    let other = User::new();
    let user = User::with_submodule(&other);
    let lane = user.lane().await;
    let part = PathBuf::from("lib/part");
    let known = lane.source().submodules(&user.tool()).await.unwrap();
    assert_eq!(known, std::slice::from_ref(&part));
    let (place, base) = lane.start(1).await;
    assert!(!place.top.join("lib/part/a.txt").exists());
    assert_eq!(lane.take(1, &base).await.files, 0);

    user.git_in(
        &place.top,
        &[&SUBMODULE[..], &["update", "--init"]].concat(),
    );
    let text = std::fs::read_to_string(place.top.join("lib/part/a.txt")).unwrap();
    assert_eq!(text, "one\ntwo\nthree\n");
    let snapshot = lane.take(1, &base).await;
    assert_eq!((snapshot.files, snapshot.fault), (0, None));

    let inside = place.top.join("lib/part");
    write(&inside.join("a.txt"), "changed\n");
    user.git_in(&inside, &["commit", "-q", "-a", "-m", "Inside"]);
    let fault = lane.take(1, &base).await.fault;
    assert_eq!(fault, Some(ChangeFault::SubmoduleChanged(part)));
}

/// Each of these would land a project without files that the agent had, or with a
/// submodule that nothing describes.
#[tokio::test]
async fn a_change_that_git_does_not_see_in_a_submodule_is_not_taken() {
    let other = User::new();
    let user = User::with_submodule(&other);
    let lane = user.lane().await;
    type Change = fn(&Path);
    let cases: [(&str, Option<&str>, Change); 7] = [
        ("nothing", None, |_| {}),
        ("the list is deleted", Some(".gitmodules"), |top| {
            std::fs::remove_file(top.join(".gitmodules")).unwrap();
        }),
        ("a file is in its folder", Some("lib/part"), |top| {
            write(&top.join("lib/part/new.txt"), "new\n");
        }),
        ("a folder replaces it", Some("lib/part"), |top| {
            std::fs::remove_dir_all(top.join("lib")).unwrap();
            write(&top.join("lib/part/deep/a.txt"), "vendored\n");
        }),
        ("a file replaces it", Some("lib/part"), |top| {
            std::fs::remove_dir_all(top.join("lib/part")).unwrap();
            write(&top.join("lib/part"), "new\n");
        }),
        ("it is deleted", Some("lib/part"), |top| {
            std::fs::remove_dir_all(top.join("lib")).unwrap();
        }),
        ("a file is there after that", Some("lib/part"), |top| {
            write(&top.join("lib/part/new.txt"), "new\n");
        }),
    ];
    for (name, fault, change) in cases {
        let (place, base) = lane.start(1).await;
        change(&place.top);
        let snapshot = lane.take(1, &base).await;
        let expected = fault.map(|path| ChangeFault::SubmoduleChanged(path.into()));
        assert_eq!(snapshot.fault, expected, "{name}");
    }
}

#[tokio::test]
async fn a_project_without_submodules_has_none() {
    let user = User::new();
    let lane = user.lane().await;
    let known = lane.source().submodules(&user.tool()).await.unwrap();
    assert_eq!(known, [""; 0].map(PathBuf::from));
}
