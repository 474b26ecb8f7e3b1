//! Scripts that stand in for agents that are talked with.

use std::sync::Arc;

use review_agents::{AcpAgent, AgentContext, Backend, RoleAgent};
use review_test_support::acp_agent::{AGENT, program};
use review_test_support::program::write_program;
use serde_json::Value as Json;

use crate::support::{Project, environment, in_roles};

/// The session of an agent that offers no modes.
pub(crate) const SESSION: &str = r#"{"sessionId":"s"}"#;

/// A project in which an agent is a script, which keeps what it received.
pub(crate) struct FakeAgent {
    pub(crate) project: Project,
}

impl FakeAgent {
    /// An agent whose turn is this script.
    pub(crate) fn new(turn: &str) -> Self {
        Self::with(AGENT, SESSION, turn)
    }

    pub(crate) fn with(agent: &str, session: &str, turn: &str) -> Self {
        let project = Project::new();
        std::fs::create_dir(project.path("home")).unwrap();
        let file = project.path("programs/agent");
        write_program(&file, &program(agent, session, turn));
        Self { project }
    }

    pub(crate) fn context(&self) -> AgentContext {
        let mut context = self.project.context();
        let home = self.project.path("home");
        let path = std::env::var("PATH").unwrap();
        context.env = environment(&[("PATH", &path), ("HOME", home.to_str().unwrap())]);
        context
    }

    pub(crate) fn agent(&self, context: AgentContext) -> RoleAgent {
        let context = Arc::new(context);
        let backend: Backend = "acp:./agent".parse().unwrap();
        let Backend::Acp(line) = backend.clone() else {
            panic!("{backend}")
        };
        in_roles(AcpAgent::new(line, Arc::clone(&context)), backend, &context)
    }

    /// The messages that the agent received.
    pub(crate) fn received(&self) -> Vec<Json> {
        let received = std::fs::read_to_string(self.project.path("home/received")).unwrap();
        let lines = received.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}
