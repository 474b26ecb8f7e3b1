//! How `claude -p` is called.

use crate::Access;
use crate::client::{ClientCall, Invocation};

/// The largest schema that is given as an argument, in bytes.
const MAX_SCHEMA: usize = 32 * 1024;

/// Its default is ten tries, which take minutes; whether a call is worth
/// another try is decided here.
const VARIABLES: [(&str, &str); 3] = [
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("CLAUDE_CODE_MAX_RETRIES", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
];

/// The user's own configuration holds, but for tools: servers of the user may
/// have some that write. What a message consumes is reported in full only in its
/// parts, and the price of a model that has none here is known to the client
/// alone.
pub(super) fn call(asked: &ClientCall<'_>) -> Invocation {
    let call = Invocation::of(&["-p", "--output-format", "stream-json", "--verbose"])
        .and(&["--include-partial-messages"]);
    let call = match asked.follow_up {
        Some(session) => call.and(&["--resume", session]),
        None => call.and(&["--session-id", asked.session]),
    };
    let call = call.and(&["--strict-mcp-config"]);
    let call = match asked.access {
        Access::None => call.and(&["--tools", ""]),
        Access::Read => call.and(&["--tools", "Read,Grep,Glob"]),
        Access::Edit(_) => call
            .and(&["--tools", "Read,Grep,Glob,Edit,Write"])
            .and(&["--permission-mode", "acceptEdits"]),
        // The mode that asks for nothing at all is refused to the user root.
        Access::Implement => call
            .and(&["--tools", "Read,Grep,Glob,Edit,Write,Bash"])
            .and(&["--allowedTools", "Bash"])
            .and(&["--permission-mode", "acceptEdits"]),
    };
    let schema = asked.schema.filter(|schema| schema.len() <= MAX_SCHEMA);
    call.with("--json-schema", schema)
        .with("--model", asked.model)
        .with(
            "--max-budget-usd",
            asked.max_cost.map(|cost| cost.to_string()),
        )
        .set(&VARIABLES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::calls::{APPLIER, IMPLEMENTER, REVIEWER, variables};

    #[test]
    fn a_reviewer_can_only_read_and_answers_by_the_schema() {
        let call = call(&REVIEWER);
        assert_eq!(
            call.args,
            [
                "-p",
                "--output-format",
                "stream-json",
                "--verbose",
                "--include-partial-messages",
                "--session-id",
                "id-1",
                "--strict-mcp-config",
                "--tools",
                "Read,Grep,Glob",
                "--json-schema",
                "{}",
            ]
        );
        assert_eq!(
            variables(&call),
            [
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
                "CLAUDE_CODE_MAX_RETRIES=1",
                "DISABLE_AUTOUPDATER=1",
            ]
        );
        assert_eq!(call.files, []);
    }

    #[test]
    fn a_call_that_needs_no_file_gets_no_tool() {
        let asked = ClientCall {
            access: Access::None,
            ..REVIEWER
        };
        let args = call(&asked).args;
        let at = args.iter().position(|arg| arg == "--tools");
        assert_eq!(at.map(|at| args[at + 1].as_str()), Some(""));
    }

    #[test]
    fn an_applier_may_edit_without_asking() {
        let model = "opus".parse().unwrap();
        let asked = ClientCall {
            model: Some(&model),
            ..APPLIER
        };
        assert_eq!(
            call(&asked).args,
            [
                "-p",
                "--output-format",
                "stream-json",
                "--verbose",
                "--include-partial-messages",
                "--session-id",
                "id-1",
                "--strict-mcp-config",
                "--tools",
                "Read,Grep,Glob,Edit,Write",
                "--permission-mode",
                "acceptEdits",
                "--model",
                "opus",
            ]
        );
    }

    #[test]
    fn an_implementer_may_edit_and_run_commands_without_asking() {
        assert_eq!(
            call(&IMPLEMENTER).args[7..],
            [
                "--strict-mcp-config",
                "--tools",
                "Read,Grep,Glob,Edit,Write,Bash",
                "--allowedTools",
                "Bash",
                "--permission-mode",
                "acceptEdits",
            ]
        );
    }

    #[test]
    fn a_follow_up_goes_on_in_its_session() {
        let asked = ClientCall {
            follow_up: Some("5e55"),
            ..REVIEWER
        };
        let args = call(&asked).args;
        assert_eq!(args[5..7], ["--resume", "5e55"]);
        assert!(!args.contains(&"--session-id".to_owned()), "{args:?}");
    }

    #[test]
    fn a_limit_of_the_cost_is_kept_by_the_client() {
        let asked = ClientCall {
            max_cost: Some("1.25".parse().unwrap()),
            ..APPLIER
        };
        let args = call(&asked).args;
        assert_eq!(args[args.len() - 2..], ["--max-budget-usd", "1.25"]);
    }

    #[test]
    fn a_schema_that_is_too_large_for_an_argument_is_left_out() {
        let has_schema = |bytes: usize| {
            let schema = "x".repeat(bytes);
            let asked = ClientCall {
                schema: Some(&schema),
                ..REVIEWER
            };
            call(&asked).args.contains(&"--json-schema".to_owned())
        };
        assert_eq!([has_schema(32_768), has_schema(32_769)], [true, false]);
    }
}
