//! The folders outside of a project that a client writes to.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::Client;

impl Client {
    /// The folders outside of a project that it writes to: what it keeps of its user
    /// and of its sessions.
    pub fn state_folders(self, env: &BTreeMap<OsString, OsString>) -> Vec<PathBuf> {
        let own = self.parts().folder;
        let own = own.and_then(|(variable, below_home)| folder(env, variable, below_home));
        let kept = self.parts().state.iter();
        let kept = kept.filter_map(|(variable, below_home, name)| {
            Some(folder(env, Some(variable), below_home)?.join(name))
        });
        own.into_iter().chain(kept).collect()
    }

    /// The variable that has the client keep its database of sessions in `folder`, with
    /// its value, so that calls at the same time do not fail on each other's locks;
    /// `None` if it has none, or if the user says where it is.
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
}
