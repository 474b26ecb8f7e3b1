//! The packages of an npm workspace.

use review_document::workspace::{NodePackage, PathSet};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::MAX_NAMED;
use crate::Reader;

/// What may be before the content of a file in UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

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
        let text = reader.read(path).ok()?;
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
        let manifest: Manifest = serde_json::from_slice(text).ok()?;
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
