use std::sync::mpsc::channel;
use std::time::Duration;

use review_process::signals::{Interrupt, Signals, listen};
use review_process::{Context, Exit, Groups, Redactor, Stop, run};
use rustix::process::{Signal, getpid, kill_process};
use tokio::signal::unix::{self, SignalKind};

use crate::support::sh;

const PATIENCE: Duration = Duration::from_mins(1);

async fn until(signals: &Signals, wanted: Stop) {
    let mut stop = signals.stop();
    stop.wait_for(|&stop| stop == wanted).await.unwrap();
}

/// One test, since signals reach every listener of a process.
#[tokio::test]
async fn the_first_signal_terminates_and_the_second_kills_and_exits() {
    let cases = [
        (Signal::INT, Signal::INT, Interrupt::Int),
        (Signal::TERM, Signal::TERM, Interrupt::Term),
        (Signal::TERM, Signal::INT, Interrupt::Term),
        (Signal::HUP, Signal::TERM, Interrupt::Hangup),
    ];
    // SIGHUP is handled even if the tests were started with `nohup`.
    let _hangups = unix::signal(SignalKind::hangup()).unwrap();
    for (first, second, interrupt) in cases {
        let (groups, redactor) = (Groups::default(), Redactor::default());
        let (exit, exited) = channel();
        let signals = listen(groups.clone(), move |why| exit.send(why).unwrap()).unwrap();
        assert_eq!(signals.interrupt(), None);

        // It ignores the stop signal, so only its registry can end it.
        let (_stopper, deaf) = tokio::sync::watch::channel(Stop::Run);
        let context = Context::new(deaf, &groups, &redactor);
        let beside = async {
            kill_process(getpid(), first).unwrap();
            until(&signals, Stop::Stop).await;
            assert_eq!(signals.interrupt(), Some(interrupt));
            assert!(exited.try_recv().is_err());
            kill_process(getpid(), second).unwrap();
            until(&signals, Stop::Kill).await;
        };
        let (ended, ()) = tokio::join!(run(sh("sleep 1000"), context), beside);
        assert_eq!(ended.unwrap().exit, Exit::Signal(9));
        assert_eq!(exited.recv_timeout(PATIENCE).unwrap(), interrupt);
    }
}
