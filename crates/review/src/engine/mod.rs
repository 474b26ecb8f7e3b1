//! The engine: pure machines decide, an executor acts, a journal remembers.
//!
//! ```text
//!            Input                    Do { step, op }
//!   journal ───────► Machine::next ───────────────────► Executor::exec
//!      ▲                  │ notices                            │
//!      │                  ▼                                    │
//!      │              EventSink                                │
//!      └───────────────── result, texts ◄──────────────────────┘
//! ```
//!
//! Replaying a journal feeds the recorded results to a fresh machine; it asks
//! for the same steps and tells the same notices, so a run that was cut off
//! goes on where it was.

mod clock;
mod driver;
mod journal;
mod log;
mod machine;
mod seed;
mod sink;
mod texts;

pub use clock::{Clock, ManualClock};
pub use driver::{DriveError, drive};
pub use journal::{Blobs, Journal, MemoryBlobs, MemoryJournal};
pub use log::{LogError, RunLog};
pub use machine::{
    Cmd, Executed, Executor, Halt, Input, Machine, Notice, Stamped, Step, StepName, Turn, Wire,
};
pub(crate) use seed::jitter;
pub use seed::{hash_bytes, nonce, session_id};
pub use sink::{EventSink, MemorySink, NoSink};
pub use texts::{MissingText, Texts};
