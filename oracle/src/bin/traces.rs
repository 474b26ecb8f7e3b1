//! Another reader of traces, to hold ours against.
//!
//! `ralph report RUN --format otlp | traces` reads a request of OTLP with the types of its
//! project, and ends with 1 where they do not hold what is written.

use std::error::Error;
use std::process::ExitCode;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use serde_json::Value as Json;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let ours: Json = serde_json::from_reader(std::io::stdin())?;
    let read: ExportTraceServiceRequest = serde_json::from_value(ours.clone())?;
    let scopes = read.resource_spans.iter().flat_map(|of| &of.scope_spans);
    let spans = scopes.map(|scope| scope.spans.len()).sum::<usize>();
    let theirs = serde_json::to_value(&read)?;
    if let Some(path) = lost(&ours, &theirs) {
        println!("{spans} spans; {path} is not as it was written");
        return Ok(ExitCode::FAILURE);
    }
    println!("{spans} spans");
    Ok(ExitCode::SUCCESS)
}

/// Where `theirs` lacks or changes a value of `ours`; it may have more.
fn lost(ours: &Json, theirs: &Json) -> Option<String> {
    match (ours, theirs) {
        (Json::Object(ours), Json::Object(theirs)) => ours.iter().find_map(|(key, value)| {
            let lost = lost(value, theirs.get(key).unwrap_or(&Json::Null));
            lost.map(|path| format!("/{key}{path}"))
        }),
        (Json::Array(ours), Json::Array(theirs)) if ours.len() == theirs.len() => {
            let mut pairs = ours.iter().zip(theirs).enumerate();
            pairs.find_map(|(at, (ours, theirs))| {
                lost(ours, theirs).map(|path| format!("/{at}{path}"))
            })
        }
        (ours, theirs) => (ours != theirs).then(String::new),
    }
}
