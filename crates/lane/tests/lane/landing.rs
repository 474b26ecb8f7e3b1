//! Landing moves the branch and the user's files, or nothing.

use std::path::{Path, PathBuf};

use review_lane::{Dirty, LandCode, NotLanded};

use super::support::{Steps as _, User, write};

/// Lands, or returns why not.
async fn land(user: &User, lane: &review_lane::Lane) -> Result<(), NotLanded> {
    let commit = lane.carried().await;
    let landed = lane.land(&commit).await.unwrap();
    if landed.is_ok() {
        assert_eq!(user.git(&["rev-parse", "main"]), commit.as_str());
    }
    landed.map(|_| ())
}

#[tokio::test]
async fn landing_moves_the_branch_and_the_files_and_keeps_other_changes() {
    let user = User::new();
    user.write("b.txt", "b\n");
    user.commit("Second");
    let lane = user.lane().await;
    lane.task(1, &[("a.txt", "changed\n"), ("dir/new.txt", "new\n")])
        .await;
    user.write("b.txt", "being edited\n");
    user.write("c.txt", "untracked\n");
    user.write("d.txt", "staged\n");
    user.git(&["add", "d.txt"]);
    assert_eq!(land(&user, &lane).await, Ok(()));
    assert_eq!(user.read("a.txt").unwrap(), "changed\n");
    assert_eq!(user.read("dir/new.txt").unwrap(), "new\n");
    assert_eq!(
        user.git(&["status", "--porcelain"]),
        " M b.txt\nA  d.txt\n?? c.txt"
    );
    assert_eq!(user.git(&["log", "-1", "--format=%s %an"]), "Task 1 Ann");
}

#[tokio::test]
async fn landing_twice_is_landing_once() {
    let user = User::new();
    let lane = user.lane().await;
    lane.task(1, &[("new.txt", "new\n")]).await;
    let commit = lane.carried().await;
    lane.land(&commit).await.unwrap().unwrap();
    lane.land(&commit).await.unwrap().unwrap();
    assert_eq!(user.git(&["rev-list", "--count", "main"]), "2");
}

#[tokio::test]
async fn a_branch_that_is_not_checked_out_moves_alone() {
    let user = User::new();
    let lane = user.lane().await;
    lane.task(1, &[("a.txt", "changed\n")]).await;
    user.git(&["checkout", "-q", "-b", "other"]);
    user.write("a.txt", "mine\n");
    assert_eq!(land(&user, &lane).await, Ok(()));
    assert_eq!(user.read("a.txt").unwrap(), "mine\n");
    assert_eq!(user.git(&["symbolic-ref", "HEAD"]), "refs/heads/other");
}

#[tokio::test]
async fn what_would_be_lost_keeps_the_work_on_the_lane() {
    struct Case {
        name: &'static str,
        prepare: fn(&User),
        code: LandCode,
        says: &'static str,
    }
    for case in [
        Case {
            name: "the same file has changes",
            prepare: |user| user.write("a.txt", "mine\n"),
            code: LandCode::DirtyOverlap,
            says: "a file of the work has changes that are not committed",
        },
        Case {
            name: "the same file was emptied",
            prepare: |user| user.write("a.txt", ""),
            code: LandCode::DirtyOverlap,
            says: "a file of the work has changes that are not committed",
        },
        Case {
            name: "an untracked file is in the way",
            prepare: |user| user.write("dir/new.txt", "mine\n"),
            code: LandCode::DirtyOverlap,
            says: "files that git does not track are where the work has files: dir/new.txt",
        },
        Case {
            name: "an ignored file is in the way",
            prepare: |user| {
                user.write(".git/info/exclude", "dir/\n");
                user.write("dir/new.txt", "mine\n");
            },
            code: LandCode::DirtyOverlap,
            says: "files that git does not track are where the work has files: dir/new.txt",
        },
        Case {
            name: "a file is in the place of a folder",
            prepare: |user| user.write("dir", "mine\n"),
            code: LandCode::DirtyOverlap,
            says: "files that git does not track are where the work has files: dir;",
        },
        Case {
            name: "another git process works",
            prepare: |user| user.write(".git/index.lock", ""),
            code: LandCode::TargetBusy,
            says: "another git process works on the repository",
        },
        Case {
            name: "the branch is locked",
            prepare: |user| user.write(".git/refs/heads/main.lock", ""),
            code: LandCode::TargetBusy,
            says: "another git process works on the repository",
        },
    ] {
        let user = User::new();
        let lane = user.lane().await;
        lane.task(1, &[("a.txt", "changed\n"), ("dir/new.txt", "new\n")])
            .await;
        (case.prepare)(&user);
        let files = ["a.txt", "dir/new.txt", "dir"].map(|path| user.read(path));
        let head = user.git(&["rev-parse", "main"]);
        let refused = land(&user, &lane).await.unwrap_err();
        assert_eq!(refused.code, case.code, "{}", case.name);
        assert!(
            refused.reason.starts_with(case.says),
            "{}: {refused}",
            case.name
        );
        let after = ["a.txt", "dir/new.txt", "dir"].map(|path| user.read(path));
        assert_eq!(after, files, "{}", case.name);
        assert_eq!(user.git(&["rev-parse", "main"]), head, "{}", case.name);
    }
}

