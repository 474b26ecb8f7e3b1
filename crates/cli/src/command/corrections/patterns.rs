//! `ralph corrections list --by pattern`, and what it shares with `import`.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use review_learning::corrections::{Line, Lines, Mode, PatternName, Validation};
use review_learning::lesson::LessonStatus;
use review_learning::patterns::{Occurrence, Pattern, Registry, RelatedFile};
use review_report::corrections::{ImportedFile, PatternReport, patterns};
use review_store::open_file;
use review_types::Timestamp;

use super::{note_none, own_file, warn_of_bad_lines};
use crate::args::PlainFormat;
use crate::clock::now;
use crate::context::Context;
use crate::error::{CommandError, CommandResult, cannot};
use crate::learning::Place;
use review_report::shown;

/// Shows the patterns of the root.
pub(super) fn run(context: &mut Context, format: PlainFormat) -> CommandResult {
    let folder = folder(context, None);
    let gathered = gather(context, &folder, now())?;
    if gathered.files.is_empty() {
        note_none(context);
    }
    let report = PatternReport {
        patterns: gathered.patterns,
    };
    context.show(format, &report, patterns)
}

/// The folder of the corrections of a root.
const FOLDER: &str = ".claude";
/// The corrections in it.
const CORRECTIONS: &str = "user-corrections.jsonl";

/// The folder that is meant: the one that was named, else that of the root.
pub(super) fn folder(context: &Context, named: Option<&Path>) -> PathBuf {
    match named {
        Some(path) => context.absolute(path),
        None => context.current_root().join(FOLDER),
    }
}

/// Whether a folder is that of the root, of which lessons are made.
pub(super) fn is_own(context: &Context, folder: &Path) -> bool {
    folder == self::folder(context, None)
}

/// How far a lesson got, where those of several agents are about one pattern.
const fn rank(status: &LessonStatus) -> u8 {
    match status {
        LessonStatus::Rejected => 0,
        LessonStatus::Proposed => 1,
        LessonStatus::Approved => 2,
        LessonStatus::Applied => 3,
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
    if is_own(context, folder) {
        let neighbours = RelatedFile::ALL.map(RelatedFile::file_name);
        for name in neighbours.into_iter().chain([CORRECTIONS]) {
            own_file(&context.current_root(), &format!("{FOLDER}/{name}"))?;
        }
    }
    let others = RelatedFile::ALL.map(Some).into_iter();
    for kind in std::iter::once(None).chain(others) {
        let path = folder.join(kind.map_or(CORRECTIONS, RelatedFile::file_name));
        match open_file(&path) {
            Ok(file) => files.push(add(context, kind, &path, file, &mut registry)?),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(cannot_read(&path)(error)),
        }
    }
    let lessons = match is_own(context, folder) {
        true => Place::current(context, &[])?.learner()?.lessons(None)?,
        false => Vec::new(),
    };
    let status_of = |name: &PatternName| {
        let about = lessons.iter();
        let about = about.filter(|lesson| lesson.pattern.as_deref() == Some(name.as_str()));
        about.map(|lesson| lesson.status).max_by_key(rank)
    };
    Ok(Gathered {
        patterns: registry.patterns(status_of),
        files,
    })
}

fn cannot_read(path: &Path) -> impl FnOnce(io::Error) -> CommandError {
    cannot(format!("read {}", path.display()))
}

/// Adds the lines of a file of corrections, or of another kind beside it, and warns of those
/// that cannot be read.
fn add(
    context: &mut Context,
    kind: Option<RelatedFile>,
    path: &Path,
    file: File,
    registry: &mut Registry,
) -> Result<ImportedFile, CommandError> {
    let mut validation = Validation::new(Mode::Import);
    let mut lines = Lines::new(BufReader::with_capacity(64 * 1024, file));
    let (mut count, mut counted, mut first_bad) = (0, 0, None);
    while let Some((number, line)) = lines.next().map_err(cannot_read(path))? {
        count += 1;
        let text = match line {
            Line::Whole(text) | Line::Unended(text) => Some(text),
            _ => None,
        };
        let occurrence = match (kind, text) {
            (None, _) => validation
                .line(number, line)
                .as_ref()
                .and_then(Occurrence::of),
            (Some(kind), Some(text)) => kind
                .read(text)
                .map_err(|error| first_bad.get_or_insert((number, error)).0)
                .ok(),
            (Some(_), None) => None,
        };
        if let (Some(occurrence), Some(text)) = (occurrence, text) {
            counted += u64::from(registry.add(text, occurrence));
        }
    }
    if kind.is_none() {
        count = validation.count();
        warn_of_bad_lines(context, path, count - validation.valid());
    }
    let path = shown(&context.environment.folder, path);
    if let Some((number, error)) = first_bad {
        let message = format!("{path}:{number}: left out, as others may be: it {error}");
        context.streams.warn(&message);
    }
    Ok(ImportedFile {
        path,
        count,
        counted,
    })
}
