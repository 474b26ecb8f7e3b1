//! A run that is killed goes on where it was, and each task lands once.

use std::io::{BufRead, BufReader};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Project;
use crate::support::tries_every_case;

/// Ends the run that the agent works for.
const KILL: &str = "kill -9 $PPID";

#[test]
fn a_run_killed_while_an_agent_works_goes_on_in_the_same_checkout() {
    let project = Project::committed(&["[]", "[1]"]);
    project.agent(
        1,
        &format!("if [ -e half.txt ]; then echo 1 > 1.txt; else echo half > half.txt; {KILL}; fi"),
    );
    let killed = project.run(&[]).into_std().status().unwrap();
    assert!(!killed.success());
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(project.calls(), ["1.1", "1.1", "2.1"]);
    assert_eq!(project.log(), ["Task 2", "Task 1", "Start"]);
    assert_eq!(project.environment.read("half.txt"), "half\n");
    assert!(
        project.prompt(1, 1).contains("interrupted"),
        "{}",
        project.prompt(1, 1)
    );
}

#[test]
fn a_run_killed_in_a_gate_repeats_the_gate_and_no_agent() {
    let project = Project::committed(&["[]"]);
    let once = format!(
        "if [ ! -e \"$HOME/killed\" ] && [ -e 1.txt ]; then touch \"$HOME/killed\"; {KILL}; fi"
    );
    project.task(1, "[]", &format!("{once}; grep -qx 1 1.txt"));
    project.commit();
    let killed = project.run(&[]).into_std().status().unwrap();
    assert!(!killed.success());
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(project.calls(), ["1.1"]);
    assert_eq!(project.log(), ["Task 1", "Start"]);
}

#[test]
fn a_parked_task_gets_new_attempts_on_resume_and_landed_ones_are_kept() {
    let project = Project::committed(&["[]", "[]"]);
    project.agent(1, "echo wrong > 1.txt");
    project.run(&["--attempts", "1"]).run().exits(1);
    assert_eq!(project.states(), ["parked", "landed"]);
    project.agent(1, "echo 1 > 1.txt");
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(project.calls(), ["1.1", "2.1", "1.2"]);
    assert_eq!(project.states(), ["landed", "landed"]);
    assert_eq!(project.log(), ["Task 1", "Task 2", "Start"]);
}

#[test]
fn an_answer_to_a_question_reaches_each_later_call_for_its_task_also_after_a_kill() {
    let project = Project::committed(&["[]", "[]"]);
    let question = r#"{"outcome": "question", "text": "Which limit?"}"#;
    project.agent(1, &format!("echo '{question}'"));
    let ran = project.run(&[]).run().exits(1);
    let run = project.report()["run"].as_str().unwrap()[28..].to_owned();
    let answer = format!("answer task 1: `ralph guide {run} --task 1 TEXT`, then");
    assert!(ran.stdout.contains(&answer), "{ran:#?}");
    for (task, fault) in [("2", "is landed"), ("3", "does not exist")] {
        let guide = ["guide", "latest", "--task", task, "Fifty."];
        let refused = project.environment.ralph(guide).exits(2);
        let message = format!("task {task} of run {run} {fault}; guidance not recorded\n");
        assert!(refused.stderr.contains(&message), "{refused:#?}");
    }
    let guide = ["guide", "latest", "--task", "1", "The limit is fifty."];
    let guided = project.environment.ralph(guide).exits(0);
    assert_eq!(
        guided.stdout,
        format!("next:\ngo on with the run:\nralph resume {run}\n")
    );
    let once = format!(
        "if [ -e \"$HOME/killed\" ]; then echo 1 > 1.txt\n\
         else cp \"$HOME/prompt-1-2\" \"$HOME/killed\"; {KILL}; fi"
    );
    project.agent(1, &once);
    let resume = ["resume", "latest"];
    let killed = project.environment.command(resume).into_std().status();
    assert!(!killed.unwrap().success());
    project.environment.ralph(resume).exits(0);
    assert_eq!(project.calls(), ["1.1", "2.1", "1.2", "1.2"]);
    assert!(!project.prompt(1, 1).contains("The limit is fifty."));
    let first = std::fs::read_to_string(project.environment.home().join("killed")).unwrap();
    for prompt in [first, project.prompt(1, 2)] {
        assert!(
            prompt.contains(" guidance>>>\nThe limit is fifty.\n"),
            "{prompt}"
        );
    }
    assert_eq!(project.states(), ["landed", "landed"]);
}

