//! The rules as their users meet them.

mod fixes;
mod fixtures;
mod plan_fixes;
mod properties;
mod report;
mod seeded;
mod support;
