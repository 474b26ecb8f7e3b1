//! A collector that does as a script says.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};

use review::events::{RunFinished, StepFinished, StepStarted};
use review_report::run::RunRequest;
use review_test_support::http_server::{Part, Server, answer};
use review_types::{Outcome, Timestamp};
use tokio::time::Instant;

use super::*;

const LONG: Duration = Duration::from_secs(60);

fn collector(url: &str, limit: Duration, stop: Stop) -> Traces {
    let headers = [
        ("x-key", "eels"),
        ("content-type", "text/plain"),
        ("two words", "1"),
        ("x-lines", "a\r\nx-b: c"),
    ];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let run = RunId::new("0199").unwrap();
    let (stopper, stop) = watch::channel(stop);
    // Nobody stops the run any more.
    drop(stopper);
    let collector = Collector {
        sink: JsonSink::new(url.parse().unwrap(), headers.into_iter()),
        limit,
        stop,
        context: Arc::new(TraceContext::new(&run, &BTreeMap::new())),
        seen: Mutex::new(Seen {
            report: RunReport::new(RunRequest::default()),
            timeline: Timeline::default(),
            first: Timestamp::UNIX_EPOCH,
        }),
    };
    Traces {
        collector: Some(collector),
    }
}

fn envelope(at: i64, event: Event) -> Envelope {
    Envelope {
        run: RunId::new("0199").unwrap(),
        seq: None,
        timestamp: Timestamp::from_unix_ms(at),
        unit: None,
        task: None,
        event,
    }
}

/// The events of steps that take a millisecond each.
fn steps(numbers: std::ops::Range<usize>) -> Vec<Envelope> {
    let events = numbers.flat_map(|number| {
        let at = i64::try_from(number).unwrap();
        let step = format!("review/review-{number}.1");
        let started = StepStarted {
            step: step.clone(),
            attempt: 1,
        };
        let finished = StepFinished {
            step,
            took_ms: 1,
            by: None,
            usage: None,
        };
        [
            envelope(at, Event::StepStarted(started)),
            envelope(at + 1, Event::StepFinished(finished)),
        ]
    });
    events.collect()
}

fn end() -> Envelope {
    let finished = RunFinished {
        outcome: Outcome::Passed,
        block_code: None,
        block_reason: String::new(),
    };
    envelope(1_000_000, Event::RunFinished(finished))
}

/// Sends the spans of a run with these steps; returns how many were lost of how many, and why.
async fn sent(traces: &Traces, steps: &[Envelope]) -> (usize, usize, String) {
    steps.iter().for_each(|event| traces.progress(event));
    traces.emit(&end());
    let sent = traces.collector.as_ref().unwrap().send_all().await;
    (sent.spans - sent.accepted, sent.spans, sent.why)
}

fn ids(server: &Server) -> Vec<Vec<String>> {
    let requests = server.asked().into_iter().map(|request| {
        let body: Value = serde_json::from_str(&request.body).unwrap();
        let spans = body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array();
        let ids = spans.unwrap().iter().map(|span| &span["spanId"]);
        ids.map(|id| id.as_str().unwrap().to_owned()).collect()
    });
    requests.collect()
}

#[tokio::test]
async fn what_a_collector_does_not_accept_is_counted() {
    let wait = "retry-after: 0\r\n";
    let busy = |status| answer(status, wait, "");
    let part = r#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no"}}"#;
    let number = r#"{"partialSuccess":{"rejectedSpans":9}}"#;
    let whole = r#"{"partialSuccess":null}"#;
    // A run with one step has three spans: its own, that of the round, and that of the step.
    for (answers, requests, lost, why) in [
        (vec![answer(200, "", whole)], 1, 0, ""),
        (vec![answer(200, "", "<html>")], 1, 0, ""),
        (vec![busy(429), busy(502), answer(200, "", "{}")], 3, 0, ""),
        (vec![busy(503), answer(200, "", "{}")], 2, 0, ""),
        (vec![busy(504)], 3, 3, "504"),
        (vec![answer(302, "location: /\r\n", "")], 1, 3, "302"),
        (vec![answer(413, wait, "")], 1, 3, "413"),
        (vec![answer(200, "", part)], 1, 2, "rejected"),
        (vec![answer(200, "", number)], 1, 3, "rejected"),
    ] {
        let script = answers.clone();
        let last = script.len() - 1;
        let server = Server::new(move |number| script[number.min(last)].clone());
        let collector = collector(&server.url(), LONG, Stop::Run);
        let found = sent(&collector, &steps(1..2)).await;
        assert_eq!(found, (lost, 3, why.to_owned()), "{answers:?}");
        assert_eq!(server.asked().len(), requests, "{answers:?}");
    }
}

#[tokio::test]
async fn a_request_is_json_with_the_headers_of_the_user() {
    let server = Server::always(answer(200, "", "{}"));
    let url = format!("{}/v1/traces", server.url());
    let collector = collector(&url, LONG, Stop::Run);
    assert_eq!(sent(&collector, &[]).await, (0, 1, String::new()));
    let request = &server.asked()[0];
    assert_eq!(request.line, "POST /v1/traces HTTP/1.1");
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("x-key"), Some("eels"));
    for odd in ["two words", "x-lines", "x-b"] {
        assert_eq!(request.header(odd), None, "{odd}");
    }
}

