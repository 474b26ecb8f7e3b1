//! `ralph gate`: what claims to be complete is proven, or it is not.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use review_agents::Chain;
use review_config::Setting;
use review_engine::gate::{Base, Gate, GateMode, HeldTask};
use review_engine::learn::active_prompts;
use review_engine::{EngineError, RunSettings};
use review_report::gate::{self, GateReport, SpecGate};
use review_report::{Styling, html, shown};
use review_store::StateDir;
use review_types::AllowedChange;

use crate::args::{LimitArgs, Output, count};
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::live::GateSink;
use crate::runs::replay;
use crate::runtime::Runtime;
use crate::target::SpecRoot;

/// Formats of `gate`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum GateFormat {
    /// Text for people.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// JUnit XML.
    Junit,
    /// Annotations of GitHub Actions.
    Github,
    /// Markdown, for the summary of a job or a comment.
    Markdown,
    /// SARIF 2.1.0, as code scanning reads it.
    Sarif,
    /// A report of code quality, as GitLab reads it.
    Gitlab,
    /// A page for a browser, in one file.
    Html,
}

#[derive(Debug, Args)]
pub(crate) struct GateArgs {
    /// The specs, or folders of roots [default: all].
    #[arg(value_name = "SPEC")]
    specs: Vec<String>,
    /// Use records only; run and review nothing.
    #[arg(long)]
    offline: bool,
    /// Check what this run left.
    #[arg(long, value_name = "RUN")]
    from_run: Option<String>,
    /// Fail also where a task does not claim to be complete.
    #[arg(long)]
    require_all: bool,
    /// Compare what decides, such as commands, listed tests and thresholds, with the
    /// commit that REF and HEAD have last had in common.
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// Let a difference from the base pass; may be given several times.
    #[arg(long, value_name = "CODE:SUBJECT", requires = "base")]
    allow: Vec<AllowedChange>,
    /// How many commands of independent tasks run at a time [default: 1].
    #[arg(long, value_name = "N", value_parser = count)]
    jobs: Option<NonZeroU32>,
    /// Who reviews what has no record, as for `ralph run`.
    #[arg(long, value_name = "BACKEND[,BACKEND]")]
    reviewer: Option<Chain>,
    /// What the check may use up.
    #[command(flatten)]
    limits: LimitArgs,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: GateFormat,
    /// Write a report to a file as well; may be given several times.
    #[arg(long, value_name = "FORMAT=PATH")]
    output: Vec<Output<GateFormat>>,
}

impl GateArgs {
    fn mode(&self) -> GateMode {
        match self.offline || self.from_run.is_some() {
            true => GateMode::Offline,
            false => GateMode::Verify,
        }
    }
}

/// What to do about a check that was cut off.
const AGAIN: &str = "run the gate again";

/// Carries out `gate`.
pub(crate) fn run(context: &mut Context, args: GateArgs) -> CommandResult {
    if args.format == GateFormat::Html {
        context.refuse_page()?;
    }
    let jobs = Setting::of_option("--jobs", "task.jobs", args.jobs);
    let reviewer = Setting::of_option("--reviewer", "reviewer", args.reviewer.as_ref());
    let limits = args.limits.overrides();
    let overrides: Vec<_> = limits.chain(jobs).chain(reviewer).collect();
    let report = match &args.from_run {
        Some(run) => from_run(context, run, &args)?,
        None => check_specs(context, &args, &overrides)?,
    };
    let checkout = context.environment.checkout();
    let render = |format, styling| render(&report, format, styling, checkout);
    let printed = match args.format {
        GateFormat::Human if context.is_quiet() => gate::brief(&report, Styling::Ansi),
        format => render(format, Styling::Ansi),
    };
    let written: Vec<_> = args
        .output
        .iter()
        .map(|output| (&output.path, render(output.format, Styling::Plain)))
        .collect();
    let annotations = gate::github(&report, checkout);
    match args.format {
        GateFormat::Github => context.streams.print_lines(&printed)?,
        _ => context.streams.print(&printed)?,
    }
    for (path, text) in written {
        let path = context.absolute(path);
        review_store::write_named(&path, text.as_bytes())?;
    }
    if context.environment.in_github_actions() && args.format != GateFormat::Github {
        context.streams.say_commands(&annotations);
    }
    Ok(report.exit_code())
}

