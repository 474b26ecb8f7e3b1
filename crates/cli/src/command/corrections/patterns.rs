//! `ralph corrections patterns`, and what it shares with `import`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, ErrorKind as IoErrorKind};
use std::path::{Path, PathBuf};

use review_learning::corrections::{Line, Lines, Mode, PatternName, Validation};
use review_learning::patterns::{
    Factors, Neighbour, Occurrence, Pattern, PromotionEntry, Registry,
};
use review_types::{ExitCode, Timestamp, plural};
use serde::Serialize;

use super::warn_of_bad_lines;
use crate::args::{CorrectionPatternsArgs, PlainFormat};
use crate::clock::now;
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::location::shown;
use crate::output::style::{FAINT, RESET, STRONG};
use crate::output::{Version, printable};

/// Where promotions are logged, below the folder of the corrections.
pub(super) const PROMOTION_LOG: &str = "patterns/promotion-log.jsonl";

/// The result of `corrections patterns --format json`.
#[derive(Serialize)]
struct Patterns {
    v: Version,
    patterns: Vec<Pattern>,
}

/// Shows the patterns of a folder.
pub(super) fn run(context: &mut Context, args: &CorrectionPatternsArgs) -> Ended {
    let folder = folder(context, args.folder.as_deref());
    let gathered = gather(context, &folder, now())?;
    match args.format {
        PlainFormat::Human => {
            let text: String = gathered.patterns.iter().map(rendered).collect();
            context.streams.print(&text)?;
        }
        PlainFormat::Json => context.streams.print_json(&Patterns {
            v: Version,
            patterns: gathered.patterns,
        })?,
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
    pub(super) files: Vec<Source>,
}

/// A file that was read.
#[derive(Serialize)]
pub(super) struct Source {
    pub(super) path: String,
    pub(super) count: u64,
    /// Lines that were counted: neither unusable nor the same as one before, and
    /// of a pattern.
    pub(super) counted: u64,
}

/// Reads the corrections of a folder and what lies beside them.
///
/// # Errors
/// When none of the files is there, or one cannot be read.
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
    for neighbour in Neighbour::ALL {
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
    if files.is_empty() {
        let message = format!("{} holds no corrections", folder.display());
        let error = CommandError::new(ErrorKind::Input, message);
        return Err(error.hint("`ralph corrections add` notes one"));
    }
    let promoted = promoted(folder)?;
    Ok(Gathered {
        patterns: registry.patterns(|name| promoted.contains(name.as_str())),
        files,
    })
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
) -> Result<Source, CommandError> {
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
    Ok(Source {
        path: shown(context.environment.folder(), path),
        count: validation.count(),
        counted,
    })
}

fn add_neighbour(
    context: &mut Context,
    neighbour: Neighbour,
    path: &Path,
    file: BufReader<File>,
    registry: &mut Registry,
) -> Result<Source, CommandError> {
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
    Ok(Source {
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

fn rendered(pattern: &Pattern) -> String {
    let Factors {
        count,
        severity,
        recency,
        services,
        source_quality,
    } = pattern.factors;
    let times = usize::try_from(pattern.count).unwrap_or(usize::MAX);
    let stale = if pattern.stale { ", stale" } else { "" };
    format!(
        "{STRONG}{}{RESET}  {}, confidence {:.2}, {}, {}{stale}\n\
         \x20 {}\n\
         \x20 {FAINT}count {count:.2} x .35, severity {severity:.2} x .25, recency {recency:.2} x .15, \
         services {services:.2} x .10, sources {source_quality:.2} x .15{RESET}\n",
        pattern.name.as_str(),
        plural(times, "time", "times"),
        pattern.confidence,
        pattern.trend.as_str(),
        pattern.promotion.as_str(),
        printable(&pattern.description),
    )
}
