//! What ralph does, as functions with values and errors: no terminal, no command
//! line.
//!
//! [`start`] starts a run, [`resume`] goes on with one, [`replay`] reads one
//! again. Each drives the same machine, which holds the machines of the crates
//! `review` and `tasks`, with an executor over agents, processes and files; what
//! is decided is decided there, and what is remembered is in the journal.
//! [`gate::Gate`] checks what claims to be complete, [`lint`] applies the rules of
//! the embedded reviewer, [`learn`] keeps feedback and changes prompts,
//! [`doctor::Doctor`] looks at what a run needs, and [`location`] finds the root,
//! the spec and the state folder that a user means. The reports of all are values
//! of the crate `report`.
//!
//! # Map
//!
//! A run goes through `run` (what is asked is locked, checked by `admission`, recorded and
//! resumed, replayed and diffed), `settings` (what it was asked to do), `machine` (what
//! happens next, pure) and `execute` (each step carried out: a review by `agents`, a
//! command by the crate `tasks`, the work of an implementer by `lane`). Its events pass
//! `live` and `live_file` (what steps do while they run), `documents` (the feedback of each
//! round as a file), `notice` (the program of the user that is notified) and `traces` (spans
//! for a collector) on their way out; `inbox` brings what users say in, and `clean` says what of it may go. Beside runs
//! are `gate` and `inspect` (what is proved, also against a base), `planning` and `import`
//! (tasks for a spec), `provide` (reviews for other programs) and `consultation` (one
//! question to an agent). `location`, `target` and `project` say where all that happens.

mod admission;
mod agents;
mod clean;
mod consultation;
pub mod doctor;
mod documents;
mod error;
mod execute;
mod follow;
pub mod gate;
mod id;
mod import;
mod inbox;
mod inspect;
mod judging;
mod lane;
pub mod learn;
pub mod lint;
mod live;
mod live_file;
pub mod location;
mod machine;
mod notice;
mod packages;
mod planning;
mod project;
mod prompts;
mod provide;
mod run;
mod scope;
mod settings;
mod target;
mod traces;

pub use clean::{RunUse, StoredRun};
pub use error::EngineError;
pub use follow::{Followed, Follower};
pub use id::time_ordered_id;
pub use import::{ImportedTask, Importing, importable, open_boxes};
pub use inbox::{guide_task, pending_decisions, say};
pub use inspect::{Inspection, UNREADABLE_HINT, inspect, unreadable_status};
pub use lane::away::{FromStep, MAX_STEP_MESSAGE, StepHost, StepOrder, ToStep, carry_out_step};
pub use lane::lane_folder;
pub use machine::{Destination, ResumeRequest};
pub use notice::is_notice_due;
pub use packages::proposed_setup;
pub use planning::{NewUnit, plan, write_plan};
pub use project::Project;
pub use provide::{Provided, provide};
pub use review_tasks::{ApprovedTask, TaskSelection};
pub use run::{
    ChangeOf, Replay, RunEnd, WaitingWork, find_run, interrupted_before, land_again, replay,
    resume, start, waiting_work,
};
pub use settings::{Purpose, ReviewTarget, RunSettings, Stages};
pub use target::{ListedRoot, NearUnit, SpecTarget};
