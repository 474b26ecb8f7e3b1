//! The packages of an npm workspace.

use review_document::workspace::{NodePackage, PathSet};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::MAX_NAMED;
use crate::Reader;

#[derive(Deserialize)]
struct Manifest {
    #[serde(default)]
    scripts: Map<String, Value>,
}

/// Every `package.json` below the root. An invalid one is skipped, since npm reports
/// it.
pub(super) fn packages(paths: &PathSet, reader: &mut Reader<'_>) -> Vec<NodePackage> {
    let files = paths.named("package.json").take(MAX_NAMED);
    let package = |path: &str| {
        let manifest: Manifest = serde_json::from_slice(&reader.read(path).ok()?).ok()?;
        Some(NodePackage {
            folder: path
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder)
                .to_owned(),
            scripts: manifest.scripts.into_iter().map(|(name, _)| name).collect(),
        })
    };
    files.filter_map(package).collect()
}
