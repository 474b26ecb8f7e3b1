//! The homes of caches in a lane. Nothing that a program in a checkout writes to a cache
//! reaches the user's, and nothing that an agent writes reaches a gate.
//!
//! A home starts with what the lock files of the project name, if the user's caches have it.
//! Cargo does not look at an archive again that is in its cache, so those of crates are
//! compared with the checksums of the lock file here; unpacked sources are never taken over.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use review_flow::Stop;
use review_lane::{Lane, TreeId};
use review_store::{FileError, LaneDir};
use review_types::hex;
use sha2::{Digest as _, Sha256};

use super::lock_files::{LOCK_FILES, Locked};
use super::{LaneExecutor, stopped};
use crate::error::halted;

/// The folder of the lane with the homes.
pub(super) const CACHES: &str = "caches";

/// The folders of a home, by the variables that name them.
const FOLDERS: [(&str, &str); 7] = [
    ("CARGO_HOME", CARGO),
    ("npm_config_cache", NPM),
    ("GOMODCACHE", GO_MODULES),
    ("GOCACHE", "go-build"),
    ("PIP_CACHE_DIR", "pip"),
    ("UV_CACHE_DIR", UV),
    ("XDG_CACHE_HOME", OTHER),
];
const CARGO: &str = "cargo";
const NPM: &str = "npm";
const GO_MODULES: &str = "go-mod";
const UV: &str = "uv";
const OTHER: &str = "other";

/// A folder that is never there, for a user without a home.
const NOWHERE: &str = "/dev/null";

/// Programs that others install in a cache, and that tests only run.
const PROGRAMS: [&str; 3] = ["ms-playwright", "Cypress", "node/corepack"];

/// Maximum number of bytes of a repository, a package or the cache of a client that are
/// copied.
const MAX_COPIED: u64 = 1 << 28;

/// The home of agents, and that of gates, by their names.
const AGENTS: &str = "agents";
pub(super) const GATES: &str = "gates";

/// A home of caches.
#[derive(Clone, Debug)]
pub(super) struct CacheHome(PathBuf);

impl CacheHome {
    /// That of gates, once it is made.
    pub(super) fn of_gates(lane: &Lane) -> Self {
        Self(lane.path().join(CACHES).join(GATES))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// The variables that lead programs to it.
    pub(super) fn variables(&self) -> impl Iterator<Item = (OsString, OsString)> {
        FOLDERS.into_iter().map(|(variable, folder)| {
            let folder = self.0.join(folder);
            (variable.into(), folder.into())
        })
    }
}

impl LaneExecutor<'_> {
    /// The home of the caches of agents, which is made at its first use in the run.
    pub(super) async fn caches_of_agents(&self, lane: &Lane) -> Result<CacheHome, Stop> {
        let made = self
            .agents_caches
            .get_or_try_init(async || {
                let home = lane.path().join(CACHES).join(AGENTS);
                if !home.is_dir() {
                    let tip = lane.tip().await.map_err(stopped)?;
                    let tree = lane.tree_of(&tip).await.map_err(stopped)?;
                    self.make_caches(lane, &tree, AGENTS).await?;
                }
                Ok(CacheHome(home))
            })
            .await;
        made.cloned()
    }

    /// Makes the home of caches of this name again, for a tree.
    pub(super) async fn make_caches(
        &self,
        lane: &Lane,
        tree: &TreeId,
        name: &'static str,
    ) -> Result<CacheHome, Stop> {
        let found = lane.files_named(tree, &LOCK_FILES).await;
        let mut locked = Locked::default();
        for (name, content) in found.map_err(stopped)? {
            locked.add(&name, &content);
        }
        let env = &self.run.project.env;
        let agents = self.implementer.iter();
        let agents = agents.filter(|_| name == AGENTS);
        let clients = agents.filter_map(|backend| Some(backend.client()?.to_string()));
        let seeds = Seeds {
            user: UserCaches::of(env),
            locked,
            links: self.in_force().await?.is_any(),
            clients: clients.collect(),
            lane: lane.path().to_owned(),
        };
        let caches = LaneDir::at(lane.path().join(CACHES));
        let made = tokio::task::spawn_blocking(move || seeds.make(&caches, name));
        let made = made.await.map_err(halted)?;
        made.map(CacheHome).map_err(halted)
    }
}

