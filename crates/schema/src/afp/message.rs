//! The lines of the stream that contains a response.

use review_types::{SessionId, closed_list};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::filled;

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Part {
    /// Its own id.
    #[serde(deserialize_with = "filled")]
    pub id: String,
    /// The session.
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    /// The message that contains all parts of one response.
    #[serde(rename = "messageID", deserialize_with = "filled")]
    pub message_id: String,
    /// Its body.
    #[serde(flatten)]
    pub body: PartBody,
}

/// The body of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
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
        /// The cost.
        cost: Cost,
        /// The tokens of the model.
        tokens: Tokens,
    },
}

/// A cost: in JSON a number of US dollars, here in millionths of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// Millionths of a US dollar.
    pub micro_usd: u64,
}

impl Cost {
    const DOLLAR: u64 = 1_000_000;
}

impl Serialize for Cost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (dollars, rest) = (self.micro_usd / Self::DOLLAR, self.micro_usd % Self::DOLLAR);
        if rest == 0 {
            return serializer.serialize_u64(dollars);
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "JSON has no better number for a fraction of a dollar"
        )]
        serializer.serialize_f64(self.micro_usd as f64 / Self::DOLLAR as f64)
    }
}

impl<'de> Deserialize<'de> for Cost {
    /// Parses a number of US dollars, rounded to millionths.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let dollars = f64::deserialize(deserializer)?;
        if !(0.0..1e9).contains(&dollars) {
            return Err(D::Error::custom("must be a number of US dollars"));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is not negative and below 1e15"
        )]
        let micro_usd = (dollars * 1e6).round() as u64;
        Ok(Self { micro_usd })
    }
}

impl schemars::JsonSchema for Cost {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Cost".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "number", "minimum": 0 })
    }
}

/// The time of the creation of a response, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TextTime {
    /// The start.
    pub start: u64,
    /// The end.
    pub end: u64,
}

/// The tokens that a model read and wrote.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Tokens {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Line {
            r#type: MessageKind,
            timestamp: u64,
            #[serde(rename = "sessionID")]
            session_id: SessionId,
            part: Part,
        }
        let line = Line::deserialize(deserializer)?;
        let message = Self::new(line.timestamp, line.part);
        if message.session_id != line.session_id {
            return Err(D::Error::custom(format_args!(
                "part.sessionID: expected {}, found {}",
                line.session_id.as_str(),
                message.session_id.as_str()
            )));
        }
        if message.kind != line.r#type {
            return Err(D::Error::custom(format_args!(
                "expected the type of the part, {}, found {}",
                message.kind, line.r#type
            )));
        }
        Ok(message)
    }
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

    /// Returns its type.
    #[must_use]
    pub fn kind(&self) -> MessageKind {
        self.kind
    }

    /// Returns its session.
    #[must_use]
    pub fn session_id(&self) -> &SessionId {
        &self.session_id
    }

    /// Returns its part.
    #[must_use]
    pub fn part(&self) -> &Part {
        &self.part
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
            cost: Cost::default(),
            tokens: Tokens::default(),
        });
        assert_eq!(
            [start.kind(), text.kind(), finish.kind()],
            [
                MessageKind::StepStart,
                MessageKind::Text,
                MessageKind::StepFinish
            ]
        );
        assert_eq!(text.session_id().as_str(), "ses_1");
        assert_eq!(text.part().id, "prt_1");
    }
}
