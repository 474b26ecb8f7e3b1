//! `ralph provide`, as a requester of the Agent Feedback Protocol meets it.

use review_schema::afp::{
    ErrorCode, ProcessingStatus, ResponseBody, Success, read_request, read_response,
};
use review_schema::{Dialect, Options, parse_and_validate_with};
use review_types::{FeedbackItem, Severity, Verdict};
use serde_json::{Value, json};

use crate::support::{Ran, TestEnvironment};

/// A reviewer that asks for two things, then for one of them, then passes: it
/// goes by the version that the artifact names.
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

fn request(iteration: u32, content: &str) -> Value {
    json!({
        "protocol_version": "1.2",
        "iteration": iteration,
        "artifact": { "media_type": "text/markdown", "content": content },
    })
}

fn provide(environment: &TestEnvironment, arguments: &[&str], request: impl AsRef<[u8]>) -> Ran {
    let arguments = [&["provide"], arguments].concat();
    let command = environment.command(arguments);
    command.stdin(request.as_ref()).run()
}

/// The lines of a stream; they are the three of the protocol.
fn messages(ran: &Ran) -> Vec<Value> {
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: Vec<_> = lines.iter().map(|line| &line["type"]).collect();
    assert_eq!(kinds, ["step_start", "text", "step_finish"]);
    lines
}

/// The session of a stream.
fn session_of(lines: &[Value]) -> String {
    lines[0]["sessionID"].as_str().unwrap().to_owned()
}

/// The response in a stream, as text.
fn text_of(lines: &[Value]) -> String {
    lines[1]["part"]["text"].as_str().unwrap().to_owned()
}

fn success(response: &str) -> Success {
    match read_response(response.as_bytes()).unwrap().body {
        ResponseBody::Success(success) => success,
        ResponseBody::Error { error } => panic!("{error}"),
    }
}

/// The iteration, code and message of a refusal.
fn error(ran: &Ran) -> (u32, ErrorCode, String) {
    let response = read_response(ran.stdout.as_bytes()).unwrap();
    match response.body {
        ResponseBody::Error { error } => (response.iteration.get(), error.code, error.message),
        ResponseBody::Success(_) => panic!("feedback: {}", ran.stdout),
    }
}

/// A requester as the protocol describes it: it captures the session from the
/// stream and reports its decisions in the next request.
struct Requester<'e> {
    environment: &'e TestEnvironment,
    reviewer: &'e str,
    session: Option<String>,
    iteration: u32,
}

impl Requester<'_> {
    fn ask(&mut self, content: &str, decisions: Option<Value>) -> Success {
        self.iteration += 1;
        let mut request = request(self.iteration, content);
        if let Some(items) = decisions {
            request["applied_feedback"] = json!({ "items": items });
        }
        let reviewer = format!("cmd:{}", self.reviewer);
        let mut arguments = vec!["--reviewer", &*reviewer];
        if let Some(session) = &self.session {
            arguments.extend(["--session", session]);
        }
        let ran = provide(self.environment, &arguments, request.to_string()).exits(0);
        let lines = messages(&ran);
        let session = session_of(&lines);
        assert_eq!(
            self.session.get_or_insert_with(|| session.clone()),
            &session
        );
        let text = text_of(&lines);
        let response = read_response(text.as_bytes()).unwrap();
        assert_eq!(response.iteration.get(), self.iteration);
        success(&text)
    }
}

fn ids(success: &Success) -> Vec<&str> {
    let items = success.feedback().areas_for_improvement.iter();
    items.map(|(id, _)| id.as_str()).collect()
}

fn acks(success: &Success) -> Vec<(&str, ProcessingStatus)> {
    let ack = success.applied_feedback_ack().unwrap();
    let items = ack.items.iter();
    items
        .map(|item| (item.id.as_str(), item.processing_status))
        .collect()
}

