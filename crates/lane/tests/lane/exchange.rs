//! Commits on their way between the lanes of one run on two computers.

use std::collections::BTreeSet;
use std::path::Path;

use review_lane::{ChangeFault, CommitId, Lane, LaneError, Snapshot, SnapshotOf};
use review_store::LaneDir;
use review_types::RunId;

use super::support::{Steps as _, User, task, write};

/// A user with a clone of what another one has.
fn clone_of(user: &User) -> User {
    let clone = User::without_repository();
    let root = user.root().display().to_string();
    clone.git(&["clone", "-q", &root, "."]);
    clone
}

async fn lane_in(clone: &User) -> Lane {
    let dir = LaneDir::at(clone.root().with_file_name("lane"));
    let run = RunId::new("run-1").unwrap();
    let place = (&*clone.root(), "main");
    Lane::open_in_clone(&clone.tool(), dir, &run, place)
        .await
        .unwrap()
}

async fn accept(lane: &Lane, commit: &CommitId, base: &CommitId) -> Result<Snapshot, LaneError> {
    let fixed = BTreeSet::from(["fixed.md".into()]);
    let of = SnapshotOf {
        task: task(1),
        attempt: 1,
        base,
        fixed: &fixed,
        of_others: &BTreeSet::new(),
        hides: &|path| path == Path::new("hidden.txt"),
        opens: &|_| false,
    };
    lane.accept(commit, of).await
}

/// Sends commits from one lane to another.
async fn send(from: &Lane, to: &Lane, commits: &[CommitId]) -> Result<usize, LaneError> {
    let pack = from.pack(commits, &to.tips().await?).await?;
    let size = pack.len();
    to.unpack(pack).await.map(|()| size)
}

#[tokio::test]
async fn a_clone_gets_what_it_lacks_and_its_work_comes_back() {
    let user = User::new();
    user.write("large.bin", &"not to be sent again ".repeat(10_000));
    user.commit("Large");
    let clone = clone_of(&user);
    user.write("new.txt", "of the user\n");
    user.commit("Later");
    let (home, away) = (user.lane().await, lane_in(&clone).await);
    let tip = home.tip().await.unwrap();
    assert_eq!(
        away.known_commits(std::slice::from_ref(&tip))
            .await
            .unwrap(),
        []
    );
    assert!(
        send(&home, &away, std::slice::from_ref(&tip))
            .await
            .unwrap()
            < 1000
    );
    away.follow(&tip).await.unwrap();
    let before = (user.state(), clone.state());
    let (place, base) = away.start(1).await;
    assert_eq!(base, tip);
    write(&place.root.join("new.txt"), "of the agent\n");
    let made = away.take(1, &base).await;
    send(&away, &home, std::slice::from_ref(&made.commit))
        .await
        .unwrap();
    assert_eq!(accept(&home, &made.commit, &tip).await.unwrap(), made);
    assert_eq!((user.state(), clone.state()), before);
}

#[tokio::test]
async fn a_pack_without_what_it_rests_on_is_refused_and_leaves_nothing() {
    let user = User::new();
    let first = user.git(&["rev-parse", "HEAD"]).parse().unwrap();
    user.write("new.txt", "new\n");
    user.commit("Second");
    let (lane, other) = (user.lane().await, User::without_repository());
    other.git(&["init", "-q", "-b", "main"]);
    other.git(&["commit", "-q", "--allow-empty", "-m", "Other"]);
    let other = lane_in(&other).await;
    let tip = lane.tip().await.unwrap();
    let pack = lane
        .pack(std::slice::from_ref(&tip), &[first])
        .await
        .unwrap();
    for pack in [pack.clone(), pack[..pack.len() - 1].to_vec()] {
        let refused = other.unpack(pack).await;
        assert!(
            matches!(refused, Err(LaneError::Untrusted(_))),
            "{refused:?}"
        );
        assert_eq!(
            other
                .known_commits(std::slice::from_ref(&tip))
                .await
                .unwrap(),
            []
        );
        let mut left = std::fs::read_dir(other.path().join("quarantine")).unwrap();
        assert!(left.next().is_none());
    }
}

