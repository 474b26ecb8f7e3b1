//! A landing that was cut off is completed or undone.

use std::path::Path;

use review_lane::{CheckedOut, LandCode, Lane};

use super::support::{Steps as _, User, write};

/// Brings the objects of the lane to the user's repository, as a landing does first.
fn fetch(user: &User, lane: &Lane, new: &str) {
    let repository = lane.path().join("lane.git");
    user.git(&["fetch", "-q", repository.to_str().unwrap(), new]);
    std::fs::remove_file(user.root().join(".git/FETCH_HEAD")).unwrap();
}

/// What a landing of `new` that was killed has left: the locks of its transaction.
fn locks(user: &User, new: &str) {
    user.write(".git/refs/heads/main.lock", &format!("{new}\n"));
    user.write(".git/HEAD.lock", "");
}

#[tokio::test]
async fn a_landing_is_repeated_from_every_state_that_a_kill_leaves() {
    struct Case {
        name: &'static str,
        leave: fn(&User, &str),
    }
    for case in [
        Case {
            name: "before any file",
            leave: |_, _| {},
        },
        Case {
            name: "a file is half written",
            leave: |user, _| {
                user.write(".git/index.lock", "");
                user.write("a.txt", "chan");
            },
        },
        Case {
            name: "a file is empty and another is deleted",
            leave: |user, _| {
                user.write(".git/index.lock", "");
                user.write("a.txt", "");
                std::fs::remove_file(user.root().join("tests/a.sh")).unwrap();
            },
        },
        Case {
            name: "all files are written",
            leave: |user, _| {
                user.write(".git/index.lock", "");
                user.write("a.txt", "changed\n");
                user.write("dir/new.txt", "new\n");
                std::fs::remove_file(user.root().join("tests/a.sh")).unwrap();
            },
        },
        Case {
            name: "the index is written",
            leave: |user, new| {
                user.git(&["read-tree", "-m", "-u", "HEAD", new]);
            },
        },
    ] {
        let user = User::new();
        let lane = user.lane().await;
        let (place, base) = lane.start(1).await;
        write(&place.root.join("a.txt"), "changed\n");
        write(&place.root.join("dir/new.txt"), "new\n");
        std::fs::remove_file(place.root.join("tests/a.sh")).unwrap();
        lane.put_on_lane(1, &base).await;
        let new = lane.carried().await;
        fetch(&user, &lane, new.as_str());
        (case.leave)(&user, new.as_str());
        locks(&user, new.as_str());
        assert_eq!(
            lane.land(&new).await.unwrap(),
            Ok(CheckedOut::Here),
            "{}",
            case.name
        );
        assert_eq!(
            user.git(&["rev-parse", "main"]),
            new.as_str(),
            "{}",
            case.name
        );
        assert_eq!(user.git(&["status", "--porcelain"]), "", "{}", case.name);
        assert_eq!(user.read("a.txt").unwrap(), "changed\n", "{}", case.name);
        assert_eq!(user.read("tests/a.sh"), None, "{}", case.name);
    }
}

#[tokio::test]
async fn a_landing_that_puts_a_file_in_place_of_a_folder_is_repeated() {
    type Change = fn(&Path);
    let file = |top: &Path| write(&top.join("x"), "file\n");
    let folder = |top: &Path| write(&top.join("x/a.sh"), "grep -q two a.txt\n");
    let link = |top: &Path| std::os::unix::fs::symlink("tests", top.join("x")).unwrap();
    let cases: [(&str, Change, Change); 4] = [
        ("folder to file", folder, file),
        ("folder to link", folder, link),
        ("file to folder", file, folder),
        ("link to folder", link, folder),
    ];
    let remove = |top: &Path| {
        let x = top.join("x");
        match x.symlink_metadata().unwrap().is_dir() {
            true => std::fs::remove_dir_all(x).unwrap(),
            false => std::fs::remove_file(x).unwrap(),
        }
    };
    for (name, before, after) in cases {
        for stage in ["unwritten", "removed", "written"] {
            let user = User::new();
            before(&user.root());
            user.commit("Second");
            let lane = user.lane().await;
            let (place, base) = lane.start(1).await;
            remove(&place.root);
            after(&place.root);
            lane.put_on_lane(1, &base).await;
            let new = lane.carried().await;
            fetch(&user, &lane, new.as_str());
            user.write(".git/index.lock", "");
            if stage != "unwritten" {
                remove(&user.root());
            }
            if stage == "written" {
                after(&user.root());
            }
            locks(&user, new.as_str());
            let landed = lane.land(&new).await.unwrap();
            assert_eq!(landed, Ok(CheckedOut::Here), "{name}, {stage}");
            let status = user.git(&["status", "--porcelain"]);
            assert_eq!(status, "", "{name}, {stage}");
            let test = user.read("tests/a.sh");
            assert_eq!(
                test.as_deref(),
                Some("grep -q two a.txt\n"),
                "{name}, {stage}"
            );
        }
    }
}

#[tokio::test]
async fn a_file_of_the_user_in_a_folder_of_a_landing_that_was_cut_off_is_kept() {
    let user = User::new();
    user.write("x", "file\n");
    user.commit("Second");
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    std::fs::remove_file(place.root.join("x")).unwrap();
    write(&place.root.join("x/a.txt"), "a\n");
    lane.put_on_lane(1, &base).await;
    let new = lane.carried().await;
    fetch(&user, &lane, new.as_str());
    user.write(".git/index.lock", "");
    std::fs::remove_file(user.root().join("x")).unwrap();
    user.write("x/mine.txt", "mine\n");
    locks(&user, new.as_str());
    let refused = lane.land(&new).await.unwrap().unwrap_err();
    assert_eq!(refused.code, LandCode::DirtyOverlap);
    assert_eq!(user.read("x/mine.txt").unwrap(), "mine\n");
}

#[tokio::test]
async fn a_file_that_the_user_changed_after_the_kill_is_kept_and_named() {
    let user = User::new();
    let lane = user.lane().await;
    lane.task(1, &[("a.txt", "changed\n"), ("new.txt", "new\n")])
        .await;
    let new = lane.carried().await;
    fetch(&user, &lane, new.as_str());
    user.write("a.txt", "mine\n");
    user.write("new.txt", "ne");
    locks(&user, new.as_str());
    let refused = lane.land(&new).await.unwrap().unwrap_err();
    assert_eq!(refused.code, LandCode::DirtyOverlap);
    assert!(refused.reason.contains("a.txt"), "{}", refused.reason);
    assert_eq!(user.read("a.txt").unwrap(), "mine\n");
    assert_eq!(user.read("new.txt"), None);
    user.git(&["checkout", "-q", "--", "a.txt"]);
    assert_eq!(lane.land(&new).await.unwrap(), Ok(CheckedOut::Here));
}

#[tokio::test]
async fn the_lock_of_another_process_is_left_alone() {
    let user = User::new();
    let lane = user.lane().await;
    lane.task(1, &[("a.txt", "changed\n")]).await;
    let new = lane.carried().await;
    user.write(
        ".git/refs/heads/main.lock",
        "0000000000000000000000000000000000000000\n",
    );
    let refused = lane.land(&new).await.unwrap().unwrap_err();
    assert_eq!(refused.code, LandCode::TargetBusy);
    assert!(user.read(".git/refs/heads/main.lock").is_some());
    assert_eq!(user.read("a.txt").unwrap(), "one\ntwo\nthree\n");
}
