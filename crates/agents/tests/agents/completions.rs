//! Questions of ours to each kind of backend.

use review::Allowance;
use review::types::{AgentError, FailedBy, Failure, Usage};
use review_agents::{
    AgentReply, Api, BriefFile, Client, Inquiry, InquiryRequest, LessonPrompt, PlanPrompt,
    RoleAgent,
};
use review_flow::Nonce;
use serde_json::{Value as Json, json};

use crate::client_support::{Fake, play};
use crate::http_support::{Stopped, agent, events, profile, sse};
use crate::support::{Project, SPEC, review_request, sh};
use crate::transcripts::REVIEW_PASS;
use review_test_support::http_server::{Server, stream};

async fn ask(agent: &RoleAgent) -> Result<AgentReply, AgentError> {
    let feedback = json!([{"id": "eels"}]);
    let lesson = LessonPrompt {
        instructions: None,
        agent: "applier",
        feedback: &feedback,
        retry: None,
    };
    inquire(agent, Inquiry::Lesson(lesson)).await
}

async fn plan(agent: &RoleAgent) -> Result<AgentReply, AgentError> {
    let plan = PlanPrompt {
        spec: BriefFile {
            path: SPEC,
            text: b"# Demo\n\nAs in README.md.\n",
            is_part: false,
        },
        unit: "demo",
        dir: "tasks/demo",
        existing: &[],
        again: None,
    };
    inquire(agent, Inquiry::Plan(plan)).await
}

async fn inquire(agent: &RoleAgent, inquiry: Inquiry<'_>) -> Result<AgentReply, AgentError> {
    let request = InquiryRequest {
        inquiry,
        nonce: Nonce::from("n0nce"),
        session_id: "5e55".to_owned(),
        allowance: Allowance::default(),
        step: review_request().step,
    };
    agent.ask(request).await
}

/// Who plans may read the project and change nothing of it.
#[tokio::test]
async fn who_plans_is_an_implementer_that_only_reads() {
    for (client, reads) in [
        (Client::Claude, "Read,Grep,Glob"),
        (Client::Codex, "read-only"),
        (Client::Gemini, "default"),
        (Client::Opencode, "task-planner"),
    ] {
        let fake = Fake::new(client, &play(client, "review-pass"));
        plan(&fake.agent(fake.context(), None)).await.unwrap();
        assert!(fake.args().contains(&reads.to_owned()), "{client}");
        let env = fake.given("env");
        assert!(env.contains("RALPH_ROLE=implementer\n"), "{env}");
    }
    let project = Project::new();
    let script = format!("echo x > {SPEC}");
    let wrote = plan(&sh(&script, project.context())).await.unwrap_err();
    let paths = vec![SPEC.to_owned()];
    assert_eq!(wrote.failure, Failure::WroteFiles { paths });
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
    assert_eq!(failed.unwrap_err().failure, FailedBy::Status(3).into());
}

#[tokio::test]
async fn a_program_that_reads_may_not_change_the_artifact() {
    let project = Project::new();
    let script = format!("cat >/dev/null; echo x > {SPEC}");
    let error = ask(&sh(&script, project.context())).await.unwrap_err();
    let paths = vec![SPEC.to_owned()];
    assert_eq!(error.failure, Failure::WroteFiles { paths });
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
    for &api in Api::ALL {
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

#[tokio::test]
async fn a_model_behind_an_api_plans_by_what_the_prompt_shows_of_the_project() {
    let project = Project::new();
    project.write("README.md", "# Where things are\n");
    let server = Server::always(stream(&sse(&events(
        Api::ChatCompletions,
        &["{}"],
        Stopped::Done,
    ))));
    let planner = agent(profile(Api::ChatCompletions, &server), project.context());
    let completion = plan(&planner).await.unwrap();
    assert_eq!(completion.by.prompt.as_deref(), Some("plan/v1 planner/v1"));
    let body: Json = serde_json::from_str(&server.asked().remove(0).body).unwrap();
    let prompt = body["messages"].to_string();
    for part in [
        "<<<n0nce list of the files>>>\\nREADME.md\\nspecs/DEMO.md\\n",
        "<<<n0nce file README.md>>>\\n# Where things are\\n",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
}
