//! A model behind an HTTP API as applier: its edits are made as a whole.

use review::schema::read_decisions;
use review::types::{AgentError, Failure};
use review::{Applier, ApplyReport, Malformed, Retry};
use review_agents::{Api, Claim};
use serde_json::{Value as Json, json};

use crate::http_support::{Stopped, agent, events, profile, sse};
use crate::support::{Project, apply_request, implement_request};
use review_test_support::http_server::{Server, stream};

const SPEC: &str = "specs/DEMO.md";

fn saying(api: Api, answer: &str) -> Server {
    Server::always(stream(&sse(&events(api, &[answer], Stopped::Done))))
}

async fn apply(project: &Project, edits: Json) -> Result<ApplyReport, AgentError> {
    let api = Api::ChatCompletions;
    let items = json!([{"id": "demo-01", "status": "accepted", "reason_code": null}]);
    let answer = json!({"applied_feedback": {"items": items}, "edits": edits});
    let server = saying(api, &answer.to_string());
    let agent = agent(profile(api, &server), project.context());
    agent.apply(apply_request()).await
}

#[tokio::test]
async fn edits_are_made_in_their_order_and_the_report_keeps_the_decisions() {
    let project = Project::new();
    project.write(SPEC, "# Demo\n\nOld.\n");
    let edits = json!([
        {"path": SPEC, "search": "Old.", "replace": "New.", "content": null},
        {"path": SPEC, "search": "New.\n", "replace": "Newer.\n"},
    ]);
    let report = apply(&project, edits).await.unwrap();
    assert_eq!(project.read(SPEC), "# Demo\n\nNewer.\n");
    assert_eq!((&report.malformed, report.out_of_scope.len()), (&None, 0));
    let decisions = read_decisions(&report.text).stated;
    assert_eq!(decisions.len(), 1);
    assert_eq!(decisions[0].decision.id().as_str(), "demo-01");
    assert_eq!(decisions[0].decision.status().as_str(), "accepted");
    assert!(report.by.prompt.unwrap().starts_with("apply-edits/v"));
    assert_eq!(report.usage.unwrap().input_tokens, 100);
}

#[tokio::test]
async fn a_whole_file_is_replaced_and_no_edit_changes_nothing() {
    let project = Project::new();
    apply(
        &project,
        json!([{"path": "./specs/DEMO.md", "content": "# Other\n"}]),
    )
    .await
    .unwrap();
    assert_eq!(project.read(SPEC), "# Other\n");
    apply(&project, json!([])).await.unwrap();
    assert_eq!(project.read(SPEC), "# Other\n");
}

#[tokio::test]
async fn one_edit_that_does_not_fit_keeps_all_others_from_being_made() {
    let fits = json!({"path": SPEC, "search": "Demo", "replace": "Changed, changed"});
    for (edit, field, message) in [
        (
            json!({"path": SPEC, "search": "Nothing", "replace": ""}),
            "edits[1].search",
            "is not in the file; copy it from there, blanks and line ends included",
        ),
        (
            json!({"path": SPEC, "search": "hanged", "replace": ""}),
            "edits[1].search",
            "is in the file more than once; copy more of the lines around it",
        ),
        (
            json!({"path": "specs/OTHER.md", "content": "x"}),
            "edits[1].path",
            "specs/OTHER.md is not a file of the artifact",
        ),
        (
            json!({"path": "../escape.md", "content": "x"}),
            "edits[1].path",
            "../escape.md is outside the root",
        ),
    ] {
        let project = Project::new();
        let report = apply(&project, json!([fits, edit])).await.unwrap();
        let expected = Malformed {
            field: field.to_owned(),
            message: message.to_owned(),
        };
        assert_eq!(report.malformed, Some(expected));
        assert_eq!(project.read(SPEC), "# Demo\n", "{field}");
        assert!(String::from_utf8(report.text).unwrap().contains("Changed"));
        assert!(!project.path("root/specs/OTHER.md").exists());
        assert!(!project.path("escape.md").exists());
    }
}

#[tokio::test]
async fn an_answer_without_edits_is_malformed_and_no_answer_is_not() {
    let project = Project::new();
    let api = Api::Responses;
    let server = saying(api, "I would rather not.");
    let applier = agent(profile(api, &server), project.context());
    let report = applier.apply(apply_request()).await.unwrap();
    assert_eq!(report.malformed.unwrap().field, "json");
    assert_eq!(report.text, b"I would rather not.");
    let server = Server::always(stream(&sse(&events(api, &[], Stopped::Refused))));
    let applier = agent(profile(api, &server), project.context());
    let error = applier.apply(apply_request()).await.unwrap_err();
    assert_eq!(error.failure, Failure::Refused);
}

#[tokio::test]
async fn a_file_that_is_not_utf8_can_only_be_replaced_as_a_whole() {
    let project = Project::new();
    project.write(SPEC, b"\xff Demo\n");
    let edit = json!({"path": SPEC, "search": "Demo", "replace": "x"});
    let malformed = apply(&project, json!([edit])).await.unwrap().malformed;
    assert_eq!(
        malformed.unwrap().message,
        "the file is not UTF-8; replace it as a whole"
    );
}

