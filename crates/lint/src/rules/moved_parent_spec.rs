//! L2.

use review_types::plural;

use crate::facts::{Facts, SpecReference};
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::{Sink, excerpt};

rule! {
    /// Finds a unit whose files name a spec where it is no more.
    ///
    /// ## What it does
    /// Looks up the file behind `Parent spec:` of a task, and behind `spec:`
    /// and `Design spec:` of a plan. Where it is found by its name alone, in
    /// another folder, the first such line of the unit is reported, with the
    /// number of the others.
    ///
    /// ## Why is this bad
    /// A reader has to look for the spec, and a path of somebody's machine
    /// means nothing on another one.
    ///
    /// ## Example
    /// `**Parent spec**: /specs/CACHE.md` where the file was moved to
    /// `specs/completed/CACHE.md`.
    ///
    /// ## Fix
    /// Write where the spec is: `/specs/completed/CACHE.md`.
    MovedParentSpec {
        code: "L2",
        name: "moved-parent-spec",
        criterion: Consistency,
        severity: Info,
        fixes: [Safe],
        summary: "The spec that a task or plan names lies in another folder.",
    }
}

impl MovedParentSpec {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let named = facts.named_specs();
        sink.look_at(named.len());
        let mut moved = named.iter().filter_map(|named| match &named.found {
            SpecReference::Moved(places) => Some((named.document, named.name, places)),
            SpecReference::AsWritten | SpecReference::Missing | SpecReference::Foreign => None,
        });
        let count = moved.clone().count();
        let Some((document, spec, places)) = moved.next() else {
            return;
        };
        let others = match count {
            1 => String::new(),
            count => format!(
                " ({} in the unit)",
                plural(count, "such line", "such lines")
            ),
        };
        let message = format!(
            "The spec `{}` lies in another folder{others}.",
            excerpt(&spec.value, 120)
        );
        let here: Vec<_> = places.iter().map(|place| format!("`/{place}`")).collect();
        let only = (places.len() == 1).then(|| places[0]);
        sink.push(
            document,
            spec.place.span,
            message,
            format!("Write {} instead.", here.join(" or ")),
        )
        .fix(only.map(|place| {
            let anchor = spec.value.find('#').map_or("", |at| &spec.value[at..]);
            let slash = if place.contains('/') { "/" } else { "" };
            Fix::one(
                Safety::Safe,
                spec.place.span,
                format!("{slash}{place}{anchor}"),
            )
        }));
    }
}
