//! How decisions on lessons change prompts, and how that is taken back.

use review_engine::learn::{active_prompts, propose};
use review_learning::lesson::{Decision, LessonStatus};
use review_learning::protocol::Trigger;
use review_report::learn::HistoryEntry;
use review_types::{ExitCode, error_chain};
use serde_json::{Value as Json, json};

use crate::learn::{Learning, agent, lesson_path, told, version};
use crate::support::{files, json as value, read};

const FIRST: &str = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a201";
const SECOND: &str = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a202";
const PROMPTS: &str = ".aiwg/.prompts/reviewer";

/// Proposes a lesson.
fn put(learning: &Learning, agent: &str, id: &str, constraint: &str) {
    let lesson = json!({
        "id": id, "agent": agent, "lesson_text": "Limits came without a unit.",
        "constraint_update": constraint, "confidence": 0.75,
        "source_feedback": ["0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2c1"],
    });
    let path = lesson_path(agent, id);
    learning
        .workspace
        .write(&path, &lesson.to_string())
        .unwrap();
}

fn one() -> Learning {
    let learning = Learning::new("");
    put(
        &learning,
        "reviewer",
        FIRST,
        "Name the unit\n of every limit.",
    );
    learning
}

fn text(learning: &Learning) -> String {
    learning
        .learner()
        .current(&agent("reviewer"))
        .unwrap()
        .content
}

fn is_there(learning: &Learning, path: &str) -> bool {
    learning.workspace.root().join(path).exists()
}

#[tokio::test]
async fn an_approved_lesson_goes_into_a_new_version_by_the_steps_of_the_protocol() {
    let learning = one();
    let first = text(&learning);
    let decided = learning.approve(FIRST).await.unwrap();
    assert_eq!(
        decided.updated.unwrap().version.unwrap().version,
        version(2)
    );
    assert_eq!(decided.lesson.status, LessonStatus::Applied);
    let kept = learning.lesson("reviewer", FIRST);
    assert_eq!(kept, value(&decided.lesson));
    assert_eq!(
        (&kept["approved_by"], kept["applied_at"].is_string()),
        (&json!("ann"), true)
    );
    assert_eq!(learning.active("reviewer"), (2, Some(1)));
    let expected = format!(
        "{first}\n<!-- lessons: begin -->\nFollow these lessons from earlier work:\n\
         - Name the unit of every limit.\n<!-- lessons: end -->\n"
    );
    assert_eq!(text(&learning), expected);
    let file = read(&learning.workspace, &format!("{PROMPTS}/v2.md"));
    let file = file.strip_prefix("---\n").unwrap();
    let (front, content) = file.split_once("---\n").unwrap();
    assert_eq!(content, expected);
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
        learning.steps(),
        [
            "prompt_update.load_current_prompt",
            "prompt_update.apply_constraint_updates",
            "prompt_update.generate_new_version",
            "prompt_update.store_version",
            "prompt_update.notify_operators",
            "prompt_update.track_performance",
        ]
    );
    let told = &learning.journal()[1]["payload"];
    assert_eq!(
        (&told["trigger"], &told["agent"], &told["approval"]),
        (&json!("lesson_approved"), &json!("reviewer"), &Json::Null)
    );
    assert!(is_there(
        &learning,
        &format!("{PROMPTS}/v2.performance.json")
    ));
}

#[tokio::test]
async fn decisions_are_taken_once_and_a_rejection_is_final() {
    let learning = one();
    put(&learning, "reviewer", SECOND, "Quote the sentence.");
    let until = "2999-01-01T00:00:00Z";
    let defer = Decision::Defer(until.parse().unwrap());
    learning.decide(SECOND, defer, "ann").await.unwrap();
    let kept = learning.lesson("reviewer", SECOND);
    assert_eq!(
        (&kept["status"], &kept["deferred_until"]),
        (&json!("proposed"), &json!(until))
    );
    let rejected = learning
        .decide(SECOND, Decision::Reject, "ann")
        .await
        .unwrap();
    assert!(rejected.updated.is_none());
    assert_eq!(learning.lesson("reviewer", SECOND)["status"], "rejected");
    let error = learning.approve(SECOND).await.unwrap_err();
    assert!(
        error.to_string().contains("is rejected, which is final"),
        "{error}"
    );
    assert!(!is_there(&learning, PROMPTS));
    learning.approve(FIRST).await.unwrap();
    let error = learning.approve(FIRST).await.unwrap_err();
    assert!(error.to_string().contains("is applied already"), "{error}");
    let error = learning.approve("0192f0c1").await.unwrap_err();
    let expected = format!("\"0192f0c1\" is ambiguous; it matches {FIRST}, {SECOND}");
    assert_eq!(told(&error), (expected, "give more of the id".to_owned()));
}

