//! Clients from the registry of npm, in the target folder.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A client that is tested as it is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    Claude,
    Codex,
    Gemini,
    Opencode,
}

const TRIES: usize = 3;

/// The variable that asks for these tests: the clients are large and come from npm.
const ASKED_FOR: &str = "RALPH_TEST_CLIENTS";

impl Client {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }

    fn package(self) -> &'static str {
        match self {
            Self::Claude => "@anthropic-ai/claude-code@2.1.197",
            Self::Codex => "@openai/codex@0.169.0",
            Self::Gemini => "@google/gemini-cli@0.61.0",
            Self::Opencode => "opencode-ai@1.18.33",
        }
    }

    /// The folder of its program, installed once; without one the reason is printed.
    pub(crate) fn folder(self) -> Option<&'static Path> {
        static CLAUDE: OnceLock<Option<PathBuf>> = OnceLock::new();
        static CODEX: OnceLock<Option<PathBuf>> = OnceLock::new();
        static GEMINI: OnceLock<Option<PathBuf>> = OnceLock::new();
        static OPENCODE: OnceLock<Option<PathBuf>> = OnceLock::new();
        let installed = match self {
            Self::Claude => &CLAUDE,
            Self::Codex => &CODEX,
            Self::Gemini => &GEMINI,
            Self::Opencode => &OPENCODE,
        };
        installed.get_or_init(|| self.install()).as_deref()
    }

    /// Installs it, unless an earlier test run did.
    fn install(self) -> Option<PathBuf> {
        let name = self.package().replace(['@', '/'], "-");
        let folder = packages(name.trim_matches('-'), &[self.package()])?;
        let programs = folder.join("node_modules/.bin");
        assert!(programs.join(self.name()).exists(), "{}", folder.display());
        Some(programs)
    }
}

/// The folder with packages of npm, installed unless an earlier test run did; without it
/// the reason is printed.
pub(crate) fn packages(name: &str, packages: &[&str]) -> Option<PathBuf> {
    if std::env::var_os(ASKED_FOR).is_none() {
        not_run(&format!("{name} is tested where {ASKED_FOR}=1 is set"));
        return None;
    }
    let agents = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../agents");
    fs::create_dir_all(&agents).unwrap();
    let agents = agents.canonicalize().unwrap();
    let folder = agents.join(name);
    if folder.join("node_modules").exists() {
        return Some(folder);
    }
    let unfinished = agents.join(format!("{name}.{}", std::process::id()));
    let mut why = String::new();
    for _ in 0..TRIES {
        match npm_install(&unfinished, packages) {
            Ok(()) => {
                // Another run of the tests may have been faster.
                drop(fs::rename(&unfinished, &folder));
                return Some(folder);
            }
            Err(said) => why = said,
        }
    }
    not_run(&format!("{name} cannot be installed: {why}"));
    None
}

/// Reports why a test passes without its client. The harness captures what is
/// printed with `eprintln!` by tests that pass.
fn not_run(why: &str) {
    let line = format!("not run: {why}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

fn npm_install(folder: &Path, packages: &[&str]) -> Result<(), String> {
    let npm = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--fetch-retries=0"])
        .arg("--prefix")
        .arg(folder)
        .args(packages)
        .stdin(Stdio::null())
        .output();
    let output = npm.map_err(|error| format!("npm: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rev().find(|line| line.contains("error"));
    Err(last.unwrap_or("npm failed").to_owned())
}
