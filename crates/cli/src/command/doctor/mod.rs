//! `ralph doctor`: whether everything a run needs is here.

mod client;
mod variables;

use std::path::{Path, PathBuf};

use review::events::AgentRole;
use review_agents::{Backend, CommandLine};
#[cfg(feature = "http")]
use review_agents::{Connections, HttpProfile, handshake};
use review_config::{Config, Overrides};
use review_process::find_program;
use review_store::{StateDir, StateError};
use review_types::{ExitCode, plural};
use serde::Serialize;

use crate::args::{DoctorArgs, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, Ended};
use crate::output::style::{ERROR, GOOD, HINT, RESET, WARNING};
use crate::output::{Version, printable};
#[cfg(feature = "http")]
use crate::world::World;

/// Why nothing is known of a backend.
const NOT_ASKED: &str = "it was not asked, since a signal came";

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Warning,
    Error,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    state: State,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Check {
    fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self {
            name,
            state: State::Ok,
            message: message.into(),
            hint: None,
        }
    }

    fn bad(
        name: &'static str,
        state: State,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            name,
            state,
            message: message.into(),
            hint: Some(hint.into()),
        }
    }
}

#[derive(Serialize)]
struct Diagnosis {
    v: Version,
    usable: bool,
    checks: Vec<Check>,
}

/// Looks at everything and prints what it found.
pub(crate) fn run(context: &mut Context, args: &DoctorArgs) -> Ended {
    let checks = checks(context);
    let usable = checks.iter().all(|check| check.state != State::Error);
    match args.format {
        PlainFormat::Human => context.streams.print(&human(&checks))?,
        PlainFormat::Json => context.streams.print_json(&Diagnosis {
            v: Version,
            usable,
            checks,
        })?,
    }
    Ok(if usable {
        ExitCode::Passed
    } else {
        ExitCode::NotPassed
    })
}

fn checks(context: &mut Context) -> Vec<Check> {
    let root = context.current_root();
    let mut checks = vec![
        match find(context, "bash") {
            Some(path) => Check::ok("bash", path.display().to_string()),
            None => Check::bad(
                "bash",
                State::Warning,
                "not found; commands of tasks run in sh",
                "install bash, so that a failure inside a pipeline is seen",
            ),
        },
        match find(context, "git") {
            Some(path) => Check::ok("git", path.display().to_string()),
            None => Check::bad(
                "git",
                State::Warning,
                "not found; files are listed without it",
                "install git, so that ignored files are known",
            ),
        },
    ];
    match context.settings(&root, Overrides::default()) {
        Ok(settings) => {
            checks.push(Check::ok("configuration", "every key and value is known"));
            checks.push(state_folder(context, &settings));
            let reviewers = settings.reviewer.iter();
            let check = |role, agent| backend(context, &settings, role, agent, &root);
            checks.extend(reviewers.map(|reviewer| check(AgentRole::Reviewer, reviewer)));
            checks.push(check(AgentRole::Applier, &settings.applier));
            checks.extend(client::logins(context, &settings));
        }
        Err(error) => checks.push(broken_configuration(&error)),
    }
    checks.extend(variables::misspelt(&context.environment));
    checks.extend(foreign_ralph(context));
    checks
}

fn find(context: &Context, program: &str) -> Option<PathBuf> {
    let (path, folder) = (
        context.environment.variable("PATH"),
        context.environment.folder(),
    );
    find_program(Path::new(program), path, folder)
}

fn broken_configuration(error: &CommandError) -> Check {
    Check::bad(
        "configuration",
        State::Error,
        error.message(),
        "`ralph config show` shows where",
    )
}

fn state_folder(context: &Context, settings: &Config) -> Check {
    let folder = context.state_folder(settings);
    match StateDir::open(&folder) {
        Ok(_) => Check::ok(
            "state folder",
            format!("{} can be written", folder.display()),
        ),
        Err(error) => Check::bad(
            "state folder",
            State::Error,
            match error {
                StateError::Unusable(file) => file.to_string(),
                StateError::Link(_) => error.to_string(),
            },
            "name another with --state-dir",
        ),
    }
}

