//! A collector that does as a script says.

use std::net::{Ipv4Addr, TcpListener};

use review::events::{RunFinished, StepFinished, StepStarted};
use review_report::run::RunRequest;
use review_test_support::http_server::{Part, Server, answer};
use review_types::{Outcome, Timestamp};
use tokio::time::Instant;

use super::*;

const LONG: Duration = Duration::from_secs(60);

/// Limits within which nothing waits.
const LIMITS: Limits = Limits {
    interval: LONG,
    end: LONG,
    pause: Duration::from_millis(1),
};

fn collector(url: &str, limit: Duration, limits: Limits, stop: Stop) -> Collector {
    let headers = [("x-key".to_owned(), "eels".to_owned())];
    let sink = JsonSink::new(url.parse().unwrap(), headers.into_iter(), limit);
    let run = RunId::new("0199").unwrap();
    let context = TraceContext::new(&run, &BTreeMap::new());
    let report = RunReport::new(RunRequest::default());
    let (stopper, stop) = watch::channel(stop);
    // Nobody stops the run any more.
    drop(stopper);
    Collector::new(sink, limits, stop, context, report)
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

/// Sends the spans of a run with these steps; returns how many there were, how many were
/// lost, and why.
async fn sent(collector: &Collector, steps: &[Envelope]) -> (usize, usize, String) {
    let traces = Traces::new(Some(collector));
    let work = async {
        steps.iter().for_each(|event| traces.progress(event));
        traces.emit(&end());
    };
    traces.during(work).await;
    let sent = collector.sent();
    (sent.spans, sent.lost, sent.why.clone())
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
        (vec![answer(504, "", "")], 3, 3, "504"),
        (vec![answer(413, wait, "")], 1, 3, "413"),
        (vec![answer(200, "", part)], 1, 2, "rejected"),
        (vec![answer(200, "", number)], 1, 3, "rejected"),
    ] {
        let script = answers.clone();
        let last = script.len() - 1;
        let server = Server::new(move |number| script[number.min(last)].clone());
        let collector = collector(&server.url(), LONG, LIMITS, Stop::Run);
        let found = sent(&collector, &steps(1..2)).await;
        assert_eq!(found, (3, lost, why.to_owned()), "{answers:?}");
        assert_eq!(server.asked().len(), requests, "{answers:?}");
    }
}

#[tokio::test]
async fn a_request_is_json_with_the_headers_of_the_user() {
    let server = Server::always(answer(200, "", "{}"));
    let url = format!("{}/v1/traces", server.url());
    let collector = collector(&url, LONG, LIMITS, Stop::Run);
    assert_eq!(sent(&collector, &[]).await, (1, 0, String::new()));
    let request = &server.asked()[0];
    assert_eq!(request.line, "POST /v1/traces HTTP/1.1");
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("x-key"), Some("eels"));
}

#[tokio::test]
async fn a_port_that_nobody_listens_on_loses_all() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let collector = collector(&url, LONG, LIMITS, Stop::Run);
    let (spans, lost, why) = sent(&collector, &steps(1..2)).await;
    assert_eq!((spans, lost), (3, 3));
    assert!(why.ends_with("Connection refused (os error 111)"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn a_collector_that_hangs_holds_the_end_of_a_run_no_longer_than_its_time() {
    let server = Server::always(vec![Part::Hang]);
    let seconds = Duration::from_secs;
    let over = "the run was over";
    for (limit, end, stop, expected, why) in [
        (3, 10, Stop::Run, 3, "no answer within 3s"),
        (20, 10, Stop::Run, 10, over),
        (20, 10, Stop::Stop, 2, over),
        (20, 1, Stop::Stop, 1, over),
    ] {
        let (limit, end, expected) = (seconds(limit), seconds(end), seconds(expected));
        let limits = Limits { end, ..LIMITS };
        let collector = collector(&server.url(), limit, limits, stop);
        let begun = Instant::now();
        let lost = sent(&collector, &steps(1..2)).await;
        assert_eq!(lost, (3, 3, why.to_owned()));
        // A timer of the runtime is exact to a millisecond.
        assert!(begun.elapsed().abs_diff(expected) <= Duration::from_millis(2));
    }
}

#[tokio::test]
async fn many_spans_are_sent_in_parts_and_more_than_wait_are_dropped() {
    let server = Server::always(answer(200, "", "{}"));
    let collector = collector(&server.url(), LONG, LIMITS, Stop::Run);
    // Each step is a round of its own.
    let found = sent(&collector, &steps(1..1_200)).await;
    assert_eq!(found, (2_399, 351, "too many at once".to_owned()));
    let ids = ids(&server);
    let lengths: Vec<_> = ids.iter().map(Vec::len).collect();
    assert_eq!(lengths, [512, 512, 512, 512]);
    let once: BTreeSet<_> = ids.iter().flatten().collect();
    assert_eq!(once.len(), 2_048);
}

#[tokio::test]
async fn a_step_that_ended_is_sent_while_the_run_goes_on() {
    let server = Server::always(answer(200, "", "{}"));
    let limits = Limits {
        interval: Duration::from_millis(1),
        ..LIMITS
    };
    let collector = collector(&server.url(), LONG, limits, Stop::Run);
    let traces = Traces::new(Some(&collector));
    let work = async {
        steps(1..2).iter().for_each(|event| traces.progress(event));
        while server.asked().is_empty() {
            tokio::task::yield_now().await;
        }
        traces.emit(&end());
    };
    traces.during(work).await;
    let lengths: Vec<_> = ids(&server).iter().map(Vec::len).collect();
    assert_eq!(lengths, [1, 2]);
}

#[tokio::test]
async fn a_run_that_is_resumed_sends_what_is_new_with_its_parents() {
    let before = Server::always(answer(200, "", "{}"));
    let first = collector(&before.url(), LONG, LIMITS, Stop::Run);
    assert_eq!(sent(&first, &steps(1..3)).await.0, 5);
    let after = Server::always(answer(200, "", "{}"));
    let second = collector(&after.url(), LONG, LIMITS, Stop::Run);
    second.recall(&steps(1..3));
    assert_eq!(sent(&second, &steps(3..4)).await.0, 3);
    let (before, after) = (ids(&before).concat(), ids(&after).concat());
    let again: Vec<_> = after.iter().filter(|id| before.contains(id)).collect();
    // Of what is sent at the end, the run is first.
    assert_eq!(again, [&before[2]]);
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
