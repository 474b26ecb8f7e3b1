//! Runs one command in its own process group, within limits on time and memory, with
//! its actual exit and with secrets removed from its output.
//!
//! [`run`] is the entry point. It spawns the program as the leader of a new group,
//! writes its standard input while it reads both outputs, and wakes when bytes arrive,
//! when a child ends, when a limit is reached or when the run is stopped. When the
//! leader ends, the rest of its group is killed before the leader is reaped, so that no
//! signal can reach an unrelated process with the same number. A process that left the
//! group is killed as well if [`Groups::of_process`] can find it; elsewhere one that
//! keeps an output open is waited for at most one second.
//!
//! A program shares the terminal and the inherited descriptors of this process, and what
//! it starts may outlive it, unless the groups have a launcher
//! ([`Groups::with_launcher`]).
//!
//! A program can also be talked with, line by line ([`Stdin::Dialog`]): its sink replies to
//! its output, and says goodbye before it is terminated.
//!
//! Nothing here opens a file: the output goes to a [`Sink`] of the caller. Nothing here
//! depends on agents or tasks.
//!
//! ```
//! use review_process::{Command, Context, Exit, Groups, Redactor, Stop, run};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! let (_stopper, stop) = tokio::sync::watch::channel(Stop::Run);
//! let (groups, redactor) = (Groups::default(), Redactor::default());
//! let command = Command::new("sh", ".").args(["-c", "echo done; exit 3"]);
//! let ended = runtime.block_on(run(command, Context::new(stop, &groups, &redactor)))?;
//! assert_eq!(ended.exit, Exit::Code(3));
//! assert_eq!(ended.stdout.complete(), Some(b"done\n".as_slice()));
//! # Ok(())
//! # }
//! ```

mod capture;
mod command;
mod context;
mod ended;
mod error;
mod group;
mod input;
mod launcher;
mod output;
mod phase;
mod run;
mod sandbox;
mod spawn;
mod stale;
mod strays;
mod system;

pub mod git;
pub mod redact;
pub mod signals;

pub use capture::Captured;
pub use command::{Command, Environment, Limits, Overflow, Stdin, find_program};
pub use context::{Context, Patience, Sink, Stop, Stream};
pub use ended::{Ended, EndedBy, Exit, InputRead};
pub use error::{SpawnError, SpawnFault};
pub use group::Groups;
pub use launcher::{LAUNCH, LaunchError, launch};
pub use redact::Redactor;
pub use run::run;
pub use sandbox::{ConfineError, FileAccess, FileRules, Sandbox, SandboxTool};
pub use stale::{EndedProcesses, GroupId, ParseGroupIdError, end_processes_where, end_stale_group};
pub use system::{is_root, open_files_limit};