/// A change of a tracked file to something else.
struct Exchange {
    name: &'static str,
    before: fn(&Path),
    after: fn(&Path),
}

fn link(at: &Path, target: &str) {
    std::os::unix::fs::symlink(target, at).unwrap();
}

fn no_folder(at: &Path) {
    std::fs::remove_dir_all(at).unwrap();
}

const EXCHANGES: [Exchange; 4] = [
    Exchange {
        name: "a folder becomes a file",
        before: |top| write(&top.join("x/deep/a.txt"), "a\n"),
        after: |top| {
            no_folder(&top.join("x"));
            write(&top.join("x"), "file\n");
        },
    },
    Exchange {
        name: "a folder becomes a link",
        before: |top| write(&top.join("x/sh"), "a\n"),
        after: |top| {
            no_folder(&top.join("x"));
            link(&top.join("x"), "tests");
        },
    },
    Exchange {
        name: "a file becomes a folder",
        before: |top| write(&top.join("x"), "file\n"),
        after: |top| {
            std::fs::remove_file(top.join("x")).unwrap();
            write(&top.join("x/deep/a.txt"), "a\n");
        },
    },
    Exchange {
        name: "a link becomes a folder with the same files",
        before: |top| link(&top.join("x"), "tests"),
        after: |top| {
            std::fs::remove_file(top.join("x")).unwrap();
            write(&top.join("x/a.sh"), "grep -q two a.txt\n");
        },
    },
];

#[tokio::test]
async fn a_file_a_folder_and_a_link_in_place_of_another_are_landed() {
    for case in EXCHANGES {
        let user = User::new();
        (case.before)(&user.root());
        user.commit("Second");
        let lane = user.lane().await;
        let (place, base) = lane.start(1).await;
        (case.after)(&place.root);
        lane.put_on_lane(1, &base).await;
        assert_eq!(land(&user, &lane).await, Ok(()), "{}", case.name);
        let status = user.git(&["status", "--porcelain"]);
        assert_eq!(status, "", "{}", case.name);
        let test = user.read("tests/a.sh");
        assert_eq!(
            test.as_deref(),
            Some("grep -q two a.txt\n"),
            "{}",
            case.name
        );
    }
}

#[tokio::test]
async fn a_folder_with_a_file_of_the_user_is_no_place_for_a_file() {
    for ignored in ["", "x/mine.txt\n"] {
        let user = User::new();
        user.write("x/a.txt", "a\n");
        user.commit("Second");
        let lane = user.lane().await;
        let (place, base) = lane.start(1).await;
        no_folder(&place.root.join("x"));
        write(&place.root.join("x"), "file\n");
        lane.put_on_lane(1, &base).await;
        user.write(".git/info/exclude", ignored);
        user.write("x/mine.txt", "mine\n");
        let commit = lane.carried().await;
        let refused = lane.land(&commit).await.unwrap().unwrap_err();
        assert_eq!(refused.code, LandCode::DirtyOverlap);
        assert!(refused.reason.contains("files: x/mine.txt;"), "{refused}");
        assert_eq!(user.read("x/mine.txt").unwrap(), "mine\n");
        assert_eq!(user.read("x/a.txt").unwrap(), "a\n");
    }
}

#[tokio::test]
async fn a_branch_that_moved_after_the_last_gate_is_not_landed_on() {
    let user = User::new();
    let lane = user.lane().await;
    lane.task(1, &[("new.txt", "new\n")]).await;
    let commit = lane.carried().await;
    user.write("users.txt", "user\n");
    user.commit("Meanwhile");
    let refused = lane.land(&commit).await.unwrap().unwrap_err();
    assert_eq!(refused.code, LandCode::TargetMoved);
    assert_eq!(
        refused.reason,
        "branch main got other commits while the work was being landed"
    );
    assert_eq!(user.read("new.txt"), None);
}

#[tokio::test]
async fn a_branch_in_another_folder_is_left_alone() {
    let user = User::new();
    let lane = user.lane().await;
    lane.task(1, &[("new.txt", "new\n")]).await;
    user.git(&["checkout", "-q", "-b", "other"]);
    user.git(&["worktree", "add", "-q", "../second", "main"]);
    let refused = land(&user, &lane).await.unwrap_err();
    assert_eq!(refused.code, LandCode::TargetBusy);
    let reason = "branch main is checked out in ";
    assert!(refused.reason.starts_with(reason), "{refused}");
}

