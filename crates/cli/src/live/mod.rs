//! Prints a run while it happens.

mod gate;
mod progress;

use std::sync::{Mutex, MutexGuard, PoisonError};

use review::EventSink;
use review::events::{Envelope, Event};
use review_report::run::{
    LiveView, RunReport, human_event, human_points, human_summary, result_line,
};
use review_report::{Styling, wrapped};
use review_store::FileBlobs;

use crate::args::Format;
use crate::error::CommandError;
use crate::output::Streams;
pub(crate) use gate::GateSink;
use progress::Progress;

/// How much is printed of a run for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Its outcome.
    Result,
    /// What happens as well, and what to do next.
    Events,
    /// What agents answer as well.
    Answers,
}

/// Prints events as they come, in the format of the command, and keeps what
/// the report at the end needs.
pub(crate) struct LiveSink<'a>(Mutex<State<'a>>);

struct State<'a> {
    streams: &'a mut Streams,
    format: Format,
    detail: Detail,
    report: RunReport,
    progress: Progress,
    error: Option<CommandError>,
}

impl<'a> LiveSink<'a> {
    /// A sink that makes `report` of the events and prints `detail` of them, and
    /// with `progress` shows what runs.
    pub(crate) fn new(
        streams: &'a mut Streams,
        format: Format,
        detail: Detail,
        report: RunReport,
        progress: bool,
    ) -> Self {
        let view = progress.then(|| LiveView::of(&report));
        Self(Mutex::new(State {
            streams,
            format,
            detail,
            report,
            progress: Progress::new(view),
            error: None,
        }))
    }

    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The report of all events.
    ///
    /// # Errors
    /// The first event that could not be printed.
    pub(crate) fn into_report(self) -> Result<RunReport, CommandError> {
        let mut state = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.progress.finish();
        match state.error {
            Some(error) => Err(error),
            None => Ok(state.report),
        }
    }
}

impl State<'_> {
    /// Prints an event, and shows what runs after it.
    fn print(&mut self, event: &Envelope, is_for_people: bool) {
        let Self {
            streams,
            format,
            progress,
            detail,
            error,
            ..
        } = self;
        let printed = match format {
            Format::Human if is_for_people => {
                let text = human(&event.event, *detail, streams.out_width());
                match text.is_empty() {
                    true => Ok(()),
                    false => progress.suspend(|| streams.print(&text)),
                }
            }
            Format::Jsonl => progress.suspend(|| streams.print_json(event)),
            Format::Human | Format::Json => Ok(()),
        };
        if let Err(failed) = printed {
            error.get_or_insert(failed);
        }
        progress.take(event);
    }
}

impl EventSink for LiveSink<'_> {
    fn emit(&self, event: &Envelope) {
        let mut state = self.state();
        let is_new = state.report.take(event);
        let is_printed = is_new && state.detail != Detail::Result;
        state.print(event, is_printed);
    }

    fn progress(&self, event: &Envelope) {
        let mut state = self.state();
        let is_printed = state.detail == Detail::Answers;
        state.print(event, is_printed);
    }
}

/// The lines of an event for a terminal of this width, if it is for one. They name
/// undone content by its files in the state folder.
pub(crate) fn human(event: &Event, detail: Detail, width: Option<usize>) -> String {
    let mut text = human_event(event, FileBlobs::shown, Styling::Ansi);
    if detail == Detail::Answers {
        text.push_str(&human_points(event, Styling::Ansi));
    }
    wrapped(text, width)
}

/// What a run came to, for a terminal of this width, if it is for one.
pub(crate) fn summary(report: &RunReport, detail: Detail, width: Option<usize>) -> String {
    match detail {
        Detail::Result => wrapped(result_line(report, Styling::Ansi), width),
        Detail::Events | Detail::Answers => human_summary(report, width, Styling::Ansi),
    }
}
