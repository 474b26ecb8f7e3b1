//! `ralph lint` with fixes, and of standard input.

use crate::lint::{TASK, codes};
use crate::support::TestEnvironment;

/// The project of the other tests of `ralph lint`, with a command that an unsafe fix
/// makes able to fail.
fn project() -> TestEnvironment {
    let environment = crate::lint::project();
    environment.write("tasks/cache/01-store.md", unsafe_task());
    environment
}

fn unsafe_task() -> String {
    TASK.replace("\"true\"", "\"cargo test || true\"")
}

fn fixed_task() -> String {
    TASK.replace("\"true\"", "\"cargo test\"")
}

/// A spec with a fence that a safe fix closes.
const OPEN: &str = "# Note\n\n## Code\n\n```\nlet a = 1;\n";
#[test]
fn unsafe_fixes_wait_for_their_own_option() {
    let environment = project();
    let ran = environment.ralph(["lint", "--fix"]).exits(1);
    assert_eq!(environment.read("tasks/cache/01-store.md"), unsafe_task());
    assert!(
        ran.stdout
            .contains("\n1 can be fixed with --fix --unsafe-fixes\n"),
        "{}",
        ran.stdout
    );
    let ran = environment
        .ralph(["lint", "--fix", "--unsafe-fixes", "--format", "json"])
        .exits(1);
    assert_eq!(codes(&ran), ["S2", "G2"]);
    assert_eq!(ran.json()["fixed"], 1);
    assert_eq!(environment.read("tasks/cache/01-store.md"), fixed_task());
}

#[test]
fn both_kinds_of_fixes_are_told_apart() {
    let environment = project();
    environment.write("specs/NOTE.md", OPEN);
    let ran = environment.ralph(["lint"]).exits(1);
    let told = "\n1 can be fixed with --fix\n1 more can be fixed with --fix --unsafe-fixes\n";
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
    let ran = environment.ralph(["lint", "--unsafe-fixes"]).exits(2);
    assert!(ran.stderr.contains("\n  --fix\n"), "{}", ran.stderr);
    let covering = "# Note\n\n```\nlet a = 1;\n\n## Size\n\nThe size is TBD.\n";
    environment.write("specs/NOTE.md", covering);
    let fix = ["lint", "specs/NOTE.md", "--fix", "--unsafe-fixes"];
    assert_eq!(
        environment.ralph(fix).exits(1).stderr,
        "warning: 1 fix was left out, since what is found would weigh no less\n"
    );
}

#[test]
fn a_text_is_checked_in_the_place_of_its_file() {
    let environment = project();
    let lint = |path: &str, text: &str| {
        let arguments = ["lint", "--format", "json", "--stdin-path", path];
        environment.command(arguments).stdin(text).run()
    };
    let fine = TASK.replace("\"true\"", "grep -q x src/store.rs");
    let fine = fine.replace("[1]", "[]");
    let ran = lint("tasks/cache/01-store.md", &fine).exits(0);
    assert_eq!(codes(&ran), [""; 0]);
    let second = fine.replace("task: 1", "task: 2").replace("[]", "[1, 7]");
    let ran = lint("tasks/cache/02-new.md", &second).exits(1);
    assert_eq!(codes(&ran), ["G3"]);
    assert_eq!(ran.json()["findings"][0]["path"], "tasks/cache/02-new.md");
    let ran = lint("specs/NEW.md", "# New\n\nTBD\n").exits(1);
    assert_eq!(codes(&ran), ["S2"]);
    assert_eq!(environment.files("specs"), ["specs/CACHE.md"]);
    let both = environment.ralph(["lint", "specs", "--stdin-path", "specs/A.md"]);
    both.exits(2);
    let outside = lint("/nowhere-at-all/a.md", "x").exits(2);
    assert_eq!(outside.stdout, "");
}
