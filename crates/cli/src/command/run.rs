//! `ralph run`.

use super::Ended;
use crate::args::RunArgs;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};

/// Carries out `run`.
pub(crate) fn run(_context: &mut Context, _args: RunArgs) -> Ended {
    Err(CommandError::new(
        ErrorKind::Usage,
        "`ralph run` is not in this version",
    ))
}
