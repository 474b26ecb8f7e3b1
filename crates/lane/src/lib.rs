//! Private checkouts for tasks, and how their changes reach the user's branch.

mod object;

pub use object::{CommitId, ObjectNameError, TreeId};
pub use review_types::LandCode;
