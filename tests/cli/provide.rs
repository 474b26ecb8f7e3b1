//! `ralph provide`, as a requester of the Agent Feedback Protocol meets it.

use review_schema::afp::{ErrorCode, ProcessingStatus, ResponseBody, Success, read_response};
use review_types::Verdict;
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
    assert_eq!(error.code, ErrorCode::INTERNAL_ERROR);
    let busy = "another request of session mine is being answered";
    assert_eq!(error.message, busy);
    let message = environment.read("seen.err");
    assert_eq!(
        message,
        "error: another request of session mine is being answered\n  hint: send this one again when that is done\n"
    );
}

#[test]
fn every_failure_on_the_way_is_a_response() {
    let environment = TestEnvironment::new();
    let first = request(1, "# A\n").to_string();
    for session in ["../x", ""] {
        let ran = provide(&environment, &["--raw", "--session", session], &first).exits(0);
        let (iteration, code, message) = error(&ran);
        assert_eq!((iteration, code), (1, ErrorCode::INVALID_REQUEST));
        assert!(message.starts_with("session: "), "{message}");
        let ran = provide(&environment, &["--session", session], &first).exits(0);
        assert_eq!(messages(&ran).len(), 3);
    }
    environment.write("ralph.toml", "[review]\ndialect = 7\n");
    let ran = provide(&environment, &["--raw"], request(3, "# A\n").to_string()).exits(2);
    let (iteration, code, message) = error(&ran);
    assert_eq!((iteration, code), (3, ErrorCode::INTERNAL_ERROR));
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
