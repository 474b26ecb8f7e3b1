//! The variables that a program sees.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use review_flow::TRACE_PARENT;
use review_process::git;
use review_store::RUN_VARIABLE;

use crate::row::BackendRow;
use crate::{AgentCall, AgentContext};

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

/// The variables that every program of the user sees, and those that are named. None leads
/// git to a repository.
pub fn usual_variables(
    env: &BTreeMap<OsString, OsString>,
    named: &[OsString],
) -> Vec<(OsString, OsString)> {
    let is_passed = |name: &OsStr| {
        PASSED.iter().any(|passed| name == *passed)
            || name.as_encoded_bytes().starts_with(b"LC_")
            || named.iter().any(|passed| name == passed)
    };
    let passed = env
        .iter()
        .filter(|(name, _)| is_passed(name) && !git::is_local(name));
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

/// The variables of a call: these, and those of the run and of the checkout, which
/// win over all.
pub(crate) fn environment(
    context: &AgentContext,
    call: &AgentCall<'_>,
    mut variables: Vec<(OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let own = [
        ("RALPH_ROLE", call.role.as_str().into()),
        (RUN_VARIABLE, context.run.id().as_str().into()),
        ("RALPH_ITERATION", call.iteration.to_string().into()),
        ("RALPH_ROOT", call.checkout.root().path().into()),
    ];
    let own = own.map(|(name, value): (&str, OsString)| (name.into(), Some(value)));
    let trace = context.trace_parent.iter();
    let trace = trace.map(|parent| (TRACE_PARENT.into(), Some(parent(call.step).into())));
    let own = call.checkout.env.iter().cloned().chain(own).chain(trace);
    let own: Vec<(OsString, _)> = own.collect();
    variables.retain(|(name, _)| own.iter().all(|(own, _)| name != own));
    variables.extend(
        own.into_iter()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    variables
}
