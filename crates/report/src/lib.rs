//! Reports, and every format that they are written in.
//!
//! A report is a value: what a run did ([`run::RunReport`]), what the rules found
//! ([`lint::LintReport`]), what the gate found ([`gate::GateReport`]), what was
//! learned ([`learn`]), what a run needs ([`doctor::Diagnosis`]), and so on. A
//! format is a function from a report to its content; the JSON of a report is its
//! serialised form. Nothing here reads a file, prints or knows a command line.
//!
//! Text of runs, gates and lints takes a [`Styling`]; that of the other modules has
//! styles, which [`Styling::apply`] removes.
//!
//! ```
//! use review_report::Styling;
//! use review_report::lint::{LintReport, human};
//!
//! let report = LintReport::default();
//! let text = human(&report, "/project".as_ref(), Styling::Plain);
//! assert!(text.starts_with("0 findings\n"));
//! ```
//!
//! # Map
//!
//! `run/` is the report of a run: `report` is folded from events by `event`, `next` says
//! what to do, `live/` is the view while it goes on, the other files print a part each.
//! `gate/`, `lint/`, `findings/`, `feedback/`, `verdict/`, `corrections/` and `learn/` hold
//! the report of the command of that name with its formats, `clean`, `config`, `doctor`,
//! `plan` and `status` those that have one file. `explain` finds a section of
//! `docs/reference/codes.md`. What several share is in files of its own: `problem`
//! writes findings for other programs, `source` shows a place with its lines,
//! `text`, `wrap` and `style` are for the terminal, `json` stamps the version.

pub mod clean;
pub mod confidence;
pub mod config;
pub mod corrections;
mod diagnostic;
mod diff;
pub mod doctor;
pub mod explain;
pub mod feedback;
pub mod findings;
pub mod gate;
pub mod html;
mod json;
pub mod learn;
pub mod lint;
mod must_pass;
mod next;
pub mod otlp;
mod path;
pub mod plan;
mod points;
mod problem;
pub mod run;
mod source;
pub mod status;
pub mod style;
mod text;
mod validation;
pub mod verdict;
mod wrap;

pub use diagnostic::diagnostic;
pub use diff::{DiffReport, FileChange, coloured, unified};
pub use json::{Versioned, json};
pub use next::{NextStep, next_steps};
pub use path::shown;
pub use source::{NoteLevel, SourceNote};
pub use style::Styling;
pub use text::printable;
pub use validation::{ValidatedFile, ValidationReport};
pub use wrap::wrapped;
