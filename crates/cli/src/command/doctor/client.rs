//! Whether the clients that are configured can be used.

use std::ffi::OsString;
use std::path::Path;

use review::events::AgentRole;
use review_agents::{Backend, Client, Login, VersionAge};
use review_config::Config;

use super::{Check, NOT_ASKED, State};
use crate::context::Context;
use crate::world::World;

/// A client in the place that it is configured for.
pub(super) struct Asked<'a> {
    pub(super) client: Client,
    pub(super) backend: &'a Backend,
    pub(super) role: AgentRole,
    pub(super) root: &'a Path,
}

impl Asked<'_> {
    /// Asks it for its version and its agent; its model is not asked.
    pub(super) fn check(&self, context: &Context, settings: &Config) -> Check {
        let Self {
            client,
            backend,
            role,
            root,
        } = *self;
        let name = role.as_str();
        let bad = |reason: String, hint: String| {
            Check::bad(name, State::Error, format!("{backend}: {reason}"), hint)
        };
        let world = match World::new(context) {
            Ok(world) => world,
            Err(error) => return bad(error.message(), "try again".to_owned()),
        };
        let probe = world.client_probe(&context.environment, root, pass_env(settings));
        match world.wait(probe.version(client, role)) {
            Some(Ok(version)) => self.version(&version),
            Some(Err(error)) => bad(error.to_string(), error.hint(client)),
            None => bad(NOT_ASKED.to_owned(), "try again".to_owned()),
        }
    }

    fn version(&self, version: &str) -> Check {
        let (name, tested) = (self.role.as_str(), self.client.tested_version());
        let found = format!("{}, version {version}", self.backend);
        match self.client.version_age(version) {
            VersionAge::Tested | VersionAge::Unknown => Check::ok(name, found),
            VersionAge::Newer => Check::ok(
                name,
                format!("{found}, newer than {tested}, which is tested"),
            ),
            VersionAge::Older => Check::bad(
                name,
                State::Warning,
                format!("{found}, older than {tested}, which is tested"),
                format!("update it where a call fails: {}", self.client.row().needs),
            ),
        }
    }
}

/// Whether the users of the configured clients are logged in, as far as that
/// shows without a call.
pub(super) fn logins(context: &Context, settings: &Config) -> Vec<Check> {
    let (env, passed) = (context.environment.variables(), pass_env(settings));
    let configured = settings.reviewer.iter().chain([&settings.applier]);
    let mut clients: Vec<Client> = Vec::new();
    for backend in configured {
        match backend {
            Backend::Client { client, .. } if !clients.contains(client) => clients.push(*client),
            _ => {}
        }
    }
    let login = |client: Client| Some(login(client, client.login(env, &passed)?));
    clients.into_iter().filter_map(login).collect()
}

fn login(client: Client, login: Login) -> Check {
    match login {
        Login::Variable(name) => Check::ok("login", format!("{client}: {name} is set")),
        Login::File(file) => Check::ok("login", format!("{client}: {}", file.display())),
        Login::Missing(log_in) => {
            let message = format!("{client}: no key and no login was found");
            Check::bad("login", State::Warning, message, log_in)
        }
    }
}

/// The variables that clients see because the configuration names them.
fn pass_env(settings: &Config) -> Vec<OsString> {
    settings
        .pass_env
        .as_slice()
        .iter()
        .map(Into::into)
        .collect()
}
