//! Tells a run while it happens.

use std::sync::{Mutex, MutexGuard, PoisonError};

use review::EventSink;
use review::events::Envelope;

use super::{RunReport, render_event};
use crate::args::Format;
use crate::error::CommandError;
use crate::output::Streams;

/// Prints events as they come, in the format of the command, and keeps what
/// the report at the end needs.
pub(crate) struct LiveSink<'a>(Mutex<State<'a>>);

struct State<'a> {
    streams: &'a mut Streams,
    format: Format,
    report: RunReport,
    error: Option<CommandError>,
}

impl<'a> LiveSink<'a> {
    /// A sink that makes `report` of what it is told.
    pub(crate) fn new(streams: &'a mut Streams, format: Format, report: RunReport) -> Self {
        Self(Mutex::new(State {
            streams,
            format,
            report,
            error: None,
        }))
    }

    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The report of all that was told.
    ///
    /// # Errors
    /// The first event that could not be printed.
    pub(crate) fn into_report(self) -> Result<RunReport, CommandError> {
        let state = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        match state.error {
            Some(error) => Err(error),
            None => Ok(state.report),
        }
    }
}

impl EventSink for LiveSink<'_> {
    fn emit(&self, event: &Envelope) {
        let mut state = self.state();
        state.report.take(event);
        let printed = match state.format {
            Format::Human => {
                let text = render_event(&event.event);
                state.streams.print_now(&text)
            }
            Format::Jsonl => state.streams.print_json(event),
            Format::Json => Ok(()),
        };
        if let Err(error) = printed {
            state.error.get_or_insert(error);
        }
    }
}
