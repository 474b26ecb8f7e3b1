//! `ralph findings`.

use std::fmt::Write as _;
use std::path::Path;

use review::Artifact as _;
use review::people::{Said, Settlement};
use review_config::Overrides;
use review_engine::Replay;
use review_flow::hash_bytes;
use review_learning::collection::Speech;
use review_store::{ConfineError, FileArtifact, RootPath, RunDir, StateDir};
use review_types::{ExitCode, Finding, FindingId, FindingStatus, Hash, RunId, plural};
use serde::Serialize;

use crate::args::{FindingsCommand, ListFindingsArgs, PlainFormat, SettleArgs, ShowFindingArgs};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::learning::learn_speech;
use crate::output::style::{FAINT, GOOD, RESET, STRONG, WARNING};
use crate::output::{Version, printable};
use crate::runs::{replay, say, text_of};
use crate::target::open_root;

/// A finding is looked for in so many runs, the newest first.
const MAX_RUNS: usize = 50;

/// The findings of a run. This is the object that `--format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FindingList {
    v: Version,
    run: RunId,
    findings: Vec<Finding>,
}

/// Carries out `findings`.
pub(crate) fn run(context: &mut Context, command: FindingsCommand) -> Ended {
    match command {
        FindingsCommand::List(args) => list(context, &args),
        FindingsCommand::Show(args) => show(context, &args),
        FindingsCommand::Waive(args) => settle(context, &args, false),
        FindingsCommand::Uphold(args) => settle(context, &args, true),
    }
}

fn list(context: &mut Context, args: &ListFindingsArgs) -> Ended {
    let state = state(context)?;
    let dir = context.find_run(&state, &args.run)?;
    let findings = replay(&dir)?.report(&dir).ledger;
    match args.format {
        PlainFormat::Json => {
            let (v, run) = (Version, dir.id().clone());
            context
                .streams
                .print_json(&FindingList { v, run, findings })?;
        }
        PlainFormat::Human if findings.is_empty() => {
            let run = dir.id();
            context
                .streams
                .print(&format!("run {run} has no findings\n"))?;
        }
        PlainFormat::Human => {
            let lines: String = findings.iter().map(line).collect();
            context.streams.print(&lines)?;
        }
    }
    Ok(ExitCode::Passed)
}

fn show(context: &mut Context, args: &ShowFindingArgs) -> Ended {
    let state = state(context)?;
    let (_, _, finding) = find(&state, &args.id)?;
    match args.format {
        PlainFormat::Json => context.streams.print_json(&finding)?,
        PlainFormat::Human => context.streams.print(&whole(&finding))?,
    }
    Ok(ExitCode::Passed)
}

fn settle(context: &mut Context, args: &SettleArgs, counts: bool) -> Ended {
    let state = state(context)?;
    let (dir, replayed, finding) = find(&state, &args.id)?;
    let text = match counts {
        true => None,
        false => text_at(&replayed, &finding)?,
    };
    let settlement = Settlement {
        finding: finding.id.clone(),
        counts,
        by: text_of("--by", &args.by)?,
        why: text_of("--why", &args.why)?,
        text,
        severity: (!counts).then_some(finding.severity),
    };
    let why = settlement.why.clone();
    say(&dir, &replayed, &Said::Settled(settlement))?;
    let (finding, issue) = (args.id.as_str(), finding.issue.as_str());
    let speech = match counts {
        true => Speech::Upheld { finding, issue },
        false => Speech::Waived { finding, issue },
    };
    learn_speech(context, &dir, &replayed, speech, &why);
    let told = match (dir.is_live(), dir.id()) {
        (true, run) => format!("run {run} hears of it at its next round\n"),
        (false, run) => format!("next:\nralph resume {run}{}\n", context.state_option()),
    };
    context.streams.print(&told)?;
    Ok(ExitCode::Passed)
}

