use std::io;

use review_process::{Context, EndedBy, Groups, Overflow, Redactor, Sink, Stop, Stream, run};
use tokio::sync::watch;

use crate::support::{run_alone, run_sh, sh};

const KEPT: usize = 64 * 1024;
const LARGE: u64 = 100_000_000;

/// Counts the bytes of each stream, and fails on request.
#[derive(Default)]
struct Counter {
    stdout: u64,
    stderr: u64,
    writes: u64,
    full: bool,
}

impl Sink for Counter {
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        self.writes += 1;
        if self.full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        match stream {
            Stream::Stdout => self.stdout += bytes.len() as u64,
            Stream::Stderr => self.stderr += bytes.len() as u64,
        }
        Ok(())
    }
}

async fn run_into(sink: &mut Counter, script: &str, overflow: Overflow) -> review_process::Ended {
    let (groups, redactor) = (Groups::default(), Redactor::default());
    let (_stopper, stop) = watch::channel(Stop::Run);
    let mut command = sh(script);
    command.limits.capture = KEPT;
    command.limits.overflow = overflow;
    let mut context = Context::new(stop, &groups, &redactor);
    context.sink = Some(sink);
    run(command, context).await.unwrap()
}

#[tokio::test]
async fn a_large_output_is_drained_and_only_its_ends_are_kept() {
    let mut sink = Counter::default();
    let script = "echo first; head -c 100000000 /dev/zero; echo last";
    let ended = run_into(&mut sink, script, Overflow::KeepTail).await;
    assert!(ended.success());
    assert_eq!(sink.stdout, LARGE + 11);
    assert_eq!(ended.stdout.total(), LARGE + 11);
    assert_eq!(ended.stdout.dropped(), LARGE + 11 - KEPT as u64);
    assert_eq!(ended.stdout.complete(), None);
    let (head, tail) = ended.stdout.parts();
    assert_eq!(head.len() + tail.len(), KEPT);
    assert!(head.starts_with(b"first\n\0"));
    assert!(tail.ends_with(b"\0last\n"));
}

#[tokio::test]
async fn a_program_with_a_too_large_response_is_terminated() {
    let mut sink = Counter::default();
    let script = "trap '' TERM; head -c 10000000 /dev/zero";
    let ended = run_into(&mut sink, script, Overflow::Stop).await;
    assert_eq!(ended.cut, Some(EndedBy::TooLarge(KEPT as u64)));
    assert!(!ended.success());
    assert_eq!(ended.stdout.into_complete(), None);
    assert!(
        sink.stdout <= KEPT as u64 * 4,
        "the log ends with the response"
    );
}

#[tokio::test]
async fn a_too_large_output_is_reported_even_if_the_program_has_ended() {
    let mut command = sh("head -c 1001 /dev/zero");
    command.limits.capture = 1000;
    command.limits.overflow = Overflow::Stop;
    let ended = run_alone(command).await.unwrap();
    assert_eq!(ended.cut, Some(EndedBy::TooLarge(1000)));
}

#[tokio::test]
async fn a_response_at_the_limit_is_complete() {
    for overflow in [Overflow::Stop, Overflow::KeepTail] {
        let script = "head -c 65536 /dev/zero; head -c 100 /dev/zero >&2";
        let ended = run_into(&mut Counter::default(), script, overflow).await;
        assert!(ended.success());
        assert_eq!(ended.stdout.complete(), Some([0; KEPT].as_slice()));
    }
}

#[tokio::test]
async fn messages_never_terminate_a_program() {
    let mut command = sh("head -c 1000000 /dev/zero >&2; echo last >&2");
    command.limits.overflow = Overflow::Stop;
    let ended = run_alone(command).await.unwrap();
    assert!(ended.success());
    assert_eq!(ended.stderr.total(), 1_000_005);
    assert_eq!(ended.stderr.tail(10), "\0\0\0\0\0last\n");
}

#[tokio::test]
async fn a_full_second_pipe_does_not_block_a_program() {
    let script = "head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero";
    let mut sink = Counter::default();
    let ended = run_into(&mut sink, script, Overflow::KeepTail).await;
    assert!(ended.success());
    assert_eq!((sink.stdout, sink.stderr), (1_000_000, 1_000_000));
}

#[tokio::test]
async fn a_failing_sink_is_reported_once_and_the_program_continues() {
    let mut sink = Counter {
        full: true,
        ..Counter::default()
    };
    let script = "head -c 1000000 /dev/zero; echo done >&2";
    let ended = run_into(&mut sink, script, Overflow::KeepTail).await;
    assert!(ended.success());
    assert_eq!(sink.writes, 1);
    let error = ended.spill_error.unwrap();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert_eq!(ended.stderr.text(), "done\n");
}

#[tokio::test]
async fn the_text_contains_the_number_of_dropped_bytes() {
    let mut command = sh("printf '0123456789abcdef'");
    command.limits.capture = 8;
    let ended = run_alone(command).await.unwrap();
    assert_eq!(ended.stdout.text(), "01\n[8 bytes left out]\nabcdef");
}

#[tokio::test]
async fn the_tail_starts_with_a_complete_line_or_character() {
    let cases = [
        ("one\\ntwo\\nthree\\n", 10, "two\nthree\n"),
        ("one\\ntwo\\nthree\\n", 9, "three\n"),
        ("one\\ntwo\\nthree\\n", 100, "one\ntwo\nthree\n"),
        ("one\\ntwo\\n", 3, "wo\n"),
        ("ein \\303\\244", 1, ""),
        ("ein \\303\\244", 2, "\u{e4}"),
        ("\\200 begins badly", 100, "\u{fffd} begins badly"),
        ("", 5, ""),
    ];
    for (output, limit, tail) in cases {
        let ended = run_sh(&format!("printf '{output}'")).await;
        assert_eq!(ended.stdout.tail(limit), tail, "{output} {limit}");
    }
}
