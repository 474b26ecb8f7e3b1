//! Secrets of the environment do not reach what a run writes and prints.

use std::fs;

use crate::scripted::{PASS, SPEC, Scripted};
use crate::support::Ran;

const TOKEN: &str = "tok/en:1234 abcdef";

/// Splits the token in `$t` with an escape sequence.
const COLOURED: &str =
    r#"t=$MY_API_TOKEN; printf '%s\033[0m%s\n' "${t%??????}" "${t#"${t%??????}"}""#;

/// What a run wrote and printed.
fn traces(project: &Scripted, ran: &Ran) -> String {
    let mut all = format!("{}\n{}\n", ran.stdout, ran.stderr);
    let root = project.environment.root();
    for path in project.environment.files(".ralph-review") {
        if !path.contains("/blobs/") {
            all.push_str(&String::from_utf8_lossy(
                &fs::read(root.join(&path)).unwrap(),
            ));
            all.push('\n');
        }
    }
    all
}

/// Removes escape sequences, as a terminal does.
fn shown(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| {
        let end = part.find(|letter: char| letter.is_ascii_alphabetic());
        shown + end.map_or("", |end| &part[end + 1..])
    })
}

#[test]
fn a_colour_within_a_secret_does_not_hide_it() {
    let project = Scripted::new(&[&format!("{COLOURED}; false")]);
    project.reviewer(&format!(
        "cat >/dev/null; {COLOURED} >&2; {COLOURED} >&1; echo '{PASS}'"
    ));
    let ran = project
        .run(&["-v", "--keep-going"])
        .env("MY_API_TOKEN", TOKEN)
        .env("RALPH_AGENT_PASS_ENV", "MY_API_TOKEN")
        .run();
    let traces = traces(&project, &ran);
    assert!(traces.contains("[redacted]"), "{ran:#?}");
    assert!(!shown(&traces).contains(TOKEN), "{ran:#?}");
}

#[test]
fn the_content_of_a_spec_is_no_text_of_a_journal() {
    let project = Scripted::new(&[]);
    let key = "ghp_0123456789abcdefghij";
    project.write("specs/DEMO.md", format!("{SPEC}\nUse {TOKEN} and {key}.\n"));
    project.reviewer(&format!(
        "cat > \"$HOME/prompt\"; if grep -q more \"$RALPH_SPEC\"; then echo '{PASS}'; \
         else echo '{}'; fi",
        crate::scripted::REVISE
    ));
    project.applier("cat >/dev/null; echo more >> \"$RALPH_SPEC\"");
    let ran = project
        .run(&["--no-tasks"])
        .env("MY_API_TOKEN", TOKEN)
        .run()
        .exits(0);
    let traces = traces(&project, &ran);
    for secret in [TOKEN, key] {
        assert!(!traces.contains(secret), "{traces}");
        let prompt = fs::read_to_string(project.outside("prompt")).unwrap();
        assert!(prompt.contains(secret), "{prompt}");
    }
    let report = project.environment.ralph(["report", "latest", "-v"]);
    assert!(!report.stdout.contains(TOKEN), "{report:#?}");
}

#[test]
fn notations_that_tools_print_are_redacted() {
    for (printed, secret) in [
        (
            "printf 'Authorization: Basic %s\\n' \"$(printf 'me:%s' \"$MY_API_TOKEN\" | base64)\"",
            "bWU6dG9rL2VuOjEyMzQgYWJjZGVm",
        ),
        (
            "echo 'https://h/?t=tok%2Fen%3A1234%20abcdef'",
            "tok%2Fen%3A1234%20abcdef",
        ),
        (
            "echo 'https://h/?t=tok%2fen%3a1234+abcdef tok%2Fen%3A1234+abcdef'",
            "tok%2Fen%3A1234+abcdef",
        ),
        (
            r#"echo '{"a":"tok\/en:1234 abcdef"}'"#,
            r"tok\/en:1234 abcdef",
        ),
    ] {
        let project = Scripted::new(&[]);
        project.reviewer(&format!("cat >/dev/null; {printed} >&2; exit 1"));
        let ran = project
            .run(&["-v", "--no-tasks", "--no-apply"])
            .env("MY_API_TOKEN", TOKEN)
            .env("RALPH_AGENT_PASS_ENV", "MY_API_TOKEN")
            .run();
        let traces = traces(&project, &ran);
        assert!(traces.contains("[redacted]"), "{printed}: {ran:#?}");
        assert!(!traces.contains(secret), "{printed}: {ran:#?}");
    }
}
