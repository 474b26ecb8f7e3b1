//! `ralph completions` and `ralph man`.

use crate::support::TestEnvironment;

#[test]
fn each_shell_gets_its_script() {
    let environment = TestEnvironment::new();
    for (shell, line) in [
        ("bash", "complete -F _ralph"),
        ("zsh", "#compdef ralph"),
        ("fish", "complete -c ralph"),
    ] {
        let ran = environment.ralph(["completions", shell]).exits(0);
        assert!(ran.stdout.contains(line), "{shell}");
        assert!(ran.stdout.contains("fail-level"), "{shell}");
    }
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let environment = TestEnvironment::new();
    let whole = environment.ralph(["man"]).exits(0).stdout;
    assert!(whole.contains(".TH ralph 1"), "{whole}");
    assert!(whole.contains("ralph explain B3"), "{whole}");
    let page = environment.ralph(["man", "lint"]).exits(0).stdout;
    let title = concat!(
        ".TH ralph-lint 1  \"ralph ",
        env!("CARGO_PKG_VERSION"),
        "\""
    );
    assert!(page.contains(title), "{page}");
    let nested = environment
        .ralph(["man", "findings", "list"])
        .exits(0)
        .stdout;
    assert!(nested.contains(".TH ralph-findings-list 1 "), "{nested}");
    assert!(page.contains("\\-\\-unsafe\\-fixes"), "{page}");
    let none = environment.ralph(["man", "lnit"]).exits(2);
    assert_eq!(
        none.stderr,
        "error: unknown command \"lnit\"\n  hint: `ralph --help` lists the commands\n"
    );
}

#[test]
fn values_that_are_known_are_completed() {
    let environment = TestEnvironment::new();
    for (shell, words) in [
        (
            "zsh",
            &[
                "no_change",
                "filter-selects-nothing",
                "actionable-feedback-strict",
            ][..],
        ),
        ("fish", &["builtin\\t", "opencode\\t"]),
    ] {
        let script = environment.ralph(["completions", shell]).exits(0).stdout;
        for word in words {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    // They are proposals: other values are read as before.
    environment.ralph(["explain", "b3"]).exits(0);
}
