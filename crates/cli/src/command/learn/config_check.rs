//! `ralph learn config check`.

use std::path::{Path, PathBuf};

use review_config::LearningDocument;
use review_engine::learn::{CONFIG_FILE, check_template};
use review_report::learn::{LearningConfigReport, LearningFile, learning_config};
use review_store::{ConfineError, Reader, Root, read_named};
use review_types::ExitCode;

use crate::args::{CheckLearningArgs, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::output::Version;
use review_report::shown;

/// Checks the files that are named, or those of the root.
pub(super) fn run(context: &mut Context, args: &CheckLearningArgs) -> Ended {
    let config_file = context.config_file(&context.current_root());
    let yaml_file = context.current_root().join(CONFIG_FILE);
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
        // Which root a file is meant for is known of those of this one.
        let root = (!is_named).then(|| context.current_root());
        files.extend(checked(context, path, is_toml, root.as_deref())?);
    }
    let used = files.first().map(|file| file.path.clone());
    let report = LearningConfigReport {
        v: Version,
        used: used.filter(|_| !is_named),
        files,
    };
    match args.format {
        PlainFormat::Human => context.streams.print(&learning_config(&report, is_named))?,
        PlainFormat::Json => context.streams.print_json(&report)?,
    }
    Ok(if report.is_valid() {
        ExitCode::Passed
    } else {
        ExitCode::NotPassed
    })
}

/// What is known of a file; nothing if it holds no configuration of learning. Files
/// that it names are looked for in `root`.
fn checked(
    context: &Context,
    path: &Path,
    is_toml: bool,
    root: Option<&Path>,
) -> Result<Option<LearningFile>, CommandError> {
    let name = shown(context.environment.folder(), path);
    let cannot_read = || CommandError::new(ErrorKind::Input, format!("cannot read {name}"));
    let bytes = match root {
        Some(root) => Root::open(root)
            .map_err(ConfineError::from)
            .and_then(|root| Reader::new(&root).read(root.relative(path)?.as_str()))
            .map_err(|error| cannot_read().source(error))?,
        None => read_named(path).map_err(|error| cannot_read().source(error))?,
    };
    let text = String::from_utf8(bytes).map_err(|error| cannot_read().source(error))?;
    let document = if is_toml {
        LearningDocument::of_toml(&text)
    } else {
        Some(LearningDocument::of_yaml(&text))
    };
    let document = document.map(|document| {
        let found = document.config.as_ref().zip(root);
        match found.map(|(config, root)| check_template(root, config)) {
            Some(Err(error)) => {
                let why = CommandError::from(error).message();
                document.without_template(why)
            }
            Some(Ok(())) | None => document,
        }
    });
    Ok(document.map(|document| LearningFile {
        path: name,
        count: 1,
        valid: u32::from(document.config.is_some()),
        diagnostics: document.diagnostics,
    }))
}
