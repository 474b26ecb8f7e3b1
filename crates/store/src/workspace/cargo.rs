//! The packages of a Cargo workspace.

use std::collections::BTreeSet;

use review_document::workspace::{CargoPackage, PathSet};
use serde::Deserialize;

use super::MAX_NAMED;
use crate::Reader;

#[derive(Deserialize)]
struct Manifest {
    package: Option<Package>,
    #[serde(default)]
    test: Vec<Target>,
    workspace: Option<Members>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    #[serde(default = "yes")]
    autotests: bool,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
struct Target {
    name: Option<String>,
}

#[derive(Deserialize)]
struct Members {
    #[serde(default)]
    exclude: Vec<String>,
}

/// Every package below the root that the workspace does not exclude. An invalid
/// manifest is skipped, since cargo reports it.
pub(super) fn packages(paths: &PathSet, reader: &mut Reader<'_>) -> Vec<CargoPackage> {
    let mut read =
        |path: &str| -> Option<Manifest> { toml::from_slice(&reader.read(path).ok()?).ok() };
    let top = read("Cargo.toml").and_then(|manifest| manifest.workspace);
    let excluded = top.map(|members| members.exclude).unwrap_or_default();
    let is_excluded = |folder: &str| {
        excluded.iter().any(|excluded| {
            let rest = folder.strip_prefix(excluded.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let mut packages = Vec::new();
    for path in paths.named("Cargo.toml").take(MAX_NAMED) {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let Some(manifest) = read(path).filter(|_| !is_excluded(folder)) else {
            continue;
        };
        if let Some(package) = manifest.package {
            let mut tests: BTreeSet<String> = manifest
                .test
                .into_iter()
                .filter_map(|test| test.name)
                .collect();
            if package.autotests {
                tests.extend(discovered(paths, folder));
            }
            packages.push(CargoPackage {
                name: package.name,
                folder: folder.to_owned(),
                tests: tests.into_iter().collect(),
            });
        }
    }
    packages
}

/// The test targets that cargo discovers: `tests/x.rs` and `tests/x/main.rs`.
fn discovered<'a>(paths: &'a PathSet, folder: &str) -> impl Iterator<Item = String> + use<'a> {
    let tests = if folder.is_empty() {
        "tests".to_owned()
    } else {
        format!("{folder}/tests")
    };
    let files = paths.below(&tests).iter();
    files.filter_map(move |file| {
        let inner = file.get(tests.len() + 1..)?;
        let name = inner
            .strip_suffix("/main.rs")
            .or(inner.strip_suffix(".rs"))?;
        (!name.contains('/')).then(|| name.to_owned())
    })
}
