//! The two outputs of the process.

#![expect(
    clippy::disallowed_methods,
    reason = "the home of standard output and standard error"
)]

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::os::fd::AsFd;

use review_config::ColorChoice;
use review_process::Redactor;
use review_types::ExitCode;
use rustix::io::Errno;
use serde::Serialize;

use super::commands::CommandBreaker;
use super::{Versioned, color, to_json};
use crate::environment::Environment;
use crate::error::CommandError;
use crate::output::style::{RESET, WARNING};

/// One output. Styles are dropped where it has no colours, and all that is
/// written after its reader has gone is dropped as well: the exit code of a
/// command does not depend on who listens.
pub(crate) struct Stream {
    raw: Box<dyn Write + Send>,
    terminal: bool,
    colors: bool,
    gone: bool,
    /// In a step of CI, what keeps text of others from being a command of it.
    commands: Option<CommandBreaker>,
}

impl Stream {
    fn new(raw: impl Write + Send + 'static, terminal: bool) -> Self {
        Self {
            raw: Box::new(raw),
            terminal,
            colors: false,
            gone: false,
            commands: None,
        }
    }

    /// Whether it is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Whether what is written is for a program and not for a user.
    pub(crate) fn is_plain(&self) -> bool {
        !self.terminal && !self.colors
    }

    /// Writes text as it is, but for commands of CI.
    fn write_text(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.commands {
            Some(commands) => commands.write(bytes, &mut self.raw),
            None => self.raw.write_all(bytes),
        }
    }

    /// Whether an error says that the terminal was closed.
    fn is_hung_up(&self, error: &io::Error) -> bool {
        self.terminal && error.raw_os_error() == Some(Errno::IO.raw_os_error())
    }

    fn unless_gone<T>(&mut self, result: io::Result<T>, gone: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe || self.is_hung_up(&error) => {
                self.gone = true;
                Ok(gone)
            }
            other => other,
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.gone {
            return Ok(bytes.len());
        }
        let written = if self.colors {
            self.write_text(bytes)
        } else {
            anstream::adapter::strip_bytes(bytes).try_for_each(|part| self.write_text(part))
        };
        self.unless_gone(written, ())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.gone {
            return Ok(());
        }
        let flushed = self.raw.flush();
        self.unless_gone(flushed, ())
    }
}

/// Standard output for results and standard error for everything else.
pub(crate) struct Streams {
    /// Results, buffered until something flushes them.
    pub(crate) out: Stream,
    /// Progress, notes, warnings and errors.
    pub(crate) err: Stream,
    quiet: bool,
}

impl Streams {
    /// The outputs of this process, without colours.
    pub(crate) fn plain() -> Self {
        let (out, err) = (io::stdout(), io::stderr());
        let (out_terminal, err_terminal) = (out.is_terminal(), err.is_terminal());
        Self {
            out: Stream::new(BufWriter::with_capacity(64 * 1024, out), out_terminal),
            err: Stream::new(err, err_terminal),
            quiet: false,
        }
    }

    /// The columns of standard output, if it is a terminal that says how many it has.
    pub(crate) fn out_width(&self) -> Option<usize> {
        self.out.terminal.then(|| columns(io::stdout()))?
    }

    /// Sets whether notes and warnings are left out.
    pub(crate) fn quiet(mut self, quiet: bool) -> Self {
        self.quiet = quiet;
        self
    }

    /// Decides on the colours of both outputs.
    pub(crate) fn set_colors(&mut self, choice: ColorChoice, environment: &Environment) {
        for stream in [&mut self.out, &mut self.err] {
            stream.colors = color::colors(choice, stream.terminal, environment);
        }
    }

