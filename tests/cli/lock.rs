//! Two processes on one unit.

use std::fs;

use serde_json::{Value, json};

use crate::fifo::Fifo;
use crate::scripted::{PASS, REVISE, Scripted};
use crate::support::{Ran, short};

fn run_of(project: &Scripted) -> String {
    let journal = project.journal();
    let run = journal.parent().unwrap().file_name().unwrap();
    run.to_str().unwrap().to_owned()
}

#[test]
fn the_second_run_of_a_unit_stops_at_once_and_names_the_first() {
    let project = Scripted::new(&["true"]);
    let (events, go) = (Fifo::new(&project), project.outside("go"));
    let made = std::process::Command::new("mkfifo").arg(&go).status();
    assert!(made.unwrap().success());
    project.reviewer(&format!(
        "exec 3> {events}; echo runs >&3; read word < \"$HOME/go\"; echo '{PASS}'"
    ));
    let first = project.run(&[]).into_std().spawn().unwrap();
    let mut events = events.open();
    assert_eq!(events.line(), "runs");
    let run = run_of(&project);
    for arguments in [
        &["run"] as &[&str],
        &["run", "--no-apply", "--no-tasks"],
        &["run", "--tasks-only"],
        &["review", "specs/DEMO.md"],
        &["review", "tasks/demo"],
        &["resume", "latest"],
    ] {
        let ran = project.environment.ralph(arguments).exits(2);
        assert!(ran.stderr.contains(&run), "{arguments:?}: {ran:#?}");
        assert_eq!(ran.stdout, "", "{arguments:?}");
    }
    let report = ["report", "latest", "--format", "json"];
    let live = project.environment.ralph(report).exits(0).json();
    assert_eq!(live["outcome"], Value::Null);
    assert_eq!(live["exit"], Value::Null);
    let runs = project
        .environment
        .ralph(["report", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(runs["runs"][0]["outcome"], Value::Null);
    let cleaned = ["clean", "--format", "json"];
    let cleaned = project.environment.ralph(cleaned).exits(0).json();
    assert_eq!(cleaned["runs"][0]["outcome"], Value::Null);
    assert_eq!(cleaned["runs"][0]["state"], "live");
    let at_work = format!("process {} since ", first.id());
    assert_eq!(live["block_reason"], "");
    let reason = live["progress"].as_str().unwrap();
    assert!(
        reason.starts_with(&at_work) && reason.ends_with(", first round"),
        "{reason}"
    );
    for command in [&["report", "latest"][..], &["report"]] {
        let shown = project.environment.ralph(command).exits(0).stdout;
        assert!(shown.contains("running"), "{shown}");
        assert!(!shown.contains("interrupted"), "{shown}");
    }
    assert_eq!(
        live["next"][0],
        json!({"text": format!("wait until it ends; `ralph watch {}` shows what it does", short(&run))})
    );
    let guide = project.environment.ralph(["guide", "latest", "Be kind."]);
    assert_eq!(
        guide.exits(0).stdout,
        format!("run {} receives it at its next round\n", short(&run))
    );
    let approve = ["approve", "latest", "--by", "ann", "--format", "json"];
    let approved = project.environment.ralph(approve).exits(0).json();
    assert_eq!(approved, live);
    fs::write(go, "go\n").unwrap();
    let ran = Ran::new(&project.environment, first.wait_with_output().unwrap());
    ran.exits(0);
    let ended = project.environment.ralph(report).exits(0).json();
    assert_eq!(ended["outcome"], "passed");
    assert_eq!(project.calls(), ["review 1"]);
    assert_eq!(run_of(&project), run, "no second run was made");
}

#[test]
fn a_run_that_is_started_on_the_unit_of_its_own_run_is_refused() {
    let ralph = env!("CARGO_BIN_EXE_ralph");
    let nested = |name: &str| {
        format!("'{ralph}' run --tasks-only 2> \"$HOME/{name}\"; echo $? >> \"$HOME/{name}\"")
    };
    let project = Scripted::new(&[&nested("task")]);
    project.reviewer(&format!("{}; echo '{PASS}'", nested("reviewer")));
    project.run(&[]).run().exits(0);
    let run = run_of(&project);
    // The command of a task does not learn which run it judges.
    for (starter, knows_its_parent) in [("reviewer", true), ("task", false)] {
        let message = fs::read_to_string(project.outside(starter)).unwrap();
        assert!(
            message.contains(&format!("is in use by run {run} ")),
            "{message}"
        );
        let parent = message.contains("whose task started this process");
        assert_eq!(parent, knows_its_parent, "{starter}: {message}");
        assert!(message.ends_with("\n2\n"), "{starter}: {message}");
    }
}

#[test]
fn runs_of_different_units_do_not_wait_for_each_other() {
    let project = Scripted::new(&[]);
    project.write("specs/OTHER.md", "# Other\n");
    let ralph = env!("CARGO_BIN_EXE_ralph");
    project.reviewer(&format!(
        "case \"$RALPH_SPEC\" in *DEMO.md) '{ralph}' run --spec OTHER --reviewer cmd:judge \
         > \"$HOME/other\" || exit 1;; esac; echo '{PASS}'"
    ));
    project.run(&["--spec", "DEMO"]).run().exits(0);
    let other = fs::read_to_string(project.outside("other")).unwrap();
    assert!(other.contains("specs/OTHER.md"), "{other}");
}

#[test]
fn a_review_of_a_spec_keeps_a_run_of_it_away_and_no_other() {
    let project = Scripted::new(&[]);
    project.write("specs/OTHER.md", "# Other\n");
    let ralph = env!("CARGO_BIN_EXE_ralph");
    project.reviewer(&format!(
        "case \"$RALPH_SPEC\" in *DEMO.md)\n\
         for spec in DEMO OTHER; do\n\
         '{ralph}' run --spec $spec --reviewer cmd:judge > /dev/null 2> \"$HOME/$spec\"\n\
         echo $? >> \"$HOME/codes\"; done;; esac; echo '{PASS}'"
    ));
    let review = ["review", "specs/DEMO.md", "--reviewer", "cmd:judge"];
    let review = [&review as &[_], &["--format", "json"]].concat();
    let reviewed = project.environment.ralph(review).exits(0).json();
    let codes = fs::read_to_string(project.outside("codes")).unwrap();
    assert_eq!(codes, "2\n0\n");
    let message = fs::read_to_string(project.outside("DEMO")).unwrap();
    assert!(
        message.contains(reviewed["run"].as_str().unwrap()),
        "{message}"
    );
    assert_eq!(project.calls(), ["review 1", "review 1"]);
}

#[test]
fn a_resume_whose_artifact_is_gone_says_so() {
    let project = Scripted::new(&[]);
    project.write("docs/a.md", "# A\n");
    project.reviewer(&format!("echo '{REVISE}'"));
    project.applier("exit 7");
    let agents = ["--reviewer", "cmd:judge", "--applier", "cmd:fix"];
    let review = [&["review", "docs"] as &[_], &agents].concat();
    project.environment.ralph(review).exits(3);
    let root = project.environment.root();
    fs::rename(root.join("docs"), root.join("moved")).unwrap();
    let resumed = project.resume(&[]).run().exits(2);
    assert_eq!(
        resumed.stderr,
        "error: [ROOT]/docs no longer exists, and the run is about it\n\
         \x20 hint: restore it, or start a new run where it is now\n"
    );
}
