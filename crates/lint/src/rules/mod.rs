//! One file per rule.

pub(crate) mod bad_front_matter;
pub(crate) mod broken_link;
pub(crate) mod broken_unit_dependency;
pub(crate) mod dependency_cycle;
pub(crate) mod duplicate_requirement_id;
pub(crate) mod duplicate_task_number;
pub(crate) mod empty_section;
pub(crate) mod file_created_twice;
pub(crate) mod filter_misses_tests;
pub(crate) mod filter_selects_nothing;
pub(crate) mod missing_command_path;
pub(crate) mod missing_parent_spec;
pub(crate) mod missing_section;
pub(crate) mod modified_before_created;
pub(crate) mod moved_parent_spec;
pub(crate) mod no_backpressure;
pub(crate) mod no_deliverable;
pub(crate) mod not_repeatable;
pub(crate) mod plan_check_differs;
pub(crate) mod plan_dependencies_differ;
pub(crate) mod plan_row_without_task;
pub(crate) mod self_dependency;
pub(crate) mod task_not_in_plan;
pub(crate) mod tests_not_run;
pub(crate) mod unclear_listed_test;
pub(crate) mod unclosed_fence;
pub(crate) mod undecided_text;
pub(crate) mod undeclared_dependency;
pub(crate) mod unknown_dependency;
pub(crate) mod unknown_program;
pub(crate) mod unordered_changes;
pub(crate) mod vacuous_backpressure;
pub(crate) mod vague_word;
pub(crate) mod validation_command_differs;
pub(crate) mod wrong_task_number;

use crate::facts::Facts;
use crate::sink::Sink;

/// The function that reports the findings of one rule.
pub(crate) type Check = fn(&Facts<'_>, &mut Sink);
