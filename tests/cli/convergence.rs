//! A loop that goes nowhere ends before its limit, with its best round on disk,
//! also when it was killed on the way.

use std::fs;

use serde_json::{Value, json};

use crate::scripted::{SPEC, Scripted, once, timeless};
use crate::support::Ran;

const KILL: &str = "kill -9 $PPID";
const TEN: &[&str] = &["--max-iterations", "10", "--format", "json"];

/// A reviewer who gives the score 36, then 99, then 36 again and again, and
/// first runs `before`.
fn wavering(before: &str) -> String {
    format!(
        "cat >/dev/null\n{before}\nscore=36\nif [ $RALPH_ITERATION = 2 ]; then score=99; fi\n\
         for name in completeness consistency testability architecture\n\
         do scores=\"$scores,\\\"$name\\\":$score\"; done\n\
         echo '{{\"verdict\":\"needs_revision\",\"score\":{{'${{scores#,}}'}},\"feedback\":\
         [{{\"section\":\"Goal\",\"issue\":\"it is dull\",\"suggestion\":\"fix it\"}}]}}'"
    )
}

/// A project with such a reviewer and an applier who adds a line, with `script`
/// run before the edit.
fn project(script: &str) -> Scripted {
    let project = Scripted::new(&["true"]);
    project.reviewer(&wavering(""));
    project.applier(&format!(
        "cat >/dev/null\n{script}\necho \"fixed $RALPH_ITERATION\" >> \"$RALPH_SPEC\""
    ));
    project
}

fn spec(project: &Scripted) -> String {
    project.environment.read("specs/DEMO.md")
}

fn best() -> String {
    format!("{SPEC}fixed 1\n")
}

fn stagnated(ran: Ran) -> Value {
    let report = ran.exits(1).json();
    assert_eq!(report["block_code"], "stagnated");
    assert_eq!(
        report["best"],
        json!({
            "iteration": 2,
            "standing": "1 open finding, lowest score 99, sum 396",
            "restored": true,
        })
    );
    timeless(report)
}

#[test]
fn the_best_round_is_put_back_and_the_report_says_which_and_why() {
    let project = project("");
    stagnated(project.run(TEN).run());
    assert_eq!(spec(&project), best());
    let calls = [
        "review 1", "apply 1", "review 2", "apply 2", "review 3", "apply 3", "review 4",
    ];
    assert_eq!(project.calls(), calls);
    let shown = project.environment.ralph(["report", "latest"]).stdout;
    let line = "the files were restored to the best version, that of round 2 (1 open finding, lowest score 99, sum 396)\n";
    assert!(shown.contains(line), "{shown}");
}

#[test]
fn the_last_artifact_or_the_bare_loop_is_there_for_the_asking() {
    let last = project("");
    let ran = last
        .run(&[TEN, &["--set", "review.keep=last"]].concat())
        .run()
        .exits(1);
    assert_eq!(ran.json()["block_code"], "stagnated");
    assert_eq!(ran.json()["best"], Value::Null);
    assert_eq!(spec(&last), format!("{SPEC}fixed 1\nfixed 2\nfixed 3\n"));
    let bare = project("");
    let ran = bare
        .run(&["--set", "review.patience=0", "--max-iterations", "5"])
        .run();
    assert!(ran.exits(1).stdout.contains("max_iterations"));
    assert_eq!(spec(&bare).lines().last(), Some("fixed 4"));
}

#[test]
fn a_kill_at_any_call_comes_to_the_same_best_round() {
    let undisturbed = stagnated(project("").run(TEN).run());
    for round in 1..=4 {
        let only = format!("if [ $RALPH_ITERATION = {round} ]; then {}; fi", once(KILL));
        let killed = project("");
        killed.reviewer(&wavering(&only));
        killed.run(TEN).run().exits(137);
        let resumed = killed.resume(&["--format", "json"]).run();
        assert_eq!(stagnated(resumed), undisturbed, "review {round}");
        assert_eq!(spec(&killed), best());
        if round < 4 {
            let killed = project(&only);
            killed.run(TEN).run().exits(137);
            let resumed = killed.resume(&["--format", "json"]).run();
            assert_eq!(stagnated(resumed), undisturbed, "apply {round}");
            assert_eq!(spec(&killed), best());
        }
    }
}

#[test]
fn a_run_that_breaks_again_and_again_inside_its_writes_comes_to_the_same_best_round() {
    let whole = project("");
    let undisturbed = stagnated(whole.run(TEN).run());
    let journal = fs::read(whole.journal()).unwrap();
    let first = journal.iter().position(|byte| *byte == b'\n').unwrap();
    for step in [1, 3, 4] {
        let broken = project("");
        let mut blocks = first / 512 + 1;
        let mut ran = broken.run(TEN).with_files_up_to(blocks).run();
        let mut breaks = 0;
        while ran.code == 2 {
            breaks += 1;
            blocks += step;
            let resume = broken.resume(&["--format", "json"]);
            ran = resume.with_files_up_to(blocks).run();
        }
        assert_eq!(stagnated(ran), undisturbed, "{step}");
        assert_eq!(spec(&broken), best(), "{step}");
        assert!(breaks >= 5, "{breaks}");
    }
}

#[test]
fn a_restore_that_was_cut_off_is_carried_out_again() {
    let project = project("");
    let undisturbed = stagnated(project.run(TEN).run());
    let journal = fs::read_to_string(project.journal()).unwrap();
    let begin = journal.find("\"step\":\"review/restore-4\"").unwrap();
    let cut = begin + journal[begin..].find('\n').unwrap() + 1;
    for found in [
        SPEC.to_owned(),
        best(),
        format!("{SPEC}fixed 1\nfixed 2\nfixed 3\n"),
    ] {
        fs::write(project.journal(), &journal[..cut]).unwrap();
        project.write("specs/DEMO.md", &found);
        let resumed = project.resume(&["--format", "json"]).run();
        assert_eq!(stagnated(resumed), undisturbed);
        assert_eq!(spec(&project), best());
    }
    fs::write(project.journal(), &journal[..cut]).unwrap();
    project.write("specs/DEMO.md", "# Mine\n");
    let report = project.resume(&["--format", "json"]).run().exits(1).json();
    assert_eq!(report["best"]["left"], json!(["specs/DEMO.md"]));
    assert_eq!(spec(&project), "# Mine\n");
}

#[test]
fn a_stagnated_run_goes_on_from_its_best_round_when_its_limit_is_raised() {
    let project = project("");
    stagnated(project.run(TEN).run());
    project.forget_calls();
    let ran = project
        .resume(&["--max-iterations", "12", "--format", "json"])
        .run();
    assert_eq!(ran.exits(1).json()["block_code"], "stagnated");
    let calls = [
        "apply 2", "review 5", "apply 5", "review 6", "apply 6", "review 7", "apply 7", "review 8",
    ];
    assert_eq!(project.calls(), calls);
    assert_eq!(spec(&project), best());
    project.forget_calls();
    project.resume(&[]).run().exits(1);
    assert_eq!(project.calls(), [""; 0]);
}
