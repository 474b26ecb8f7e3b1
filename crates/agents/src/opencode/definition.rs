//! The agents that opencode is asked to be.

use review::events::AgentRole;
use serde_json::{Map, Value, json};

use crate::Access;
use crate::client::NoConfig;

/// The variable that holds configuration.
pub(super) const CONFIG: &str = "OPENCODE_CONFIG_CONTENT";

/// One agent, as it is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    /// Its name.
    pub(crate) name: &'static str,
    description: &'static str,
    prompt: &'static str,
    /// The tools that it has; all others are denied.
    tools: &'static [&'static str],
}

const REVIEWER: Definition = Definition {
    name: "qualitative-reviewer",
    description: "Reviews artifacts over the Agent Feedback Protocol 1.2.",
    prompt: include_str!("reviewer.md"),
    tools: &["read", "grep", "glob", "list"],
};

const APPLIER: Definition = Definition {
    name: "feedback-applier",
    description: "Works review feedback into specifications.",
    prompt: include_str!("applier.md"),
    tools: &["read", "grep", "glob", "list", "edit"],
};

const IMPLEMENTER: Definition = Definition {
    name: "task-implementer",
    description: "Implements one task of a project.",
    prompt: include_str!("implementer.md"),
    tools: &["read", "grep", "glob", "list", "edit", "bash"],
};

const PLANNER: Definition = Definition {
    name: "task-planner",
    description: "Splits a specification into tasks.",
    prompt: include_str!("planner.md"),
    tools: &["read", "grep", "glob", "list"],
};

/// How much its answers vary.
const TEMPERATURE: f64 = 0.1;

/// The folders of a project that hold agents; new ones go to the first.
const FOLDERS: [&str; 2] = [".opencode/agent", ".opencode/agents"];

impl Definition {
    /// The agent for a role.
    pub(crate) const fn of(role: AgentRole) -> Self {
        match role {
            AgentRole::Reviewer => REVIEWER,
            AgentRole::Applier => APPLIER,
            AgentRole::Implementer => IMPLEMENTER,
        }
    }

    /// The agent for a call: an implementer that changes no file plans.
    pub(crate) const fn for_call(role: AgentRole, access: Access) -> Self {
        match (role, access) {
            (AgentRole::Implementer, Access::None | Access::Read) => PLANNER,
            (role, _) => Self::of(role),
        }
    }

    /// The agents for all roles, and the one that plans.
    pub(crate) fn all() -> [Self; 4] {
        [REVIEWER, APPLIER, IMPLEMENTER, PLANNER]
    }

    /// The files of a project that may define it.
    pub(crate) fn paths(self) -> [String; 2] {
        FOLDERS.map(|folder| format!("{folder}/{}.md", self.name))
    }

    /// The content of such a file.
    pub(crate) fn file(self) -> String {
        let allowed = self.tools.iter().map(|tool| format!("  {tool}: allow\n"));
        let allowed: String = allowed.collect();
        let Self {
            description,
            prompt,
            ..
        } = self;
        format!(
            "---\ndescription: {description}\nmode: primary\ntemperature: {TEMPERATURE}\n\
             permission:\n  \"*\": deny\n{allowed}---\n\n{prompt}"
        )
    }

    /// The same as a part of the configuration. Of rules that match, the last
    /// one holds, and `*` comes before all names.
    fn configured(self) -> Value {
        let denied = ("*".to_owned(), json!("deny"));
        let allowed = self.tools.iter();
        let allowed = allowed.map(|tool| ((*tool).to_owned(), json!("allow")));
        let permission: Map<String, Value> = std::iter::once(denied).chain(allowed).collect();
        json!({
            "description": self.description,
            "mode": "primary",
            "temperature": TEMPERATURE,
            "prompt": self.prompt.trim_end(),
            "permission": permission,
        })
    }
}

/// The files of a project that define the agents which opencode is asked to be,
/// each with its path relative to the root and its content.
pub fn opencode_agents() -> Vec<(String, String)> {
    let files = Definition::all().into_iter().map(|agent| {
        let [path, _] = agent.paths();
        (path, agent.file())
    });
    files.collect()
}