/// Where the caches of the user are.
#[derive(Clone, Debug)]
struct UserCaches {
    cargo: PathBuf,
    npm: PathBuf,
    go_modules: PathBuf,
    uv: PathBuf,
    other: PathBuf,
}

impl UserCaches {
    fn of(env: &BTreeMap<OsString, OsString>) -> Self {
        let variable = |name: &str| {
            let value = env.get(OsStr::new(name))?;
            let first = std::env::split_paths(value).next()?;
            first.is_absolute().then_some(first)
        };
        let home = variable("HOME").unwrap_or_else(|| NOWHERE.into());
        let or_home = |name: &str, below: &str| variable(name).unwrap_or_else(|| home.join(below));
        let other = or_home("XDG_CACHE_HOME", ".cache");
        let go = or_home("GOPATH", "go");
        Self {
            cargo: or_home("CARGO_HOME", ".cargo"),
            npm: or_home("npm_config_cache", ".npm"),
            go_modules: variable("GOMODCACHE").unwrap_or_else(|| go.join("pkg/mod")),
            uv: variable("UV_CACHE_DIR").unwrap_or_else(|| other.join("uv")),
            other,
        }
    }
}

/// The initial content of a home.
struct Seeds {
    user: UserCaches,
    locked: Locked,
    /// Whether files of the user may be linked, since a sandbox keeps programs from writing
    /// to them.
    links: bool,
    /// The clients whose own caches are copied.
    clients: Vec<String>,
    lane: PathBuf,
}

impl Seeds {
    /// Makes the home of this name in a folder again, and returns its path. One that is not
    /// made to the end is never used.
    fn make(&self, caches: &LaneDir, name: &str) -> Result<PathBuf, FileError> {
        let unfinished = format!("{name}.new");
        caches.remove(&unfinished)?;
        caches.remove(name)?;
        let home = Home(LaneDir::at(caches.create_folder(&unfinished)?));
        for (_, folder) in FOLDERS {
            home.0.create_folder(folder)?;
        }
        self.fill_cargo(&home)?;
        self.fill_npm(&home)?;
        self.fill_go(&home)?;
        self.fill_uv(&home)?;
        self.fill_other(&home)?;
        caches.rename(&unfinished, name)?;
        Ok(caches.entry(name))
    }

    fn fill_cargo(&self, home: &Home) -> Result<(), FileError> {
        let user = &self.user.cargo;
        let cargo = Path::new(CARGO);
        // Cargo finds it above the checkout as well, and would take each value twice.
        let is_above = user.ends_with(".cargo")
            && user
                .parent()
                .is_some_and(|above| self.lane.starts_with(above));
        let configuration = ["config.toml", "config"].iter().filter(|_| !is_above);
        for name in ["credentials.toml", "credentials"]
            .iter()
            .chain(configuration)
        {
            if user.join(name).is_file() {
                home.0.link(&user.join(name), cargo.join(name))?;
            }
        }
        let Locked {
            crates,
            repositories,
            ..
        } = &self.locked;
        if !self.locked.uses_cargo {
            return Ok(());
        }
        for registry in names(&user.join("registry/cache")) {
            let below = Path::new("registry/cache").join(registry);
            for archive in names(&user.join(&below)) {
                let from = user.join(&below).join(&archive);
                let to = cargo.join(&below).join(&archive);
                match archive.to_str().and_then(|name| crates.get(name)) {
                    Some(one) if sha256(&from).as_deref() == Some(&one.checksum) => {
                        home.copy(&from, &to)?;
                    }
                    Some(_) => tracing::warn!(
                        "{} is not what Cargo.lock names, and is not used; delete it",
                        from.display()
                    ),
                    None if self.links => home.link(&from, &to)?,
                    None => {}
                }
            }
        }
        let crates: BTreeSet<_> = crates.values().map(|one| one.name.to_lowercase()).collect();
        for registry in names(&user.join("registry/index")) {
            let below = Path::new("registry/index").join(registry);
            let from = user.join(&below);
            let to = cargo.join(&below);
            home.copy(&from.join("config.json"), &to.join("config.json"))?;
            // That of a registry which is a repository.
            home.copy_folder(&from.join(".git"), &to.join(".git"))?;
            home.copy(&from.join(".last-updated"), &to.join(".last-updated"))?;
            for entry in files(&from.join(".cache")) {
                let to = to.join(".cache").join(&entry);
                let from = from.join(".cache").join(&entry);
                let name = entry.file_name().and_then(OsStr::to_str);
                if name.is_some_and(|name| crates.contains(name)) {
                    home.copy(&from, &to)?;
                } else if self.links {
                    home.link(&from, &to)?;
                }
            }
        }
        for repository in names(&user.join("git/db")) {
            let name = repository.to_str().and_then(|name| name.rsplit_once('-'));
            if name.is_some_and(|(name, _)| repositories.contains(name)) {
                let below = Path::new("git/db").join(&repository);
                home.copy_folder(&user.join(&below), &cargo.join(&below))?;
            }
        }
        Ok(())
    }

