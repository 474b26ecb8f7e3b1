//! `ralph report`.

use super::Ended;
use crate::args::ReportArgs;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};

/// Carries out `report`.
pub(crate) fn run(_context: &mut Context, _args: ReportArgs) -> Ended {
    Err(CommandError::new(
        ErrorKind::Usage,
        "`ralph report` is not in this version",
    ))
}
