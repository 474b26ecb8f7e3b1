//! Programs that continue after their relevant output.

use std::time::Duration;

use review_process::{EndedBy, Exit};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{ALL, ENOUGH, Frozen, Watched, sh};

const GRACE: Duration = Duration::from_secs(10);
const WALL: Duration = Duration::from_mins(1);

#[tokio::test]
async fn a_program_whose_further_output_is_irrelevant_is_terminated_at_once() {
    for target in ["&1", "&2"] {
        let watched = Watched::new();
        let script = format!("echo {ENOUGH} >{target}; exec tail -f /dev/null");
        let ended = watched.run(sh(&script)).await.unwrap();
        assert_eq!(ended.cut, Some(EndedBy::Dismissed), "{target}");
        assert_eq!(ended.exit, Exit::Signal(15), "{target}");
        let said = [&ended.stdout, &ended.stderr].map(|output| output.tail(64));
        assert_eq!(said.concat(), format!("{ENOUGH}\n"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_program_with_complete_output_gets_its_grace() {
    for target in ["&1", "&2"] {
        let watched = Watched::new();
        let script = format!("echo {ALL} >{target}; exec tail -f /dev/null");
        let ended = watched.run(sh(&script)).await.unwrap();
        assert_eq!(ended.cut, Some(EndedBy::Dismissed), "{target}");
        assert!(ended.took >= GRACE, "{:?}", ended.took);
    }
}

#[tokio::test]
async fn a_program_that_ends_within_its_grace_was_not_dismissed() {
    let ended = Watched::new().run(sh(&format!("echo {ALL}"))).await;
    assert!(ended.unwrap().success());
}

#[tokio::test]
async fn the_grace_starts_with_the_first_complete_output() {
    assert_eq!(cut_after_9_seconds(ALL).await, EndedBy::Dismissed);
}

#[tokio::test]
async fn the_grace_is_revoked_by_further_output() {
    assert_eq!(cut_after_9_seconds("more").await, EndedBy::Wall(WALL));
}

/// The reason for the end of a program that writes `second` nine seconds after its
/// complete output.
async fn cut_after_9_seconds(second: &str) -> EndedBy {
    let mut command = sh(&format!(
        "trap 'echo {ALL}' USR1; trap 'printf \"again\\n{second}\\n\"' USR2
        echo ready $$
        while :; do sleep 1000 & wait $!; done"
    ));
    command.limits.wall = Some(WALL);
    let (watched, clock) = (Watched::new(), Frozen::clock());
    let beside = async {
        let leader: i32 = watched.said("ready").await.parse().unwrap();
        let leader = Pid::from_raw(leader).unwrap();
        kill_process(leader, Signal::USR1).unwrap();
        watched.said(ALL).await;
        clock.advance(9).await;
        kill_process(leader, Signal::USR2).unwrap();
        watched.said("again").await;
        clock.advance(1).await;
        clock.advance(50).await;
    };
    let (ended, ()) = tokio::join!(watched.run(command), beside);
    ended.unwrap().cut.unwrap()
}
