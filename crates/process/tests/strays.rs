//! Processes that leave their group.
//!
//! They are identified as children of this process, so no other test may start a
//! program at the same time.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a test creates files and panics on errors"
)]

use review_process::{
    Command, Context, Ended, EndedBy, Exit, Groups, Overflow, Redactor, Stop, run,
};
use rustix::process::{Pid, test_kill_process};
use tokio::sync::watch;

fn sh(script: &str) -> Command {
    Command::new("sh", ".").args(["-c", script])
}

async fn run_in(groups: &Groups, command: Command) -> Ended {
    let redactor = Redactor::default();
    let (_stopper, stop) = watch::channel(Stop::Run);
    let ended = run(command, Context::new(stop, groups, &redactor)).await;
    ended.expect("sh starts")
}

fn is_there(pid: &str) -> bool {
    let pid = pid.trim().parse().ok().and_then(Pid::from_raw);
    test_kill_process(pid.expect("a number")).is_ok()
}

/// Prints its number, leaves the group, and stays.
const STRAY: &str = "setsid sh -c 'echo $$; exec sleep 1000' &";

#[tokio::test]
async fn a_process_that_left_its_group_is_killed_with_the_last_call_that_may_have_started_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = |script: &str| {
        let mut command = sh(script);
        command.cwd = folder.path().to_owned();
        command
    };
    let groups = Groups::of_process();

    // It ends with its call, although it holds the output open.
    let script = format!("mkfifo up; ({STRAY}) > up & read pid < up; echo $pid; exit 3");
    let ended = run_in(&groups, own(&script)).await;
    assert_eq!(ended.exit, Exit::Code(3));
    assert!(ended.left_running);
    assert!(!is_there(&ended.stdout.text()));

    // So does one in its group; one that has ended is none.
    let ended = run_in(&groups, own("sleep 1000 > /dev/null 2>&1 &")).await;
    assert!(ended.left_running);
    let ended = run_in(&groups, own("true & wait")).await;
    assert!(!ended.left_running);

    // Its own descendants end too, in a group of their own.
    let nested = "setsid sh -c 'setsid sh -c \"echo \\$\\$ > up; exec sleep 1000\" & wait' & read pid < up; echo $pid";
    let ended = run_in(&groups, own(nested)).await;
    assert!(!is_there(&ended.stdout.text()));

    // Processes started by a terminated call end too.
    let mut command = own("setsid sh -c 'echo $$ > number; exec yes' & wait");
    command.limits.capture = 1024;
    command.limits.overflow = Overflow::Stop;
    let ended = run_in(&groups, command).await;
    assert_eq!(ended.cut, Some(EndedBy::TooLarge(1024)));
    assert!(!ended.left_running);
    let number = std::fs::read_to_string(folder.path().join("number"));
    assert!(!is_there(&number.expect("it has printed its number")));

    // A concurrent call that started earlier may have started it.
    let script = "echo ready > up; read end < down";
    let long = run_in(&groups, own(&format!("mkfifo down; {script}")));
    let beside = async {
        let begun = run_in(&groups, own("read ready < up")).await;
        assert!(begun.success());
        let script = format!("mkfifo here; ({STRAY}) > here & read pid < here; echo $pid");
        let stray = run_in(&groups, own(&script))
            .await
            .stdout
            .text()
            .into_owned();
        assert!(is_there(&stray));
        let told = run_in(&groups, own("echo end > down")).await;
        assert!(told.success());
        stray
    };
    let (ended, stray) = tokio::join!(long, beside);
    assert!(ended.success());
    assert!(!is_there(&stray));
    assert_eq!(groups.live(), 0);

    // No zombies remain.
    assert!(
        !std::fs::read_dir("/proc/self/task")
            .expect("threads")
            .any(|thread| {
                let children = thread.expect("a thread").path().join("children");
                !std::fs::read_to_string(children)
                    .expect("children")
                    .is_empty()
            })
    );
}
