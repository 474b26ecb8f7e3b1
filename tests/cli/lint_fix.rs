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
const CLOSED: &str = "# Note\n\n## Code\n\n```\nlet a = 1;\n```\n";

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
fn safe_fixes_are_applied_and_nothing_else_changes() {
    let environment = TestEnvironment::new();
    let open = "# Note\r\n\r\n## Code\r\n\r\n```\r\nlet a = 1;\r\n";
    environment.write("specs/NOTE.md", open);
    let ran = environment.ralph(["lint", "--fix"]).exits(0);
    let fixed = environment.read("specs/NOTE.md");
    assert!(
        fixed.starts_with(open) && fixed.trim_end().ends_with("```"),
        "{fixed:?}"
    );
    assert!(
        ran.stdout.contains("0 findings left, 1 fixed\n"),
        "{}",
        ran.stdout
    );
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

#[test]
fn a_text_that_is_not_utf_8_stays_as_it_is() {
    let environment = TestEnvironment::new();
    let text = b"# Note\n\n```\nlet a = 1;\n\xff\n";
    environment.write("specs/NOTE.md", text);
    environment.ralph(["lint", "--fix"]).exits(1);
    let file = environment.root().join("specs/NOTE.md");
    assert_eq!(std::fs::read(file).unwrap(), text);
}

#[test]
fn a_fix_that_uncovers_as_much_as_it_mends_is_left_out() {
    let environment = TestEnvironment::new();
    let text = "# Note\n\n```\nlet a = 1;\n\n## Size\n\nThe size is TBD.\n";
    environment.write("specs/NOTE.md", text);
    let ran = environment
        .ralph(["lint", "--fix", "--unsafe-fixes", "--format", "json"])
        .exits(1);
    assert_eq!(environment.read("specs/NOTE.md"), text);
    assert_eq!(codes(&ran), ["S3"]);
    assert_eq!(ran.json()["fixed"], 0);
    assert_eq!(
        ran.stderr,
        "warning: 1 fix was left out, since what is found would weigh no less\n"
    );
}

/// A unit whose tasks name a spec that was moved, and the contents of its files.
fn moved(environment: &TestEnvironment) -> [(&'static str, String); 3] {
    let task = |number: u32, more: &str| {
        format!(
            "---\ntask: {number}\nstatus: pending\nbackpressure: cargo test web\ndepends_on: []\n\
             ---\n\n# Part {number}\n\n**Parent spec**: `/specs/CACHE.md`\n\n{more}## Deliverables\n\n\
             - Create: `src/part{number}.rs`\n"
        )
    };
    environment.write(
        "specs/done/CACHE.md",
        "# Cache\n\n## Goal\n\nIt keeps pages.\n",
    );
    let files = [
        ("tasks/web/01-a.md", task(1, "")),
        ("tasks/web/02-b.md", task(2, "")),
        (
            "tasks/web/03-c.md",
            task(3, "<!-- ralph-ignore L2: as it was -->\n\n"),
        ),
    ];
    for (path, text) in &files {
        environment.write(path, text);
    }
    files
}

#[test]
fn each_file_that_names_a_moved_spec_is_fixed_unless_it_silences_the_rule() {
    let environment = TestEnvironment::new();
    let [first, second, third] = moved(&environment);
    let fix = ["lint", "--select", "L2", "--fix", "--format", "json"];
    let ran = environment.ralph(fix).exits(0);
    assert_eq!((codes(&ran).len(), &ran.json()["fixed"]), (0, &2.into()));
    for (path, text) in [&first, &second] {
        let fixed = text.replace("/specs/CACHE.md", "/specs/done/CACHE.md");
        assert_eq!(environment.read(path), fixed);
    }
    assert_eq!(environment.read(third.0), third.1);
}

/// An open fence whose fix uncovers ten errors.
fn cover() -> String {
    let sizes = "The size is TBD.\n\n".repeat(10);
    format!("# Note\n\n```\nlet a = 1;\n\n## Size\n\n{sizes}")
}

#[test]
fn a_fix_that_is_left_out_holds_up_no_other_fix() {
    let environment = project();
    let files = ["specs/A.md", "specs/M.md", "specs/Z.md"];
    environment.write(files[0], OPEN);
    environment.write(files[1], cover());
    environment.write(files[2], OPEN);
    let ran = environment
        .ralph(["lint", "--fix", "--unsafe-fixes", "--format", "json"])
        .exits(1);
    assert_eq!(
        files.map(|file| environment.read(file)),
        [CLOSED, &cover(), CLOSED]
    );
    assert_eq!(environment.read("tasks/cache/01-store.md"), fixed_task());
    assert_eq!(ran.json()["fixed"], 3);
    assert_eq!(
        ran.stderr,
        "warning: 1 fix was left out, since what is found would weigh no less\n"
    );
}

#[test]
fn of_several_unsafe_fixes_of_a_file_the_bad_one_is_left_out() {
    let environment = TestEnvironment::new();
    let task = |command: &str, text: &str| {
        format!(
            "---\ntask: 1\nstatus: pending\nbackpressure: {command}\ndepends_on: []\n---\n\n{text}"
        )
    };
    environment.write("tasks/cache/01-a.md", task("cargo test || true", &cover()));
    environment
        .ralph(["lint", "--fix", "--unsafe-fixes", "--select", "B2,S2,S3"])
        .exits(1);
    assert_eq!(
        environment.read("tasks/cache/01-a.md"),
        task("cargo test", &cover())
    );
}

#[test]
fn a_dependency_that_does_not_exist_is_not_copied_into_the_plan() {
    let task = |number: u32, waits: &str| {
        format!(
            "---\ntask: {number}\nstatus: pending\nbackpressure: cargo test\n\
             depends_on: [{waits}]\n---\n\n# Part {number}\n\n- Create: `src/part{number}.rs`\n"
        )
    };
    let plan = |last: &str| {
        format!(
            "---\nunit: links\n---\n\n# Plan\n\n| # | File | Depends on |\n|---|---|---|\n\
             | 1 | 01-a.md | None |\n| 2 | 02-b.md | 1 |\n| 3 | 03-c.md | 2 |\n\
             | 4 | 04-d.md | {last} |\n"
        )
    };
    for (last, expected) in [("1, 2, 3", &["G3"][..]), ("1, 3", &["G3", "P2"])] {
        let environment = TestEnvironment::new();
        let tasks = [
            ("01-a.md", task(1, "")),
            ("02-b.md", task(2, "1")),
            ("03-c.md", task(3, "2")),
            ("04-d.md", task(4, "1, 2, 3, 5")),
        ];
        for (name, text) in &tasks {
            environment.write(format!("tasks/links/{name}"), text);
        }
        environment.write("tasks/links/IMPLEMENTATION_PLAN.md", plan(last));
        let lint = ["lint", "--format", "json", "--select", "G3,P2"];
        let before = environment.ralph(lint).exits(1);
        assert_eq!(codes(&before), expected);
        for finding in before.json()["findings"].as_array().unwrap() {
            let suggestion = finding["suggestion"].as_str().unwrap();
            assert!(!suggestion.contains("1, 2, 3, 5"), "{suggestion}");
        }
        let fix = [&lint[..], &["--fix", "--unsafe-fixes"]].concat();
        let after = environment.ralph(fix).exits(1);
        assert_eq!(codes(&after), ["G3"]);
        assert_eq!(
            environment.read("tasks/links/IMPLEMENTATION_PLAN.md"),
            plan("1, 2, 3")
        );
    }
}

#[test]
fn a_status_in_another_word_is_written_as_it_is_read() {
    let environment = TestEnvironment::new();
    let task = |status: &str| {
        format!(
            "---\ntask: 1\nstatus: {status}\nbackpressure: cargo test\ndepends_on: []\n---\n\n\
             # Store\n\n- Create: `src/store.rs`\n"
        )
    };
    environment.write("tasks/cache/01-store.md", task("todo"));
    let fix = ["lint", "--fix", "--select", "F1", "--format", "json"];
    let ran = environment.ralph(fix).exits(0);
    assert_eq!(ran.json()["fixed"], 1);
    assert_eq!(environment.read("tasks/cache/01-store.md"), task("pending"));
}

#[test]
fn a_missing_path_is_reported_before_and_after_its_command_is_copied() {
    let environment = TestEnvironment::new();
    environment.write("src/validate.py", "");
    environment.write(
        "tasks/links/IMPLEMENTATION_PLAN.md",
        "---\nunit: links\n---\n\n# Plan\n\n| # | File | Check |\n|---|---|---|\n\
         | 1 | 01-validate.md | pytest -x tests/test_validate.py |\n",
    );
    environment.write(
        "tasks/links/01-validate.md",
        "---\ntask: 1\nstatus: pending\nbackpressure: pytest tests/test_validate.py\n\
         depends_on: []\n---\n\n# Validate\n\nText.\n",
    );
    let lint = ["lint", "--format", "json", "--select", "B9,P3"];
    let before = environment.ralph(lint).exits(1);
    assert_eq!(codes(&before), ["B9", "P3"]);
    let fix = [&lint[..], &["--fix", "--unsafe-fixes"]].concat();
    let after = environment.ralph(fix).exits(1);
    assert_eq!(codes(&after), ["B9"]);
    let plan = environment.read("tasks/links/IMPLEMENTATION_PLAN.md");
    assert!(
        plan.ends_with("| 1 | 01-validate.md | `pytest tests/test_validate.py` |\n"),
        "{plan}"
    );
}

#[cfg(unix)]
#[test]
fn a_file_with_two_names_is_checked_and_fixed_once() {
    let environment = TestEnvironment::new();
    environment.write("specs/C.md", OPEN);
    environment.write("elsewhere/E.md", OPEN);
    let links = [
        ("C.md", "specs/B.md"),
        ("C.md", "specs/D.md"),
        ("../elsewhere/E.md", "specs/E1.md"),
        ("../elsewhere/E.md", "specs/E2.md"),
    ];
    for (target, link) in links {
        std::os::unix::fs::symlink(target, environment.root().join(link)).unwrap();
    }
    let ran = environment.ralph(["lint", "--format", "json"]).exits(1);
    let json = ran.json();
    let findings = json["findings"].as_array().unwrap();
    let paths: Vec<_> = findings.iter().map(|found| &found["path"]).collect();
    assert_eq!(paths, ["specs/C.md", "specs/E1.md"]);
    environment.ralph(["lint", "--fix"]).exits(0);
    assert_eq!(environment.read("specs/C.md"), CLOSED);
    assert_eq!(environment.read("elsewhere/E.md"), CLOSED);
}