#[test]
fn three_iterations_lead_to_a_pass() {
    let environment = TestEnvironment::new();
    environment.program("judge", JUDGE);
    let mut requester = Requester {
        environment: &environment,
        reviewer: "judge",
        session: None,
        iteration: 0,
    };
    let first = requester.ask("# Plan, version 1\n", None);
    assert_eq!(ids(&first), ["limits-01", "goals-02"]);
    assert_eq!(first.applied_feedback_ack(), None);
    assert_eq!(first.verdict(), Verdict::NeedsRevision);

    let decisions = json!([
        { "id": "limits-01", "status": "accepted", "explanation": "Said 10 MB." },
        { "id": "goals-02", "status": "partial", "explanation": "Dropped one." },
        { "id": "tests-03", "status": "rejected", "reason_code": "out_of_scope" },
    ]);
    let second = requester.ask("# Plan, version 2\n", Some(decisions));
    assert_eq!(
        acks(&second),
        [
            ("limits-01", ProcessingStatus::Acknowledged),
            ("goals-02", ProcessingStatus::Acknowledged),
            ("tests-03", ProcessingStatus::UnknownId),
        ]
    );
    assert_eq!(ids(&second), ["goals-02"]);

    let decisions = json!([
        { "id": "goals-02", "status": "rejected", "explanation": "Both are needed." },
        { "id": "limits-01", "status": "accepted" },
    ]);
    let third = requester.ask("# Plan, version 3\n", Some(decisions));
    assert_eq!(
        acks(&third),
        [
            ("goals-02", ProcessingStatus::Acknowledged),
            ("limits-01", ProcessingStatus::Acknowledged),
        ]
    );
    assert_eq!(ids(&third), Vec::<&str>::new());
    assert_eq!(third.verdict(), Verdict::Pass);
    assert_eq!(requester.iteration, 3);
}

#[test]
fn the_embedded_reviewer_answers_by_default() {
    let environment = TestEnvironment::new();
    let ran = provide(
        &environment,
        &["--raw"],
        request(1, "# Plan\n\nTBD\n").to_string(),
    );
    let response = ran.exits(0).stdout;
    assert!(response.ends_with("}\n"), "{response}");
    let success = success(&response);
    assert_eq!(success.outcome(), None);
    let options = Options {
        dialect: Dialect::Afp,
        ..Options::default()
    };
    let parsed = parse_and_validate_with(&response, &options).unwrap();
    assert_eq!(parsed.repairs, []);
    assert_eq!(parsed.review.verdict(), success.verdict());
    assert_eq!(environment.files("specs"), Vec::<String>::new());
}

#[test]
fn who_asks_for_a_verdict_gets_one_with_scores() {
    let environment = TestEnvironment::new();
    environment.program("judge", JUDGE);
    let mut asked = request(1, "# Plan, version 3\n");
    asked["review"] = json!({ "review_id": "r-1" });
    let ran = provide(
        &environment,
        &["--raw", "--reviewer", "cmd:judge"],
        asked.to_string(),
    );
    let success = success(&ran.exits(0).stdout);
    let outcome = success.outcome().unwrap();
    assert_eq!(outcome.review_id.as_deref(), Some("r-1"));
    assert_eq!(outcome.verdict, Verdict::Pass);
    assert_eq!(outcome.score.get("testability").unwrap().get(), 90);
}

#[test]
fn the_severity_of_an_area_is_given_in_the_extension() {
    let environment = TestEnvironment::new();
    let grave = JUDGE.replace("\"say 10 MB\"", "\"say 10 MB\",\"severity\":\"critical\"");
    environment.program("judge", &grave);
    let mut asked = request(1, "# Plan, version 1\n");
    asked["review"] = json!({ "review_id": "r-1" });
    let arguments = ["--raw", "--reviewer", "cmd:judge"];
    let ran = provide(&environment, &arguments, asked.to_string()).exits(0);
    let response: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        response["review"]["evidence"],
        json!({ "limits-01": { "severity": "critical" } })
    );
    let severities: Vec<_> = success(&ran.stdout)
        .review()
        .unwrap()
        .feedback()
        .iter()
        .map(FeedbackItem::severity)
        .collect();
    assert_eq!(severities, [Some(Severity::Critical), None]);
}

