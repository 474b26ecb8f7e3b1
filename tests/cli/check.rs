//! A command of the project that is run before each review.

use serde_json::{Value, json};

use crate::scripted::{PASS, REVISE, SPEC, Scripted};

/// A project whose check passes while the spec does not say `broken`.
fn project() -> Scripted {
    let project = Scripted::new(&["true"]);
    project.write(
        "ralph.toml",
        "[review]\ncheck = \"echo checked >> $HOME/checks; echo one line; ! grep broken specs/DEMO.md\"\n",
    );
    project
}

/// What the check said in each round: how it failed, and the end of its output.
fn said(report: &Value) -> Vec<(Value, Value)> {
    let rounds = report["iterations"].as_array().unwrap().iter();
    rounds
        .map(|round| {
            let check = &round["check"];
            (check["failure"].clone(), check["output"].clone())
        })
        .collect()
}

#[test]
fn a_round_in_which_the_check_fails_is_never_better_than_one_in_which_it_passed() {
    let project = project();
    let better = REVISE.replace("60", "95");
    project.reviewer(&format!(
        "cat > \"$HOME/asked-$RALPH_ITERATION\"\n\
         if [ $RALPH_ITERATION = 1 ]; then echo '{REVISE}'; else echo '{better}'; fi"
    ));
    project.applier(
        "cat > \"$HOME/apply-$RALPH_ITERATION\"\necho broken $RALPH_ITERATION >> \"$RALPH_SPEC\"",
    );
    let run = ["--set", "review.patience=2", "--format", "json"];
    let report = project.run(&run).run().exits(1).json();
    assert_eq!(report["block_code"], "stagnated", "{report:#}");
    assert_eq!(
        report["best"],
        json!({
            "iteration": 1,
            "standing": "1 open finding, lowest score 60, sum 330",
            "restored": true,
        })
    );
    assert_eq!(project.environment.read("specs/DEMO.md"), SPEC);
    let failed = |output: &str| (json!("exit status 1"), json!(output));
    assert_eq!(
        said(&report),
        [
            (Value::Null, json!("one line\n")),
            failed("one line\nbroken 1\n"),
            failed("one line\nbroken 1\nbroken 2\n"),
        ]
    );
    let checks = std::fs::read_to_string(project.outside("checks")).unwrap();
    assert_eq!(checks.lines().count(), 3);
    let read = |name: &str| std::fs::read_to_string(project.outside(name)).unwrap();
    let fails = "The command `echo checked";
    assert!(!read("asked-1").contains(fails));
    assert!(!read("apply-1").contains(fails));
    assert!(read("asked-2").contains(fails));
    let told = read("apply-2");
    let regressed = "passed before the last change and fails now";
    assert!(told.contains(fails) && told.contains(regressed), "{told}");
    let folder = project.journal();
    let document = folder.parent().unwrap().join("feedback/002.json");
    let document: Value = serde_json::from_slice(&std::fs::read(document).unwrap()).unwrap();
    let item = &document["feedback_items"][0];
    assert_eq!(item["severity"], "critical");
    assert_eq!(item["evidence"]["test_result"], "one line\nbroken 1\n");
}

#[test]
fn nothing_passes_while_the_check_fails() {
    let project = project();
    project.write("specs/DEMO.md", format!("{SPEC}broken\n"));
    project.reviewer(&format!("cat >/dev/null\necho '{PASS}'"));
    project.applier("cat >/dev/null\nsed -i /broken/d \"$RALPH_SPEC\"");
    let report = project.run(&["--format", "json"]).run().exits(0).json();
    assert_eq!(report["outcome"], "passed", "{report:#}");
    let verdicts = report["iterations"].as_array().unwrap().iter();
    let verdicts: Vec<_> = verdicts.map(|round| &round["verdict"]).collect();
    assert_eq!(verdicts, ["needs_revision", "pass"]);
    let shown = project.environment.ralph(["report", "latest"]).stdout;
    assert!(
        shown.contains("exit status 1\n    | one line\n    | broken\n"),
        "{shown}"
    );
}

#[test]
fn a_malformed_answer_runs_no_second_check() {
    let project = project();
    project.reviewer(&format!(
        "cat >/dev/null\nif [ -e \"$HOME/again\" ]; then echo '{PASS}'; else : > \"$HOME/again\"; echo rubbish; fi"
    ));
    project.run(&["--no-apply"]).run().exits(0);
    assert_eq!(project.calls(), ["review 1", "review 1"]);
    let checks = std::fs::read_to_string(project.outside("checks")).unwrap();
    assert_eq!(checks.lines().count(), 1);
}
