//! What an agent finds in its checkout, and what it cannot reach from there.

use std::path::Path;

use super::support::{Steps as _, User, task, write};

#[tokio::test]
async fn a_checkout_has_the_files_of_the_tip_and_a_clean_git_folder_of_its_own() {
    let user = User::new();
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    assert_eq!(place.top.file_name(), user.root().file_name());
    let text = std::fs::read_to_string(place.root.join("a.txt")).unwrap();
    assert_eq!(text, "one\ntwo\nthree\n");
    assert_eq!(user.git_in(&place.top, &["status", "--porcelain"]), "");
    assert_eq!(
        user.git_in(&place.top, &["rev-parse", "HEAD"]),
        base.as_str()
    );
    assert_eq!(user.git_in(&place.top, &["remote"]), "");
    assert_eq!(
        user.git_in(&place.top, &["config", "user.email"]),
        "ann@example.org"
    );
}

#[tokio::test]
async fn what_an_agent_does_with_git_reaches_neither_the_user_nor_the_lane() {
    let user = User::new();
    let lane = user.lane().await;
    let before = user.state();
    let (place, base) = lane.start(1).await;
    let ran = place.top.parent().unwrap().join("ran");
    for program in ["post-commit", "post-index-change", "monitor"] {
        program_at(&place.top.join(".git/hooks").join(program), &ran);
    }
    for args in [
        &["config", "core.hooksPath", ".git/hooks"][..],
        &["config", "core.fsmonitor", ".git/hooks/monitor"],
        &["commit", "-q", "--allow-empty", "-m", "Mine"],
        &["branch", "mine"],
        &["update-ref", "-d", "refs/heads/main"],
    ] {
        user.git_in(&place.top, args);
    }
    assert!(ran.exists(), "the programs of the agent run for the agent");
    std::fs::remove_file(&ran).unwrap();
    write(&place.root.join("new.txt"), "new\n");
    let snapshot = lane.take(1, &base).await;
    assert_eq!((snapshot.files, snapshot.fault), (1, None));
    assert_eq!(lane.tip().await.unwrap(), base);
    assert_eq!(user.state(), before);
    assert!(!ran.exists());
}

/// A program that leaves a mark.
fn program_at(path: &Path, mark: &Path) {
    write(path, &format!("#!/bin/sh\ntouch '{}'\n", mark.display()));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(path, mode).unwrap();
}

#[tokio::test]
async fn the_checkout_of_the_gate_keeps_ignored_files_until_it_is_dropped() {
    let user = User::new();
    let lane = user.lane().await;
    let tree = lane.tree_of(&lane.tip().await.unwrap()).await.unwrap();
    let place = lane.verify(&tree).await.unwrap();
    write(&place.root.join("ignored/build"), "built\n");
    write(&place.root.join("left.txt"), "left\n");
    write(&place.root.join("a.txt"), "changed\n");
    lane.note_prepared().unwrap();
    for (is_dropped, ignored) in [(false, true), (true, false)] {
        if is_dropped {
            lane.drop_verify().unwrap();
        }
        assert_eq!(lane.is_prepared(), ignored);
        let place = lane.verify(&tree).await.unwrap();
        assert_eq!(place.root.join("ignored/build").exists(), ignored);
        assert!(!place.root.join("left.txt").exists());
        let text = std::fs::read_to_string(place.root.join("a.txt")).unwrap();
        assert_eq!(text, "one\ntwo\nthree\n");
    }
}

#[tokio::test]
async fn a_dropped_checkout_is_gone_and_its_snapshot_stays() {
    let user = User::new();
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    write(&place.root.join("new.txt"), "new\n");
    let snapshot = lane.take(1, &base).await;
    lane.drop_checkout(task(1)).unwrap();
    assert!(!place.top.exists());
    let text = lane
        .file_at(snapshot.commit.as_str(), "new.txt".as_ref())
        .await;
    assert_eq!(text.unwrap().unwrap(), b"new\n");
}

#[tokio::test]
async fn in_a_subfolder_programs_run_in_the_same_subfolder() {
    let user = User::new();
    user.write("services/api/b.txt", "b\n");
    user.commit("Service");
    let root = user.root().join("services/api");
    let found = review_lane::Source::look(&user.tool(), &root, None).await;
    let review_lane::Found::Repository(source) = found.unwrap() else {
        panic!("a repository is a folder");
    };
    assert_eq!(source.prefix, std::path::Path::new("services/api/"));
}
