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

#[test]
fn what_there_is_instead_of_a_branch_is_said_and_branches_are_refused() {
    let project = Project::new(&["[]"]);
    for options in [["--land", "branch"], ["--target", "main"]] {
        let ran = project.run(&options).run().exits(2);
        let refused = "is not in a git work tree\n  hint: a branch is needed to land on: run \
                       `git init` where there is none, and commit the project\n";
        assert!(ran.stderr.ends_with(refused), "{}", ran.stderr);
    }
    let ran = project.run(&["--land", "never"]).run().exits(0);
    let said = "no git repository with a commit: finished work is written to your files\n";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    assert_eq!(
        project.report()["sandbox"]["without_repository"],
        serde_json::Value::Bool(true)
    );
    assert_eq!(project.states(), ["on_lane"]);
    let clean = || {
        let cleaned = project.environment.ralph(["clean", "--older-than", "0s"]);
        cleaned.exits(0).stdout
    };
    assert!(clean().contains("\nnothing to remove\n"));
    let land = ["land", "latest", "--branch", "other"];
    let ran = project.environment.ralph(land).exits(2);
    assert!(
        ran.stderr.contains("is not in a git work tree"),
        "{}",
        ran.stderr
    );
    assert!(!project.environment.root().join("1.txt").exists());
    project.environment.ralph(["land", "latest"]).exits(0);
    assert_eq!(project.environment.read("1.txt"), "1\n");
    let lane = project.lane();
    assert!(clean().contains("removed 1 run and the checkouts of 1 run, "));
    assert!(!lane.exists());
    assert_eq!(project.environment.read("1.txt"), "1\n");
}

#[test]
fn the_users_edit_of_the_same_lines_keeps_the_work_on_the_lane() {
    let project = Project::new(&["[]"]);
    project.environment.write("1.txt", "one\n");
    let file = project.environment.root().join("1.txt");
    let edit = format!("echo 1 > 1.txt; echo mine > {}", file.display());
    project.agent(1, &edit);
    let ran = project.run(&[]).run().exits(1);
    for said in [
        "not landed, on the lane: task 1 (conflict)\n",
        "1 task is not landed: your files got other changes of the same lines since the run \
         started: 1.txt\n",
    ] {
        assert_eq!(ran.stdout.matches(said).count(), 1, "{}", ran.stdout);
    }
    assert_eq!(project.environment.read("1.txt"), "mine\n");
    project.environment.write("1.txt", "one\n");
    project.environment.ralph(["land", "latest"]).exits(0);
    assert_eq!(project.environment.read("1.txt"), "1\n");
}

#[test]
fn an_agent_that_writes_to_the_files_of_the_user_stops_the_run() {
    let project = Project::new(&["[]"]);
    let root = project.environment.root();
    project.agent(1, &format!("echo 1 > 1.txt; cp 1.txt {}", root.display()));
    project.run(&[]).run().exits(6);
    assert_eq!(project.report()["block_code"], "tampered");
}

/// Ends a landing in the middle of writing the files of the user: git, which writes them,
/// as `end` says, and then the run.
fn cut_off_landing(project: &Project, end: &str) {
    let environment = &project.environment;
    let system = std::env::var_os("PATH").unwrap();
    let mut found = std::env::split_paths(&system).map(|folder| folder.join("git"));
    let git = found.find(|git| git.is_file()).unwrap();
    let (git, bin) = (git.display(), environment.bin());
    let script = format!(
        r#"[ -e "$HOME/cut" ] || case " $* " in
            *' read-tree -m -u -n '*) ;;
            *' read-tree -m -u '*)
                touch "$HOME/cut"; cd "$RALPH_TOP"
                printf chan > changed.txt; rm gone.txt; echo 1 > 1.txt
                {end}; exit 1;;
            *' update-ref -m '*) GIT_EXEC_PATH='{}' '{git}' "$@"; kill -9 $PPID; exit 1;;
        esac
        exec '{git}' "$@""#,
        bin.display()
    );
    environment.program("git", &script);
}

#[test]
fn a_landing_that_is_killed_between_two_files_is_made_again() {
    // Git leaves its locks, or takes them back.
    for end in ["kill -9 $PPID", "true"] {
        for command in ["resume", "land"] {
            let project = Project::new(&["[]"]);
            let environment = &project.environment;
            environment.write("changed.txt", "before\n");
            environment.write("gone.txt", "gone\n");
            environment.write("mine.txt", "before\n");
            project.agent(
                1,
                "echo 1 > 1.txt; echo changed > changed.txt; rm gone.txt; ln -s 1.txt link",
            );
            cut_off_landing(&project, end);
            let killed = project.run(&[]).into_std().status().unwrap();
            assert!(!killed.success());
            assert_eq!(environment.read("changed.txt"), "chan");
            environment.write("mine.txt", "mine\n");
            let ran = environment.ralph([command, "latest"]).exits(0);
            assert_eq!(project.states(), ["landed"], "{}", ran.stdout);
            assert_eq!(environment.read("changed.txt"), "changed\n");
            assert_eq!(environment.read("1.txt"), "1\n");
            assert_eq!(environment.read("mine.txt"), "mine\n");
            let link = std::fs::read_link(environment.root().join("link")).unwrap();
            assert_eq!(link, std::path::Path::new("1.txt"));
            assert!(!environment.root().join("gone.txt").exists());
            assert_eq!(project.calls(), ["1.1"]);
        }
    }
}
