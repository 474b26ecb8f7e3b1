//! `ralph findings`.

use std::path::Path;

use clap::{Args, Subcommand, ValueEnum};
use review::Artifact as _;
use review::people::{Comment, FindingDecision};
use review_engine::learn::find_by_id;
use review_engine::{Purpose, Replay, pending_decisions};
use review_flow::hash_bytes;
use review_learning::collection::CommentKind;
use review_report::findings::{
    FindingList, PendingDecision, decided, finding, findings, gitlab, sarif,
};
use review_report::{NextStep, next_steps};
use review_store::{FileArtifact, Root, RootPath, RunDir};
use review_types::{ExitCode, Finding, FindingStatus, Hash, Outcome};

use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::learning::learn_speech;
use crate::runs::{FoundRun, replay, say, text_of};

/// Formats of `findings list`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingsFormat {
    /// Text for people.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// SARIF 2.1.0 with all that are not fixed, as code scanning reads it.
    Sarif,
    /// A report of code quality with all that are neither fixed nor waived, as GitLab
    /// reads it.
    Gitlab,
}

/// What is done with findings.
#[derive(Debug, Subcommand)]
pub(crate) enum FindingsCommand {
    /// List the findings of a run, those that were raised last first.
    List(ListFindingsArgs),
    /// Show a finding with its history.
    Show(ShowFindingArgs),
    /// Decide that a finding does not count, in the words that are shown and as
    /// long as the document stays as it is there.
    Waive(SettleArgs),
    /// Decide that a finding counts, against the applier or an earlier waiver.
    Uphold(SettleArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ListFindingsArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder.
    #[arg(default_value = "latest")]
    run: String,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: FindingsFormat,
}

/// Reads the id of a finding, or the beginning of it, with or without `f-`.
fn finding_prefix(text: &str) -> Result<String, &'static str> {
    let digits = text.strip_prefix("f-").unwrap_or(text).to_ascii_lowercase();
    let is_short = (1..=12).contains(&digits.len());
    match is_short && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(format!("f-{digits}")),
        false => Err("must be the id of a finding, such as f-0123456789ab, or its beginning"),
    }
}

