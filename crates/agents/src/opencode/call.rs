//! How `opencode run` is called, with the definition of its agents.

use std::ffi::OsStr;
use std::path::Path;

use super::definition::{CONFIG, Definition, config_with};
use crate::client::{ClientCall, Configuration, Invocation, NoConfig, Variables};
use review::events::AgentRole;

pub(super) const VARIABLES: [(&str, &str); 1] = [("OPENCODE_DISABLE_AUTOUPDATE", "1")];

/// Without a title it would ask the model for one.
pub(super) fn call(asked: &ClientCall<'_>) -> Invocation {
    let agent = Definition::for_call(asked.role, asked.access);
    Invocation::of(&["run", "--agent", agent.name])
        .and(&["--format", "json", "--title", asked.title])
        .with("--model", asked.model)
        .with("--session", asked.follow_up)
        .set(&VARIABLES)
}

/// The call that fails unless the agent for a role is known.
pub(super) fn definition(role: AgentRole) -> Invocation {
    Invocation::of(&["debug", "agent", Definition::of(role).name]).set(&VARIABLES)
}

/// The configuration of calls in `root`, in the variable that may hold one of
/// the user.
pub(super) fn configuration(root: &Path, env: &Variables) -> Result<Configuration, NoConfig> {
    let user = env.get(OsStr::new(CONFIG));
    let user = user.map(|text| text.to_str().ok_or(NoConfig(CONFIG)));
    let config = config(root, user.transpose()?)?;
    Ok(Configuration {
        variable: Some((CONFIG, config)),
        ..Configuration::NONE
    })
}

/// The configuration for calls in `root`: that of the user, with those agents
/// that the project does not define itself. An agent that is not known is
/// replaced by one that may do anything, so its definition comes along.
fn config(root: &Path, user: Option<&str>) -> Result<String, NoConfig> {
    let is_ours = |agent: &Definition| {
        let paths = agent.paths();
        !paths.iter().any(|path| root.join(path).exists())
    };
    let agents: Vec<_> = Definition::all().into_iter().filter(is_ours).collect();
    config_with(&agents, user)
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests make the files that they need"
)]
mod tests {
    use super::*;
    use crate::Access;
    use crate::client::calls::{APPLIER, IMPLEMENTER, REVIEWER, variables};

    #[test]
    fn the_agent_is_asked_by_name() {
        let called = call(&REVIEWER);
        let title = ["--format", "json", "--title", "ralph run-1 review-1.1"];
        let expected = [&["run", "--agent", "qualitative-reviewer"], &title[..]].concat();
        assert_eq!(called.args, expected);
        assert_eq!(called.files, []);
        assert_eq!(variables(&called), ["OPENCODE_DISABLE_AUTOUPDATE=1"]);
        let model = "anthropic/opus".parse().unwrap();
        let asked = ClientCall {
            model: Some(&model),
            follow_up: Some("ses_1"),
            ..APPLIER
        };
        let expected = [
            &["run", "--agent", "feedback-applier"],
            &title[..],
            &["--model", "anthropic/opus", "--session", "ses_1"],
        ];
        assert_eq!(call(&asked).args, expected.concat());
        let expected = [&["run", "--agent", "task-implementer"], &title[..]].concat();
        assert_eq!(call(&IMPLEMENTER).args, expected);
        let asked = ClientCall {
            access: Access::Read,
            ..IMPLEMENTER
        };
        assert_eq!(call(&asked).args[2], "task-planner");
        let definition = definition(AgentRole::Applier);
        assert_eq!(definition.args, ["debug", "agent", "feedback-applier"]);
        assert_eq!(definition.variables, call(&asked).variables);
    }

    #[test]
    fn an_agent_that_the_project_defines_is_not_defined_again() {
        let folder = tempfile::tempdir().unwrap();
        let all = config_with(&Definition::all(), Some("{}")).unwrap();
        assert_eq!(config(folder.path(), Some("{}")).unwrap(), all);
        for path in Definition::of(AgentRole::Reviewer).paths() {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
            let [_, others @ ..] = Definition::all();
            let others = config_with(&others, None);
            assert_eq!(config(folder.path(), None), others);
        }
    }
}
