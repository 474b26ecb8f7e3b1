//! `ralph corrections import`.

use clap::Args;
use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;

use review_learning::AgentName;
use review_learning::lesson::Lesson;
use review_learning::patterns::{Pattern, PatternStatus, PatternsFile, PromotionEntry, TrendsFile};
use review_report::corrections::{ImportReport, imported};
use review_store::{LineFile, Root, RootPath};
use review_types::Timestamp;
use serde_json::Value as Json;

use super::patterns::{Gathered, folder, gather, is_own};
use crate::args::PlainFormat;
use crate::clock::now;
use crate::command::learn::{analyze, collect_corrections};
use crate::context::Context;
use crate::error::{CommandError, CommandResult, cannot};
use crate::learning::Place;

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The folder of the corrections and of the files beside them [default:
    /// .claude of the root].
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Where promotions are logged, below the folder of the corrections.
const PROMOTION_LOG: &str = "patterns/promotion-log.jsonl";
const PATTERNS: &str = "patterns/patterns.json";
const TRENDS: &str = "patterns/trends.json";

/// Gathers the files of a folder and writes what they say.
pub(super) fn run(context: &mut Context, args: &ImportArgs) -> CommandResult {
    let folder = folder(context, args.folder.as_deref());
    let now = now();
    let Gathered { patterns, files } = gather(context, &folder, now)?;
    if files.is_empty() {
        let error = CommandError::new(format!("{} holds no corrections", folder.display()));
        return Err(error.hint("`ralph corrections add` records one"));
    }
    let promoted = promote(&folder, &patterns, now)?;
    let proposed = match is_own(context, &folder) {
        true => propose(context, &patterns)?,
        false => Vec::new(),
    };
    write(&folder, PATTERNS, |before| {
        serde_json::to_vec_pretty(&PatternsFile::new(&patterns, &before, now))
    })?;
    write(&folder, TRENDS, |_| {
        serde_json::to_vec_pretty(&TrendsFile::new(&patterns, now))
    })?;
    let report = ImportReport {
        files,
        patterns: patterns.len(),
        promoted,
        proposed,
    };
    context.show(args.format, &report, imported)
}

/// Proposes lessons for the patterns that are ready for one, where something is
/// learned: their corrections are collected and analyzed as `ralph learn` does it.
fn propose(context: &mut Context, patterns: &[Pattern]) -> Result<Vec<Lesson>, CommandError> {
    let ready = patterns.iter();
    let ready = ready.filter(|pattern| pattern.status == PatternStatus::Ready);
    let agents: BTreeSet<AgentName> = ready.flat_map(|one| one.learners.clone()).collect();
    let place = Place::current(context, &[])?;
    if agents.is_empty() || !place.is_on {
        return Ok(Vec::new());
    }
    collect_corrections(context, &place)?;
    let analyzed = analyze(context, &place, &agents)?;
    let extractions = analyzed.into_iter().map(|one| one.extraction);
    let proposed = extractions.flat_map(|extraction| extraction.proposed);
    Ok(proposed.collect())
}

/// Logs the patterns that are to become lessons.
fn promote(
    folder: &Path,
    patterns: &[Pattern],
    now: Timestamp,
) -> Result<Vec<PromotionEntry>, CommandError> {
    let entries: Vec<_> = patterns
        .iter()
        .filter_map(|pattern| PromotionEntry::of(pattern, now))
        .collect();
    if entries.is_empty() {
        return Ok(entries);
    }
    let log = Root::open(folder)?.resolve(&RootPath::new(PROMOTION_LOG)?)?;
    let mut log = LineFile::open(&log)?;
    let mut lines = Vec::new();
    for entry in entries {
        let line = serde_json::to_vec(&entry)?;
        lines.push((entry, line));
    }
    // Another process may have promoted some of them meanwhile.
    log.append_missing(|content| {
        let known: BTreeSet<String> = content
            .split(|byte| *byte == b'\n')
            .filter_map(PromotionEntry::pattern_of)
            .map(|name| name.as_str().to_owned())
            .collect();
        lines.retain(|(entry, _)| !known.contains(&entry.pattern));
        let missing = lines.iter();
        missing
            .flat_map(|(_, line)| [line, b"\n".as_slice()].concat())
            .collect()
    })?;
    log.sync()?;
    Ok(lines.into_iter().map(|(entry, _)| entry).collect())
}

/// Rewrites a file from its content.
fn write(
    folder: &Path,
    name: &str,
    text: impl FnOnce(Json) -> serde_json::Result<Vec<u8>>,
) -> Result<(), CommandError> {
    let root = Root::open(folder)?;
    let before = match root.read(name)? {
        Some(bytes) => serde_json::from_slice(&bytes).map_err(cannot(format!(
            "read {} as JSON, which is left unchanged",
            folder.join(name).display()
        )))?,
        None => Json::Null,
    };
    let mut text = text(before)?;
    text.push(b'\n');
    let name = RootPath::new(name)?;
    if !root.create(&name, &text)? {
        root.replace(&name, &text)?;
    }
    Ok(())
}
