//! `ralph lint`: specs and tasks under the rules of the embedded reviewer.

mod checked;
mod diff;
mod fix;
mod linting;
mod select;
mod stdin;
mod watch;

use std::path::PathBuf;

use review_config::Overrides;
use review_lint::Safety;
use review_report::{Styling, lint};
use review_store::{Overlay, StateDir};
use review_types::{ExitCode, Verdict};

use crate::args::{LintArgs, LintFormat};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use checked::Checked;
use fix::{Fixes, fix};
use linting::Linting;
use select::Selection;

/// What is done with fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// They are told.
    Check,
    /// They are applied.
    Fix,
    /// What they would change is shown.
    Diff,
}

impl Mode {
    fn of(args: &LintArgs) -> Self {
        match args {
            LintArgs { diff: true, .. } => Self::Diff,
            LintArgs { fix: true, .. } => Self::Fix,
            LintArgs { .. } => Self::Check,
        }
    }
}

/// Checks what the arguments name and prints what was found.
pub(crate) fn run(context: &mut Context, args: &LintArgs) -> Ended {
    if args.diff && args.format != LintFormat::Human {
        let message = "--diff prints a unified diff, so it allows no --format";
        return Err(CommandError::new(ErrorKind::Usage, message));
    }
    if args.watch {
        return watch::run(context, args);
    }
    if let Some(path) = &args.stdin_path {
        return stdin::run(context, args, path);
    }
    let selections = select::selections(context, &args.paths)?;
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
        tell_refused(context, &fixes);
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
    Ok(exit_code(&all, fails))
}

fn linting<'a>(
    context: &mut Context,
    args: &LintArgs,
    selection: &'a Selection,
) -> Result<Linting<'a>, CommandError> {
    let overrides = Overrides {
        fail_level: args.fail_level,
        ..Overrides::default()
    };
    let settings = context.settings(selection.root.path(), overrides)?;
    Ok(Linting {
        selection,
        settings: settings.lint(&[args.rules.choice()]),
        fail_level: settings.fail_level,
        state: StateDir::at(context.state_folder(&settings)),
        search_path: context.environment.variable("PATH").map(PathBuf::from),
        only: None,
    })
}

fn up_to(args: &LintArgs) -> Safety {
    if args.unsafe_fixes {
        Safety::Unsafe
    } else {
        Safety::Safe
    }
}

fn tell_refused(context: &mut Context, fixes: &Fixes) {
    if fixes.refused > 0 {
        let fixes = review_types::plural(fixes.refused, "fix was", "fixes were");
        context.streams.warn(&format!(
            "{fixes} left out, since what is found would weigh no less"
        ));
    }
}

fn exit_code(checked: &Checked, fails: bool) -> ExitCode {
    match checked.verdict() {
        _ if fails => ExitCode::NotPassed,
        Some(Verdict::Pass | Verdict::NeedsRevision) => ExitCode::Passed,
        None => ExitCode::NoVerdict,
    }
}

fn tell_left_out(context: &mut Context, checked: &Checked) {
    for (rule, count) in checked.left_out() {
        let findings = review_types::plural(count, "further finding", "further findings");
        context.streams.warn(&format!(
            "{findings} of {rule} left out, of a file with many; mend some, then run again"
        ));
    }
}

fn print(context: &mut Context, format: LintFormat, checked: &Checked) -> Result<(), CommandError> {
    tell_left_out(context, checked);
    let (folder, checkout) = (context.environment.folder(), context.environment.checkout());
    let report = checked.report(folder);
    let annotations = || lint::github(&report, checkout);
    let streams = &mut context.streams;
    match format {
        LintFormat::Human => streams.print(&lint::human(&report, folder, Styling::Ansi))?,
        LintFormat::Json => streams.print_lines(lint::json(&report))?,
        LintFormat::Jsonl => streams.print_lines(lint::jsonl(&report))?,
        LintFormat::Sarif => streams.print_lines(lint::sarif(&report, checkout))?,
        LintFormat::Github => return streams.print_raw(annotations().as_bytes()),
    }
    if context.environment.in_github_actions() {
        streams.say(&annotations());
    }
    Ok(())
}
