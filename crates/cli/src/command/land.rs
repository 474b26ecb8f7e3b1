//! `ralph land`.

use review_engine::{Destination, Raised};

use crate::args::LandArgs;
use crate::context::Context;
use crate::error::Ended;
use crate::runs::run_of;
use crate::session::go_on;

/// Carries out `land`.
pub(crate) fn run(context: &mut Context, args: LandArgs) -> Ended {
    let run = run_of(context, &args.run)?;
    let destination = args.branch.map_or(Destination::Target, Destination::Branch);
    let raised = Raised {
        land: Some(destination),
        ..Raised::default()
    };
    go_on(context, run, raised, args.format)
}
