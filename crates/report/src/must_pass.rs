//! The tests that a task lists, in words.

use review_events::{MustPass, TestResult};
use review_types::plural;

/// How many listed tests passed, and why nothing is known of the others; `None`
/// when some are missing, which is a failure with its own reason.
pub(crate) fn listed_tests(found: &MustPass) -> Option<String> {
    let (passed, all) = (found.count(TestResult::Passed), found.tests.len());
    match &found.unknown_because {
        _ if found.missing().next().is_some() => None,
        Some(why) => Some(format!(
            "{passed} of {} known to have passed: {why}",
            plural(all, "listed test", "listed tests")
        )),
        None => Some(format!(
            "{} passed",
            plural(all, "listed test", "listed tests")
        )),
    }
}
