use std::collections::BTreeMap;

use review::Reviewer;
use review_process::{GroupId, Redactor};

use crate::support::{Project, answer, report, review_request, sh};

#[tokio::test]
async fn both_outputs_of_every_call_are_logged_by_step_and_attempt() {
    let project = Project::new();
    let agent = sh("echo said; echo noted >&2; exit 1", project.context());
    answer(&agent).await.unwrap_err();
    report(&agent).await.unwrap_err();
    let mut again = review_request();
    again.step.attempt = 2;
    agent.review(again).await.unwrap_err();
    let expected = [
        "review.apply-2-1",
        "review.review-2.1-1",
        "review.review-2.1-2",
    ]
    .into_iter()
    .flat_map(|call| [(call, "stdout", "said\n"), (call, "stderr", "noted\n")])
    .map(|(call, output, text)| (format!("{call}.{output}"), text.to_owned()));
    assert_eq!(project.logs(), BTreeMap::from_iter(expected));
}

#[tokio::test]
async fn a_short_answer_is_in_the_journal_and_in_no_log() {
    let project = Project::new();
    for (bytes, logged) in [(8_192, false), (8_193, true)] {
        let script = format!("head -c {bytes} /dev/zero | tr '\\0' x");
        let said = answer(&sh(&script, project.context())).await.unwrap();
        assert_eq!(said, "x".repeat(bytes));
        let expected = logged.then(|| ("review.review-2.1-1.stdout".to_owned(), said));
        assert_eq!(project.logs(), BTreeMap::from_iter(expected));
    }
}

#[tokio::test]
async fn secrets_are_removed_from_outputs_and_logs() {
    let project = Project::new();
    let mut context = project.context();
    context.redactor = Redactor::new(["hunter2-hunter2"]);
    let said = "echo a hunter2-hunter2 z; echo b hunter2-hunter2 z >&2";
    let script = format!("{said}; [ $RALPH_ROLE = reviewer ]");
    let agent = sh(&script, context);
    assert_eq!(answer(&agent).await.unwrap(), "a [redacted] z\n");
    report(&agent).await.unwrap_err();
    let mut logs = project.logs();
    assert_eq!(
        logs.remove("review.review-2.1-1.stderr").as_deref(),
        Some("b [redacted] z\n")
    );
    let logs: Vec<_> = logs.values().map(String::as_str).collect();
    assert_eq!(logs, ["b [redacted] z\n", "a [redacted] z\n"]);
}

#[tokio::test]
async fn secrets_are_in_no_message() {
    let project = Project::new();
    let mut context = project.context();
    context.redactor = Redactor::new(["hunter2-hunter2"]);
    let agent = sh("echo hunter2-hunter2 >&2; exit 1", context);
    assert_eq!(
        answer(&agent).await.unwrap_err().message,
        "`sh` ended with exit status 1; its standard error ended with:\n[redacted]"
    );
}

#[tokio::test]
async fn the_group_of_a_call_is_noted_while_it_lives() {
    let project = Project::new();
    let notes = project.run.path().join("children");
    let script = format!(
        "until grep \"^$$ \" {} 2>/dev/null; do :; done; echo $$",
        notes.display()
    );
    let said = answer(&sh(&script, project.context())).await.unwrap();
    let (noted, pid) = said.trim_end().rsplit_once('\n').unwrap();
    let noted: GroupId = noted.parse().unwrap();
    assert_eq!(noted.pgid.to_string(), pid);
    assert_eq!(project.run.child_slot().running().unwrap().len(), 0);
}

#[tokio::test]
async fn a_call_that_is_dropped_leaves_neither_child_nor_note() {
    let project = Project::new();
    let context = project.context();
    let groups = context.groups.clone();
    let agent = sh("touch begun; exec tail -f /dev/null", context);
    let begun = async {
        while !project.has_started() {
            tokio::task::yield_now().await;
        }
        project.run.child_slot().running().unwrap().len()
    };
    let noted = tokio::select! {
        biased;
        ended = answer(&agent) => panic!("it does not end on its own: {ended:?}"),
        noted = begun => noted,
    };
    assert_eq!(noted, 1);
    assert_eq!(groups.live(), 0);
    assert_eq!(project.run.child_slot().running().unwrap().len(), 0);
}

#[tokio::test]
async fn an_answer_outlives_the_files_of_its_call() {
    let project = Project::new();
    std::fs::write(project.run.path().join("logs"), "").unwrap();
    std::fs::create_dir(project.run.path().join("child")).unwrap();
    let agent = sh("echo fine", project.context());
    assert_eq!(answer(&agent).await.as_deref(), Ok("fine\n"));
}
