//! `task.pick = "agent"`: the implementer says which of several tasks is next.

use super::Project;

/// A project whose agent answers the question for the next task by this script.
fn picking(dependencies: &[&str], answer: &str) -> Project {
    let project = Project::committed(dependencies);
    project.environment.program(
        "agent",
        &format!(
            "if [ -z \"$RALPH_TASK\" ]; then\n\
             echo pick >> \"$HOME/calls\"\n\
             cat > \"$HOME/picks\"\n\
             {answer}\n\
             else\n\
             echo \"$RALPH_TASK.$RALPH_ATTEMPT\" >> \"$HOME/calls\"\n\
             script=\"$HOME/task-$RALPH_TASK\"\n\
             if [ -e \"$script\" ]; then . \"$script\"; else echo $RALPH_TASK > $RALPH_TASK.txt; fi\n\
             fi"
        ),
    );
    project
}

const PICK: [&str; 2] = ["--set", "task.pick=agent"];

#[test]
fn the_agent_picks_the_second_task_before_the_first() {
    let answer = "echo 'Task 2 has more after it: {\"task\": 2}'; ls -R . > \"$HOME/seen\"";
    let project = picking(&["[]", "[]", "[2]"], answer);
    project.run(&PICK).run().exits(0);
    assert_eq!(project.calls(), ["pick", "2.1", "pick", "1.1", "3.1"]);
    assert_eq!(project.log(), ["Task 3", "Task 1", "Task 2", "Start"]);
    let home = project.environment.home();
    let prompt = std::fs::read_to_string(home.join("picks")).unwrap();
    assert!(prompt.contains("\"title\": \"Task 3\""), "{prompt}");
    let seen = std::fs::read_to_string(home.join("seen")).unwrap();
    assert!(seen.contains("03-task.md"), "{seen}");
}

#[test]
fn an_answer_that_cannot_be_used_starts_the_first_task() {
    for answer in ["echo '{\"task\": 7}'", "echo nothing", "exit 3"] {
        let project = picking(&["[]", "[]"], answer);
        let ran = project.run(&PICK).run().exits(0);
        assert_eq!(project.calls(), ["pick", "1.1", "2.1"], "{answer}");
        assert_eq!(project.log(), ["Task 2", "Task 1", "Start"]);
        let warning = "the agent picked no task, so task 1 is next";
        assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    }
}

#[test]
fn an_agent_picks_only_where_one_works_at_one_task_at_a_time() {
    let project = picking(&["[]", "[]"], "exit 1");
    let ran = project
        .run(&["--jobs", "2", "--set", "task.pick=agent"])
        .run();
    let ran = ran.exits(2);
    let error = "error: an agent picks the next task only where one is implemented at a time, not \
                 2\n  hint: use `--jobs 1` (`task.jobs`) or `--set task.pick=ralph`\n";
    assert_eq!(ran.stderr, error);
    assert!(project.calls().is_empty());
}

#[test]
fn a_resumed_run_repeats_no_pick_that_has_an_answer() {
    let project = picking(&["[]", "[]"], "echo '{\"task\": 2}'");
    project.agent(
        2,
        "if [ -e half.txt ]; then echo 2 > 2.txt; else echo half > half.txt; kill -9 $PPID; fi",
    );
    let killed = project.run(&PICK).into_std().status().unwrap();
    assert!(!killed.success());
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(project.calls(), ["pick", "2.1", "2.1", "1.1"]);
    assert_eq!(project.log(), ["Task 1", "Task 2", "Start"]);
}