    /// npm compares what it reads with the digest by which it is asked for.
    fn fill_npm(&self, home: &Home) -> Result<(), FileError> {
        let user = &self.user.npm;
        for (algorithm, digest) in &self.locked.npm {
            let Ok(bytes) = STANDARD.decode(digest) else {
                continue;
            };
            let hex = hex(&bytes);
            let (Some(first), Some(second), Some(rest)) =
                (hex.get(..2), hex.get(2..4), hex.get(4..))
            else {
                continue;
            };
            let is_word = algorithm.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if is_word {
                let content = Path::new("_cacache/content-v2").join(algorithm);
                let content = content.join(first).join(second).join(rest);
                home.copy(&user.join(&content), &Path::new(NPM).join(&content))?;
            }
        }
        Ok(())
    }

    /// Without the noted hash of an archive Go computes it, and compares it with `go.sum`.
    fn fill_go(&self, home: &Home) -> Result<(), FileError> {
        let user = &self.user.go_modules;
        for (module, version) in &self.locked.go {
            let folder = format!("cache/download/{}/@v", escaped(module));
            if !is_below(&folder) || version.contains('/') {
                continue;
            }
            for kind in ["info", "mod", "zip"] {
                let file = format!("{folder}/{}.{kind}", escaped(version));
                home.copy(&user.join(&file), &Path::new(GO_MODULES).join(&file))?;
            }
        }
        Ok(())
    }

