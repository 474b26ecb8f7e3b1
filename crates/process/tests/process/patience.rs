//! Programs that continue after their relevant output.

use std::time::Duration;

use review_process::{Ended, EndedBy, Exit};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{ALL, ENOUGH, Frozen, OFFLINE, RETRYING, Watched, sh};

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

const IDLE: Duration = Duration::from_secs(20);
const CONNECT: Duration = Duration::from_secs(10);

/// The result of a program that writes `first`, five seconds later `second`, and nothing
/// afterwards, of which the clock shows `seconds` at last.
async fn after_two_words(first: &str, second: &str, seconds: u64) -> Ended {
    let mut command = sh(&format!(
        "trap 'echo {first}' USR1; trap 'printf \"again\\n{second}\\n\"' USR2
        echo ready $$
        while :; do sleep 1000 & wait $!; done"
    ));
    (command.limits.idle, command.limits.connect) = (Some(IDLE), Some(CONNECT));
    let (watched, clock) = (Watched::new(), Frozen::clock());
    let beside = async {
        let leader: i32 = watched.said("ready").await.parse().unwrap();
        let leader = Pid::from_raw(leader).unwrap();
        kill_process(leader, Signal::USR1).unwrap();
        watched.said(first).await;
        clock.advance(5).await;
        kill_process(leader, Signal::USR2).unwrap();
        watched.said("again").await;
        clock.advance(seconds - 6).await;
        clock.advance(1).await;
    };
    let (ended, ()) = tokio::join!(watched.run(command), beside);
    tokio::time::resume();
    ended.unwrap()
}

#[tokio::test]
async fn only_output_restarts_the_idle_time_and_waiting_for_the_network_has_a_limit_of_its_own() {
    for (first, second, cut, seconds) in [
        ("words", "more", EndedBy::Idle(IDLE), 25),
        ("words", RETRYING, EndedBy::Idle(IDLE), 20),
        (RETRYING, RETRYING, EndedBy::Idle(IDLE), 20),
        (OFFLINE, OFFLINE, EndedBy::Offline(CONNECT), 10),
        ("words", OFFLINE, EndedBy::Offline(CONNECT), 15),
        (OFFLINE, RETRYING, EndedBy::Idle(IDLE), 20),
        (OFFLINE, "words", EndedBy::Idle(IDLE), 25),
    ] {
        let ended = after_two_words(first, second, seconds).await;
        let found = (ended.cut, ended.took.as_secs());
        assert_eq!(found, (Some(cut), seconds), "{first}, then {second}");
    }
}
