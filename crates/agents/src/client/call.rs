//! What a client is asked, and how that is put to it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::Access;
use crate::model::Model;
use review::events::AgentRole;
use review_types::Usd;

/// What a client is asked beside the prompt, which comes on its standard input.
///
/// Nothing of an artifact or of feedback is in here: arguments and variables
/// are limited in size and seen by others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientCall<'a> {
    /// What it is asked to be.
    pub(crate) role: AgentRole,
    /// What it may do with the files of the project.
    pub(crate) access: Access,
    /// The model, unless the client chooses.
    pub(crate) model: Option<&'a Model>,
    /// An id that no session has.
    pub(crate) session: &'a str,
    /// The session to go on in, where a client is asked again.
    pub(crate) follow_up: Option<&'a str>,
    /// What the session is called, for people who look for it.
    pub(crate) title: &'a str,
    /// The JSON schema of the answer, where an object is asked for.
    pub(crate) schema: Option<&'a str>,
    /// What the call may cost at most, where only the client knows its price.
    pub(crate) max_cost: Option<Usd>,
    /// Whether it is in a sandbox of ours, in which one of its own may not work.
    pub(crate) is_confined: bool,
    /// A file that may hold the schema.
    pub(crate) schema_file: &'a str,
}

/// How a client is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Invocation {
    /// The arguments after its name.
    pub(crate) args: Vec<String>,
    /// The variables that it needs to behave, with their values.
    pub(crate) variables: Vec<(&'static str, String)>,
    /// The files that must exist before, with their contents.
    pub(crate) files: Vec<(PathBuf, String)>,
}

impl Invocation {
    /// A call with these arguments.
    pub(crate) fn of(args: &[&str]) -> Self {
        Self::default().and(args)
    }

    /// Appends arguments.
    pub(crate) fn and(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(|arg| (*arg).to_owned()));
        self
    }

    /// Appends an option and its value, if there is one.
    pub(crate) fn with(self, option: &str, value: Option<impl AsRef<str>>) -> Self {
        match value {
            Some(value) => self.and(&[option, value.as_ref()]),
            None => self,
        }
    }

    /// Sets variables.
    pub(crate) fn set(mut self, variables: &[(&'static str, &str)]) -> Self {
        let variables = variables.iter();
        self.variables
            .extend(variables.map(|(name, value)| (*name, (*value).to_owned())));
        self
    }
}

/// The environment of this process.
pub(crate) type Variables = BTreeMap<OsString, OsString>;

/// The configuration of a call.
pub(crate) struct Configuration {
    /// Options that come before all arguments.
    pub(crate) args: Vec<String>,
    /// A variable and its value.
    pub(crate) variable: Option<(&'static str, String)>,
}

impl Configuration {
    /// That of the user alone.
    pub(crate) const NONE: Self = Self {
        args: Vec::new(),
        variable: None,
    };
}

/// A variable of the user that does not hold the configuration which it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} must be a JSON object")]
pub struct NoConfig(pub &'static str);
