//! What must come before what, and why some of it cannot.

mod edges;
mod precedence;
mod tasks;
mod units;

pub(crate) use edges::Edges;
pub use precedence::Precedence;
pub use tasks::{Graph, Order};
pub use units::UnitGraph;
pub(crate) use units::unknown_units;
