//! The commits of the lane on the target as it is now.

use std::collections::BTreeSet;
use std::path::PathBuf;

use review_lane::{Carried, Dirty, LandMode};

use super::support::{Steps as _, User, write};

#[tokio::test]
async fn onto_an_unmoved_target_the_commits_are_those_of_the_lane() {
    let user = User::new();
    let lane = user.lane().await;
    let tip = lane.task(1, &[("new.txt", "new\n")]).await;
    assert_eq!(lane.carried().await, tip);
}

#[tokio::test]
async fn onto_a_moved_target_each_commit_is_applied() {
    let user = User::new();
    let lane = user.lane().await;
    lane.task(1, &[("new.txt", "new\n")]).await;
    lane.task(2, &[("b.txt", "b\n")]).await;
    user.write("users.txt", "user\n");
    user.commit("Meanwhile");
    let commit = lane.carried().await;
    let git = lane.path().join("lane.git");
    let log = user.git_in(&git, &["log", "--format=%s", commit.as_str()]);
    assert_eq!(log, "Task 2\nTask 1\nMeanwhile\nFirst");
    let files = user.git_in(&git, &["ls-tree", "--name-only", commit.as_str()]);
    assert_eq!(files, ".gitignore\na.txt\nb.txt\nnew.txt\ntests\nusers.txt");
}

#[tokio::test]
async fn changes_that_were_not_committed_are_left_out() {
    let user = User::new();
    user.write("draft.txt", "draft\n");
    let lane = user.try_lane(Dirty::Include, &[]).await.unwrap();
    lane.task(1, &[("new.txt", "new\n")]).await;
    let commit = lane.carried().await;
    assert_eq!(
        lane.file_at(commit.as_str(), "draft.txt".as_ref())
            .await
            .unwrap(),
        None
    );
    let new = lane
        .file_at(commit.as_str(), "new.txt".as_ref())
        .await
        .unwrap();
    assert_eq!(new.unwrap(), b"new\n");
}

#[tokio::test]
async fn other_changes_of_the_same_lines_are_named() {
    let user = User::new();
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    write(&place.root.join("a.txt"), "one\nTWO\nthree\n");
    lane.put_on_lane(1, &base).await;
    user.write("a.txt", "one\nzwei\nthree\n");
    user.commit("Meanwhile");
    let carried = lane
        .carry(&lane.tip().await.unwrap(), &BTreeSet::new(), LandMode::Auto)
        .await
        .unwrap();
    assert_eq!(carried, Carried::Conflicts(vec![PathBuf::from("a.txt")]));
    user.git(&["checkout", "-q", "--detach"]);
    user.git(&["branch", "-D", "main"]);
    assert_eq!(
        lane.carry(&lane.tip().await.unwrap(), &BTreeSet::new(), LandMode::Auto)
            .await
            .unwrap(),
        Carried::NoTarget
    );
}
