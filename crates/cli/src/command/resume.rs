//! `ralph resume`.

use super::Ended;
use crate::args::ResumeArgs;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};

/// Carries out `resume`.
pub(crate) fn run(_context: &mut Context, _args: ResumeArgs) -> Ended {
    Err(CommandError::new(
        ErrorKind::Usage,
        "`ralph resume` is not in this version",
    ))
}