#[tokio::test]
async fn a_lesson_that_is_rejected_later_is_taken_out_again() {
    let learning = one();
    learning.approve(FIRST).await.unwrap();
    let rejected = learning
        .decide(FIRST, Decision::Reject, "bob")
        .await
        .unwrap();
    let updated = rejected.updated.unwrap();
    let made = updated.version.unwrap();
    assert_eq!(
        (updated.before.version, made.version),
        (version(2), version(3))
    );
    assert_eq!(made.changes.len(), 1);
    assert_eq!(learning.active("reviewer"), (3, Some(2)));
    let text = text(&learning);
    let end = "\n<!-- lessons: begin -->\n<!-- lessons: end -->\n";
    assert!(text.ends_with(end), "{text}");
    assert_eq!(
        learning.lesson("reviewer", FIRST)["note"],
        "rejected by bob"
    );
    let learner = learning.learner();
    let active = learner
        .prompts()
        .unwrap()
        .active(&agent("reviewer"))
        .unwrap()
        .unwrap();
    let change = value(active.changes.last().unwrap());
    assert_eq!(
        [
            &change["cause"],
            &change["from"],
            &change["to"],
            &change["reason"]
        ],
        [
            &json!("update"),
            &json!(2),
            &json!(3),
            &json!(format!("lesson {FIRST} rejected by bob"))
        ]
    );
}

#[tokio::test]
async fn a_rollback_proposes_its_lessons_anew_and_makes_no_version() {
    let learning = one();
    learning.approve(FIRST).await.unwrap();
    let versions = || {
        let mut found = files(&learning.workspace);
        found.retain(|path| path.starts_with(PROMPTS));
        found
    };
    let kept = versions();
    let switched = learning.switch("reviewer", None, "ann").await.unwrap();
    assert_eq!(
        (switched.from.version, switched.to.version),
        (version(2), version(1))
    );
    assert_eq!(learning.active("reviewer"), (1, Some(2)));
    assert_eq!(versions(), kept);
    let lesson = learning.lesson("reviewer", FIRST);
    assert_eq!(
        (&lesson["status"], lesson["rolled_back_at"].is_string()),
        (&json!("proposed"), true)
    );
    assert_eq!(
        (
            &lesson["note"],
            &lesson["approved_by"],
            &lesson["confidence"]
        ),
        (
            &json!("rolled back to version 1 by ann"),
            &Json::Null,
            &json!(0.75)
        )
    );
    assert_eq!(
        learning.steps()[6..],
        [
            "rollback.identify_rollback_target",
            "rollback.restore_previous_version",
            "rollback.log_rollback",
            "rollback.notify_operators",
        ]
    );
    assert_eq!(
        learning.journal()[8]["payload"]["trigger"],
        "manual_request"
    );
    let error = learning.switch("reviewer", None, "ann").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "version 1 of the prompt of reviewer has none before it"
    );
    learning.approve(FIRST).await.unwrap();
    assert_eq!(learning.active("reviewer"), (3, Some(1)));
    learning.switch("reviewer", Some(2), "ann").await.unwrap();
    assert_eq!(learning.active("reviewer"), (2, Some(3)));
    assert_eq!(learning.lesson("reviewer", FIRST)["status"], "applied");
    let error = learning
        .switch("reviewer", Some(9), "ann")
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "the prompt of reviewer has no version 9");
}

