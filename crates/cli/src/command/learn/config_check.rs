//! `ralph learn config check`.

use std::path::{Path, PathBuf};

use review_config::LearningDocument;
use review_learning::object::Diagnostic;
use review_types::ExitCode;
use serde::Serialize;

use super::Ended;
use crate::args::{CheckLearningArgs, PlainFormat};
use crate::command::diagnostics::rendered;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::learning::FILE;
use crate::location::shown;
use crate::output::style::{ERROR, GOOD, RESET};
use crate::output::{Version, printable};

/// The result of `learn config check --format json`.
#[derive(Serialize)]
struct Report {
    v: Version,
    files: Vec<FileReport>,
    /// The file that runs learn by, if there is one.
    used: Option<String>,
}

/// What is known of a file.
#[derive(Serialize)]
struct FileReport {
    path: String,
    count: u32,
    valid: u32,
    diagnostics: Vec<Diagnostic>,
}

/// Checks the files that are named, or those of the root.
pub(super) fn run(context: &mut Context, args: &CheckLearningArgs) -> Ended {
    let config_file = context.config_file(&context.current_root());
    let yaml_file = context.current_root().join(FILE);
    let is_named = !args.files.is_empty();
    let paths: Vec<PathBuf> = if is_named {
        args.files
            .iter()
            .map(|file| context.absolute(file))
            .collect()
    } else {
        let found = [config_file.clone(), yaml_file].into_iter();
        found.filter(|path| path.is_file()).collect()
    };
    let mut files = Vec::new();
    for path in &paths {
        let is_toml = *path == config_file || path.extension().is_some_and(|it| it == "toml");
        files.extend(checked(context, path, is_toml)?);
    }
    let used = files.first().map(|file| file.path.clone());
    let report = Report {
        v: Version,
        used: used.filter(|_| !is_named),
        files,
    };
    match args.format {
        PlainFormat::Human => context.streams.print(&human(&report, is_named))?,
        PlainFormat::Json => context.streams.print_json(&report)?,
    }
    let is_valid = report.files.iter().all(|file| file.valid == file.count);
    Ok(if is_valid {
        ExitCode::Passed
    } else {
        ExitCode::NotPassed
    })
}

/// What is known of a file; nothing if it holds no configuration of learning.
fn checked(
    context: &Context,
    path: &Path,
    is_toml: bool,
) -> Result<Option<FileReport>, CommandError> {
    let name = shown(context.environment.folder(), path);
    let text = std::fs::read_to_string(path).map_err(|error| {
        CommandError::new(ErrorKind::Input, format!("cannot read {name}")).source(error)
    })?;
    let document = if is_toml {
        LearningDocument::of_toml(&text)
    } else {
        Some(LearningDocument::of_yaml(&text))
    };
    Ok(document.map(|document| FileReport {
        path: name,
        count: 1,
        valid: u32::from(document.config.is_some()),
        diagnostics: document.diagnostics,
    }))
}

fn human(report: &Report, is_named: bool) -> String {
    let mut text = String::new();
    for file in &report.files {
        for diagnostic in &file.diagnostics {
            text.push_str(&rendered(&file.path, diagnostic));
        }
        let state = if file.valid == file.count {
            format!("{GOOD}valid{RESET}")
        } else {
            format!("{ERROR}not valid{RESET}")
        };
        text.push_str(&format!("{}: {state}\n", printable(&file.path)));
    }
    match (report.files.as_slice(), &report.used) {
        ([], _) => text.push_str(&format!(
            "nothing is learned: there is no {FILE}, and no table [learning] in ralph.toml\n"
        )),
        ([_, unused, ..], Some(used)) => text.push_str(&format!(
            "{} is used; {} is not read\n",
            printable(used),
            printable(&unused.path)
        )),
        ([_, ..], Some(used)) if !is_named => {
            text.push_str(&format!("{} is used\n", printable(used)));
        }
        ([_, ..], _) => {}
    }
    text
}
