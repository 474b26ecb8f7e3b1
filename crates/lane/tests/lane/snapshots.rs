//! What an agent left becomes a commit, or a fault with its reason.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use review_lane::{ChangeFault, Merge, Reused, SnapshotOf};

use super::support::{Steps as _, User, task, write};

#[tokio::test]
async fn a_snapshot_is_the_files_whatever_the_agent_committed() {
    let user = User::new();
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    write(&place.root.join("a.txt"), "changed\n");
    std::fs::remove_file(place.root.join("tests/a.sh")).unwrap();
    write(&place.root.join("ignored/x"), "x\n");
    user.git_in(&place.top, &["add", "-A"]);
    user.git_in(&place.top, &["commit", "-q", "-m", "Mine"]);
    write(&place.root.join("new.txt"), "new\n");
    let snapshot = lane.take(1, &base).await;
    assert_eq!((snapshot.files, &snapshot.fault), (3, &None));
    let read = async |path: &str| {
        lane.file_at(snapshot.tree.as_str(), path.as_ref())
            .await
            .unwrap()
    };
    assert_eq!(read("a.txt").await.unwrap(), b"changed\n");
    assert_eq!(read("new.txt").await.unwrap(), b"new\n");
    assert_eq!(read("tests/a.sh").await, None);
    assert_eq!(read("ignored/x").await, None);
}

#[tokio::test]
async fn an_agent_that_removes_its_git_folder_is_no_problem() {
    let user = User::new();
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    std::fs::remove_dir_all(place.top.join(".git")).unwrap();
    write(&place.root.join("new.txt"), "new\n");
    let snapshot = lane.take(1, &base).await;
    assert_eq!((snapshot.files, snapshot.fault), (1, None));
}

#[tokio::test]
async fn files_that_agents_may_not_change_are_put_back() {
    let user = User::new();
    user.write("specs/A.md", "# A\n");
    user.write("ralph.toml", "[task]\n");
    user.write("other.sh", "exit 1\n");
    user.commit("Spec");
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    write(&place.root.join("specs/A.md"), "# Easier\n");
    write(&place.root.join(".github/workflows/ci.yml"), "off\n");
    std::fs::remove_file(place.root.join("ralph.toml")).unwrap();
    for path in ["other.sh", "new.sh"] {
        write(&place.root.join(path), "exit 0\n");
    }
    let fixed = BTreeSet::from([PathBuf::from("specs/A.md")]);
    let of = SnapshotOf {
        task: task(1),
        attempt: 1,
        base: &base,
        fixed: &fixed,
        of_others: &["other.sh", "new.sh"].map(PathBuf::from).into(),
        hides: &|_| false,
        opens: &|_| false,
    };
    let snapshot = lane.snapshot(of).await.unwrap();
    let restored = [
        ".github/workflows/ci.yml",
        "other.sh",
        "ralph.toml",
        "specs/A.md",
    ];
    assert_eq!(snapshot.restored, restored.map(PathBuf::from));
    assert_eq!((snapshot.files, snapshot.fault), (1, None));
    let read = async |path: &str| {
        lane.file_at(snapshot.tree.as_str(), path.as_ref())
            .await
            .unwrap()
    };
    assert_eq!(read("specs/A.md").await.unwrap(), b"# A\n");
    assert_eq!(read("ralph.toml").await.unwrap(), b"[task]\n");
    assert_eq!(read(".github/workflows/ci.yml").await, None);
}

/// The setting of the user's repository says nothing of the file system, and git that
/// believes it loses the file.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_change_of_the_case_of_a_name_is_taken_and_landed() {
    let user = User::new();
    user.git(&["config", "core.ignorecase", "true"]);
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    std::fs::rename(place.root.join("a.txt"), place.root.join("A.txt")).unwrap();
    lane.put_on_lane(1, &base).await;
    let commit = lane.carried().await;
    lane.land(&commit).await.unwrap().unwrap();
    let files = user.git(&["ls-tree", "-r", "--name-only", "main"]);
    assert_eq!(files, ".gitignore\nA.txt\ntests/a.sh");
    assert_eq!(user.read("A.txt").unwrap(), "one\ntwo\nthree\n");
}

