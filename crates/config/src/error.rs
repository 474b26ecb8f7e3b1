//! Why a configuration cannot be used.

use review_agents::{Backend, ProfileName};

use crate::fault::FileFault;
use crate::file::ConfigFile;

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Keys or values are wrong: all of them at once.
    #[error("{}", summary(.file, .outside_file))]
    Values {
        /// The file.
        file: Box<ConfigFile>,
        /// What is wrong in it, from its start to its end.
        in_file: Vec<FileFault>,
        /// What is wrong in variables of the environment and in settings.
        outside_file: Vec<String>,
    },
    /// A backend names a profile that is not there.
    #[error("backend `{backend}`: table [http.{profile}] not found")]
    Profile {
        /// The backend.
        backend: Backend,
        /// The profile.
        profile: ProfileName,
        /// The profile that was probably meant.
        nearest: Option<ProfileName>,
    },
}

impl ConfigError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Values { .. } => {
                Some("`ralph schema config` lists the keys and what they mean".to_owned())
            }
            Self::Profile {
                nearest: Some(near),
                ..
            } => Some(format!("did you mean `http:{near}`?")),
            Self::Profile { profile, .. } => Some(format!(
                "add [http.{profile}] with `api` and `model` to ralph.toml"
            )),
        }
    }
}

/// The faults that have no place to show; else that there are faults in the file.
fn summary(file: &ConfigFile, outside_file: &[String]) -> String {
    match outside_file {
        [] => format!("the configuration {} cannot be used", file.name()),
        faults => faults.join("; "),
    }
}
