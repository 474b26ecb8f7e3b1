//! A durable kernel: pure machines decide, an executor acts, a journal
//! records.
//!
//! ```text
//!            Input                   Command (several steps may be open)
//!   journal ───────► Machine::next ──────────────────────► Executor::exec
//!      ▲                  │ notices                             │
//!      │                  ▼                                     │
//!      │                Sink                                    │
//!      └──────────── results in the order in which they came ◄──┘
//! ```
//!
//! A [`Machine`] requests steps; several may be open at a time. [`drive`] runs them
//! and records each result under the name of its step. The order of the results in
//! the journal is the order in which the machine received them, so a replay requests
//! the same steps and reports the same notices, and an interrupted run can be
//! resumed.
//!
//! The crate knows nothing of reviews. It uses no process, network or file;
//! all of them enter through traits and arguments. So do time and randomness:
//! [`SystemClock`] and [`Seed::random`] are those of the system.

mod clock;
mod content;
mod drive;
mod executor;
mod journal;
mod log;
mod machine;
mod seed;
mod sink;
mod step;
mod steps;
mod storage;

pub use clock::SystemClock;
pub use clock::{Clock, ManualClock};
pub use content::{ContentStore, MissingContent};
pub use drive::{DriveError, Resume, drive, run};
pub use executor::{Executed, Executor, NextSignal, Signal, Stop};
pub use journal::{
    Body, ContentRecord, End, EndReason, JOURNAL_VERSION, JournalError, Record, Resumed, RunRecord,
    SignalRecord, StepResult, StepStart, Wait, Waited,
};
pub use log::{LogError, RunLog};
pub use machine::{Command, Input, Machine, Notice, StepRecord, Turn, Wire};
pub use seed::{Nonce, Seed, hash_bytes, jitter, session_id, step_id};
pub use sink::{Numbered, Progress, Sink};
pub use step::{Step, StepName, TRACE_PARENT, TraceParent};
pub use storage::{Blobs, Journal, MemoryBlobs, MemoryJournal};
