//! L2.

use review_document::workspace::Document;
use review_document::{Edit, Spanned};
use review_types::plural;

use crate::facts::{Facts, SpecReference};
use crate::finding::{FileEdits, Fix, Safety};
use crate::rule::rule;
use crate::sink::{Sink, excerpt};

rule! {
    /// Finds a unit whose files refer to a spec that was moved.
    ///
    /// ## What it does
    /// Looks up the file after `Parent spec:` in a task, and after `spec:` and `Design
    /// spec:` in a plan. If it is found only by its name, in another folder, the first
    /// such line of the unit is reported, with the number of others.
    ///
    /// ## Why is this bad
    /// A reader has to search for the spec, and a path that is specific to one machine
    /// is useless on others.
    ///
    /// ## Example
    /// `**Parent spec**: /specs/CACHE.md` where the file was moved to
    /// `specs/completed/CACHE.md`.
    ///
    /// ## Fix
    /// Write the current path: `/specs/completed/CACHE.md`. One fix changes all files
    /// of the unit.
    MovedParentSpec {
        code: "L2",
        name: "moved-parent-spec",
        criterion: Consistency,
        severity: Info,
        fixes: [Safe],
        summary: "The spec that a task or plan names is in another folder.",
    }
}

impl MovedParentSpec {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let named = facts.named_specs();
        sink.look_at(named.len());
        let moved = named.iter().filter_map(|named| match &named.found {
            SpecReference::Moved(places) => Some((named.document, named.name, &**places)),
            SpecReference::AsWritten | SpecReference::Missing | SpecReference::Foreign => None,
        });
        let moved: Vec<_> = moved.collect();
        let Some(&(document, spec, places)) = moved.first() else {
            return;
        };
        let others = match moved.len() {
            1 => String::new(),
            count => format!(
                " ({} in the unit)",
                plural(count, "such line", "such lines")
            ),
        };
        let message = format!(
            "The spec `{}` is in another folder{others}.",
            excerpt(&spec.value, 120)
        );
        let here: Vec<_> = places.iter().map(|place| format!("`/{place}`")).collect();
        sink.push(
            document,
            spec.place.span,
            message,
            format!("Write {} instead.", here.join(" or ")),
        )
        .fix(fix(moved));
    }
}

/// A line that names a spec, and the files with its name.
type Moved<'a> = (&'a Document, &'a Spanned<String>, &'a [&'a str]);

/// Replaces the path in every file that names the spec, if there is one file of its
/// name; the first line belongs to the finding.
fn fix(mut moved: Vec<Moved<'_>>) -> Option<Fix> {
    let &(own, ..) = moved.first()?;
    moved.sort_by_key(|(document, ..)| &document.path);
    let files = moved.chunk_by(|(one, ..), (other, ..)| one.path == other.path);
    let mut files: Vec<_> = files.filter_map(edits).collect();
    let own = files.iter().position(|file| file.path == own.path)?;
    let mut fix = Fix::of(Safety::Safe, files.remove(own).edits);
    fix.elsewhere = files;
    Some(fix)
}

/// Replaces the paths of specs that one file names.
fn edits(moved: &[Moved<'_>]) -> Option<FileEdits> {
    let (document, ..) = moved.first()?;
    let mut edits = Vec::with_capacity(moved.len());
    for (_, spec, places) in moved {
        if let [place] = places {
            edits.push(edit(spec, place));
        }
    }
    (!edits.is_empty()).then(|| FileEdits {
        path: document.path.clone(),
        edits,
    })
}

fn edit(spec: &Spanned<String>, place: &str) -> Edit {
    let anchor = spec.value.find('#').map_or("", |at| &spec.value[at..]);
    let slash = if place.contains('/') { "/" } else { "" };
    Edit {
        span: spec.place.span,
        text: [slash, place, anchor].concat(),
    }
}
