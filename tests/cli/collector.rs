//! Traces in a real collector: `RALPH_TEST_COLLECTOR` names the program `rotel-agent`, and
//! without it this test says `not run` and passes.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::scripted::{PASS, Scripted};

/// A collector that prints what it gets, until it is dropped.
struct Collector {
    child: Child,
    address: SocketAddr,
}

impl Collector {
    fn start(project: &Scripted) -> Option<Self> {
        let Some(program) = std::env::var_os("RALPH_TEST_COLLECTOR") else {
            let line = b"not run: RALPH_TEST_COLLECTOR names no collector\n";
            std::io::stderr().write_all(line).unwrap();
            return None;
        };
        let [address, other] = [(); 2].map(|()| free_port());
        let mut command = Command::new(program);
        command.args(["start", "--exporter", "blackhole"]);
        command.args(["--debug-log", "traces", "--debug-log-verbosity", "detailed"]);
        command.arg(format!("--otlp-http-endpoint={address}"));
        command.arg(format!("--otlp-grpc-endpoint={other}"));
        let log = std::fs::File::create(project.outside("collector")).unwrap();
        let child = command
            .current_dir(project.environment.home())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let collector = Self { child, address };
        while TcpStream::connect(address).is_err() {
            std::thread::yield_now();
        }
        Some(collector)
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        // One that has ended cannot be killed.
        drop(self.child.kill());
        self.child.wait().unwrap();
    }
}

fn free_port() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap()
}

/// A span as the collector prints it: name, id of its parent, kind, times, and attributes.
type Printed = (String, String, String, String, String, Vec<String>);

/// The spans in the log of a collector, by their ids.
fn printed(log: &str) -> BTreeMap<String, Printed> {
    let spans = log.split("\nSpan #").skip(1).map(|text| {
        let value = |name: &str| {
            let mut lines = text.lines().map(str::trim);
            let line = lines.find_map(|line| line.strip_prefix(name)).unwrap();
            line.trim_start_matches([' ', ':']).to_owned()
        };
        let (_, attributes) = text.split_once("Attributes:\n").unwrap_or_default();
        let attributes = attributes.lines().map(str::trim);
        let attributes = attributes.map_while(|line| line.strip_prefix("-> "));
        let span = (
            value("Name"),
            value("Parent ID"),
            value("Kind"),
            value("Start time"),
            value("End time"),
            attributes.map(str::to_owned).collect(),
        );
        (value("ID"), span)
    });
    spans.collect()
}

/// The same of the spans of a report.
fn reported(report: &Value) -> BTreeMap<String, Printed> {
    let spans = &report["resourceSpans"][0]["scopeSpans"][0]["spans"];
    let spans = spans.as_array().unwrap().iter().map(|span| {
        let text = |key: &str| span[key].as_str().unwrap_or_default().to_owned();
        let attributes = span["attributes"].as_array().unwrap().iter();
        let attributes = attributes.map(|attribute| {
            let key = attribute["key"].as_str().unwrap();
            let (kind, value) = attribute["value"]
                .as_object()
                .unwrap()
                .iter()
                .next()
                .unwrap();
            let kind = match kind.as_str() {
                "stringValue" => "Str",
                "intValue" => "Int",
                kind => panic!("{kind}"),
            };
            format!("{key}: {kind}({})", value.as_str().unwrap())
        });
        let kind = match span["kind"].as_u64() {
            Some(1) => "SPAN_KIND_INTERNAL",
            kind => panic!("{kind:?}"),
        };
        let printed = (
            text("name"),
            text("parentSpanId"),
            kind.to_owned(),
            text("startTimeUnixNano"),
            text("endTimeUnixNano"),
            attributes.collect(),
        );
        (text("spanId"), printed)
    });
    spans.collect()
}

#[test]
fn a_real_collector_reads_a_run_of_20_tasks_as_the_report_shows_it() {
    let command = "echo 'test result: ok. 2 passed; 0 failed; 0 ignored'";
    let project = Scripted::new(&[command; 20]);
    project.reviewer(&format!("cat > /dev/null; echo '{PASS}'"));
    let Some(collector) = Collector::start(&project) else {
        return;
    };
    let run = project.run(&["--format", "json"]);
    let run = run.env("OTEL_TRACES_EXPORTER", "otlp");
    let ran = run
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url())
        .run();
    assert_eq!(ran.exits(0).stderr, "");
    let report = ["report", "latest", "--format", "otlp"];
    let report = project.environment.ralph(report).exits(0).json();
    let expected = reported(&report);
    // The run, a round with its review, and each task with its command.
    assert!(expected.len() >= 43, "{}", expected.len());
    // It answers before it prints.
    let log = loop {
        let log = std::fs::read_to_string(project.outside("collector")).unwrap();
        if log.matches("\nSpan #").count() >= expected.len() && log.ends_with('\n') {
            break log;
        }
        std::thread::yield_now();
    };
    assert_eq!(printed(&log), expected);
}
