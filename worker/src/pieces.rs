//! Lines as what Temporal keeps: few ride together, many are kept in pieces.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use temporalio_protos::temporal::api::common::v1::{Payload, Payloads};
use tonic::Status;

use crate::activity_id::ActivityId;
use crate::engine::{Engine, unique};

/// The most bytes that ride together.
const RIDES: usize = 1 << 20;

/// Bytes of a piece. The server takes 2 MB.
const PIECE: usize = 1_500_000;

/// The most bytes that are taken out of pieces, as of a line of a step.
const MOST: usize = 384 << 20;

/// A line in place of those that are in pieces.
#[derive(Serialize, Deserialize)]
struct Pieces {
    pieces: Vec<ActivityId>,
}

/// Packs lines, which are kept in pieces if they are many.
pub(crate) async fn pack(
    engine: &Engine,
    id: &ActivityId,
    lines: Vec<Vec<u8>>,
) -> Result<Payloads, Status> {
    if lines.iter().map(Vec::len).sum::<usize>() <= RIDES {
        return Ok(payloads(lines));
    }
    let mut pieces = Vec::new();
    let name = unique();
    for (number, piece) in join(lines).chunks(PIECE).enumerate() {
        let id = id.child(format_args!("piece.{name}.{number}"));
        let piece = Payloads {
            payloads: vec![payload("binary/plain", piece.to_vec())],
        };
        engine.keep(&id, piece).await?;
        pieces.push(id);
    }
    let line = serde_json::to_vec(&Pieces { pieces });
    let line = line.map_err(|error| Status::invalid_argument(error.to_string()))?;
    Ok(payloads(vec![line]))
}

/// Lines as they ride.
pub(crate) fn payloads(lines: Vec<Vec<u8>>) -> Payloads {
    let payloads = lines.into_iter().map(|line| payload("json/plain", line));
    Payloads {
        payloads: payloads.collect(),
    }
}

/// The lines that were packed, with an end between them.
pub(crate) async fn unpack(engine: &Engine, packed: Payloads) -> Result<Vec<u8>, Status> {
    let text = join(packed.payloads.into_iter().map(|line| line.data));
    let Ok(Pieces { pieces }) = serde_json::from_slice(&text) else {
        return Ok(text);
    };
    let mut whole = Vec::new();
    for id in pieces {
        let piece = engine.kept(&id).await?;
        let piece = piece.ok_or_else(|| Status::data_loss(format!("{id} is kept no longer")))?;
        for part in piece.payloads {
            if whole.len() + part.data.len() > MOST {
                return Err(Status::out_of_range(format!("{id} is too much")));
            }
            whole.extend(part.data);
        }
    }
    Ok(whole)
}

/// Lines with an end between them. The first, which is the only one of a result, is not copied.
fn join(lines: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let whole = lines.into_iter().reduce(|mut whole, line| {
        whole.push(b'\n');
        whole.extend(line);
        whole
    });
    whole.unwrap_or_default()
}

/// Bytes, and how Temporal shows them.
fn payload(encoding: &str, data: Vec<u8>) -> Payload {
    Payload {
        metadata: HashMap::from([("encoding".to_owned(), encoding.into())]),
        data,
        ..Payload::default()
    }
}
