//! Single keys that a user presses on a terminal.

use std::io;
use std::thread;

use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use tokio::sync::oneshot;

use crate::error::CommandError;
use crate::runtime::Runtime;

/// Ctrl-C, which is a key while the terminal sends no signals.
const INTERRUPT: u8 = 3;

/// Ctrl-D.
const END: u8 = 4;

/// A key of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// A letter or another key with one byte.
    Byte(u8),
    /// A key that sends several bytes, such as an arrow, or several keys at once.
    Other,
    /// Ctrl-D, or a terminal that is gone.
    End,
}

/// A terminal that passes each key on without Enter and does not print it. It is as
/// before when this is dropped.
pub(super) struct Keys<'w> {
    runtime: &'w Runtime,
    before: Termios,
}

impl<'w> Keys<'w> {
    /// Changes the terminal on standard input. What was typed before is discarded, so
    /// that no key answers a question that was not yet on the screen.
    ///
    /// # Errors
    /// When the terminal cannot be changed.
    pub(super) fn on(runtime: &'w Runtime) -> Result<Self, CommandError> {
        let stdin = io::stdin();
        let before = tcgetattr(&stdin).map_err(unreadable)?;
        let mut modes = before.clone();
        modes
            .local_modes
            .remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        let keys = Self { runtime, before };
        tcsetattr(&stdin, OptionalActions::Flush, &modes).map_err(unreadable)?;
        Ok(keys)
    }

    /// Waits for a key.
    ///
    /// # Errors
    /// When a signal or Ctrl-C comes first, or the terminal cannot be read.
    pub(super) fn next(&self) -> Result<Key, CommandError> {
        let (sender, received) = oneshot::channel();
        // A read cannot be ended: after a signal its thread waits until the process ends.
        let reader = move || drop(sender.send(read()));
        let thread = thread::Builder::new().name("keys".to_owned());
        thread.spawn(reader).map_err(unreadable)?;
        let read = self.runtime.wait(received);
        let read = read.ok_or_else(|| self.runtime.interruption())?;
        let bytes = read.map_err(io::Error::other).flatten();
        match &*bytes.map_err(unreadable)? {
            [INTERRUPT] => Err(self.runtime.interruption()),
            [] | [END] => Ok(Key::End),
            [byte] => Ok(Key::Byte(*byte)),
            _ => Ok(Key::Other),
        }
    }
}

impl Drop for Keys<'_> {
    fn drop(&mut self) {
        // Nothing else can be done for a terminal that is gone.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

/// Reads what one press of a key sends.
fn read() -> io::Result<Vec<u8>> {
    let mut bytes = [0; 64];
    let count = rustix::io::read(io::stdin(), &mut bytes)?;
    Ok(bytes[..count].to_vec())
}

fn unreadable(error: impl Into<io::Error>) -> CommandError {
    CommandError::new("cannot read keys from the terminal").source(error.into())
}