    /// Writes text for users to standard output, at once.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), CommandError> {
        let written = self.out.write_all(text.as_bytes());
        let written = written.and_then(|()| self.out.flush());
        written.map_err(cannot_write)
    }

    /// Sets whether this is a step of CI, where output of others must not be a command.
    pub(crate) fn break_commands(&mut self, is_ci: bool) {
        for stream in [&mut self.out, &mut self.err] {
            stream.commands = is_ci.then(CommandBreaker::default);
        }
    }

    /// Writes the bytes of a document to standard output.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn print_raw(&mut self, bytes: &[u8]) -> Result<(), CommandError> {
        if self.out.gone {
            return Ok(());
        }
        let written = self.out.write_text(bytes);
        self.out.unless_gone(written, ()).map_err(cannot_write)
    }

    /// Writes commands of CI that were composed here to standard error.
    pub(crate) fn say_commands(&mut self, commands: &str) {
        let breaker = self.err.commands.take();
        self.say(commands);
        self.err.commands = breaker;
    }

    /// Writes one object as a line to standard output, at once.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn print_json(&mut self, object: &impl Serialize) -> Result<(), CommandError> {
        self.print_lines(to_json(object)?)
    }

    /// Writes a report as one line of JSON, with the version of the format.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn print_report(&mut self, report: &impl Serialize) -> Result<(), CommandError> {
        self.print_json(&Versioned::new(report))
    }

    /// Writes lines as they are to standard output, at once.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn print_lines(&mut self, lines: impl AsRef<[u8]>) -> Result<(), CommandError> {
        if self.out.gone {
            return Ok(());
        }
        let written = self.out.raw.write_all(lines.as_ref());
        self.out.unless_gone(written, ()).map_err(cannot_write)?;
        self.out.flush().map_err(cannot_write)
    }

    /// Prints a note on standard error; `-q` silences it.
    pub(crate) fn note(&mut self, text: &str) {
        if !self.quiet {
            self.say(&format!("{text}\n"));
        }
    }

    /// Warns on standard error; `-q` silences it.
    pub(crate) fn warn(&mut self, text: &str) {
        self.note(&format!("{WARNING}warning{RESET}: {text}"));
    }

    /// Writes a result to standard error, where standard output holds another.
    pub(crate) fn tell(&mut self, text: &str) {
        if !self.quiet {
            self.say(text);
        }
    }

    /// Writes to standard error. A failure cannot be reported anywhere.
    pub(crate) fn say(&mut self, text: &str) {
        let _ = self.err.write_all(text.as_bytes());
    }

    /// Ends a command: prints its error, redacted, and flushes what is buffered.
    pub(crate) fn finish(
        &mut self,
        ended: Result<ExitCode, CommandError>,
        redactor: impl FnOnce() -> Redactor,
    ) -> ExitCode {
        let flushed = self.out.flush().map_err(cannot_write);
        match ended.and_then(|code| flushed.map(|()| code)) {
            Ok(code) => code,
            Err(error) => {
                let styled = error.render();
                let plain = anstream::adapter::strip_str(&styled).to_string();
                let clean = redactor().redact(plain.as_bytes());
                match clean == plain.as_bytes() {
                    true => self.say(&styled),
                    false => self.say(&String::from_utf8_lossy(&clean)),
                }
                error.exit_code()
            }
        }
    }
}

/// The columns of standard error, if it is a terminal that says how many it has.
pub(crate) fn error_width() -> Option<usize> {
    columns(io::stderr())
}

fn columns(terminal: impl AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(terminal).ok()?;
    (size.ws_col > 0).then(|| size.ws_col.into())
}

fn cannot_write(error: io::Error) -> CommandError {
    CommandError::new("cannot write to standard output").source(error)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Broken(io::ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    struct Failing(Errno);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    #[test]
    fn styles_are_dropped_without_colours_and_kept_with_them() {
        for (colors, expected) in [(false, "a b"), (true, "\x1b[1ma\x1b[0m b")] {
            let shared = Shared::default();
            let mut stream = Stream::new(shared.clone(), false);
            stream.colors = colors;
            stream.write_all(b"\x1b[1ma\x1b[0m b").unwrap();
            assert_eq!(*shared.0.lock().unwrap(), expected.as_bytes());
        }
    }

    #[test]
    fn a_full_disk_is_an_error_and_a_reader_that_has_gone_is_not() {
        let mut gone = Stream::new(Broken(io::ErrorKind::BrokenPipe), false);
        gone.write_all(b"text").unwrap();
        gone.flush().unwrap();
        let mut closed = Stream::new(Failing(Errno::IO), true);
        closed.write_all(b"text").unwrap();
        let mut damaged = Stream::new(Failing(Errno::IO), false);
        assert!(damaged.write_all(b"text").is_err());
        let mut full = Stream::new(Broken(io::ErrorKind::StorageFull), false);
        let error = full.write_all(b"text").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
