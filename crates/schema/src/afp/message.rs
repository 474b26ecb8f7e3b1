//! The lines of the stream that contains a response. They are written, never read: the
//! streams of clients are read by what their programs print.

use review_types::{SessionId, closed_list};
use serde::Serialize;

use crate::actionable::without_format;

closed_list!(
    /// The type of a line.
    MessageKind {
        /// The work starts.
        StepStart => "step_start",
        /// The response, as a string.
        Text => "text",
        /// The work is over.
        StepFinish => "step_finish",
    }
);

/// One line of the stream. Its type and the type of its part always agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Message {
    #[serde(rename = "type")]
    kind: MessageKind,
    /// Milliseconds since 1970.
    timestamp: u64,
    #[serde(rename = "sessionID")]
    session_id: SessionId,
    part: Part,
}

/// The part in a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Part {
    /// Its own id.
    pub id: String,
    /// The session.
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    /// The message that contains all parts of one response.
    #[serde(rename = "messageID")]
    pub message_id: String,
    /// Its body.
    #[serde(flatten)]
    pub body: PartBody,
}

/// The body of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum PartBody {
    /// The work starts.
    StepStart {
        /// A hash of the work.
        snapshot: String,
    },
    /// The response.
    Text {
        /// The response object as JSON.
        text: String,
        /// The time of its creation.
        time: TextTime,
    },
    /// The work is over.
    StepFinish {
        /// The reason.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// A hash of the work.
        snapshot: String,
        /// The cost in US dollars.
        #[schemars(with = "f64", transform = without_format, extend("minimum" = 0))]
        cost: u64,
        /// The tokens of the model.
        tokens: Tokens,
    },
}

/// The time of the creation of a response, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TextTime {
    /// The start.
    pub start: u64,
    /// The end.
    pub end: u64,
}

/// The tokens that a model read and wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Tokens {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
}

impl Message {
    /// Returns a line with `part`, at `timestamp` milliseconds since 1970.
    #[must_use]
    pub fn new(timestamp: u64, part: Part) -> Self {
        let kind = match part.body {
            PartBody::StepStart { .. } => MessageKind::StepStart,
            PartBody::Text { .. } => MessageKind::Text,
            PartBody::StepFinish { .. } => MessageKind::StepFinish,
        };
        Self {
            kind,
            timestamp,
            session_id: part.session_id.clone(),
            part,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_type_of_its_part() {
        let line = |body| {
            let session_id = SessionId::new("ses_1").unwrap();
            let part = Part {
                id: "prt_1".to_owned(),
                session_id,
                message_id: "msg_1".to_owned(),
                body,
            };
            Message::new(7, part)
        };
        let snapshot = || "abc".to_owned();
        let start = line(PartBody::StepStart {
            snapshot: snapshot(),
        });
        let text = line(PartBody::Text {
            text: "{}".to_owned(),
            time: TextTime { start: 1, end: 2 },
        });
        let finish = line(PartBody::StepFinish {
            reason: None,
            snapshot: snapshot(),
            cost: 0,
            tokens: Tokens::default(),
        });
        let kinds = [start, text, finish].map(|line| {
            let line = serde_json::to_value(line).unwrap();
            assert_eq!(line["sessionID"], "ses_1");
            [&line["type"], &line["part"]["type"]].map(|kind| kind.as_str().unwrap().to_owned())
        });
        let expected = [
            ["step_start", "step-start"],
            ["text", "text"],
            ["step_finish", "step-finish"],
        ];
        assert_eq!(kinds, expected);
    }
}
