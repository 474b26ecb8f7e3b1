//! Runs whose spans are sent to a collector.

use std::collections::BTreeMap;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

use review_test_support::http_server::{Part, Server, answer};
use serde_json::Value;

use crate::fifo::Fifo;
use crate::scripted::{PASS, Scripted};
use crate::signals::signal;
use crate::support::Ran;

/// A project whose reviewer passes and whose tasks pass; all write down the span that they
/// are a part of.
fn project(tasks: usize) -> Scripted {
    let command = "echo \"${TRACEPARENT:-none}\" >> \"$HOME/spans\"; echo 'test result: ok. 2 passed; 0 failed; 0 ignored'";
    let project = Scripted::new(&vec![command; tasks]);
    let wrote = "echo \"${TRACEPARENT:-none}\" >> \"$HOME/spans\"";
    project.reviewer(&format!("{wrote}; cat > /dev/null; echo '{PASS}'"));
    project
}

/// The spans that programs saw.
fn seen(project: &Scripted) -> Vec<String> {
    let seen = fs::read_to_string(project.outside("spans")).unwrap();
    seen.lines().map(str::to_owned).collect()
}

/// The spans of a request, by their ids.
fn spans(request: &Value) -> BTreeMap<String, Value> {
    let spans = &request["resourceSpans"][0]["scopeSpans"][0]["spans"];
    let spans = spans.as_array().unwrap().iter();
    spans
        .map(|span| (span["spanId"].as_str().unwrap().to_owned(), span.clone()))
        .collect()
}

/// The trace of the last run as a report shows it.
fn reported(project: &Scripted, variables: &[(&str, &str)]) -> Value {
    let report = ["report", "latest", "--format", "otlp"];
    let report = project.environment.command(report);
    let report = variables
        .iter()
        .fold(report, |report, (name, value)| report.env(name, value));
    report.run().exits(0).json()
}

/// The named attribute of a span, of whatever type.
fn attribute(span: &Value, key: &str) -> Option<String> {
    let mut attributes = span["attributes"].as_array()?.iter();
    let value = &attributes.find(|one| one["key"] == key)?["value"];
    let value = value.as_object()?.values().next()?;
    Some(
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned),
    )
}

#[test]
fn a_collector_gets_what_the_report_shows_and_programs_the_spans_of_their_steps() {
    let project = project(2);
    let server = Server::always(answer(200, "", "{}"));
    let job = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let url = server.url();
    let variables = [
        ("OTEL_TRACES_EXPORTER", "otlp"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", url.as_str()),
        ("OTEL_SERVICE_NAME", "reviews"),
        ("TRACEPARENT", job),
    ];
    let run = project.run(&["--format", "json"]);
    let run = variables
        .iter()
        .fold(run, |run, (name, value)| run.env(name, value));
    let ran = run.run().exits(0);
    assert_eq!(ran.stderr, "");
    let requests = server.asked();
    assert!(
        requests
            .iter()
            .all(|it| it.line == "POST /v1/traces HTTP/1.1")
    );
    let sent: Vec<Value> = requests
        .iter()
        .map(|request| serde_json::from_str(&request.body).unwrap())
        .collect();
    let report = reported(&project, &variables);
    assert_eq!(
        sent[0]["resourceSpans"][0]["resource"],
        report["resourceSpans"][0]["resource"]
    );
    let all: BTreeMap<_, _> = sent.iter().flat_map(spans).collect();
    assert_eq!(all, spans(&report));

    let root = all
        .values()
        .find(|span| span["parentSpanId"] == "b7ad6b7169203331")
        .unwrap();
    assert_eq!(attribute(root, "ralph.outcome").unwrap(), "passed");
    let of_step = |step: &str| {
        let is_it = |span: &&Value| attribute(span, "ralph.step").as_deref() == Some(step);
        let id = all.values().find(is_it).unwrap()["spanId"]
            .as_str()
            .unwrap();
        format!("00-0af7651916cd43dd8448eb211c80319c-{id}-01")
    };
    let steps = ["review/review-1.1", "task/1/gate.1.1", "task/2/gate.1.1"];
    assert_eq!(seen(&project), steps.map(of_step));
    let task = all.values().find(|span| span["name"] == "task 2").unwrap();
    assert_eq!(attribute(task, "ralph.tests_run").unwrap(), "2");
}

#[test]
fn nothing_is_sent_where_no_traces_are_asked_for() {
    let project = project(1);
    let server = Server::always(answer(200, "", "{}"));
    let run = project
        .run(&[])
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", server.url());
    run.run().exits(0);
    assert_eq!(server.connections(), 0);
    assert_eq!(seen(&project), ["none", "none"]);
}

#[test]
fn a_run_ends_as_it_would_where_no_collector_is() {
    let project = project(1);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let run = project.run(&["--format", "json"]);
    let run = run
        .env("OTEL_TRACES_EXPORTER", "otlp")
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", &url);
    let ran = run.run().exits(0);
    assert_eq!(ran.json()["outcome"], "passed");
    let spans = spans(&reported(&project, &[])).len();
    let line = format!("warning: telemetry: {spans} of {spans} spans not accepted by {url} (");
    assert!(ran.stderr.starts_with(&line), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
}

#[test]
fn a_collector_that_never_answers_holds_a_run_that_is_stopped_for_two_seconds() {
    let project = Scripted::working();
    let events = Fifo::new(&project);
    project.reviewer(&format!(
        "exec 3> {events}; echo runs >&3; tail -f /dev/null"
    ));
    let server = Server::always(vec![Part::Hang]);
    let run = project
        .run(&[])
        .env("OTEL_TRACES_EXPORTER", "otlp")
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", server.url())
        .env("OTEL_EXPORTER_OTLP_TIMEOUT", "3600000");
    let ralph = run.into_std().spawn().unwrap();
    let mut events = events.open();
    assert_eq!(events.line(), "runs");
    signal("INT", &ralph);
    assert_eq!(events.rest(), "");
    let begun = Instant::now();
    let ran = Ran::new(&project.environment, ralph.wait_with_output().unwrap());
    assert!(begun.elapsed() < Duration::from_secs(30));
    let ran = ran.exits(130);
    let line = format!("not accepted by {} (the run was over)", server.url());
    assert!(ran.stderr.contains(&line), "{}", ran.stderr);
}

#[test]
fn a_trace_is_of_one_run() {
    let project = project(0);
    let ran = project
        .environment
        .ralph(["report", "--format", "otlp"])
        .exits(2);
    let expected =
        "error: a trace is of one run\n  hint: name it: `ralph report latest --format otlp`\n";
    assert_eq!(ran.stderr, expected);
}

#[test]
fn a_call_that_failed_says_so_in_its_span() {
    let project = project(0);
    project.reviewer("cat > /dev/null; echo 'out of memory' >&2; exit 3");
    project.run(&[]).run().exits(3);
    let calls: Vec<_> = spans(&reported(&project, &[]))
        .into_values()
        .filter(|span| span["name"] == "invoke_agent reviewer")
        .map(|span| {
            (
                span["status"]["code"].clone(),
                attribute(&span, "error.type"),
            )
        })
        .collect();
    assert_eq!(calls, [(2.into(), Some("failed".to_owned()))]);
}
