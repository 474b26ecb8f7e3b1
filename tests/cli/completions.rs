//! `ralph completions`.

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
