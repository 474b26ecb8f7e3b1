//! L1.

use review_document::near;
use review_document::workspace::PathSet;
use review_document::{Place, Spanned};

use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::{Sink, excerpt};

rule! {
    /// Finds a task or plan whose spec does not exist.
    ///
    /// ## What it does
    /// Looks up the file behind `Parent spec:` of a task, and behind `spec:`
    /// and `Design spec:` of a plan: as written, from the root or from the
    /// file itself, then by its name in any folder, since archived specs are
    /// moved.
    ///
    /// ## Why is this bad
    /// Whoever works on the task looks for its requirements in vain.
    ///
    /// ## Example
    /// `**Parent spec**: /specs/CACHING.md` where the file is called
    /// `specs/CACHE.md`.
    ///
    /// ## Fix
    /// Write the path of the spec from the root: `/specs/CACHE.md`.
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
        let (Some(unit), paths) = (&facts.workspace.unit, &facts.workspace.paths) else {
            return;
        };
        if paths.is_empty() {
            return;
        }
        let tasks = unit
            .tasks
            .iter()
            .map(|task| (&task.path, &task.parent_spec));
        let plan = unit
            .plan
            .iter()
            .flat_map(|plan| [(&plan.path, &plan.spec), (&plan.path, &plan.design_spec)]);
        for (path, reference) in plan.chain(tasks) {
            let (Some(spec), Some(document)) = (reference, facts.document(path)) else {
                continue;
            };
            sink.look_at(1);
            if exists(&spec.value, path, paths) {
                continue;
            }
            let Spanned {
                value,
                place: Place { span, .. },
            } = spec;
            sink.push(
                document,
                *span,
                format!("The spec `{}` does not exist.", excerpt(value, 120)),
                suggestion(value, paths),
            );
        }
    }
}

/// The path of a reference without its anchor, percent signs resolved.
fn plain(reference: &str) -> String {
    let path = reference.split('#').next().unwrap_or_default().trim();
    path.replace("%20", " ").replace('\\', "/")
}

fn exists(reference: &str, from: &str, paths: &PathSet) -> bool {
    let path = plain(reference);
    if path.contains("://") || path.is_empty() {
        return true;
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let from_root = path.trim_start_matches('/').trim_start_matches("./");
    paths.contains(from_root)
        || paths.contains(&format!("{folder}/{from_root}"))
        || paths.named(name).next().is_some()
        || paths.named(&format!("{name}.md")).next().is_some()
}

fn suggestion(reference: &str, paths: &PathSet) -> String {
    let path = plain(reference);
    let name = path.rsplit('/').next().unwrap_or_default();
    let specs = paths.files().iter().filter(|file| file.ends_with(".md"));
    let names = specs.filter_map(|file| file.rsplit('/').next());
    let near = near::nearest(name, names, 1)
        .first()
        .and_then(|near| paths.named(near).next());
    match near {
        Some(near) => {
            format!("Write the path of the spec (the nearest is `/{near}`), or add the spec.")
        }
        None => "Write the path of the spec from the root, such as `/specs/NAME.md`.".to_owned(),
    }
}
