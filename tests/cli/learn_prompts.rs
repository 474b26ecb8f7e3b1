//! `ralph prompts` and the commands of `ralph learn` that change prompts.

use std::fs;

use serde_json::{Value, json};

use crate::corrections::in_sessions;
use crate::scripted::{PASS, REVISE, Scripted};
use crate::support::{Ran, TestEnvironment};

const FIRST: &str = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a201";
const SECOND: &str = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a202";
const PROMPTS: &str = ".aiwg/.prompts/reviewer";

fn lesson_path(agent: &str, id: &str) -> String {
    format!(".aiwg/.lessons/{agent}/{id}.json")
}

/// Proposes a lesson.
fn propose(environment: &TestEnvironment, agent: &str, id: &str, constraint: &str) {
    let lesson = json!({
        "id": id, "agent": agent, "lesson_text": "Limits came without a unit.",
        "constraint_update": constraint, "confidence": 0.75,
        "source_feedback": ["0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2c1"],
    });
    environment.write(lesson_path(agent, id), lesson.to_string());
}

fn lesson(environment: &TestEnvironment, agent: &str, id: &str) -> Value {
    serde_json::from_str(&environment.read(lesson_path(agent, id))).unwrap()
}

fn active(environment: &TestEnvironment) -> (u64, Option<u64>) {
    let text = environment.read(format!("{PROMPTS}/active.json"));
    let active: Value = serde_json::from_str(&text).unwrap();
    assert!(active["since"].is_string());
    (
        active["version"].as_u64().unwrap(),
        active["previous"].as_u64(),
    )
}

/// The types of the events of learning, without `learning.`.
fn steps(environment: &TestEnvironment) -> Vec<String> {
    let events = events(environment).into_iter();
    let types = events.map(|event| event["type"].as_str().unwrap().to_owned());
    types.map(|name| name.replace("learning.", "")).collect()
}

