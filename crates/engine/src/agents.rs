//! The reviewers and the applier that a run asks.

use std::sync::Arc;

use review::{Applier, Reviewer};
use review_agents::{AgentContext, Backend, ChainReviewer, ClientAgent, CmdAgent, Completer};
#[cfg(feature = "http")]
use review_agents::{Connections, HttpAgent, ProfileName};

use crate::error::EngineError;
use crate::run::builtin;
use crate::settings::RunSettings;

/// An agent that can be asked anything, and the name of its backend.
pub(crate) type NamedCompleter = (String, Box<dyn Completer>);

/// Makes the agents of one run, which share their connections.
pub(crate) struct Agents<'a> {
    settings: &'a RunSettings,
    context: &'a Arc<AgentContext>,
    #[cfg(feature = "http")]
    connections: Connections,
}

impl<'a> Agents<'a> {
    /// Those that `settings` name, in the world of `context`.
    pub(crate) fn new(settings: &'a RunSettings, context: &'a Arc<AgentContext>) -> Self {
        Self {
            settings,
            context,
            #[cfg(feature = "http")]
            connections: Connections::default(),
        }
    }

    /// All reviewers, as one.
    ///
    /// # Errors
    /// When one has no profile.
    pub(crate) fn reviewer(&self) -> Result<ChainReviewer, EngineError> {
        let (settings, context) = (self.settings, self.context);
        let reviewers = settings.reviewer.iter().map(|backend| {
            Ok(match backend {
                Backend::Builtin => Box::new(builtin(settings, context)) as Box<dyn Reviewer>,
                Backend::Cmd(line) => Box::new(CmdAgent::new(line.clone(), Arc::clone(context))),
                Backend::Client { client, model } => Box::new(ClientAgent::new(
                    *client,
                    model.clone(),
                    Arc::clone(context),
                )),
                #[cfg(feature = "http")]
                Backend::Http(name) => Box::new(self.http(name)?),
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
    pub(crate) fn completers(&self) -> Result<Vec<NamedCompleter>, EngineError> {
        let context = || Arc::clone(self.context);
        let mut completers = Vec::new();
        for backend in self.settings.reviewer.iter() {
            let completer: Box<dyn Completer> = match backend {
                Backend::Builtin => continue,
                Backend::Cmd(line) => Box::new(CmdAgent::new(line.clone(), context())),
                Backend::Client { client, model } => {
                    Box::new(ClientAgent::new(*client, model.clone(), context()))
                }
                #[cfg(feature = "http")]
                Backend::Http(name) => Box::new(self.http(name)?),
            };
            completers.push((backend.to_string(), completer));
        }
        Ok(completers)
    }

    /// The applier.
    ///
    /// # Errors
    /// When it has no profile.
    pub(crate) fn applier(&self) -> Result<Box<dyn Applier>, EngineError> {
        let (settings, context) = (self.settings, self.context);
        Ok(match &settings.applier {
            Backend::Builtin => Box::new(builtin(settings, context)),
            Backend::Cmd(line) => Box::new(CmdAgent::new(line.clone(), Arc::clone(context))),
            Backend::Client { client, model } => Box::new(ClientAgent::new(
                *client,
                model.clone(),
                Arc::clone(context),
            )),
            #[cfg(feature = "http")]
            Backend::Http(name) => Box::new(self.http(name)?),
        })
    }

    #[cfg(feature = "http")]
    fn http(&self, name: &ProfileName) -> Result<HttpAgent, EngineError> {
        let profile = self.settings.http.get(name);
        let profile = profile.ok_or_else(|| EngineError::Profile(name.to_string()))?;
        Ok(HttpAgent::new(
            name,
            profile.clone(),
            self.connections.clone(),
            Arc::clone(self.context),
        ))
    }
}
