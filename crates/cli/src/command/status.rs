//! `ralph status`.

use super::Ended;
use crate::args::StatusArgs;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};

/// Carries out `status`.
pub(crate) fn run(_context: &mut Context, _args: StatusArgs) -> Ended {
    Err(CommandError::new(
        ErrorKind::Usage,
        "`ralph status` is not in this version",
    ))
}
