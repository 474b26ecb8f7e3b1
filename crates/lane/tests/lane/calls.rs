//! How often git is called: each call costs more than what most of them do.

use std::path::Path;

use review_lane::{Lane, Merge, Reused};

use super::support::{Steps as _, User, task, write};

/// The commands of git since the last time.
fn called(calls: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(calls).unwrap_or_default();
    let _ = std::fs::remove_file(calls);
    let command = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    text.lines().map(command).collect()
}

#[tokio::test]
async fn the_calls_of_git_for_a_task_whose_change_fits() {
    let user = User::new();
    let dir = user.lane().await.path().to_owned();
    let (git, calls) = user.noting_tool();
    let dir = review_store::LaneDir::at(dir);
    let lane = Lane::find(git, dir).unwrap().unwrap();
    let tip = lane.tip().await.unwrap();
    std::fs::remove_file(&calls).unwrap();

    let place = lane
        .check_out(task(1), None, &tip, Reused::Nothing, None)
        .await
        .unwrap();
    assert_eq!(called(&calls), ["read-tree"]);

    write(&place.root.join("a.txt"), "changed\n");
    let snapshot = lane.take(1, &tip).await;
    assert_eq!(snapshot.fault, None);
    let expected = [
        "add",
        "write-tree",
        "diff-tree",
        "ls-files",
        "commit-tree",
        "update-ref",
    ];
    assert_eq!(called(&calls), expected);

    let merge = lane.merge(&tip, &snapshot.commit, &tip).await.unwrap();
    let tree = snapshot.tree;
    assert_eq!(merge, Merge::Clean(tree.clone()));
    let merged = lane.merged_tree(&tip, &tree).await.unwrap();
    let before = lane.with_tests_before(&merged, &|_| false).await;
    assert_eq!(before.unwrap(), None);
    assert_eq!(
        lane.with_only_tests(&merged, &|_| false).await.unwrap(),
        None
    );
    assert_eq!(called(&calls), [""; 0]);

    lane.verify(&tree).await.unwrap();
    assert_eq!(called(&calls), ["read-tree"]);
    lane.verify(&tree).await.unwrap();
    assert_eq!(called(&calls), ["read-tree", "clean"]);

    let file = Path::new("a.txt");
    let content = lane.file_at(tree.as_str(), file).await.unwrap();
    assert_eq!(content, Some(b"changed\n".to_vec()));
    let tree = lane.with_file(&tree, file, b"complete\n".to_vec()).await;
    let tree = tree.unwrap();
    let tip = lane.advance(&tip, &tree, "Task 1").await.unwrap();
    let expected = [
        "cat-file",
        "hash-object",
        "ls-tree",
        "read-tree",
        "update-index",
        "write-tree",
        "commit-tree",
        "update-ref",
    ];
    assert_eq!(called(&calls), expected);

    // Nothing that is known is asked again for the next task.
    lane.verify(&tree).await.unwrap();
    let reused = Reused::Checkout(task(1));
    let place = lane.check_out(task(2), None, &tip, reused, None).await;
    assert_eq!(called(&calls), ["read-tree", "clean", "read-tree", "clean"]);
    write(&place.unwrap().root.join("b.txt"), "new\n");
    let snapshot = lane.take(2, &tip).await;
    let expected = [
        "add",
        "write-tree",
        "diff-tree",
        "commit-tree",
        "update-ref",
    ];
    assert_eq!(called(&calls), expected);
    lane.merge(&tip, &snapshot.commit, &tip).await.unwrap();
    lane.merged_tree(&tip, &snapshot.tree).await.unwrap();
    assert_eq!(called(&calls), [""; 0]);
}

#[tokio::test]
async fn the_first_look_of_an_agent_at_its_checkout_reads_no_file_again() {
    let user = User::new();
    let lane = user.lane().await;
    let (place, _) = lane.start(1).await;
    let ours = std::fs::read(lane.path().join("index/1")).unwrap();
    assert_eq!(std::fs::read(place.top.join(".git/index")).unwrap(), ours);
    let listed = user.git_in(&place.top, &["ls-files", "--debug", "a.txt"]);
    assert!(listed.contains("size: 14"), "{listed}");
    write(&place.top.join("a.txt"), "ONE\nTWO\nTHREE\n");
    let status = user.git_in(&place.top, &["status", "--porcelain"]);
    assert_eq!(status, " M a.txt", "a change of the same size is seen");
}
