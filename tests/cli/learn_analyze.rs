//! `ralph learn run`.

use serde_json::{Value as Json, json};

use crate::scripted::{PASS, Scripted};
use crate::support::TestEnvironment;

/// The feedback of reviewers on the applier: five times the same, in other words, and
/// four other things.
const SAID: [(&str, &str); 9] = [
    (
        "The upload in src/a.rs has no timeout",
        "Set a timeout on the upload",
    ),
    (
        "Upload without timeout at line 4",
        "Set a deadline for uploads",
    ),
    ("Zebras are striped", "Count the stripes"),
    (
        "No timeout is set for the upload",
        "Set a timeout on the upload",
    ),
    ("Walruses are pink", "Paint them"),
    (
        "The upload has no timeout and hangs",
        "perhaps think about it",
    ),
    ("Otters swim", "Dry the otters"),
    ("Uploads lack a timeout", "Set a timeout on each upload"),
    ("Quokkas smile", "Smile back"),
];

pub(crate) fn id(number: usize) -> String {
    format!("0192f0c1-2d3e-7a4b-8c5d-{number:012}")
}

/// Puts the first pieces of feedback into the store of a project that learns.
pub(crate) fn feedback(environment: &TestEnvironment, agent: &str, count: usize) {
    environment.write(".aiwg/agent-learning.yaml", CONFIG);
    // Ids are given once, whatever the agent.
    let first = if agent == "applier" { 0 } else { 100 };
    for (number, (issue, correction)) in SAID.iter().take(count).enumerate() {
        let id = id(first + number);
        let entry = json!({
            "id": &id, "agent": agent,
            "timestamp": format!("2026-03-0{}T12:00:00Z", number + 1),
            "type": "review_rejection", "severity": "high",
            "context": {"session": format!("r-{number}")},
            "details": {"error_message": issue, "correction": correction},
        });
        let file = format!("2026030{}T120000Z-{id}.json", number + 1);
        environment.write(format!(".aiwg/.feedback/{agent}/{file}"), entry.to_string());
    }
}

pub(crate) const CONFIG: &str = "\
version: 1.0.0
feedback_collection:
  retention:
    max_age_days: 100000
learning_pipeline: {}
";

pub(crate) fn analyzed(environment: &TestEnvironment, arguments: &[&str]) -> Json {
    let command = ["learn", "run", "--format", "json"];
    let ran = environment.ralph(command.iter().chain(arguments)).exits(0);
    let report: Json = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(report["v"], 1);
    report["agents"].clone()
}

/// The lesson of the one group that waits, in these words of a user.
pub(crate) fn worded(environment: &TestEnvironment, text: &str) -> Json {
    let waiting = analyzed(environment, &[])[0]["waiting"][0].clone();
    let id = waiting["id"].as_str().expect("a group that waits");
    let word = ["learn", "decide", &id[..8], "--by", "ann", "--text", text];
    let decided = environment.ralph([&word[..], &["--format", "json"]].concat());
    decided.exits(0).json()["lesson"].clone()
}

pub(crate) fn journal(environment: &TestEnvironment) -> Vec<Json> {
    let journal = environment.read(".ralph-review/learning.jsonl");
    let lines = journal.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("lines of JSON")
}

