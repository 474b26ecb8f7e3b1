//! Changes of several tasks come together on the lane.

use std::path::PathBuf;

use review_lane::Merge;

use super::support::{Steps as _, User, write};

#[tokio::test]
async fn changes_of_other_lines_fit() {
    let user = User::new();
    let lane = user.lane().await;
    let (one, base) = lane.start(1).await;
    let (two, _) = lane.start(2).await;
    write(&one.root.join("a.txt"), "ONE\ntwo\nthree\n");
    write(&two.root.join("b.txt"), "b\n");
    lane.put_on_lane(1, &base).await;
    let tip = lane.put_on_lane(2, &base).await;
    let read = async |path: &str| {
        lane.file_at(tip.as_str(), path.as_ref())
            .await
            .unwrap()
            .unwrap()
    };
    assert_eq!(read("a.txt").await, b"ONE\ntwo\nthree\n");
    assert_eq!(read("b.txt").await, b"b\n");
}

#[tokio::test]
async fn changes_of_the_same_lines_are_conflicts_whatever_the_agent_says_of_merging() {
    let user = User::new();
    let lane = user.lane().await;
    let (one, base) = lane.start(1).await;
    let (two, _) = lane.start(2).await;
    write(&one.root.join("a.txt"), "one\nTWO\nthree\n");
    write(&two.root.join("a.txt"), "one\nzwei\nthree\n");
    write(&two.root.join(".gitattributes"), "* merge=union\n");
    let tip = lane.put_on_lane(1, &base).await;
    let change = lane.take(2, &base).await;
    let merge = lane.merge(&base, &change.commit, &tip).await.unwrap();
    let Merge::Conflicts { tree, paths } = merge else {
        panic!("{merge:?}");
    };
    assert_eq!(paths, [PathBuf::from("a.txt")]);
    let text = lane
        .file_at(tree.as_str(), "a.txt".as_ref())
        .await
        .unwrap()
        .unwrap();
    assert!(String::from_utf8(text).unwrap().contains("<<<<<<<"));
}

#[tokio::test]
async fn changed_and_deleted_tests_are_those_of_the_lane_in_the_protected_tree() {
    let user = User::new();
    user.write("tests/b.sh", "true\n");
    user.commit("Another test");
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    write(&place.root.join("a.txt"), "changed\n");
    let none = lane.take(1, &base).await;
    let merged = lane.merged_tree(&base, &none.tree).await.unwrap();
    let before = lane.with_tests_before(&merged, &|_| false).await;
    assert_eq!(before.unwrap(), None);
    assert_eq!(
        lane.with_only_tests(&merged, &|_| false).await.unwrap(),
        None
    );
    write(&place.root.join("tests/a.sh"), "true\n");
    write(&place.root.join("tests/new.sh"), "true\n");
    std::fs::remove_file(place.root.join("tests/b.sh")).unwrap();
    let snapshot = lane.take(1, &base).await;
    let merged = lane.merged_tree(&base, &snapshot.tree).await.unwrap();
    let tree = lane.with_tests_before(&merged, &|_| false).await;
    let tree = tree.unwrap().unwrap();
    let read = async |path: &str| lane.file_at(tree.as_str(), path.as_ref()).await.unwrap();
    assert_eq!(read("tests/a.sh").await.unwrap(), b"grep -q two a.txt\n");
    assert_eq!(read("tests/b.sh").await.unwrap(), b"true\n");
    assert_eq!(read("tests/new.sh").await.unwrap(), b"true\n");
    assert_eq!(read("a.txt").await.unwrap(), b"changed\n");
}

#[tokio::test]
async fn tests_that_a_task_may_change_are_not_restored() {
    let user = User::new();
    user.write("tests/b.sh", "true\n");
    user.commit("Another test");
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    write(&place.root.join("tests/b.sh"), "false\n");
    let changed = lane.take(1, &base).await;
    let opens = |path: &std::path::Path| path == "tests/b.sh";
    let merged = lane.merged_tree(&base, &changed.tree).await.unwrap();
    let restored = lane.with_tests_before(&merged, &opens).await;
    assert_eq!(restored.unwrap(), None);
}

#[tokio::test]
async fn the_tests_of_a_change_can_be_looked_at_without_it() {
    let user = User::new();
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    write(&place.root.join("tests/new.sh"), "true\n");
    let only_tests = lane.take(1, &base).await;
    let merged = lane.merged_tree(&base, &only_tests.tree).await.unwrap();
    let tree = lane.with_only_tests(&merged, &|_| false).await;
    assert_eq!(tree.unwrap(), Some(only_tests.tree));
    let opens = |path: &std::path::Path| path == "tests/new.sh";
    assert_eq!(lane.with_only_tests(&merged, &opens).await.unwrap(), None);
    write(&place.root.join("a.txt"), "changed\n");
    let snapshot = lane.take(1, &base).await;
    let merged = lane.merged_tree(&base, &snapshot.tree).await.unwrap();
    let tree = lane.with_only_tests(&merged, &|_| false).await;
    let tree = tree.unwrap().unwrap();
    let read = async |path: &str| lane.file_at(tree.as_str(), path.as_ref()).await.unwrap();
    assert_eq!(read("tests/new.sh").await.unwrap(), b"true\n");
    assert_ne!(read("a.txt").await.unwrap(), b"changed\n");
}

#[tokio::test]
async fn another_content_of_a_file_keeps_its_mode() {
    let user = User::new();
    user.write("run.sh", "#!/bin/sh\n");
    user.git(&["add", "run.sh"]);
    user.git(&["update-index", "--chmod=+x", "run.sh"]);
    user.git(&["commit", "-q", "-m", "Program"]);
    user.git(&["checkout", "-q", "--", "run.sh"]);
    let lane = user.lane().await;
    let tree = lane.tree_of(&lane.tip().await.unwrap()).await.unwrap();
    let with = lane
        .with_file(&tree, "run.sh".as_ref(), b"#!/bin/bash\n".to_vec())
        .await
        .unwrap();
    let listed = user.git_in(
        &lane.path().join("lane.git"),
        &["ls-tree", with.as_str(), "run.sh"],
    );
    assert!(listed.starts_with("100755 blob"), "{listed}");
}

#[tokio::test]
async fn an_advance_that_was_cut_off_has_the_same_commit() {
    let user = User::new();
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    write(&place.root.join("new.txt"), "new\n");
    let tree = lane.take(1, &base).await.tree;
    let first = lane.advance(&base, &tree, "Task 1").await.unwrap();
    assert_eq!(lane.advance(&base, &tree, "Task 1").await.unwrap(), first);
    assert_eq!(lane.tip().await.unwrap(), first);
}
