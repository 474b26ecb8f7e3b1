//! `ralph lint`: specs and tasks under the rules of the embedded reviewer.

mod diff;
mod printing;
mod stdin;

use std::path::PathBuf;
use std::str::FromStr;

use clap::{ArgGroup, Args, ValueEnum};
use review_config::FailLevel;
use review_engine::UNREADABLE_HINT;
use review_engine::lint::{Checked, Fixes, fix};
use review_lint::{RuleChoice, Selection, Selector, UnknownRule};
use review_store::Overlay;

use crate::args::{FAIL_LEVEL, one_of};
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use printing::{Mode, exit_code, linting, note_alone, print, selections, up_to, warn_of_refused};

/// Formats of `lint`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LintFormat {
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
#[command(group = ArgGroup::new("fixing").args(["fix", "diff"]).multiple(true))]
pub(crate) struct LintArgs {
    /// Files and folders [default: specs and tasks of the root and of those below
    /// it].
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The lowest severity that makes the exit code 1 [default: error]; the
    /// verdict alone never does, so needs_revision by scores without such a
    /// finding exits 0.
    #[arg(long, value_name = "LEVEL", value_parser = one_of(FAIL_LEVEL))]
    fail_level: Option<FailLevel>,
    /// Which rules are on.
    #[command(flatten)]
    rules: RuleArgs,
    /// Apply the safe fixes.
    #[arg(long)]
    fix: bool,
    /// Print as a unified diff what --fix would change, and change nothing; the
    /// exit code is 1 if there is anything to change. Allows no --format.
    #[arg(long)]
    diff: bool,
    /// With --fix or --diff, apply also fixes that touch commands,
    /// dependencies or ids, or that delete text.
    #[arg(long, requires = "fixing")]
    unsafe_fixes: bool,
    /// Check standard input as if it were the file PATH; with --fix, print it
    /// fixed.
    #[arg(long, value_name = "PATH", conflicts_with = "paths")]
    stdin_path: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: LintFormat,
}

/// Which rules are on.
#[derive(Debug, Args)]
pub(crate) struct RuleArgs {
    /// Rules that are on, in place of what the configuration says: codes,
    /// names, groups such as B, or ALL; separated by commas. +B adds to them.
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = selector::<Selection>)]
    select: Option<Vec<Selection>>,
    /// Rules that are off.
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = selector::<Selector>)]
    ignore: Vec<Selector>,
}

impl RuleArgs {
    /// What they say.
    pub(crate) fn choice(&self) -> RuleChoice {
        RuleChoice {
            select: self.select.clone(),
            ignore: self.ignore.clone(),
        }
    }
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

/// Checks what the arguments name and prints what was found.
pub(crate) fn run(context: &mut Context, args: &LintArgs) -> CommandResult {
    if args.diff && args.format != LintFormat::Human {
        let message = "--diff prints a unified diff, so it allows no --format";
        return Err(CommandError::new(message));
    }
    if let Some(path) = &args.stdin_path {
        return stdin::run(context, args, path);
    }
    let nested = match args.paths.is_empty() {
        true => context.nested_roots()?,
        false => Vec::new(),
    };
    let selections = selections(context, args, &nested)?;
    let mut all = Checked::default();
    let mut fails = false;
    let mut files = Vec::new();
    for selection in &selections {
        let linting = linting(context, args, selection)?;
        let nothing = Overlay::default();
        let checked = linting.check(&nothing)?;
        let fixes = match Mode::of(args) {
            Mode::Check => Fixes::none(checked),
            Mode::Fix | Mode::Diff => fix(&linting, nothing, checked, up_to(args))?,
        };
        warn_of_refused(context, &fixes);
        if Mode::of(args) == Mode::Fix {
            for file in &fixes.files {
                file.write(&selection.root)?;
            }
        }
        fails |= linting.fails(&fixes.checked);
        let root = selection.root.path();
        files.extend(fixes.files.into_iter().map(|file| (root, file)));
        all.add(fixes.checked);
    }
    if Mode::of(args) == Mode::Diff {
        let files = files.iter().map(|(root, file)| (*root, file));
        return diff::print(context, files, all.fixed);
    }
    print(context, args.format, &all)?;
    note_alone(context, &selections);
    if !all.unreadable.is_empty() {
        let message = all.unreadable.join("; ");
        return Err(CommandError::new(message).hint(UNREADABLE_HINT));
    }
    Ok(exit_code(&all, fails))
}
