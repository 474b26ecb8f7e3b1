//! The reviewers and the applier that a run asks.

use std::sync::Arc;

use review::{Applier, Reviewer};
use review_agents::{
    AcpAgent, Agent, AgentContext, Backend, Chain, ChainReviewer, Checkout, ClientAgent, CmdAgent,
    RoleAgent,
};
use review_agents::{Connections, HttpAgent, ProfileName};

use crate::admission::no_tools;
use crate::error::EngineError;
use crate::run::builtin;
use crate::settings::RunSettings;

/// Makes the agents of one run, which share their connections.
pub(crate) struct Agents<'a> {
    settings: &'a RunSettings,
    context: &'a Arc<AgentContext>,
    checkout: &'a Arc<Checkout>,
    connections: Connections,
}

impl<'a> Agents<'a> {
    /// Those that `settings` name, in the world of `context`.
    pub(crate) fn new(
        settings: &'a RunSettings,
        context: &'a Arc<AgentContext>,
        checkout: &'a Arc<Checkout>,
    ) -> Self {
        Self {
            settings,
            context,
            checkout,
            connections: Connections::default(),
        }
    }

    /// All reviewers, as one.
    ///
    /// # Errors
    /// When one has no profile.
    pub(crate) fn reviewer(&self) -> Result<ChainReviewer, EngineError> {
        self.reviewers(&self.settings.config.reviewer)
    }

    /// The reviewers of a chain, as one.
    ///
    /// # Errors
    /// When one has no profile.
    pub(crate) fn reviewers(&self, chain: &Chain) -> Result<ChainReviewer, EngineError> {
        let reviewers = chain.iter().map(|backend| {
            Ok(match self.agent(backend)? {
                Some(agent) => Box::new(agent) as Box<dyn Reviewer>,
                None => Box::new(builtin(self.settings, self.context, self.checkout)),
            })
        });
        Ok(ChainReviewer::new(
            reviewers.collect::<Result<_, EngineError>>()?,
        ))
    }

    /// The reviewers that can be asked anything, each with its name.
    ///
    /// # Errors
    /// When one has no profile.
    pub(crate) fn named(&self) -> Result<Vec<(String, RoleAgent)>, EngineError> {
        let named = self.settings.config.reviewer.iter().filter_map(|backend| {
            let agent = self.agent(backend).transpose()?;
            Some(agent.map(|agent| (backend.to_string(), agent)))
        });
        named.collect()
    }

    /// The applier.
    ///
    /// # Errors
    /// When it has no profile.
    pub(crate) fn applier(&self) -> Result<Box<dyn Applier>, EngineError> {
        Ok(match self.agent(&self.settings.config.applier)? {
            Some(agent) => Box::new(agent),
            None => Box::new(builtin(self.settings, self.context, self.checkout)),
        })
    }

    /// The agent that implements tasks.
    ///
    /// # Errors
    /// When it has no tools or no profile.
    pub(crate) fn implementer(&self, backend: &Backend) -> Result<RoleAgent, EngineError> {
        let agent = self.agent(backend)?;
        agent.ok_or_else(|| no_tools(backend))
    }

    /// The agent that `backend` names; `None` for the embedded rules.
    fn agent(&self, backend: &Backend) -> Result<Option<RoleAgent>, EngineError> {
        let context = || Arc::clone(self.context);
        let agent: Box<dyn Agent> = match backend {
            Backend::Builtin => return Ok(None),
            Backend::Cmd(line) => Box::new(CmdAgent::new(line.clone(), context())),
            Backend::Acp(line) => Box::new(AcpAgent::new(line.clone(), context())),
            Backend::Client { client, model } => {
                Box::new(ClientAgent::new(*client, model.clone(), context()))
            }
            Backend::Http(name) => Box::new(self.http(name)?),
        };
        let checkout = Arc::clone(self.checkout);
        Ok(Some(RoleAgent::new(
            agent,
            backend.clone(),
            context(),
            checkout,
        )))
    }

    fn http(&self, name: &ProfileName) -> Result<HttpAgent, EngineError> {
        let profile = self.settings.config.http.get(name);
        let missing = || EngineError::new(format!("profile [http.{name}] not found"));
        let profile = profile.ok_or_else(missing)?;
        Ok(HttpAgent::new(
            name,
            profile.clone(),
            self.connections.clone(),
            Arc::clone(self.context),
        ))
    }
}