    fn fill_uv(&self, home: &Home) -> Result<(), FileError> {
        let user = &self.user.uv;
        if self.locked.uv.is_empty() {
            return Ok(());
        }
        let uv = Path::new(UV);
        for bucket in names(user) {
            let kind = bucket.to_str().and_then(|name| name.split_once("-v"));
            let below = Path::new(&bucket).join("pypi");
            match kind.map(|(kind, _)| kind) {
                Some("simple") => {
                    for (name, _) in &self.locked.uv {
                        let file = below.join(format!("{name}.rkyv"));
                        if is_below(name) {
                            home.copy(&user.join(&file), &uv.join(&file))?;
                        }
                    }
                }
                Some("wheels") => {
                    for (name, version) in &self.locked.uv {
                        let below = below.join(name);
                        let of_version = format!("{version}-");
                        let all = names(&user.join(&below)).into_iter();
                        let wheels = all.filter(|wheel| {
                            wheel
                                .to_str()
                                .is_some_and(|one| one.starts_with(&of_version))
                        });
                        for wheel in wheels.filter(|_| is_below(name)) {
                            home.copy_wheel(user, &below.join(wheel))?;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn fill_other(&self, home: &Home) -> Result<(), FileError> {
        let user = &self.user.other;
        let other = Path::new(OTHER);
        for name in PROGRAMS {
            if self.links && user.join(name).is_dir() {
                home.link(&user.join(name), &other.join(name))?;
            }
        }
        for client in &self.clients {
            home.copy_folder(&user.join(client), &other.join(client))?;
        }
        Ok(())
    }
}

/// A home that is filled. What is not there is left out.
struct Home(LaneDir);

impl Home {
    fn copy(&self, from: &Path, to: &Path) -> Result<(), FileError> {
        // A link could lead anywhere.
        if from.symlink_metadata().is_ok_and(|found| found.is_file()) {
            self.make_above(to)?;
            self.0.copy(from, to)?;
        }
        Ok(())
    }

    fn link(&self, target: &Path, link: &Path) -> Result<(), FileError> {
        self.make_above(link)?;
        self.0.link(target, link)
    }

    fn copy_folder(&self, from: &Path, to: &Path) -> Result<(), FileError> {
        let is_folder = from.symlink_metadata().is_ok_and(|found| found.is_dir());
        if is_folder && !self.0.entry(to).exists() {
            self.0.copy_folder(from, to, MAX_COPIED)?;
        }
        Ok(())
    }

    /// Copies a file of a wheel, or a link to its files together with these.
    fn copy_wheel(&self, user: &Path, wheel: &Path) -> Result<(), FileError> {
        let from = user.join(wheel);
        let Ok(target) = std::fs::read_link(&from) else {
            return self.copy(&from, &Path::new(UV).join(wheel));
        };
        let archive = target.file_name().filter(|_| target.is_relative());
        let Some(archive) = archive else {
            return Ok(());
        };
        let files = Path::new("archive-v0").join(archive);
        self.copy_folder(&user.join(&files), &Path::new(UV).join(&files))?;
        self.link(&target, &Path::new(UV).join(wheel))
    }

    fn make_above(&self, path: &Path) -> Result<(), FileError> {
        let above = path.parent().unwrap_or(path);
        self.0.create_folder(above).map(|_| ())
    }
}

/// The names in a folder; none if it cannot be listed.
fn names(folder: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).collect()
}

/// The files below a folder, relative to it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        for name in names(&folder.join(&below)) {
            let path = below.join(name);
            match folder.join(&path).symlink_metadata() {
                Ok(found) if found.is_dir() => open.push(path),
                Ok(found) if found.is_file() => files.push(path),
                Ok(_) | Err(_) => {}
            }
        }
    }
    files
}

/// The SHA-256 of a file in hex digits; `None` if it cannot be read.
fn sha256(path: &Path) -> Option<String> {
    let bytes = review_store::read_file(path).ok()?;
    Some(hex(&Sha256::digest(bytes)))
}

/// A module path or version as Go names files: a capital letter is an exclamation mark and
/// the small one.
fn escaped(name: &str) -> String {
    let mut escaped = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            escaped.push('!');
        }
        escaped.push(letter.to_ascii_lowercase());
    }
    escaped
}

/// Whether a path of a lock file stays in the folder that it is looked for in.
fn is_below(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    parts.all(|part| matches!(part, std::path::Component::Normal(_)))
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "the caches of the user are files that the tests write"
)]
mod tests {
    use std::fs;

    use super::*;

    const CRATE: &[u8] = b"an archive";