#[tokio::test]
async fn edits_and_decisions_are_read_with_prose_around_them() {
    let (project, api) = (Project::new(), Api::Messages);
    let edit = json!({"path": SPEC, "search": "Demo", "replace": "{title}", "content": null});
    let item = json!({"id": "demo-01", "status": "accepted", "explanation": null});
    let answer = json!({"applied_feedback": {"items": [item]}, "edits": [edit]});
    let prose = format!("I set {{title}} as asked:\n```json\n{answer}\n```\nThat is {{all}}.");
    let server = saying(api, &prose);
    let agent = agent(profile(api, &server), project.context());
    let report = agent.apply(apply_request()).await.unwrap();
    assert_eq!(report.malformed, None);
    assert_eq!(project.read(SPEC), "# {title}\n");
    assert_eq!(read_decisions(&report.text).stated.len(), 1);
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_second_try_gets_the_fault_of_the_first() {
    let (project, api) = (Project::new(), Api::Responses);
    let server = saying(api, r#"{"edits": []}"#);
    let agent = agent(profile(api, &server), project.context());
    let mut request = apply_request();
    request.retry = Some(Retry {
        field: "edits[0].search".to_owned(),
        message: "is not in the file".to_owned(),
        tail: "the end of it".to_owned(),
    });

    agent.apply(request).await.unwrap();
    let body: Json = serde_json::from_str(&server.asked()[0].body).unwrap();
    let prompt = body["input"].as_str().unwrap();
    let told = "Your last answer could not be used: edits[0].search - is not in the file.\n";
    assert!(prompt.contains(told), "{prompt}");
    assert!(
        prompt.contains("last answer>>>\nthe end of it\n"),
        "{prompt}"
    );
    assert!(!prompt.contains("{{"), "{prompt}");
    assert_eq!(
        body["text"]["format"]["schema"]["required"],
        json!(["applied_feedback", "edits"])
    );
}

/// Has a model implement a task, with this answer.
async fn implement(project: &Project, answer: Json) -> Claim {
    let api = Api::ChatCompletions;
    let server = saying(api, &answer.to_string());
    let agent = agent(profile(api, &server), project.context());
    let done = agent.implement(implement_request()).await.unwrap();
    let prompt = done.by.prompt.as_deref();
    assert_eq!(prompt, Some("implement-edits/v1 implementer/v1"));
    let asked = server.asked().remove(0).body;
    assert!(asked.contains("already_satisfied"), "{asked}");
    done.says
}

#[tokio::test]
async fn the_edits_of_an_implementer_may_change_every_file_and_make_new_ones() {
    let project = Project::new();
    project.write("src.py", "one\n");
    let edits = json!([
        {"path": "src.py", "search": "one", "replace": "two", "content": null},
        {"path": "new/deep/file.py", "content": "three\n"},
        {"path": "new/deep/file.py", "search": "three", "replace": "four"},
    ]);
    let answer = json!({"outcome": "done", "text": "Done.", "edits": edits});
    assert_eq!(implement(&project, answer).await, Claim::Done);
    assert_eq!(project.read("src.py"), "two\n");
    assert_eq!(project.read("new/deep/file.py"), "four\n");
}

#[tokio::test]
async fn an_implementer_whose_edits_do_not_fit_changes_nothing_and_is_told_why() {
    for (edit, why) in [
        (
            json!({"path": "src.py", "search": "x", "replace": ""}),
            "edits[1].search: is not in the file; copy it from there, blanks and line ends included",
        ),
        (
            json!({"path": ".git/hooks/post-checkout", "content": "x"}),
            "edits[1].path: .git/hooks/post-checkout is in the folder of git",
        ),
        (
            json!({"path": "a/../../out.py", "content": "x"}),
            "edits[1].path: a/../../out.py is outside the root",
        ),
    ] {
        let project = Project::new();
        project.write("src.py", "one\n");
        let fits = json!({"path": "src.py", "content": "two\n"});
        let answer = json!({"outcome": "done", "text": "", "edits": [fits, edit]});
        let expected = Claim::Unusable(format!("no edit was made: {why}"));
        assert_eq!(implement(&project, answer).await, expected);
        assert_eq!(project.read("src.py"), "one\n");
    }
    let project = Project::new();
    let (outside, links) = (project.path("outside"), project.path("root"));
    std::fs::create_dir(&outside).unwrap();
    std::fs::create_dir(links.join(".git")).unwrap();
    std::fs::write(links.join(".git/config"), "").unwrap();
    std::os::unix::fs::symlink(outside, links.join("out")).unwrap();
    std::os::unix::fs::symlink(".git", links.join("inner")).unwrap();
    std::os::unix::fs::symlink(".git/config", links.join("file")).unwrap();
    for path in ["out/file", "inner/hooks/post-checkout", "file"] {
        let edits = json!([{"path": path, "content": "x"}]);
        let why = format!(
            "no edit was made: edits[0].path: {path} is a symbolic link, or below one; name the \
             file that it leads to"
        );
        let claim = implement(&project, json!({"outcome": "done", "edits": edits})).await;
        assert_eq!(claim, Claim::Unusable(why));
    }
}

#[tokio::test]
async fn an_implementer_without_edits_has_a_question_or_nothing_to_do() {
    let project = Project::new();
    for (answer, claim) in [
        (
            json!({"outcome": "question", "text": "Which?", "edits": []}),
            Claim::Question("Which?".to_owned()),
        ),
        (
            json!({"outcome": "already_satisfied", "text": "", "edits": []}),
            Claim::AlreadySatisfied,
        ),
    ] {
        assert_eq!(implement(&project, answer).await, claim);
    }
}
