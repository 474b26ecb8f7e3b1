//! Pages for a browser: `ralph report --format html` and `ralph gate --output html=FILE`.

use crate::scripted::Scripted;
use crate::support::TestEnvironment;
use crate::terminal::Terminal;

/// A run of two rounds and two tasks.
fn passed() -> Scripted {
    let project = Scripted::working();
    project.run(&[]).run().exits(0);
    project
}

#[test]
fn a_run_is_a_page_on_standard_output_and_in_a_file() {
    let project = passed();
    let environment = &project.environment;
    let printed = environment.ralph(["report", "latest", "--format", "html"]);
    let page = printed.exits(0).stdout;
    assert!(
        page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"),
        "{page}"
    );
    for part in [
        "<h1>specs/DEMO.md</h1>",
        "<b class=\"good\">✓ passed</b>",
        "<h2>Scores by round</h2>",
        "<h2>Tasks</h2>",
        "<h2>Timeline</h2>",
        "<span class=\"added\">+fixed 1</span>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let told = environment.ralph(["report", "latest", "--output", "html=run.html"]);
    let told = told.exits(0).stdout;
    assert_eq!(
        told,
        environment.ralph(["report", "latest"]).exits(0).stdout
    );
    assert_eq!(environment.normalized(&environment.read("run.html")), page);
}

#[test]
fn a_terminal_gets_no_page() {
    let project = passed();
    for command in [
        &["report", "latest", "--format", "html"] as &[&str],
        &["gate", "--format", "html"],
    ] {
        let (status, lines) = Terminal::start(project.environment.command(command), 80).end();
        assert_eq!(status.code(), Some(2), "{lines:#?}");
        let expected = [
            "error: a page is not for a terminal",
            "  hint: write it to a file with --output html=FILE",
        ];
        assert_eq!(lines, expected);
    }
}

#[test]
fn a_page_is_of_one_run() {
    let environment = TestEnvironment::new();
    let ran = environment.ralph(["report", "--format", "html"]).exits(2);
    assert_eq!(
        ran.stderr,
        "error: a page is of one run\n  hint: name it: `ralph report latest --format html`\n"
    );
}

#[test]
fn a_gate_is_a_page_that_shows_what_failed() {
    let project = passed();
    let text = project.environment.read("tasks/demo/02-step.md");
    project.write(
        "tasks/demo/02-step.md",
        text.replace("backpressure: \"", "backpressure: \"echo '<b>'; exit 1; "),
    );
    let gate = ["gate", "--output", "html=gate.html"];
    project.environment.ralph(gate).exits(1);
    let page = project.environment.read("gate.html");
    for part in [
        "<b class=\"bad\">✗ not_passed</b>",
        "<h2>Claims</h2>",
        "<pre>&lt;b&gt;",
        "<h2>Next</h2>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