#[tokio::test]
async fn a_draft_that_the_work_changes_too_is_not_overwritten() {
    let user = User::new();
    user.write("a.txt", "one\ntwo\nthree\ndraft\n");
    let lane = user.try_lane(Dirty::Include, &[]).await.unwrap();
    let (place, base) = lane.start(1).await;
    write(&place.root.join("a.txt"), "ONE\ntwo\nthree\ndraft\n");
    lane.put_on_lane(1, &base).await;
    let refused = land(&user, &lane).await.unwrap_err();
    assert_eq!(refused.code, LandCode::DirtyOverlap);
    assert_eq!(user.read("a.txt").unwrap(), "one\ntwo\nthree\ndraft\n");
}

#[tokio::test]
async fn hooks_of_the_user_do_not_run() {
    let user = User::new();
    let lane = user.lane().await;
    lane.task(1, &[("new.txt", "new\n")]).await;
    let root = user.root();
    for hook in [
        "post-checkout",
        "post-merge",
        "reference-transaction",
        "post-index-change",
    ] {
        let path = root.join(".git/hooks").join(hook);
        write(&path, "#!/bin/sh\ntouch hook-ran\n");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).unwrap();
    }
    assert_eq!(land(&user, &lane).await, Ok(()));
    assert_eq!(user.read("hook-ran"), None);
}

#[tokio::test]
async fn work_can_land_on_a_branch_of_its_own() {
    let user = User::new();
    let lane = user.lane().await;
    lane.task(1, &[("new.txt", "new\n")]).await;
    let commit = lane.carried().await;
    let head = user.git(&["rev-parse", "main"]);
    lane.land_on("ralph/unit", &commit).await.unwrap().unwrap();
    assert_eq!(user.git(&["rev-parse", "ralph/unit"]), commit.as_str());
    assert_eq!(user.git(&["rev-parse", "main"]), head);
    user.git(&["branch", "-f", "ralph/unit", "main"]);
    user.git(&["checkout", "-q", "ralph/unit"]);
    let refused = lane
        .land_on("ralph/unit", &commit)
        .await
        .unwrap()
        .unwrap_err();
    assert_eq!(refused.code, LandCode::TargetMoved);
}

#[tokio::test]
async fn after_a_landing_the_lane_starts_from_what_landed() {
    for dirty in [false, true] {
        let user = User::new();
        if dirty {
            user.write("draft.txt", "draft\n");
        }
        let lane = user.try_lane(Dirty::Include, &[]).await.unwrap();
        lane.task(1, &[("1.txt", "1\n")]).await;
        user.write("users.txt", "user\n");
        user.git(&["add", "users.txt"]);
        user.git(&["commit", "-q", "-m", "Meanwhile"]);
        assert_eq!(land(&user, &lane).await, Ok(()));
        assert_eq!(land(&user, &lane).await, Ok(()), "a repeated landing");
        let (place, _) = lane.start(2).await;
        assert_eq!(place.root.join("draft.txt").exists(), dirty);
        assert!(place.root.join("users.txt").exists());
        lane.task(2, &[("2.txt", "2\n")]).await;
        assert_eq!(land(&user, &lane).await, Ok(()));
        let log = user.git(&["log", "--format=%s"]);
        assert_eq!(log, "Task 2\nTask 1\nMeanwhile\nFirst");
        let status = if dirty { "?? draft.txt" } else { "" };
        assert_eq!(user.git(&["status", "--porcelain"]), status);
    }
}

#[tokio::test]
async fn files_are_compared_whatever_the_users_index_and_settings_hide() {
    let other = User::new();
    let user = User::with_submodule(&other);
    user.git(&["config", "diff.ignoreSubmodules", "all"]);
    user.git(&["config", "diff.autoRefreshIndex", "false"]);
    user.git(&["update-index", "--assume-unchanged", "a.txt"]);
    user.git(&["update-index", "--skip-worktree", "tests/a.sh"]);
    let lane = user.lane().await;
    let differing = async || lane.differing_files(lane.base()).await.unwrap();
    user.write("lib/part/new.txt", "not tracked\n");
    assert_eq!(differing().await, [""; 0].map(PathBuf::from));
    let changed = ["a.txt", "lib/part/a.txt", "tests/a.sh"];
    for path in changed {
        user.write(path, "changed\n");
    }
    let expected = ["a.txt", "lib/part", "tests/a.sh"].map(PathBuf::from);
    assert_eq!(differing().await, expected);
}