#[derive(Debug, Args)]
pub(crate) struct ShowFindingArgs {
    /// The finding: its id, or the beginning of it; the newest run that has it is
    /// shown.
    #[arg(value_name = "ID", value_parser = finding_prefix)]
    id: String,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

#[derive(Debug, Args)]
pub(crate) struct SettleArgs {
    /// The finding: its id, or the beginning of it.
    #[arg(value_name = "ID", value_parser = finding_prefix)]
    id: String,
    /// Who decides [default: the user of this computer].
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    why: String,
}

/// The number of runs in which a finding is looked for, the newest first.
const MAX_RUNS: usize = 50;

/// Carries out `findings`.
pub(crate) fn run(context: &mut Context, command: FindingsCommand) -> CommandResult {
    match command {
        FindingsCommand::List(args) => list(context, &args),
        FindingsCommand::Show(args) => show(context, &args),
        FindingsCommand::Waive(args) => settle(context, &args, false),
        FindingsCommand::Uphold(args) => settle(context, &args, true),
    }
}

fn list(context: &mut Context, args: &ListFindingsArgs) -> CommandResult {
    let dir = context.find_run(&args.run)?;
    let replayed = replay(&dir)?;
    let report = replayed.report(&dir);
    let list = FindingList {
        run: dir.id().clone(),
        pending: pending(&dir, &replayed, &report.ledger)?,
        findings: report.ledger.clone(),
        are_followed: replayed.settings.convergence().is_some(),
    };
    let root = Path::new(&replayed.input.root);
    match args.format {
        FindingsFormat::Json => context.streams.print_report(&list)?,
        FindingsFormat::Human => {
            context.note_root(root);
            context.streams.print(&findings(&list))?;
        }
        FindingsFormat::Sarif => {
            let log = sarif(&list, &report, root, context.environment.checkout());
            context.streams.print_lines(log)?;
        }
        FindingsFormat::Gitlab => {
            let entries = gitlab(&list, &report, root, context.environment.checkout());
            context.streams.print_lines(entries)?;
        }
    }
    Ok(ExitCode::Passed)
}

fn show(context: &mut Context, args: &ShowFindingArgs) -> CommandResult {
    let (run, found) = find(context, &args.id)?;
    if args.format == PlainFormat::Human {
        context.note_root(Path::new(&run.replay.input.root));
    }
    let pending = pending(&run.dir, &run.replay, std::slice::from_ref(&found))?;
    context.show(args.format, &found, |found| finding(found, pending.first()))
}

fn settle(context: &mut Context, args: &SettleArgs, counts: bool) -> CommandResult {
    context.refuse_to_agents()?;
    let (run, finding) = find(context, &args.id)?;
    let text = match counts {
        true => None,
        false => text_at(&run.replay, &finding)?,
    };
    let why = text_of("--why", &args.why)?;
    let decision = FindingDecision {
        finding: finding.id.clone(),
        counts,
        by: context.decider(args.by.as_deref())?,
        why: why.clone(),
        text,
        severity: (!counts).then_some(finding.severity),
    };
    say(&run.dir, &run.replay, &Comment::Settled(decision))?;
    let decided = decided(&finding, counts);
    let (finding, issue) = (finding.id.as_str(), finding.issue.as_str());
    let speech = match counts {
        true => CommentKind::Upheld { finding, issue },
        false => CommentKind::Waived { finding, issue },
    };
    learn_speech(context, &run.dir, &run.replay, speech, &why);
    let effect = effect(context, &run);
    context.streams.print(&(decided + &effect))?;
    Ok(ExitCode::Passed)
}

/// From when on a decision on a finding counts, and the command that leads there.
fn effect(context: &Context, run: &FoundRun) -> String {
    let id = run.dir.id().short();
    let has_passed = matches!(
        run.replay.outcome(),
        Some(Outcome::Passed | Outcome::Approved)
    );
    if run.dir.is_live() {
        format!("run {id} receives it at its next round\n")
    } else if has_passed || !run.replay.settings.apply {
        let spec = run.replay.settings.target.spec();
        format!("it counts in the next run of {spec}\n")
    } else {
        let resume = NextStep::by_command("go on with the run", run.resume(context));
        "it counts from the next round on\n".to_owned() + &next_steps(&[resume], None)
    }
}

/// The decisions that no round has taken in. A waiver whose place has changed
/// takes no effect.
fn pending(
    dir: &RunDir,
    replayed: &Replay,
    findings: &[Finding],
) -> Result<Vec<PendingDecision>, CommandError> {
    let decisions = pending_decisions(dir, &replayed.settings.target, findings)?;
    let holds = |decision: &FindingDecision| {
        let mut about = findings.iter();
        let finding = about.find(|finding| finding.id == decision.finding);
        let text = finding.and_then(|finding| text_at(replayed, finding).ok());
        decision.text.is_none() || text.is_none_or(|text| text == decision.text)
    };
    let decisions = decisions.into_iter().filter(holds);
    let pending = decisions.map(|decision| PendingDecision {
        status: match decision.counts {
            true => FindingStatus::Open,
            false => FindingStatus::Waived,
        },
        finding: decision.finding,
        by: decision.by,
        why: decision.why,
    });
    Ok(pending.collect())
}

/// Hash of the content at the place of a finding as it is now; `None` where it
/// has no file.
fn text_at(replayed: &Replay, finding: &Finding) -> Result<Option<Hash>, CommandError> {
    let place = &finding.place;
    let Some(path) = &place.path else {
        return Ok(None);
    };
    let root = Root::open(Path::new(&replayed.input.root))?;
    let artifact = FileArtifact::file(root, RootPath::new(path)?);
    let text = artifact.read(path)?;
    let mut sections = artifact.sections(path, &text).into_iter();
    let section = sections.find(|section| section.headings == place.headings);
    let span = section.map_or(0..text.len(), |section| section.span);
    Ok(text.get(span).map(hash_bytes))
}

/// The newest run that has a finding whose id starts so, and the finding. Runs of a
/// gate are left out: they cannot be resumed.
fn find(context: &mut Context, id: &str) -> Result<(FoundRun, Finding), CommandError> {
    let runs = context.runs()?.into_iter();
    let runs = runs.filter_map(|(_, dir)| FoundRun::at(context, dir).ok());
    let works = runs.filter(|run| run.replay.settings.purpose == Purpose::Work);
    for run in works.take(MAX_RUNS) {
        let ledger = run.replay.report(&run.dir).ledger;
        if let Some(found) = find_by_id(id, ledger, |finding| finding.id.as_str())? {
            return Ok((run, found));
        }
    }
    let message = format!("no finding {id} in the last {MAX_RUNS} runs");
    Err(CommandError::new(message).hint("list them with `ralph findings list`"))
}