#[test]
fn the_criteria_of_a_request_are_those_that_are_scored() {
    let environment = TestEnvironment::new();
    environment.program(
        "judge",
        r#"prompt=$(cat)
case $prompt in *"CLARITY: Is it clear?"*) ;; *) exit 9 ;; esac
id=$(printf %s "$prompt" | sed -n 's/.*"review_id" is "\([^"]*\)".*/\1/p')
printf '{"review_id":"%s","verdict":"pass","score":{"clarity":79},"feedback":[]}' "$id""#,
    );
    let mut asked = request(1, "# Plan\n");
    let criterion = json!({ "name": "clarity", "description": "Is it clear?", "min_score": 80 });
    asked["review"] = json!({ "review_id": "r-1", "criteria": [criterion] });
    let arguments = ["--raw", "--reviewer", "cmd:judge"];
    let ran = provide(&environment, &arguments, asked.to_string()).exits(0);
    let success = success(&ran.stdout);
    assert_eq!(success.outcome().unwrap().verdict, Verdict::NeedsRevision);
    assert_eq!(ids(&success), ["clarity-01"]);
}

#[test]
fn identical_bytes_are_answered_from_memory() {
    let environment = TestEnvironment::new();
    let counted = format!(
        "echo call >> '{}'\n{JUDGE}",
        environment.root().join("calls").display()
    );
    environment.program("judge", &counted);
    let first = request(1, "# Plan, version 1\n").to_string();
    let ran = provide(&environment, &["--reviewer", "cmd:judge"], &first).exits(0);
    let lines = messages(&ran);
    let session = session_of(&lines);
    let again = ["--reviewer", "cmd:judge", "--session", &session];
    let repeated = provide(&environment, &again, &first).exits(0);
    assert_eq!(text_of(&messages(&repeated)), text_of(&lines));
    assert_eq!(environment.read("calls"), "call\n");
    let other = request(1, "# Plan, version 2\n").to_string();
    let raw = ["--raw", "--session", &session];
    let refused = error(&provide(&environment, &raw, other).exits(0));
    assert_eq!(
        refused,
        (
            1,
            ErrorCode::InvalidRequest,
            "iteration: 1 was answered already, to another request".to_owned()
        )
    );
}

#[test]
fn what_is_no_request_of_its_turn_is_refused() {
    let environment = TestEnvironment::new();
    let plan = |iteration| request(iteration, "# Plan\n").to_string();
    let image = r#"{"protocol_version":"1.2","iteration":1,"artifact":{"media_type":"image/png","content":"x"}}"#;
    for (arguments, request, iteration, code) in [
        (&["--raw"][..], String::new(), 1, ErrorCode::InvalidRequest),
        (&["--raw"], "{".to_owned(), 1, ErrorCode::InvalidRequest),
        (
            &["--raw"],
            r#"{"iteration": 4}"#.to_owned(),
            4,
            ErrorCode::InvalidRequest,
        ),
        (&["--raw"], plan(2), 2, ErrorCode::InvalidRequest),
        (
            &["--raw", "--session", "ses_none"],
            plan(2),
            2,
            ErrorCode::InvalidRequest,
        ),
        (
            &["--raw"],
            image.to_owned(),
            1,
            ErrorCode::UnsupportedMediaType,
        ),
    ] {
        let ran = provide(&environment, arguments, &request).exits(0);
        let (echoed, got, _) = error(&ran);
        assert_eq!((echoed, got), (iteration, code), "{request}");
    }
    // A refusal leaves nothing behind.
    assert!(!environment.root().join(".ralph-review/sessions").exists());
    let ran = provide(&environment, &[], "{").exits(0);
    let response = read_response(text_of(&messages(&ran)).as_bytes()).unwrap();
    assert!(matches!(response.body, ResponseBody::Error { .. }));
}

#[test]
fn a_reviewer_that_fails_is_an_internal_error_and_may_be_asked_again() {
    let environment = TestEnvironment::new();
    environment.program("judge", "cat >/dev/null; echo no >&2; exit 7");
    let first = request(1, "# Plan, version 3\n").to_string();
    let arguments = ["--raw", "--session", "mine", "--reviewer", "cmd:judge"];
    let (iteration, code, message) = error(&provide(&environment, &arguments, &first).exits(0));
    assert_eq!((iteration, code), (1, ErrorCode::InternalError));
    assert!(message.contains("status 7"), "{message}");
    environment.program("judge", JUDGE);
    let ran = provide(&environment, &arguments, &first).exits(0);
    assert_eq!(success(&ran.stdout).verdict(), Verdict::Pass);
}

