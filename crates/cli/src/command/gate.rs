//! `ralph gate`.

use super::Ended;
use crate::args::GateArgs;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};

/// Carries out `gate`.
pub(crate) fn run(_context: &mut Context, _args: GateArgs) -> Ended {
    Err(CommandError::new(
        ErrorKind::Usage,
        "`ralph gate` is not in this version",
    ))
}
