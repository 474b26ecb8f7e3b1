//! What feedback is kept, and the lessons that it leads to.

use review::MemorySink;
use review_engine::learn::{Analyzed, Collected, Request, RootCorrections, Words, drafts_of_run};
use review_engine::start;
use review_learning::collection::Draft as Feedback;
use review_learning::lesson::{Decision, Draft};
use review_learning::protocol::{StepContext, Trigger};
use review_process::Redactor;
use serde_json::{Value as Json, json};

use crate::learn::{Learning, agent, lesson_path, now};
use crate::support::{PASS, files, json as value, program, read, settings};

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
const FOLDER: &str = ".aiwg/.feedback";
const CORRECTIONS: &str = ".claude/user-corrections.jsonl";

pub(crate) fn id(number: usize) -> String {
    format!("0192f0c1-2d3e-7a4b-8c5d-{number:012}")
}

/// Puts an entry about the applier into the store.
pub(crate) fn put(learning: &Learning, number: usize, kind: &str, details: &Json) {
    let id = id(number);
    let entry = json!({
        "id": id, "agent": "applier", "timestamp": "2026-03-01T12:00:00Z",
        "type": kind, "severity": "high", "context": {"session": format!("r-{number}")},
        "details": details,
    });
    let path = format!("{FOLDER}/applier/20260301T120000Z-{id}.json");
    learning.workspace.write(&path, &entry.to_string()).unwrap();
}

/// Puts the first pieces of feedback into the store.
pub(crate) fn feedback(learning: &Learning, count: usize) {
    for (number, (issue, correction)) in SAID.iter().take(count).enumerate() {
        let details = json!({"error_message": issue, "correction": correction});
        put(learning, number, "review_rejection", &details);
    }
}

/// Analyses the feedback of the applier.
pub(crate) async fn analyzed(
    learning: &Learning,
    trigger: Trigger,
    words: &mut Words<'_>,
) -> Analyzed {
    let learner = learning.learner();
    let course = StepContext {
        run: None,
        at: now(),
        trigger,
        agent: &agent("applier"),
    };
    let (store, state) = (learner.feedback().unwrap(), learning.state());
    let analyzed = learner.analyze(course, &store, &state, words);
    analyzed.await.unwrap()
}

async fn without_words(learning: &Learning) -> Analyzed {
    analyzed(learning, Trigger::ManualRequest, &mut Words::OfFeedback).await
}

/// The lesson of the one group that waits, in these words of a user.
async fn worded(learning: &Learning, text: &str) -> Json {
    let learner = learning.learner();
    let store = learner.feedback().unwrap();
    let mut waiting = learner.waiting(&agent("applier"), &store).await.unwrap();
    let mut words = Words::OfUser {
        group: waiting.pop().unwrap().id,
        draft: Draft::by_user(text, "ann").unwrap(),
    };
    let analyzed = analyzed(learning, Trigger::ManualRequest, &mut words).await;
    value(&analyzed.extraction.proposed[0])
}

#[tokio::test]
async fn what_comes_again_and_again_waits_for_words_and_becomes_a_lesson() {
    let learning = Learning::new("[learning]\n");
    feedback(&learning, 9);
    let found = without_words(&learning).await.extraction;
    assert_eq!((found.entries, found.clusters, found.patterns), (9, 1, 1));
    assert!(found.proposed.is_empty());
    let waiting = &found.waiting[0];
    assert_eq!((waiting.agent.as_str(), waiting.entries), ("applier", 5));
    let lesson = worded(&learning, "Jeder Upload hat eine Frist.").await;
    assert_eq!(lesson["id"], waiting.id.as_str());
    assert_eq!(lesson["status"], "proposed");
    assert_eq!(lesson["constraint_update"], "Jeder Upload hat eine Frist.");
    assert_eq!(lesson["written_by"], "ann");
    assert_eq!(lesson["source_feedback"], json!([0, 1, 3, 5, 7].map(id)));
    assert_eq!(
        (&lesson["impact"], &lesson["occurrences"]),
        (&json!("high"), &json!(5))
    );
    assert_eq!(learning.lesson("applier", waiting.id.as_str()), lesson);
    let expected = [
        "load_recent_feedback",
        "cluster_by_similarity",
        "detect_patterns",
        "generate_lessons",
        "propose_constraints",
        "submit_for_approval",
    ];
    let expected = expected.map(|step| format!("lesson_extraction.{step}"));
    assert_eq!(learning.steps()[..6], expected);
}

