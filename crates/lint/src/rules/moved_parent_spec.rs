//! L2.

use review_document::Spanned;
use review_types::excerpt;

use crate::facts::{Facts, SpecReference};
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a unit whose files refer to a spec that was moved.
    ///
    /// ## What it does
    /// Looks up the file after `Parent spec:` in a task, and after `spec:` and `Design
    /// spec:` in a plan, and reports it if it is found only by its name, in another
    /// folder.
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
    /// Write the current path: `/specs/completed/CACHE.md`.
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
        for named in named {
            let SpecReference::Moved(places) = &named.found else {
                continue;
            };
            let spec = named.name;
            let here: Vec<_> = places.iter().map(|place| format!("`/{place}`")).collect();
            let fix = match places.as_slice() {
                [place] => Some(fix(spec, place)),
                _ => None,
            };
            sink.push(
                named.document,
                spec.place.span,
                format!(
                    "The spec `{}` is in another folder.",
                    excerpt(&spec.value, 120)
                ),
                format!("Write {} instead.", here.join(" or ")),
            )
            .fix(fix);
        }
    }
}

/// Replaces the path of a spec.
fn fix(spec: &Spanned<String>, place: &str) -> Fix {
    let anchor = spec.value.find('#').map_or("", |at| &spec.value[at..]);
    let slash = if place.contains('/') { "/" } else { "" };
    Fix::one(
        Safety::Safe,
        spec.place.span,
        [slash, place, anchor].concat(),
    )
}
