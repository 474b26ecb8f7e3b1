//! How `gemini -o json` is called.

use crate::client::{Asked, Invocation};
use review::events::AgentRole;

/// Without a terminal it ends in folders that it was not told to trust; and
/// its launcher, which starts it anew, would not hear signals.
const VARIABLES: [(&str, &str); 2] = [
    ("GEMINI_CLI_NO_RELAUNCH", "true"),
    ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
];

/// A name that no server has: those of the user, who may trust them with
/// everything, do not run.
const NO_SERVER: &str = "none-of-them";

/// In its default mode it has no tools that edit where nobody can be asked.
pub(super) fn call(asked: &Asked<'_>) -> Invocation {
    let mode = match asked.role {
        AgentRole::Reviewer => "default",
        AgentRole::Applier => "auto_edit",
    };
    Invocation::of(&["-o", "json", "--approval-mode", mode])
        .and(&["--allowed-mcp-server-names", NO_SERVER])
        .with("-m", asked.model)
        .with("--resume", asked.follow_up)
        .set(&VARIABLES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::calls::{APPLIER, REVIEWER, variables};

    #[test]
    fn the_mode_says_whether_it_may_edit() {
        let model = "gemini-3-pro".parse().unwrap();
        let asked = Asked {
            model: Some(&model),
            ..APPLIER
        };
        assert_eq!(
            call(&asked).args,
            [
                "-o",
                "json",
                "--approval-mode",
                "auto_edit",
                "--allowed-mcp-server-names",
                "none-of-them",
                "-m",
                "gemini-3-pro"
            ]
        );
        let follow_up = Asked {
            follow_up: Some("9e-1"),
            ..REVIEWER
        };
        let args = call(&follow_up).args;
        assert_eq!(args[args.len() - 2..], ["--resume", "9e-1"]);
        let call = call(&REVIEWER);
        assert_eq!(call.args[..4], ["-o", "json", "--approval-mode", "default"]);
        assert_eq!(
            variables(&call),
            [
                "GEMINI_CLI_NO_RELAUNCH=true",
                "GEMINI_CLI_TRUST_WORKSPACE=true"
            ]
        );
        assert_eq!(call.files, []);
    }
}
