//! Lines of the stream.

use review_types::UnknownWord;
use review_types::afp::{Cost, Message, MessageKind, Part, PartBody, TextTime, Tokens};

use super::{Decoder, Result};
use crate::afp::error::{AfpError, AfpFault};
use crate::parse::{Node, Value};

impl<'t> Decoder<'t> {
    pub(crate) fn message(&mut self, line: &Node<'t>) -> Result<Message> {
        let kind = self.member(line, "type", |decoder, node| decoder.kind(node, '_'))?;
        let timestamp = self.member(line, "timestamp", Self::count)?;
        let session: review_types::afp::SessionId = self.member(line, "sessionID", Self::name)?;
        let part = self.member(line, "part", |decoder, node| {
            let part = decoder.part(node)?;
            if part.session_id != session {
                let fault = AfpFault::Differs {
                    expected: session.to_string(),
                    got: part.session_id.to_string(),
                };
                return Err(AfpError::new(fault, node.span.clone()).in_key("sessionID"));
            }
            Ok(part)
        })?;
        let message = Message::new(timestamp, part);
        if message.kind() != kind {
            let fault = AfpFault::Differs {
                expected: written(kind, '-'),
                got: written(message.kind(), '-'),
            };
            let error = AfpError::new(fault, line.span.clone());
            return Err(error.in_key("type").in_key("part"));
        }
        Ok(message)
    }

    fn part(&mut self, part: &Node<'t>) -> Result<Part> {
        Ok(Part {
            id: self.member(part, "id", Self::filled)?,
            session_id: self.member(part, "sessionID", Self::name)?,
            message_id: self.member(part, "messageID", Self::filled)?,
            body: self.part_body(part)?,
        })
    }

    fn part_body(&mut self, part: &Node<'t>) -> Result<PartBody> {
        let kind = self.member(part, "type", |decoder, node| decoder.kind(node, '-'))?;
        Ok(match kind {
            MessageKind::StepStart => PartBody::StepStart {
                snapshot: self.member(part, "snapshot", Self::string)?,
            },
            MessageKind::Text => PartBody::Text {
                text: self.member(part, "text", Self::string)?,
                time: self.member(part, "time", |decoder, time| {
                    Ok(TextTime {
                        start: decoder.member(time, "start", Self::count)?,
                        end: decoder.member(time, "end", Self::count)?,
                    })
                })?,
            },
            MessageKind::StepFinish => PartBody::StepFinish {
                reason: self.optional(part, "reason", Self::string)?,
                snapshot: self.member(part, "snapshot", Self::string)?,
                cost: self.member(part, "cost", Self::cost)?,
                tokens: self.member(part, "tokens", |decoder, tokens| {
                    Ok(Tokens {
                        input: decoder.member(tokens, "input", Self::count)?,
                        output: decoder.member(tokens, "output", Self::count)?,
                    })
                })?,
            },
        })
    }

    fn count(&mut self, node: &Node<'t>) -> Result<u64> {
        self.number(node, 0, i64::MAX.unsigned_abs())
    }

    /// A number of US dollars, rounded to millionths.
    fn cost(&mut self, node: &Node<'t>) -> Result<Cost> {
        let dollars = match &node.value {
            Value::Number(raw) => raw.parse::<f64>().ok(),
            _ => None,
        };
        let dollars = dollars.filter(|dollars| (0.0..1e9).contains(dollars));
        let dollars = dollars.ok_or_else(|| {
            let fault = AfpFault::Type("a number of US dollars");
            AfpError::new(fault, node.span.clone())
        })?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is not negative and below 1e15"
        )]
        let micro_usd = (dollars * 1e6).round() as u64;
        Ok(Cost { micro_usd })
    }

    /// The type of a line or of its part: the same words with another separator.
    fn kind(&mut self, node: &Node<'t>, separator: char) -> Result<MessageKind> {
        let text = self.string(node)?;
        let found = KINDS
            .into_iter()
            .find(|kind| written(*kind, separator) == text);
        found.ok_or_else(|| {
            let word = UnknownWord {
                known: KINDS.map(|kind| written(kind, separator)).join(" "),
                got: crate::judge::shorten(&text),
            };
            AfpError::new(word, node.span.clone())
        })
    }
}

const KINDS: [MessageKind; 3] = [
    MessageKind::StepStart,
    MessageKind::Text,
    MessageKind::StepFinish,
];

fn written(kind: MessageKind, separator: char) -> String {
    let words = match kind {
        MessageKind::StepStart => "step start",
        MessageKind::Text => "text",
        MessageKind::StepFinish => "step finish",
    };
    words.replace(' ', separator.encode_utf8(&mut [0; 4]))
}
