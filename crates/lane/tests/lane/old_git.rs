//! Git before 2.38, which cannot merge trees, gets the same work done.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use review_lane::{CheckedOut, Lane, Merge, Refusal, Reused, Source};
use review_store::LaneDir;

use super::support::{Steps as _, User, write};

/// What two tasks do at the same time.
struct Case {
    name: &'static str,
    one: fn(&Path),
    two: fn(&Path),
}

fn delete(path: &Path) {
    std::fs::remove_file(path).unwrap();
}

fn allow_to_run(path: &Path) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

const CASES: [Case; 9] = [
    Case {
        name: "other lines",
        one: |top| write(&top.join("a.txt"), "ONE\ntwo\nthree\n"),
        two: |top| write(&top.join("a.txt"), "one\ntwo\nTHREE\n"),
    },
    Case {
        name: "the same lines",
        one: |top| write(&top.join("a.txt"), "one\nTWO\nthree\n"),
        two: |top| write(&top.join("a.txt"), "one\nzwei\nthree\n"),
    },
    Case {
        name: "the content and the mode",
        one: |top| write(&top.join("a.txt"), "ONE\ntwo\nthree\n"),
        two: |top| allow_to_run(&top.join("a.txt")),
    },
    Case {
        name: "a deletion and a change",
        one: |top| delete(&top.join("a.txt")),
        two: |top| write(&top.join("a.txt"), "ONE\ntwo\nthree\n"),
    },
    Case {
        name: "the same deletion and other files",
        one: |top| {
            delete(&top.join("a.txt"));
            write(&top.join("b.txt"), "b\n");
        },
        two: |top| {
            delete(&top.join("a.txt"));
            write(&top.join("dir/c.txt"), "c\n");
        },
    },
    Case {
        name: "the same new file with other lines",
        one: |top| write(&top.join("new.txt"), "one\n"),
        two: |top| write(&top.join("new.txt"), "two\n"),
    },
    Case {
        name: "the same new file",
        one: |top| write(&top.join("new.txt"), "one\n"),
        two: |top| write(&top.join("new.txt"), "one\n"),
    },
    Case {
        name: "other targets of a link",
        one: |top| symlink("a.txt", top.join("link")).unwrap(),
        two: |top| symlink("tests/a.sh", top.join("link")).unwrap(),
    },
    Case {
        name: "files that are no texts",
        one: |top| write(&top.join("a.txt"), "one\0"),
        two: |top| write(&top.join("a.txt"), "two\0"),
    },
];

/// The lane with another git.
fn with(lane: &Lane, git: review_lane::Git) -> Lane {
    let dir = LaneDir::at(lane.path().to_owned());
    Lane::find(git, dir).unwrap().unwrap()
}

#[tokio::test]
async fn changes_are_merged_as_a_new_git_does() {
    for case in CASES {
        let user = User::new();
        let lane = user.lane().await;
        let (one, base) = lane.start(1).await;
        (case.one)(&one.root);
        let tip = lane.put_on_lane(1, &base).await;
        let two = lane
            .check_out(super::support::task(2), None, &base, Reused::Nothing, None)
            .await;
        (case.two)(&two.unwrap().root);
        let change = lane.take(2, &base).await.commit;
        let old = with(&lane, user.tool_of("2.34.1"));
        let new = lane.merge(&base, &change, &tip).await.unwrap();
        let merged = old.merge(&base, &change, &tip).await.unwrap();
        let again = old.merge(&base, &change, &tip).await.unwrap();
        assert_eq!(again, merged, "{}", case.name);
        match (&new, &merged) {
            (Merge::Conflicts { paths, .. }, Merge::Conflicts { paths: found, .. }) => {
                assert_eq!(found, paths, "{}", case.name);
            }
            _ => assert_eq!(merged, new, "{}", case.name),
        }
    }
}

#[tokio::test]
async fn the_same_lines_are_marked_with_those_of_all_sides() {
    let user = User::new();
    let lane = with(&user.lane().await, user.tool_of("2.34.1"));
    let (one, base) = lane.start(1).await;
    let (two, _) = lane.start(2).await;
    write(&one.root.join("a.txt"), "one\nTWO\nthree\n");
    write(&two.root.join("a.txt"), "one\nzwei\nthree\n");
    let tip = lane.put_on_lane(1, &base).await;
    let change = lane.take(2, &base).await.commit;
    let merge = lane.merge(&base, &change, &tip).await.unwrap();
    let Merge::Conflicts { tree, paths } = merge else {
        panic!("{merge:?}");
    };
    assert_eq!(paths, [PathBuf::from("a.txt")]);
    let text = lane.file_at(tree.as_str(), Path::new("a.txt")).await;
    assert_eq!(
        String::from_utf8(text.unwrap().unwrap()).unwrap(),
        "one\n<<<<<<< lane\nTWO\n||||||| base\ntwo\n=======\nzwei\n>>>>>>> change\nthree\n"
    );
}

#[tokio::test]
async fn a_file_in_place_of_a_folder_with_a_changed_file_is_a_conflict() {
    let user = User::new();
    let lane = with(&user.lane().await, user.tool_of("2.34.1"));
    let (one, base) = lane.start(1).await;
    let (two, _) = lane.start(2).await;
    std::fs::remove_dir_all(one.root.join("tests")).unwrap();
    write(&one.root.join("tests"), "a file\n");
    write(&two.root.join("tests/a.sh"), "changed\n");
    let tip = lane.put_on_lane(1, &base).await;
    let change = lane.take(2, &base).await.commit;
    let merge = lane.merge(&base, &change, &tip).await.unwrap();
    assert!(matches!(merge, Merge::Conflicts { .. }), "{merge:?}");
}

#[tokio::test]
async fn work_lands_on_a_branch_that_moved() {
    let user = User::new();
    let lane = with(&user.lane().await, user.tool_of("2.34.1"));
    lane.task(1, &[("a.txt", "ONE\ntwo\nthree\n")]).await;
    user.write("a.txt", "one\ntwo\nthree\nfour\n");
    user.commit("Meanwhile");
    let commit = lane.carried().await;
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("a.txt").unwrap(), "ONE\ntwo\nthree\nfour\n");
    assert_eq!(user.git(&["status", "--porcelain"]), "");
}

#[tokio::test]
async fn the_oldest_git_that_does_it_is_named() {
    let user = User::new();
    let look = async |version: &str| Source::look(&user.tool_of(version), &user.root(), None).await;
    assert!(look("2.34.1").await.is_ok());
    let refused = look("2.33.8").await.unwrap_err();
    assert!(matches!(&refused, Refusal::GitTooOld { found } if found == "2.33.8"));
    let hint = refused.hint().unwrap();
    assert!(hint.ends_with("install git 2.34 or newer"), "{hint}");
}