#[test]
fn a_partial_decision_without_a_word_is_a_warning() {
    let environment = TestEnvironment::new();
    environment.program("judge", JUDGE);
    let arguments = ["--raw", "--session", "mine", "--reviewer", "cmd:judge"];
    let first = request(1, "# Plan, version 1\n").to_string();
    provide(&environment, &arguments, first).exits(0);
    let mut second = request(2, "# Plan, version 2\n");
    second["applied_feedback"] = json!({ "items": [{ "id": "limits-01", "status": "partial" }] });
    let ran = provide(&environment, &arguments, second.to_string()).exits(0);
    assert_eq!(
        ran.stderr,
        "warning: the partial decision on limits-01 has no explanation\n\
         warning: no decision on goals-02\n"
    );
    assert_eq!(ids(&success(&ran.stdout)), ["goals-02"]);
}

#[test]
fn the_examples_of_the_documentation_are_objects_of_the_protocol() {
    let page = include_str!("../../docs/reference/agent-feedback-protocol.md");
    let blocks: Vec<_> = page
        .split("```json\n")
        .skip(1)
        .map(|rest| rest.split_once("```").unwrap().0)
        .collect();
    let [request, response] = blocks[..] else {
        panic!("{} examples", blocks.len());
    };
    let asked = read_request(request.as_bytes()).unwrap();
    let answered = success(response);
    assert_eq!(asked.iteration.get(), 2);
    assert_eq!(ids(&answered), ["limits-01"]);
}

#[test]
fn a_session_answers_one_request_at_a_time() {
    let environment = TestEnvironment::new();
    let state = environment.root().join("state");
    let asked = environment.write("request.json", request(1, "# Plan\n").to_string());
    let seen = environment.root().join("seen");
    let script = format!(
        "cat >/dev/null\n'{}' --state-dir '{}' provide --raw --session mine < '{}' > '{seen}.out' 2> '{seen}.err'\n\
         echo $? > '{seen}.code'\nexit 1",
        env!("CARGO_BIN_EXE_ralph"),
        state.display(),
        asked.display(),
        seen = seen.display(),
    );
    environment.program("judge", &script);
    let arguments = ["--state-dir", state.to_str().unwrap(), "--raw"];
    let arguments = [
        &arguments[..],
        &["--session", "mine", "--reviewer", "cmd:judge"],
    ]
    .concat();
    provide(&environment, &arguments, request(1, "# Plan\n").to_string()).exits(0);
    assert_eq!(environment.read("seen.code"), "2\n");
    let response = read_response(environment.read("seen.out").as_bytes()).unwrap();
    let ResponseBody::Error { error } = response.body else {
        panic!("{response:?}");
    };
    assert_eq!(error.code, ErrorCode::InternalError);
    let busy = "another request of session mine is being answered";
    assert_eq!(error.message, busy);
    let message = environment.read("seen.err");
    assert_eq!(
        message,
        "error: another request of session mine is being answered\n  hint: send this one again when that is done\n"
    );
}

/// The feedback of a response.
fn feedback(ran: &Ran) -> Value {
    let response: Value = serde_json::from_str(&ran.stdout).unwrap();
    response["feedback"].clone()
}

#[test]
fn a_content_that_nothing_looks_at_is_no_pass() {
    let environment = TestEnvironment::new();
    for (media_type, content, level, description) in [
        (
            "application/json",
            "{bad",
            "high",
            Some("The content is not valid application/json: "),
        ),
        (
            "application/yaml",
            "a: [",
            "high",
            Some("The content is not valid application/yaml: "),
        ),
        (
            "application/toml",
            "a = ",
            "high",
            Some("The content is not valid application/toml: "),
        ),
        ("application/json", "{}", "low", None),
        ("text/plain", "a\u{0}b", "low", None),
        ("text/x-rust", "fn main() {}", "low", None),
    ] {
        let mut asked = request(1, content);
        asked["artifact"]["media_type"] = json!(media_type);
        asked["review"] = json!({"review_id": "3f6c"});
        let ran = provide(&environment, &["--raw"], asked.to_string()).exits(0);
        let response = ran.stdout.as_bytes();
        let feedback = feedback(&ran);
        assert_eq!(
            feedback["confidence"]["level"], level,
            "{media_type} {content}"
        );
        let areas = feedback["areas_for_improvement"].as_array().unwrap();
        match description {
            Some(start) => {
                let description = areas[0]["description"].as_str().unwrap();
                assert!(description.starts_with(start), "{description}");
            }
            None => {
                assert!(areas.is_empty(), "{areas:?}");
                let summary = feedback["general_summary"].as_str().unwrap();
                assert!(
                    summary.ends_with("the content was not reviewed.")
                        || summary == "The content was not reviewed."
                );
                let options = Options {
                    dialect: Dialect::Afp,
                    ..Options::default()
                };
                parse_and_validate_with(response, &options).unwrap_err();
            }
        }
    }
    let ran = provide(
        &environment,
        &["--raw"],
        request(1, "# A\n\nText.\n").to_string(),
    );
    assert_eq!(feedback(&ran.exits(0))["confidence"]["level"], "medium");
}

