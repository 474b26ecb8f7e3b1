//! The order of tasks and units, and why some of them have none.

mod edges;
mod precedence;
mod tasks;
mod units;

pub(crate) use edges::Edges;
pub use precedence::Precedence;
pub use tasks::Graph;
pub(crate) use units::unit_faults;
