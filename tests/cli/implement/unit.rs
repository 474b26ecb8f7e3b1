//! A unit of twelve tasks of a library, with agents that do it right, wrong, twice, or not
//! at all: what can be landed is, and nothing else.

use std::process::Command;

use super::{Project, write_unit};
use crate::support::{Ran, TestEnvironment};

/// A task of the library: its name is that of its module and of its test.
struct Task {
    name: &'static str,
    depends_on: &'static str,
    /// What its test runs.
    test: &'static str,
    /// What its agent does.
    agent: &'static str,
}

/// Has two agents wait for each other once, if the test wants it.
const MEET: &str = r#"
meet() {
    [ -p "$HOME/$1" ] && [ ! -e "$HOME/$1-$RALPH_TASK" ] || return 0
    touch "$HOME/$1-$RALPH_TASK"
    if [ "$2" = first ]; then : > "$HOME/$1"; else : < "$HOME/$1"; fi
}
"#;

const TASKS: [Task; 12] = [
    Task {
        name: "count",
        depends_on: "[]",
        test: "[ \"$(words 'a b')\" = 2 ]",
        agent: "echo 'words() { set -- $1; echo $#; }' > src/count.sh",
    },
    Task {
        name: "reverse",
        depends_on: "[]",
        test: "[ \"$(reverse ab)\" = ba ]",
        agent: r#"if grep -q reverse src/reverse.sh; then ba='${1#?}${1%?}'; else ba='$1'; fi
            echo "reverse() { echo $ba; }" > src/reverse.sh"#,
    },
    Task {
        name: "longer",
        depends_on: "[1]",
        test: "longer 'a b c' 'a b'",
        agent: r#"echo 'longer() { [ "$(words "$1")" -gt "$(words "$2")" ]; }' > src/longer.sh"#,
    },
    Task {
        name: "clamp",
        depends_on: "[]",
        test: "[ \"$(to_ten 12)\" = 10 ]",
        agent: "echo 'to_ten() { echo $1; }' > src/clamp.sh; sed -i 's/= 10/= 12/' tests/clamp.sh",
    },
    Task {
        name: "flaky",
        depends_on: "[]",
        test: "[ \"$(one)\" = 1 ]",
        agent: "echo 'one() { echo 1; }' > src/flaky.sh",
    },
    Task {
        name: "left",
        depends_on: "[]",
        test: r#"echo "$NAMES" | grep -q '"left"'"#,
        agent: "meet names first; name left",
    },
    Task {
        name: "right",
        depends_on: "[]",
        test: r#"echo "$NAMES" | grep -q '"right"'"#,
        agent: "meet names second; name right",
    },
    Task {
        name: "rename",
        depends_on: "[]",
        test: "[ \"$(assist)\" = 7 ]",
        agent: "meet shared first; sed -i 's/helper/assist/' src/*.sh",
    },
    Task {
        name: "uses",
        depends_on: "[]",
        test: "[ \"$twice\" = 14 ]",
        agent: r#"meet shared second; name=$(sed -n 's/^\([a-z]*\)().*/\1/p' src/shared.sh)
            echo "twice=\$((2 * \$($name)))" > src/uses.sh"#,
    },
    Task {
        name: "unclear",
        depends_on: "[]",
        test: "[ \"$(limit)\" = 9 ]",
        agent: r#"echo '{"outcome": "question", "text": "Which limit?"}'"#,
    },
    Task {
        name: "after",
        depends_on: "[10]",
        test: "is_limited",
        agent: "echo 'is_limited() { true; }' > src/after.sh",
    },
    Task {
        name: "hard",
        depends_on: "[]",
        test: "[ \"$(answer)\" = 42 ]",
        agent: r#"echo "answer() { echo $RALPH_ATTEMPT; }" > src/hard.sh"#,
    },
];

/// Adds a name to the line that has all names, or to both sides of a conflict in it.
const NAME: &str = r#"
name() {
    names=$(grep -o '"[a-z]*"' src/lib.sh | sort -u | tr '\n' ',')
    { sed '/^<<<<<<< /,/^>>>>>>> /d; /^NAMES/d' src/lib.sh
      echo "NAMES='$names\"$1\"'"; } > src/lib.tmp
    mv src/lib.tmp src/lib.sh
}
"#;

