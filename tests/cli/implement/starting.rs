//! What is refused before anything is made.

use super::{Project, untouched};

#[test]
fn a_branch_needs_a_repository_with_a_commit() {
    for option in [["--target", "main"], ["--land", "branch"]] {
        let project = Project::new(&["[]"]);
        let ran = project.run(&option).run().exits(2);
        let hint = "is not in a git work tree\n  hint: a branch is needed to land on: run";
        assert!(ran.stderr.contains(hint), "{}", ran.stderr);
        assert!(project.calls().is_empty());
        let root = project.environment.root();
        assert!(!root.join(".ralph-review/runs").exists());
    }
    let project = Project::new(&["[]"]);
    project.git(&["init", "-q"]);
    let ran = project.run(&["--target", "main"]).run().exits(2);
    let error = "branch main has no commit";
    assert!(ran.stderr.contains(error), "{}", ran.stderr);
}

#[test]
fn changes_that_are_not_committed_are_refused_included_or_ignored() {
    let project = Project::committed(&["[]"]);
    project.environment.write("draft.txt", "draft\n");
    let before = untouched(&project);
    let ran = project.run(&[]).run().exits(2);
    assert!(
        ran.stderr
            .contains("draft.txt\n  hint: commit or stash them"),
        "{}",
        ran.stderr
    );
    assert_eq!(untouched(&project), before);
    project.agent(1, "[ -e draft.txt ] && echo 1 > 1.txt");
    project
        .run(&["--dirty", "ignore", "--attempts", "1"])
        .run()
        .exits(1);
    project.run(&["--dirty", "include"]).run().exits(0);
    assert_eq!(project.log(), ["Task 1", "Start"]);
    assert_eq!(project.git(&["status", "--porcelain"]), "?? draft.txt");
}

#[test]
fn a_unit_that_is_not_committed_is_seen_by_agents_and_stays_uncommitted() {
    let project = Project::new(&["[]"]);
    project.git(&["init", "-q"]);
    project.git(&["commit", "-q", "--allow-empty", "-m", "Start"]);
    project.run(&[]).run().exits(0);
    assert_eq!(project.log(), ["Task 1", "Start"]);
    let changed = project.git(&["show", "--name-only", "--format="]);
    assert_eq!(changed, "1.txt");
    let file = project.environment.read("tasks/demo/01-task.md");
    assert!(file.contains("status: complete"), "{file}");
}
