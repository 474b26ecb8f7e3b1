//! stub
use super::Ended;
use crate::context::Context;
pub(crate) fn run(_context: &mut Context) -> Ended {
    Ok(review_types::ExitCode::Passed)
}
