//! Which fixes are made of what is found, and which are left out.

use review_embedding_test::Workspace;
use review_engine::lint::{Fixes, fix};
use review_lint::{RuleChoice, Safety};
use review_store::Overlay;

use crate::lint::{TASK, codes, linting};

/// A spec with a fence that a safe fix closes.
const OPEN: &str = "# Note\n\n## Code\n\n```\nlet a = 1;\n";
const CLOSED: &str = "# Note\n\n## Code\n\n```\nlet a = 1;\n```\n";

/// Fixes what the selected rules find, all of them without a selection, and writes the files.
fn fixed(workspace: &Workspace, select: &[&str], up_to: Safety) -> Fixes {
    let selected: Vec<_> = select.iter().map(|rule| rule.parse().unwrap()).collect();
    let choice = RuleChoice {
        select: Some(selected).filter(|selected| !selected.is_empty()),
        ignore: Vec::new(),
    };
    linting(workspace, "", &choice, &[], |linting| {
        let checked = linting.check(&Overlay::default()).unwrap();
        let fixes = fix(linting, Overlay::default(), checked, up_to).unwrap();
        for file in &fixes.files {
            file.write(&linting.selection.root).unwrap();
        }
        fixes
    })
}

/// A file of the project.
fn read(workspace: &Workspace, path: &str) -> String {
    std::fs::read_to_string(workspace.root().join(path)).unwrap()
}

fn with(files: &[(&str, &str)]) -> Workspace {
    Workspace::new(files).unwrap()
}

#[test]
fn safe_fixes_are_applied_and_nothing_else_changes() {
    let open = "# Note\r\n\r\n## Code\r\n\r\n```\r\nlet a = 1;\r\n";
    let workspace = with(&[("specs/NOTE.md", open)]);
    let fixes = fixed(&workspace, &[], Safety::Safe);
    assert_eq!((fixes.checked.fixed, codes(&fixes.checked).len()), (1, 0));
    let fixed = read(&workspace, "specs/NOTE.md");
    assert!(fixed.starts_with(open), "{fixed:?}");
    assert!(fixed.trim_end().ends_with("```"), "{fixed:?}");
}

#[test]
fn a_text_that_is_not_utf_8_stays_as_it_is() {
    let workspace = with(&[("specs/NOTE.md", "")]);
    let text = b"# Note\n\n```\nlet a = 1;\n\xff\n";
    let file = workspace.root().join("specs/NOTE.md");
    std::fs::write(&file, text).unwrap();
    let fixes = fixed(&workspace, &[], Safety::Safe);
    assert_ne!(codes(&fixes.checked), [""; 0]);
    assert_eq!(std::fs::read(file).unwrap(), text);
}

#[test]
fn a_fix_that_uncovers_as_much_as_it_mends_is_left_out() {
    let text = "# Note\n\n```\nlet a = 1;\n\n## Size\n\nThe size is TBD.\n";
    let workspace = with(&[("specs/NOTE.md", text)]);
    let fixes = fixed(&workspace, &[], Safety::Unsafe);
    assert_eq!(read(&workspace, "specs/NOTE.md"), text);
    assert_eq!(codes(&fixes.checked), ["S3"]);
    assert_eq!((fixes.checked.fixed, fixes.refused), (0, 1));
}

#[test]
fn each_file_that_names_a_moved_spec_is_fixed_unless_it_silences_the_rule() {
    let task = |number: u32, more: &str| {
        format!(
            "---\ntask: {number}\nstatus: pending\nbackpressure: cargo test web\ndepends_on: []\n\
             ---\n\n# Part {number}\n\n**Parent spec**: `/specs/CACHE.md`\n\n{more}## Deliverables\n\n\
             - Create: `src/part{number}.rs`\n"
        )
    };
    let silent = task(3, "<!-- ralph-ignore L2: as it was -->\n\n");
    let spec = "# Cache\n\n## Goal\n\nIt keeps pages.\n";
    let workspace = with(&[
        ("specs/done/CACHE.md", spec),
        ("tasks/web/01-a.md", &task(1, "")),
        ("tasks/web/02-b.md", &task(2, "")),
        ("tasks/web/03-c.md", &silent),
    ]);
    let fixes = fixed(&workspace, &["L2"], Safety::Safe);
    assert_eq!((codes(&fixes.checked).len(), fixes.checked.fixed), (0, 2));
    for (path, text) in [
        ("tasks/web/01-a.md", task(1, "")),
        ("tasks/web/02-b.md", task(2, "")),
    ] {
        let fixed = text.replace("/specs/CACHE.md", "/specs/done/CACHE.md");
        assert_eq!(read(&workspace, path), fixed);
    }
    assert_eq!(read(&workspace, "tasks/web/03-c.md"), silent);
}

/// An open fence whose fix uncovers ten errors.
fn cover() -> String {
    let sizes = "The size is TBD.\n\n".repeat(10);
    format!("# Note\n\n```\nlet a = 1;\n\n## Size\n\n{sizes}")
}

