//! Calls over HTTP that are kept, and played again without a service.

use std::sync::Arc;
use std::time::Duration;

use review::types::{AgentError, Failure, LimitKind};
use review::{ReviewAnswer, Reviewer};
use review_agents::{
    AgentContext, Api, Calls, Connections, HttpTranscript, Player, Recorder, StreamLimits,
};
use review_flow::Seed;
use review_process::{Redactor, Stop};
use serde_json::Value as Json;

use crate::http_outcomes::{answers, failures, hung};
use crate::http_support::{Stopped, agent_over, events, profile, review, sse, text};
use crate::support::{Project, environment, review_request};
use review_test_support::http_server::{Part, Server, answer, stream};

type Reviewed = Result<ReviewAnswer, AgentError>;

/// The only call of these tests.
const CASE: &str = "001-review.review-2.1-1";

fn recorded(project: &Project) -> AgentContext {
    let recorder = Recorder::create(&project.path("kept"), Seed::from_bytes([7; 32])).unwrap();
    AgentContext {
        calls: Arc::new(Calls::Recorded(recorder)),
        ..project.context()
    }
}

fn replayed(project: &Project) -> AgentContext {
    let player = Player::open(&project.path("kept")).unwrap();
    AgentContext {
        calls: Arc::new(Calls::Replayed(player)),
        ..project.context()
    }
}

fn transcript(project: &Project) -> HttpTranscript {
    HttpTranscript::read(&project.path("kept").join(CASE)).unwrap()
}

fn kept(project: &Project, extension: &str) -> String {
    let path = project.path("kept").join(format!("{CASE}.{extension}"));
    std::fs::read_to_string(path).unwrap()
}

/// A review that is recorded, and the same one played by the recording alone.
async fn twice(
    api: Api,
    project: &Project,
    parts: Vec<Part>,
    idle: Option<Duration>,
) -> [Reviewed; 2] {
    let server = Server::always(parts);
    let mut context = recorded(project);
    context.limits.idle = idle;
    let first = review(api, &server, context).await;
    let asked = server.asked().len();
    let second = review(api, &server, replayed(project)).await;
    assert_eq!(server.asked().len(), asked);
    [first, second]
}

#[tokio::test]
async fn a_recorded_answer_is_the_same_when_it_is_played() {
    for api in Api::ALL {
        for (how, parts) in answers(api) {
            let project = Project::new();
            let [first, second] = twice(api, &project, parts, None).await;
            let (first, second) = (first.unwrap(), second.unwrap());
            assert_eq!(first.by, second.by, "{api:?} {how}");
            assert_eq!(first.usage, second.usage, "{api:?} {how}");
            assert_eq!(text(first), "{\"a\": 1}", "{api:?} {how}");
            assert_eq!(text(second), "{\"a\": 1}", "{api:?} {how}");
            let read = transcript(&project).replay(StreamLimits::default());
            assert_eq!(read.outcome, Ok(()), "{api:?} {how}");
            assert_eq!(read.seen.text.as_deref(), Some("{\"a\": 1}"));
        }
    }
}

#[tokio::test]
async fn a_recorded_failure_is_the_same_when_it_is_played() {
    let idle = Duration::from_millis(50);
    let silence = ("silence", vec![Part::Hang], hung(LimitKind::Idle, idle));
    for api in Api::ALL {
        for (what, parts, failure) in failures(api).into_iter().chain([silence.clone()]) {
            let project = Project::new();
            let limit = parts.iter().any(|part| matches!(part, Part::Hang));
            let idle = limit.then_some(idle);
            let [first, second] = twice(api, &project, parts, idle).await;
            let error = first.unwrap_err();
            assert_eq!(error.failure, failure, "{api:?} {what}");
            assert_eq!(second.unwrap_err(), error, "{api:?} {what}");
            let read = transcript(&project).replay(StreamLimits::default());
            match (read.outcome.unwrap_err(), failure) {
                // Whoever reads a recording does not know when it was made.
                (Failure::RateLimited { .. }, Failure::RateLimited { .. }) => {}
                (read, failure) => assert_eq!(read, failure, "{api:?} {what}"),
            }
        }
    }
}

#[tokio::test]
async fn a_call_is_kept_with_its_question_and_its_parts() {
    let (api, project) = (Api::OpenaiChat, Project::new());
    let server = Server::always(answer(429, "Retry-After: 7\r\n", "busy."));
    review(api, &server, recorded(&project)).await.unwrap_err();
    let meta: Json = serde_json::from_str(&kept(&project, "meta.json")).unwrap();
    let url = format!("{}/chat/completions", server.url());
    assert_eq!(meta["argv"], serde_json::json!(["POST", url]));
    assert_eq!(
        (&meta["api"], &meta["env"]),
        (&"openai-chat".into(), &serde_json::json!({}))
    );
    assert_eq!((&meta["exit"], &meta["ended"]), (&0.into(), &"exit".into()));
    assert_eq!(kept(&project, "stdin"), server.asked()[0].body);
    let lines = kept(&project, "http.jsonl");
    let lines: Vec<Json> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (&lines[0]["type"], &lines[0]["status"]),
        (&"head".into(), &429.into())
    );
    assert_eq!(lines[0]["headers"]["retry-after"], "7");
    assert!(lines[0]["at_ms"].is_u64(), "{lines:?}");
    assert_eq!(
        (&lines[1]["type"], &lines[1]["text"]),
        (&"chunk".into(), &"busy.".into())
    );
    assert_eq!(lines.len(), 2);
    let index = std::fs::read_to_string(project.path("kept/index.jsonl")).unwrap();
    let index: Json = serde_json::from_str(&index).unwrap();
    assert_eq!(
        (&index["backend"], &index["case"]),
        (&"http:local".into(), &CASE.into())
    );
    assert!(
        !project
            .path("kept")
            .join(format!("{CASE}.tree.json"))
            .exists()
    );
}

