//! When and where finished work lands.

use super::{Project, untouched};

#[test]
fn never_leaves_the_work_on_the_lane_and_says_how_it_lands() {
    let project = Project::committed(&["[]"]);
    let before = untouched(&project);
    let ran = project.run(&["--land", "never"]).run().exits(0);
    assert_eq!(untouched(&project), before);
    assert_eq!(project.states(), ["on_lane"]);
    assert_eq!(project.report()["outcome"], "passed");
    let said = "\nnot landed, on the lane: task 1 (never: ";
    assert_eq!(ran.stdout.matches(said).count(), 1, "{}", ran.stdout);
    let next = "next:\nland the finished work: `ralph land ";
    assert!(ran.stdout.contains(next), "{}", ran.stdout);
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(project.states(), ["on_lane"]);
    let refused = project.run(&["--land", "never"]).run().exits(2);
    let waits = " has done task 1, which waits to land\n  hint: `ralph land ";
    assert!(refused.stderr.contains(waits), "{}", refused.stderr);
    let status = || project.environment.ralph(["status"]).exits(0).stdout;
    let waits = "  next:\n  land what run ";
    let waiting = status();
    assert!(waiting.contains(waits), "{waiting}");
    assert!(waiting.contains(" has done for task 1:\n  ralph land "));
    project.environment.ralph(["land", "latest"]).exits(0);
    assert!(!status().contains(waits));
    assert_eq!(project.log(), ["Task 1", "Start"]);
    assert_eq!(project.calls(), ["1.1"]);
}

#[test]
fn another_task_can_be_done_while_work_waits_to_land() {
    let project = Project::committed(&["[]", "[]"]);
    let only = |task: &str| project.run(&["--land", "never", "--task", task]).run();
    only("1").exits(0);
    only("1").exits(2);
    only("2").exits(0);
    only("1").exits(2);
    project.environment.ralph(["land", "latest"]).exits(0);
    let refused = project.run(&[]).run().exits(2);
    let waits = " has done task 1, which waits to land\n";
    assert!(refused.stderr.contains(waits), "{}", refused.stderr);
    project.environment.ralph(["land", "latest~1"]).exits(0);
    assert_eq!(project.log(), ["Task 1", "Task 2", "Start"]);
    assert_eq!(project.calls(), ["1.1", "2.1"]);
}

#[test]
fn a_branch_of_its_own_leaves_the_users_branch() {
    let project = Project::committed(&["[]"]);
    project.run(&["--land", "branch"]).run().exits(0);
    assert_eq!(project.log(), ["Start"]);
    let log = project.git(&["log", "--format=%s", "ralph/demo"]);
    assert_eq!(log, "Task 1\nStart");
}

#[test]
fn a_run_without_work_on_its_lane_has_nothing_to_land() {
    let project = Project::committed(&["[]"]);
    let revise = r#"{"verdict":"needs_revision","score":{"completeness":50,"consistency":90,"testability":90,"architecture":90},"feedback":[{"section":"Goal","issue":"The numbers are not named.","suggestion":"Name the numbers 1 and 2."}]}"#;
    let judge = format!("cat > /dev/null; echo '{revise}'");
    project.environment.program("judge", &judge);
    let run = [
        "run",
        "--spec",
        "specs/DEMO.md",
        "--implementer",
        "cmd:agent",
    ];
    let review = ["--reviewer", "cmd:judge", "--applier", "cmd:true"];
    project
        .environment
        .ralph(run.iter().chain(&review))
        .exits(1);
    let refused = project.environment.ralph(["land", "latest"]).exits(2);
    let said = " has nothing to land: no task of it is on its lane\n";
    assert!(refused.stderr.contains(said), "{}", refused.stderr);
    assert!(project.calls().is_empty());
}

