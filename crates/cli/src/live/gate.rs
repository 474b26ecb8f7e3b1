//! Shows what a gate runs while it runs.

use std::sync::{Mutex, PoisonError};

use review::EventSink;
use review::events::Envelope;
use review_report::gate::GateLog;
use review_report::run::LiveView;

use super::progress::Progress;
use crate::context::Context;
use crate::output::Streams;

/// Shows what a gate runs: on a terminal in lines that are there while it runs, elsewhere
/// in a line when it starts and one when it ends.
pub(crate) struct GateSink(Mutex<Watch>);

enum Watch {
    Nobody,
    Terminal(Progress),
    Lines(GateLog, Streams),
}

impl GateSink {
    /// A sink that shows them on standard error, to a user who wants it.
    pub(crate) fn new(context: &Context) -> Self {
        let mut streams = Streams::plain();
        streams.break_commands(context.environment.is_ci());
        Self(Mutex::new(if context.is_quiet() {
            Watch::Nobody
        } else if context.shows_progress() {
            Watch::Terminal(Progress::new(Some(LiveView::default())))
        } else {
            Watch::Lines(GateLog::default(), streams)
        }))
    }

    fn take(&self, event: &Envelope) {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Watch::Nobody => {}
            Watch::Terminal(progress) => progress.take(event),
            Watch::Lines(log, streams) => streams.say(&log.take(event)),
        }
    }
}

impl EventSink for GateSink {
    fn emit(&self, event: &Envelope) {
        self.take(event);
    }

    fn progress(&self, event: &Envelope) {
        self.take(event);
    }
}

impl Drop for GateSink {
    /// A gate that was cut off leaves no line.
    fn drop(&mut self) {
        let watch = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Watch::Terminal(progress) = watch {
            progress.finish();
        }
    }
}
