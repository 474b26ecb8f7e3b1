//! Specs, plans and task files with byte spans, and the facts in them.
//!
//! Pure: strings and lists of paths come in, values and faults go out. This crate
//! opens no files, starts no programs and reads no clock; it does not decide
//! what a fault costs or whether a task runs.

mod body;
mod catalog;
pub mod command;
mod edit;
pub mod fault;
pub mod file_tree;
pub mod front_matter;
mod graph;
mod head;
pub mod import;
mod json_schema;
pub mod markdown;
mod mask;
mod must_pass;
mod path;
mod plan;
mod reference;
mod source;
pub mod span;
mod status;
mod task;
mod unit;
pub mod workspace;
pub mod yaml;

pub use catalog::{Catalog, SpecError, UnitError, UnitFiles, spec_name};
pub use edit::{Edit, EditError, SetStatusError, add_command, apply, set_status};
pub use fault::{Fault, FaultKind, Severity};
pub use front_matter::{FrontMatter, FrontMatterKind};
pub use graph::{Graph, Precedence};
pub use json_schema::{plan_schema, task_schema};
pub use mask::{artifact_hash, file_hash, masked};
pub use must_pass::{ListedTest, listed_tests};
pub use path::{joined, markdown_stem};
pub use plan::{Plan, PlanKey};
pub use review_text::near;
pub use review_types::TaskStatus;
pub use source::SourceText;
pub use span::{LineIndex, Place, Position, Span, Spanned};
pub use task::{TaskFile, TaskKey};
pub use unit::{FileRole, Unit, claims_to_be_a_task};
