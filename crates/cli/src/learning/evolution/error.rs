//! Errors of files, as commands report them.

use std::error::Error;

use crate::error::{CommandError, ErrorKind, chain};

/// An error of reading.
pub(crate) fn unreadable(error: &(dyn Error + 'static)) -> CommandError {
    CommandError::new(ErrorKind::Input, chain(error))
}

pub(super) fn unwritable(error: &(dyn Error + 'static)) -> CommandError {
    CommandError::new(ErrorKind::Output, chain(error))
}