/// Hash of the text at the place of a finding as it is now; `None` where no
/// file is told.
fn text_at(replayed: &Replay, finding: &Finding) -> Result<Option<Hash>, CommandError> {
    let place = &finding.place;
    let Some(path) = &place.path else {
        return Ok(None);
    };
    let root = open_root(Path::new(&replayed.input.root))?;
    let unreadable = |error: ConfineError| CommandError::new(ErrorKind::Input, error.to_string());
    let artifact = FileArtifact::file(root, RootPath::new(path).map_err(unreadable)?);
    let text = artifact.read(path).map_err(unreadable)?;
    let mut sections = artifact.sections(path, &text).into_iter();
    let section = sections.find(|section| section.headings == place.headings);
    let span = section.map_or(0..text.len(), |section| section.span);
    Ok(text.get(span).map(hash_bytes))
}

fn state(context: &mut Context) -> Result<StateDir, CommandError> {
    let settings = context.settings(&context.current_root(), Overrides::default())?;
    Ok(context.state_for_reading(&settings))
}

/// The newest run that has a finding, and the finding.
fn find(state: &StateDir, id: &FindingId) -> Result<(RunDir, Replay, Finding), CommandError> {
    let runs = state.runs();
    let runs = runs.map_err(|error| CommandError::new(ErrorKind::Input, error.to_string()))?;
    for dir in runs.into_iter().take(MAX_RUNS) {
        let Ok(replayed) = replay(&dir) else { continue };
        let mut findings = replayed.report(&dir).ledger.into_iter();
        if let Some(finding) = findings.find(|finding| finding.id == *id) {
            return Ok((dir, replayed, finding));
        }
    }
    let message = format!("no finding {id} in the last {MAX_RUNS} runs");
    Err(CommandError::new(ErrorKind::Usage, message).hint("list them with `ralph findings list`"))
}

fn styled(status: FindingStatus) -> String {
    let style = match status {
        FindingStatus::Fixed | FindingStatus::Waived => GOOD,
        FindingStatus::Open
        | FindingStatus::Partial
        | FindingStatus::Rejected
        | FindingStatus::Disputed => WARNING,
    };
    format!("{style}{status:<8}{RESET}")
}

/// What is said of a finding that is out of scope.
fn scope(finding: &Finding) -> &'static str {
    if finding.out_of_scope {
        ", out of scope"
    } else {
        ""
    }
}

/// A finding in one line.
fn line(finding: &Finding) -> String {
    let issue = printable(finding.issue.lines().next().unwrap_or_default()).into_owned();
    let raised = plural(finding.raised.len(), "time", "times");
    format!(
        "{STRONG}{}{RESET}  {:<10}  {}  {}: {issue}  {FAINT}raised {raised}{}{RESET}\n",
        finding.id,
        finding.severity.as_str(),
        styled(finding.status),
        printable(&finding.section).trim(),
        scope(finding),
    )
}

/// A finding with all that is known of it.
fn whole(finding: &Finding) -> String {
    let rounds: Vec<_> = finding.raised.iter().map(u32::to_string).collect();
    let mut text = format!(
        "{STRONG}{}{RESET}  {}  {}  {}\n  {}\n  {}\n  {FAINT}raised in rounds {}{}{RESET}\n",
        finding.id,
        finding.severity,
        styled(finding.status),
        printable(&finding.section).trim(),
        printable(&finding.issue).trim(),
        printable(&finding.suggestion).trim(),
        rounds.join(", "),
        scope(finding),
    );
    for change in &finding.history {
        let by = change.by.as_deref().map(|by| format!(" by {by}"));
        let why = change.why.as_deref().map(|why| format!(": {why}"));
        let inferred = if change.inferred { ", inferred" } else { "" };
        let why = why.unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "  round {}: {}{}{inferred}{}",
            change.round,
            change.status,
            printable(&by.unwrap_or_default()),
            printable(&why)
        );
    }
    text
}
