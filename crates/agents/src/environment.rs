//! The variables that a program sees.

use std::ffi::{OsStr, OsString};

use crate::AgentContext;
use review::events::AgentRole;

const PASSED: [&str; 8] = [
    "PATH", "HOME", "USER", "SHELL", "LANG", "TERM", "TMPDIR", "TZ",
];

/// The usual variables, those that the backend needs, the named ones, and what
/// the run says of itself, which wins over all.
pub(crate) fn environment(
    context: &AgentContext,
    role: AgentRole,
    iteration: u32,
    needed: &[&str],
) -> Vec<(OsString, OsString)> {
    let is_passed = |name: &OsStr| {
        PASSED.iter().any(|passed| name == *passed)
            || name.as_encoded_bytes().starts_with(b"LC_")
            || needed.iter().any(|needed| name == *needed)
            || context.pass_env.iter().any(|passed| name == passed)
    };
    let passed = context.env.iter().filter(|(name, _)| is_passed(name));
    let mut variables: Vec<_> = passed
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let unit = context.unit_dir.as_deref();
    let own = [
        ("RALPH_ROLE", Some(role.as_str().into())),
        ("RALPH_RUN", Some(context.run.id().as_str().into())),
        ("RALPH_ITERATION", Some(iteration.to_string().into())),
        ("RALPH_ROOT", Some(context.artifact.root().path().into())),
        ("RALPH_SPEC", Some(context.spec.clone().into())),
        ("RALPH_UNIT_DIR", unit.map(|unit| unit.to_owned().into())),
    ];
    variables.retain(|(name, _)| own.iter().all(|(own, _)| name != own));
    let own = own
        .into_iter()
        .filter_map(|(name, value)| Some((name.into(), value?)));
    variables.extend(own);
    variables
}