#[tokio::test]
async fn a_commit_that_no_snapshot_leads_to_is_not_accepted() {
    let user = User::new();
    user.write("hidden.txt", "hidden\n");
    user.commit("Hidden");
    let lane = user.lane().await;
    let base = lane.tip().await.unwrap();
    let blob = user.git(&["rev-parse", "HEAD:a.txt"]);
    let git = |args: &[&str]| user.git_in(&lane.path().join("lane.git"), args);
    // A commit with one more or another entry than the base.
    let made = |mode: &str, object: &str, path: &str, parent: &CommitId| -> CommitId {
        git(&["read-tree", base.as_str()]);
        let entry = format!("{mode},{object},{path}");
        git(&["update-index", "--add", "--cacheinfo", &entry]);
        let tree = git(&["write-tree"]);
        let commit = ["commit-tree", &tree, "-p", parent.as_str(), "-m", "Made"];
        git(&commit).parse().unwrap()
    };
    let file = made("100644", &blob, "b.txt", &base);
    for (commit, why) in [
        (made("100644", &blob, "b.txt", &file), "has other parents"),
        (made("100644", &blob, "fixed.md", &base), "fixed.md"),
        (made("100644", &blob, "hidden.txt", &base), "hidden.txt"),
        (made("100644", &blob, "ralph.toml", &base), "ralph.toml"),
        (
            made("100644", &blob, ".github/workflows/ci.yml", &base),
            "ci.yml",
        ),
    ] {
        let refused = accept(&lane, &commit, &base).await.unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
    let nested = ChangeFault::NestedRepository("sub".into());
    let repository = made("160000", base.as_str(), "sub", &base);
    let inside = made("120000", &blob, "link", &base);
    for (commit, fault) in [(&file, None), (&repository, Some(nested)), (&inside, None)] {
        let accepted = accept(&lane, commit, &base).await.unwrap();
        assert_eq!((accepted.files, accepted.fault), (1, fault));
    }
    user.write("target", "/etc/passwd");
    let target = git(&[
        "hash-object",
        "-w",
        user.root().join("target").to_str().unwrap(),
    ]);
    let out = made("120000", &target, "link", &base);
    let accepted = accept(&lane, &out, &base).await.unwrap();
    let fault = ChangeFault::EscapingLink {
        path: "link".into(),
        target: "/etc/passwd".into(),
    };
    assert_eq!(accepted.fault, Some(fault));
}

#[tokio::test]
async fn a_pack_with_a_folder_of_git_is_refused() {
    let user = User::new();
    let clone = clone_of(&user);
    let (home, away) = (user.lane().await, lane_in(&clone).await);
    let tip = away.tip().await.unwrap();
    let git = |args: &[&str]| clone.git_in(&away.path().join("lane.git"), args);
    let tree = git(&["rev-parse", &format!("{tip}^{{tree}}")]);
    // Git writes such a tree only where it is asked for by its bytes.
    let mut entry = b"40000 .git\0".to_vec();
    entry.extend((0..20).map(|at| u8::from_str_radix(&tree[2 * at..2 * at + 2], 16).unwrap()));
    let bytes = clone.root().with_file_name("tree");
    std::fs::write(&bytes, entry).unwrap();
    let bytes = bytes.to_str().unwrap();
    let tree = git(&["hash-object", "-w", "-t", "tree", "--literally", bytes]);
    let commit = git(&["commit-tree", &tree, "-p", tip.as_str(), "-m", "Made"]);
    let commit: CommitId = commit.parse().unwrap();
    let refused = send(&away, &home, std::slice::from_ref(&commit))
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("hasDotgit"), "{refused}");
    assert_eq!(home.known_commits(&[commit]).await.unwrap(), []);
}
