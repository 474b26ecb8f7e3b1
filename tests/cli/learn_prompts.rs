//! `ralph prompts` and the commands of `ralph learn` that change prompts.

use std::fs;

use serde_json::{Value, json};

use crate::corrections::in_sessions;
use crate::learn_analyze::feedback;
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
fn the_user_of_the_computer_decides_on_a_lesson_where_no_name_is_given() {
    let environment = one();
    let nameless = environment
        .ralph(["learn", "decide", FIRST, "--approve"])
        .exits(2);
    let hint = "hint: say who you are with --by NAME";
    assert!(nameless.stderr.contains(hint), "{nameless:#?}");
    environment
        .ralph(["learn", "decide", FIRST, "--approve", "--by", " "])
        .exits(2);
    let approve = ["learn", "decide", FIRST, "--approve", "--format", "json"];
    let approve = environment.command(approve).env("USER", "ann");
    let decided = approve.run().exits(0).json();
    assert_eq!((&decided["v"], &decided["version"]), (&json!(1), &json!(2)));
    assert_eq!(decided["lesson"], lesson(&environment, "reviewer", FIRST));
    assert_eq!(lesson(&environment, "reviewer", FIRST)["status"], "applied");
    assert_eq!(
        lesson(&environment, "reviewer", FIRST)["approved_by"],
        "ann"
    );
}

#[test]
fn a_review_counts_the_lessons_that_are_deferred() {
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
    let expected = "no lesson waits for a decision, 1 is deferred: `ralph learn show` says until \
                    when\n";
    assert_eq!(ran.stdout, expected);
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
    project.write(&format!("{PROMPTS}/active.json"), "x");
    project.forget_calls();
    let damaged = project.run(&[]).run().exits(2).stderr;
    assert_eq!(damaged.matches("expected value").count(), 1, "{damaged}");
    assert_eq!(project.calls(), Vec::<String>::new());
}

#[test]
fn a_rollback_uses_the_version_before_again_and_is_part_of_its_history() {
    let environment = one();
    approve(&environment, FIRST).exits(0);
    let back = |arguments: &[&str]| {
        let command = ["learn", "rollback", "reviewer"];
        environment.ralph([&command, arguments].concat())
    };
    let nameless = back(&[]).exits(2).stderr;
    assert!(
        nameless.contains("say who you are with --by NAME"),
        "{nameless}"
    );
    back(&["--by", "ann", "--to", "9"]).exits(2);
    let restored = back(&["--by", "bob", "--why", "too\nlong", "--format", "json"]);
    let restored = restored.exits(0).json();
    assert_eq!((&restored["from"], &restored["to"]), (&json!(2), &json!(1)));
    assert_eq!(active(&environment), (1, Some(2)));
    back(&["--by", "ann"]).exits(1);
    let history = ["learn", "show", "reviewer"];
    let human = environment.ralph(history).exits(0).stdout;
    let change =
        "    by: bob\n    cause: rollback\n    from: 2\n    reason: too\n      long\n    to: 1\n";
    assert!(human.contains(change), "{human}");
    assert!(human.contains("\n    rolled_back:\n"), "{human}");
    let again = back(&["--by", "cid", "--to", "v2"]).exits(0).stdout;
    assert_eq!(again, "reviewer version 1 → 2, 1 lesson changed\n");
}