fn backend(
    context: &Context,
    settings: &Config,
    role: AgentRole,
    backend: &Backend,
    root: &Path,
) -> Check {
    let name = role.as_str();
    match backend {
        Backend::Builtin => Check::ok(name, backend.to_string()),
        Backend::Cmd(line) => program(context, name, line, root),
        Backend::Client { client, .. } => {
            let asked = client::Asked {
                client: *client,
                backend,
                role,
                root,
            };
            asked.check(context, settings)
        }
        #[cfg(feature = "http")]
        Backend::Http(profile) => match settings.http.get(profile) {
            Some(profile) => model(context, name, backend, profile),
            None => Check::bad(name, State::Error, backend.to_string(), NO_PROFILE),
        },
    }
}

#[cfg(feature = "http")]
const NO_PROFILE: &str = "add its profile to ralph.toml";

/// Whether the API of a model can be asked; the model itself is not.
#[cfg(feature = "http")]
fn model(context: &Context, role: &'static str, backend: &Backend, profile: &HttpProfile) -> Check {
    let (url, model) = (profile.base_url(), &profile.model);
    let asked = World::new(context).map(|world| {
        let connections = Connections::default();
        world.wait(handshake(
            profile,
            &connections,
            context.environment.variables(),
        ))
    });
    let reason = match asked {
        Ok(Some(Ok(status))) if status < 300 => {
            return Check::ok(role, format!("{backend}, model {model}, {url} answers"));
        }
        Ok(Some(Ok(status))) => {
            let message = format!("{backend}: {url} answers, and lists no models: status {status}");
            let hint = "check base_url, or go on: some servers have no such list";
            return Check::bad(role, State::Warning, message, hint);
        }
        Ok(Some(Err(error))) => error.to_string(),
        Ok(None) => NOT_ASKED.to_owned(),
        Err(error) => error.message(),
    };
    let hint = "check api, base_url and key_env of its profile, and that the server runs";
    Check::bad(role, State::Error, format!("{backend}: {reason}"), hint)
}

fn program(context: &Context, role: &'static str, line: &CommandLine, root: &Path) -> Check {
    let (program, path) = (
        Path::new(line.program()),
        context.environment.variable("PATH"),
    );
    // A program with a slash is seen from the current folder, like any path of
    // the command line; folders of PATH are seen from the root, where it runs.
    let folder = if line.program().contains('/') {
        context.environment.folder()
    } else {
        root
    };
    match find_program(program, path, folder) {
        Some(found) => Check::ok(role, format!("cmd:{line}, found at {}", found.display())),
        None => Check::bad(
            role,
            State::Error,
            format!("cmd:{line}: there is no program {}", program.display()),
            "check its spelling, its x permission and PATH",
        ),
    }
}

/// Other tools install a `ralph` as well.
fn foreign_ralph(context: &Context) -> Option<Check> {
    let first = find(context, "ralph")?;
    let own = context.environment.program()?.canonicalize().ok()?;
    if first.canonicalize().is_ok_and(|first| first == own) {
        return None;
    }
    Some(Check::bad(
        "path",
        State::Warning,
        format!("another ralph comes first on PATH: {}", first.display()),
        "call this one ralph-review, or put its folder first",
    ))
}

fn human(checks: &[Check]) -> String {
    let mut text = String::new();
    for check in checks {
        let (style, word) = match check.state {
            State::Ok => (GOOD, "ok"),
            State::Warning => (WARNING, "warning"),
            State::Error => (ERROR, "error"),
        };
        let message = printable(&check.message);
        text.push_str(&format!(
            "{style}{word}{RESET}: {}: {message}\n",
            check.name
        ));
        if let Some(hint) = &check.hint {
            text.push_str(&format!("  {HINT}hint{RESET}: {hint}\n"));
        }
    }
    let errors = checks
        .iter()
        .filter(|check| check.state == State::Error)
        .count();
    text.push_str(&match errors {
        0 => "Everything that a run needs is here.\n".to_owned(),
        count => format!("A run needs {} mended.\n", plural(count, "thing", "things")),
    });
    text
}
