//! How an agent resolves a conflict is accounted for.

use super::Project;

const START: &str = "def add():\n    return 1\n";

/// Two tasks that append a function to the same file. The second one, which has to resolve
/// the conflict, ends its first attempt while the command of the first passes.
fn conflicting(resolution: &str) -> Project {
    let project = Project::new(&["[]", "[]"]);
    let environment = &project.environment;
    environment.write("code.py", START);
    environment.write(
        "one.sh",
        "grep -q one code.py || exit 1\n[ ! -p \"$HOME/meeting\" ] || echo > \"$HOME/meeting\"\n",
    );
    project.task(1, "[]", "sh one.sh");
    project.task(2, "[]", "grep -q two code.py");
    project.commit();
    pipe(&project, "meeting");
    let append =
        |name: &str| format!("printf 'def {name}():\\n    return \"{name}\"\\n' >> code.py");
    project.agent(1, &append("one"));
    let first = "cat \"$HOME/meeting\"; rm \"$HOME/meeting\"";
    let script = format!(
        "if [ $RALPH_ATTEMPT = 1 ]; then {first}; {}; else {resolution}; fi",
        append("two")
    );
    project.agent(2, &script);
    project
}

fn pipe(project: &Project, name: &str) {
    let pipe = project.environment.home().join(name);
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
}

const BOTH: &str = "sed -i '/^[<|>=]\\{7\\}/d' code.py";

fn writes(text: &str) -> String {
    format!("printf '{}' > code.py", text.replace('\n', "\\n"))
}

fn one_and(rest: &str) -> String {
    format!("{START}def one():\n    return \"one\"\n{rest}")
}

#[test]
pub(super) fn a_resolution_that_keeps_both_sides_lands() {
    let project = conflicting(BOTH);
    project.run(&["--jobs", "2"]).run().exits(0);
    assert_eq!(project.states(), ["landed", "landed"]);
    let code = project.environment.read("code.py");
    assert!(
        code.contains("def one") && code.contains("def two"),
        "{code}"
    );
}

#[test]
fn an_agent_that_drops_the_other_side_has_to_try_again_and_is_told_what_is_missing() {
    let dropped = format!("{START}def two():\n    return \"two\"\n");
    let kept = one_and("def two():\n    return \"two\"\n");
    let script = format!(
        "if [ $RALPH_ATTEMPT = 2 ]; then {}; else {}; fi",
        writes(&dropped),
        writes(&kept)
    );
    let project = conflicting(&script);
    project.run(&["--jobs", "2"]).run().exits(0);
    assert_eq!(project.rejected(2), ["text_conflict", "text_conflict"]);
    assert!(project.prompt(2, 3).contains("missing definition `one`"));
    assert_eq!(project.environment.read("code.py"), kept);
}

#[test]
fn a_resolution_with_lines_that_no_side_has_waits_for_a_user() {
    let project = conflicting(&writes(&one_and(
        "def two():\n    return \"two\"\n\nprint(\"invented\")\n",
    )));
    project.run(&["--jobs", "2"]).run().exits(1);
    assert_eq!(project.rejected(2), ["text_conflict", "resolution_differs"]);
    assert_eq!(project.states(), ["landed", "held"]);
    let approve = [
        "approve", "latest", "--task", "2", "--by", "ann", "--why", "ok",
    ];
    project.environment.ralph(approve).exits(0);
    assert!(project.environment.read("code.py").contains("invented"));
}

/// The first attempt at task 1 fits into the lane, which moved, and fails; the second one
/// changes a line that task 3 changes meanwhile, and its agent fails. A task starts when
/// those before it are on the lane, so that its agent can say so.
#[test]
fn marks_of_a_change_that_is_later_than_the_one_first_merged_have_to_be_resolved() {
    let project = Project::new(&["[]", "[]", "[2]", "[3]"]);
    project.environment.write("notes.md", "one\ntwo\nthree\n");
    project.commit();
    for name in ["to-1", "to-3"] {
        pipe(&project, name);
    }
    let changes = |line: &str| format!("printf 'one\\ntwo {line}\\nthree\\n' > notes.md");
    project.agent(
        1,
        &format!(
            "case $RALPH_ATTEMPT in\n\
             1) cat \"$HOME/to-1\"; echo wrong > 1.txt;;\n\
             2) echo > \"$HOME/to-3\"; cat \"$HOME/to-1\"; {}; exit 1;;\n\
             3) echo 1 > 1.txt;;\n\
             *) echo 1 > 1.txt; {};;\n\
             esac",
            changes("mine"),
            changes("theirs and mine")
        ),
    );
    let says = "echo > \"$HOME/to-1\"";
    let theirs = changes("theirs");
    project.agent(
        3,
        &format!("{says}; cat \"$HOME/to-3\"; {theirs}; echo 3 > 3.txt"),
    );
    project.agent(4, &format!("{says}; echo 4 > 4.txt"));
    project
        .run(&["--jobs", "2", "--attempts", "4"])
        .run()
        .exits(0);
    assert_eq!(
        project.rejected(1),
        ["gate_red", "agent_failed", "text_conflict"]
    );
    let told = "notes.md still has the marks of a conflict";
    assert!(project.prompt(1, 4).contains(told));
    assert_eq!(
        project.environment.read("notes.md"),
        "one\ntwo theirs and mine\nthree\n"
    );
}