#[test]
fn what_landed_is_recorded_for_the_tree_that_a_resume_landed() {
    let project = Project::committed(&["[]", "[]"]);
    project.agent(2, "echo wrong > 2.txt");
    project.run(&["--attempts", "1"]).run().exits(1);
    assert_eq!(project.states(), ["landed", "parked"]);
    project.agent(2, "echo 2 > 2.txt");
    project.environment.ralph(["resume", "latest"]).exits(0);
    let status = ["status", "--format", "json"];
    let status = project.environment.ralph(status).exits(0).json();
    let tasks = status["specs"][0]["tasks"].as_array().unwrap().iter();
    let recorded: Vec<_> = tasks.map(|task| task["recorded"].as_bool()).collect();
    assert_eq!(recorded, [Some(true), Some(true)]);
}

#[test]
fn what_landed_is_recorded_for_the_files_as_git_compares_them() {
    let project = Project::committed(&["[]"]);
    project
        .environment
        .write(".gitattributes", "*.txt text eol=crlf\n");
    project.environment.write("notes.md", "not tracked\n");
    project.run(&[]).run().exits(0);
    assert_eq!(project.environment.read("1.txt"), "1\r\n");
    let recorded = || {
        let status = project.environment.ralph(["status", "--format", "json"]);
        status.exits(0).json()["specs"][0]["tasks"][0]["recorded"].clone()
    };
    assert_eq!(recorded(), true);
    project.environment.write("1.txt", "2\n");
    assert_eq!(recorded(), false);
}

#[test]
fn what_landed_is_not_recorded_where_a_tracked_file_differs() {
    for hides in ["--no-assume-unchanged", "--assume-unchanged"] {
        let project = Project::new(&["[]"]);
        project.environment.write("seen.txt", "seen\n");
        project.commit();
        project.git(&["update-index", hides, "seen.txt"]);
        let file = project.environment.root().join("seen.txt");
        let edit = format!("echo 1 > 1.txt; echo mine > {}", file.display());
        project.agent(1, &edit);
        project.run(&[]).run().exits(0);
        let status = project.environment.ralph(["status", "--format", "json"]);
        let status = status.exits(0).json();
        assert_eq!(status["specs"][0]["tasks"][0]["recorded"], false, "{hides}");
    }
}

#[test]
fn commits_of_the_user_meanwhile_are_kept() {
    let project = Project::committed(&["[]"]);
    let root = project.environment.root();
    let commit = format!(
        "cd {root}; echo users > users.txt; git add users.txt; git commit -q -m Meanwhile",
        root = root.display()
    );
    project.agent(1, &format!("echo 1 > 1.txt; ({commit})"));
    project.run(&[]).run().exits(0);
    assert_eq!(project.log(), ["Task 1", "Meanwhile", "Start"]);
    assert_eq!(project.environment.read("users.txt"), "users\n");
}

#[test]
fn a_file_that_the_user_edits_meanwhile_is_not_overwritten() {
    let project = Project::new(&["[]"]);
    project.environment.write("1.txt", "one\n");
    project.commit();
    let file = project.environment.root().join("1.txt");
    project.agent(
        1,
        &format!("echo 1 > 1.txt; echo mine > {}", file.display()),
    );
    let ran = project.run(&[]).run().exits(1);
    assert_eq!(project.environment.read("1.txt"), "mine\n");
    assert_eq!(project.log(), ["Start"]);
    assert_eq!(project.states(), ["on_lane"]);
    assert!(ran.stdout.contains("not committed"), "{}", ran.stdout);
    project.git(&["checkout", "-q", "1.txt"]);
    project.environment.ralph(["land", "latest"]).exits(0);
    assert_eq!(project.environment.read("1.txt"), "1\n");
}

