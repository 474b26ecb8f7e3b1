//! `ralph lint`: specs and tasks under the rules of the embedded reviewer.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, ValueEnum};
use review_config::{FailLevel, Setting};
use review_engine::UNREADABLE_HINT;
use review_engine::lint::{Checked, Fixes, Linting, Selection, fix, selections};
use review_lint::{RuleChoice, Safety, Selection as RuleSelection, Selector, UnknownRule};
use review_report::{Styling, lint};
use review_store::{Overlay, Root};
use review_types::{ExitCode, Verdict, plural};

use super::input::Input;
use crate::args::one_of;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};

/// Formats of `lint`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LintFormat {
    /// Text for people, with the lines in question.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// One JSON object a finding, then one with all the rest.
    Jsonl,
    /// Annotations of GitHub Actions.
    Github,
    /// SARIF 2.1.0, as code scanning reads it.
    Sarif,
    /// A report of code quality, as GitLab reads it.
    Gitlab,
}

#[derive(Debug, Args)]
pub(crate) struct LintArgs {
    /// Files and folders [default: specs and tasks of the root and of those below
    /// it].
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The lowest severity that makes the exit code 1 [default: error]; the
    /// verdict alone never does, so needs_revision by scores without such a
    /// finding exits 0.
    #[arg(long, value_name = "LEVEL", value_parser = one_of::<FailLevel>(FailLevel::WORDS))]
    fail_level: Option<FailLevel>,
    /// Rules that are on, in place of those of the configuration: codes,
    /// names, groups such as B, or ALL; separated by commas. +B adds to them.
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = selector::<RuleSelection>)]
    select: Option<Vec<RuleSelection>>,
    /// Rules that are off.
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = selector::<Selector>)]
    ignore: Vec<Selector>,
    /// Apply the safe fixes.
    #[arg(long)]
    fix: bool,
    /// Apply also fixes that touch commands, dependencies or ids, or that delete text.
    #[arg(long, requires = "fix")]
    unsafe_fixes: bool,
    /// Check standard input as if it were the file PATH.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["paths", "fix"])]
    stdin_path: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: LintFormat,
}

fn selector<S: FromStr<Err = UnknownRule>>(word: &str) -> Result<S, String> {
    word.parse().map_err(|unknown: UnknownRule| {
        let hint = match unknown.nearest.first() {
            Some(name) => format!("did you mean {name}?"),
            None => "`ralph explain` lists the rules".to_owned(),
        };
        format!("{unknown}; {hint}")
    })
}

/// The largest text that is read; a larger file would not be either.
const MAX_TEXT: u64 = 64 << 20;

/// Checks what the arguments name and prints what was found.
pub(crate) fn run(context: &mut Context, args: &LintArgs) -> CommandResult {
    if let Some(path) = &args.stdin_path {
        return check_input(context, args, path);
    }
    let nested = match args.paths.is_empty() {
        true => context.nested_roots()?,
        false => Vec::new(),
    };
    let (folder, root) = (&context.environment.folder, context.given_root());
    let selections = selections(&args.paths, folder, root, &nested)?;
    let mut all = Checked::default();
    let mut fails = false;
    for selection in &selections {
        let linting = linting(context, args, selection)?;
        let nothing = Overlay::default();
        let checked = linting.check(&nothing)?;
        let fixes = match (args.fix, args.unsafe_fixes) {
            (false, _) => Fixes::none(checked),
            (true, false) => fix(&linting, nothing, checked, Safety::Safe)?,
            (true, true) => fix(&linting, nothing, checked, Safety::Unsafe)?,
        };
        if fixes.refused > 0 {
            let refused = plural(fixes.refused, "fix was", "fixes were");
            let why = "since what is found would weigh no less";
            context.streams.warn(&format!("{refused} left out, {why}"));
        }
        for file in &fixes.files {
            file.write(&selection.root)?;
        }
        fails |= linting.fails(&fixes.checked);
        all.add(fixes.checked);
    }
    print(context, args.format, &all)?;
    if !all.unreadable.is_empty() {
        let message = all.unreadable.join("; ");
        return Err(CommandError::new(message).hint(UNREADABLE_HINT));
    }
    Ok(exit_code(&all, fails))
}

/// Checks standard input in the place of `path`, with all other files as they are on disk.
fn check_input(context: &mut Context, args: &LintArgs, path: &Path) -> CommandResult {
    let path = context.absolute(path);
    let root = context.root_of(&path);
    let file = Root::open(&root)?.relative(&path)?;
    let text = Input::standard().whole(MAX_TEXT)?;
    let mut overlay = Overlay::default();
    overlay.insert(file.clone(), text.as_slice());
    let selection = Selection::of_text(&root, path, &overlay)?;
    let mut linting = linting(context, args, &selection)?;
    linting.only = Some(file.to_string());
    let checked = linting.check(&overlay)?;
    print(context, args.format, &checked)?;
    Ok(exit_code(&checked, linting.fails(&checked)))
}

/// Checks the files of a selection by the configuration of their root.
fn linting<'a>(
    context: &mut Context,
    args: &LintArgs,
    selection: &'a Selection,
) -> Result<Linting<'a>, CommandError> {
    let fail_level = Setting::of_option("--fail-level", "lint.fail_level", args.fail_level);
    let settings = context.settings(selection.root.path(), fail_level.as_slice())?;
    let rules = RuleChoice {
        select: args.select.clone(),
        ignore: args.ignore.clone(),
    };
    Ok(Linting {
        selection,
        settings: settings.lint(&[rules]),
        fail_level: settings.lint.fail_level,
        state: context.state_for_reading(&settings, selection.root.given()),
        search_path: context.environment.variable("PATH").map(PathBuf::from),
        only: None,
    })
}

/// The exit code of what was found.
fn exit_code(checked: &Checked, fails: bool) -> ExitCode {
    match checked.verdict() {
        _ if fails => ExitCode::NotPassed,
        Some(Verdict::Pass | Verdict::NeedsRevision) => ExitCode::Passed,
        None => ExitCode::NoVerdict,
    }
}

/// Prints what was found.
fn print(context: &mut Context, format: LintFormat, checked: &Checked) -> Result<(), CommandError> {
    for (rule, count) in checked.left_out() {
        let findings = plural(count, "further finding", "further findings");
        let what = format!("{findings} of {rule} left out, of a file with many");
        context
            .streams
            .warn(&format!("{what}; fix some, then run again"));
    }
    let (folder, checkout) = (&context.environment.folder, context.environment.checkout());
    let report = checked.report(folder);
    let annotations = || lint::github(&report, checkout);
    let human = match context.is_quiet() {
        true => lint::brief,
        false => lint::human,
    };
    let streams = &mut context.streams;
    match format {
        LintFormat::Human => streams.print(&human(&report, folder, Styling::Ansi))?,
        LintFormat::Json => streams.print_report(&report)?,
        LintFormat::Jsonl => streams.print_lines(lint::jsonl(&report))?,
        LintFormat::Sarif => streams.print_lines(lint::sarif(&report, checkout))?,
        LintFormat::Gitlab => streams.print_lines(lint::gitlab(&report, checkout))?,
        LintFormat::Github => return streams.print_lines(annotations()),
    }
    if context.environment.in_github_actions() {
        streams.say_commands(&annotations());
    }
    Ok(())
}
