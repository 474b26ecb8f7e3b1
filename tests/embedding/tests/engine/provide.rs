//! Requests of the Agent Feedback Protocol, answered in this process.

use review::MemorySink;
use review_embedding_test::Workspace;
use review_engine::{Provided, ReviewTarget, RunSettings, provide};
use review_schema::afp::{ErrorCode, ResponseBody, Success, read_response};
use review_schema::{Dialect, Options, parse_and_validate_with};
use review_types::{FeedbackItem, SessionId, Severity, Verdict};
use serde_json::{Value as Json, json};

use crate::support::{PASS, files, program};

/// A reviewer that asks for two things, then for one of them, then passes: it goes by the
/// version that the artifact names.
const JUDGE: &str = r#"prompt=$(cat)
score='{"completeness":60,"consistency":85,"testability":70,"architecture":80}'
limits='{"section":"Limits","issue":"no number","suggestion":"say 10 MB"}'
goals='{"section":"Goals","issue":"too many","suggestion":"drop two"}'
id=$(printf %s "$prompt" | sed -n 's/.*"review_id" is "\([^"]*\)".*/\1/p')
answer() { printf '{"review_id":"%s","verdict":"%s","score":%s,"feedback":[%s]}' "$id" "$1" "$2" "$3"; }
case $prompt in
*"version 3"*) answer pass '{"completeness":90,"consistency":90,"testability":90,"architecture":90}' "" ;;
*"version 2"*) answer needs_revision "$score" "$goals" ;;
*) answer needs_revision "$score" "$limits,$goals" ;;
esac"#;

const BY_JUDGE: &str = "reviewer = \"cmd:judge\"\n";

/// A project whose reviewer is this script.
fn judged_by(script: &str) -> Workspace {
    let workspace = Workspace::new(&[]).unwrap();
    program(&workspace, "judge", script);
    workspace
}

fn request(iteration: u32, content: &str) -> Json {
    json!({
        "protocol_version": "1.2",
        "iteration": iteration,
        "artifact": { "media_type": "text/markdown", "content": content },
    })
}

/// The answer to a request in the session of this name, or in a new one.
async fn asked(workspace: &Workspace, config: &str, session: &str, request: &str) -> Provided {
    let sink = MemorySink::default();
    let project = workspace.project(&sink).unwrap();
    let nothing = ReviewTarget::File {
        path: String::new(),
    };
    let settings = RunSettings::of(&workspace.config(config).unwrap(), nothing);
    let named = (!session.is_empty()).then(|| SessionId::new(session).unwrap());
    let provided = provide(&project, settings, named, request.as_bytes());
    Box::pin(provided).await.unwrap()
}

/// The answer of the judge.
async fn judged(workspace: &Workspace, session: &str, request: &Json) -> Provided {
    asked(workspace, BY_JUDGE, session, &request.to_string()).await
}

fn success(provided: &Provided) -> Success {
    match read_response(provided.response.as_bytes()).unwrap().body {
        ResponseBody::Success(success) => success,
        ResponseBody::Error { error } => panic!("{error}"),
    }
}

/// The iteration, code and message of a refusal.
fn refusal(provided: &Provided) -> (u32, ErrorCode, String) {
    let response = read_response(provided.response.as_bytes()).unwrap();
    match response.body {
        ResponseBody::Error { error } => (response.iteration.get(), error.code, error.message),
        ResponseBody::Success(_) => panic!("feedback: {}", provided.response),
    }
}

fn ids(success: &Success) -> Vec<&str> {
    let items = success.feedback().areas_for_improvement.iter();
    items.map(|(id, _)| id.as_str()).collect()
}

fn feedback(provided: &Provided) -> Json {
    let response: Json = serde_json::from_str(&provided.response).unwrap();
    response["feedback"].clone()
}

#[tokio::test]
async fn the_embedded_reviewer_answers_by_default() {
    let workspace = Workspace::new(&[]).unwrap();
    let asked = asked(
        &workspace,
        "",
        "",
        &request(1, "# Plan\n\nTBD\n").to_string(),
    )
    .await;
    let success = success(&asked);
    assert_eq!(success.outcome(), None);
    let options = Options {
        dialect: Dialect::Afp,
        ..Options::default()
    };
    let parsed = parse_and_validate_with(&asked.response, &options).unwrap();
    assert_eq!(parsed.repairs, []);
    assert_eq!(parsed.review.verdict(), success.verdict());
    assert_eq!(files(&workspace), [""; 0]);
}

