//! `ralph findings`.

use std::path::Path;

use review::Artifact as _;
use review::people::{Comment, FindingDecision};
use review_config::Overrides;
use review_engine::Replay;
use review_flow::hash_bytes;
use review_learning::collection::CommentKind;
use review_report::findings::{FindingList, finding, findings};
use review_store::{ConfineError, FileArtifact, RootPath, RunDir, StateDir};
use review_types::{ExitCode, Finding, FindingId, Hash, Outcome};

use crate::args::{FindingsCommand, ListFindingsArgs, PlainFormat, SettleArgs, ShowFindingArgs};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::learning::learn_speech;
use crate::output::Version;
use crate::runs::{FoundRun, replay, say, text_of};
use crate::target::open_root;

/// The number of runs in which a finding is looked for, the newest first.
const MAX_RUNS: usize = 50;

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
    let list = FindingList {
        v: Version,
        run: dir.id().clone(),
        findings: replay(&dir)?.report(&dir).ledger,
    };
    match args.format {
        PlainFormat::Json => context.streams.print_json(&list)?,
        PlainFormat::Human => context.streams.print(&findings(&list))?,
    }
    Ok(ExitCode::Passed)
}

fn show(context: &mut Context, args: &ShowFindingArgs) -> Ended {
    let state = state(context)?;
    let (_, _, found) = find(&state, &args.id)?;
    match args.format {
        PlainFormat::Json => context.streams.print_json(&found)?,
        PlainFormat::Human => context.streams.print(&finding(&found))?,
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
    let decision = FindingDecision {
        finding: finding.id.clone(),
        counts,
        by: text_of("--by", &args.by)?,
        why: text_of("--why", &args.why)?,
        text,
        severity: (!counts).then_some(finding.severity),
    };
    let why = decision.why.clone();
    say(&dir, &replayed, &Comment::Settled(decision))?;
    let (finding, issue) = (args.id.as_str(), finding.issue.as_str());
    let speech = match counts {
        true => CommentKind::Upheld { finding, issue },
        false => CommentKind::Waived { finding, issue },
    };
    learn_speech(context, &dir, &replayed, speech, &why);
    let run = FoundRun {
        dir,
        replay: replayed,
        name: None,
    };
    let told = match (run.dir.is_live(), run.replay.outcome()) {
        (true, _) => format!("run {} receives it at its next round\n", run.dir.id()),
        (false, Some(outcome @ (Outcome::Passed | Outcome::Approved))) => format!(
            "run {} is finished ({outcome}); the decision counts from the next run on\n",
            run.dir.id()
        ),
        (false, _) => format!("next:\n{}\n", run.resume(context)),
    };
    context.streams.print(&told)?;
    Ok(ExitCode::Passed)
}

/// Hash of the text at the place of a finding as it is now; `None` where it
/// has no file.
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
