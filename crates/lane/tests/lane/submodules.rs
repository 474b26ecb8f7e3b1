//! Submodules: their files are not in checkouts, unless a command fetches them.

use std::path::PathBuf;

use review_lane::ChangeFault;

use super::support::{Steps as _, User, write};

#[tokio::test]
async fn a_submodule_is_named_and_can_be_fetched_in_a_checkout_and_its_changes_are_not_taken() {
    let other = User::new();
    let user = User::new();
    let url = other.root().display().to_string();
    let local = ["-c", "protocol.file.allow=always", "submodule", "-q"];
    user.git(&[&local[..], &["add", "--name", "part", &url, "lib/part"]].concat());
    user.commit("With a submodule");
    let lane = user.lane().await;
    let part = PathBuf::from("lib/part");
    let known = lane.submodules().await.unwrap();
    assert_eq!(known, std::slice::from_ref(&part));
    let (place, base) = lane.start(1).await;
    assert!(!place.top.join("lib/part/a.txt").exists());
    assert_eq!(lane.take(1, &base).await.files, 0);

    user.git_in(&place.top, &[&local[..], &["update", "--init"]].concat());
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

#[tokio::test]
async fn a_project_without_submodules_has_none() {
    let user = User::new();
    let lane = user.lane().await;
    assert_eq!(lane.submodules().await.unwrap(), [""; 0].map(PathBuf::from));
}
