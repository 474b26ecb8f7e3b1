//! The specs and plans from which a template may be inferred.

use review_document::Catalog;
use review_document::workspace::{DocumentRole, PathSet, Sibling, Siblings};

use crate::Reader;

/// The maximum numbers of specs and of plans that are read.
const MAX_SIBLINGS: usize = 20;

/// The first specs and plans, sorted by path. Files that cannot be read are skipped.
pub(super) fn read(paths: &PathSet, reader: &mut Reader<'_>) -> Siblings {
    let catalog = Catalog::new(paths.files().iter().cloned());
    let specs = catalog.specs().map(|path| (path, DocumentRole::Spec));
    let plans = catalog.units().iter();
    let plans = plans.filter_map(|unit| Some((unit.plan.as_deref()?, DocumentRole::Plan)));
    let first = specs.take(MAX_SIBLINGS).chain(plans.take(MAX_SIBLINGS));
    first
        .filter_map(|(path, role)| Some(Sibling::parse(path, role, reader.read(path).ok()?)))
        .collect()
}