#[test]
fn commits_that_cannot_be_signed_stay_on_the_lane_until_they_can_be() {
    let project = Project::committed(&["[]"]);
    project.environment.program(
        "signs",
        "cat > /dev/null\n\
         [ -e \"$HOME/key\" ] || { echo no key >&2; exit 1; }\n\
         printf '\\n[GNUPG:] SIG_CREATED \\n' >&2\n\
         printf -- '-----BEGIN PGP SIGNATURE-----\\nx\\n-----END PGP SIGNATURE-----\\n'",
    );
    project.git(&["config", "gpg.program", "signs"]);
    project.git(&["config", "commit.gpgSign", "true"]);
    let before = untouched(&project);
    let ran = project.run(&[]).run().exits(1);
    assert_eq!(untouched(&project), before);
    assert_eq!(project.states(), ["on_lane"]);
    assert_eq!(project.report()["not_landed"]["code"], "sign_failed");
    let next = "correct what the report names, then land the finished work: `ralph land ";
    assert!(ran.stdout.contains(next), "{}", ran.stdout);
    project.environment.ralph(["land", "latest"]).exits(1);
    std::fs::write(project.environment.home().join("key"), "").unwrap();
    project.environment.ralph(["land", "latest"]).exits(0);
    assert_eq!(project.log(), ["Task 1", "Start"]);
    let landed = project.git(&["cat-file", "commit", "HEAD"]);
    assert!(landed.contains("\ngpgsig -----BEGIN PGP"), "{landed}");
}

#[test]
pub(super) fn a_task_that_breaks_an_earlier_one_does_not_land_until_it_is_fixed() {
    let project = Project::committed(&["[]", "[1]"]);
    project.agent(
        2,
        "if [ $RALPH_ATTEMPT = 1 ]; then rm 1.txt; else echo 1 > 1.txt; fi; echo 2 > 2.txt",
    );
    project.run(&[]).run().exits(0);
    assert_eq!(project.environment.read("1.txt"), "1\n");
    assert_eq!(project.states(), ["landed", "landed"]);
}

#[test]
fn a_landed_run_is_removed_with_its_lane() {
    let project = Project::committed(&["[]"]);
    project.run(&[]).run().exits(0);
    let lane = project.lane();
    assert!(lane.join("lane.json").exists());
    project.environment.ralph(["clean", "latest"]).exits(0);
    assert!(!lane.exists());
}

#[test]
fn the_checkout_of_a_task_is_deleted_once_it_has_landed() {
    let project = Project::committed(&["[]"]);
    project.run(&[]).run().exits(0);
    assert!(!project.lane().join("tasks/1").exists());
}

#[test]
fn a_run_is_removed_with_its_checkouts_and_both_are_counted() {
    let project = Project::committed(&["[]"]);
    project.run(&["--land", "never"]).run().exits(0);
    let lane = project.lane();
    let old = ["clean", "--older-than", "0s"];
    let kept = project.environment.ralph(old).exits(0).stdout;
    assert!(
        kept.contains("  can be resumed\nnothing to remove\n"),
        "{kept}"
    );
    assert!(lane.join("lane.json").exists());
    project.environment.ralph(["land", "latest"]).exits(0);
    let removed = project.environment.ralph(["clean", "latest"]).exits(0);
    let total = removed.stdout.lines().last().unwrap();
    assert!(total.starts_with("removed 1 run, "), "{}", removed.stdout);
    assert!(!lane.exists());
}

#[test]
fn what_has_landed_can_be_brought_to_another_branch_also_without_its_checkouts() {
    for clean in [false, true] {
        let project = Project::committed(&["[]"]);
        project.run(&[]).run().exits(0);
        let head = project.git(&["rev-parse", "main"]);
        if clean {
            std::fs::remove_dir_all(project.lane()).unwrap();
        }
        let land = |branch: &str| {
            let land = ["land", "latest", "--branch", branch];
            project.environment.ralph(land)
        };
        for _ in 0..2 {
            let landed = land("later").exits(0);
            assert_eq!(landed.stderr, "branch later has what the run landed\n");
            assert_eq!(project.git(&["rev-parse", "later"]), head);
        }
        project.git(&["branch", "behind", "main~"]);
        land("behind").exits(0);
        assert_eq!(project.git(&["rev-parse", "behind"]), head);
        let landed = project.environment.ralph(["land", "latest"]).exits(0);
        assert_eq!(landed.stderr, "branch main has what the run landed\n");
        // Of another history.
        project.git(&["checkout", "-q", "--orphan", "apart"]);
        project.git(&["commit", "-q", "-m", "Apart"]);
        project.git(&["checkout", "-q", "main"]);
        let apart = project.git(&["rev-parse", "apart"]);
        let refused = land("apart").exits(1);
        let start = "error: not landed (target_moved): git did not move apart to ";
        assert!(refused.stderr.starts_with(start), "{}", refused.stderr);
        assert_eq!(project.git(&["rev-parse", "apart"]), apart);
        assert_eq!(project.calls(), ["1.1"]);
    }
}

