//! Prints a run while it happens.

mod progress;

use std::sync::{Mutex, MutexGuard, PoisonError};

use review::EventSink;
use review::events::{Envelope, Event};
use review_report::Styling;
use review_report::run::{RunReport, human_event, human_points, jsonl_event};
use review_store::FileBlobs;

use crate::args::Format;
use crate::error::CommandError;
use crate::output::Streams;
use progress::Progress;

/// Prints events as they come, in the format of the command, and keeps what
/// the report at the end needs.
pub(crate) struct LiveSink<'a>(Mutex<State<'a>>);

struct State<'a> {
    streams: &'a mut Streams,
    format: Format,
    report: RunReport,
    progress: Progress,
    is_verbose: bool,
    error: Option<CommandError>,
}

impl<'a> LiveSink<'a> {
    /// A sink that makes `report` of the events, and with `progress` shows
    /// what runs.
    pub(crate) fn new(
        streams: &'a mut Streams,
        format: Format,
        report: RunReport,
        progress: bool,
    ) -> Self {
        Self(Mutex::new(State {
            streams,
            format,
            report,
            progress: Progress::new(progress),
            is_verbose: false,
            error: None,
        }))
    }

    /// A sink that also shows where the points of scores went.
    pub(crate) fn verbose(mut self, is_verbose: bool) -> Self {
        let state = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.is_verbose = is_verbose;
        self
    }

    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The report of all events.
    ///
    /// # Errors
    /// The first event that could not be printed.
    pub(crate) fn into_report(self) -> Result<RunReport, CommandError> {
        let state = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.progress.finish();
        match state.error {
            Some(error) => Err(error),
            None => Ok(state.report),
        }
    }
}

impl EventSink for LiveSink<'_> {
    fn emit(&self, event: &Envelope) {
        let mut state = self.state();
        let State {
            streams,
            format,
            report,
            progress,
            is_verbose,
            error,
        } = &mut *state;
        let is_new = report.take(event);
        let printed = progress.suspend(|| match format {
            Format::Human if is_new => streams.print_now(&human(&event.event, *is_verbose)),
            Format::Jsonl => streams.print_lines(jsonl_event(event)),
            Format::Human | Format::Json => Ok(()),
        });
        if let Err(failed) = printed {
            error.get_or_insert(failed);
        }
        progress.after(&event.event);
    }

    fn progress(&self, event: &Envelope) {
        let mut state = self.state();
        let State {
            streams,
            format,
            error,
            ..
        } = &mut *state;
        if let Format::Jsonl = format
            && let Err(failed) = streams.print_json(event)
        {
            error.get_or_insert(failed);
        }
    }
}

/// The lines of an event, which name undone content by its files in the state
/// folder.
pub(crate) fn human(event: &Event, is_verbose: bool) -> String {
    let mut text = human_event(event, FileBlobs::shown, Styling::Ansi);
    if is_verbose {
        text.push_str(&human_points(event, Styling::Ansi));
    }
    text
}
