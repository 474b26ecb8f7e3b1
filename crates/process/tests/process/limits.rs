use std::time::Duration;

use review_process::{EndedBy, Exit, Limits, Overflow, Stop};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Frozen, Watched, run_alone, sh};

const WALL: Duration = Duration::from_mins(1);
const IDLE: Duration = Duration::from_secs(10);
const STUBBORN: &str = "trap '' TERM; echo ready; while :; do sleep 1000; done";

#[tokio::test(start_paused = true)]
async fn a_hanging_program_ends_at_the_first_limit() {
    let cases = [
        (Some(WALL), None, EndedBy::Wall(WALL)),
        (None, Some(IDLE), EndedBy::Idle(IDLE)),
        (Some(WALL), Some(IDLE), EndedBy::Idle(IDLE)),
        (Some(IDLE), Some(WALL), EndedBy::Wall(IDLE)),
        (Some(IDLE), Some(IDLE), EndedBy::Wall(IDLE)),
    ];
    for (wall, idle, cut) in cases {
        let mut command = sh("sleep 1000");
        (command.limits.wall, command.limits.idle) = (wall, idle);
        let ended = run_alone(command).await.unwrap();
        assert_eq!(ended.cut, Some(cut));
        assert!(matches!(ended.exit, Exit::Signal(15 | 9)), "{}", ended.exit);
    }
}

#[tokio::test]
async fn a_program_with_continuous_output_ends_at_the_wall_limit() {
    let wall = Duration::from_millis(50);
    let mut command = sh("yes");
    (command.limits.wall, command.limits.idle) = (Some(wall), Some(IDLE));
    let ended = run_alone(command).await.unwrap();
    assert_eq!(ended.cut, Some(EndedBy::Wall(wall)));
    assert_eq!(ended.exit, Exit::Signal(15));
}

#[tokio::test]
async fn a_limit_that_exceeds_the_clock_is_unlimited() {
    let mut command = sh("echo done");
    (command.limits.wall, command.limits.idle) = (Some(Duration::MAX), Some(Duration::MAX));
    let ended = run_alone(command).await.unwrap();
    assert!(ended.success());
}

#[tokio::test]
async fn each_byte_on_either_output_restarts_the_idle_time() {
    for target in ["&1", "&2"] {
        let script = format!(
            "trap 'echo again >{target}' USR1; trap 'echo still' USR2; echo ready $$
            while :; do sleep 1000 & wait $!; done"
        );
        let mut command = sh(&script);
        command.limits.idle = Some(IDLE);
        let (watched, clock) = (Watched::new(), Frozen::clock());
        let beside = async {
            let leader: i32 = watched.said("ready").await.parse().unwrap();
            let leader = Pid::from_raw(leader).unwrap();
            for (signal, answer) in [(Signal::USR1, "again"), (Signal::USR2, "still")] {
                clock.advance(9).await;
                kill_process(leader, signal).unwrap();
                watched.said(answer).await;
            }
            clock.advance(10).await;
        };
        let (ended, ()) = tokio::join!(watched.run(command), beside);
        let ended = ended.unwrap();
        assert_eq!(ended.cut, Some(EndedBy::Idle(IDLE)), "{target}");
        assert_eq!(ended.took.as_secs(), 28, "{target}");
        tokio::time::resume();
    }
}

#[tokio::test]
async fn a_program_that_ignores_termination_is_killed_after_the_grace() {
    let mut command = sh(STUBBORN);
    command.limits.wall = Some(WALL);
    command.limits.grace = Duration::from_secs(7);
    let (watched, clock) = (Watched::new(), Frozen::clock());
    let beside = async {
        watched.said("ready").await;
        clock.advance(60).await;
        clock.advance(6).await;
        clock.advance(1).await;
    };
    let (ended, ()) = tokio::join!(watched.run(command), beside);
    let ended = ended.unwrap();
    assert_eq!(
        (ended.cut, ended.exit),
        (Some(EndedBy::Wall(WALL)), Exit::Signal(9))
    );
    assert_eq!(ended.took.as_secs(), 67);
}

#[tokio::test]
async fn a_stop_shortens_the_grace_and_keeps_the_reason() {
    for (grace, end) in [(WALL, 65), (Duration::from_secs(2), 62)] {
        let mut command = sh(STUBBORN);
        command.limits.wall = Some(WALL);
        command.limits.grace = grace;
        let (watched, clock) = (Watched::new(), Frozen::clock());
        let beside = async {
            watched.said("ready").await;
            clock.advance(60).await;
            watched.stopper.send_replace(Stop::Stop);
            clock.advance(end - 60).await;
        };
        let (ended, ()) = tokio::join!(watched.run(command), beside);
        let ended = ended.unwrap();
        let found = (ended.cut, ended.exit, ended.took.as_secs());
        assert_eq!(found, (Some(EndedBy::Wall(WALL)), Exit::Signal(9), end));
        tokio::time::resume();
    }
}

#[test]
fn the_default_limits_are_those_of_an_agent_call() {
    let limits = Limits {
        wall: Some(Duration::from_secs(600)),
        idle: Some(Duration::from_secs(300)),
        connect: Some(Duration::from_secs(60)),
        grace: Duration::from_secs(10),
        capture: 16_777_216,
        overflow: Overflow::Stop,
    };
    assert_eq!(Limits::default(), limits);
}
