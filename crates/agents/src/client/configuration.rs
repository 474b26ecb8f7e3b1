//! What a call needs beside the configuration of its user.

use std::collections::BTreeMap;
use std::ffi::OsString;

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
