//! What is going on now, on a terminal.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use review::events::Envelope;
use review_report::run::LiveView;

use crate::clock::now;
use crate::output::error_width;

const TICK: Duration = Duration::from_millis(120);

/// What shows that time passes, one after the other.
const MARKS: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// The width of a terminal that does not say how wide it is.
const USUAL_WIDTH: usize = 80;

/// Lines on standard error that say what runs. They are there only while something
/// runs, and nothing is drawn or waited for otherwise.
pub(super) struct Progress(Option<Shown>);

struct Shown {
    view: Arc<Mutex<LiveView>>,
    /// The lines on the terminal, while there are any.
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Lines that show `view`, if there is one.
    pub(super) fn new(view: Option<LiveView>) -> Self {
        Self(view.map(|view| Shown {
            view: Arc::new(Mutex::new(view)),
            bar: None,
        }))
    }

    /// Whether there is a terminal that shows them.
    pub(super) fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// Takes the lines away while `print` writes.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match self.0.as_ref().and_then(|shown| shown.bar.as_ref()) {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Takes in an event.
    pub(super) fn take(&mut self, event: &Envelope) {
        let Some(shown) = &mut self.0 else { return };
        // A bar draws with the view in its hand, so that both are never held here.
        let is_idle = {
            let mut view = lock(&shown.view);
            view.take(event);
            view.is_idle()
        };
        match (is_idle, &shown.bar) {
            (false, None) => shown.bar = Some(bar(Arc::clone(&shown.view))),
            (true, Some(_)) => self.finish(),
            (false, Some(_)) | (true, None) => {}
        }
    }

    /// Takes the lines away.
    pub(super) fn finish(&mut self) {
        if let Some(bar) = self.0.as_mut().and_then(|shown| shown.bar.take()) {
            bar.finish_and_clear();
        }
    }
}

fn lock(view: &Mutex<LiveView>) -> MutexGuard<'_, LiveView> {
    view.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The lines of a view, drawn from now on.
fn bar(view: Arc<Mutex<LiveView>>) -> ProgressBar {
    let draw = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
        let now = now();
        let frame = now.unix_ms().unsigned_abs() / u64::try_from(TICK.as_millis()).unwrap_or(1);
        let mark = MARKS[usize::try_from(frame).unwrap_or(0) % MARKS.len()];
        let width = error_width().unwrap_or(USUAL_WIDTH);
        let lines = lock(&view).lines(mark, width, now);
        // A terminal that cannot be drawn on shows nothing.
        let _ = out.write_str(&lines.join("\n"));
    };
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{live}") {
        bar.set_style(style.with_key("live", draw));
    }
    bar.enable_steady_tick(TICK);
    bar
}
