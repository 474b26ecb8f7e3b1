//! The three lines that a response travels in.

use review::schema::afp::{Message, Part, PartBody, TextTime, Tokens};
use review::types::{SessionId, Timestamp};
use review_flow::hash_bytes;

/// When a response was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moments {
    /// When the request was read.
    pub start: Timestamp,
    /// When the response was there.
    pub end: Timestamp,
}

/// The lines for a response: begin, text, end. Whatever the response says, the
/// work came to its end. The ids are derived from session and response, so that
/// a response that is repeated repeats them.
pub fn messages(session: &SessionId, request: &[u8], response: &str, at: Moments) -> [Message; 3] {
    let [start, end] = [at.start, at.end].map(|at| u64::try_from(at.unix_ms()).unwrap_or(0));
    let snapshot = hash_bytes(request).to_string();
    let name = hash_bytes(format!("{session}\n{response}").as_bytes()).short();
    let line = |timestamp, number, body| {
        let part = Part {
            id: format!("prt_{name}{number:02}"),
            session_id: session.clone(),
            message_id: format!("msg_{name}"),
            body,
        };
        Message::new(timestamp, part)
    };
    let text = PartBody::Text {
        text: response.to_owned(),
        time: TextTime { start, end },
    };
    let finish = PartBody::StepFinish {
        reason: Some("stop".to_owned()),
        snapshot: snapshot.clone(),
        cost: 0,
        tokens: Tokens::default(),
    };
    [
        line(start, 1, PartBody::StepStart { snapshot }),
        line(end, 2, text),
        line(end, 3, finish),
    ]
}
