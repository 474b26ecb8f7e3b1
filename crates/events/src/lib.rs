//! The events of a run, their envelope, and the input of a run.
//!
//! Events inform users and programs; they are derived from the journal of the
//! run and can be derived again.

mod envelope;
mod event;
mod live;
mod must_pass;
mod payload;
mod run_input;

pub use envelope::{Envelope, FORMAT_VERSION, RunEvent};
pub use event::{Event, EventType};
pub use live::LiveEvents;
pub use must_pass::{ListedTest, MustPass, TestResult};
pub use payload::*;
pub use run_input::{PinnedPrompt, RunInput};
