//! `ralph review`.

use super::Ended;
use crate::args::ReviewArgs;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};

/// Carries out `review`.
pub(crate) fn run(_context: &mut Context, _args: ReviewArgs) -> Ended {
    Err(CommandError::new(
        ErrorKind::Usage,
        "`ralph review` is not in this version",
    ))
}