/// A reviewer whose answer passes, whatever it is asked.
const CONTENT: &str = r#"echo '{"verdict":"pass","score":{"completeness":90,"consistency":90,"testability":90,"architecture":90},"feedback":[]}'"#;

#[test]
fn no_reviewer_passes_a_content_that_no_program_can_read() {
    let environment = TestEnvironment::new();
    environment.program("judge", &format!("cat > /dev/null\n{CONTENT}"));
    let arguments = ["--raw", "--reviewer", "cmd:judge"];
    for (media_type, broken, valid) in [
        ("application/json", "{bad", "{}"),
        ("application/yaml", "a: [", "a: []"),
        ("application/toml", "a = ", "a = 1"),
    ] {
        let ask = |content: &str| {
            let mut asked = request(1, content);
            asked["artifact"]["media_type"] = json!(media_type);
            let ran = provide(&environment, &arguments, asked.to_string()).exits(0);
            success(&ran.stdout)
        };
        let refused = ask(broken);
        assert_eq!(refused.verdict(), Verdict::NeedsRevision, "{media_type}");
        assert_eq!(ids(&refused), ["syntax-01"], "{media_type}");
        assert_eq!(ask(valid).verdict(), Verdict::Pass, "{media_type}");
    }
}

#[test]
fn a_pass_of_a_reviewer_that_did_not_read_is_of_low_confidence() {
    let environment = TestEnvironment::new();
    let asked = request(1, "# A\n\nText.\n").to_string();
    let arguments = ["--raw", "--reviewer", "cmd:judge"];
    for (reads, level) in [("cat > /dev/null\n", "high"), ("exec < /dev/null\n", "low")] {
        environment.program("judge", &format!("{reads}{CONTENT}"));
        let ran = provide(&environment, &arguments, &asked).exits(0);
        let confidence = &feedback(&ran)["confidence"];
        assert_eq!(confidence["level"], level, "{confidence}");
        let says_so = confidence["justification"] == UNREAD;
        assert_eq!(says_so, level == "low", "{confidence}");
    }
}

/// Why a review is of low confidence whose reviewer did not read its prompt.
const UNREAD: &str = "The reviewer did not read all that it was asked, so nothing shows that it \
                      looked at the content.";

#[test]
fn a_reviewer_is_told_all_rounds_of_its_session() {
    let environment = TestEnvironment::new();
    let keeps = "n=$(ls \"$HOME\" | grep -c prompt-)\ncat > \"$HOME/prompt-$n\"";
    let issue = r#"{"section":"Goals","issue":"Goal '$n' has no number","suggestion":"Add one"}"#;
    let score = r#"{"completeness":60,"consistency":60,"testability":60,"architecture":60}"#;
    environment.program(
        "judge",
        &format!("{keeps}\necho '{{\"verdict\":\"needs_revision\",\"score\":{score},\"feedback\":[{issue}]}}'"),
    );
    environment.write("ralph.toml", "[feedback]\nwindow_size = 2\n");
    let arguments = ["--raw", "--session", "ses_u", "--reviewer", "cmd:judge"];
    let reasons = ["beyond_budget", "not_ours", "already_done"];
    let mut last = None;
    for iteration in 1..=4 {
        let mut asked = request(iteration, &format!("# Version {iteration}\n"));
        if let Some(id) = &last {
            let reason = reasons[iteration as usize - 2];
            let item = json!({"id": id, "status": "rejected", "reason_code": reason});
            asked["applied_feedback"] = json!({"items": [item]});
        }
        let ran = provide(&environment, &arguments, asked.to_string()).exits(0);
        last = Some(ids(&success(&ran.stdout))[0].to_owned());
    }
    let prompt = |number: u32| {
        let path = environment.home().join(format!("prompt-{number}"));
        std::fs::read_to_string(path).unwrap()
    };
    let told = |number: u32| reasons.map(|reason| prompt(number).contains(reason));
    assert_eq!(told(1), [true, false, false]);
    assert_eq!(told(2), [true, true, false]);
    assert_eq!(told(3), [false, true, true], "the window has two rounds");
}

