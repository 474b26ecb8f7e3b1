//! The variables that programs of the user see.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use review_agents::usual_variables;
use review_report::doctor::{Check, CheckState};

/// Names the variables that a program given as `cmd:` sees, and those of `pass_env` that
/// are not set.
pub(super) fn passed(env: &BTreeMap<OsString, OsString>, pass_env: &[OsString]) -> Vec<Check> {
    let names: Vec<_> = usual_variables(env, pass_env)
        .into_iter()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .collect();
    let mut checks = vec![Check::ok(
        "environment",
        format!(
            "programs given as cmd: see {}; `agent.pass_env` adds others",
            names.join(", ")
        ),
    )];
    let is_unset = |name: &&OsString| !env.contains_key::<OsStr>(name);
    checks.extend(pass_env.iter().filter(is_unset).map(|name| {
        Check::bad(
            "environment",
            CheckState::Warning,
            format!("agent.pass_env names {}, which is not set", name.display()),
            "set it, or remove it from the list",
        )
    }));
    checks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_of_programs_are_named_and_those_that_are_missing() {
        let env = ["PATH", "LC_ALL", "MODE", "OTHER"].map(|name| (name.into(), "x".into()));
        let checks = passed(&env.into(), &["MODE".into(), "ABSENT".into()]);
        let found: Vec<_> = checks
            .iter()
            .map(|check| (check.state, check.message.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (
                    CheckState::Ok,
                    "programs given as cmd: see LC_ALL, MODE, PATH; `agent.pass_env` adds others"
                ),
                (
                    CheckState::Warning,
                    "agent.pass_env names ABSENT, which is not set"
                ),
            ]
        );
    }
}