#[test]
fn groups_are_shown_with_what_was_left_aside_and_what_to_do_next() {
    let environment = TestEnvironment::new();
    feedback(&environment, "applier", 9);
    feedback(&environment, "reviewer", 4);
    let broken = format!(".aiwg/.lessons/reviewer/{}.json", self::id(99));
    environment.write(&broken, "{");
    let ran = environment.ralph(["learn", "run"]).exits(0);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "0 entries added",
            "applier: 9 entries, 1 cluster, 1 pattern"
        ]
    );
    let aside = "  of 9 entries left aside: 4 in groups of fewer than 3";
    assert_eq!(lines[2], aside);
    let id = &lines[3][..8];
    assert_eq!(
        lines[3..],
        [
            &format!("{id}  needs words  applier  5 entries"),
            "    \"The upload in src/a.rs has no timeout Set a timeout on the upload\"",
            "    \"Uploads lack a timeout Set a timeout on each upload\"",
            "    \"No timeout is set for the upload Set a timeout on the upload\"",
            "reviewer: 4 entries, fewer than min_samples (5)",
            "next:",
            &format!("word what the feedback asks for: `ralph learn decide {id} --text TEXT`"),
        ]
    );
    let shown = environment.ralph(["learn", "show", id]).exits(0).stdout;
    assert_eq!(shown.lines().collect::<Vec<_>>(), lines[3..7]);
    let note = "no model is asked: patterns without a common name wait for words";
    assert_eq!(ran.stderr.matches(note).count(), 1, "{}", ran.stderr);
    let left_out = format!("warning: left out: {broken}: ");
    assert!(ran.stderr.contains(&left_out), "{}", ran.stderr);
    std::fs::remove_file(environment.root().join(broken)).unwrap();
    let lesson = worded(&environment, "Set a timeout on each upload.");
    let whole = lesson["id"].as_str().unwrap();
    let show = |id: &str, format| environment.ralph(["learn", "show", id, "--format", format]);
    let mut shown = show(&whole[..8], "json").exits(0).json();
    assert_eq!(shown["v"].take(), json!(1));
    shown.as_object_mut().unwrap().remove("v");
    assert_eq!(shown, lesson);
    let text = show(whole, "human").exits(0).stdout;
    let head = format!("{whole}  proposed\n  Set a timeout on each upload.\n");
    assert!(text.starts_with(&head), "{text}");
    assert_eq!(text.matches("\n  0192f0c1  2026-03-0").count(), 5, "{text}");
    for (id, why) in [
        ("0192", "\"0192\" is ambiguous; it matches 0192"),
        ("", "no lesson, group or entry has the id \"\"\n"),
    ] {
        let ran = show(id, "human").exits(2);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

#[test]
fn nothing_is_analysed_where_there_is_no_feedback_or_nothing_is_learned() {
    let environment = TestEnvironment::new();
    let ran = environment.ralph(["learn", "run"]).exits(2);
    assert!(
        ran.stderr.contains("nothing is learned here"),
        "{}",
        ran.stderr
    );
    feedback(&environment, "applier", 1);
    let ran = environment.ralph(["learn", "run", "nobody"]).exits(4);
    assert!(
        ran.stderr.contains("no feedback of nobody"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_limit_that_cannot_be_kept_is_answered_by_one_that_the_command_has() {
    let environment = TestEnvironment::new();
    feedback(&environment, "applier", 9);
    let command = ["learn", "run", "--reviewer", "cmd:true", "--max-cost", "1"];
    let ran = environment.ralph(command).exits(2);
    assert!(
        ran.stderr
            .ends_with("hint: limit the calls: --max-calls N\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_run_analyzes_by_itself_where_there_is_enough_feedback() {
    let project = Scripted::new(&["exit 7"]);
    feedback(&project.environment, "applier", 9);
    project.reviewer(&format!("echo '{PASS}'"));
    let ran = project.run(&[]).run().exits(1);
    let quoted = "warning: what was found waits for words, since the answer of the reviewer (cmd) is \
                  not a lesson: no object with the keys";
    assert_eq!(ran.stderr.matches(quoted).count(), 1, "{}", ran.stderr);
    let events = journal(&project.environment).into_iter();
    let extraction: Vec<Json> = events
        .filter(|event| event["payload"]["trigger"] == "feedback_threshold_reached")
        .collect();
    assert_eq!(extraction.len(), 6);
    assert_eq!(extraction[0]["payload"]["agent"], "applier");
    assert_eq!(extraction[0]["payload"]["entries"], 10);
    assert!(extraction[0]["run"].is_string());
}
