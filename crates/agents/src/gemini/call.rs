//! How gemini is called.

use crate::Access;
use crate::client::{ClientCall, Invocation};

/// Without a terminal it exits in folders that are not trusted; and
/// its launcher, which starts it again, would ignore signals.
const VARIABLES: [(&str, &str); 2] = [
    ("GEMINI_CLI_NO_RELAUNCH", "true"),
    ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
];

/// A name that no server has: those of the user, who may trust them with
/// everything, do not run.
const NO_SERVER: &str = "none-of-them";

/// In its default mode it has no tools that edit where no user can be asked, and
/// in that of edits none that runs commands.
pub(super) fn call(asked: &ClientCall<'_>) -> Invocation {
    let mode = match asked.access {
        Access::None | Access::Read => "default",
        Access::Edit(_) => "auto_edit",
        Access::Implement => "yolo",
    };
    Invocation::of(&["-o", "stream-json", "--approval-mode", mode])
        .and(&["--allowed-mcp-server-names", NO_SERVER])
        .with("-m", asked.model)
        .with("--resume", asked.follow_up)
        .set(&VARIABLES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::calls::{APPLIER, IMPLEMENTER, REVIEWER, variables};

    #[test]
    fn the_mode_says_whether_it_may_edit_or_run_commands() {
        let model = "gemini-3-pro".parse().unwrap();
        let asked = ClientCall {
            model: Some(&model),
            ..APPLIER
        };
        assert_eq!(
            call(&asked).args,
            [
                "-o",
                "stream-json",
                "--approval-mode",
                "auto_edit",
                "--allowed-mcp-server-names",
                "none-of-them",
                "-m",
                "gemini-3-pro"
            ]
        );
        let follow_up = ClientCall {
            follow_up: Some("9e-1"),
            ..REVIEWER
        };
        let args = call(&follow_up).args;
        assert_eq!(args[args.len() - 2..], ["--resume", "9e-1"]);
        let implementer = call(&IMPLEMENTER);
        assert_eq!(implementer.args[2..4], ["--approval-mode", "yolo"]);
        let call = call(&REVIEWER);
        assert_eq!(call.args[2..4], ["--approval-mode", "default"]);
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