/// The error of a configuration of the user that is not a JSON object.
const NO_OBJECT: NoConfig = NoConfig(CONFIG);

/// The configuration of the user with `agents` laid over it, and all else in it
/// as it is.
pub(crate) fn config_with(agents: &[Definition], user: Option<&str>) -> Result<String, NoConfig> {
    let user = user.filter(|text| !text.trim().is_empty());
    let mut config: Map<String, Value> = match user {
        Some(text) => serde_json::from_str(text).map_err(|_| NO_OBJECT)?,
        None => Map::new(),
    };
    let known = config.entry("agent").or_insert_with(|| json!({}));
    let known = known.as_object_mut().ok_or(NO_OBJECT)?;
    for agent in agents {
        known.insert(agent.name.to_owned(), agent.configured());
    }
    Ok(Value::Object(config).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(agents: &[Definition], user: Option<&str>) -> Value {
        serde_json::from_str(&config_with(agents, user).unwrap()).unwrap()
    }

    #[test]
    fn each_role_has_an_agent_with_the_tools_that_it_needs() {
        for user in [None, Some(" ")] {
            let config = config(&Definition::all(), user);
            let permission = |role| &config["agent"][Definition::of(role).name]["permission"];
            let reads = json!({"*": "deny", "read": "allow", "grep": "allow", "glob": "allow", "list": "allow"});
            let mut edits = reads.clone();
            edits["edit"] = json!("allow");
            let mut implements = edits.clone();
            implements["bash"] = json!("allow");
            assert_eq!(*permission(AgentRole::Reviewer), reads);
            assert_eq!(*permission(AgentRole::Applier), edits);
            assert_eq!(*permission(AgentRole::Implementer), implements);
            assert_eq!(config["agent"][PLANNER.name]["permission"], reads);
            for agent in config["agent"].as_object().unwrap().values() {
                assert_eq!(agent["mode"], "primary");
                assert!(agent["prompt"].as_str().unwrap().len() > 100);
            }
            let text = config.to_string();
            assert!(text.find("\"*\"") < text.find("\"read\""), "{text}");
        }
    }

    #[test]
    fn all_else_of_a_users_configuration_is_kept() {
        let user = r#"{"model": "a/b", "agent": {"mine": {"mode": "all"},
            "qualitative-reviewer": {"permission": {"edit": "allow"}, "prompt": "x"}}}"#;
        let config = config(&[REVIEWER], Some(user));
        assert_eq!(config["model"], "a/b");
        assert_eq!(config["agent"]["mine"], json!({"mode": "all"}));
        let reviewer = &config["agent"]["qualitative-reviewer"];
        assert_eq!(*reviewer, REVIEWER.configured());
        assert_eq!(config["agent"].as_object().unwrap().len(), 2);
        assert_eq!(config_with(&[], Some("{}")).unwrap(), r#"{"agent":{}}"#);
    }

    #[test]
    fn a_configuration_that_is_not_an_object_is_an_error() {
        for user in ["[]", "{", r#"{"agent": 7}"#] {
            assert_eq!(config_with(&[REVIEWER], Some(user)), Err(NO_OBJECT));
        }
    }

    #[test]
    fn the_file_of_an_agent_says_the_same_in_front_matter() {
        let paths = [
            ".opencode/agent/feedback-applier.md",
            ".opencode/agents/feedback-applier.md",
        ];
        assert_eq!(APPLIER.paths(), paths);
        let file = APPLIER.file();
        let head = "---\ndescription: Works review feedback into specifications.\nmode: primary\n\
                    temperature: 0.1\npermission:\n  \"*\": deny\n  read: allow\n  grep: allow\n  \
                    glob: allow\n  list: allow\n  edit: allow\n---\n\nYou work review feedback";
        assert!(file.starts_with(head), "{file}");
        assert!(file.ends_with(APPLIER.prompt));
    }
}
