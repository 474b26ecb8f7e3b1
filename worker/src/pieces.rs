//! Lines as what Temporal keeps: few ride in a result, many are results of their own.

use std::collections::HashMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use temporalio_protos::temporal::api::activity::v1::activity_execution_outcome::Value;
use temporalio_protos::temporal::api::common::v1::{Payload, Payloads};
use tonic::Status;

use crate::engine::{Activity, Engine, unique};

/// The most bytes that ride in a result.
const RIDES: usize = 1 << 20;

/// Bytes of a piece. The server takes 2 MB.
const PIECE: usize = 1_500_000;

/// How long an answer of the server may be lost.
const LOST: Duration = Duration::from_secs(10);

/// A line that is in pieces.
#[derive(Serialize, Deserialize)]
struct Pieces {
    pieces: Vec<String>,
}

/// Makes a result of lines. Their pieces stay with the server for as long as the result.
pub(crate) async fn pack(
    engine: &Engine,
    id: &str,
    lines: Vec<Vec<u8>>,
) -> Result<Payloads, Status> {
    if lines.iter().map(Vec::len).sum::<usize>() <= RIDES {
        return Ok(payloads(lines));
    }
    let queue = format!("{}.{}", engine.queue_of("pieces"), unique());
    let mut pieces = Vec::new();
    for (number, piece) in lines.join(&b'\n').chunks(PIECE).enumerate() {
        let id = format!("{id}/piece.{}.{number}", unique());
        let activity = Activity {
            kind: "piece.1",
            id: &id,
            queue: &queue,
            input: Payloads::default(),
            to_start: None,
            heartbeat: LOST,
            attempts: 0,
        };
        let (task, ()) = tokio::try_join!(engine.next_task(&queue), engine.start(activity))?;
        let piece = Payloads {
            payloads: vec![payload("binary/plain", piece.to_vec())],
        };
        engine.complete(&task.task_token, piece).await?;
        pieces.push(id);
    }
    let line = serde_json::to_vec(&Pieces { pieces }).map_err(internal)?;
    Ok(payloads(vec![line]))
}

/// Lines as they ride.
pub(crate) fn payloads(lines: Vec<Vec<u8>>) -> Payloads {
    Payloads {
        payloads: lines
            .into_iter()
            .map(|line| payload("json/plain", line))
            .collect(),
    }
}

/// The lines of a result.
pub(crate) async fn unpack(engine: &Engine, result: Payloads) -> Result<Vec<Vec<u8>>, Status> {
    let lines: Vec<Vec<u8>> = result.payloads.into_iter().map(|line| line.data).collect();
    let [line] = &lines[..] else {
        return Ok(lines);
    };
    let Ok(Pieces { pieces }) = serde_json::from_slice(line) else {
        return Ok(lines);
    };
    let mut whole = Vec::new();
    for id in pieces {
        match engine.outcome(&id).await?.value {
            Some(Value::Result(piece)) => {
                whole.extend(piece.payloads.into_iter().flat_map(|piece| piece.data));
            }
            _ => {
                return Err(Status::data_loss(format!(
                    "the piece {id} of a result is lost"
                )));
            }
        }
    }
    Ok(whole
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect())
}

/// Bytes, and how Temporal shows them.
fn payload(encoding: &str, data: Vec<u8>) -> Payload {
    Payload {
        metadata: HashMap::from([("encoding".to_owned(), encoding.into())]),
        data,
        ..Payload::default()
    }
}

fn internal(error: serde_json::Error) -> Status {
    Status::invalid_argument(error.to_string())
}
