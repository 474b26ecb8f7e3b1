//! A recorded call over HTTP: CASE.meta.json and CASE.http.jsonl.

use std::collections::BTreeMap;
use std::path::Path;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use review_process::Redactor;
use review_types::AgentError;

use super::exchange::{End, Exchange, Exchanged, Next};
use super::profile::Api;
use super::reading::Reading;
use crate::caller::NoAnswer;
use crate::ending::Ending;
use crate::outcome::{CallEnd, ExitCodes, outcome};
use crate::recording::HttpPart;
use crate::stream::{Observed, StreamLimits};
use crate::transcript::{Replayed, TranscriptError, parse, read_file, read_meta, with_extension};

/// A call over HTTP as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpTranscript {
    api: Api,
    ending: Ending,
    parts: Vec<HttpPart>,
}

impl HttpTranscript {
    /// Reads the recording `case`, a path without extension.
    ///
    /// # Errors
    ///
    /// [`TranscriptError`] names the file.
    pub fn read(case: &Path) -> Result<Self, TranscriptError> {
        let (meta, ending) = read_meta(case)?;
        let api = meta.api.ok_or_else(|| TranscriptError::NoApi {
            case: case.to_owned(),
        })?;
        let path = with_extension(case, ".http.jsonl");
        let text = read_file(&path)?;
        let lines = text.split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| !line.is_empty());
        let parts = lines.map(|line| parse(&path, line));
        Ok(Self {
            api,
            ending,
            parts: parts.collect::<Result<_, _>>()?,
        })
    }

    /// How the call ended.
    #[must_use]
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// Reads it as the API's client.
    #[must_use]
    pub fn replay(self, limits: StreamLimits) -> Replayed {
        let redactor = Redactor::default();
        let reading = Reading::new(self.api, limits, &redactor, None);
        let exchanged = match self.play(Exchange::new(reading, &redactor)) {
            Ok(exchanged) => exchanged,
            Err(none) => {
                return Replayed {
                    seen: Observed::default(),
                    outcome: Err(none.failure),
                    status: None,
                };
            }
        };
        let call = CallEnd {
            ending: &exchanged.ending,
            seen: &exchanged.seen,
            exits: ExitCodes::Plain,
            changed: &[],
            at: None,
            cut_recording: false,
        };
        let (outcome, status) = (outcome(&call), call.status());
        Replayed {
            seen: exchanged.seen,
            outcome,
            status,
        }
    }

    /// Plays its parts into an exchange.
    ///
    /// # Errors
    /// Why the service was not asked when this was recorded.
    pub(super) fn play<'a>(self, mut exchange: Exchange<'a>) -> Result<Exchanged<'a>, NoAnswer> {
        let mut end = match self.ending {
            Ending::Exited(_) => End::Whole,
            ending => End::Ours(ending),
        };
        for part in self.parts {
            let next = match part {
                HttpPart::Head {
                    status, headers, ..
                } => {
                    exchange.head(status, &header_map(&headers));
                    Next::Part
                }
                HttpPart::Chunk { text, .. } => exchange.chunk(text.as_bytes()),
                HttpPart::Bytes { bytes, .. } => exchange.chunk(&bytes),
                HttpPart::Cut { message, .. } => {
                    end = End::Cut(message);
                    Next::Nothing
                }
                HttpPart::NotAsked { failure, message } => {
                    return Err(Box::new(AgentError::new(failure, message)));
                }
            };
            if next == Next::Nothing {
                break;
            }
        }
        Ok(exchange.end(end))
    }
}

/// The headers that a recording holds; one that is not valid is left out.
fn header_map(headers: &BTreeMap<String, String>) -> HeaderMap {
    let pair = |(name, value): (&String, &String)| {
        let name: HeaderName = name.parse().ok()?;
        Some((name, HeaderValue::from_str(value).ok()?))
    };
    headers.iter().filter_map(pair).collect()
}
