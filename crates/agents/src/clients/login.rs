//! Whether the user of a client is logged in, where that can be seen without a call.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::Client;
use crate::client::Credentials;
use crate::environment::client_variables;

/// What shows that the user of a client is logged in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Login {
    /// A variable that is set.
    Variable(&'static str),
    /// A file that is there.
    File(PathBuf),
    /// Nothing that is known of; how a user logs in.
    Missing(&'static str),
}

impl Client {
    /// What shows that its user is logged in, looked for where the client looks
    /// when it is called with this environment and those variables of it passed
    /// on; `None` for a client that has many services, each with its own.
    #[must_use]
    pub fn login(self, env: &BTreeMap<OsString, OsString>, pass_env: &[OsString]) -> Option<Login> {
        let credentials = self.parts().credentials.as_ref()?;
        let seen: BTreeMap<_, _> = client_variables(env, self.row(), pass_env)
            .into_iter()
            .collect();
        Some(credentials.login(&seen))
    }

    /// The folders outside of a project that it writes to: what it keeps of its user
    /// and of its sessions.
    #[must_use]
    pub fn state_folders(self, env: &BTreeMap<OsString, OsString>) -> Vec<PathBuf> {
        let credentials = self.parts().credentials.as_ref();
        let own = credentials.and_then(|credentials| credentials.folder(env));
        let kept = self.parts().state.iter();
        let kept = kept.filter_map(|(variable, below_home, name)| {
            Some(folder(env, Some(variable), below_home)?.join(name))
        });
        own.into_iter().chain(kept).collect()
    }

    /// The variable that has the client keep its database of sessions in `folder`, with
    /// its value, so that calls at the same time do not fail on each other's locks;
    /// `None` if it has none, or if the user says where it is.
    #[must_use]
    pub fn database_in(
        self,
        folder: &Path,
        env: &BTreeMap<OsString, OsString>,
    ) -> Option<(OsString, OsString)> {
        let database = self.parts().database?;
        let is_set = env.contains_key(OsStr::new(database.variable));
        (!is_set).then(|| (database.variable.into(), folder.join(database.name).into()))
    }
}

/// The folders in which programs with a name usually keep what they know of their user,
/// those of them that are there.
pub(crate) fn folders_named(name: &str, env: &BTreeMap<OsString, OsString>) -> Vec<PathBuf> {
    let usual = [
        (Some("XDG_CONFIG_HOME"), ".config", name.to_owned()),
        (Some("XDG_DATA_HOME"), ".local/share", name.to_owned()),
        (Some("XDG_STATE_HOME"), ".local/state", name.to_owned()),
        (None, "", format!(".{name}")),
    ];
    let usual = usual.into_iter();
    let folders = usual.filter_map(|(variable, below_home, name)| {
        Some(folder(env, variable, below_home)?.join(name))
    });
    folders.filter(|folder| folder.is_dir()).collect()
}

/// The folder in which programs with a name usually cache what they can get again.
pub(crate) fn cache_named(name: &str, env: &BTreeMap<OsString, OsString>) -> Option<PathBuf> {
    Some(folder(env, Some("XDG_CACHE_HOME"), ".cache")?.join(name))
}

impl Credentials {
    /// The folder of its files.
    fn folder(&self, seen: &BTreeMap<OsString, OsString>) -> Option<PathBuf> {
        let (variable, below_home) = self.folder;
        folder(seen, variable, below_home)
    }

    fn login(&self, seen: &BTreeMap<OsString, OsString>) -> Login {
        let value = |name: &str| seen.get(OsStr::new(name)).filter(|value| !value.is_empty());
        let set = self.variables.iter().find(|name| value(name).is_some());
        if let Some(name) = set {
            return Login::Variable(name);
        }
        let files = self
            .folder(seen)
            .map(|folder| self.files.iter().map(move |file| folder.join(file)));
        let found = files.into_iter().flatten().find(|file| file.is_file());
        found.map_or(Login::Missing(self.log_in), Login::File)
    }
}

/// A folder that a variable names, else that with a name below the home of the user.
fn folder(
    env: &BTreeMap<OsString, OsString>,
    variable: Option<&str>,
    below_home: &str,
) -> Option<PathBuf> {
    let value = |name: &str| env.get(OsStr::new(name)).filter(|value| !value.is_empty());
    let home = || Some(Path::new(value("HOME")?).join(below_home));
    variable.and_then(value).map(PathBuf::from).or_else(home)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(variables: &[(&str, &str)]) -> BTreeMap<OsString, OsString> {
        let own = |(name, value): &(&str, &str)| (name.into(), value.into());
        variables.iter().map(own).collect()
    }

    #[test]
    fn a_variable_counts_where_the_client_sees_it_and_it_is_not_empty() {
        let missing = || Some(Login::Missing("run `codex login`, or set CODEX_API_KEY"));
        for (variables, login) in [
            (
                &[("OPENAI_API_KEY", "k")][..],
                Some(Login::Variable("OPENAI_API_KEY")),
            ),
            (&[("CODEX_API_KEY", "")], missing()),
            (&[("ANTHROPIC_API_KEY", "k")], missing()),
        ] {
            assert_eq!(Client::Codex.login(&env(variables), &[]), login);
        }
        let key = env(&[("OPENAI_API_KEY", "k")]);
        assert_eq!(Client::Opencode.login(&key, &[]), None);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "folders are files")]
    fn the_folders_of_an_agent_are_those_of_its_name_that_are_there() {
        let home = tempfile::tempdir().unwrap();
        let kept = [".goose", "data/goose"].map(|name| home.path().join(name));
        kept.iter()
            .for_each(|folder| std::fs::create_dir_all(folder).unwrap());
        std::fs::create_dir_all(home.path().join(".config/other")).unwrap();
        let data = home.path().join("data");
        let env = env(&[
            ("HOME", home.path().to_str().unwrap()),
            ("XDG_DATA_HOME", data.to_str().unwrap()),
        ]);
        let mut found = folders_named("goose", &env);
        found.sort();
        assert_eq!(found, kept);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a login is a file")]
    fn a_file_counts_in_the_folder_that_the_client_uses() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".claude");
        std::fs::create_dir(&folder).unwrap();
        let home = home.path().to_str().unwrap();
        let at_home = env(&[("HOME", home)]);
        let missing = "start `claude` and log in, or set ANTHROPIC_API_KEY";
        let login = || Client::Claude.login(&at_home, &[]);
        assert_eq!(login(), Some(Login::Missing(missing)));
        let file = folder.join(".credentials.json");
        std::fs::write(&file, "{}").unwrap();
        assert_eq!(login(), Some(Login::File(file.clone())));
        let elsewhere = env(&[("HOME", home), ("CLAUDE_CONFIG_DIR", "/nowhere")]);
        assert_eq!(
            Client::Claude.login(&elsewhere, &[]),
            Some(Login::Missing(missing))
        );
        let there = env(&[("CLAUDE_CONFIG_DIR", folder.to_str().unwrap())]);
        assert_eq!(Client::Claude.login(&there, &[]), Some(Login::File(file)));
        assert_eq!(
            Client::Claude.login(&env(&[]), &[]),
            Some(Login::Missing(missing))
        );
    }
}
