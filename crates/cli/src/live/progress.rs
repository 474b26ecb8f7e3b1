//! What is going on now, on a terminal.

#![expect(
    clippy::disallowed_methods,
    reason = "the lines of what runs are drawn here alone"
)]

use std::io::{self, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use review::events::Envelope;
use review_report::run::LiveView;

use crate::clock::now;
use crate::output::error_width;

const TICK: Duration = Duration::from_millis(120);

/// What shows that time passes, one after the other.
const MARKS: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// The width of a terminal that does not say how wide it is.
const USUAL_WIDTH: usize = 80;

/// The columns at the end of each line that stay free: a terminal echoes `^C` there, and
/// the lines are where they were.
const FREE_COLUMNS: usize = 2;

/// Lines on standard error that say what runs. They are there only while something
/// runs, and nothing is drawn or waited for otherwise.
pub(super) struct Progress(Option<Shown>);

struct Shown {
    screen: Arc<Mutex<Screen>>,
    /// What ends the thread that draws the lines, while there are any.
    ticker: Option<mpsc::Sender<()>>,
}

/// The lines on the terminal; only one thread at a time draws on it.
struct Screen {
    view: LiveView,
    /// How many lines are there. The cursor is in the last one.
    lines: usize,
    is_open: bool,
}

impl Progress {
    /// Lines that show `view`, if there is one.
    pub(super) fn new(view: Option<LiveView>) -> Self {
        Self(view.map(|view| Shown {
            screen: Arc::new(Mutex::new(Screen {
                view,
                lines: 0,
                is_open: false,
            })),
            ticker: None,
        }))
    }

    /// Takes the lines away while `print` writes.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        let Some(shown) = &self.0 else {
            return print();
        };
        let mut screen = lock(&shown.screen);
        screen.draw(&[]);
        let printed = print();
        screen.draw_view();
        printed
    }

    /// Takes in an event.
    pub(super) fn take(&mut self, event: &Envelope) {
        let Some(shown) = &mut self.0 else { return };
        let mut screen = lock(&shown.screen);
        screen.view.take(event);
        let is_idle = screen.view.is_idle();
        if is_idle {
            drop(screen);
            self.finish();
        } else if shown.ticker.is_none() {
            screen.is_open = true;
            drop(screen);
            shown.ticker = Some(ticker(Arc::clone(&shown.screen)));
        }
    }

    /// Takes the lines away.
    pub(super) fn finish(&mut self) {
        if let Some(shown) = &mut self.0
            && shown.ticker.take().is_some()
        {
            let mut screen = lock(&shown.screen);
            screen.is_open = false;
            screen.draw(&[]);
        }
    }
}

fn lock(screen: &Mutex<Screen>) -> MutexGuard<'_, Screen> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draws the view from now on, until the sender is dropped.
fn ticker(screen: Arc<Mutex<Screen>>) -> mpsc::Sender<()> {
    let (sender, ended) = mpsc::channel();
    let draw = move || {
        while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            lock(&screen).draw_view();
        }
    };
    // Without a thread nothing is shown, and the run goes on.
    let _ = thread::Builder::new()
        .name("progress".to_owned())
        .spawn(draw);
    sender
}

impl Screen {
    fn draw_view(&mut self) {
        if self.is_open {
            let now = now();
            let frame = now.unix_ms().unsigned_abs() / u64::try_from(TICK.as_millis()).unwrap_or(1);
            let mark = MARKS[usize::try_from(frame).unwrap_or(0) % MARKS.len()];
            let width = error_width().unwrap_or(USUAL_WIDTH);
            let width = width.saturating_sub(FREE_COLUMNS).max(1);
            self.draw(&self.view.lines(mark, width, now));
        }
    }

    /// Draws these lines in the place of those that are there.
    fn draw(&mut self, lines: &[String]) {
        let mut text = String::new();
        if self.lines > 1 {
            text = format!("\x1b[{}A", self.lines - 1);
        }
        if self.lines > 0 {
            text.push_str("\r\x1b[J");
        }
        text.push_str(&lines.join("\r\n"));
        self.lines = lines.len();
        // A terminal that cannot be drawn on shows nothing.
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}