#[tokio::test]
async fn a_lesson_that_is_there_is_raised_and_its_cluster_keeps_its_id() {
    let learning = Learning::new("[learning]\n");
    feedback(&learning, 7);
    let first = worded(&learning, "Set a timeout on each upload.").await;
    assert_eq!(
        (&first["occurrences"], &first["clusters"]),
        (&json!(4), &json!([0]))
    );
    feedback(&learning, 9);
    let again = without_words(&learning).await.extraction;
    assert!(again.proposed.is_empty());
    let raised = value(&again.raised[0]);
    assert_eq!(
        (&raised["id"], &raised["clusters"], &raised["occurrences"]),
        (&first["id"], &json!([0]), &json!(5))
    );
    let trigger = Trigger::ScheduledAnalysis;
    let known = analyzed(&learning, trigger, &mut Words::OfFeedback).await;
    assert!(known.extraction.proposed.is_empty() && known.extraction.raised.is_empty());
    let journal = learning.journal();
    let trigger = |at: usize| journal[at]["payload"]["trigger"].clone();
    assert_eq!(
        (trigger(0), trigger(journal.len() - 1)),
        (json!("manual_request"), json!("scheduled_analysis"))
    );
}

#[tokio::test]
async fn a_lesson_that_cannot_be_read_is_named_and_not_written_over() {
    let learning = Learning::new("[learning]\n");
    feedback(&learning, 9);
    let lesson = worded(&learning, "Set a timeout on each upload.").await;
    let id = lesson["id"].as_str().unwrap();
    learning.decide(id, Decision::Reject, "ann").await.unwrap();
    let path = lesson_path("applier", id);
    let rejected = read(&learning.workspace, &path);
    let broken = &rejected[..rejected.len() - 2];
    learning.workspace.write(&path, broken).unwrap();
    let found = without_words(&learning).await;
    let [bad] = &found.bad[..] else {
        panic!("one file: {:?}", found.bad)
    };
    assert!(bad.starts_with(&format!("{path}: ")), "{bad}");
    let fix = "; fix the file, or delete it to have the lesson proposed again";
    assert!(bad.ends_with(fix), "{bad}");
    assert_eq!(read(&learning.workspace, &path), broken);
    learning.workspace.write(&path, &rejected).unwrap();
    let found = without_words(&learning).await;
    assert!(found.extraction.proposed.is_empty());
    assert_eq!(read(&learning.workspace, &path), rejected);
}

#[tokio::test]
async fn failures_in_the_same_words_are_quoted_once_and_worded_until_they_are_applied() {
    let config = "[learning.learning_pipeline.analysis]\nmin_samples = 3\n";
    let learning = Learning::new(config);
    let failed = "thread 'upload::retries' panicked at src/up.rs:4:5:; assertion failed: \
                  upload has a timeout";
    for number in 0..3 {
        put(
            &learning,
            number,
            "test_failure",
            &json!({"error_message": failed}),
        );
    }
    let waiting = without_words(&learning).await.extraction.waiting;
    assert_eq!(waiting[0].quotes, [failed]);
    let first = worded(
        &learning,
        "Lint before each commit with the project's rules",
    )
    .await;
    let id = first["id"].as_str().unwrap();
    let learner = learning.learner();
    let again = "Schreibe f\u{fc}r jeden Upload die Frist auf";
    let word = || {
        let lessons = learner.lessons(Some(&agent("applier"))).unwrap();
        lessons[0].worded(again, "ann")
    };
    learner.put(&word().unwrap()).unwrap();
    learning.approve(id).await.unwrap();
    let prompt = learner.current(&agent("applier")).unwrap().content;
    assert!(prompt.contains(&format!("\n- {again}\n")), "{prompt}");
    assert!(word().is_err());
}

#[tokio::test]
async fn scores_propose_nothing() {
    let learning = Learning::new("[learning]\n");
    for number in 0..6 {
        let details = json!({"error_message": "completeness is below its minimum"});
        put(&learning, number, "quality_score", &details);
    }
    let found = without_words(&learning).await.extraction;
    assert_eq!(
        (found.entries, found.proposed.len(), found.waiting.len()),
        (6, 0, 0)
    );
}

fn collect(learning: &Learning, drafts: Vec<Feedback>, request: Request) -> Collected {
    let redactor = Redactor::new([""; 0]);
    let collected =
        (learning.learner()).collect(drafts, request, None, &learning.state(), &redactor);
    collected.unwrap()
}

/// Found, added, removed and left out.
fn counts(collected: &Collected) -> [usize; 4] {
    let Collected {
        found,
        added,
        pruned,
        left_out,
        ..
    } = collected;
    [*found, added.len(), *pruned, *left_out]
}

/// The types of what is kept, sorted.
fn types(learning: &Learning) -> Vec<String> {
    let store = learning.learner().feedback().unwrap();
    let types = store.entries().iter().map(|entry| entry.feedback_type);
    let mut types: Vec<_> = types.map(|one| one.as_str().to_owned()).collect();
    types.sort();
    types
}

