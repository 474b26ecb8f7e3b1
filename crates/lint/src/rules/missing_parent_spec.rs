//! L1.

use std::collections::HashMap;

use review_document::workspace::PathSet;
use review_document::{markdown_stem, near};
use review_types::excerpt;

use crate::facts::{Facts, SpecReference, spec_path};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a task or plan whose spec does not exist.
    ///
    /// ## What it does
    /// Looks up the file after `Parent spec:` in a task, and after `spec:` and `Design
    /// spec:` in a plan: as written, relative to the root or to the file itself, then
    /// by its name in any folder, since archived specs are moved.
    ///
    /// ## Why is this bad
    /// An implementer cannot find the requirements.
    ///
    /// ## Example
    /// `**Parent spec**: /specs/CACHING.md` where the file is called
    /// `specs/CACHE.md`.
    ///
    /// ## Fix
    /// Write the path of the spec, relative to the root: `/specs/CACHE.md`.
    MissingParentSpec {
        code: "L1",
        name: "missing-parent-spec",
        criterion: Consistency,
        severity: Error,
        summary: "The spec that a task or plan names does not exist.",
    }
}

impl MissingParentSpec {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let paths = &facts.workspace.paths;
        let mut suggestions: HashMap<&str, String> = HashMap::new();
        for named in facts.named_specs() {
            sink.look_at(1);
            if named.found == SpecReference::Missing {
                let spec = named.name;
                let suggestion = suggestions
                    .entry(&spec.value)
                    .or_insert_with(|| suggestion(&spec.value, paths));
                sink.push(
                    named.document,
                    spec.place.span,
                    format!("The spec `{}` does not exist.", excerpt(&spec.value, 120)),
                    suggestion.clone(),
                );
            }
        }
    }
}

fn suggestion(reference: &str, paths: &PathSet) -> String {
    let path = spec_path(reference);
    let name = path.rsplit('/').next().unwrap_or_default();
    let specs = paths
        .files()
        .iter()
        .filter(|file| markdown_stem(file).is_some());
    let names = specs.filter_map(|file| file.rsplit('/').next());
    let near = near::nearest(name, names, 1)
        .first()
        .and_then(|near| paths.named(near).next());
    match near {
        Some(near) => {
            format!("Write the path of the spec (the nearest is `/{near}`), or add the spec.")
        }
        None => {
            "Write the path of the spec, relative to the root, such as `/specs/NAME.md`.".to_owned()
        }
    }
}
