//! How an agent is asked to implement a task, and what it may change.

use std::sync::Arc;

use review::types::FailedBy;
use review_agents::{Backend, Checkout, Claim, Client, CmdAgent, RoleAgent};
use review_store::{FileArtifact, Root, RootPath};

use crate::client_support::{Fake, play};
use crate::support::{Project, SPEC, implement_request, in_roles, sh};

#[tokio::test]
async fn an_implementer_may_change_every_file() {
    for client in Client::ALL {
        let script = format!(
            "echo x > new.rs; echo x >> specs/DEMO.md\n{}",
            play(client, "review-pass")
        );
        let fake = Fake::new(client, &script);
        let done = fake.implement().await.unwrap();
        assert_eq!(done.says, Claim::Done, "{client}");
        let prompt = done.by.prompt.as_deref();
        assert_eq!(prompt, Some("implement/v1 implementer/v1"), "{client}");
        assert!(done.session.is_some() && done.usage.is_some(), "{client}");
        assert_eq!(fake.project.read("new.rs"), "x\n");
        assert_eq!(fake.project.read(SPEC), "# Demo\nx\n");
        let env = fake.given("env");
        for line in ["RALPH_ROLE=implementer", "RALPH_ITERATION=2"] {
            assert!(env.lines().any(|one| one == line), "{env}");
        }
    }
}

#[tokio::test]
async fn a_program_says_on_its_output_how_it_ended() {
    let project = Project::new();
    let script = "echo x > new.rs; echo '{\"outcome\": \"question\", \"text\": \"Which?\"}'";
    let agent = sh(script, project.context());
    let done = agent.implement(implement_request()).await.unwrap();
    assert_eq!(done.says, Claim::Question("Which?".to_owned()));
    assert_eq!(done.by.backend, "cmd");
    assert_eq!(project.read("new.rs"), "x\n");
    let agent = sh("exit 3", project.context());
    let error = agent.implement(implement_request()).await.unwrap_err();
    assert_eq!(error.failure, FailedBy::Status(3).into());
    assert!(error.message.starts_with("`sh` ended"), "{error}");
}

#[tokio::test]
async fn the_embedded_rules_are_not_asked() {
    let project = Project::new();
    let context = Arc::new(project.context());
    let agent = CmdAgent::new("touch begun".parse().unwrap(), Arc::clone(&context));
    let agent = in_roles(agent, Backend::Builtin, &context);
    let error = agent.implement(implement_request()).await.unwrap_err();
    assert_eq!(
        error.message,
        "`builtin` was not asked: it has no tools that edit files and run commands"
    );
    assert!(!project.has_started());
}

/// A git folder that an agent could write may name programs for git to run.
#[tokio::test]
async fn no_program_that_the_git_folder_of_a_checkout_names_is_run() {
    let project = Project::new();
    let root = project.path("root");
    let hook = project.path("hook");
    let init = format!(
        "git init -q . && git config core.fsmonitor 'touch {}; false' && echo x > new.rs",
        hook.display()
    );
    for is_private in [true, false] {
        let context = Arc::new(project.context());
        let artifact = FileArtifact::file(Root::open(&root).unwrap(), RootPath::new(SPEC).unwrap());
        let checkout = Checkout::new(Arc::new(artifact), context.run.child_slot(), Vec::new());
        let checkout = match is_private {
            true => checkout.without_git(),
            false => checkout,
        };
        let line = shell_words::join(["sh", "-c", &init]);
        let agent = CmdAgent::new(line.parse().unwrap(), Arc::clone(&context));
        let backend: Backend = format!("cmd:{line}").parse().unwrap();
        let agent = RoleAgent::new(Box::new(agent), backend, context, Arc::new(checkout));
        for _ in 0..2 {
            agent.implement(implement_request()).await.unwrap();
        }
        assert!(!hook.exists(), "{is_private}");
    }
}