#[test]
fn a_rollback_passes_over_a_version_that_is_gone_and_tells_of_a_prompt_that_cannot_be_read() {
    let environment = one();
    approve(&environment, FIRST).exits(0);
    propose(&environment, "reviewer", SECOND, "Quote the sentence.");
    approve(&environment, SECOND).exits(0);
    fs::remove_file(environment.root().join(PROMPTS).join("v2.md")).unwrap();
    let back = |agent: &str, to: &[&str]| {
        let command = ["learn", "rollback", agent, "--by", "ann"];
        environment.ralph([&command, to].concat())
    };
    let gone = back("reviewer", &["--to", "2"]).exits(2).stderr;
    assert_eq!(
        gone,
        "error: the prompt of reviewer has no version 2\n  \
         hint: `ralph learn show reviewer` lists the versions\n"
    );
    back("reviewer", &[]).exits(0);
    assert_eq!(active(&environment), (1, Some(3)));

    let own = ".claude/agents/foo.md";
    let third = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a203";
    environment.write(own, "Write code.\n");
    propose(&environment, "foo", third, "Name the unit.");
    approve(&environment, third).exits(0);
    for path in [own, ".aiwg/.prompts/foo/v1.md"] {
        fs::remove_file(environment.root().join(path)).unwrap();
    }
    let unread = back("foo", &[]).exits(2).stderr;
    assert!(
        unread.starts_with("error: the prompt of foo is not known: "),
        "{unread}"
    );
    let hint = "hint: name its file by the key learning.agents.foo.prompt, or write ";
    assert!(unread.ends_with(&format!("{hint}{own}\n")), "{unread}");
    assert_eq!(back("foo", &["--to", "1"]).exits(2).stderr, unread);
}

#[test]
fn feedback_is_shown_without_a_prompt_and_not_with_a_prompt_whose_version_is_gone() {
    let environment = TestEnvironment::new();
    feedback(&environment, "foo", 1);
    let show = || environment.ralph(["learn", "show", "foo"]);
    let shown = show().exits(0).stdout;
    assert!(shown.contains("agent: foo\n"), "{shown}");
    let active = r#"{"version": 2, "since": "2026-01-01T00:00:00Z"}"#;
    environment.write(".aiwg/.prompts/foo/active.json", active);
    let gone = show().exits(2).stderr;
    assert!(
        gone.starts_with("error: the prompt of foo has no version 2\n"),
        "{gone}"
    );
}

#[test]
fn learn_run_puts_in_what_is_approved_and_without_a_gate_what_is_proposed() {
    let environment = one();
    let configure = |keys: &str| {
        let table = format!("[learning.prompt_evolution]\n{keys}\n");
        environment.write("ralph.toml", table);
    };
    let back = ["learn", "rollback", "reviewer", "--by", "ann"];
    configure("approval_gate.required = false");
    let applied = environment.ralph(["learn", "run"]).exits(0).stdout;
    let unasked = "without asking: approval is not required";
    assert!(applied.contains(unasked), "{applied}");
    assert!(!applied.contains("learn review"), "{applied}");
    environment.ralph(back).exits(0);
    environment.ralph(["learn", "run"]).exits(4);
    assert_eq!(active(&environment), (1, Some(2)));
    for key in ["versioning.enabled", "rollback.enabled"] {
        configure(&format!("{key} = false"));
        let error = environment.ralph(back).exits(1).stderr;
        let why = format!("this is switched off by prompt_evolution.{key} = false");
        assert!(error.contains(&why), "{error}");
    }
    configure("versioning.enabled = false");
    approve(&environment, FIRST).exits(0);
    assert_eq!(
        lesson(&environment, "reviewer", FIRST)["status"],
        "approved"
    );
    environment.ralph(["learn", "run"]).exits(4);
    configure("");
    environment.ralph(["learn", "run"]).exits(0);
    assert_eq!(active(&environment), (3, Some(1)));
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
    for id in [FIRST, SECOND] {
        let defer = [
            "learn",
            "decide",
            id,
            "--by",
            "ann",
            "--until",
            "2999-01-01",
        ];
        environment.ralph(defer).exits(0);
    }
    let ran = environment.ralph(["learn", "review"]).exits(0);
    let deferred = "no lesson waits for a decision, 2 are deferred: `ralph learn show` says until \
                    when\n";
    assert_eq!(ran.stdout, deferred);
    propose(&environment, "api-dev", FIRST, "Name the unit.");
    let unknown = environment.ralph(["learn", "review", "api-dev"]).exits(0);
    let line = "  -> Name the unit.\n";
    assert!(unknown.stdout.contains(line), "{unknown:#?}");
    let why = "learning.agents.api-dev.prompt";
    assert!(unknown.stderr.contains(why), "{unknown:#?}");
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
