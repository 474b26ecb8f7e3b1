//! What clients are asked in tests.

use super::{ClientCall, Invocation};
use crate::{Access, ApplyScope};
use review::events::AgentRole;

pub(crate) const REVIEWER: ClientCall<'static> = ClientCall {
    role: AgentRole::Reviewer,
    access: Access::Read,
    model: None,
    session: "id-1",
    follow_up: None,
    title: "ralph run-1 review-1.1",
    schema: Some("{}"),
    max_cost: None,
    is_confined: false,
    schema_file: "/run/answer.schema.json",
};

pub(crate) const APPLIER: ClientCall<'static> = ClientCall {
    role: AgentRole::Applier,
    access: Access::Edit(ApplyScope::Artifact),
    schema: None,
    ..REVIEWER
};

pub(crate) const IMPLEMENTER: ClientCall<'static> = ClientCall {
    role: AgentRole::Implementer,
    access: Access::Implement,
    ..APPLIER
};

/// The variables that a call sets, in order.
pub(crate) fn variables(call: &Invocation) -> Vec<String> {
    let variables = call.variables.iter();
    variables
        .map(|(name, value)| format!("{name}={value}"))
        .collect()
}