/// The feedback of a run whose reviewer wants one change, and then is content.
async fn of_run(learning: &Learning) -> Vec<Feedback> {
    let revise = PASS
        .replace("\"pass\"", "\"needs_revision\"")
        .replace("completeness\":90", "completeness\":60");
    let item = r#"{"section":"Goal","issue":"it is not fixed","suggestion":"fix it"}"#;
    let revise = revise.replace("[]", &format!("[{item}]"));
    let script = format!(
        "cat > /dev/null\nif [ $RALPH_ITERATION = 1 ]; then echo '{revise}'; else echo '{PASS}'; fi"
    );
    let workspace = &learning.workspace;
    workspace
        .write("specs/DEMO.md", "# Demo\n\n## Goal\n\nA demo.\n")
        .unwrap();
    program(workspace, "judge", &script);
    program(
        workspace,
        "fix",
        "cat > /dev/null\necho fixed >> \"$RALPH_SPEC\"",
    );
    let settings = settings(
        workspace,
        "reviewer = \"cmd:judge\"\napplier = \"cmd:fix\"\n",
    );
    let sink = MemorySink::default();
    let project = workspace.project(&sink).unwrap();
    Box::pin(start(&project, settings.clone())).await.unwrap();
    drafts_of_run(&sink.events(), &settings)
}

#[tokio::test]
async fn sources_decide_what_is_collected_and_what_only_on_request_and_it_is_so_once() {
    let mut learning = Learning::new(
        "[learning]\nfeedback_collection.sources = [\n\
         {type = \"quality_score\", severity_threshold = \"high_only\"},\n\
         {type = \"review_rejection\", auto_collect = false},\n]\n",
    );
    let drafts = of_run(&learning).await;
    let collected =
        |learning: &Learning, request| counts(&collect(learning, drafts.clone(), request));
    assert_eq!(collected(&learning, Request::Run), [2, 0, 0, 0]);
    assert_eq!(collected(&learning, Request::User), [2, 1, 0, 0]);
    assert_eq!(types(&learning), ["review_rejection"]);
    learning.configure("[learning]\n");
    assert_eq!(collected(&learning, Request::Run), [2, 1, 0, 0]);
    assert_eq!(collected(&learning, Request::User), [2, 0, 0, 0]);
    assert_eq!(types(&learning), ["quality_score", "review_rejection"]);
    learning.configure("[learning]\nfeedback_collection.retention.max_entries_per_agent = 1\n");
    assert_eq!(collected(&learning, Request::User), [2, 0, 1, 0]);
    assert_eq!(types(&learning).len(), 1);
}

/// A correction of a user.
fn correction(agent: &str, timestamp: &str, verbatim: &str) -> String {
    let line = json!({
        "date": &timestamp[..10], "timestamp": timestamp, "agent": agent,
        "correction_type": "code_quality", "ai_action": {"summary": "Wrote it"},
        "user_correction": {"summary": "Changed it", "verbatim": verbatim},
        "source": "explicit",
    });
    line.to_string()
}

fn corrections(learning: &Learning, lines: &[String]) -> RootCorrections {
    learning
        .workspace
        .write(CORRECTIONS, &lines.join("\n"))
        .unwrap();
    RootCorrections::of(&learning.workspace.root()).unwrap()
}

#[test]
fn what_retention_does_not_keep_is_counted() {
    let learning = Learning::new(
        "[learning.feedback_collection.retention]\nmax_entries_per_agent = 2\nmax_age_days = 90\n",
    );
    let mut lines = vec![correction("api-dev", "2020-03-02T10:30:00Z", "No")];
    let new = |second: u32| format!("2026-03-02T10:30:0{second}Z");
    lines.extend((0..4).map(|second| correction("api-dev", &new(second), "No")));
    let collected = || {
        let drafts = corrections(&learning, &lines).drafts;
        counts(&collect(&learning, drafts, Request::User))
    };
    assert_eq!(collected(), [5, 2, 0, 3]);
    assert_eq!(collected(), [5, 0, 0, 3]);
}

#[test]
fn corrections_are_kept_by_agent_without_secrets() {
    let learning = Learning::new("[learning]\n");
    let secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH";
    let at = "2026-03-02T10:30:00Z";
    let found = corrections(
        &learning,
        &[
            correction("api-dev", at, secret),
            "no".to_owned(),
            correction("../up", at, "No"),
        ],
    );
    assert_eq!((found.drafts.len(), found.bad), (2, 1));
    collect(&learning, found.drafts, Request::User);
    let files = files(&learning.workspace);
    let mut folders = files
        .iter()
        .filter_map(|path| path.strip_prefix(".aiwg/.feedback/"));
    let folder = |path: &str| path.split('/').next().map(str::len);
    assert!(
        folders.clone().any(|path| path.starts_with("api-dev/")),
        "{files:?}"
    );
    assert!(folders.any(|path| folder(path) == Some(64)), "{files:?}");
    let store = learning.learner().feedback().unwrap();
    let of_agent = store
        .entries()
        .iter()
        .find(|entry| entry.agent.as_str() == "api-dev");
    let expected = of_agent.unwrap().details.expected.as_deref();
    assert_eq!(expected, Some("[redacted]"));
}
