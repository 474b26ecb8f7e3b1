//! Git before 2.38, which cannot merge trees.

use review_lane::{CheckedOut, Lane, LaneError, Source};
use review_store::LaneDir;
use review_types::StartCode;

use super::support::{Steps as _, User, write};

/// The lane with a git of another version.
fn with(lane: &Lane, git: review_lane::Git) -> Lane {
    let dir = LaneDir::at(lane.path().to_owned());
    Lane::find(git, dir).unwrap().unwrap()
}

#[tokio::test]
async fn one_task_after_the_other_lands_on_a_branch_that_stays() {
    let user = User::new();
    let lane = with(&user.lane().await, user.tool_of("2.34.1"));
    lane.task(1, &[("a.txt", "ONE\ntwo\nthree\n")]).await;
    lane.task(2, &[("b.txt", "b\n")]).await;
    let commit = lane.carried().await;
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("a.txt").unwrap(), "ONE\ntwo\nthree\n");
    assert_eq!(user.read("b.txt").unwrap(), "b\n");
}

#[tokio::test]
async fn work_beside_other_work_asks_for_a_newer_git() {
    let user = User::new();
    let lane = with(&user.lane().await, user.tool_of("2.34.1"));
    let (one, base) = lane.start(1).await;
    let (two, _) = lane.start(2).await;
    write(&one.root.join("a.txt"), "one\nTWO\nthree\n");
    write(&two.root.join("b.txt"), "b\n");
    let tip = lane.put_on_lane(1, &base).await;
    let change = lane.take(2, &base).await.commit;
    let refused = lane.merge(&base, &change, &tip).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "this git cannot merge work into a branch or lane that moved meanwhile; install git 2.38 \
         or newer and resume the run, or work with `--jobs 1` on a branch that stays"
    );
}

#[tokio::test]
async fn several_tasks_at_a_time_need_a_git_that_merges() {
    let user = User::new();
    for (version, merges) in [("2.34.1", false), ("2.37.9", false), ("2.38.0", true)] {
        let git = user.tool_of(version);
        let refused = review_lane::refuse_without_merges(&git, &user.root()).await;
        assert_eq!(refused.is_ok(), merges, "{version}");
    }
}

#[tokio::test]
async fn the_oldest_git_that_does_it_is_named() {
    let user = User::new();
    let look = async |version: &str| Source::look(&user.tool_of(version), &user.root(), None).await;
    assert!(look("2.34.1").await.is_ok());
    let Err(LaneError::Refused(refused)) = look("2.33.8").await else {
        panic!("it is refused");
    };
    assert_eq!(refused.code, StartCode::NoGit);
    assert!(refused.to_string().starts_with("git 2.33.8 is too old"));
    let hint = refused.hint.unwrap();
    assert!(hint.ends_with("install git 2.34 or newer"), "{hint}");
}
