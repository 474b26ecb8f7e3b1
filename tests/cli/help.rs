//! Help, versions and usage errors.

use crate::support::TestEnvironment;

/// Every command with the words that lead to it.
pub(crate) const COMMANDS: &[&[&str]] = &[
    &["demo"],
    &["plan"],
    &["run"],
    &["review"],
    &["resume"],
    &["land"],
    &["report"],
    &["watch"],
    &["diff"],
    &["serve"],
    &["findings"],
    &["findings", "list"],
    &["findings", "show"],
    &["findings", "waive"],
    &["findings", "uphold"],
    &["approve"],
    &["guide"],
    &["clean"],
    &["status"],
    &["gate"],
    &["lint"],
    &["verdict"],
    &["feedback"],
    &["feedback", "validate"],
    &["feedback", "show"],
    &["feedback", "convert"],
    &["provide"],
    &["mcp"],
    &["explain"],
    &["init"],
    &["import"],
    &["doctor"],
    &["schema"],
    &["corrections"],
    &["corrections", "validate"],
    &["corrections", "add"],
    &["corrections", "list"],
    &["corrections", "remove"],
    &["corrections", "import"],
    &["corrections", "capture"],
    &["learn"],
    &["learn", "run"],
    &["learn", "review"],
    &["learn", "decide"],
    &["learn", "show"],
    &["learn", "stats"],
    &["learn", "rollback"],
    &["prompts"],
    &["config"],
    &["completions"],
];

/// The groups of commands without examples of their own.
const GROUPS: &[&[&str]] = &[&["corrections"], &["feedback"], &["findings"]];

