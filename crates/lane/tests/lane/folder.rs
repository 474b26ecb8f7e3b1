//! A project without a repository gets the work in its files, and no repository.

use std::collections::BTreeSet;

use review_lane::{Carried, CheckedOut, CommitId, LandCode, Lane, LaneError, Refusal};

use super::support::{Steps as _, User, write};

#[tokio::test]
async fn work_lands_in_the_files_and_nothing_else_appears() {
    let user = User::with_files();
    user.write("ignored/x", "x\n");
    user.write("node_modules/x", "x\n");
    let lane = user.lane().await;
    assert_eq!(lane.source().branch(), None);
    let (place, base) = lane.start(1).await;
    assert!(!place.root.join("ignored").exists());
    assert!(!place.root.join("node_modules").exists());
    write(&place.root.join("a.txt"), "changed\n");
    write(&place.root.join("dir/new.txt"), "new\n");
    std::fs::remove_file(place.root.join("tests/a.sh")).unwrap();
    lane.put_on_lane(1, &base).await;
    let commit = lane.carried().await;
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("a.txt").unwrap(), "changed\n");
    assert_eq!(user.read("dir/new.txt").unwrap(), "new\n");
    assert_eq!(user.read("tests/a.sh"), None);
    let mut names: Vec<_> = std::fs::read_dir(user.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [".gitignore", "a.txt", "dir", "ignored", "node_modules"]
    );
}

#[tokio::test]
async fn what_the_user_edits_meanwhile_is_kept_below_the_work() {
    let user = User::with_files();
    let lane = user.lane().await;
    lane.task(1, &[("a.txt", "ONE\ntwo\nthree\n")]).await;
    user.write("a.txt", "one\ntwo\nthree\nfour\n");
    user.write("b.txt", "mine\n");
    let commit = lane.carried().await;
    user.write("c.txt", "later\n");
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("a.txt").unwrap(), "ONE\ntwo\nthree\nfour\n");
    assert_eq!(user.read("b.txt").unwrap(), "mine\n");
    assert_eq!(user.read("c.txt").unwrap(), "later\n");
    // The next task starts from what landed.
    lane.task(2, &[("d.txt", "d\n")]).await;
    let commit = lane.carried().await;
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("d.txt").unwrap(), "d\n");
    assert_eq!(user.read("c.txt").unwrap(), "later\n");
}

#[tokio::test]
async fn the_users_edit_of_the_same_line_is_never_overwritten() {
    let user = User::with_files();
    let lane = user.lane().await;
    lane.task(1, &[("a.txt", "theirs\n")]).await;
    let commit = lane.carried().await;
    user.write("a.txt", "mine\n");
    let refused = lane.land(&commit).await.unwrap().unwrap_err();
    assert_eq!(refused.code, LandCode::DirtyOverlap, "{refused}");
    assert_eq!(user.read("a.txt").unwrap(), "mine\n");
    let tip = lane.tip().await.unwrap();
    let carried = lane.carry(&tip, &BTreeSet::new()).await.unwrap();
    assert_eq!(carried, Carried::Conflicts(vec!["a.txt".into()]));
    assert_eq!(user.read("a.txt").unwrap(), "mine\n");
}

/// What a landing that was killed while it wrote `a.txt` has left.
async fn half_landed() -> (User, Lane, CommitId) {
    let user = User::with_files();
    let lane = user.lane().await;
    lane.task(1, &[("a.txt", "changed\n"), ("b.txt", "new\n")])
        .await;
    let new = lane.carried().await;
    let own = lane.path().join("project.git");
    let repository = lane.path().join("lane.git");
    user.git_in(
        &own,
        &["fetch", "-q", repository.to_str().unwrap(), new.as_str()],
    );
    for lock in ["index.lock", "HEAD.lock"] {
        write(&own.join(lock), "");
    }
    write(&own.join("refs/heads/main.lock"), &format!("{new}\n"));
    user.write("a.txt", "chan");
    (user, lane, new)
}

#[tokio::test]
async fn a_landing_that_was_cut_off_is_repeated() {
    let (user, lane, new) = half_landed().await;
    assert_eq!(lane.land(&new).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("a.txt").unwrap(), "changed\n");
    assert_eq!(user.read("b.txt").unwrap(), "new\n");
}

#[tokio::test]
async fn without_a_repository_there_is_no_other_branch() {
    let user = User::with_files();
    let lane = user.lane().await;
    let tip = lane.task(1, &[("a.txt", "changed\n")]).await;
    let refused = lane.land_on("other", &tip).await.unwrap_err();
    assert!(matches!(
        refused,
        LaneError::Refused(Refusal::NoRepository(_))
    ));
}

#[tokio::test]
async fn the_files_of_a_landing_that_was_cut_off_are_not_taken_for_the_users() {
    let (user, lane, _) = half_landed().await;
    user.write("mine.txt", "mine\n");
    let commit = lane.carried().await;
    assert_eq!(user.read("a.txt").unwrap(), "one\ntwo\nthree\n");
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("a.txt").unwrap(), "changed\n");
    assert_eq!(user.read("mine.txt").unwrap(), "mine\n");
}

#[tokio::test]
async fn a_lock_that_a_kill_left_is_no_reason_to_stop() {
    let user = User::with_files();
    let lane = user.lane().await;
    lane.task(1, &[("b.txt", "new\n")]).await;
    let own = lane.path().join("project.git");
    write(&own.join("index.lock"), "");
    user.write("c.txt", "mine\n");
    let commit = lane.carried().await;
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("b.txt").unwrap(), "new\n");
}