#[tokio::test]
async fn a_lesson_that_is_worded_anew_after_a_rollback_waits_like_a_new_one() {
    let learning = one();
    learning.approve(FIRST).await.unwrap();
    learning.switch("reviewer", None, "ann").await.unwrap();
    let learner = learning.learner();
    let lessons = learner.lessons(Some(&agent("reviewer"))).unwrap();
    let worded = lessons[0].worded("Give the unit of each number in a table.", "ann");
    learner.put(&worded.unwrap()).unwrap();
    let kept = learning.lesson("reviewer", FIRST);
    assert_eq!(
        (&kept["confidence"], &kept["rolled_back_at"]),
        (&json!(0.75), &Json::Null)
    );
}

#[tokio::test]
async fn a_version_with_a_lesson_that_is_rejected_is_not_used_again() {
    let learning = one();
    learning.approve(FIRST).await.unwrap();
    learning.switch("reviewer", None, "ann").await.unwrap();
    learning.switch("reviewer", Some(2), "ann").await.unwrap();
    assert_eq!(learning.active("reviewer"), (2, Some(1)));
    learning
        .decide(FIRST, Decision::Reject, "bob")
        .await
        .unwrap();
    let error = learning
        .switch("reviewer", Some(2), "ann")
        .await
        .unwrap_err();
    let (message, hint) = told(&error);
    let expected =
        format!("version 2 of the prompt of reviewer holds lesson {FIRST}, which is rejected");
    assert_eq!(message, expected);
    let goes_back = "`ralph learn rollback reviewer` goes back to the latest version without it";
    assert!(hint.starts_with(goes_back), "{hint}");
    assert_eq!(learning.active("reviewer"), (3, Some(2)));
}

#[tokio::test]
async fn a_rollback_finds_a_version_without_lessons_that_were_rejected() {
    let learning = one();
    learning.approve(FIRST).await.unwrap();
    put(&learning, "reviewer", SECOND, "Quote the sentence.");
    learning.approve(SECOND).await.unwrap();
    learning
        .decide(FIRST, Decision::Reject, "ann")
        .await
        .unwrap();
    assert_eq!(learning.active("reviewer"), (4, Some(3)));
    let error = learning
        .switch("reviewer", Some(3), "ann")
        .await
        .unwrap_err();
    assert!(error.to_string().contains("which is rejected"), "{error}");
    learning.switch("reviewer", None, "ann").await.unwrap();
    assert_eq!(learning.active("reviewer"), (1, Some(4)));
    learning.switch("reviewer", Some(4), "ann").await.unwrap();
    assert_eq!(learning.active("reviewer"), (4, Some(1)));
}

#[tokio::test]
async fn every_decision_and_every_way_to_use_a_version_asks_the_approvers() {
    let mut learning = one();
    learning.configure("[learning.prompt_evolution.approval_gate]\napprovers = [\"ann\"]\n");
    let refused = "eve may not decide on lessons; those who may are: ann";
    let later = "2999-01-01T00:00:00Z".parse().unwrap();
    for decision in [Decision::Approve, Decision::Reject, Decision::Defer(later)] {
        let error = learning.decide(FIRST, decision, "eve").await.unwrap_err();
        assert_eq!(error.to_string(), refused);
    }
    assert_eq!(learning.lesson("reviewer", FIRST).get("status"), None);
    learning.approve(FIRST).await.unwrap();
    for to in [None, Some(1)] {
        let error = learning.switch("reviewer", to, "eve").await.unwrap_err();
        assert_eq!(error.to_string(), refused);
    }
    assert_eq!(learning.active("reviewer"), (2, Some(1)));
    learning.switch("reviewer", None, "ann").await.unwrap();
    let error = learning
        .switch("reviewer", Some(2), "eve")
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), refused);
    assert!(
        matches!(&error, review_engine::EngineError::Refused { code, .. }
        if *code == ExitCode::NotPassed)
    );
    learning.switch("reviewer", Some(2), "ann").await.unwrap();
    assert_eq!(learning.active("reviewer"), (2, Some(1)));
}

