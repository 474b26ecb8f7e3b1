//! The rules through the public interface.

mod fixed_point;
mod fixes;
mod fixtures;
mod hostile;
mod link_fixes;
mod properties;
mod report;
mod seeded;
mod snapshots;
mod support;
mod unit_fixes;
mod wording;
