//! What libraries log, on standard error.

#![expect(
    clippy::disallowed_methods,
    reason = "the log writes to standard error from wherever it is"
)]

use std::fmt;
use std::io::{self, Write};

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use super::commands::CommandBreaker;

/// Standard error for one line of the log: without escape sequences, and in a step of CI
/// without its commands.
struct LogWriter {
    commands: Option<CommandBreaker>,
}

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut out = io::stderr();
        for part in anstream::adapter::strip_bytes(bytes) {
            match &mut self.commands {
                Some(commands) => commands.write(part, &mut out)?,
                None => out.write_all(part)?,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// A line that begins as the other lines on standard error do.
struct Line;

impl<S, N> FormatEvent<S, N> for Line
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut out: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let word = match *event.metadata().level() {
            Level::ERROR => "error",
            Level::WARN => "warning",
            _ => "note",
        };
        write!(out, "{word}: ")?;
        context.field_format().format_fields(out.by_ref(), event)?;
        writeln!(out)
    }
}

/// Shows warnings, with `verbosity` 1 also notes and with 2 everything;
/// nothing but errors when `quiet`. The first call counts.
pub(crate) fn show_log(quiet: bool, verbosity: u8, is_ci: bool) {
    let level = match (quiet, verbosity) {
        (true, _) => LevelFilter::ERROR,
        (false, 0) => LevelFilter::WARN,
        (false, 1) => LevelFilter::INFO,
        (false, _) => LevelFilter::DEBUG,
    };
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(move || LogWriter {
            commands: is_ci.then(CommandBreaker::default),
        })
        .with_ansi(false)
        .event_format(Line)
        .finish();
    // A subscriber that is there already goes on.
    let _ = tracing::subscriber::set_global_default(subscriber);
}
