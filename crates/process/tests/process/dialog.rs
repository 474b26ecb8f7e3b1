//! Programs that are talked with.

use std::io;
use std::time::Duration;

use review_process::{
    Context, Ended, EndedBy, Exit, Groups, InputRead, Limits, Patience, Redactor, Sink, Stdin,
    Stop, Stream, run,
};
use tokio::sync::{mpsc, watch};

use crate::support::{Frozen, UNLIMITED, sh};

/// Replies to each line with the next of its lines, and has all it needs after the last.
struct Script {
    replies: Vec<Vec<u8>>,
    farewell: &'static str,
    heard: String,
}

impl Sink for Script {
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        if stream == Stream::Stdout {
            self.heard.push_str(&String::from_utf8_lossy(bytes));
        }
        Ok(())
    }

    fn patience(&self) -> Patience {
        match self.heard.ends_with("bye\n") {
            true => Patience::Grace,
            false => Patience::Limits,
        }
    }

    fn reply(&mut self) -> Vec<u8> {
        match self.heard.ends_with("?\n") && !self.replies.is_empty() {
            true => self.replies.remove(0),
            false => Vec::new(),
        }
    }

    fn farewell(&mut self) -> Vec<u8> {
        self.farewell.into()
    }
}

/// Talks with a script, which is begun with `hello`.
async fn talk(script: &str, replies: &[&[u8]], farewell: &'static str, limits: Limits) -> Ended {
    let (_stopper, stop) = watch::channel(Stop::Run);
    talk_until(script, replies, farewell, limits, stop).await
}

async fn talk_until(
    script: &str,
    replies: &[&[u8]],
    farewell: &'static str,
    limits: Limits,
    stop: watch::Receiver<Stop>,
) -> Ended {
    let mut sink = Script {
        replies: replies.iter().map(|reply| reply.to_vec()).collect(),
        farewell,
        heard: String::new(),
    };
    let mut command = sh(script);
    command.stdin = Stdin::Dialog(b"hello\n".to_vec());
    command.limits = limits;
    let (groups, redactor) = (Groups::default(), Redactor::default());
    let mut context = Context::new(stop, &groups, &redactor);
    context.sink = Some(&mut sink);
    run(command, context).await.unwrap()
}

const LIMITED: Limits = Limits {
    wall: Some(Duration::from_secs(1)),
    ..UNLIMITED
};

/// Takes a line and asks for the next.
const ASKS: &str = "read line; echo \"$line?\"; ";

#[tokio::test]
async fn a_program_is_answered_until_the_sink_has_all_and_then_its_input_ends() {
    let script = format!("{ASKS}{ASKS}read line; echo \"$line, bye\"; cat; echo end");
    let ended = talk(&script, &[b"one\n", b"two\n"], "", UNLIMITED).await;
    assert_eq!(ended.stdout.text(), "hello?\none?\ntwo, bye\nend\n");
    assert!(ended.success());
    let all = InputRead {
        bytes: 14,
        read: 14,
    };
    assert_eq!(ended.input, Some(all));
}

#[tokio::test]
async fn messages_are_sent_whatever_a_program_writes_and_end_its_input() {
    let (_stopper, stop) = watch::channel(Stop::Run);
    let (sender, mut messages) = mpsc::unbounded_channel();
    let mut command = sh("read a; read b; echo \"$a $b\"; cat; echo end");
    command.stdin = Stdin::Dialog(b"hello\n".to_vec());
    let (groups, redactor) = (Groups::default(), Redactor::default());
    let mut context = Context::new(stop, &groups, &redactor);
    context.messages = Some(&mut messages);
    let talk = async {
        sender.send(b"one\n".to_vec()).unwrap();
        tokio::task::yield_now().await;
        sender.send(b"two\n".to_vec()).unwrap();
        drop(sender);
    };
    let (ended, ()) = tokio::join!(run(command, context), talk);
    assert_eq!(ended.unwrap().stdout.text(), "hello one\ntwo\nend\n");
}

#[tokio::test]
async fn a_reply_is_written_while_the_program_writes() {
    let reply = [&[b'p'; 1_000_000], &b"\n"[..]].concat();
    let script = format!("{ASKS}head -c 1000000 /dev/zero; head -c 1000001 | wc -c; echo bye");
    let ended = talk(&script, &[&reply], "", UNLIMITED).await;
    let said = ended.stdout.text();
    let (_, counted) = said.rsplit_once('\0').unwrap();
    assert_eq!(counted.trim_start(), "1000001\nbye\n");
}

#[tokio::test]
async fn a_program_at_its_limit_is_warned_before_it_is_terminated() {
    let clock = Frozen::clock();
    let script = format!("{ASKS}cat; exit 3");
    let talk = talk(&script, &[], "stop it\n", LIMITED);
    let (ended, ()) = tokio::join!(talk, clock.advance(1));
    assert_eq!(ended.stdout.text(), "hello?\nstop it\n");
    assert_eq!(ended.exit, Exit::Code(3));
    assert_eq!(ended.cut, LIMITED.wall.map(EndedBy::Wall));
}

#[tokio::test]
async fn a_program_that_ignores_a_warning_is_terminated_a_second_later() {
    let clock = Frozen::clock();
    for (farewell, seconds) in [("", 1), ("stop it\n", 2)] {
        let talk = talk("exec tail -f /dev/null", &[], farewell, LIMITED);
        let passes = async {
            for _ in 0..seconds {
                clock.advance(1).await;
            }
        };
        let (ended, ()) = tokio::join!(talk, passes);
        assert_eq!(ended.exit, Exit::Signal(15), "{farewell}");
        assert_eq!(ended.took.as_secs(), seconds, "{farewell}");
    }
}

#[tokio::test]
async fn a_stopped_run_warns_a_program_and_a_second_signal_kills_it() {
    let _clock = Frozen::clock();
    for (stop, exit) in [(Stop::Stop, Exit::Code(3)), (Stop::Kill, Exit::Signal(9))] {
        let (stopper, receiver) = watch::channel(Stop::Run);
        let script = format!("{ASKS}cat; exit 3");
        let talk = talk_until(&script, &[], "stop it\n", UNLIMITED, receiver);
        let stops = async {
            tokio::task::yield_now().await;
            stopper.send_replace(stop);
        };
        let (ended, ()) = tokio::join!(talk, stops);
        assert_eq!((ended.exit, ended.cut), (exit, Some(EndedBy::Stopped)));
    }
}