#[tokio::test]
async fn files_that_only_the_repository_of_the_user_ignores_are_not_taken() {
    for file in [".git/my-excludes", "~/my-excludes"] {
        let user = User::new();
        user.git(&["config", "core.excludesFile", file]);
        user.write(".git/my-excludes", "*.log\n");
        user.write("../home/my-excludes", "*.log\n");
        user.write("mine.log", "mine\n");
        let lane = user.lane().await;
        let (place, base) = lane.start(1).await;
        write(&place.root.join("build.log"), "built\n");
        write(&place.root.join("new.txt"), "new\n");
        assert_eq!(lane.take(1, &base).await.files, 1, "{file}");
        let status = user.git_in(&place.top, &["status", "--porcelain"]);
        assert_eq!(status, "?? new.txt", "{file}");
    }
}

#[tokio::test]
async fn no_change_has_no_files() {
    let user = User::new();
    let lane = user.lane().await;
    let (_, base) = lane.start(1).await;
    let snapshot = lane.take(1, &base).await;
    assert_eq!((snapshot.files, snapshot.fault), (0, None));
}

#[tokio::test]
async fn marks_that_the_merge_of_a_checkout_left_are_a_fault_whatever_the_file_holds() {
    let long = "a line\n".repeat(200_000);
    for (name, rest) in [
        ("text", &b"rest\n"[..]),
        ("not UTF-8", &b"caf\xe9\n"[..]),
        ("over 1 MiB", long.as_bytes()),
    ] {
        let user = User::new();
        let put = |path: PathBuf, line: &str| {
            std::fs::write(path, [line.as_bytes(), rest].concat()).unwrap();
        };
        put(user.root().join("a.txt"), "before\n");
        user.commit("A file");
        let lane = user.lane().await;
        let (first, first_base) = lane.start(1).await;
        let (second, second_base) = lane.start(2).await;
        put(first.root.join("a.txt"), "theirs\n");
        put(second.root.join("a.txt"), "mine\n");
        lane.put_on_lane(1, &first_base).await;
        let change = lane.take(2, &second_base).await.commit;
        let tip = lane.tip().await.unwrap();
        let merge = lane.merge(&second_base, &change, &tip).await.unwrap();
        let Merge::Conflicts { tree, paths } = merge else {
            panic!("{name}: {merge:?}");
        };
        let place = lane
            .check_out(task(2), Some(&tree), &tip, Reused::Nothing, None)
            .await
            .unwrap();
        lane.note_conflicts(task(2), &paths).unwrap();
        write(&place.root.join("new.txt"), "<<<<<<< not of the merge\n");
        let left = lane.take(2, &tip).await;
        let fault = ChangeFault::Markers("a.txt".into());
        assert_eq!(left.fault, Some(fault), "{name}");
        put(place.root.join("a.txt"), "theirs\nmine\n");
        assert_eq!(lane.take(2, &tip).await.fault, None, "{name}");
    }
}

#[tokio::test]
async fn a_repository_in_the_checkout_is_a_fault() {
    for commits in [false, true] {
        let user = User::new();
        let lane = user.lane().await;
        let (place, base) = lane.start(1).await;
        let nested = place.root.join("sub");
        write(&nested.join("b.txt"), "b\n");
        user.git_in(&nested, &["init", "-q"]);
        if commits {
            user.git_in(&nested, &["add", "-A"]);
            user.git_in(&nested, &["commit", "-q", "-m", "Nested"]);
        }
        let fault = lane.take(1, &base).await.fault;
        let Some(ChangeFault::NestedRepository(path)) = fault else {
            panic!("{fault:?}");
        };
        assert_eq!(path, PathBuf::from(if commits { "sub" } else { "sub/" }));
    }
}

#[tokio::test]
async fn a_link_out_of_the_checkout_is_a_fault() {
    let user = User::new();
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    symlink("a.txt", place.root.join("inside")).unwrap();
    assert_eq!(lane.take(1, &base).await.fault, None);
    symlink("/etc/passwd", place.root.join("outside")).unwrap();
    let fault = lane.take(1, &base).await.fault.unwrap();
    assert_eq!(
        fault.to_string(),
        "outside is a link to /etc/passwd, which is outside of the project"
    );
}
