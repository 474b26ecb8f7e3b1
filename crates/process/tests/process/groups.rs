use review_process::Exit;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Process, Watched, run_sh, sh};

#[tokio::test]
async fn a_child_that_outlives_its_leader_is_killed_without_delay() {
    let watched = Watched::new();
    let script = "trap 'exit 4' USR1; sleep 1000 & echo child $!; echo leader $$; wait";
    let beside = async {
        let child = watched.process("child").await;
        let leader = watched.said("leader").await.parse().unwrap();
        kill_process(Pid::from_raw(leader).unwrap(), Signal::USR1).unwrap();
        child
    };
    let (ended, child) = tokio::join!(watched.run(sh(script)), beside);
    let ended = ended.unwrap();
    assert_eq!((ended.exit, ended.cut), (Exit::Code(4), None));
    assert!(child.ends());
}

#[tokio::test(start_paused = true)]
async fn a_process_outside_the_group_that_holds_the_output_is_not_awaited() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mkfifo up
        setsid sh -c 'echo $$ >up; exec sleep 1000' &
        read pid <up; echo $pid; exit 0";
    let mut command = sh(script);
    command.cwd = folder.path().to_owned();
    let ended = crate::support::run_alone(command).await.unwrap();
    let pid: i32 = ended.stdout.text().trim().parse().unwrap();
    let outsider = Process::open(pid);
    assert_eq!((ended.exit, ended.cut), (Exit::Code(0), None));
    assert!(outsider.is_alive());
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    assert!(outsider.ends());
}

#[tokio::test]
async fn output_of_the_group_before_it_is_killed_is_kept() {
    let ended = run_sh("(echo background; exec sleep 1000) | cat & sleep 1000 & echo leader").await;
    assert!(ended.success());
    assert!(ended.stdout.text().contains("leader\n"));
}

#[tokio::test]
async fn the_listener_receives_the_group_right_after_the_spawn() {
    let watched = Watched::new();
    let ended = watched.run(sh("echo $$")).await.unwrap();
    let group = watched.group.borrow().unwrap();
    assert_eq!(ended.stdout.text().trim(), group.pgid.to_string());
    assert_eq!(group.start_time.is_some(), cfg!(target_os = "linux"));
    assert_eq!(watched.groups.live(), 0);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_start_time_of_a_group_is_that_of_the_system() {
    let watched = Watched::new();
    for _ in 0..20 {
        let ended = watched.run(sh("cut -d ' ' -f 22 /proc/$$/stat")).await;
        let ended = ended.unwrap();
        let group = watched.group.borrow().unwrap();
        let start_time = group.start_time.unwrap().to_string();
        assert_eq!(start_time, ended.stdout.text().trim());
    }
}

#[tokio::test]
async fn many_calls_leave_no_zombies() {
    let watched = Watched::new();
    for _ in 0..20 {
        assert!(watched.run(sh("true & true")).await.unwrap().success());
    }
    let own = std::process::id().to_string();
    let zombies = run_sh(&format!(
        "ps -o stat=,pgid= --ppid {own} | while read stat pgid; do case $stat in Z*) echo $pgid;; esac; done"
    ))
    .await;
    let group = watched.group.borrow().unwrap().pgid.to_string();
    assert!(!zombies.stdout.text().lines().any(|line| line == group));
}

#[tokio::test]
async fn a_panic_of_any_thread_kills_every_group() {
    let watched = Watched::new();
    watched.groups.kill_on_panic();
    let beside = async {
        let child = watched.process("child").await;
        let panicked = std::thread::spawn(|| panic!("of a test")).join();
        assert!(panicked.is_err());
        child
    };
    let script = sh("sleep 1000 & echo child $!; wait");
    let (ended, child) = tokio::join!(watched.run(script), beside);
    assert_eq!(ended.unwrap().exit, Exit::Signal(9));
    assert!(child.ends());
}
