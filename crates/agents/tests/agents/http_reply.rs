//! What a service does, in the words of no API.

use std::collections::BTreeMap;

use review_agents::Api;
use serde::Deserialize;

use crate::conformance::spelled;
use crate::http_support::{Stopped, begin, end, piece, sse};
use review_test_support::http_server::{Part, answer, chunk, stream_end, stream_head};

/// One reply: a stream, unless it has a status, or a body of another type.
#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Reply {
    /// The pieces of the answer.
    says: Vec<String>,
    /// The bytes of an answer that is too long to write down.
    large: usize,
    /// What is sent before the answer begins.
    noise: String,
    stop: Stop,
    ends: Ends,
    status: Option<u16>,
    headers: BTreeMap<String, String>,
    body: Option<String>,
}

/// Why the model stops.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stop {
    #[default]
    Done,
    Length,
    Refused,
}

/// How the stream ends.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ends {
    /// As it should.
    #[default]
    Well,
    /// After the last event, which never comes.
    Early,
    /// With the connection.
    Cut,
    /// Before it begins: nothing takes the connection.
    Refused,
    /// Never, without a byte.
    SilentAtOnce,
    /// Never, after the pieces.
    Silent,
    /// Never, after the last event.
    Stays,
    /// Never, in the middle of a line.
    Endless,
}

impl Reply {
    /// Whether the connection is refused.
    pub(crate) fn is_refused(&self) -> bool {
        self.ends == Ends::Refused
    }

    /// What a service of `api` sends.
    pub(crate) fn parts(&self, api: Api) -> Vec<Part> {
        let status = self.status.unwrap_or(200);
        if let Some(body) = self.body.as_deref().or(self.status.map(|_| "{}")) {
            let headers = self.headers.iter();
            let headers: String = headers
                .map(|(name, value)| format!("{name}: {value}\r\n"))
                .collect();
            return answer(status, &headers, body);
        }
        if let Ends::SilentAtOnce | Ends::Refused = self.ends {
            return vec![Part::Hang];
        }
        let large = "x".repeat(self.large);
        let says = self.says.iter().map(|text| spelled(text));
        let says = says.chain((self.large > 0).then_some(large));
        let mut events = begin(api);
        events.extend(says.map(|text| piece(api, &text)));
        let mut parts = vec![stream_head()];
        let begun = format!("{}{}", self.noise, sse(&events));
        // An empty piece would end the stream.
        parts.extend((!begun.is_empty()).then(|| chunk(&begun)));
        if let Ends::Well | Ends::Stays = self.ends {
            parts.push(chunk(&sse(&end(api, self.stop.into()))));
        }
        match self.ends {
            Ends::Well | Ends::Early => parts.push(stream_end()),
            Ends::Cut => parts.push(Part::Cut),
            Ends::Refused | Ends::SilentAtOnce | Ends::Silent | Ends::Stays => {
                parts.push(Part::Hang)
            }
            Ends::Endless => parts.extend([chunk("data: "), Part::Endless(endless())]),
        }
        parts
    }
}

/// A piece of a line, large enough that few of them make a long one.
fn endless() -> Vec<u8> {
    let piece = "x".repeat(1 << 20);
    format!("{:x}\r\n{piece}\r\n", piece.len()).into_bytes()
}

impl From<Stop> for Stopped {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Done => Self::Done,
            Stop::Length => Self::Length,
            Stop::Refused => Self::Refused,
        }
    }
}
