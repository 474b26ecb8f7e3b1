//! A project without a repository: the work lands in its files.

use super::Project;

#[test]
fn without_a_repository_the_work_lands_in_the_files() {
    let project = Project::new(&["[]", "[1]"]);
    project.agent(2, "[ -e 1.txt ] && echo 2 > 2.txt");
    let ran = project.run(&[]).run().exits(0);
    let landed = "landed in your files: tasks 1, 2";
    assert!(ran.stdout.contains(landed), "{}", ran.stdout);
    assert_eq!(project.states(), ["landed", "landed"]);
    assert_eq!(
        project.report()["landed"][0]["branch"],
        serde_json::Value::Null
    );
    let environment = &project.environment;
    assert_eq!(environment.read("2.txt"), "2\n");
    let file = environment.read("tasks/demo/02-task.md");
    assert!(file.contains("status: complete"), "{file}");
    assert!(!environment.root().join(".git").exists());
    let gate = environment.ralph(["gate", "--offline", "--format", "json"]);
    let gate = gate.exits(3).json();
    let tasks = gate["specs"][0]["tasks"].as_array().unwrap();
    let proved: Vec<_> = tasks.iter().map(|task| &task["status"]).collect();
    assert_eq!(proved, ["recorded", "recorded"], "{gate:#}");
}

#[test]
fn a_repository_without_a_commit_is_a_folder() {
    let project = Project::new(&["[]"]);
    project.git(&["init", "-q"]);
    project.run(&[]).run().exits(0);
    assert_eq!(project.environment.read("1.txt"), "1\n");
    let status = project.git(&["status", "--porcelain", "--branch"]);
    assert!(status.starts_with("## No commits yet on main"), "{status}");
    assert_eq!(project.git(&["for-each-ref"]), "");
}

#[test]
fn an_edit_of_the_user_and_a_kill_lose_nothing() {
    let project = Project::new(&["[]", "[1]"]);
    project.environment.write("notes.txt", "old\n");
    let root = project.environment.root();
    let notes = root.join("notes.txt");
    let notes = notes.display();
    project.agent(1, &format!("echo new > {notes}; echo 1 > 1.txt"));
    project.agent(
        2,
        "if [ -e \"$HOME/killed\" ]; then echo 2 > 2.txt; else touch \"$HOME/killed\"; kill -9 $PPID; fi",
    );
    let killed = project.run(&[]).into_std().status().unwrap();
    assert!(!killed.success());
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(project.calls(), ["1.1", "2.1", "2.1"]);
    assert_eq!(project.environment.read("notes.txt"), "new\n");
    assert_eq!(project.environment.read("1.txt"), "1\n");
    assert_eq!(project.environment.read("2.txt"), "2\n");
}