#[test]
fn work_on_a_branch_of_its_own_can_land_on_the_target_later() {
    let project = Project::committed(&["[]"]);
    project.run(&["--land", "branch"]).run().exits(0);
    let landed = project.environment.ralph(["land", "latest"]).exits(0);
    assert_eq!(landed.stderr, "branch main has what the run landed\n");
    assert_eq!(project.log(), ["Task 1", "Start"]);
    assert_eq!(project.environment.read("1.txt"), "1\n");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_run_whose_lane_was_removed_is_named_and_calls_no_agent() {
    let project = Project::committed(&["[]", "[]"]);
    project.agent(2, "echo wrong > 2.txt");
    let options = ["--land", "never", "--attempts", "1"];
    project.run(&options).run().exits(1);
    let calls = project.calls();
    let lane = project.lane();
    std::fs::remove_dir_all(&lane).unwrap();
    let lane = project.environment.normalized(&lane.display().to_string());
    for command in [&["land", "latest"][..], &["resume", "latest"]] {
        let refused = project.environment.ralph(command).exits(2);
        assert_eq!(
            refused.stderr,
            format!(
                "error: lane_gone: the run cannot go on: its folder {lane} was removed, with the work of task \
                 1, which had not landed\n  hint: `ralph run specs/DEMO.md` starts a new run, in \
                 which the tasks that are not complete are implemented\n",
            ),
        );
    }
    assert_eq!(project.calls(), calls);
    assert_eq!(project.log(), ["Start"]);
}

#[test]
pub(super) fn agents_work_at_a_time_as_the_option_says() {
    let project = Project::committed(&["[]", "[]"]);
    let pipe = project.environment.home().join("meeting");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    project.agent(1, "echo 1 > 1.txt; echo here > \"$HOME/meeting\"");
    project.agent(2, "echo 2 > 2.txt; cat \"$HOME/meeting\"");
    project.run(&["--jobs", "2"]).run().exits(0);
    assert_eq!(project.states(), ["landed", "landed"]);
}

#[test]
pub(super) fn a_change_that_conflicts_goes_back_with_both_sides() {
    let project = Project::new(&["[]", "[]"]);
    project.task(1, "[]", "grep -q one list.txt");
    project.task(2, "[]", "grep -q two list.txt");
    project.environment.write("list.txt", "start\n");
    project.commit();
    let pipe = project.environment.home().join("meeting");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    // Both start from the same tree, and the second ends when the first is merged.
    let resolve = "if grep -q '<<<<' list.txt; then printf 'one\\ntwo\\n' > list.txt";
    project.agent(
        1,
        &format!("{resolve}; else echo one > list.txt; echo here > \"$HOME/meeting\"; fi"),
    );
    project.agent(
        2,
        &format!("{resolve}; else echo two > list.txt; cat \"$HOME/meeting\"; fi"),
    );
    project.run(&["--jobs", "2"]).run().exits(0);
    assert_eq!(project.environment.read("list.txt"), "one\ntwo\n");
    let rejected = [project.rejected(1), project.rejected(2)].concat();
    assert_eq!(rejected, ["text_conflict"]);
}

#[test]
fn the_command_of_a_task_that_was_complete_before_has_to_pass_too() {
    let project = Project::new(&["[]", "[]"]);
    project.environment.write("1.txt", "1\n");
    let path = "tasks/demo/01-task.md";
    let text = project
        .environment
        .read(path)
        .replace("pending", "complete");
    project.environment.write(path, text);
    project.commit();
    project.agent(2, "rm -f 1.txt; echo 2 > 2.txt");
    project.run(&[]).run().exits(1);
    assert_eq!(project.log(), ["Start"]);
    assert_eq!(project.environment.read("1.txt"), "1\n");
}

#[test]
fn the_marks_of_a_conflict_do_not_land() {
    let project = Project::new(&["[]", "[]"]);
    project.task(1, "[]", "grep -q one list.txt");
    project.task(2, "[]", "grep -q two list.txt");
    project.environment.write("list.txt", "start\n");
    project.commit();
    let pipe = project.environment.home().join("meeting");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let twice = "grep -q '<<<<' list.txt && exit 0";
    project.agent(
        1,
        &format!("{twice}; echo one > list.txt; echo here > \"$HOME/meeting\""),
    );
    project.agent(
        2,
        &format!("{twice}; echo two > list.txt; cat \"$HOME/meeting\""),
    );
    project.run(&["--jobs", "2"]).run().exits(1);
    assert!(!project.environment.read("list.txt").contains("<<<<"));
    let rejected = [project.rejected(1), project.rejected(2)].concat();
    assert_eq!(rejected, ["text_conflict"; 3]);
}

#[test]
fn only_what_passed_its_gate_lands_whatever_the_lane_says() {
    let project = Project::committed(&["[]", "[1]"]);
    project.agent(
        2,
        "lane=$(dirname \"$(cat .git/objects/info/alternates)\"); echo evil > evil.txt; \
         git add evil.txt; git commit -q -m evil; git push -q \"$lane\" HEAD:refs/ralph/lane; \
         echo '{\"outcome\": \"question\", \"text\": \"Which?\"}'",
    );
    project.run(&[]).run().exits(1);
    assert_eq!(project.log(), ["Task 1", "Start"]);
}

#[test]
pub(super) fn an_answer_in_the_task_file_is_seen_and_does_not_keep_the_work_from_landing() {
    let project = Project::committed(&["[]"]);
    project.agent(
        1,
        "if grep -q 'Answer: 1' tasks/demo/01-task.md; then echo 1 > 1.txt; \
         else echo '{\"outcome\": \"question\", \"text\": \"Which?\"}'; fi",
    );
    project.run(&[]).run().exits(1);
    let path = "tasks/demo/01-task.md";
    let text = project.environment.read(path);
    project
        .environment
        .write(path, format!("{text}\nAnswer: 1\n"));
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(project.log(), ["Task 1", "Start"]);
    let text = project.environment.read(path);
    assert!(
        text.contains("Answer: 1") && text.contains("status: complete"),
        "{text}"
    );
}

#[test]
fn a_hook_that_is_gone_moves_no_branch_without_its_files() {
    let project = Project::committed(&["[]"]);
    project.agent(
        1,
        "rm -r \"$(dirname \"$(dirname \"$(cat .git/objects/info/alternates)\")\")/land\"; \
         echo 1 > 1.txt",
    );
    project.run(&[]).run().exits(1);
    assert_eq!(project.log(), ["Start"]);
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    project.environment.ralph(["land", "latest"]).exits(0);
    assert_eq!(project.environment.read("1.txt"), "1\n");
}

#[test]
fn a_commit_says_complete_also_where_git_writes_other_line_ends() {
    let project = Project::new(&["[]"]);
    project
        .environment
        .write(".gitattributes", "*.md text eol=crlf\n");
    project.commit();
    std::fs::remove_dir_all(project.environment.root().join("tasks")).unwrap();
    project.git(&["checkout", "-q", "--", "."]);
    let path = "tasks/demo/01-task.md";
    assert!(project.environment.read(path).contains("\r\n"));
    project.run(&[]).run().exits(0);
    let landed = project.git(&["show", &format!("HEAD:{path}")]);
    assert!(landed.contains("\nstatus: complete\n"), "{landed}");
    assert_eq!(project.git(&["status", "--short"]), "");
}
