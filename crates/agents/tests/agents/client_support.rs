//! Scripts that stand in for clients.

use std::sync::Arc;

use review::types::AgentError;
use review::{AnswerContent, Applier, ApplyReport, ReviewAnswer, Reviewer};
use review_agents::{AgentContext, Backend, Client, ClientAgent, Implemented, RoleAgent};
use review_test_support::program::write_program;

use crate::support::{
    Project, apply_request, environment, implement_request, in_roles, review_request,
};
use crate::transcripts::{folder, transcript};

/// A project in which a client is a script, which keeps what it was given.
pub(crate) struct Fake {
    pub(crate) project: Project,
    client: Client,
}

impl Fake {
    pub(crate) fn new(client: Client, script: &str) -> Self {
        let fake = Self {
            project: Project::new(),
            client,
        };
        for folder in ["bin", "home"] {
            std::fs::create_dir(fake.project.path(folder)).unwrap();
        }
        let file = fake.project.path("bin").join(client.as_str());
        let keep =
            "printf '%s\\n' \"$@\" > \"$HOME/args\"; env > \"$HOME/env\"; cat > \"$HOME/stdin\"";
        write_program(&file, &format!("#!/bin/sh\n{keep}\n{script}\n"));
        fake
    }

    /// A context in which the script is found before any other program.
    pub(crate) fn context(&self) -> AgentContext {
        let mut context = self.project.context();
        let path = std::env::var("PATH").unwrap();
        let bin = self.project.path("bin");
        let home = self.project.path("home");
        context.env = environment(&[
            ("PATH", &format!("{}:{path}", bin.display())),
            ("HOME", home.to_str().unwrap()),
        ]);
        context
    }

    pub(crate) async fn review_in(
        &self,
        context: AgentContext,
        model: Option<&str>,
    ) -> Result<ReviewAnswer, AgentError> {
        let agent = self.agent(context, model);
        agent.review(review_request()).await
    }

    pub(crate) async fn review(&self) -> Result<ReviewAnswer, AgentError> {
        self.review_in(self.context(), None).await
    }

    pub(crate) async fn apply(&self) -> Result<ApplyReport, AgentError> {
        let agent = self.agent(self.context(), None);
        agent.apply(apply_request()).await
    }

    pub(crate) async fn implement(&self) -> Result<Implemented, AgentError> {
        let agent = self.agent(self.context(), None);
        agent.implement(implement_request()).await
    }

    pub(crate) fn agent(&self, context: AgentContext, model: Option<&str>) -> RoleAgent {
        client(self.client, model, context)
    }

    /// What the script was given: `args`, `env` or `stdin`.
    pub(crate) fn given(&self, what: &str) -> String {
        std::fs::read_to_string(self.project.path("home").join(what)).unwrap()
    }

    pub(crate) fn args(&self) -> Vec<String> {
        self.given("args").lines().map(str::to_owned).collect()
    }
}

/// A client in the roles of a loop.
pub(crate) fn client(client: Client, model: Option<&str>, context: AgentContext) -> RoleAgent {
    let model = model.map(|model| model.parse().unwrap());
    let context = Arc::new(context);
    let agent = ClientAgent::new(client, model.clone(), Arc::clone(&context));
    in_roles(agent, Backend::Client { client, model }, &context)
}

/// Prints what a client printed in a recording, and ends as it did.
pub(crate) fn play(client: Client, case: &str) -> String {
    let exit = match transcript(client, case).ending {
        review_agents::Ending::Exited(code) => code,
        other => panic!("{case} ended otherwise: {other:?}"),
    };
    format!("{}\nexit {exit}", print(client, case))
}

/// Prints what a client printed in a recording.
pub(crate) fn print(client: Client, case: &str) -> String {
    let path = folder().join(client.as_str()).join(case);
    let path = path.to_str().unwrap();
    format!("cat '{path}.stderr' >&2\ncat '{path}.stdout'")
}

/// The same, for a client that then stays.
pub(crate) fn play_and_stay(client: Client, case: &str) -> String {
    format!("{}\nexec tail -f /dev/null", print(client, case))
}

pub(crate) fn text(answer: ReviewAnswer) -> String {
    match answer.content {
        AnswerContent::Text(text) => String::from_utf8(text).unwrap(),
        other => panic!("a client answers in text, not {other:?}"),
    }
}
