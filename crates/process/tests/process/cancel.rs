use review_process::{EndedBy, Exit, SpawnFault, Stop};

use crate::support::{Frozen, Watched, sh};

const FAMILY: &str = "sleep 1000 & echo child $!; (sleep 1001 & echo grandchild $!; wait) & wait";
const STUBBORN: &str = "trap '' TERM; echo ready; while :; do sleep 1000; done";

#[tokio::test]
async fn a_stop_ends_the_leader_with_all_its_descendants() {
    let _clock = Frozen::clock();
    for stop in [Stop::Stop, Stop::Kill] {
        let watched = Watched::new();
        let beside = async {
            let child = watched.process("child").await;
            let grandchild = watched.process("grandchild").await;
            assert!(child.is_alive() && grandchild.is_alive());
            watched.stopper.send_replace(stop);
            [child, grandchild]
        };
        let (ended, offspring) = tokio::join!(watched.run(sh(FAMILY)), beside);
        let ended = ended.unwrap();
        assert_eq!(ended.cut, Some(EndedBy::Stopped));
        let signal = if stop == Stop::Kill { 9 } else { 15 };
        assert_eq!(ended.exit, Exit::Signal(signal));
        assert!(offspring.iter().all(|process| process.ends()), "{stop:?}");
        assert_eq!(watched.groups.live(), 0);
    }
}

#[tokio::test]
async fn a_terminated_program_keeps_its_own_exit_status() {
    let script = "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 1000 & wait $!; done";
    let (watched, _clock) = (Watched::new(), Frozen::clock());
    let beside = async {
        watched.said("ready").await;
        watched.stopper.send_replace(Stop::Stop);
    };
    let (ended, ()) = tokio::join!(watched.run(sh(script)), beside);
    let ended = ended.unwrap();
    assert_eq!(
        (ended.cut, ended.exit),
        (Some(EndedBy::Stopped), Exit::Code(7))
    );
    assert_eq!(ended.stdout.text(), "ready\nbye\n");
}

#[tokio::test]
async fn a_stubborn_program_is_killed_five_seconds_after_a_stop() {
    let (watched, clock) = (Watched::new(), Frozen::clock());
    let beside = async {
        watched.said("ready").await;
        watched.stopper.send_replace(Stop::Stop);
        clock.advance(4).await;
        assert_eq!(watched.groups.live(), 1);
        clock.advance(1).await;
    };
    let (ended, ()) = tokio::join!(watched.run(sh(STUBBORN)), beside);
    let ended = ended.unwrap();
    assert_eq!(
        (ended.cut, ended.exit),
        (Some(EndedBy::Stopped), Exit::Signal(9))
    );
    assert_eq!(ended.took.as_secs(), 5);
}

#[tokio::test]
async fn a_second_signal_kills_at_once() {
    let (watched, clock) = (Watched::new(), Frozen::clock());
    let beside = async {
        watched.said("ready").await;
        watched.stopper.send_replace(Stop::Stop);
        clock.advance(0).await;
        watched.stopper.send_replace(Stop::Kill);
    };
    let (ended, ()) = tokio::join!(watched.run(sh(STUBBORN)), beside);
    let ended = ended.unwrap();
    assert_eq!(
        (ended.cut, ended.exit),
        (Some(EndedBy::Stopped), Exit::Signal(9))
    );
    assert_eq!(ended.took.as_secs(), 0);
}

#[tokio::test]
async fn a_run_that_is_being_stopped_starts_nothing() {
    for stop in [Stop::Stop, Stop::Kill] {
        let watched = Watched::new();
        watched.stopper.send_replace(stop);
        let error = watched.run(sh("echo started")).await.unwrap_err();
        assert!(matches!(error.cause, SpawnFault::Stopped));
        assert_eq!(error.program.as_os_str(), "sh");
        assert_eq!(*watched.group.borrow(), None);
    }
}

#[tokio::test]
async fn a_dropped_sender_stops_no_command() {
    let (stopper, stop) = tokio::sync::watch::channel(Stop::Run);
    drop(stopper);
    let watched = Watched::new();
    let context = review_process::Context::new(stop, &watched.groups, &watched.redactor);
    let ended = review_process::run(sh("echo done"), context).await.unwrap();
    assert!(ended.success());
}

#[tokio::test]
async fn dropping_the_call_kills_the_group() {
    let watched = Watched::new();
    let beside = async {
        let child = watched.process("child").await;
        let grandchild = watched.process("grandchild").await;
        [child, grandchild]
    };
    let offspring = tokio::select! {
        ended = watched.run(sh(FAMILY)) => panic!("ended on its own: {ended:?}"),
        offspring = beside => offspring,
    };
    assert!(offspring.iter().all(|process| process.ends()));
    assert_eq!(watched.groups.live(), 0);
}

#[tokio::test]
async fn the_leader_of_a_dropped_call_is_reaped_by_the_next() {
    let watched = Watched::new();
    let leader = tokio::select! {
        ended = watched.run(sh("echo leader $$; sleep 1000")) => panic!("{ended:?}"),
        leader = watched.process("leader") => leader,
    };
    assert!(leader.ends());
    let pid = watched.group.borrow().unwrap().pgid;
    assert!(watched.run(sh("true")).await.unwrap().success());
    assert!(!std::fs::exists(format!("/proc/{pid}")).unwrap());
}

#[tokio::test]
async fn after_kill_all_everything_ends_and_nothing_starts() {
    let watched = Watched::new();
    let beside = async {
        let child = watched.process("child").await;
        let groups = watched.groups.clone();
        std::thread::spawn(move || groups.kill_all())
            .join()
            .unwrap();
        child
    };
    let (ended, child) = tokio::join!(watched.run(sh(FAMILY)), beside);
    let ended = ended.unwrap();
    assert_eq!((ended.cut, ended.exit), (None, Exit::Signal(9)));
    assert!(child.ends());
    let error = watched.run(sh("echo started")).await.unwrap_err();
    assert!(matches!(error.cause, SpawnFault::Stopped));
}

#[test]
fn a_call_can_move_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    let watched = Watched::new();
    is_send(&watched.run(sh("exit 0")));
}