#[tokio::test]
async fn who_asks_for_a_verdict_gets_one_with_scores_and_severities() {
    let grave = JUDGE.replace("\"say 10 MB\"", "\"say 10 MB\",\"severity\":\"critical\"");
    let workspace = judged_by(&grave);
    let mut ask = request(1, "# Plan, version 3\n");
    ask["review"] = json!({ "review_id": "r-1" });
    let passed = success(&judged(&workspace, "", &ask).await);
    let outcome = passed.outcome().unwrap();
    assert_eq!(outcome.review_id.as_deref(), Some("r-1"));
    assert_eq!(outcome.verdict, Verdict::Pass);
    assert_eq!(outcome.score.get("testability").unwrap().get(), 90);

    ask["artifact"]["content"] = json!("# Plan, version 1\n");
    let revised = judged(&workspace, "", &ask).await;
    let response: Json = serde_json::from_str(&revised.response).unwrap();
    assert_eq!(
        response["review"]["evidence"],
        json!({ "limits-01": { "severity": "critical" } })
    );
    let review = success(&revised).review().unwrap();
    let severities: Vec<_> = review
        .feedback()
        .iter()
        .map(FeedbackItem::severity)
        .collect();
    assert_eq!(severities, [Some(Severity::Critical), None]);
}

#[tokio::test]
async fn the_criteria_of_a_request_are_those_that_are_scored() {
    let workspace = judged_by(
        r#"prompt=$(cat)
case $prompt in *"CLARITY: Is it clear?"*) ;; *) exit 9 ;; esac
id=$(printf %s "$prompt" | sed -n 's/.*"review_id" is "\([^"]*\)".*/\1/p')
printf '{"review_id":"%s","verdict":"pass","score":{"clarity":79},"feedback":[]}' "$id""#,
    );
    let mut ask = request(1, "# Plan\n");
    let criterion = json!({ "name": "clarity", "description": "Is it clear?", "min_score": 80 });
    ask["review"] = json!({ "review_id": "r-1", "criteria": [criterion] });
    let success = success(&judged(&workspace, "", &ask).await);
    assert_eq!(success.outcome().unwrap().verdict, Verdict::NeedsRevision);
    assert_eq!(ids(&success), ["clarity-01"]);
}

#[tokio::test]
async fn identical_bytes_are_answered_from_memory() {
    let workspace = judged_by(&format!("echo call >> \"$HOME/calls\"\n{JUDGE}"));
    let first = request(1, "# Plan, version 1\n");
    let answered = judged(&workspace, "", &first).await;
    let session = answered.session.as_str();
    let repeated = judged(&workspace, session, &first).await;
    assert_eq!(repeated, answered);
    let calls = std::fs::read_to_string(workspace.home().join("calls"));
    assert_eq!(calls.unwrap(), "call\n");
    let other = judged(&workspace, session, &request(1, "# Plan, version 2\n")).await;
    let message = "iteration: 1 was answered already, to another request".to_owned();
    assert_eq!(refusal(&other), (1, ErrorCode::INVALID_REQUEST, message));
}

#[tokio::test]
async fn what_is_no_request_of_its_turn_is_refused_and_leaves_nothing() {
    let workspace = Workspace::new(&[]).unwrap();
    let plan = |iteration| request(iteration, "# Plan\n").to_string();
    let image = r#"{"protocol_version":"1.2","iteration":1,"artifact":{"media_type":"image/png","content":"x"}}"#;
    for (session, request, iteration, code) in [
        ("", String::new(), 1, ErrorCode::INVALID_REQUEST),
        ("", "{".to_owned(), 1, ErrorCode::INVALID_REQUEST),
        (
            "",
            r#"{"iteration": 4}"#.to_owned(),
            4,
            ErrorCode::INVALID_REQUEST,
        ),
        ("", plan(2), 2, ErrorCode::INVALID_REQUEST),
        ("ses_none", plan(2), 2, ErrorCode::INVALID_REQUEST),
        ("", image.to_owned(), 1, ErrorCode::UNSUPPORTED_MEDIA_TYPE),
    ] {
        let refused = asked(&workspace, "", session, &request).await;
        let (echoed, got, _) = refusal(&refused);
        assert_eq!((echoed, got), (iteration, code), "{request}");
    }
    assert!(!workspace.state().join("sessions").exists());
}

