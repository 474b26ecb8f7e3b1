//! What the lock files of a project name, if it can be found in a cache.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// The names of the files that are read.
pub(super) const LOCK_FILES: [&str; 6] = [
    "Cargo.toml",
    "Cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "go.sum",
    "uv.lock",
];

/// What lock files name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Locked {
    /// Whether cargo builds something of the project.
    pub(super) uses_cargo: bool,
    /// The crates of registries, by the name of their archive.
    pub(super) crates: BTreeMap<String, LockedCrate>,
    /// The names of the repositories of crates.
    pub(super) repositories: BTreeSet<String>,
    /// The digests of packages of npm, as the algorithm and its bytes in base64.
    pub(super) npm: BTreeSet<(String, String)>,
    /// The modules of Go, with their versions.
    pub(super) go: BTreeSet<(String, String)>,
    /// The packages of uv, with their versions.
    pub(super) uv: BTreeSet<(String, String)>,
}

/// A crate of a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LockedCrate {
    pub(super) name: String,
    /// The SHA-256 of its archive, in hex digits.
    pub(super) checksum: String,
}

/// The packages of a lock file of cargo or uv.
#[derive(Deserialize)]
struct Packages {
    #[serde(default)]
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: Option<String>,
    /// A string for cargo, a table for uv.
    source: Option<toml::Value>,
    checksum: Option<String>,
}

impl Locked {
    /// Adds what a file names; one that cannot be read names nothing.
    pub(super) fn add(&mut self, file: &str, content: &[u8]) {
        let Ok(text) = std::str::from_utf8(content) else {
            return;
        };
        let text = text.trim_start_matches('\u{feff}');
        match file {
            "Cargo.toml" => self.uses_cargo = true,
            "Cargo.lock" => self.add_crates(text),
            "uv.lock" => {
                let packages = packages(text).into_iter();
                let named = packages.filter_map(|one| Some((one.name, one.version?)));
                self.uv.extend(named);
            }
            "go.sum" => self.go.extend(text.lines().filter_map(|line| {
                let mut words = line.split_whitespace();
                let (module, version) = (words.next()?, words.next()?);
                let version = version.strip_suffix("/go.mod").unwrap_or(version);
                Some((module.to_owned(), version.to_owned()))
            })),
            _ => {
                if let Ok(lock) = serde_json::from_str(text) {
                    self.add_digests(&lock);
                }
            }
        }
    }

    fn add_crates(&mut self, text: &str) {
        self.uses_cargo = true;
        for package in packages(text) {
            let source = package.source.as_ref().and_then(toml::Value::as_str);
            if let Some(url) = source.and_then(|source| source.strip_prefix("git+")) {
                let url = url.split(['?', '#']).next().unwrap_or(url);
                let name = url.trim_end_matches('/').rsplit('/').next();
                let name = name.map(|name| name.trim_end_matches(".git").to_owned());
                self.repositories
                    .extend(name.filter(|name| !name.is_empty()));
            }
            let (name, version) = (package.name, package.version);
            if let (Some(version), Some(checksum)) = (version, package.checksum) {
                let archive = format!("{name}-{version}.crate");
                self.crates.insert(archive, LockedCrate { name, checksum });
            }
        }
    }

    /// Adds every `integrity` of a lock file of npm, of any version.
    fn add_digests(&mut self, value: &serde_json::Value) {
        match value {
            serde_json::Value::Object(fields) => {
                for (name, value) in fields {
                    match value.as_str().filter(|_| name == "integrity") {
                        Some(digests) => {
                            let digests = digests.split_whitespace();
                            let parts = digests.filter_map(|one| one.split_once('-'));
                            let owned = |(algorithm, bytes): (&str, &str)| {
                                (algorithm.to_owned(), bytes.to_owned())
                            };
                            self.npm.extend(parts.map(owned));
                        }
                        None => self.add_digests(value),
                    }
                }
            }
            serde_json::Value::Array(items) => {
                for item in items {
                    self.add_digests(item);
                }
            }
            _ => {}
        }
    }
}

fn packages(text: &str) -> Vec<Package> {
    let lock: Result<Packages, _> = toml::from_str(text);
    lock.map_or_else(|_| Vec::new(), |lock| lock.package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lock_files_name_is_found() {
        let mut locked = Locked::default();
        for (file, text) in [
            (
                "Cargo.lock",
                "version = 4\n[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n\
                 [[package]]\nname = \"itoa\"\nversion = \"1.0.1\"\n\
                 source = \"registry+https://example.org/index\"\nchecksum = \"ab\"\n\
                 [[package]]\nname = \"kit\"\nversion = \"2.0.0\"\n\
                 source = \"git+https://example.org/a/kits.git?branch=x#0123\"\n",
            ),
            (
                "package-lock.json",
                r#"{"packages": {"": {}, "node_modules/a": {"integrity": "sha512-AQ== sha1-Ag=="}},
                    "dependencies": {"b": {"dependencies": {"c": {"integrity": "sha512-Aw=="}}}}}"#,
            ),
            (
                "go.sum",
                "example.org/A v1.0.0 h1:x=\nexample.org/A v1.0.0/go.mod h1:y=\n",
            ),
            (
                "uv.lock",
                "[[package]]\nname = \"six\"\nversion = \"1.16.0\"\nsource = { registry = \"x\" }\n",
            ),
            ("uv.lock", "[[package]"),
            ("go.sum", "\u{feff}example.org/A v1.0.0 h1:x=\n"),
            ("Cargo.lock", "\u{0}"),
            ("package-lock.json", "{"),
        ] {
            locked.add(file, text.as_bytes());
        }
        let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        let expected = Locked {
            uses_cargo: true,
            crates: BTreeMap::from([(
                "itoa-1.0.1.crate".to_owned(),
                LockedCrate {
                    name: "itoa".to_owned(),
                    checksum: "ab".to_owned(),
                },
            )]),
            repositories: BTreeSet::from(["kits".to_owned()]),
            npm: BTreeSet::from([
                pair("sha1", "Ag=="),
                pair("sha512", "AQ=="),
                pair("sha512", "Aw=="),
            ]),
            go: BTreeSet::from([pair("example.org/A", "v1.0.0")]),
            uv: BTreeSet::from([pair("six", "1.16.0")]),
        };
        assert_eq!(locked, expected);
    }
}