#[tokio::test]
async fn a_port_that_nobody_listens_on_loses_all() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let collector = collector(&url, LONG, Stop::Run);
    let (lost, spans, why) = sent(&collector, &steps(1..2)).await;
    assert_eq!((spans, lost), (3, 3));
    assert!(why.ends_with("Connection refused (os error 111)"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn a_collector_that_hangs_holds_the_end_of_a_run_no_longer_than_its_time() {
    let server = Server::always(vec![Part::Hang]);
    let seconds = Duration::from_secs;
    let (over, late) = ("the run was over", |limit| {
        format!("no answer within {limit}s")
    });
    for (rounds, limit, stop, expected, why) in [
        (1, 3, Stop::Run, 3, late(3)),
        (600, 3, Stop::Run, 3, late(3)),
        (1, 20, Stop::Stop, 2, over.to_owned()),
        (1, 1, Stop::Stop, 1, late(1)),
    ] {
        let collector = collector(&server.url(), seconds(limit), stop);
        let begun = Instant::now();
        let lost = sent(&collector, &steps(0..rounds)).await;
        // The run, and each step, which is a round of its own.
        let spans = 1 + 2 * rounds;
        assert_eq!(lost, (spans, spans, why));
        // A timer of the runtime is exact to a millisecond.
        assert!(begun.elapsed().abs_diff(seconds(expected)) <= Duration::from_millis(2));
    }
}

#[tokio::test]
async fn an_answer_is_read_no_further_than_it_matters() {
    let head = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec();
    let endless = Part::Endless(b"{\"partialSuccess\":".repeat(1_000));
    let server = Server::always(vec![Part::Bytes(head), endless]);
    let collector = collector(&server.url(), LONG, Stop::Run);
    let found = sent(&collector, &steps(1..2)).await;
    assert_eq!(found, (0, 3, String::new()));
}

#[tokio::test]
async fn many_spans_are_sent_in_parts() {
    let server = Server::always(answer(200, "", "{}"));
    let collector = collector(&server.url(), LONG, Stop::Run);
    let found = sent(&collector, &steps(1..1_200)).await;
    assert_eq!(found, (0, 2_399, String::new()));
    let ids = ids(&server);
    let lengths: Vec<_> = ids.iter().map(Vec::len).collect();
    assert_eq!(lengths, [512, 512, 512, 512, 351]);
    let once: BTreeSet<_> = ids.iter().flatten().collect();
    assert_eq!(once.len(), 2_399);
}

#[tokio::test]
async fn a_run_that_is_resumed_sends_what_is_new_with_its_parents() {
    let before = Server::always(answer(200, "", "{}"));
    let first = collector(&before.url(), LONG, Stop::Run);
    assert_eq!(sent(&first, &steps(1..3)).await.1, 5);
    let after = Server::always(answer(200, "", "{}"));
    let second = collector(&after.url(), LONG, Stop::Run);
    let mut events = steps(1..3);
    events.push(end());
    second.collector.as_ref().unwrap().recall(&events);
    let later = |mut event: Envelope| {
        event.timestamp = Timestamp::from_unix_ms(2_000_000);
        event
    };
    let resumed: Vec<_> = steps(3..4).into_iter().map(later).collect();
    assert_eq!(sent(&second, &resumed).await, (0, 5, String::new()));
    let (before, after) = (ids(&before).concat(), ids(&after).concat());
    let again: Vec<_> = after.iter().filter(|id| before.contains(id)).collect();
    // The run and its two rounds, which an earlier process that was killed has not sent.
    assert_eq!(again, before[..3].iter().collect::<Vec<_>>());
}

#[test]
fn the_variables_say_whether_and_where_traces_are_sent() {
    let on = ("OTEL_TRACES_EXPORTER", "otlp");
    let all = ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector:4318/");
    let own = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://[::1]:1/take");
    for (variables, expected) in [
        (&[][..], None),
        (&[all, own], None),
        (&[("OTEL_TRACES_EXPORTER", "none"), all], None),
        (&[on, ("OTEL_SDK_DISABLED", "True")], None),
        (
            &[on, ("OTEL_SDK_DISABLED", "false")],
            Some("http://localhost:4318/v1/traces"),
        ),
        (
            &[("OTEL_TRACES_EXPORTER", "console, otlp"), all],
            Some("https://collector:4318/v1/traces"),
        ),
        (&[on, all, own], Some("http://[::1]:1/take")),
        (
            &[on, ("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318")],
            None,
        ),
        (
            &[on, ("OTEL_EXPORTER_OTLP_ENDPOINT", "")],
            Some("http://localhost:4318/v1/traces"),
        ),
        (
            &[
                on,
                ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:key@collector"),
            ],
            None,
        ),
    ] {
        let env = variables
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        let env: BTreeMap<OsString, OsString> = env.collect();
        let sink = Variables(&env).sink();
        let url = sink.as_ref().map(|sink| sink.url().as_str());
        assert_eq!(url, expected, "{variables:?}");
    }
}

#[test]
fn what_is_said_of_traces_alone_wins() {
    let all = ("OTEL_EXPORTER_OTLP_TIMEOUT", "1500");
    let own = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "200");
    for (variables, milliseconds) in [
        (&[][..], 10_000),
        (&[all], 1_500),
        (&[all, own], 200),
        (&[("OTEL_EXPORTER_OTLP_TIMEOUT", "soon")], 10_000),
    ] {
        let env = variables
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        let env: BTreeMap<OsString, OsString> = env.collect();
        assert_eq!(Variables(&env).limit(), Duration::from_millis(milliseconds));
    }
}
