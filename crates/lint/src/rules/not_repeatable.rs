//! B11.

use review_document::Span;
use review_document::command::{Joint, Program, Script, SimpleCommand, Word};
use review_types::excerpt;

use crate::Severity;
use crate::facts::{Facts, Step, Task};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a command whose result depends on more than the code.
    ///
    /// ## What it does
    /// Reports downloads, remote repositories, `sudo`, and watchers, which do not
    /// terminate. Installed packages, fixed waits and fixed names below `/tmp` are
    /// informational. Addresses of the local machine, commands in the background or
    /// under `timeout`, and a wait in a loop are not reported.
    ///
    /// ## Why is this bad
    /// The same code passes one day and fails the next, or the run waits until its
    /// timeout.
    ///
    /// ## Example
    /// `curl -sf https://example.com/schema.json | diff - schema.json`
    ///
    /// ## Fix
    /// Keep what the command needs in the project: `diff tests/schema.json
    /// schema.json`.
    NotRepeatable {
        code: "B11",
        name: "not-repeatable",
        criterion: Testability,
        severity: Warning,
        summary: "The result of a command depends on more than the code.",
    }
}

impl NotRepeatable {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for task in &facts.tasks {
            for step in &task.steps {
                sink.look_at(step.script.commands().len());
                for (index, command) in step.script.commands().iter().enumerate() {
                    if let Some(sign) = sign(&step.script, index, command) {
                        report(task, step, command.span, sign, sink);
                    }
                }
            }
        }
    }
}

/// The reason why a command is not repeatable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Sudo,
    Network,
    Endless,
    Install,
    Wait,
    SharedName,
}

impl Sign {
    const fn severity(self) -> Severity {
        match self {
            Self::Sudo | Self::Network | Self::Endless => Severity::Warning,
            Self::Install | Self::Wait | Self::SharedName => Severity::Info,
        }
    }

    const fn complaint(self) -> &'static str {
        match self {
            Self::Sudo => "requires the permissions of another user",
            Self::Network => "depends on the network",
            Self::Endless => "does not terminate",
            Self::Install => "installs packages from the network",
            Self::Wait => "waits for a fixed time, which may be too short",
            Self::SharedName => "uses a fixed name below `/tmp`, which other runs share",
        }
    }

    const fn advice(self) -> &'static str {
        match self {
            Self::Sudo => "Run it without `sudo`, on files of the project.",
            Self::Network => "Keep the files that it fetches in the project.",
            Self::Endless => "Run it once, without watch mode.",
            Self::Install => "Install them once before the tasks run, not in each check.",
            Self::Wait => "Poll in a loop with a limit until it is ready.",
            Self::SharedName => "Use a folder created with `mktemp -d`.",
        }
    }
}

fn report(task: &Task<'_>, step: &Step<'_>, span: Span, sign: Sign, sink: &mut Sink) {
    let written = excerpt(span.slice(step.text).unwrap_or_default(), 120);
    let message = format!("`{written}` {}.", sign.complaint());
    let suggestion = sign.advice().to_owned();
    sink.push(task.document, step.locate(span), message, suggestion)
        .severity(sign.severity());
}

fn sign(script: &Script<'_>, index: usize, command: &SimpleCommand<'_>) -> Option<Sign> {
    let program = command.program()?;
    let wraps = |name: &str| {
        let mut words = command.words.iter();
        words
            .by_ref()
            .take_while(|word| !std::ptr::eq(*word, program.word))
            .any(|word| word.text.rsplit('/').next() == Some(name))
    };
    if wraps("sudo") {
        return Some(Sign::Sudo);
    }
    if let Some(sign) = fetches(program) {
        return Some(sign);
    }
    if is_endless(program) && !wraps("timeout") && !is_left_running(script, index) {
        return Some(Sign::Endless);
    }
    if program.name == "sleep" && !script.is_compound {
        return Some(Sign::Wait);
    }
    let targets = command.redirects.iter().map(|redirect| &redirect.target);
    let mut words = program.args.iter().chain(targets);
    words.any(is_shared_name).then_some(Sign::SharedName)
}

/// The network access of a program.
fn fetches(program: Program<'_, '_>) -> Option<Sign> {
    let plain = program.args.iter().filter(|arg| !arg.text.starts_with('-'));
    let mut words = plain.map(|word| &*word.text).take(3);
    match (program.name, words.next().unwrap_or_default()) {
        ("curl" | "wget", _) | ("git", "clone") => {
            let mut args = program.args.iter();
            args.any(|arg| is_remote(&arg.text))
                .then_some(Sign::Network)
        }
        ("git", "fetch" | "pull" | "push" | "ls-remote")
        | ("docker" | "podman", "pull" | "push") => Some(Sign::Network),
        ("npm" | "pnpm" | "yarn", "install" | "ci" | "add" | "i")
        | ("pip" | "pip3" | "cargo" | "brew" | "gem" | "apt" | "apt-get", "install")
        | ("go", "get") => {
            let is_local = words.any(|word| word.starts_with('.'));
            let offline = program.args.iter().any(|arg| {
                matches!(
                    &*arg.text,
                    "--offline" | "--path" | "--prefer-offline" | "--no-index"
                )
            });
            (!is_local && !offline).then_some(Sign::Install)
        }
        _ => None,
    }
}

/// Whether a string is the address of another machine.
fn is_remote(text: &str) -> bool {
    if text.starts_with("git@") {
        return true;
    }
    let rest = ["http://", "https://", "ssh://", "git://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    let Some(rest) = rest else {
        return false;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let is_local = ["localhost", "127.", "0.0.0.0", "[::1]"]
        .iter()
        .any(|local| host.starts_with(local));
    let is_local = is_local
        || host
            .split(':')
            .next()
            .is_some_and(|h| h.ends_with(".localhost"));
    !is_local && !host.contains('$') && host.contains('.')
}

/// Whether a program runs until it is stopped.
fn is_endless(program: Program<'_, '_>) -> bool {
    let has = |texts: &[&str]| {
        let mut args = program.args.iter();
        args.any(|arg| texts.contains(&&*arg.text))
    };
    match program.name {
        "tail" => has(&["-f", "-F", "--follow"]),
        "nodemon" => true,
        "cargo" => program.args.first().is_some_and(|arg| arg.text == "watch"),
        "jest" | "tsc" | "vitest" | "mocha" | "webpack" | "rollup" | "esbuild" | "tsup" => {
            has(&["--watch", "--watchAll"])
        }
        _ => false,
    }
}

/// Whether the command at `index` runs in parallel with the following ones.
fn is_left_running(script: &Script<'_>, index: usize) -> bool {
    let next = script.commands().get(index + 1);
    next.map_or(script.vacuous().is_some(), |next| {
        matches!(next.joint, Joint::Background | Joint::Pipe)
    })
}

/// Whether a word is a path below `/tmp` that is the same in every run.
fn is_shared_name(word: &Word<'_>) -> bool {
    let inner = word.text.strip_prefix("/tmp/");
    inner.is_some_and(|inner| !inner.is_empty() && !inner.contains("XXX")) && !word.expands
}
