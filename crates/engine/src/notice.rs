//! Tells a program of the user how a run ended.
//!
//! The number of the last event that the program took is kept in the folder of
//! the run, so that a resume tells what was not taken, and nothing twice
//! without need.

use std::ffi::{OsStr, OsString};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use review::EventSink;
use review::events::{Envelope, Event, RunFinished};
use review_agents::CommandLine;
use review_process::redact::{Sensitivity, secret_values};
use review_process::{
    Command, Context, Ended, EndedBy, Environment, GroupId, Limits, Overflow, Redactor, Stdin, git,
    run,
};
use review_store::{RUN_VARIABLE, RunDir};
use review_types::Outcome;
use serde::Serialize;

use crate::project::Project;
use crate::settings::RunSettings;

/// Bytes of standard error that a warning quotes.
const QUOTED: usize = 1024;
/// The time that the program has.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The time that it has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(5);

/// Whether a program has yet to be notified of the end of the run with these
/// `events`.
pub fn is_notice_due(dir: &RunDir, settings: &RunSettings, events: &[Envelope]) -> bool {
    let last = events.iter().rev().find(|event| is_notified(event));
    let last = last.and_then(|event| event.seq);
    settings.apply
        && settings.config.notify.command.is_some()
        && last.is_some()
        && dir.notified() != last
}

/// Keeps the last event that says how the run ended.
#[derive(Default)]
pub(crate) struct LastEnd(Mutex<Option<Envelope>>);

impl LastEnd {
    fn end(&self) -> Option<Envelope> {
        let end = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        end.clone()
    }

    /// Tells the program of the settings how the run in `dir` ended. Whatever
    /// becomes of that is only a warning.
    pub(crate) async fn notify(&self, project: &Project<'_>, settings: &RunSettings, dir: &RunDir) {
        let (Some(notify), Some(end), true) =
            (&settings.config.notify.command, self.end(), settings.apply)
        else {
            return;
        };
        if dir.notified() == end.seq {
            return;
        }
        if let Err(why) = tell(notify, &end, project, settings, dir).await {
            let run = dir.id();
            let program = notify.program();
            tracing::warn!("{program} was not notified of how run {run} ended: {why}");
        }
    }
}

impl EventSink for LastEnd {
    fn emit(&self, event: &Envelope) {
        if is_notified(event) {
            let mut end = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *end = Some(event.clone());
        }
    }
}

/// Whether an event ends a run that passed or is blocked.
fn is_notified(event: &Envelope) -> bool {
    match &event.event {
        Event::RunFinished(RunFinished {
            outcome,
            block_code,
            ..
        }) => block_code.is_some() || matches!(outcome, Outcome::Passed | Outcome::Approved),
        _ => false,
    }
}

async fn tell(
    notify: &CommandLine,
    end: &Envelope,
    project: &Project<'_>,
    settings: &RunSettings,
    dir: &RunDir,
) -> Result<(), String> {
    let target = &settings.target;
    let own = [
        (RUN_VARIABLE, Some(dir.id().as_str().into())),
        ("RALPH_ROOT", Some(project.root.path().into())),
        ("RALPH_SPEC", Some(target.spec().into())),
        ("RALPH_UNIT_DIR", target.unit_dir().map(Into::into)),
    ];
    let redactor = project.redactor(settings);
    let mut child = dir.child_slot().note();
    let mut started = |group: GroupId| child.write(group);
    let mut context = Context::new(project.stop.clone(), &project.groups, &redactor);
    context.started = Some(&mut started);
    send(notify, end, with_own(project, &own), project, context).await?;
    let seq = end.seq.unwrap_or_default();
    dir.note_notified(seq).map_err(|error| error.to_string())
}

/// Tells a program of the user what happened outside of runs, as one line.
///
/// # Errors
/// Why it was not notified, in words.
pub(crate) async fn notify<T: Serialize>(
    notify: &CommandLine,
    event: &T,
    project: &Project<'_>,
) -> Result<(), String> {
    let root = [("RALPH_ROOT", Some(project.root.path().into()))];
    let environment = project.env.iter();
    let environment = environment.map(|(name, value)| (&**name, &**value));
    let redactor = Redactor::new(secret_values(environment, |_| Sensitivity::Unknown));
    let context = Context::new(project.stop.clone(), &project.groups, &redactor);
    send(notify, event, with_own(project, &root), project, context).await
}

/// Sends an event to a program as one line, and waits for its end.
async fn send<T: Serialize>(
    notify: &CommandLine,
    event: &T,
    variables: Vec<(OsString, OsString)>,
    project: &Project<'_>,
    context: Context<'_>,
) -> Result<(), String> {
    let mut line = serde_json::to_vec(event).map_err(|error| error.to_string())?;
    line.push(b'\n');
    let command = Command {
        program: notify.program().into(),
        args: notify.args().iter().map(Into::into).collect(),
        cwd: project.root.path().to_owned(),
        env: Environment::Only(variables),
        stdin: Stdin::Bytes(line),
        limits: Limits {
            wall: Some(TIMEOUT),
            idle: None,
            connect: None,
            grace: GRACE,
            overflow: Overflow::KeepTail,
            capture: QUOTED,
        },
        sandbox: None,
        finishes: false,
    };
    let ended = run(command, context).await;
    let ended = ended.map_err(|error| error.to_string())?;
    match ended.success() {
        true => Ok(()),
        false => Err(failure(&ended)),
    }
}

/// The variables that the program sees: those of this process, and its own.
fn with_own(project: &Project<'_>, own: &[(&str, Option<OsString>)]) -> Vec<(OsString, OsString)> {
    let mut variables = project.env.clone();
    variables.retain(|name, _| !git::is_local(name));
    for (name, value) in own {
        variables.remove(OsStr::new(name));
        variables.extend(value.clone().map(|value| (name.into(), value)));
    }
    variables.into_iter().collect()
}

/// How a program failed, with the end of what it said.
fn failure(ended: &Ended) -> String {
    let what = match ended.cut {
        Some(EndedBy::Wall(after)) => format!("it took longer than {} s", after.as_secs_f64()),
        Some(EndedBy::Stopped) => "the process was stopped".to_owned(),
        Some(
            EndedBy::Idle(_) | EndedBy::Offline(_) | EndedBy::TooLarge(_) | EndedBy::Dismissed,
        )
        | None => {
            format!("it ended with {}", ended.exit)
        }
    };
    let said = ended.stderr.tail(QUOTED);
    match said.trim() {
        "" => what,
        said => format!("{what}: {said}"),
    }
}