fn events(environment: &TestEnvironment) -> Vec<Value> {
    let path = environment.root().join(".ralph-review/learning.jsonl");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn one() -> TestEnvironment {
    let environment = TestEnvironment::new();
    propose(
        &environment,
        "reviewer",
        FIRST,
        "Name the unit\n of every limit.",
    );
    environment
}

fn approve(environment: &TestEnvironment, id: &str) -> Ran {
    environment.ralph(["learn", "decide", id, "--approve", "--by", "ann"])
}

fn shown(environment: &TestEnvironment, arguments: &[&str]) -> Value {
    let arguments = [&["prompts", "reviewer", "--format", "json"], arguments].concat();
    environment.ralph(arguments).exits(0).json()
}

#[test]
fn prompts_are_listed_with_the_version_in_use() {
    let environment = one();
    let list = environment
        .ralph(["prompts", "--format", "json"])
        .exits(0)
        .json();
    let names: Vec<_> = list["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["name"])
        .collect();
    assert_eq!(names, ["reviewer", "applier", "implementer"]);
    let first = shown(&environment, &[]);
    assert_eq!(
        (&first["v"], &first["version"], &first["active"]),
        (&json!(1), &json!(1), &json!(true))
    );
    assert_eq!(first["hash"], list["prompts"][0]["hash"]);
    let text = first["text"].as_str().unwrap();
    assert!(text.starts_with("Review the specification"), "{text}");
    let human = environment.ralph(["prompts", "reviewer"]).exits(0);
    assert_eq!(human.stdout, text);

    approve(&environment, FIRST).exits(0);
    let list = environment
        .ralph(["prompts", "--format", "json"])
        .exits(0)
        .json();
    let reviewer = &list["prompts"][0];
    assert_eq!(
        (
            &reviewer["embedded"],
            &reviewer["active"],
            &reviewer["lessons"]
        ),
        (&json!(1), &json!(2), &json!(1))
    );
    let second = shown(&environment, &[]);
    assert_eq!(second["applied_lessons"], json!([FIRST]));
    assert_eq!(second["hash"], reviewer["hash"]);
    let again = shown(&environment, &["--version", "v1"]);
    assert_eq!(
        (&again["text"], &again["active"]),
        (&first["text"], &json!(false))
    );
    let human = environment.ralph(["prompts"]).exits(0).stdout;
    assert!(human.starts_with("reviewer  v2 "), "{human}");
    environment
        .ralph(["prompts", "reviewer", "--version", "7"])
        .exits(2);
}

#[test]
fn an_approved_lesson_goes_into_a_new_version_by_the_steps_of_the_protocol() {
    let environment = one();
    let ran = environment.ralph([
        "learn",
        "decide",
        FIRST,
        "--approve",
        "--by",
        "ann",
        "--format",
        "json",
    ]);
    let decided = ran.exits(0).json();
    assert_eq!((&decided["v"], &decided["version"]), (&json!(1), &json!(2)));
    assert_eq!(decided["lesson"]["status"], "applied");
    let kept = lesson(&environment, "reviewer", FIRST);
    assert_eq!(kept, decided["lesson"]);
    assert_eq!(
        (&kept["approved_by"], kept["applied_at"].is_string()),
        (&json!("ann"), true)
    );
    assert_eq!(active(&environment), (2, Some(1)));
    let first = shown(&environment, &["--version", "1"]);
    let text = format!(
        "{}\n<!-- lessons: begin -->\nFollow these lessons from earlier work:\n\
         - Name the unit of every limit.\n<!-- lessons: end -->\n",
        first["text"].as_str().unwrap()
    );
    assert_eq!(shown(&environment, &[])["text"], *text);
    let version = environment.read(format!("{PROMPTS}/v2.md"));
    let (front, content) = version
        .strip_prefix("---\n")
        .unwrap()
        .split_once("---\n")
        .unwrap();
    assert_eq!(content, text);
    for line in [
        "agent: \"reviewer\"",
        "version: 2",
        "parent: 1",
        "approved_by: \"ann\"",
        &format!("applied_lessons: [\"{FIRST}\"]"),
    ] {
        assert!(front.lines().any(|found| found == line), "{line}: {front}");
    }
    assert_eq!(
        steps(&environment),
        [
            "prompt_update.load_current_prompt",
            "prompt_update.apply_constraint_updates",
            "prompt_update.generate_new_version",
            "prompt_update.store_version",
            "prompt_update.notify_operators",
            "prompt_update.track_performance",
        ]
    );
    let told = &events(&environment)[1]["payload"];
    assert_eq!(
        (&told["trigger"], &told["agent"]),
        (&json!("lesson_approved"), &json!("reviewer"))
    );
    assert_eq!(told["approval"], Value::Null);
    assert!(
        environment
            .files(PROMPTS)
            .contains(&format!("{PROMPTS}/v2.performance.json"))
    );
}

#[test]
fn decisions_are_taken_once_and_a_rejection_is_final() {
    let environment = one();
    propose(&environment, "reviewer", SECOND, "Quote the sentence.");
    let deferred = [
        "learn",
        "decide",
        SECOND,
        "--by",
        "ann",
        "--until",
        "2999-01-01",
    ];
    environment.ralph(deferred).exits(0);
    let kept = lesson(&environment, "reviewer", SECOND);
    assert_eq!(kept["status"], "proposed");
    assert_eq!(kept["deferred_until"], "2999-01-01T00:00:00Z");
    let due = environment
        .ralph(["learn", "review", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(due["proposals"].as_array().unwrap().len(), 1);
    environment
        .ralph(["learn", "decide", SECOND, "--reject", "--by", "ann"])
        .exits(0);
    assert_eq!(
        lesson(&environment, "reviewer", SECOND)["status"],
        "rejected"
    );
    let error = approve(&environment, SECOND).exits(1).stderr;
    assert!(error.contains("is rejected, which is final"), "{error}");
    assert!(!environment.root().join(PROMPTS).exists());
    approve(&environment, FIRST).exits(0);
    let error = approve(&environment, FIRST).exits(1).stderr;
    assert!(error.contains("is applied already"), "{error}");
    let error = approve(&environment, "0192f0c1").exits(2).stderr;
    let message = format!("error: \"0192f0c1\" is ambiguous; it matches {FIRST}, {SECOND}\n");
    assert!(error.starts_with(&message), "{error}");
    approve(&environment, "ffff").exits(2);
    environment
        .ralph(["learn", "decide", FIRST, "--approve", "--by", " "])
        .exits(2);
}

#[test]
fn the_user_of_the_computer_decides_on_a_lesson_where_no_name_is_given() {
    let environment = one();
    let nameless = environment
        .ralph(["learn", "decide", FIRST, "--approve"])
        .exits(2);
    let hint = "hint: say who you are with --by NAME";
    assert!(nameless.stderr.contains(hint), "{nameless:#?}");
    let approve = environment.command(["learn", "decide", FIRST, "--approve"]);
    approve.env("USER", "ann").run().exits(0);
    assert_eq!(lesson(&environment, "reviewer", FIRST)["status"], "applied");
    assert_eq!(
        lesson(&environment, "reviewer", FIRST)["approved_by"],
        "ann"
    );
}

#[test]
fn a_lesson_that_is_rejected_later_is_taken_out_again() {
    let environment = one();
    approve(&environment, FIRST).exits(0);
    let rejected = environment.ralph(["learn", "decide", FIRST, "--reject", "--by", "bob"]);
    let rejected = rejected.exits(0).stdout;
    let expected = format!("{FIRST} rejected by bob\nreviewer version 2 → 3, 1 change\n");
    assert_eq!(rejected, expected);
    assert_eq!(active(&environment), (3, Some(2)));
    let text = shown(&environment, &[])["text"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        text.ends_with("\n<!-- lessons: begin -->\n<!-- lessons: end -->\n"),
        "{text}"
    );
    assert_eq!(
        lesson(&environment, "reviewer", FIRST)["note"],
        "rejected by bob"
    );
    let history = environment.ralph(["learn", "show", "reviewer"]);
    let history = history.exits(0).stdout;
    let change = format!(
        "cause: update\n    from: 2\n    reason: lesson {FIRST} rejected by bob\n    to: 3\n"
    );
    assert!(history.contains(&change), "{history}");
}

#[test]
fn a_review_asks_about_no_lesson_that_is_deferred() {
    let environment = one();
    let defer = [
        "learn",
        "decide",
        FIRST,
        "--by",
        "ann",
        "--until",
        "2999-01-01",
    ];
    let deferred = environment.ralph(defer).exits(0).stdout;
    let expected = format!("{FIRST} proposed, deferred by ann until 2999-01-01T00:00:00Z\n");
    assert_eq!(deferred, expected);
    let ran = environment.ralph(["learn", "review"]).exits(0);
    assert_eq!(ran.stdout, "no lesson waits for a decision\n");
}

#[test]
fn an_active_file_that_is_not_valid_is_reported_with_one_cause() {
    let environment = one();
    environment.write(format!("{PROMPTS}/active.json"), "x");
    let ran = environment.ralph(["learn", "show", "reviewer"]).exits(2);
    assert_eq!(
        ran.stderr.matches("expected value").count(),
        1,
        "{}",
        ran.stderr
    );
}

#[test]
fn a_lesson_that_was_rolled_back_is_to_be_rejected_or_worded_again() {
    let environment = one();
    environment.write("ralph.toml", "[learning]\n");
    approve(&environment, FIRST).exits(0);
    environment
        .ralph(["learn", "rollback", "reviewer", "--by", "ann"])
        .exits(0);
    let kept = lesson(&environment, "reviewer", FIRST);
    let at = kept["rolled_back_at"].as_str().unwrap();
    let id = &FIRST[..8];
    let line = format!("{id}  rolled_back  reviewer 75 % rolled back on {at}  ");
    let list = environment.ralph(["learn", "show"]).exits(0).stdout;
    assert!(list.starts_with(&line), "{list}");
    let status = environment.ralph(["learn"]).exits(0).stdout;
    assert!(status.contains(&format!("  {line}")), "{status}");
    let next = format!(
        "\nnext:\ndecide on the lesson that was rolled back: `ralph learn decide {id} --reject`, or with --text TEXT\n"
    );
    assert!(status.ends_with(&next), "{status}");
    let review = environment.ralph(["learn", "review"]).exits(0).stdout;
    for expected in [
        format!("│ Rolled back: {at}"),
        format!("│ ralph learn decide {id} --text TEXT"),
        format!(
            "next:\ndecide: `ralph learn decide {id} --reject`, or with --text TEXT or --until 7d\n"
        ),
    ] {
        assert!(review.contains(&expected), "{review}");
    }
    assert!(!review.contains("approve"), "{review}");
    let words = "Give the unit of each number in a table.";
    environment
        .ralph(["learn", "decide", FIRST, "--text", words, "--by", "ann"])
        .exits(0);
    let worded = lesson(&environment, "reviewer", FIRST);
    assert_eq!(worded["confidence"], 0.75);
    let status = environment.ralph(["learn"]).exits(0).stdout;
    assert!(
        status.ends_with("next:\ndecide on what is proposed:\nralph learn review\n"),
        "{status}"
    );
}

#[test]
fn a_rollback_proposes_its_lessons_anew_and_makes_no_version() {
    let environment = one();
    approve(&environment, FIRST).exits(0);
    let files = environment.files(PROMPTS);
    let ran = environment.ralph([
        "learn", "rollback", "reviewer", "--by", "ann", "--format", "json",
    ]);
    let restored = ran.exits(0).json();
    assert_eq!((&restored["from"], &restored["to"]), (&json!(2), &json!(1)));
    assert_eq!(active(&environment), (1, Some(2)));
    let kept = lesson(&environment, "reviewer", FIRST);
    assert_eq!(
        (&kept["status"], kept["rolled_back_at"].is_string()),
        (&json!("proposed"), true)
    );
    assert_eq!(
        (&kept["note"], &kept["approved_by"]),
        (&json!("rolled back to version 1 by ann"), &Value::Null)
    );
    assert_eq!(kept["confidence"], 0.75);
    assert_eq!(environment.files(PROMPTS), files);
    assert_eq!(
        steps(&environment)[6..],
        [
            "rollback.identify_rollback_target",
            "rollback.restore_previous_version",
            "rollback.log_rollback",
            "rollback.notify_operators",
        ]
    );
    assert_eq!(
        events(&environment)[8]["payload"]["trigger"],
        "manual_request"
    );
    environment
        .ralph(["learn", "rollback", "reviewer", "--by", "ann"])
        .exits(1);
    approve(&environment, FIRST).exits(0);
    assert_eq!(active(&environment), (3, Some(1)));
    environment
        .ralph(["learn", "rollback", "reviewer", "--by", "ann", "--to", "2"])
        .exits(0);
    assert_eq!(active(&environment), (2, Some(3)));
    assert_eq!(lesson(&environment, "reviewer", FIRST)["status"], "applied");
    environment
        .ralph(["learn", "rollback", "reviewer", "--by", "ann", "--to", "9"])
        .exits(2);
}

#[test]
fn a_version_with_a_lesson_that_is_rejected_is_not_used_again() {
    let environment = one();
    approve(&environment, FIRST).exits(0);
    environment
        .ralph(["learn", "rollback", "reviewer", "--by", "ann"])
        .exits(0);
    environment
        .ralph(["learn", "rollback", "reviewer", "--by", "ann", "--to", "2"])
        .exits(0);
    assert_eq!(active(&environment), (2, Some(1)));
    environment
        .ralph(["learn", "decide", FIRST, "--reject", "--by", "bob"])
        .exits(0);
    let told =
        format!("version 2 of the prompt of reviewer holds lesson {FIRST}, which is rejected");
    let ran = environment.ralph(["learn", "rollback", "reviewer", "--by", "ann", "--to", "2"]);
    let ran = ran.exits(1);
    assert!(ran.stderr.contains(&told), "{}", ran.stderr);
    assert_eq!(active(&environment), (3, Some(2)));
}

#[test]
fn an_agent_is_shown_with_its_versions_and_what_the_last_one_changed() {
    let environment = one();
    approve(&environment, FIRST).exits(0);
    let history = environment.ralph(["learn", "show", "reviewer", "--format", "json"]);
    let history = history.exits(0).json();
    assert_eq!(
        (&history["active"], &history["previous"]),
        (&json!(2), &json!(1))
    );
    let versions: Vec<_> = history["versions"].as_array().unwrap().iter().collect();
    let told: Vec<_> = versions
        .iter()
        .map(|version| (&version["version"], &version["active"]))
        .collect();
    assert_eq!(
        told,
        [(&json!(1), &json!(false)), (&json!(2), &json!(true))]
    );
    assert_eq!(versions[1]["changes"][0]["type"], "addition");
    let human = environment
        .ralph(["learn", "show", "reviewer"])
        .exits(0)
        .stdout;
    for told in [
        "active: 2\nagent: reviewer\nchanges:\n  - at: ",
        "    by: ann\n    cause: update\n    from: 1\n    to: 2\n",
        "  - active: true\n    applied_lessons: ",
        "    approved_by: ann\n    changes:\n      - new_text: Name the unit of every limit.\n",
        "\n0192f0c1  Name the unit of every limit.\n",
    ] {
        assert!(human.contains(told), "{told}: {human}");
    }
    let (_, diff) = human.split_once("\n\n---").unwrap();
    assert!(
        diff.starts_with(" reviewer/v1\n+++ reviewer/v2\n@@ "),
        "{diff}"
    );
    assert!(
        diff.contains("\n+- Name the unit of every limit.\n"),
        "{diff}"
    );
    let told = history["diff"].as_str().unwrap();
    assert!(told.starts_with("--- reviewer/v1\n"), "{told}");
    let applier = environment.ralph(["learn", "show", "applier", "--format", "json"]);
    assert_eq!(applier.exits(0).json()["diff"], Value::Null);
}

#[test]
fn a_run_gives_the_version_in_use_and_a_resume_the_one_of_its_run() {
    let project = Scripted::new(&["true"]);
    let environment = &project.environment;
    propose(
        environment,
        "reviewer",
        FIRST,
        "Name the unit of every limit.",
    );
    propose(environment, "applier", SECOND, "Keep every heading.");
    approve(environment, FIRST).exits(0);
    approve(environment, SECOND).exits(0);
    let keep = |name: &str, answer: &str| {
        format!(
            "cat > \"$HOME/{name}-$RALPH_ITERATION\"\necho '{answer}'\necho more >> \"$RALPH_SPEC\""
        )
    };
    project.reviewer(&format!("cat > \"$HOME/asked\"\necho '{REVISE}'"));
    project.applier(&keep("told", ""));
    let report = project
        .run(&["--max-iterations", "2", "--format", "json"])
        .run()
        .exits(1)
        .json();
    let versions: Vec<_> = report["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["version"])
        .collect();
    assert_eq!(versions, [2, 2]);
    let prompt = |name: &str| fs::read_to_string(project.outside(name)).unwrap();
    assert!(prompt("asked").contains("\n- Name the unit of every limit.\n"));
    assert!(prompt("told-1").contains("\n- Keep every heading.\n"));
    let human = environment.ralph(["report", "latest"]).exits(0).stdout;
    assert!(
        human.contains("reviewer prompt v2 · applier prompt v2"),
        "{human}"
    );

    environment
        .ralph(["learn", "rollback", "reviewer", "--by", "ann"])
        .exits(0);
    project.reviewer(&format!("cat > \"$HOME/asked\"\necho '{PASS}'"));
    let events = project
        .resume(&["--max-iterations", "4", "--format", "jsonl"])
        .run()
        .exits(0);
    assert!(prompt("asked").contains("\n- Name the unit of every limit.\n"));
    assert!(!events.stdout.is_empty());
    project.run(&[]).run().exits(0);
    assert!(!prompt("asked").contains("Name the unit"));
}

#[test]
fn a_damaged_version_is_told_before_anything_is_asked() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&format!("cat > /dev/null; echo '{PASS}'"));
    project.write(
        &format!("{PROMPTS}/active.json"),
        r#"{"version": 2, "since": "2026-01-01T00:00:00Z"}"#,
    );
    let missing = project.run(&[]).run().exits(2).stderr;
    assert!(
        missing.contains("the prompt of reviewer has no version 2"),
        "{missing}"
    );
    project.write(&format!("{PROMPTS}/v2.md"), "Judge.\n");
    let damaged = project.run(&[]).run().exits(2).stderr;
    assert!(
        damaged.contains("v2.md: line 1: expected `---`"),
        "{damaged}"
    );
    assert_eq!(project.calls(), Vec::<String>::new());
}

#[test]
fn a_proposal_lists_five_of_its_entries_and_counts_the_others() {
    let environment = one();
    let sources: Vec<_> = (0..12).map(|at| format!("0192f0c1-{at:04}")).collect();
    let lesson = json!({
        "id": SECOND, "agent": "reviewer", "lesson_text": "Limits came without a unit.",
        "constraint_update": "Name units, of each limit.", "source_feedback": sources,
    });
    environment.write(lesson_path("reviewer", SECOND), lesson.to_string());
    let shown = environment.ralph(["learn", "review"]).exits(0).stdout;
    assert_eq!(shown.matches("  0192f0c1-00").count(), 5, "{shown}");
    let more = format!(
        "  and 7 more: `ralph learn show {}` lists all\n",
        &SECOND[..8]
    );
    assert!(shown.contains(&more), "{shown}");
}

#[test]
fn what_is_proposed_is_shown_where_no_user_can_be_asked() {
    let environment = one();
    propose(
        &environment,
        "reviewer",
        SECOND,
        "Name units, of each limit.",
    );
    let ran = environment.ralph(["learn", "review"]).exits(0);
    assert!(
        ran.stderr.contains("no lesson was decided on"),
        "{}",
        ran.stderr
    );
    let id = &SECOND[..8];
    let next = format!(
        "next:\ndecide: `ralph learn decide {id} --approve`, or with --reject or --until 7d\n"
    );
    assert!(ran.stdout.contains(&next), "{}", ran.stdout);
    for line in [
        "│ Prompt Update Proposal                                  │",
        "│ Version: 1 → 2                                          │",
        "│ + Name the unit of every limit.                         │",
        "│ Source Feedback: 1 entry                                │",
        "│ Confidence: 75%                                         │",
        "│ Conflicts: 1 lesson about the same                      │",
    ] {
        assert!(
            ran.stdout.lines().any(|shown| shown == line),
            "{line}\n{}",
            ran.stdout
        );
    }
    assert!(!ran.stdout.contains("[a] Approve"), "{}", ran.stdout);
    let proposals = environment.ralph(["learn", "review", "reviewer", "--format", "json"]);
    let proposal = proposals.exits(0).json()["proposals"][0].clone();
    assert_eq!(
        (&proposal["old_version"], &proposal["new_version"]),
        (&json!(1), &json!(2))
    );
    assert!(proposal["token_growth"].as_i64().unwrap() > 10);
    assert_eq!(proposal["conflicts"][0]["lesson"]["id"], SECOND);
    assert_eq!(lesson(&environment, "reviewer", FIRST).get("status"), None);
    let none = environment
        .ralph(["learn", "review", "applier"])
        .exits(0)
        .stdout;
    assert_eq!(none, "no lesson waits for a decision\n");
}

#[test]
fn the_prompt_of_another_agent_comes_from_its_own_file() {
    let environment = TestEnvironment::new();
    propose(
        &environment,
        "api-dev",
        FIRST,
        "Name the unit of every limit.",
    );
    let error = approve(&environment, FIRST).exits(2).stderr;
    assert!(error.contains("learning.agents.api-dev.prompt"), "{error}");
    assert!(
        error.contains("/api-dev.md cannot be read: no such file"),
        "{error}"
    );
    assert_eq!(lesson(&environment, "api-dev", FIRST).get("status"), None);
    let reviewed = environment.ralph(["learn", "review"]).exits(0);
    assert!(
        reviewed
            .stdout
            .contains("  -> Name the unit of every limit.\n"),
        "{reviewed:#?}"
    );
    assert!(
        reviewed.stderr.contains("learning.agents.api-dev.prompt"),
        "{reviewed:#?}"
    );
    let error = environment
        .ralph(["learn", "rollback", "api-dev", "--by", "ann"])
        .exits(2)
        .stderr;
    assert!(error.contains("learning.agents.api-dev.prompt"), "{error}");
    assert!(!environment.root().join(".aiwg/.prompts").exists());

    let own = "---\nname: api-dev\n---\nWrite APIs.\r\n";
    environment.write(".claude/agents/api-dev.md", own);
    approve(&environment, FIRST).exits(0);
    assert_eq!(environment.read(".claude/agents/api-dev.md"), own);
    let shown = environment.ralph(["prompts", "api-dev"]).exits(0).stdout;
    let begin = own.replace('\r', "\u{fffd}");
    assert!(shown.starts_with(&begin), "{shown:?}");
    assert!(
        shown.contains("\n- Name the unit of every limit.\n"),
        "{shown:?}"
    );
    let list = environment
        .ralph(["prompts", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(list["prompts"][3]["name"], "api-dev");
    assert_eq!(list["prompts"][3]["embedded"], Value::Null);
}

#[test]
fn operators_are_told_of_updates_and_rollbacks() {
    let environment = one();
    environment.program(
        "bell",
        "cat >> \"$HOME/notices\"; exit \"$(cat \"$HOME/exit\")\"",
    );
    environment.write("ralph.toml", "[notify]\ncommand = \"bell\"\n");
    fs::write(environment.home().join("exit"), "0").unwrap();
    approve(&environment, FIRST).exits(0);
    fs::write(environment.home().join("exit"), "3").unwrap();
    let ran = environment
        .ralph(["learn", "rollback", "reviewer", "--by", "ann"])
        .exits(0);
    assert!(
        ran.stderr.contains("bell was not notified: it ended with"),
        "{}",
        ran.stderr
    );
    let notices = fs::read_to_string(environment.home().join("notices")).unwrap();
    let notices: Vec<Value> = notices
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let types: Vec<_> = notices.iter().map(|event| &event["type"]).collect();
    let expected = [
        "learning.prompt_update.notify_operators",
        "learning.rollback.notify_operators",
    ];
    assert_eq!(types, expected);
    assert_eq!(notices[0]["payload"]["version"], 2);
    let kept = events(&environment);
    assert_eq!(kept[4]["payload"]["told"], "bell");
    assert!(kept[9]["payload"]["told"]["failed"].is_string());
}

#[test]
fn the_gate_of_the_configuration_says_who_may_decide() {
    let environment = one();
    let gate = "[learning.prompt_evolution.approval_gate]\napprovers = [\"ann\"]\n";
    environment.write("ralph.toml", gate);
    let decide =
        |word: &str, by: &str| environment.ralph(["learn", "decide", FIRST, word, "--by", by]);
    for word in ["--approve", "--reject", "--until=7d"] {
        let error = decide(word, "eve").exits(1).stderr;
        assert!(
            error.contains("eve may not decide on lessons; those who may are: ann"),
            "{error}"
        );
    }
    assert_eq!(lesson(&environment, "reviewer", FIRST).get("status"), None);
    decide("--approve", "ann").exits(0);
    assert_eq!(active(&environment), (2, Some(1)));
}

#[test]
fn every_way_to_use_a_version_asks_the_approvers() {
    let environment = one();
    let gate = "[learning.prompt_evolution.approval_gate]\napprovers = [\"ann\"]\n";
    environment.write("ralph.toml", gate);
    approve(&environment, FIRST).exits(0);
    let change = |arguments: &[&str]| {
        let arguments = [&["learn"], arguments].concat();
        environment.ralph(arguments)
    };
    let refused = "eve may not decide on lessons; those who may are: ann";
    for arguments in [
        &["rollback", "reviewer", "--by", "eve"][..],
        &["rollback", "reviewer", "--to", "1", "--by", "eve"],
    ] {
        let error = change(arguments).exits(1).stderr;
        assert!(error.contains(refused), "{error}");
    }
    let nameless = change(&["rollback", "reviewer", "--to", "1"])
        .exits(2)
        .stderr;
    assert!(
        nameless.contains("say who you are with --by NAME"),
        "{nameless}"
    );
    assert_eq!(active(&environment), (2, Some(1)));
    change(&["rollback", "reviewer", "--by", "ann"]).exits(0);
    let error = change(&["rollback", "reviewer", "--to", "2", "--by", "eve"]);
    assert!(error.exits(1).stderr.contains(refused));
    change(&["rollback", "reviewer", "--to", "2", "--by", "ann"]).exits(0);
    assert_eq!(active(&environment), (2, Some(1)));
}

#[test]
fn a_history_tells_when_why_and_by_whom_versions_changed() {
    let environment = one();
    approve(&environment, FIRST).exits(0);
    let back = [
        "learn",
        "rollback",
        "reviewer",
        "--by",
        "bob",
        "--why",
        "too\nlong",
    ];
    environment.ralph(back).exits(0);
    let history = || {
        let history = environment.ralph(["learn", "show", "reviewer"]);
        history.exits(0).stdout
    };
    let human = history();
    let back =
        "    by: bob\n    cause: rollback\n    from: 2\n    reason: too\n      long\n    to: 1\n";
    assert!(human.contains(back), "{human}");
    assert!(human.contains("\n    rolled_back:\n"), "{human}");
    let json = environment.ralph(["learn", "show", "reviewer", "--format", "json"]);
    let json = json.exits(0).json();
    assert_eq!(json["versions"][1]["rolled_back"]["by"], "bob");
    let causes: Vec<_> = json["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| &change["cause"])
        .collect();
    assert_eq!(causes, ["update", "rollback"]);
    let again = ["learn", "rollback", "reviewer", "--to", "2", "--by", "cid"];
    environment.ralph(again).exits(0);
    let kept = lesson(&environment, "reviewer", FIRST);
    assert_eq!(
        (&kept["status"], &kept["approved_by"]),
        (&json!("applied"), &json!("cid"))
    );
    let human = history();
    assert!(human.starts_with("active: 2\n"), "{human}");
    let again = "    by: cid\n    cause: restore\n    from: 1\n    to: 2\n";
    assert!(human.contains(again), "{human}");
    let steps = steps(&environment);
    let rollbacks = steps.iter().filter(|step| *step == "rollback.log_rollback");
    assert_eq!(rollbacks.count(), 1, "a step forward is not a rollback");
    let stats = environment.ralph(["learn", "stats", "--format", "json"]);
    assert_eq!(stats.exits(0).json()["rollback_frequency"], 1.0);
}

#[test]
fn a_history_tells_which_version_was_never_in_use() {
    let environment = one();
    approve(&environment, FIRST).exits(0);
    let made = environment.read(format!("{PROMPTS}/v2.md"));
    // A process that was killed before it used the version.
    let orphan = made.replacen("version: 2", "version: 3", 1);
    environment.write(format!("{PROMPTS}/v3.md"), orphan);
    let history = ["learn", "show", "reviewer", "--format", "json"];
    let history = environment.ralph(history).exits(0).json();
    let versions = history["versions"].as_array().unwrap().iter();
    let told: Vec<_> = versions.map(|one| &one["never_used"]).collect();
    assert_eq!(told, [false, false, true]);
}

#[test]
fn who_approves_at_the_same_time_is_told_that_the_lesson_is_applied() {
    let environment = one();
    let approve = |at: usize| {
        let by = format!("user{at}");
        environment
            .command(["learn", "decide", FIRST, "--approve", "--by", &by])
            .into_std()
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    let approving: Vec<_> = (0..6).map(approve).collect();
    for approving in approving {
        let output = approving.wait_with_output().unwrap();
        let (stdout, stderr) = (
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        );
        let applied = format!("{FIRST} applied\n");
        let already = format!("lesson {FIRST} is applied already");
        assert!(
            stdout.starts_with(&applied) || stderr.contains(&already),
            "{stdout} {stderr}"
        );
        assert!(!stderr.contains("switched off"), "{stderr}");
    }
    assert_eq!(active(&environment), (2, Some(1)));
}

#[test]
fn a_rollback_finds_a_version_without_lessons_that_were_rejected() {
    let environment = one();
    approve(&environment, FIRST).exits(0);
    propose(&environment, "reviewer", SECOND, "Quote the sentence.");
    approve(&environment, SECOND).exits(0);
    environment
        .ralph(["learn", "decide", FIRST, "--reject", "--by", "ann"])
        .exits(0);
    assert_eq!(active(&environment), (4, Some(3)));
    let back = ["learn", "rollback", "reviewer", "--by", "ann", "--to", "3"];
    let error = environment.ralph(back).exits(1).stderr;
    assert!(error.contains("which is rejected"), "{error}");
    let hint = "`ralph learn rollback reviewer` goes back to the latest version without it";
    assert!(error.contains(hint), "{error}");
    environment.ralph(&back[..5]).exits(0);
    assert_eq!(active(&environment), (1, Some(4)));
    let later = ["learn", "rollback", "reviewer", "--by", "ann", "--to", "4"];
    environment.ralph(later).exits(0);
    assert_eq!(active(&environment), (4, Some(1)));
}

#[test]
fn where_no_approval_is_required_what_was_rolled_back_still_needs_a_person() {
    let environment = one();
    let gate = "[learning.prompt_evolution.approval_gate]\nrequired = false\n";
    environment.write("ralph.toml", gate);
    propose(&environment, "reviewer", SECOND, "Quote the sentence.");
    environment
        .ralph(["learn", "decide", SECOND, "--until", "7d", "--by", "ann"])
        .exits(0);
    let applied = environment.ralph(["learn", "run"]).exits(0).stdout;
    assert!(
        applied.contains("without asking: approval is not required"),
        "{applied}"
    );
    assert_eq!(
        events(&environment)[1]["payload"]["approval"],
        "not required"
    );
    let kept = lesson(&environment, "reviewer", FIRST);
    assert_eq!(kept["approved_by"], "nobody: approval is not required");
    assert_eq!(
        lesson(&environment, "reviewer", SECOND)["status"],
        "proposed"
    );
    environment
        .ralph(["learn", "rollback", "reviewer", "--by", "ann"])
        .exits(0);
    environment.ralph(["learn", "run"]).exits(4);
    assert_eq!(active(&environment), (1, Some(2)));
    assert_eq!(
        lesson(&environment, "reviewer", FIRST)["status"],
        "proposed"
    );
    approve(&environment, FIRST).exits(0);
    assert_eq!(active(&environment), (3, Some(1)));
}

#[test]
fn versions_and_rollbacks_can_be_switched_off() {
    let environment = one();
    approve(&environment, FIRST).exits(0);
    environment.write(
        "ralph.toml",
        "[learning.prompt_evolution.rollback]\nenabled = false\n",
    );
    let error = environment
        .ralph(["learn", "rollback", "reviewer", "--by", "ann"])
        .exits(1)
        .stderr;
    assert!(
        error.contains("prompt_evolution.rollback.enabled = false"),
        "{error}"
    );
    assert_eq!(active(&environment), (2, Some(1)));
    environment.write(
        "ralph.toml",
        "[learning.prompt_evolution.versioning]\nenabled = false\n",
    );
    environment.ralph(["learn", "run"]).exits(4);
    propose(&environment, "reviewer", SECOND, "Quote the sentence.");
    approve(&environment, SECOND).exits(0);
    assert_eq!(
        lesson(&environment, "reviewer", SECOND)["status"],
        "approved"
    );
    environment.write("ralph.toml", "[learning]\n");
    environment.ralph(["learn", "run"]).exits(0);
    assert_eq!(active(&environment), (3, Some(2)));
}

#[test]
fn versions_are_kept_where_the_configuration_says_and_as_many_as_it_says() {
    let environment = TestEnvironment::new();
    let config = "[learning.prompt_evolution]\nstorage_path = \"kept/prompts\"\n\
                  versioning.format = \"p-{version}.txt\"\nrollback.max_versions = 2\n\
                  [learning.agents.api-dev]\nprompt = \"agents/api.md\"\n";
    environment.write("ralph.toml", config);
    environment.write("agents/api.md", "Write APIs.\n");
    for (id, text) in [(FIRST, "One."), (SECOND, "Two.")] {
        propose(&environment, "api-dev", id, text);
        approve(&environment, id).exits(0);
    }
    let files = environment.files("kept/prompts/api-dev");
    let versions: Vec<_> = files.iter().filter(|path| path.ends_with(".txt")).collect();
    assert_eq!(
        versions,
        [
            "kept/prompts/api-dev/p-2.txt",
            "kept/prompts/api-dev/p-3.txt"
        ]
    );
    assert!(
        environment
            .read(versions[1])
            .ends_with("- One.\n- Two.\n<!-- lessons: end -->\n")
    );
    assert!(!environment.root().join(".aiwg/.prompts").exists());
}

#[test]
fn what_an_analysis_proposes_goes_in_by_itself_where_nobody_is_asked() {
    let environment = TestEnvironment::new();
    let config = "[learning]\nfeedback_collection.retention.max_age_days = 100000\n\
                  prompt_evolution.approval_gate.required = false\n";
    environment.write("ralph.toml", config);
    for agent in ["reviewer", "api-dev"].repeat(3) {
        let add = [
            "corrections",
            "add",
            "--agent",
            agent,
            "--correction-type",
            "expectation_mismatch",
            "--ai-action",
            "Reformatted the file",
            "--user-correction",
            "Change the header alone",
            "--pattern-inferred",
            "scope-creep",
            "--severity",
            "high",
        ];
        environment.ralph(add).exits(0);
    }
    in_sessions(&environment);
    let ran = environment
        .ralph(["learn", "run", "--format", "json"])
        .exits(0);
    let updated = &ran.json()["updated"][0];
    assert_eq!(
        (&updated["agent"], &updated["version"]),
        (&"reviewer".into(), &2.into())
    );
    let warning = "the lessons of api-dev stay proposed: the prompt of api-dev is not known";
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    assert_eq!(active(&environment), (2, Some(1)));
    let text = shown(&environment, &[])["text"]
        .as_str()
        .unwrap()
        .to_owned();
    let lesson = "\n- Change only what the request asks for.\n";
    assert!(text.contains(lesson), "{text}");
}