#[tokio::test]
async fn a_key_is_neither_kept_nor_needed_again() {
    const KEY: &str = "k3y-of-the-eels";
    let (api, project) = (Api::Anthropic, Project::new());
    project.write("specs/DEMO.md", format!("The key is {KEY}."));
    let server = Server::always(stream(&sse(&events(api, &["{}", KEY], Stopped::Done))));
    let profile = review_agents::HttpProfile {
        key_env: Some("EELS".parse().unwrap()),
        ..profile(api, &server)
    };
    let agent = |context| crate::http_support::agent(profile.clone(), context);
    let mut context = recorded(&project);
    context.env.extend(environment(&[("EELS", KEY)]));
    context.redactor = Redactor::new([KEY]);
    agent(context).review(review_request()).await.unwrap();
    for file in std::fs::read_dir(project.path("kept")).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(!text.contains(KEY), "{}: {text}", path.display());
        }
    }
    let answer = agent(replayed(&project)).review(review_request()).await;
    assert_eq!(text(answer.unwrap()), "{}[redacted]");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_key_that_comes_in_pieces_cannot_be_joined_from_a_recording() {
    let pieces = ["{\"a\": \"k", "3y-of", "-the-", "eels\"}"];
    for api in Api::ALL {
        let (project, stopped) = (Project::new(), Stopped::Done);
        let server = Server::always(stream(&sse(&events(api, &pieces, stopped))));
        let redacting = |context| AgentContext {
            redactor: Redactor::new(["k3y-of-the-eels"]),
            ..context
        };
        let first = review(api, &server, redacting(recorded(&project))).await;
        assert_eq!(text(first.unwrap()), "{\"a\": \"[redacted]\"}");
        let read = transcript(&project).replay(StreamLimits::default());
        assert_eq!(read.seen.text.as_deref(), Some("{\"a\": \"[redacted]\"}"));
        let second = review(api, &server, redacting(replayed(&project))).await;
        assert_eq!(text(second.unwrap()), "{\"a\": \"[redacted]\"}");
    }
}

#[tokio::test]
async fn a_call_without_a_key_is_kept_as_not_made() {
    let (api, project) = (Api::Gemini, Project::new());
    let server = Server::always(vec![]);
    let profile = review_agents::HttpProfile {
        key_env: Some("EELS".parse().unwrap()),
        ..profile(api, &server)
    };
    let agent = |context| crate::http_support::agent(profile.clone(), context);
    let first = agent(recorded(&project))
        .review(review_request())
        .await
        .unwrap_err();
    assert_eq!(first.failure, Failure::AuthFailed);
    let mut context = replayed(&project);
    context
        .env
        .extend(environment(&[("EELS", "k3y-of-the-eels")]));
    let second = agent(context).review(review_request()).await.unwrap_err();
    assert_eq!(second, first);
    let read = transcript(&project).replay(StreamLimits::default());
    assert_eq!(read.outcome, Err(Failure::AuthFailed));
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_call_that_was_cut_off_with_the_run_is_not_listed() {
    let (project, server) = (Project::new(), Server::always(vec![Part::Hang]));
    let call = review(Api::Gemini, &server, recorded(&project));
    let stop = async {
        while server.asked().is_empty() {
            tokio::task::yield_now().await;
        }
        project.stopper.send_replace(Stop::Stop);
    };
    let (called, ()) = tokio::join!(call, stop);
    assert_eq!(called.unwrap_err().failure, Failure::Killed { signal: 15 });
    let index = std::fs::read_to_string(project.path("kept/index.jsonl")).unwrap();
    assert_eq!(index, "");
}

#[tokio::test]
async fn the_recording_of_a_program_is_none_of_a_call_over_http() {
    let (api, project) = (Api::Gemini, Project::new());
    let server = Server::always(answer(500, "", ""));
    review(api, &server, recorded(&project)).await.unwrap_err();
    let meta = kept(&project, "meta.json").replace(",\"api\":\"gemini\"", "");
    let path = project.path("kept").join(format!("{CASE}.meta.json"));
    std::fs::write(path, meta).unwrap();
    let context = Arc::new(replayed(&project));
    let agent = agent_over(Connections::default(), profile(api, &server), &context);
    agent.review(review_request()).await.unwrap_err();
    let fault = context.calls.fault().unwrap();
    assert!(
        fault.ends_with("meta.json has no field `api`, so it is not a call over HTTP"),
        "{fault}"
    );
}