#[test]
fn a_fix_that_is_left_out_holds_up_no_other_fix() {
    let workspace = crate::lint::project();
    let unsafe_task = TASK.replace("\"true\"", "\"cargo test || true\"");
    for (path, text) in [
        ("tasks/cache/01-store.md", &*unsafe_task),
        ("specs/A.md", OPEN),
        ("specs/M.md", &cover()),
        ("specs/Z.md", OPEN),
    ] {
        workspace.write(path, text).unwrap();
    }
    let fixes = fixed(&workspace, &[], Safety::Unsafe);
    let files = ["specs/A.md", "specs/M.md", "specs/Z.md"];
    assert_eq!(
        files.map(|file| read(&workspace, file)),
        [CLOSED, &cover(), CLOSED]
    );
    let fixed_task = TASK.replace("\"true\"", "\"cargo test\"");
    assert_eq!(read(&workspace, "tasks/cache/01-store.md"), fixed_task);
    assert_eq!((fixes.checked.fixed, fixes.refused), (3, 1));
}

#[test]
fn of_several_unsafe_fixes_of_a_file_the_bad_one_is_left_out() {
    let task = |command: &str| {
        let cover = cover();
        format!(
            "---\ntask: 1\nstatus: pending\nbackpressure: {command}\ndepends_on: []\n---\n\n{cover}"
        )
    };
    let workspace = with(&[("tasks/cache/01-a.md", &task("cargo test || true"))]);
    fixed(&workspace, &["B2", "S2", "S3"], Safety::Unsafe);
    assert_eq!(read(&workspace, "tasks/cache/01-a.md"), task("cargo test"));
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
    let path = "tasks/links/IMPLEMENTATION_PLAN.md";
    for (last, expected) in [("1, 2, 3", &["G3"][..]), ("1, 3", &["G3", "P2"])] {
        let workspace = with(&[
            ("tasks/links/01-a.md", &task(1, "")),
            ("tasks/links/02-b.md", &task(2, "1")),
            ("tasks/links/03-c.md", &task(3, "2")),
            ("tasks/links/04-d.md", &task(4, "1, 2, 3, 5")),
            (path, &plan(last)),
        ]);
        let selected: Vec<_> = ["G3", "P2"]
            .iter()
            .map(|rule| rule.parse().unwrap())
            .collect();
        let choice = RuleChoice {
            select: Some(selected),
            ignore: Vec::new(),
        };
        linting(&workspace, "", &choice, &[], |linting| {
            let before = linting.check(&Overlay::default()).unwrap();
            assert_eq!(codes(&before), expected);
            for finding in before.findings() {
                let suggestion = &finding.suggestion;
                assert!(!suggestion.contains("1, 2, 3, 5"), "{suggestion}");
            }
        });
        let after = fixed(&workspace, &["G3", "P2"], Safety::Unsafe);
        assert_eq!(codes(&after.checked), ["G3"]);
        assert_eq!(read(&workspace, path), plan("1, 2, 3"));
    }
}

#[test]
fn a_status_in_another_word_is_written_as_it_is_read() {
    let task = |status: &str| {
        format!(
            "---\ntask: 1\nstatus: {status}\nbackpressure: cargo test\ndepends_on: []\n---\n\n\
             # Store\n\n- Create: `src/store.rs`\n"
        )
    };
    let workspace = with(&[("tasks/cache/01-store.md", &task("todo"))]);
    let fixes = fixed(&workspace, &["F1"], Safety::Safe);
    assert_eq!(fixes.checked.fixed, 1);
    assert_eq!(read(&workspace, "tasks/cache/01-store.md"), task("pending"));
}

#[test]
fn a_missing_path_is_reported_before_and_after_its_command_is_copied() {
    let plan = "---\nunit: links\n---\n\n# Plan\n\n| # | File | Check |\n|---|---|---|\n\
                | 1 | 01-validate.md | pytest -x tests/test_validate.py |\n";
    let task = "---\ntask: 1\nstatus: pending\nbackpressure: pytest tests/test_validate.py\n\
                depends_on: []\n---\n\n# Validate\n\nText.\n";
    let path = "tasks/links/IMPLEMENTATION_PLAN.md";
    let workspace = with(&[
        ("src/validate.py", ""),
        (path, plan),
        ("tasks/links/01-validate.md", task),
    ]);
    // Safe fixes leave both.
    let before = fixed(&workspace, &["B9", "P3"], Safety::Safe);
    assert_eq!(codes(&before.checked), ["B9", "P3"]);
    let after = fixed(&workspace, &["B9", "P3"], Safety::Unsafe);
    assert_eq!(codes(&after.checked), ["B9"]);
    let plan = read(&workspace, path);
    let end = "| 1 | 01-validate.md | `pytest tests/test_validate.py` |\n";
    assert!(plan.ends_with(end), "{plan}");
}

#[test]
fn a_file_with_two_names_is_checked_and_fixed_once() {
    let workspace = with(&[("specs/C.md", OPEN), ("elsewhere/E.md", OPEN)]);
    for (target, link) in [
        ("C.md", "specs/B.md"),
        ("C.md", "specs/D.md"),
        ("../elsewhere/E.md", "specs/E1.md"),
        ("../elsewhere/E.md", "specs/E2.md"),
    ] {
        std::os::unix::fs::symlink(target, workspace.root().join(link)).unwrap();
    }
    linting(&workspace, "", &RuleChoice::default(), &[], |linting| {
        let checked = linting.check(&Overlay::default()).unwrap();
        let paths: Vec<_> = checked.findings().map(|one| &*one.path).collect();
        assert_eq!(paths, ["specs/C.md", "specs/E1.md"]);
    });
    let fixes = fixed(&workspace, &[], Safety::Safe);
    assert_eq!(codes(&fixes.checked), [""; 0]);
    assert_eq!(read(&workspace, "specs/C.md"), CLOSED);
    assert_eq!(read(&workspace, "elsewhere/E.md"), CLOSED);
}
