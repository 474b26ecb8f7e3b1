//! Whether the commits that land are signed.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use review_lane::{Carried, LandMode, Lane};
use review_test_support::program::write_program;

use super::support::{Steps as _, User, write};

/// A user who has all commits signed with a key of ssh; `None` without `ssh-keygen`, which
/// these tests require.
fn user_with_key() -> Option<User> {
    let user = User::new();
    let folder = user.root().parent().unwrap().join("keys");
    std::fs::create_dir(&folder).unwrap();
    let key = folder.join("key");
    let made = Command::new("ssh-keygen")
        .args([
            "-q",
            "-t",
            "ed25519",
            "-N",
            "",
            "-C",
            "ann@example.org",
            "-f",
        ])
        .arg(&key)
        .status();
    assert!(made.ok()?.success());
    let public = std::fs::read_to_string(folder.join("key.pub")).unwrap();
    let signers = folder.join("signers");
    write(&signers, &format!("ann@example.org {public}"));
    user.git(&["config", "gpg.format", "ssh"]);
    user.git(&["config", "gpg.ssh.allowedSignersFile", text(&signers)]);
    // From the top folder of the repository, as git itself reads it.
    user.git(&["config", "user.signingKey", "../keys/key.pub"]);
    user.git(&["config", "commit.gpgSign", "true"]);
    Some(user)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Puts two tasks on a new lane.
async fn two_tasks(user: &User) -> Lane {
    let lane = user.lane().await;
    for number in [1, 2] {
        let (place, base) = lane.start(number).await;
        write(&place.root.join(format!("{number}.txt")), "new\n");
        user.git_in(&place.top, &["add", "-A"]);
        user.git_in(&place.top, &["commit", "-q", "-m", "Mine"]);
        lane.put_on_lane(number, &base).await;
    }
    lane
}

async fn carried(lane: &Lane, land: LandMode) -> Carried {
    let tip = lane.tip().await.unwrap();
    lane.carry(&tip, &BTreeSet::new(), land).await.unwrap()
}

/// The subject, the signature and the identity of the commits after the first, the newest
/// first.
fn log(user: &User) -> String {
    user.git(&["log", "--format=%s %G? %an %ae %cn", "main", "-2"])
}

#[tokio::test]
async fn the_commits_that_land_are_signed_as_the_users_own_are() {
    let Some(user) = user_with_key() else { return };
    let lane = two_tasks(&user).await;
    let tip = lane.tip().await.unwrap();
    let commit = lane.carried().await;
    assert_ne!(commit, tip);
    let trees = [lane.tree_of(&commit).await, lane.tree_of(&tip).await];
    let [signed, unsigned] = trees.map(Result::unwrap);
    assert_eq!(signed, unsigned);
    lane.land(&commit).await.unwrap().unwrap();
    assert_eq!(
        log(&user),
        "Task 2 G Ann ann@example.org Ann\nTask 1 G Ann ann@example.org Ann"
    );
    assert_eq!(user.git(&["status", "--porcelain"]), "");
    let landed = user.git(&["log", "-1", "--format=%B"]);
    let before = ["log", "-1", "--format=%B", tip.as_str()];
    assert_eq!(landed, user.git_in(&lane.path().join("lane.git"), &before));
    // What landed is not signed again.
    assert_eq!(lane.carried().await, commit);
}

#[tokio::test]
async fn commits_that_follow_those_of_the_user_are_signed_and_those_are_not_changed() {
    let Some(user) = user_with_key() else { return };
    let lane = two_tasks(&user).await;
    user.write("other.txt", "other\n");
    user.git(&["add", "-A"]);
    user.git(&["commit", "-q", "--no-gpg-sign", "-m", "Other"]);
    let commit = lane.carried().await;
    lane.land(&commit).await.unwrap().unwrap();
    let log = user.git(&["log", "--format=%s %G?", "-3"]);
    assert_eq!(log, "Task 2 G\nTask 1 G\nOther N");
}

#[tokio::test]
async fn nothing_is_signed_where_the_user_signs_nothing_or_says_never() {
    let Some(user) = user_with_key() else { return };
    let lane = two_tasks(&user).await;
    let Carried::Fits { commit, .. } = carried(&lane, LandMode::Never).await else {
        panic!("it fits");
    };
    assert_eq!(commit, lane.tip().await.unwrap());
    user.git(&["config", "commit.gpgSign", "false"]);
    assert_eq!(lane.carried().await, commit);
}

#[tokio::test]
async fn a_program_that_signs_nothing_is_asked_once_at_landing_and_its_message_is_the_reason() {
    let user = User::new();
    let program = user.root().parent().unwrap().join("asks");
    let asked = user.root().parent().unwrap().join("asked");
    let script = format!(
        "#!/bin/sh\ncat > /dev/null\necho x >> '{}'\necho 'no key for '\"$2\" >&2\nexit 1\n",
        asked.display()
    );
    write_program(&program, &script);
    user.git(&["config", "gpg.program", text(&program)]);
    user.git(&["config", "--global", "commit.gpgSign", "true"]);
    let lane = two_tasks(&user).await;
    assert!(!asked.exists());
    let before = user.state();
    let Carried::NotSigned(reason) = carried(&lane, LandMode::Auto).await else {
        panic!("no commit can be signed");
    };
    assert!(
        reason.contains("no key for") && reason.contains("failed to sign"),
        "{reason}"
    );
    assert_eq!(user.state(), before);
    assert_eq!(std::fs::read_to_string(&asked).unwrap(), "x\n");
    let Carried::Fits { commit, .. } = carried(&lane, LandMode::Never).await else {
        panic!("it fits");
    };
    lane.land(&commit).await.unwrap().unwrap();
    assert_eq!(user.git(&["log", "-1", "--format=%G?"]), "N");
}
