//! What of the user's own settings of codex does not hold for a call.
//!
//! Servers for tools of the user do not run: the sandbox does not hold them. And
//! whether a call is worth another try is decided by the loop. Codex adds tables
//! on its command line to those of its files, so that both must be called by
//! their names.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::client::{Configuration, NoConfig, Variables};

/// How often it may repeat a request to a model, as claude may.
const RETRIES: u32 = 1;

/// The part of a settings file that is read here.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Settings {
    model_provider: Option<String>,
    model_providers: BTreeMap<String, Provider>,
    mcp_servers: BTreeMap<String, IgnoredAny>,
    projects: BTreeMap<String, Project>,
}

/// Where a model is asked.
#[derive(Deserialize)]
struct Provider {
    request_max_retries: Option<IgnoredAny>,
    stream_max_retries: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Project {
    trust_level: Option<Trust>,
}

/// Whether the user trusts a project.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Trust {
    Trusted,
    #[serde(other)]
    Other,
}

/// The configuration of calls in `root`.
pub(super) fn configuration(root: &Path, env: &Variables) -> Result<Configuration, NoConfig> {
    Ok(Configuration {
        args: overrides(root, env),
        ..Configuration::NONE
    })
}

/// The options that turn such settings down for calls in `root`.
fn overrides(root: &Path, env: &Variables) -> Vec<String> {
    let user = home(env).map(|home| read(&home.join("config.toml")));
    let user = user.unwrap_or_default();
    let project = match user.trusts(root) {
        true => read(&root.join(".codex/config.toml")),
        false => Settings::default(),
    };
    let settings = servers_off(&[&user, &project])
        .into_iter()
        .chain(user.fewer_retries());
    settings
        .flat_map(|setting| ["-c".to_owned(), setting])
        .collect()
}

/// The folder of the user's settings.
fn home(env: &Variables) -> Option<PathBuf> {
    let folder = |name: &str| env.get(OsStr::new(name)).filter(|path| !path.is_empty());
    let own = folder("CODEX_HOME").map(PathBuf::from);
    own.or_else(|| Some(Path::new(folder("HOME")?).join(".codex")))
}

/// The settings of a file. Codex itself says what is wrong with one.
fn read(path: &Path) -> Settings {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    toml::from_str(&text).unwrap_or_default()
}

impl Settings {
    /// Whether the settings of a project hold.
    fn trusts(&self, root: &Path) -> bool {
        let project = root.to_str().and_then(|root| self.projects.get(root));
        project.and_then(|project| project.trust_level) == Some(Trust::Trusted)
    }

    /// Fewer retries where the user's own provider says nothing of them; the
    /// embedded ones take no settings.
    fn fewer_retries(&self) -> Option<String> {
        let name = self.model_provider.as_ref()?;
        let provider = self.model_providers.get(name)?;
        let said = [
            ("request_max_retries", &provider.request_max_retries),
            ("stream_max_retries", &provider.stream_max_retries),
        ];
        let unsaid = said.iter().filter(|(_, said)| said.is_none());
        let unsaid: Vec<_> = unsaid.map(|(key, _)| format!("{key}={RETRIES}")).collect();
        let name = quoted(name);
        let fewer = || format!("model_providers={{{name}={{{}}}}}", unsaid.join(","));
        (!unsaid.is_empty()).then(fewer)
    }
}

fn servers_off(files: &[&Settings]) -> Option<String> {
    let names = files.iter().flat_map(|file| file.mcp_servers.keys());
    let names: BTreeSet<_> = names.collect();
    let off: Vec<_> = names
        .into_iter()
        .map(|name| format!("{}={{enabled=false}}", quoted(name)))
        .collect();
    (!off.is_empty()).then(|| format!("mcp_servers={{{}}}", off.join(",")))
}

/// A key of TOML; what JSON escapes is escaped alike.
fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests make the files that they need"
)]
mod tests {
    use super::*;

    const SERVERS: &str =
        "[mcp_servers.b]\ncommand = \"b\"\n[mcp_servers.\"a \\\"1\\\"\"]\nurl = \"u\"\n";

    /// The settings that are overridden where these files are there.
    fn overridden(user: &str, project: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        for home in [folder.path(), &root] {
            std::fs::create_dir_all(home.join(".codex")).unwrap();
        }
        let user = user.replace("ROOT", root.to_str().unwrap());
        std::fs::write(folder.path().join(".codex/config.toml"), user).unwrap();
        std::fs::write(root.join(".codex/config.toml"), project).unwrap();
        let env = |name: &str, path: PathBuf| [(name.into(), path.into())].into();
        let found = overrides(&root, &env("HOME", folder.path().to_owned()));
        let own = overrides(&root, &env("CODEX_HOME", folder.path().join(".codex")));
        assert_eq!(found, own);
        let pairs = found.chunks(2);
        pairs
            .map(|pair| {
                assert_eq!(pair[0], "-c");
                let setting: toml::Table = toml::from_str(&pair[1]).unwrap();
                assert_eq!(setting.len(), 1);
                pair[1].clone()
            })
            .collect()
    }

    #[test]
    fn servers_of_the_user_are_off() {
        let off = r#"mcp_servers={"a \"1\""={enabled=false},"b"={enabled=false}}"#;
        assert_eq!(overridden(SERVERS, ""), [off]);
        assert_eq!(overridden("", SERVERS), [""; 0]);
        let trusting = "[projects.\"ROOT\"]\ntrust_level = \"trusted\"\n";
        assert_eq!(overridden(trusting, SERVERS), [off]);
        let untrusting = trusting.replace("trusted", "untrusted");
        assert_eq!(overridden(&untrusting, SERVERS), [""; 0]);
        let own = "[mcp_servers.c]\ncommand = \"c\"\n";
        assert_eq!(
            overridden(&format!("{own}{trusting}"), "[mcp_servers.b]"),
            [r#"mcp_servers={"b"={enabled=false},"c"={enabled=false}}"#]
        );
    }

    #[test]
    fn retries_are_turned_down_where_the_user_says_nothing_of_them() {
        let provider = "model_provider = \"p\"\n[model_providers.q]\n[model_providers.p]\n";
        let set = |keys: &str| format!("model_providers={{\"p\"={{{keys}}}}}");
        for (said, fewer) in [
            ("", Some(set("request_max_retries=1,stream_max_retries=1"))),
            ("request_max_retries = 9", Some(set("stream_max_retries=1"))),
            ("stream_max_retries = 0", Some(set("request_max_retries=1"))),
            ("request_max_retries = 0\nstream_max_retries = 0", None),
        ] {
            let found = overridden(&format!("{provider}{said}"), "");
            assert_eq!(found, fewer.into_iter().collect::<Vec<_>>());
        }
        assert_eq!(overridden("model_provider = \"openai\"\n", ""), [""; 0]);
        assert_eq!(overridden("[model_providers.p]\n", ""), [""; 0]);
    }

    #[test]
    fn settings_that_cannot_be_read_are_left_to_codex() {
        assert_eq!(overridden("mcp_servers = [", ""), [""; 0]);
        let nowhere = overrides(Path::new("/"), &BTreeMap::new());
        assert_eq!(nowhere, [""; 0]);
        let empty = [("CODEX_HOME".into(), "".into())].into();
        assert_eq!(overrides(Path::new("/"), &empty), [""; 0]);
    }
}
