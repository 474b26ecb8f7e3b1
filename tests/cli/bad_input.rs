//! Units that are not as they should be.

use crate::scripted::{PASS, Scripted};

fn task(number: &str, waits_for: &str) -> String {
    format!(
        "---\ntask: {number}\nstatus: pending\nbackpressure: \"echo ran >> $HOME/calls\"\n\
         depends_on: {waits_for}\n---\n\n# Step\n\n**Parent spec**: `/specs/DEMO.md`\n"
    )
}

#[test]
fn a_unit_with_a_fault_runs_no_task() {
    let table: [(&str, [String; 2], &str); 6] = [
        (
            "duplicate",
            [task("1", "[]"), task("1", "[]")],
            "tasks/demo/02-b.md:2",
        ),
        (
            "cycle",
            [task("1", "[2]"), task("2", "[1]")],
            "tasks/demo/01-a.md:5",
        ),
        (
            "unknown",
            [task("1", "[]"), task("2", "[7]")],
            "tasks/demo/02-b.md:5",
        ),
        (
            "self",
            [task("1", "[]"), task("2", "[2]")],
            "tasks/demo/02-b.md:5",
        ),
        (
            "YAML",
            [task("1", "[]"), task("2", "[1")],
            "tasks/demo/02-b.md:",
        ),
        (
            "missing number",
            [task("1", "[]"), task("1", "[]").replace("task: 1\n", "")],
            "tasks/demo/02-b.md:",
        ),
    ];
    for (name, files, place) in table {
        let project = Scripted::new(&[]);
        project.reviewer(&format!("echo '{PASS}'"));
        project.write("tasks/demo/01-a.md", &files[0]);
        project.write("tasks/demo/02-b.md", &files[1]);
        let before = project.artifact();
        let ran = project.run(&[]).run().exits(1);
        assert_eq!(project.calls(), ["review 1"], "{name}");
        assert!(ran.stdout.contains(place), "{name}: {ran:#?}");
        assert!(
            ran.stdout.contains("not_passed (task_failed): "),
            "{name}: {ran:#?}"
        );
        assert_eq!(project.artifact(), before, "{name}");
        let status = project.environment.ralph(["run", "--tasks-only"]).exits(1);
        assert!(status.stdout.contains(place), "{name}: {status:#?}");
    }
}

#[test]
fn line_ends_and_byte_order_marks_stay_when_a_status_is_written() {
    for (name, edit) in [
        (
            "CRLF",
            (|text| text.replace('\n', "\r\n")) as fn(&str) -> String,
        ),
        ("BOM", |text| format!("\u{feff}{text}")),
        ("both", |text| {
            format!("\u{feff}{}", text.replace('\n', "\r\n"))
        }),
        ("quotes", |text| {
            text.replace("status: pending", "status:   'pending'  # soon")
        }),
    ] {
        let project = Scripted::new(&[]);
        project.reviewer(&format!("echo '{PASS}'"));
        let text = edit(&task("1", "[]"));
        project.write("tasks/demo/01-a.md", &text);
        project.run(&[]).run().exits(0);
        assert_eq!(project.calls(), ["review 1", "ran"], "{name}");
        assert_eq!(
            project.environment.read("tasks/demo/01-a.md"),
            text.replace("pending", "complete"),
            "{name}"
        );
    }
}
