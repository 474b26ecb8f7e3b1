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
