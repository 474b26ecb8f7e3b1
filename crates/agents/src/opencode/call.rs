//! How `opencode run` is called, with the definition of its agents.

use crate::client::{Asked, Invocation};
use review::events::AgentRole;

/// The agents, as configuration that is laid over the user's own. Of rules
/// that match, the last one holds.
const AGENTS: &str = include_str!("agents.json");

/// The name of the agent for a role.
const fn agent(role: AgentRole) -> &'static str {
    match role {
        AgentRole::Reviewer => "qualitative-reviewer",
        AgentRole::Applier => "feedback-applier",
    }
}

const VARIABLES: [(&str, &str); 2] = [
    ("OPENCODE_CONFIG_CONTENT", AGENTS),
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
];

/// Without a title it would ask the model for one. An agent that is not known
/// is replaced by one that may do anything, so its definition comes along.
pub(crate) fn call(asked: &Asked<'_>) -> Invocation {
    Invocation::of(&["run", "--agent", agent(asked.role)])
        .and(&["--format", "json", "--title", asked.title])
        .with("--model", asked.model)
        .set(&VARIABLES)
}

/// The call that fails unless the agent for a role is known.
pub(crate) fn definition(role: AgentRole) -> Invocation {
    Invocation::of(&["debug", "agent", agent(role)]).set(&VARIABLES)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::client::calls::{APPLIER, REVIEWER};

    #[test]
    fn the_agent_is_asked_by_name() {
        assert_eq!(
            call(&REVIEWER).args,
            [
                "run",
                "--agent",
                "qualitative-reviewer",
                "--format",
                "json",
                "--title",
                "ralph run-1 review-1.1",
            ]
        );
        let model = "anthropic/opus".parse().unwrap();
        let asked = Asked {
            model: Some(&model),
            ..APPLIER
        };
        assert_eq!(
            call(&asked).args,
            [
                "run",
                "--agent",
                "feedback-applier",
                "--format",
                "json",
                "--title",
                "ralph run-1 review-1.1",
                "--model",
                "anthropic/opus",
            ]
        );
        let definition = definition(AgentRole::Applier);
        assert_eq!(definition.args, ["debug", "agent", "feedback-applier"]);
        assert_eq!(definition.variables, call(&asked).variables);
    }

    #[test]
    fn both_agents_are_defined_and_only_one_of_them_may_edit() {
        let call = call(&REVIEWER);
        assert_eq!(call.files, []);
        let [(name, config), (quiet, on)] = &*call.variables else {
            panic!("{:?}", call.variables);
        };
        assert_eq!(
            (*name, *quiet),
            ("OPENCODE_CONFIG_CONTENT", "OPENCODE_DISABLE_AUTOUPDATE")
        );
        assert_eq!(on, "1");
        let config: Json = serde_json::from_str(config).unwrap();
        let permission = |role| &config["agent"][agent(role)]["permission"];
        let reads = json!({"*": "deny", "read": "allow", "grep": "allow", "glob": "allow", "list": "allow"});
        let mut edits = reads.clone();
        edits["edit"] = json!("allow");
        assert_eq!(*permission(AgentRole::Reviewer), reads);
        assert_eq!(*permission(AgentRole::Applier), edits);
        for agent in config["agent"].as_object().unwrap().values() {
            assert_eq!(agent["mode"], "primary");
        }
        assert!(AGENTS.find("\"*\"") < AGENTS.find("\"read\""), "{AGENTS}");
    }
}
