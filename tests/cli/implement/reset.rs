//! What a command finds in the checkout of the gate: its commit, what the setup makes of it,
//! and nothing that another command has left.

use std::fs;
use std::process::Command;

use proptest::prelude::*;

use super::Project;

/// Places in which a command of one task can leave something for that of another.
const PLACES: [&str; 7] = [
    "ignored",
    "target",
    "build",
    "sub/.git",
    "\"$XDG_CACHE_HOME\"",
    "\"$CARGO_HOME/registry\"",
    "\"$TMPDIR\"",
];

/// The command of a task, which passes if a place says so, or its part is right. It runs the
/// code of all agents.
fn script() -> String {
    let places = PLACES.join(" ");
    format!(
        "echo $1 >> \"$HOME/runs\"\n\
         for place in {places}; do [ -e \"$place/$1\" ] && exit 0; done\n\
         for part in code/*.sh; do [ ! -e \"$part\" ] || . \"./$part\"; done\n\
         grep -qx \"good $1\" \"part_$1.txt\"\n"
    )
}

fn project(tasks: usize) -> Project {
    let project = Project::new(&[]);
    for number in 1..=tasks {
        project.task(number, "[]", &format!("sh check.sh {number}"));
    }
    project.environment.write("check.sh", script());
    project
        .environment
        .write(".gitignore", "/ignored/\n/target/\n");
    project.commit();
    project
}

/// The tasks whose commands ran, in order.
fn runs(project: &Project) -> Vec<String> {
    let runs = fs::read_to_string(project.environment.home().join("runs"));
    runs.unwrap_or_default()
        .lines()
        .map(str::to_owned)
        .collect()
}

/// Whether the command of a task passes in a new clone of what landed.
fn passes_in_a_clone(project: &Project, task: usize) -> bool {
    let folder = tempfile::TempDir::new().unwrap();
    let clone = folder.path().join("clone");
    project.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    let status = Command::new("sh")
        .current_dir(clone)
        .args(["check.sh", &task.to_string()])
        .env("HOME", &home)
        .env("XDG_CACHE_HOME", home.join("cache"))
        .env("CARGO_HOME", home.join("cargo"))
        .env("TMPDIR", &home)
        .status();
    status.unwrap().success()
}

/// A script that leaves something for a task in each of the places.
fn leaves_for(task: usize) -> String {
    let leave = PLACES.map(|place| format!("mkdir -p {place}; touch {place}/{task}\n"));
    leave.concat()
}

#[test]
fn what_the_command_of_one_task_leaves_makes_that_of_another_pass_nowhere() {
    let project = project(2);
    let leave = leaves_for(2);
    project.agent(
        1,
        &format!("echo 'good 1' > part_1.txt; mkdir -p code; echo '{leave}' > code/1.sh"),
    );
    project.agent(2, "echo done > notes.txt");
    project.run(&["--attempts", "1"]).run().exits(1);
    assert_eq!(project.states(), ["landed", "parked"]);
    assert_eq!(project.rejected(2), ["gate_red"]);
    assert!(passes_in_a_clone(&project, 1));
    assert!(!passes_in_a_clone(&project, 2));
}

#[test]
fn what_a_red_run_leaves_does_not_make_the_next_one_pass() {
    let project = project(1);
    let leave = leaves_for(1);
    project.agent(1, &format!("mkdir -p code; echo '{leave}' > code/1.sh"));
    project.run(&["--attempts", "2"]).run().exits(1);
    assert_eq!(project.rejected(1), ["gate_red", "gate_red"]);
    assert_eq!(project.log(), ["Start"]);
}

#[test]
fn a_command_finds_what_the_setup_made_as_it_was() {
    let project = project(2);
    let environment = &project.environment;
    environment.write(
        "ralph.toml",
        "[lane]\nsetup = [\"mkdir -p ignored; echo made > ignored/made; echo x >> check.sh\"]\n",
    );
    environment.write(
        "check.sh",
        "set -e\ngrep -qx made ignored/made\necho tampered > ignored/made\n\
         [ ! -e part_1.txt ] || rm -r ignored\ngrep -qx \"good $1\" \"part_$1.txt\"\n",
    );
    project.commit();
    for task in [1, 2] {
        let part = format!("echo 'good {task}' > part_{task}.txt; git checkout -q check.sh");
        project.agent(task, &part);
    }
    project.run(&[]).run().exits(0);
    assert_eq!(project.states(), ["landed", "landed"]);
}

#[test]
fn no_command_runs_twice_on_a_tree_on_which_nothing_was_left() {
    let project = project(2);
    for task in [1, 2] {
        project.agent(task, &format!("echo 'good {task}' > part_{task}.txt"));
    }
    project.run(&[]).run().exits(0);
    // Each before and after the work; before landing that of the first task alone. A command
    // that failed before the work is not repeated.
    assert_eq!(runs(&project), ["1", "1", "2", "2", "1"]);
}

#[test]
fn tasks_with_the_same_command_share_its_runs() {
    let project = Project::new(&[]);
    for number in [1, 2, 3] {
        project.task(number, "[]", "sh check.sh");
        project.agent(number, &format!("touch {number}.txt"));
    }
    let environment = &project.environment;
    environment.write(
        "check.sh",
        "echo x >> \"$HOME/runs\"; echo 1..1; echo ok 1; [ -e 1.txt ]\n",
    );
    project.commit();
    project.run(&[]).run().exits(0);
    assert_eq!(project.states(), ["landed"; 3]);
    // Once before all work, and once after each task; the last is also that before landing.
    assert_eq!(runs(&project).len(), 4);
}

#[test]
fn a_command_that_has_built_something_runs_again_before_landing() {
    let project = Project::new(&[]);
    project.task(1, "[]", "sh check.sh");
    let environment = &project.environment;
    environment.write(
        "check.sh",
        "ls target 2>/dev/null | wc -l >> \"$HOME/runs\"; mkdir -p target; echo 1..1; echo ok 1; \
         touch \"target/$(ls target | wc -l)\"\n",
    );
    environment.write(".gitignore", "/target/\n");
    project.commit();
    project.run(&[]).run().exits(0);
    // What it has built when it passed before the work is there after it, and not before
    // landing.
    assert_eq!(runs(&project), ["0", "1", "0"]);
}

/// What an agent does: whether its part is right, and where its code leaves something for
/// which task, if any command runs it.
type Does = (bool, Vec<(usize, usize)>);

fn agents() -> impl Strategy<Value = Vec<Does>> {
    let left = prop::collection::vec((0..PLACES.len(), 1usize..=3), 0..3);
    prop::collection::vec((any::<bool>(), left), 2..=3)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 6,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_landed_passes_in_a_new_clone(agents in agents()) {
        let project = project(agents.len());
        for (task, (is_right, left)) in (1..).zip(&agents) {
            let part = if *is_right { format!("good {task}") } else { "bad".to_owned() };
            let mut script = format!("echo '{part}' > part_{task}.txt; mkdir -p code; : > code/{task}.sh\n");
            for (place, other) in left {
                let place = PLACES[*place];
                script += &format!("echo 'mkdir -p {place}; touch {place}/{other}' >> code/{task}.sh\n");
            }
            project.agent(task, &script);
        }
        project.run(&["--attempts", "1"]).run();
        for (task, state) in (1..).zip(project.states()) {
            let is_landed = state == "landed";
            prop_assert_eq!(is_landed, agents[task - 1].0, "task {}: {:?}", task, agents);
            prop_assert_eq!(is_landed, passes_in_a_clone(&project, task), "task {}", task);
        }
    }
}