#[tokio::test]
async fn a_version_is_no_rollback_where_it_is_used_again_and_who_does_that_approves() {
    let learning = one();
    learning.approve(FIRST).await.unwrap();
    learning.switch("reviewer", None, "bob").await.unwrap();
    let learner = learning.learner();
    let history = || {
        let active = learner
            .prompts()
            .unwrap()
            .active(&agent("reviewer"))
            .unwrap();
        let current = learner.current(&agent("reviewer")).unwrap();
        let kept = learner.version(&agent("reviewer"), version(2)).unwrap();
        let entry = HistoryEntry::new(&kept, &current, active.as_ref());
        (value(&entry), value(&active)["changes"].clone())
    };
    assert_eq!(history().0["rolled_back"]["by"], "bob");
    learning.switch("reviewer", Some(2), "cid").await.unwrap();
    let (entry, changes) = history();
    assert_eq!(
        (&entry["rolled_back"], &entry["active"]),
        (&Json::Null, &json!(true))
    );
    let causes = [0, 1, 2].map(|at| (&changes[at]["cause"], &changes[at]["by"]));
    let expected = [("update", "ann"), ("rollback", "bob"), ("restore", "cid")];
    assert_eq!(json!(causes), json!(expected));
    let lesson = learning.lesson("reviewer", FIRST);
    assert_eq!(
        (&lesson["status"], &lesson["approved_by"]),
        (&json!("applied"), &json!("cid"))
    );
    let steps = learning.steps().into_iter();
    assert_eq!(
        steps.filter(|step| step == "rollback.log_rollback").count(),
        1
    );
    let stats = learner.stats(&learning.state()).unwrap();
    assert_eq!(value(&stats)["rollback_frequency"], 1.0);
}

#[tokio::test]
async fn a_history_tells_which_version_was_never_in_use() {
    let learning = one();
    learning.approve(FIRST).await.unwrap();
    let made = read(&learning.workspace, &format!("{PROMPTS}/v2.md"));
    // A process that was killed before it used the version.
    let orphan = made.replacen("version: 2", "version: 3", 1);
    learning
        .workspace
        .write(&format!("{PROMPTS}/v3.md"), &orphan)
        .unwrap();
    let learner = learning.learner();
    let active = learner
        .prompts()
        .unwrap()
        .active(&agent("reviewer"))
        .unwrap();
    let current = learner.current(&agent("reviewer")).unwrap();
    let entries = [1, 2, 3].map(|number| {
        let of = learner
            .version(&agent("reviewer"), version(number))
            .unwrap();
        HistoryEntry::new(&of, &current, active.as_ref())
    });
    let told = entries
        .each_ref()
        .map(|entry| value(entry)["never_used"].clone());
    assert_eq!(told, [false, false, true]);
}

#[tokio::test]
async fn what_was_rolled_back_or_deferred_needs_a_person_also_where_no_approval_is_required() {
    let mut learning = one();
    learning.configure("[learning.prompt_evolution.approval_gate]\nrequired = false\n");
    put(&learning, "reviewer", SECOND, "Quote the sentence.");
    let until = "2999-01-01T00:00:00Z".parse().unwrap();
    learning
        .decide(SECOND, Decision::Defer(until), "ann")
        .await
        .unwrap();
    let learner = learning.learner();
    let evolution = learning.evolution(&learner, Trigger::LessonApproved);
    let updated = evolution.update_unasked(&agent("reviewer")).await.unwrap();
    assert!(updated.unasked);
    assert_eq!(learning.journal()[1]["payload"]["approval"], "not required");
    let kept = learning.lesson("reviewer", FIRST);
    assert_eq!(kept["approved_by"], "nobody: approval is not required");
    assert_eq!(learning.lesson("reviewer", SECOND)["status"], "proposed");
    learning.switch("reviewer", None, "ann").await.unwrap();
    let updated = evolution.update_unasked(&agent("reviewer")).await.unwrap();
    assert!(updated.version.is_none());
    assert_eq!(learning.active("reviewer"), (1, Some(2)));
    assert_eq!(learning.lesson("reviewer", FIRST)["status"], "proposed");
    learning.approve(FIRST).await.unwrap();
    assert_eq!(learning.active("reviewer"), (3, Some(1)));
}

