//! What is going on now, on a terminal.

#![expect(
    clippy::disallowed_methods,
    reason = "the lines of what runs are drawn here alone"
)]

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike};
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
        let lines = lock(&view).lines(mark, width(), now);
        // A terminal that cannot be drawn on shows nothing.
        let _ = out.write_str(&lines.join("\n"));
    };
    let bar =
        ProgressBar::with_draw_target(None, ProgressDrawTarget::term_like(Box::<Lines>::default()));
    if let Ok(style) = ProgressStyle::with_template("{live}") {
        bar.set_style(style.with_key("live", draw));
    }
    bar.enable_steady_tick(TICK);
    bar
}

/// The width of the lines.
fn width() -> usize {
    let width = error_width().unwrap_or(USUAL_WIDTH);
    width.saturating_sub(FREE_COLUMNS).max(1)
}

/// Standard error as lines are drawn on it, a frame at a time. A bar fills its lines with
/// blanks, so that the terminal wraps them; here lines end where their text does, since the
/// echo of what a user types must find room after the last one.
#[derive(Debug, Default)]
struct Lines(Mutex<Frame>);

#[derive(Debug, Default)]
struct Frame {
    text: String,
    /// The number of lines in it.
    lines: usize,
}

impl Lines {
    fn frame(&self) -> MutexGuard<'_, Frame> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, text: &str) -> io::Result<()> {
        self.frame().text.push_str(text);
        Ok(())
    }

    /// Moves the cursor; a terminal takes a count of none for one.
    fn move_by(&self, count: usize, direction: char) -> io::Result<()> {
        match count {
            0 => Ok(()),
            count => self.add(&format!("\x1b[{count}{direction}")),
        }
    }
}

impl TermLike for Lines {
    fn width(&self) -> u16 {
        u16::try_from(width()).unwrap_or(u16::MAX)
    }

    fn move_cursor_up(&self, count: usize) -> io::Result<()> {
        self.move_by(count, 'A')
    }

    fn move_cursor_down(&self, count: usize) -> io::Result<()> {
        self.move_by(count, 'B')
    }

    fn move_cursor_right(&self, count: usize) -> io::Result<()> {
        self.move_by(count, 'C')
    }

    fn move_cursor_left(&self, count: usize) -> io::Result<()> {
        self.move_by(count, 'D')
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        self.add(&format!("{line}\r\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        let is_filler = text.bytes().all(|byte| byte == b' ');
        if !is_filler {
            let mut frame = self.frame();
            if frame.lines > 0 {
                frame.text.push_str("\r\n");
            }
            frame.lines += 1;
            frame.text.push_str(text);
        }
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.add("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        let frame = std::mem::take(&mut *self.frame());
        let mut err = io::stderr().lock();
        err.write_all(frame.text.as_bytes())?;
        err.flush()
    }
}
