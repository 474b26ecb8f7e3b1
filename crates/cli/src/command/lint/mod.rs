//! `ralph lint`: specs and tasks under the rules of the embedded reviewer.

mod checked;
mod fix;
mod human;
mod report;
mod select;

use std::path::PathBuf;

use review_lint::Safety;
use review_store::StateDir;
use review_types::{ExitCode, Verdict, plural};

use super::Ended;
use crate::args::{Format, LintArgs};
use crate::config::Overrides;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use checked::Checked;
use select::Selection;

pub(crate) use report::LintReport;

/// A tree of fixes that uncover each other is climbed so far.
const MAX_FIX_ROUNDS: usize = 10;

/// Checks what the arguments name and prints what was found.
pub(crate) fn run(context: &mut Context, args: &LintArgs) -> Ended {
    let selections = select::selections(context, &args.paths)?;
    let mut checked = Checked::default();
    let mut fails = false;
    for selection in &selections {
        let overrides = Overrides {
            fail_level: args.fail_level,
            ..Overrides::default()
        };
        let settings = context.settings(selection.root.path(), overrides)?;
        let state = StateDir::at(context.state_folder(&settings));
        let linting = Linting {
            search_path: context.environment.variable("PATH").map(PathBuf::from),
            settings: settings.lint(),
            state,
        };
        let mut own = linting.check(selection)?;
        if args.fix {
            let up_to = if args.unsafe_fixes {
                Safety::Unsafe
            } else {
                Safety::Safe
            };
            own = linting.fix(selection, own, up_to)?;
        }
        fails |= own
            .findings()
            .any(|finding| settings.fail_level.fails(finding.severity));
        checked.add(own);
    }
    print(context, args.format, &checked)?;
    Ok(match checked.verdict() {
        _ if fails => ExitCode::NotPassed,
        Some(Verdict::Pass | Verdict::NeedsRevision) => ExitCode::Passed,
        None => ExitCode::NoVerdict,
    })
}

fn print(context: &mut Context, format: Format, checked: &Checked) -> Result<(), CommandError> {
    let folder = context.environment.folder().to_owned();
    match format {
        Format::Human => context.streams.print(&human::render(checked, &folder))?,
        Format::Json => context.streams.print_json(&checked.report())?,
        Format::Jsonl => {
            for line in checked.report().into_lines()? {
                context.streams.print_json(&line)?;
            }
        }
    }
    if context.environment.is_set("GITHUB_ACTIONS") {
        context.streams.say(&human::annotations(checked, &folder));
    }
    Ok(())
}

/// How one root is checked.
struct Linting {
    search_path: Option<PathBuf>,
    settings: review_lint::Settings,
    state: StateDir,
}

impl Linting {
    fn check(&self, selection: &Selection) -> Result<Checked, CommandError> {
        let mut checked = Checked::default();
        for workspace in selection.workspaces(&self.state, self.search_path.as_deref())? {
            let report = review_lint::lint(&workspace, &self.settings);
            checked.push(selection.root.path(), workspace, report);
        }
        Ok(checked)
    }

    /// Applies fixes for as long as they leave less to find.
    fn fix(
        &self,
        selection: &Selection,
        mut checked: Checked,
        up_to: Safety,
    ) -> Result<Checked, CommandError> {
        let mut mended = 0;
        for _ in 0..MAX_FIX_ROUNDS {
            let count = fix::apply(&selection.root, &checked, up_to)?;
            if count == 0 {
                break;
            }
            mended += count;
            let before = checked.findings().count();
            checked = self.check(selection)?;
            if checked.findings().count() >= before {
                break;
            }
        }
        checked.mended = mended;
        Ok(checked)
    }
}

fn nothing_selected(what: impl Into<String>) -> CommandError {
    CommandError::new(ErrorKind::Nothing, what)
        .hint("name files or folders, or write a first spec with `ralph init`")
}

/// `3 findings, 1 mended` and the like.
fn counted(findings: usize, mended: usize) -> String {
    let findings = plural(findings, "finding", "findings");
    match mended {
        0 => findings,
        count => format!("{findings} left, {count} mended"),
    }
}