#[tokio::test]
async fn the_prompt_of_another_agent_comes_from_its_own_file() {
    let learning = Learning::new("");
    put(&learning, "api-dev", FIRST, "Name the unit of every limit.");
    let error = learning.approve(FIRST).await.unwrap_err();
    let (message, hint) = told(&error);
    assert!(
        message.starts_with("the prompt of api-dev is not known: "),
        "{message}"
    );
    assert!(
        message.contains("/api-dev.md cannot be read: no such file"),
        "{message}"
    );
    assert!(hint.contains("learning.agents.api-dev.prompt"), "{hint}");
    assert_eq!(learning.lesson("api-dev", FIRST).get("status"), None);
    let learner = learning.learner();
    let lessons = learner.lessons(None).unwrap();
    assert!(propose(&learner, &lessons[0]).is_err());
    let error = learning.switch("api-dev", None, "ann").await.unwrap_err();
    assert_eq!(told(&error).1, hint);
    assert!(!is_there(&learning, ".aiwg/.prompts"));
    let own = "---\nname: api-dev\n---\nWrite APIs.\r\n";
    learning
        .workspace
        .write(".claude/agents/api-dev.md", own)
        .unwrap();
    learning.approve(FIRST).await.unwrap();
    assert_eq!(read(&learning.workspace, ".claude/agents/api-dev.md"), own);
    let text = learner.current(&agent("api-dev")).unwrap().content;
    assert!(text.starts_with(own), "{text:?}");
    assert!(
        text.contains("\n- Name the unit of every limit.\n"),
        "{text:?}"
    );
    let agents = learner.agents().unwrap();
    let expected = ["reviewer", "applier", "implementer", "api-dev"];
    assert_eq!(agents, expected.map(agent));
}

#[tokio::test]
async fn versions_are_kept_where_the_configuration_says_and_as_many_as_it_says() {
    let learning = Learning::new(
        "[learning.prompt_evolution]\nstorage_path = \"kept/prompts\"\n\
         versioning.format = \"p-{version}.txt\"\nrollback.max_versions = 2\n\
         [learning.agents.api-dev]\nprompt = \"agents/api.md\"\n",
    );
    learning
        .workspace
        .write("agents/api.md", "Write APIs.\n")
        .unwrap();
    for (id, text) in [(FIRST, "One."), (SECOND, "Two.")] {
        put(&learning, "api-dev", id, text);
        learning.approve(id).await.unwrap();
    }
    let mut versions = files(&learning.workspace);
    versions.retain(|path| path.ends_with(".txt"));
    let folder = "kept/prompts/api-dev";
    assert_eq!(
        versions,
        [2, 3].map(|version| format!("{folder}/p-{version}.txt"))
    );
    let last = read(&learning.workspace, &versions[1]);
    assert!(
        last.ends_with("- One.\n- Two.\n<!-- lessons: end -->\n"),
        "{last}"
    );
    assert!(!is_there(&learning, ".aiwg/.prompts"));
}

#[test]
fn a_file_of_versions_that_cannot_be_used_is_told_with_one_cause() {
    let learning = Learning::new("");
    let told = || {
        let config = learning.workspace.config("").unwrap();
        let error = active_prompts(&learning.workspace.root(), &config).unwrap_err();
        error_chain(&error)
    };
    for (file, content, cause) in [
        (
            "active.json",
            r#"{"version": 2, "since": "2026-01-01T00:00:00Z"}"#,
            "the prompt of reviewer has no version 2",
        ),
        ("v2.md", "Judge.\n", "v2.md: line 1: expected `---`"),
        ("active.json", "x", "expected value"),
    ] {
        let path = format!("{PROMPTS}/{file}");
        learning.workspace.write(&path, content).unwrap();
        let told = told();
        assert_eq!(told.matches(cause).count(), 1, "{told}");
    }
}