/// Checks the specs that were named, or all that there are.
fn check_specs(
    context: &mut Context,
    args: &GateArgs,
    overrides: &[Setting],
) -> Result<GateReport, CommandError> {
    let runtime = Runtime::new(context)?;
    let mut report = GateReport::new(&context.given_options());
    let mut runs: BTreeMap<PathBuf, (RunSettings, Vec<HeldTask>)> = BTreeMap::new();
    let specs = context.specs(&args.specs)?;
    if specs.is_empty() {
        let root = context.current_root();
        report.suggest_first(context.import_hints(&root, &root));
    }
    let mut roots = BTreeMap::new();
    for spec in specs {
        let writes = args.mode() == GateMode::Verify;
        let root = SpecRoot::open(&mut roots, context, &spec, overrides, writes)?;
        let mut run = RunSettings::of(&root.settings, root.target(context, &spec)?);
        run.prompts = active_prompts(&root.path, &root.settings)?;
        let place = (&*root.path, root.state.clone());
        let checked = check(context, &runtime, args, place, &run)?;
        let runs = runs.entry(root.path.clone());
        let (_, held) = runs.or_insert_with(|| (run, Vec::new()));
        held.extend(held_tasks(&checked));
        let run = run_command(context, args, &checked);
        report.push(checked, run);
    }
    match &args.base {
        Some(base) => compare(
            context,
            (&runtime, args, overrides),
            (base, &runs),
            &mut report,
        )?,
        None => note_missing_base(context),
    }
    Ok(report)
}

/// Compares each root with the base of a change.
fn compare(
    context: &mut Context,
    (runtime, args, overrides): (&Runtime, &GateArgs, &[Setting]),
    (base, runs): (&str, &BTreeMap<PathBuf, (RunSettings, Vec<HeldTask>)>),
    report: &mut GateReport,
) -> Result<(), CommandError> {
    let roots: BTreeSet<PathBuf> = match args.specs.is_empty() {
        true => context.roots()?.into_iter().collect(),
        false => {
            let specs = context.specs(&args.specs)?;
            specs.iter().map(|spec| context.root_of(spec)).collect()
        }
    };
    if !context.streams.err.is_terminal() {
        context.streams.note(&format!("compares with {base}"));
    }
    let mut configs = BTreeMap::new();
    for root in roots {
        let config = context.settings(&root, overrides)?;
        configs.insert(root, config);
    }
    let are_all = args.specs.is_empty() && context.given_root().is_none();
    let current = context.current_root();
    for (root, config) in &configs {
        let state = context.existing_state(config, root)?;
        let request = Base {
            name: base,
            config,
            resolve: &|file| context.resolve(file, overrides),
            root: context.root_name(root),
            roots: (are_all && *root == current).then_some(&configs),
            settings: runs.get(root).map(|(run, _)| run).filter(|_| !args.offline),
            held: runs
                .get(root)
                .map_or_else(Vec::new, |(_, held)| held.clone()),
            allow: &args.allow,
        };
        let sink = GateSink::new(context);
        let compared =
            runtime.block_on(&context.environment, root, state, &sink, async |project| {
                request.compare(project).await
            })?;
        report.compare(compared?);
    }
    Ok(())
}

/// The tasks of a spec whose claims hold.
fn held_tasks(checked: &SpecGate) -> Vec<HeldTask> {
    let unit = checked.unit.as_deref().unwrap_or_default();
    let held = checked.tasks.iter().filter(|claim| claim.holds());
    held.filter_map(|claim| {
        Some(HeldTask {
            name: format!("{unit}/{}", claim.id?),
            spec: checked.spec.clone(),
        })
    })
    .collect()
}

