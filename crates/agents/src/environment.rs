//! The variables that a program sees.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::AgentContext;
use crate::rows::BackendRow;
use review::events::AgentRole;

const PASSED: [&str; 8] = [
    "PATH", "HOME", "USER", "SHELL", "LANG", "TERM", "TMPDIR", "TZ",
];

/// How clients find their services, and whom they trust.
const NETWORK: [&str; 11] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
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

/// The variables that a client sees: the usual ones, those by which it finds its
/// folders (`XDG_`) and its services, its own, and those that are named.
pub(crate) fn client_variables(
    env: &BTreeMap<OsString, OsString>,
    row: &BackendRow,
    named: &[OsString],
) -> Vec<(OsString, OsString)> {
    let folders = env
        .keys()
        .filter(|name| name.as_encoded_bytes().starts_with(b"XDG_"));
    let listed = row.variables.iter().chain(&NETWORK).map(OsString::from);
    let named: Vec<_> = folders.chain(named).cloned().chain(listed).collect();
    usual_variables(env, &named)
}

/// The variables of a call: these, and what the run says of itself, which wins
/// over all.
pub(crate) fn environment(
    context: &AgentContext,
    role: AgentRole,
    iteration: u32,
    mut variables: Vec<(OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
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
