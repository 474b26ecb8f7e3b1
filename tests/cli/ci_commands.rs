//! Nothing that a model, a command or a file says is a command of CI or of the terminal.

use crate::scripted::{SPEC, Scripted};
use crate::support::Ran;

/// What must not arrive: commands of GitHub and Azure, and escape sequences.
const HOSTILE: &str = "::error file=a::b\n  ::set-output name=a::b\n##[error]x ##vso[task.complete]y \u{1b}]52;c;eA==\u{7}\u{1b}[31m";

/// Checks both outputs of a call.
fn is_harmless(ran: &Ran) {
    for text in [&ran.stdout, &ran.stderr] {
        let lines = text.split(['\n', '\r']).map(str::trim);
        let commands: Vec<_> = lines
            .filter(|line| {
                line.starts_with("::") || line.contains("##[") || line.contains("##vso[")
            })
            .filter(|line| !is_ours(line))
            .collect();
        assert_eq!(commands, Vec::<&str>::new(), "{ran:#?}");
        assert!(!text.contains('\u{1b}'), "{ran:#?}");
    }
}

/// Whether a line is one of the annotations that ralph composes.
fn is_ours(line: &str) -> bool {
    ["::error file=", "::warning file=", "::notice file="]
        .iter()
        .any(|start| line.starts_with(start))
        && line.contains(",line=")
}

/// A project whose reviewer, applier, task and documents say what is hostile.
fn project() -> Scripted {
    let command = format!("printf '%s\\n' '{HOSTILE}'; false");
    let project = Scripted::new(&[&command]);
    project.write("specs/DEMO.md", format!("{SPEC}\n{HOSTILE}\n"));
    project.write("hostile", HOSTILE);
    let item = serde_json::json!({
        "section": HOSTILE, "issue": HOSTILE, "suggestion": HOSTILE,
    });
    let answer = serde_json::json!({
        "verdict": "needs_revision",
        "score": { "completeness": 1, "consistency": 1, "testability": 1, "architecture": 1 },
        "feedback": [item],
    });
    let answer = project.write("answer", answer.to_string());
    let hostile = project.environment.root().join("hostile");
    project.reviewer(&format!(
        "cat >/dev/null; cat '{}' >&2; cat '{}'",
        hostile.display(),
        answer.display()
    ));
    project.applier(&format!("cat >/dev/null; cat '{}'", hostile.display()));
    project
}

fn ci<'a>(project: &'a Scripted, arguments: &[&str]) -> crate::support::RalphCommand<'a> {
    let command = project.environment.command(arguments);
    command.env("CI", "true").env("GITHUB_ACTIONS", "true")
}

#[test]
fn a_run_and_what_shows_it_print_no_command_of_ci() {
    let project = project();
    for arguments in [
        &[
            "-v",
            "run",
            "--reviewer",
            "cmd:judge",
            "--applier",
            "cmd:fix",
        ][..],
        &["run", "--reviewer", "cmd:judge", "--no-apply"],
        &["run", "--tasks-only"],
        &["report"],
        &["report", "latest", "-v"],
        &["status"],
        &["findings", "list"],
        &["gate"],
        &["gate", "--format", "github"],
        &["gate", "--format", "markdown"],
        &["gate", "--format", "junit"],
        &["lint"],
        &["lint", "--format", "github"],
        &[
            "review",
            "specs/DEMO.md",
            "--reviewer",
            "cmd:judge",
            "--no-apply",
        ],
    ] {
        is_harmless(&ci(&project, arguments).run());
    }
}

#[test]
fn a_reviewer_that_fails_prints_no_command_of_ci() {
    let project = project();
    let hostile = project.environment.root().join("hostile");
    let hostile = hostile.display();
    for script in [
        format!("cat '{hostile}' >&2; exit 1"),
        format!("cat >/dev/null; cat '{hostile}'"),
    ] {
        project.reviewer(&script);
        let arguments = ["-v", "run", "--reviewer", "cmd:judge", "--no-apply"];
        is_harmless(&ci(&project, &arguments).run());
    }
}

#[test]
fn answers_arguments_and_documents_print_no_command_of_ci() {
    let project = project();
    project.write("ralph.toml", "a = \"\"\n::error::x\n");
    for arguments in [
        &["verdict", "-v"][..],
        &["verdict", "hostile"],
        &["verdict", "\n::error::x"],
        &["status", "\n::error::x"],
        &["\n::error::x"],
        &["report", "\n##[error]x"],
        &["lint"],
        &["corrections", "validate", "hostile"],
        &["feedback", "validate", "hostile"],
    ] {
        is_harmless(&ci(&project, arguments).stdin(HOSTILE).run());
    }
}

#[test]
fn json_is_untouched_and_annotations_of_ralph_are_whole() {
    let project = project();
    let arguments = ["lint", "--format", "json"];
    let (inside, outside) = (
        ci(&project, &arguments).run(),
        project.environment.ralph(arguments),
    );
    assert_eq!(inside.stdout, outside.stdout);
    let ran = ci(&project, &["lint", "--format", "github"]).run();
    assert!(ran.stdout.starts_with("::"), "{ran:#?}");
    for text in ["a::b", "##[x]"] {
        let answer = format!("{{\"verdict\":\"{text}\"}}");
        let ran = project.environment.command(["verdict"]).stdin(answer).run();
        assert!(ran.stdout.contains(text), "{ran:#?}");
    }
}