    /// Writes files, and returns the folder.
    fn written(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::TempDir::new().expect("a new folder");
        for (name, content) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("it is below")).expect("a folder");
            fs::write(path, content).expect("a file");
        }
        folder
    }

    /// The files and links of a home that is made of what the user has.
    fn made(user: &Path, locks: &[(&str, &str)], links: bool) -> Vec<String> {
        let lane = tempfile::TempDir::new().expect("a new folder");
        let env = BTreeMap::from([("HOME".into(), user.into())]);
        let mut locked = Locked::default();
        for (name, text) in locks {
            locked.add(name, text.as_bytes());
        }
        let seeds = Seeds {
            user: UserCaches::of(&env),
            locked,
            links,
            clients: vec!["opencode".to_owned()],
            lane: lane.path().to_owned(),
        };
        let caches = LaneDir::at(lane.path().join("caches"));
        let home = seeds.make(&caches, "agents").expect("a home");
        let mut found: Vec<_> = files(&home)
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let mut open = vec![home.clone()];
        while let Some(folder) = open.pop() {
            for name in names(&folder) {
                let path = folder.join(name);
                let kind = path.symlink_metadata().expect("it is there");
                if kind.is_dir() {
                    open.push(path);
                } else if kind.is_symlink() {
                    let below = path.strip_prefix(&home).expect("it is below");
                    found.push(format!("link {}", below.display()));
                }
            }
        }
        found.sort();
        found
    }

    fn cargo_lock() -> String {
        let checksum = hex(&Sha256::digest(CRATE));
        let package = |name: &str| {
            format!(
                "[[package]]\nname = \"{name}\"\nversion = \"1.0.0\"\nchecksum = \"{checksum}\"\n"
            )
        };
        package("good") + &package("bad")
    }

    #[test]
    fn a_home_begins_with_what_lock_files_name_and_not_with_what_was_tampered_with() {
        let digest = "00".repeat(62);
        let content = format!(".npm/_cacache/content-v2/sha512/01/02/{digest}");
        let mut bytes = vec![1, 2];
        bytes.extend([0; 62]);
        let user = written(&[
            (".cargo/registry/cache/r-1/good-1.0.0.crate", CRATE),
            (".cargo/registry/cache/r-1/bad-1.0.0.crate", b"tampered"),
            (".cargo/registry/cache/r-1/other-1.0.0.crate", b"other"),
            (".cargo/registry/src/r-1/good-1.0.0/src/lib.rs", b"unpacked"),
            (".cargo/registry/index/r-1/config.json", b"{}"),
            (".cargo/registry/index/r-1/.cache/go/od/good", b"entry"),
            (".cargo/registry/index/r-1/.cache/ot/he/other", b"entry"),
            (".cargo/credentials.toml", b"secret"),
            (".cargo/config.toml", b""),
            (&content, b"package"),
            (".npm/_cacache/content-v2/sha512/03/04/05", b"other"),
            (
                "go/pkg/mod/cache/download/example.org/!a/@v/v1.0.0.zip",
                b"zip",
            ),
            (
                "go/pkg/mod/cache/download/example.org/!a/@v/v1.0.0.ziphash",
                b"hash",
            ),
            ("go/pkg/mod/example.org/!a@v1.0.0/a.go", b"unpacked"),
            (".cache/uv/wheels-v8/pypi/six/1.16.0-py3.http", b"pointer"),
            (".cache/uv/wheels-v8/pypi/six/2.0.0-py3.http", b"pointer"),
            (".cache/uv/archive-v0/Id/six.py", b"code"),
            (".cache/ms-playwright/browser", b"program"),
            (".cache/opencode/plugin", b"code"),
            (".cache/poetry/code", b"code"),
        ]);
        let wheel = user.path().join(".cache/uv/wheels-v8/pypi/six/1.16.0-py3");
        std::os::unix::fs::symlink("../../../archive-v0/Id", wheel).expect("a link");
        let npm = format!("{{\"integrity\": \"sha512-{}\"}}", STANDARD.encode(bytes));
        let cargo = cargo_lock();
        let locks = [
            ("Cargo.lock", cargo.as_str()),
            ("package-lock.json", npm.as_str()),
            (
                "go.sum",
                "example.org/A v1.0.0 h1:x=\n../../../x v1 h1:y=\n",
            ),
            (
                "uv.lock",
                "[[package]]\nname = \"six\"\nversion = \"1.16.0\"\n",
            ),
        ];
        let copied = [
            "cargo/registry/cache/r-1/good-1.0.0.crate".to_owned(),
            "cargo/registry/index/r-1/.cache/go/od/good".to_owned(),
            "cargo/registry/index/r-1/config.json".to_owned(),
            "go-mod/cache/download/example.org/!a/@v/v1.0.0.zip".to_owned(),
            "link cargo/config.toml".to_owned(),
            "link cargo/credentials.toml".to_owned(),
            "link uv/wheels-v8/pypi/six/1.16.0-py3".to_owned(),
            content.replace(".npm", "npm"),
            "other/opencode/plugin".to_owned(),
            "uv/archive-v0/Id/six.py".to_owned(),
            "uv/wheels-v8/pypi/six/1.16.0-py3.http".to_owned(),
        ];
        assert_eq!(made(user.path(), &locks, false), copied);
        let mut linked = copied.to_vec();
        linked.extend([
            "link cargo/registry/cache/r-1/other-1.0.0.crate".to_owned(),
            "link cargo/registry/index/r-1/.cache/ot/he/other".to_owned(),
            "link other/ms-playwright".to_owned(),
        ]);
        linked.sort();
        assert_eq!(made(user.path(), &locks, true), linked);
        let nothing = [
            "link cargo/config.toml",
            "link cargo/credentials.toml",
            "other/opencode/plugin",
        ];
        assert_eq!(made(user.path(), &[], false), nothing);
    }
}
