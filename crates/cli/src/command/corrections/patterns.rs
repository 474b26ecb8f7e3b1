//! `ralph corrections patterns`, and what it shares with `import`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, ErrorKind as IoErrorKind};
use std::path::{Path, PathBuf};

use review_learning::corrections::{Line, Lines, Mode, PatternName, Validation};
use review_learning::patterns::{Occurrence, Pattern, PromotionEntry, Registry, RelatedFile};
use review_report::corrections::{ImportedFile, PatternReport, patterns};
use review_types::{ExitCode, Timestamp};

use super::{note_none, warn_of_bad_lines};
use crate::args::{CorrectionPatternsArgs, PlainFormat};
use crate::clock::now;
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::output::Version;
use review_report::shown;

/// Where promotions are logged, below the folder of the corrections.
pub(super) const PROMOTION_LOG: &str = "patterns/promotion-log.jsonl";

/// Shows the patterns of a folder.
pub(super) fn run(context: &mut Context, args: &CorrectionPatternsArgs) -> Ended {
    let folder = folder(context, args.folder.as_deref());
    let gathered = gather(context, &folder, now())?;
    if gathered.files.is_empty() {
        match args.folder {
            Some(_) => return Err(none_in(&folder)),
            None => note_none(context),
        }
    }
    let report = PatternReport {
        v: Version,
        patterns: gathered.patterns,
    };
    match args.format {
        PlainFormat::Human => context.streams.print(&patterns(&report))?,
        PlainFormat::Json => context.streams.print_json(&report)?,
    }
    Ok(ExitCode::Passed)
}

/// The folder that is meant: the one that was named, else that of the root.
pub(super) fn folder(context: &Context, named: Option<&Path>) -> PathBuf {
    match named {
        Some(path) => context.absolute(path),
        None => context.current_root().join(".claude"),
    }
}

/// What the files of a folder say.
pub(super) struct Gathered {
    /// The patterns, the surest first.
    pub(super) patterns: Vec<Pattern>,
    /// How many lines of each file were read and how many of them counted.
    pub(super) files: Vec<ImportedFile>,
}

/// Reads the corrections of a folder and the files beside them.
///
/// # Errors
/// When one of the files cannot be read.
pub(super) fn gather(
    context: &mut Context,
    folder: &Path,
    now: Timestamp,
) -> Result<Gathered, CommandError> {
    let mut registry = Registry::new(now);
    let mut files = Vec::new();
    let corrections = folder.join("user-corrections.jsonl");
    if let Some(file) = open(&corrections)? {
        files.push(add_corrections(context, &corrections, file, &mut registry)?);
    }
    for neighbour in RelatedFile::ALL {
        let path = folder.join(neighbour.file_name());
        if let Some(file) = open(&path)? {
            files.push(add_neighbour(
                context,
                neighbour,
                &path,
                file,
                &mut registry,
            )?);
        }
    }
    let promoted = promoted(folder)?;
    Ok(Gathered {
        patterns: registry.patterns(|name| promoted.contains(name.as_str())),
        files,
    })
}

/// The error where a folder has none of the files that are gathered.
pub(super) fn none_in(folder: &Path) -> CommandError {
    let message = format!("{} holds no corrections", folder.display());
    let error = CommandError::new(ErrorKind::Input, message);
    error.hint("`ralph corrections add` records one")
}

fn open(path: &Path) -> Result<Option<BufReader<File>>, CommandError> {
    match File::open(path) {
        Ok(file) => Ok(Some(BufReader::with_capacity(64 * 1024, file))),
        Err(error) if error.kind() == IoErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot_read(path, error)),
    }
}

fn cannot_read(path: &Path, error: std::io::Error) -> CommandError {
    CommandError::new(ErrorKind::Input, format!("cannot read {}", path.display())).source(error)
}

fn add_corrections(
    context: &mut Context,
    path: &Path,
    file: BufReader<File>,
    registry: &mut Registry,
) -> Result<ImportedFile, CommandError> {
    let mut validation = Validation::new(Mode::Import);
    let mut lines = Lines::new(file);
    let mut counted = 0;
    while let Some((number, line)) = lines.next().map_err(|error| cannot_read(path, error))? {
        let correction = validation.line(number, line);
        let occurrence = correction.as_ref().and_then(Occurrence::of);
        if let (Some(occurrence), Line::Whole(text) | Line::Unended(text)) = (occurrence, line) {
            counted += u64::from(registry.add(text, occurrence));
        }
    }
    warn_of_bad_lines(context, path, validation.count() - validation.valid());
    Ok(ImportedFile {
        path: shown(context.environment.folder(), path),
        count: validation.count(),
        counted,
    })
}

fn add_neighbour(
    context: &mut Context,
    neighbour: RelatedFile,
    path: &Path,
    file: BufReader<File>,
    registry: &mut Registry,
) -> Result<ImportedFile, CommandError> {
    let mut lines = Lines::new(file);
    let (mut count, mut counted, mut first_bad) = (0, 0, None);
    while let Some((number, line)) = lines.next().map_err(|error| cannot_read(path, error))? {
        count += 1;
        let (Line::Whole(text) | Line::Unended(text)) = line else {
            continue;
        };
        match neighbour.read(text) {
            Ok(occurrence) => counted += u64::from(registry.add(text, occurrence)),
            Err(error) => first_bad = first_bad.or(Some((number, error))),
        }
    }
    if let Some((number, error)) = first_bad {
        let path = shown(context.environment.folder(), path);
        let message = format!("{path}:{number}: left out, as others may be: it {error}");
        context.streams.warn(&message);
    }
    Ok(ImportedFile {
        path: shown(context.environment.folder(), path),
        count,
        counted,
    })
}

/// The patterns that the log of promotions names.
fn promoted(folder: &Path) -> Result<BTreeSet<String>, CommandError> {
    let path = folder.join(PROMOTION_LOG);
    let mut names = BTreeSet::new();
    let Some(file) = open(&path)? else {
        return Ok(names);
    };
    let mut lines = Lines::new(file);
    while let Some((_, line)) = lines.next().map_err(|error| cannot_read(&path, error))? {
        if let Line::Whole(text) | Line::Unended(text) = line {
            let name: Option<PatternName> = PromotionEntry::pattern_of(text);
            names.extend(name.map(|name| name.as_str().to_owned()));
        }
    }
    Ok(names)
}
