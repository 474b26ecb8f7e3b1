//! What the rules of the embedded reviewer found.

mod human;
mod json;
mod problems;
mod report;

pub use human::{brief, human};
pub use json::jsonl;
pub use problems::{github, gitlab, sarif};
pub use report::{Documents, LintFinding, LintReport};