#[tokio::test]
async fn a_reviewer_that_fails_is_an_internal_error_and_may_be_asked_again() {
    let workspace = judged_by("cat >/dev/null; echo no >&2; exit 7");
    let first = request(1, "# Plan, version 3\n");
    let (iteration, code, message) = refusal(&judged(&workspace, "mine", &first).await);
    assert_eq!((iteration, code), (1, ErrorCode::INTERNAL_ERROR));
    assert!(message.contains("status 7"), "{message}");
    program(&workspace, "judge", JUDGE);
    let again = success(&judged(&workspace, "mine", &first).await);
    assert_eq!(again.verdict(), Verdict::Pass);
}

#[tokio::test]
async fn a_content_that_nothing_looks_at_is_no_pass() {
    let workspace = Workspace::new(&[]).unwrap();
    let not_valid = |media_type: &str| format!("The content is not valid {media_type}: ");
    for (media_type, content, level) in [
        ("application/json", "{bad", "high"),
        ("application/yaml", "a: [", "high"),
        ("application/toml", "a = ", "high"),
        ("application/json", "{}", "low"),
        ("text/plain", "a\u{0}b", "low"),
        ("text/x-rust", "fn main() {}", "low"),
    ] {
        let mut ask = request(1, content);
        ask["artifact"]["media_type"] = json!(media_type);
        ask["review"] = json!({"review_id": "3f6c"});
        let provided = asked(&workspace, "", "", &ask.to_string()).await;
        let feedback = feedback(&provided);
        let given = &feedback["confidence"]["level"];
        assert_eq!(given, level, "{media_type} {content}");
        let areas = feedback["areas_for_improvement"].as_array().unwrap();
        if level == "high" {
            let description = areas[0]["description"].as_str().unwrap();
            let start = not_valid(media_type);
            assert!(description.starts_with(&start), "{description}");
            continue;
        }
        assert!(areas.is_empty(), "{areas:?}");
        let summary = feedback["general_summary"].as_str().unwrap();
        let end = "he content was not reviewed.";
        assert!(summary.ends_with(end), "{summary}");
        let options = Options {
            dialect: Dialect::Afp,
            ..Options::default()
        };
        parse_and_validate_with(&provided.response, &options).unwrap_err();
    }
    let text = request(1, "# A\n\nText.\n").to_string();
    let provided = asked(&workspace, "", "", &text).await;
    assert_eq!(feedback(&provided)["confidence"]["level"], "medium");
}

#[tokio::test]
async fn no_reviewer_passes_a_content_that_no_program_can_read() {
    let workspace = judged_by(&format!("cat > /dev/null\necho '{PASS}'"));
    for (media_type, broken, valid) in [
        ("application/json", "{bad", "{}"),
        ("application/yaml", "a: [", "a: []"),
        ("application/toml", "a = ", "a = 1"),
    ] {
        let ask = |content: &str| {
            let mut ask = request(1, content);
            ask["artifact"]["media_type"] = json!(media_type);
            ask
        };
        let refused = success(&judged(&workspace, "", &ask(broken)).await);
        assert_eq!(refused.verdict(), Verdict::NeedsRevision, "{media_type}");
        assert_eq!(ids(&refused), ["syntax-01"], "{media_type}");
        let passed = success(&judged(&workspace, "", &ask(valid)).await);
        assert_eq!(passed.verdict(), Verdict::Pass, "{media_type}");
    }
}

#[tokio::test]
async fn a_pass_of_a_reviewer_that_did_not_read_is_of_low_confidence() {
    let unread = "The reviewer did not read all that it was asked, so nothing shows that it looked \
                  at the content.";
    for (reads, level) in [("cat > /dev/null\n", "high"), ("exec < /dev/null\n", "low")] {
        let workspace = judged_by(&format!("{reads}echo '{PASS}'"));
        let provided = judged(&workspace, "", &request(1, "# A\n\nText.\n")).await;
        let confidence = &feedback(&provided)["confidence"];
        assert_eq!(confidence["level"], level, "{confidence}");
        let says_so = confidence["justification"] == unread;
        assert_eq!(says_so, level == "low", "{confidence}");
    }
}

