//! Questions of ours to each kind of backend.

use review::Allowance;
use review::types::{AgentError, Failure, Usage};
use review_agents::{AgentReply, Api, Client, LessonPrompt, LessonRequest, RoleAgent};
use serde_json::{Value as Json, json};

use crate::client_support::{Fake, play};
use crate::http_support::{Stopped, agent, events, profile, sse};
use crate::support::{Project, review_request, sh};
use crate::transcripts::REVIEW_PASS;
use review_test_support::http_server::{Server, stream};

async fn ask(agent: &RoleAgent) -> Result<AgentReply, AgentError> {
    let feedback = json!([{"id": "eels"}]);
    let request = LessonRequest {
        prompt: LessonPrompt {
            instructions: None,
            agent: "applier",
            feedback: &feedback,
            retry: None,
        },
        nonce: "n0nce".to_owned(),
        session_id: "5e55".to_owned(),
        allowance: Allowance::default(),
        step: review_request().step,
    };
    agent.lesson(request).await
}

#[tokio::test]
async fn a_program_reads_the_question_and_its_output_is_the_answer() {
    let project = Project::new();
    let script = "grep -c eels; printf %s \"$RALPH_ROLE\"";
    let completion = ask(&sh(script, project.context())).await.unwrap();
    assert_eq!(completion.text, b"1\nreviewer");
    assert_eq!(completion.by.backend, "cmd");
    let prompt = completion.by.prompt.as_deref();
    assert_eq!(
        (prompt, completion.usage),
        (Some("lesson/v1 writer/v1"), None)
    );
    let failed = ask(&sh("cat >/dev/null; exit 3", project.context())).await;
    assert_eq!(failed.unwrap_err().failure, Failure::Failed { status: 3 });
}

#[tokio::test]
async fn a_program_that_is_watched_may_change_no_file() {
    let project = Project::new();
    let mut context = project.context();
    context.watches_programs = true;
    let script = "cat >/dev/null; echo x > specs/new.md";
    let error = ask(&sh(script, context)).await.unwrap_err();
    let paths = vec!["specs/new.md".to_owned()];
    assert_eq!(error.failure, Failure::ReviewerWrote { paths });
}

#[tokio::test]
async fn a_client_is_asked_as_a_reviewer_by_the_schema_of_a_lesson() {
    for client in Client::ALL {
        let fake = Fake::new(client, &play(client, "review-pass"));
        let completion = ask(&fake.agent(fake.context(), None)).await.unwrap();
        assert_eq!(completion.text, REVIEW_PASS.as_bytes(), "{client}");
        assert!(completion.usage.is_some(), "{client}");
        assert!(fake.given("stdin").contains("<<<n0nce feedback>>>"));
        let args = fake.args();
        if client == Client::Claude {
            let schema = args.iter().position(|arg| arg == "--json-schema").unwrap();
            let schema: Json = serde_json::from_str(&args[schema + 1]).unwrap();
            assert_eq!(schema, LessonPrompt::schema());
            assert!(args.contains(&"Read,Grep,Glob".to_owned()));
        }
    }
}

#[tokio::test]
async fn a_model_behind_an_api_is_asked_by_the_schema_of_a_lesson() {
    for api in Api::ALL {
        let project = Project::new();
        let server = Server::always(stream(&sse(&events(api, &["{}"], Stopped::Done))));
        let completer = agent(profile(api, &server), project.context());
        let completion = ask(&completer).await.unwrap();
        assert_eq!(completion.text, b"{}", "{api:?}");
        let usage = Usage {
            input_tokens: 100,
            output_tokens: 20,
            cost_micro_usd: None,
        };
        assert_eq!(completion.usage, Some(usage), "{api:?}");
        let body = server.asked().remove(0).body;
        assert!(body.contains("constraint_update"), "{api:?}");
        assert!(body.contains("<<<n0nce feedback>>>"), "{api:?}");
    }
}
