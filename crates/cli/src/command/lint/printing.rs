//! What the forms of `ralph lint` have in common.

use std::path::PathBuf;

use review_config::Setting;
use review_engine::lint::{Checked, Fixes, Linting, Selection};
use review_lint::Safety;
use review_report::{Styling, lint, shown};
use review_types::{ExitCode, Verdict, plural};

use super::{LintArgs, LintFormat};
use crate::context::Context;
use crate::error::CommandError;

/// What is done with fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// They are reported.
    Check,
    /// They are applied.
    Fix,
    /// What they would change is shown.
    Diff,
}

impl Mode {
    /// What the arguments ask for.
    pub(super) fn of(args: &LintArgs) -> Self {
        match args {
            LintArgs { diff: true, .. } => Self::Diff,
            LintArgs { fix: true, .. } => Self::Fix,
            LintArgs { .. } => Self::Check,
        }
    }
}

/// The files that the arguments name, by root; without any those of the current root
/// and of `nested` ones.
pub(super) fn selections(
    context: &Context,
    args: &LintArgs,
    nested: &[PathBuf],
) -> Result<Vec<Selection>, CommandError> {
    let (folder, root) = (context.environment.folder(), context.given_root());
    let selections = review_engine::lint::selections(&args.paths, folder, root, nested);
    Ok(selections?)
}

/// Checks the files of a selection by the configuration of their root.
pub(super) fn linting<'a>(
    context: &mut Context,
    args: &LintArgs,
    selection: &'a Selection,
) -> Result<Linting<'a>, CommandError> {
    let fail_level = Setting::of_option("--fail-level", "lint.fail_level", args.fail_level);
    let settings = context.settings(selection.root.path(), fail_level.as_slice())?;
    Ok(Linting {
        selection,
        settings: settings.lint(&[args.rules.choice()]),
        fail_level: settings.lint.fail_level,
        state: context.state_for_reading(&settings, selection.root.given()),
        search_path: context.environment.variable("PATH").map(PathBuf::from),
        only: None,
    })
}

/// The fixes that may be applied.
pub(super) fn up_to(args: &LintArgs) -> Safety {
    if args.unsafe_fixes {
        Safety::Unsafe
    } else {
        Safety::Safe
    }
}

/// Warns of fixes that were left out.
pub(super) fn warn_of_refused(context: &mut Context, fixes: &Fixes) {
    if fixes.refused > 0 {
        let fixes = review_types::plural(fixes.refused, "fix was", "fixes were");
        context.streams.warn(&format!(
            "{fixes} left out, since what is found would weigh no less"
        ));
    }
}

/// The exit code of what was found.
pub(super) fn exit_code(checked: &Checked, fails: bool) -> ExitCode {
    match checked.verdict() {
        _ if fails => ExitCode::NotPassed,
        Some(Verdict::Pass | Verdict::NeedsRevision) => ExitCode::Passed,
        None => ExitCode::NoVerdict,
    }
}

fn warn_of_left_out(context: &mut Context, checked: &Checked) {
    for (rule, count) in checked.left_out() {
        let findings = review_types::plural(count, "further finding", "further findings");
        context.streams.warn(&format!(
            "{findings} of {rule} left out, of a file with many; fix some, then run again"
        ));
    }
}

/// Notes the specs that are named and checked without their units.
pub(super) fn note_alone(context: &mut Context, selections: &[Selection]) {
    let paths = |selection: &Selection| {
        let root = selection.root.path().to_owned();
        let alone = selection.alone.clone().into_iter();
        alone.map(move |alone| (root.join(&alone.spec), root.join(&alone.dir), alone.files))
    };
    let all: Vec<_> = selections.iter().flat_map(paths).collect();
    let folder = context.environment.folder();
    let note = match &all[..] {
        [] => return,
        [(spec, dir, files)] => {
            let paths = [spec, dir].map(|path| shown(folder, path));
            let command = shell_words::join(paths);
            let files = plural(*files, "file of its unit was", "files of its unit were");
            format!("{files} not checked; `ralph lint {command}` checks all")
        }
        several => {
            let files = several.iter().map(|(_, _, files)| files).sum();
            let files = plural(files, "file", "files");
            let units = several.len();
            format!("{files} of {units} units were not checked; `ralph lint` checks all")
        }
    };
    context.streams.note(&note);
}

/// Prints what was found.
pub(super) fn print(
    context: &mut Context,
    format: LintFormat,
    checked: &Checked,
) -> Result<(), CommandError> {
    warn_of_left_out(context, checked);
    let (folder, checkout) = (context.environment.folder(), context.environment.checkout());
    let report = checked.report(folder);
    let annotations = || lint::github(&report, checkout);
    let human = match context.is_quiet() {
        true => lint::brief,
        false => lint::human,
    };
    let streams = &mut context.streams;
    match format {
        LintFormat::Human => streams.print(&human(&report, folder, Styling::Ansi))?,
        LintFormat::Json => streams.print_lines(lint::json(&report))?,
        LintFormat::Jsonl => streams.print_lines(lint::jsonl(&report))?,
        LintFormat::Sarif => streams.print_lines(lint::sarif(&report, checkout))?,
        LintFormat::Gitlab => streams.print_lines(lint::gitlab(&report, checkout))?,
        LintFormat::Github => return streams.print_commands(&annotations()),
    }
    if context.environment.in_github_actions() {
        streams.say_commands(&annotations());
    }
    Ok(())
}