#[tokio::test]
async fn a_reviewer_is_told_all_rounds_of_its_session() {
    let keeps = "n=$(ls \"$HOME\" | grep -c prompt-)\ncat > \"$HOME/prompt-$n\"";
    let issue = r#"{"section":"Goals","issue":"Goal '$n' has no number","suggestion":"Add one"}"#;
    let score = r#"{"completeness":60,"consistency":60,"testability":60,"architecture":60}"#;
    let workspace = judged_by(&format!(
        "{keeps}\necho '{{\"verdict\":\"needs_revision\",\"score\":{score},\"feedback\":[{issue}]}}'"
    ));
    let config = format!("{BY_JUDGE}[feedback]\nwindow_size = 2\n");
    let reasons = ["beyond_budget", "not_ours", "already_done"];
    let mut last = None;
    for iteration in 1..=4 {
        let mut ask = request(iteration, &format!("# Version {iteration}\n"));
        if let Some(id) = &last {
            let reason = reasons[iteration as usize - 2];
            let item = json!({"id": id, "status": "rejected", "reason_code": reason});
            ask["applied_feedback"] = json!({"items": [item]});
        }
        let provided = asked(&workspace, &config, "ses_u", &ask.to_string()).await;
        last = Some(ids(&success(&provided))[0].to_owned());
    }
    let told = |number: u32| {
        let path = workspace.home().join(format!("prompt-{number}"));
        let prompt = std::fs::read_to_string(path).unwrap();
        reasons.map(|reason| prompt.contains(reason))
    };
    assert_eq!(told(1), [true, false, false]);
    assert_eq!(told(2), [true, true, false]);
    assert_eq!(told(3), [false, true, true], "the window has two rounds");
}

#[tokio::test]
async fn an_id_names_one_finding_in_a_whole_session() {
    let workspace = judged_by("cat >/dev/null; cat \"$HOME/next.json\"");
    let budget = ("API", "No budget is given for a request");
    let codes = ("API", "Errors of the client have no codes");
    for (iteration, items, expected) in [
        (1, vec![budget], vec!["api-01"]),
        (2, vec![codes], vec!["api-02"]),
        (3, vec![codes, budget], vec!["api-02", "api-01"]),
    ] {
        let items: Vec<_> = items
            .iter()
            .map(|(section, issue)| json!({"section": section, "issue": issue, "suggestion": "Change it"}))
            .collect();
        let score =
            json!({"completeness": 60, "consistency": 60, "testability": 60, "architecture": 60});
        let next = json!({"verdict": "needs_revision", "score": score, "feedback": items});
        std::fs::write(workspace.home().join("next.json"), next.to_string()).unwrap();
        let mut ask = request(iteration, &format!("# Version {iteration}\n"));
        ask["applied_feedback"] = json!({"items": []});
        let provided = judged(&workspace, "ses_u", &ask).await;
        assert_eq!(ids(&success(&provided)), expected);
    }
}

#[tokio::test]
async fn a_provider_asks_its_reviewer_to_reword() {
    let items = [
        r#"{"section":"B","issue":"Code could be better","suggestion":"Consider improving this"}"#,
        r#"{"section":"B","issue":"The retry loop has no end","suggestion":"End it after 4 tries"}"#,
    ];
    let [vague, reworded] = items.map(|item| {
        PASS.replace("\"pass\"", "\"needs_revision\"")
            .replace("[]", &format!("[{item}]"))
    });
    let workspace = judged_by(&format!(
        "cat > /dev/null\necho call >> \"$HOME/calls\"\n\
         case $(wc -l < \"$HOME/calls\") in *1) echo '{vague}';; *) echo '{reworded}';; esac"
    ));
    let provided = judged(&workspace, "", &request(1, "# A\n\n## B\n")).await;
    let area = feedback(&provided)["areas_for_improvement"][0].take();
    assert_eq!(area["description"], "The retry loop has no end");
    let calls = std::fs::read_to_string(workspace.home().join("calls"));
    assert_eq!(calls.unwrap(), "call\ncall\n");
}
