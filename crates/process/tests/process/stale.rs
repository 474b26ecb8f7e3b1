use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};

use review_process::{
    EndedProcesses, Exit, GroupId, ParseGroupIdError, end_processes_where, end_stale_group,
};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::support::{Process, Watched, sh};

#[tokio::test]
async fn a_group_is_ended_only_if_its_leader_has_the_recorded_start_time() {
    let watched = Watched::new();
    let beside = async {
        let child = watched.process("child").await;
        let group = watched.group.borrow().unwrap();
        let start_time = group.start_time.map(|ticks| ticks + 1);
        for stranger in [
            GroupId {
                start_time,
                ..group
            },
            GroupId {
                start_time: None,
                ..group
            },
        ] {
            assert!(!end_stale_group(stranger));
            assert!(child.is_alive());
        }
        assert!(end_stale_group(group));
        child
    };
    let script = sh("sleep 1000 & echo child $!; wait");
    let (ended, child) = tokio::join!(watched.run(script), beside);
    assert_eq!(ended.unwrap().exit, Exit::Signal(9));
    assert!(child.ends());
    assert!(!end_stale_group(watched.group.borrow().unwrap()));
}

#[tokio::test]
async fn a_process_that_is_not_a_group_leader_is_left_alone() {
    let watched = Watched::new();
    let script = "sleep 1000 & echo child $!; read -r line </proc/$!/stat; echo stat $line; wait";
    let beside = async {
        let pid = watched.said("child").await;
        let stat = watched.said("stat").await;
        let member = GroupId {
            pgid: pid.parse().unwrap(),
            start_time: stat.split(' ').nth(21).map(|ticks| ticks.parse().unwrap()),
        };
        assert!(!end_stale_group(member));
        assert!(Process::open(pid.parse().unwrap()).is_alive());
        watched.stopper.send_replace(review_process::Stop::Kill);
    };
    let (ended, ()) = tokio::join!(watched.run(sh(script)), beside);
    assert_eq!(ended.unwrap().exit, Exit::Signal(9));
}

#[test]
fn a_group_of_zombies_is_gone() {
    let (mut leader, group) = ended_leader("exit 0");
    assert!(!end_stale_group(group));
    leader.wait().unwrap();
}

#[test]
fn a_group_that_outlives_its_leader_is_ended_before_the_leader_is_reaped() {
    let (mut leader, group) = ended_leader("sleep 1000 >&- & echo $!");
    let mut said = String::new();
    let mut out = leader.stdout.take().unwrap();
    out.read_to_string(&mut said).unwrap();
    let member = Process::open(said.trim().parse().unwrap());
    assert!(member.is_alive());
    assert!(end_stale_group(group));
    assert!(member.ends());
    leader.wait().unwrap();
}

#[test]
fn processes_are_ended_by_a_variable_of_their_environment() {
    let (name, value) = ("STALE_TEST", "run-1");
    let sleeping = |value: &str| {
        let mut command = std::process::Command::new("sleep");
        command.arg("1000").env(name, value).process_group(0);
        command.spawn().unwrap()
    };
    let mut of_run = sleeping(value);
    let mut of_other = sleeping("run-11");
    let member = Process::open(of_run.id().try_into().unwrap());
    let ended = EndedProcesses { ended: 1, dying: 0 };
    let end = || end_processes_where(|named, text| named == name && text == value);
    assert_eq!(end(), ended);
    assert!(member.ends());
    of_run.wait().unwrap();
    assert_eq!(end(), EndedProcesses::default());
    assert!(of_other.try_wait().unwrap().is_none());
    of_other.kill().unwrap();
    of_other.wait().unwrap();
}

/// A leader that has run `script`, has ended, and is not reaped.
fn ended_leader(script: &str) -> (Child, GroupId) {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script]).process_group(0);
    let leader = command.stdout(Stdio::piped()).spawn().unwrap();
    let pid = Pid::from_child(&leader);
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(pid), options).unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", leader.id())).unwrap();
    let group = GroupId {
        pgid: leader.id(),
        start_time: stat.split(' ').nth(21).map(|ticks| ticks.parse().unwrap()),
    };
    (leader, group)
}

#[test]
fn numbers_without_a_process_are_gone() {
    for pgid in [0, i32::MAX.unsigned_abs(), u32::MAX] {
        let group = GroupId {
            pgid,
            start_time: Some(1),
        };
        assert!(!end_stale_group(group));
    }
}

#[test]
fn a_group_id_round_trips() {
    let known = GroupId {
        pgid: 4711,
        start_time: Some(1_234_567),
    };
    let unknown = GroupId {
        pgid: 4711,
        start_time: None,
    };
    assert_eq!(known.to_string(), "4711 1234567");
    assert_eq!(unknown.to_string(), "4711");
    for group in [known, unknown] {
        assert_eq!(format!("{group}\n").parse(), Ok(group));
    }
    for text in ["", "x", "-1 5", "1 x", "1 2 3"] {
        assert_eq!(
            text.parse::<GroupId>(),
            Err(ParseGroupIdError(text.to_owned()))
        );
    }
}
