//! The variables that a program sees.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::AgentContext;
use review::events::AgentRole;

const PASSED: [&str; 8] = [
    "PATH", "HOME", "USER", "SHELL", "LANG", "TERM", "TMPDIR", "TZ",
];

/// The variables that every program of the user sees, and those that are named.
#[must_use]
pub fn usual_variables(
    env: &BTreeMap<OsString, OsString>,
    named: &[OsString],
) -> Vec<(OsString, OsString)> {
    let is_passed = |name: &OsStr| {
        PASSED.iter().any(|passed| name == *passed)
            || name.as_encoded_bytes().starts_with(b"LC_")
            || named.iter().any(|passed| name == passed)
    };
    let passed = env.iter().filter(|(name, _)| is_passed(name));
    passed
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The usual variables, those that the backend needs, the named ones, and what
/// the run says of itself, which wins over all.
pub(crate) fn environment(
    context: &AgentContext,
    role: AgentRole,
    iteration: u32,
    needed: &[&str],
) -> Vec<(OsString, OsString)> {
    let needed = needed.iter().map(OsString::from);
    let named: Vec<_> = context.pass_env.iter().cloned().chain(needed).collect();
    let mut variables = usual_variables(&context.env, &named);
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
