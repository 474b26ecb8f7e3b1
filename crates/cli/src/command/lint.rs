//! stub
use super::Ended;
use crate::args::LintArgs;
use crate::context::Context;
pub(crate) fn run(_context: &mut Context, _args: &LintArgs) -> Ended {
    Ok(review_types::ExitCode::Passed)
}
