//! The prompts of agents: which version is in use, and how lessons change it.

mod change;
mod client;
mod evolution;
mod versions;

pub use change::{Switched, Updated, switched_off};
pub use client::ClientLessons;
pub use evolution::{Decided, Evolution, Operators};
pub use versions::{active_prompts, role};