#[test]
fn the_version_is_one_line() {
    let ran = TestEnvironment::new().ralph(["--version"]).exits(0);
    let expected = concat!("ralph ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), (expected, ""));
}

#[test]
fn help_and_usage_errors_have_the_colours_that_are_asked_for() {
    let environment = TestEnvironment::new();
    for (variable, arguments, code, coloured) in [
        ("", &["--help"][..], 0, false),
        ("always", &["--help"], 0, true),
        ("purple", &["--help"], 0, false),
        ("always", &["--colour", "never"], 2, true),
        ("never", &["status", "A", "B"], 2, false),
        (
            "never",
            &["--color=always", "status", "no-such-spec"],
            2,
            true,
        ),
        (
            "always",
            &["status", "no-such-spec", "--color", "never"],
            2,
            false,
        ),
    ] {
        let command = environment.command(arguments).env("RALPH_COLOR", variable);
        let ran = command.run().exits(code);
        let (said, other) = match code {
            0 => (ran.stdout, ran.stderr),
            _ => (ran.stderr, ran.stdout),
        };
        assert_eq!(said.contains('\x1b'), coloured, "{arguments:?}: {said}");
        assert_eq!(other, "", "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error_unless_nobody_reads_it() {
    let environment = TestEnvironment::new();
    for arguments in [&["--help"][..], &["--version"], &["run", "--help"]] {
        let full = environment.command(arguments).after("exec > /dev/full");
        let message = full.run().exits(2).stderr;
        let expected = "error: cannot write to standard output";
        assert!(message.starts_with(expected), "{arguments:?}: {message}");
        let mut closed = environment.command(arguments).into_std();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = closed.stdout(writer).output().unwrap();
        assert_eq!((ended.status.code(), ended.stderr), (Some(0), Vec::new()));
    }
}

#[test]
fn every_command_has_help_with_examples() {
    let environment = TestEnvironment::new();
    for command in COMMANDS {
        let help = environment.ralph([*command, &["--help"]].concat()).exits(0);
        let usage = format!("Usage: ralph {}", command.join(" "));
        assert!(help.stdout.contains(&usage), "{command:?}: {}", help.stdout);
        // A group of commands shows theirs.
        let examples = if GROUPS.contains(command) {
            "Commands:"
        } else {
            "Examples:"
        };
        assert!(
            help.stdout.contains(examples),
            "{command:?}: {}",
            help.stdout
        );
    }
}

#[test]
fn the_list_of_commands_is_complete() {
    let help = TestEnvironment::new().ralph(["--help"]).exits(0).stdout;
    let (_, rest) = help.split_once("Commands:\n").unwrap();
    let (list, _) = rest.split_once("\n\n").unwrap();
    let listed: Vec<_> = list
        .lines()
        .map(|line| line.split_whitespace().next().unwrap())
        .filter(|command| *command != "help")
        .collect();
    let known: Vec<_> = COMMANDS
        .iter()
        .filter(|words| words.len() == 1)
        .map(|words| words[0])
        .collect();
    assert_eq!(listed, known);
}

#[test]
fn wrong_usage_ends_with_2_and_leaves_standard_output_empty() {
    let environment = TestEnvironment::new();
    for (arguments, expected) in [
        (&["rnu"][..], "unrecognized subcommand 'rnu'\n\nUsage: "),
        (
            &["findings", "lits"],
            "\n  tip: a similar subcommand exists: 'list'\n",
        ),
        (&["xyzzy"], "unrecognized subcommand 'xyzzy'\n\nUsage: "),
        (&["help", "rnu"], "unrecognized subcommand 'rnu'"),
        (
            &["lint", "--fial-level", "info"],
            "unexpected argument '--fial-level'",
        ),
        (&["lint", "--unsafe-fixes"], "--fix"),
        (
            &["run", "--max-iterations", "0"],
            "must be an integer from 1 to 4294967295",
        ),
        (
            &["run", "--max-calls", "4294967296"],
            "must be an integer from 1 to 4294967295",
        ),
        (
            &["run", "--max-time", "5000000h"],
            "\"5000000h\" is out of range: it may be from 1ms to 8784h",
        ),
        (
            &["run", "--max-time", "10"],
            "\"10\" is not a duration: write 90s, 10m or 2h",
        ),
        (
            &["run", "--set", "review.patience"],
            "must be KEY=VALUE, such as review.patience=5",
        ),
        (&["corrections", "remove", "x"], "must be an integer"),
        (
            &["learn", "decide", "x"],
            "<--approve|--reject|--text <TEXT>|--until <WHEN>>",
        ),
        (&["run", "--spec", "specs"], "/specs is a folder, no spec\n"),
        (
            &["run", "--no-tasks", "--tasks-only"],
            "cannot be used with",
        ),
        (
            &["run", "--reviewer", "http:"],
            "\"\" is not a valid name of a profile",
        ),
        (
            &["run", "--reviewer", "builtin,acp:"],
            "a command must name a program",
        ),
        (
            &["run", "--applier", "builtin,codex"],
            "one backend is asked for, not several",
        ),
        (&["run", "--reviewer", "bulitin"], "did you mean builtin?"),
        (&["run", "--reviewer", "cmd: "], "must name a program"),
        (&["review"], "<PATH>..."),
        (&["approve"], "<RUN>"),
        (
            &["gate", "--output", "xml=x"],
            "\"xml\" is not a valid format; use human, json, junit, github, markdown, sarif, gitlab, html",
        ),
        (
            &["status", "--format", "dot"],
            "[possible values: human, json, mermaid]",
        ),
        (
            &["verdict", "--mode", "loose"],
            "must be one of [tolerant strict]",
        ),
        (&["lint", "-q", "-v"], "cannot be used with"),
    ] {
        let ran = environment.ralph(arguments).exits(2);
        assert_eq!(ran.stdout, "", "{arguments:?}");
        assert!(
            ran.stderr.starts_with("error: "),
            "{arguments:?}: {}",
            ran.stderr
        );
        assert!(
            ran.stderr.contains(expected),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
}

#[test]
fn a_resume_falls_back_to_the_limits_of_its_run() {
    let environment = TestEnvironment::new();
    let help = environment.ralph(["resume", "-h"]).exits(0).stdout;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let limits = [
        "Rounds of review",
        "Time of the whole run",
        "Time of one call",
    ];
    for limit in limits {
        assert!(
            help.contains(&format!("{limit} [default: as before]")),
            "{limit}: {help}"
        );
    }
}

#[test]
fn without_a_command_the_help_is_an_error() {
    let ran = TestEnvironment::new().ralph::<&str>([]).exits(2);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("Usage: ralph"), "{}", ran.stderr);
}

#[test]
fn help_is_a_command_that_says_more_than_the_option() {
    let environment = TestEnvironment::new();
    let long = environment.ralph(["help", "run"]).exits(0).stdout;
    let short = environment.ralph(["run", "--help"]).exits(0).stdout;
    for help in [&long, &short] {
        assert!(help.contains("Usage: ralph run [OPTIONS] [SPEC]"), "{help}");
        assert!(help.contains("\nExamples:\n  ralph run  "), "{help}");
    }
    assert!(long.lines().count() > short.lines().count());
    let (_, common) = short.split_once("Common options:\n").unwrap();
    let (common, _) = common.split_once("\n\n").unwrap();
    assert!(common.lines().count() <= 13, "{common}");
    let nested = environment
        .ralph(["help", "findings", "list"])
        .exits(0)
        .stdout;
    assert!(nested.contains("Usage: ralph findings list"), "{nested}");
    let all = environment.ralph(["help"]).exits(0).stdout;
    assert!(all.contains("Usage: ralph [OPTIONS] <COMMAND>"), "{all}");
}