#[test]
fn an_id_names_one_finding_in_a_whole_session() {
    let environment = TestEnvironment::new();
    environment.program("judge", "cat >/dev/null; cat \"$HOME/next.json\"");
    let ids = |iteration: u32, items: &[(&str, &str)]| -> Vec<String> {
        let items: Vec<_> = items
            .iter()
            .map(|(section, issue)| json!({"section": section, "issue": issue, "suggestion": "Change it"}))
            .collect();
        let score =
            json!({"completeness": 60, "consistency": 60, "testability": 60, "architecture": 60});
        let next = json!({"verdict": "needs_revision", "score": score, "feedback": items});
        std::fs::write(environment.home().join("next.json"), next.to_string()).unwrap();
        let mut asked = request(iteration, &format!("# Version {iteration}\n"));
        asked["applied_feedback"] = json!({"items": []});
        let arguments = ["--raw", "--session", "ses_u", "--reviewer", "cmd:judge"];
        let ran = provide(&environment, &arguments, asked.to_string()).exits(0);
        let feedback = feedback(&ran);
        let areas = feedback["areas_for_improvement"].as_array().unwrap().iter();
        areas
            .map(|area| area["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let budget = ("API", "No budget is given for a request");
    let codes = ("API", "Errors of the client have no codes");
    assert_eq!(ids(1, &[budget]), ["api-01"]);
    assert_eq!(ids(2, &[codes]), ["api-02"]);
    assert_eq!(ids(3, &[codes, budget]), ["api-02", "api-01"]);
}

#[test]
fn every_failure_on_the_way_is_a_response() {
    let environment = TestEnvironment::new();
    let first = request(1, "# A\n").to_string();
    for session in ["../x", ""] {
        let ran = provide(&environment, &["--raw", "--session", session], &first).exits(0);
        let (iteration, code, message) = error(&ran);
        assert_eq!((iteration, code), (1, ErrorCode::InvalidRequest));
        assert!(message.starts_with("session: "), "{message}");
        let ran = provide(&environment, &["--session", session], &first).exits(0);
        assert_eq!(messages(&ran).len(), 3);
    }
    environment.write("ralph.toml", "[review]\ndialect = 7\n");
    let ran = provide(&environment, &["--raw"], request(3, "# A\n").to_string()).exits(2);
    let (iteration, code, message) = error(&ran);
    assert_eq!((iteration, code), (3, ErrorCode::InternalError));
    assert!(message.contains("ralph.toml"), "{message}");
    assert!(ran.stderr.contains("review.dialect"), "{}", ran.stderr);
}

#[test]
fn a_client_may_be_the_reviewer() {
    let environment = TestEnvironment::new();
    environment.program("opencode", crate::applied::OPENCODE);
    let help = environment.ralph(["provide", "--help"]).exits(0).stdout;
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(
            "The reviewer: builtin, a client such as claude or opencode, acp:COMMAND, http:PROFILE, \
             or cmd:PROGRAM ARGS"
        ),
        "{help}"
    );
    let request = json!({
        "protocol_version": "1.2", "iteration": 1,
        "artifact": {"media_type": "text/markdown", "content": "# API\n"},
    });
    let arguments = ["--raw", "--reviewer", "opencode"];
    let response = provide(&environment, &arguments, request.to_string())
        .exits(0)
        .json();
    let areas = &response["feedback"]["areas_for_improvement"];
    assert_eq!(
        areas[0]["description"], "No budget is given for a request",
        "{response:#}"
    );
}