/// Says in the CI of a change that nothing is compared with its base.
fn note_missing_base(context: &mut Context) {
    let targets = ["GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"];
    let is_ci = context.environment.is_ci();
    let target = targets
        .into_iter()
        .filter(|name| is_ci && context.environment.is_set(name))
        .find_map(|name| context.environment.variable(name));
    if let Some(target) = target {
        let note = format!(
            "what decides is compared with nothing: `--base origin/{}` compares it with the target \
             of this change",
            target.to_string_lossy()
        );
        context.streams.warn(&note);
    }
}

/// The command that reviews a spec and runs its tasks where the gate looked,
/// with the agents that the gate was given.
fn run_command(context: &Context, args: &GateArgs, checked: &SpecGate) -> String {
    let spec = if checked.folder == context.current_root() {
        checked.spec.clone()
    } else {
        let path = checked.folder.join(&checked.spec);
        shown(&context.environment.folder, &path)
    };
    match &args.reviewer {
        Some(reviewer) => {
            context.command(&["ralph", "run", &spec, "--reviewer", &reviewer.to_string()])
        }
        None => context.command(&["ralph", "run", &spec]),
    }
}

/// Checks a spec of a root.
fn check(
    context: &Context,
    runtime: &Runtime,
    args: &GateArgs,
    (root, state): (&Path, StateDir),
    run: &RunSettings,
) -> Result<SpecGate, CommandError> {
    let (environment, sink) = (&context.environment, GateSink::new(context));
    let checked = runtime.block_on(environment, root, state, &sink, async |project| {
        let gate = Gate {
            project,
            mode: args.mode(),
            require_all: args.require_all,
            root: context.root_name(root),
        };
        gate.check(run).await
    })?;
    checked.map_err(|error| match error {
        EngineError::Interrupted(_) => runtime.interruption().hint(AGAIN),
        error @ EngineError::Broken { .. } => CommandError::from(error).hint(AGAIN),
        error => error.into(),
    })
}

/// Checks what one run left: its own outcome, and that records still prove it.
fn from_run(context: &mut Context, run: &str, args: &GateArgs) -> Result<GateReport, CommandError> {
    let dir = context.find_run(run)?;
    let replayed = replay(&dir)?;
    let root = Path::new(&replayed.input.root);
    let runtime = Runtime::new(context)?;
    let outcome = replayed.outcome();
    let place = (root, dir.state());
    let mut checked = check(context, &runtime, args, place, &replayed.settings)?;
    checked.hold_to(dir.id(), outcome);
    let run = run_command(context, args, &checked);
    let mut report = GateReport::new(&context.given_options());
    report.push(checked, run);
    Ok(report)
}

/// The report in a format. Annotations, and formats like them, show paths as seen from
/// `checkout`.
fn render(report: &GateReport, format: GateFormat, styling: Styling, checkout: &Path) -> String {
    match format {
        GateFormat::Human => gate::human(report, styling),
        GateFormat::Junit => gate::junit(report),
        GateFormat::Json => review_report::json(report),
        GateFormat::Github => gate::github(report, checkout),
        GateFormat::Markdown => gate::markdown(report),
        GateFormat::Sarif => gate::sarif(report, checkout),
        GateFormat::Gitlab => gate::gitlab(report, checkout),
        GateFormat::Html => html::gate(report),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_a_format_and_a_path() {
        assert_eq!(
            "junit=a=b.xml".parse(),
            Ok(Output {
                format: GateFormat::Junit,
                path: "a=b.xml".into()
            })
        );
        for (text, message) in [
            (
                "junit",
                "write FORMAT=PATH, with one of human, json, junit, github, markdown, sarif, gitlab, html",
            ),
            (
                "junit=",
                "write FORMAT=PATH, with one of human, json, junit, github, markdown, sarif, gitlab, html",
            ),
            (
                "xml=a",
                "\"xml\" is not a valid format; use human, json, junit, github, markdown, sarif, gitlab, html",
            ),
        ] {
            assert_eq!(text.parse::<Output<GateFormat>>(), Err(message.to_owned()));
        }
    }
}
