//! A lane is made of the user's repository, which stays as it is.

use review_lane::{Dirty, LaneError, Source};
use review_types::StartCode;

use super::support::{Steps as _, User};

#[tokio::test]
async fn a_lane_starts_at_the_commit_of_the_branch_and_leaves_the_repository_as_it_is() {
    let user = User::new();
    let before = user.state();
    let lane = user.lane().await;
    assert_eq!(
        lane.tip().await.unwrap().as_str(),
        user.git(&["rev-parse", "HEAD"])
    );
    assert_eq!(lane.source().target, "main");
    assert_eq!(user.state(), before);
}

#[tokio::test]
async fn a_lane_that_is_opened_again_has_its_commits() {
    let user = User::new();
    let tip = user.lane().await.task(1, &[("new.txt", "new\n")]).await;
    assert_eq!(user.lane().await.tip().await.unwrap(), tip);
}

#[tokio::test]
async fn a_lane_that_was_not_finished_is_made_again() {
    let user = User::new();
    let lane = user.lane().await;
    std::fs::remove_file(lane.path().join("lane.json")).unwrap();
    std::fs::remove_dir_all(lane.path().join("lane.git/objects")).unwrap();
    let again = user.lane().await;
    assert_eq!(again.tip().await.unwrap(), lane.source().base);
}

#[tokio::test]
async fn changes_that_are_not_committed_are_refused_by_name() {
    let user = User::new();
    user.write("a.txt", "changed\n");
    user.write("new.txt", "new\n");
    let refused = user.try_lane(Dirty::Refuse, &[]).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "1 file has changes that are not committed: a.txt"
    );
}

#[tokio::test]
async fn agents_see_the_changes_that_the_user_chooses() {
    for (dirty, unit, seen) in [
        (Dirty::Refuse, &["a.txt", "new.txt", "tests/a.sh"][..], true),
        (Dirty::Include, &[], true),
        (Dirty::Ignore, &[], false),
    ] {
        let user = User::new();
        user.write("a.txt", "changed\n");
        user.write("new.txt", "new\n");
        std::fs::remove_file(user.root().join("tests/a.sh")).unwrap();
        let before = user.state();
        let lane = user.try_lane(dirty, unit).await.unwrap();
        assert_eq!(user.state(), before);
        let (place, _) = lane.start(1).await;
        let text = std::fs::read_to_string(place.root.join("a.txt")).unwrap();
        assert_eq!(text == "changed\n", seen, "{dirty:?}");
        assert_eq!(place.root.join("new.txt").exists(), seen, "{dirty:?}");
        assert_eq!(place.root.join("tests/a.sh").exists(), !seen, "{dirty:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_worked_on_is_refused_with_the_reason() {
    let user = User::without_repository();
    let refusal = |looked: Result<Source, _>| {
        let Err(LaneError::Refused(refused)) = looked else {
            panic!("{looked:?}");
        };
        (refused.code, refused.to_string())
    };
    let (code, message) = refusal(user.look().await);
    assert_eq!(code, StartCode::NoTarget);
    assert!(message.ends_with("is not in a git work tree"), "{message}");
    user.git(&["init", "-q", "-b", "main"]);
    let no_commit = (StartCode::NoTarget, "branch main has no commit".to_owned());
    assert_eq!(refusal(user.look().await), no_commit);
    user.write("a.txt", "one\n");
    user.commit("First");
    assert!(user.look().await.is_ok());
    for (sign, what) in [
        ("MERGE_HEAD", "merge"),
        ("rebase-apply/applying", "`git am`"),
        ("rebase-apply/head-name", "rebase"),
        ("BISECT_LOG", "bisect"),
    ] {
        user.write(&format!(".git/{sign}"), "");
        let message = format!("a {what} is not finished");
        assert_eq!(refusal(user.look().await), (StartCode::Unmerged, message));
        let first = sign.split('/').next().unwrap();
        let sign = user.root().join(".git").join(first);
        match sign.is_dir() {
            true => std::fs::remove_dir_all(sign).unwrap(),
            false => std::fs::remove_file(sign).unwrap(),
        }
    }
    user.git(&["checkout", "-q", "--detach"]);
    let no_branch = (StartCode::NoTarget, "no branch is checked out".to_owned());
    assert_eq!(refusal(user.look().await), no_branch);
}