/// Two tasks that are open at the same time, and a file that both change.
fn unit() -> Project {
    let project = Project::new(&["[]", "[]"]);
    let list = "first: 1\n\n\n\nsecond: 2\n";
    project.environment.write("list.txt", list);
    project.commit();
    for task in 1..=2 {
        let script = format!(
            "echo {task} > {task}.txt; sed 's/: {task}/: done/' list.txt > new; mv new list.txt"
        );
        project.agent(task, &script);
    }
    project
}

const OPTIONS: [&str; 4] = ["--jobs", "2", "--format", "jsonl"];

/// The files of the project with their content, and the sorted subjects of its commits.
fn end_of(project: &Project) -> (Vec<(String, String)>, Vec<String>) {
    let environment = &project.environment;
    let mut files = environment.files(".");
    files.retain(|path| !path.starts_with(".git/") && !path.starts_with(".ralph-review/"));
    let read = |path: String| (path.clone(), environment.read(path));
    let mut log = project.log();
    log.sort();
    (files.into_iter().map(read).collect(), log)
}

/// Whether a line of a run says that a step starts or ended, which it prints once that is
/// recorded in its journal.
fn follows_record(line: &str) -> bool {
    line.contains("\"step.started\"") || line.contains("\"step.finished\"")
}

/// Kills a run after this many records, and goes on with it. Returns whether it was killed.
fn killed_after(records: usize) -> (Project, bool) {
    let project = unit();
    let mut run = project.run(&OPTIONS).into_std().spawn().unwrap();
    let printed = BufReader::new(run.stdout.take().unwrap()).lines();
    let mut recorded = printed
        .map(Result::unwrap)
        .filter(|line| follows_record(line));
    let is_killed = recorded.by_ref().take(records).count() == records;
    run.kill().unwrap();
    run.wait().unwrap();
    let resumed = project.environment.ralph(["resume", "latest"]);
    resumed.exits(0);
    (project, is_killed)
}

/// The processes that work in a folder, where the system lists them.
fn processes_in(project: &Project) -> Vec<String> {
    let folder = project.environment.home().parent().unwrap().to_owned();
    let listed = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_there = |process: &std::fs::DirEntry| {
        let cwd = std::fs::read_link(process.path().join("cwd"));
        cwd.is_ok_and(|cwd| cwd.starts_with(&folder))
    };
    let left = listed.filter(is_there);
    left.map(|process| process.file_name().into_string().unwrap())
        .collect()
}

/// The counts of records after which to kill a run that printed these lines when nothing
/// disturbed it: each in which a step of its lane or of its first task starts, or all.
fn kills(printed: &str) -> Vec<usize> {
    let starts = |line: &str| line.contains("\"step.started\"") && !line.contains("\"task/2/");
    let records = printed.lines().filter(|line| follows_record(line)).zip(1..);
    let records = records.filter(|(line, _)| tries_every_case() || starts(line));
    records.map(|(_, count)| count).collect()
}

#[test]
fn a_run_killed_at_any_step_ends_as_an_undisturbed_one() {
    let whole = unit();
    let cuts = kills(&whole.run(&OPTIONS).run().exits(0).stdout);
    let end = end_of(&whole);
    assert_eq!(end.1, ["Start", "Task 1", "Task 2"]);
    let (next, kills) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some(at) = cuts.get(next.fetch_add(1, Ordering::SeqCst)) {
            let (project, is_killed) = killed_after(*at);
            kills.fetch_add(usize::from(is_killed), Ordering::SeqCst);
            assert_eq!(end_of(&project), end, "after record {at}");
            let status = project.git(&["status", "--porcelain"]);
            assert_eq!(status, "", "after record {at}");
            let mut locks = project.environment.files(".git");
            locks.retain(|path| path.ends_with(".lock"));
            assert_eq!(locks, [""; 0], "after record {at}");
            assert_eq!(processes_in(&project), [""; 0], "after record {at}");
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    assert!(cuts.len() > 10, "{cuts:?}");
    assert!(kills.into_inner() > cuts.len() / 2);
}
