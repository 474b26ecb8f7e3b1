//! `ralph confine`: a program that landlock confines. Runs call it; people have no use
//! for it.

use review_process::become_confined;

use crate::args::ConfineArgs;
use crate::error::{CommandError, Ended, ErrorKind};

/// Becomes the program; it returns only where that fails.
pub(crate) fn run(args: ConfineArgs) -> Ended {
    let error = become_confined(&args.grants(), &args.program, &args.args);
    Err(CommandError::new(ErrorKind::Input, error.to_string()))
}
