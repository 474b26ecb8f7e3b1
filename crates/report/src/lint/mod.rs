//! What the rules of the embedded reviewer found.

mod github;
mod human;
mod json;
mod report;
mod sarif;

pub use github::github;
pub use human::{brief, human};
pub use json::{json, jsonl};
pub use report::{Documents, LintFinding, LintReport};
pub use sarif::{gitlab, sarif};
