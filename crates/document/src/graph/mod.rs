//! The order of tasks and units, and why some of them have none.

mod edges;
mod precedence;
mod tasks;
mod units;

pub(crate) use edges::Edges;
pub use precedence::Precedence;
pub use tasks::{Graph, Order};
pub use units::UnitGraph;
pub(crate) use units::unknown_units;