/// Runs the tests that it is called with, with all modules.
const RUN: &str = r#"set -eu
for module in src/*.sh; do . "./$module"; done
for test; do . "./tests/$test.sh"; done
"#;

fn write_library(environment: &TestEnvironment) {
    write_unit(environment, &[]);
    for task in &TASKS {
        environment.write(format!("src/{}.sh", task.name), "");
        let test = format!("{}\n", task.test);
        environment.write(format!("tests/{}.sh", task.name), test);
    }
    environment.write("src/lib.sh", "# All names.\nNAMES=''\n");
    environment.write("src/shared.sh", "helper() { echo 7; }\n");
    environment.write("run-tests", RUN);
}

fn unit() -> Project {
    let project = Project::new(&[]);
    write_library(&project.environment);
    for (number, task) in (1..).zip(&TASKS) {
        let test = format!("sh run-tests {}", task.name);
        let command = match task.name {
            // It fails once after the work is done.
            "flaky" => format!(
                "if grep -q one src/flaky.sh && [ ! -e \"$HOME/flaked\" ]; then touch \"$HOME/flaked\"; exit 1; fi; {test}"
            ),
            _ => test,
        };
        project.task(number, task.depends_on, &command);
        project.agent(number, &format!("{MEET}{NAME}{}", task.agent));
    }
    project
}

/// What is so however many agents work at a time.
fn check(project: &Project, ran: &Ran) {
    let states: Vec<_> = TASKS
        .iter()
        .map(|task| task.name)
        .zip(project.states())
        .collect();
    let expected = [
        ("count", "landed"),
        ("reverse", "landed"),
        ("longer", "landed"),
        ("clamp", "held"),
        ("flaky", "landed"),
        ("left", "landed"),
        ("right", "landed"),
        ("rename", "landed"),
        ("uses", "landed"),
        ("unclear", "parked"),
        ("after", "skipped"),
        ("hard", "parked"),
    ];
    assert_eq!(
        states,
        expected.map(|(name, state)| (name, state.to_owned())),
        "{}",
        ran.stdout
    );
    assert_eq!(project.rejected(2), ["gate_red"]);
    assert_eq!(project.rejected(4), ["tamper_test"]);
    assert_eq!(project.rejected(12), ["gate_red", "gate_red", "gate_red"]);
    let report = project.report();
    let tasks = report["tasks"].as_array().unwrap();
    let flaky: Vec<_> = (1..)
        .zip(tasks)
        .filter(|(_, task)| {
            let flags = task["change"]["flags"].as_array();
            flags.is_some_and(|flags| flags.iter().any(|flag| flag["code"] == "flaky_pass"))
        })
        .map(|(number, _)| number)
        .collect();
    assert_eq!(flaky, [5], "{report:#}");
    assert!(ran.stdout.contains("Which limit?"), "{}", ran.stdout);
    let environment = &project.environment;
    let weakened = environment.read("tests/clamp.sh");
    assert!(weakened.contains("10"), "{weakened}");
    assert_eq!(environment.read("src/hard.sh"), "");
    let tests = TASKS.iter().zip(expected);
    let tests = tests.filter(|(_, (_, state))| *state == "landed");
    let tested = Command::new("sh")
        .current_dir(environment.root())
        .arg("run-tests")
        .args(tests.map(|(task, _)| task.name))
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&tested.stderr);
    assert!(tested.status.success(), "{error}");
}

/// The subjects of the commits that landed, sorted.
fn landed(project: &Project) -> Vec<String> {
    let mut log = project.log();
    log.sort();
    log
}

const LANDED: [&str; 9] = [
    "Start", "Task 1", "Task 2", "Task 3", "Task 5", "Task 6", "Task 7", "Task 8", "Task 9",
];

#[test]
pub(super) fn three_agents_at_a_time_land_what_is_right() {
    let project = unit();
    for name in ["names", "shared"] {
        let fifo = project.environment.home().join(name);
        let made = Command::new("mkfifo").arg(fifo).status().unwrap();
        assert!(made.success());
    }
    project.commit();
    let ran = project.run(&["--jobs", "3"]).run().exits(6);
    check(&project, &ran);
    assert_eq!(landed(&project), LANDED);
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    let conflicts = |one, other| [project.rejected(one), project.rejected(other)].concat();
    assert_eq!(conflicts(6, 7), ["text_conflict"]);
    assert_eq!(conflicts(8, 9), ["semantic_conflict"]);
}

#[test]
fn one_agent_at_a_time_lands_the_same() {
    let project = unit();
    project.commit();
    let ran = project.run(&[]).run().exits(6);
    check(&project, &ran);
    assert_eq!(landed(&project), LANDED);
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}
