//! What the crates of the workspace may depend on.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// What each crate of the core may depend on, beside its build and its tests.
/// `schemars` is optional everywhere.
const CORE: &[(&str, &[&str])] = &[
    ("review-types", &["jiff", "serde", "thiserror"]),
    (
        "review-schema",
        &[
            "review-types",
            "review-text",
            "memchr",
            "serde",
            "serde_json",
            "thiserror",
        ],
    ),
    (
        "review-criteria",
        &["review-types", "serde", "serde_json", "thiserror"],
    ),
    (
        "review-events",
        &["review-types", "serde", "serde_json", "thiserror"],
    ),
    (
        "review",
        &[
            "review-types",
            "review-schema",
            "review-criteria",
            "review-events",
            "review-text",
            "async-trait",
            "blake3",
            "imara-diff",
            "serde",
            "serde_json",
            "thiserror",
        ],
    ),
    (
        "review-document",
        &[
            "review-types",
            "blake3",
            "granit-parser",
            "jiff",
            "percent-encoding",
            "pulldown-cmark",
            "serde",
            "serde_json",
            "strsim",
            "thiserror",
        ],
    ),
    (
        "review-lint",
        &[
            "review-types",
            "review-document",
            "aho-corasick",
            "blake3",
            "regex",
            "serde",
            "strsim",
            "thiserror",
        ],
    ),
    (
        "review-text",
        &["review-types", "aho-corasick", "rust-stemmers", "strsim"],
    ),
];

/// Licences that may be linked into the binary.
const LICENCES: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "CC0-1.0",
    "0BSD",
    "BSL-1.0",
    "MIT-0",
    "CDLA-Permissive-2.0",
];

const BANNED: &[&str] = &[
    "openssl-sys",
    "native-tls",
    "aws-lc-sys",
    "chrono",
    "libgit2-sys",
];

/// Crates that are in the tree in two versions, each for a reason that is not ours.
const TWICE: &[&str] = &[
    "getrandom",
    "hashbrown",
    "r-efi",
    "windows-sys",
    "windows-targets",
];

fn metadata() -> Value {
    let cargo = std::env::var_os("CARGO").expect("cargo runs the tests");
    let output = Command::new(cargo)
        .args(["metadata", "--locked", "--offline", "--format-version", "1"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .args([
            "--manifest-path",
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
        ])
        .output()
        .expect("cargo metadata runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    serde_json::from_slice(&output.stdout).expect("metadata is JSON")
}

fn packages(metadata: &Value) -> &[Value] {
    metadata["packages"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

#[test]
fn the_core_depends_on_nothing_but_its_list() {
    let metadata = metadata();
    for (name, allowed) in CORE {
        let package = packages(&metadata)
            .iter()
            .find(|package| text(package, "name") == *name)
            .unwrap_or_else(|| panic!("{name} is a member"));
        let dependencies = package["dependencies"].as_array().expect("a list");
        for dependency in dependencies {
            let is_normal = dependency["kind"].is_null();
            let found = text(dependency, "name");
            let is_optional = dependency["optional"].as_bool() == Some(true);
            let is_schema = found == "schemars" && is_optional;
            assert!(
                !is_normal || is_schema || allowed.contains(&found),
                "{name} must not depend on {found}"
            );
        }
    }
}

#[test]
fn every_licence_is_one_that_may_be_linked() {
    let metadata = metadata();
    assert!(packages(&metadata).len() > 20);
    for package in packages(&metadata) {
        let licence = text(package, "license").replace('/', " OR ");
        let may_be_linked = licence.split(" OR ").any(|choice| {
            let all: Vec<_> = choice
                .trim_matches(['(', ')', ' '])
                .split(" AND ")
                .collect();
            all.iter()
                .all(|part| LICENCES.contains(&part.trim_matches(['(', ')', ' '])))
        });
        assert!(may_be_linked, "{}: {licence}", text(package, "name"));
    }
}

/// The ids of all packages that end up in the binary: what `ralph-review` uses
/// for itself, and what that uses.
fn linked(metadata: &Value) -> BTreeSet<&str> {
    let nodes: BTreeMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()
        .expect("resolved")
        .iter()
        .map(|node| (text(node, "id"), node))
        .collect();
    let root = packages(metadata)
        .iter()
        .find(|package| text(package, "name") == env!("CARGO_PKG_NAME"))
        .expect("this package");
    let mut linked = BTreeSet::new();
    let mut open = vec![text(root, "id")];
    while let Some(id) = open.pop() {
        if !linked.insert(id) {
            continue;
        }
        for dependency in nodes[id]["deps"].as_array().expect("a list") {
            let mut kinds = dependency["dep_kinds"].as_array().expect("a list").iter();
            if kinds.any(|kind| kind["kind"] != "dev") {
                open.push(text(dependency, "pkg"));
            }
        }
    }
    linked
}

#[test]
fn no_crate_is_banned_and_none_is_linked_twice_without_a_reason() {
    let metadata = metadata();
    let linked = linked(&metadata);
    assert!(linked.len() > 40);
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in packages(&metadata) {
        let name = text(package, "name");
        assert!(!BANNED.contains(&name), "{name} is banned");
        if linked.contains(text(package, "id")) {
            versions
                .entry(name)
                .or_default()
                .insert(text(package, "version"));
        }
    }
    for (name, versions) in versions {
        let is_known = TWICE.contains(&name);
        assert!(
            versions.len() == 1 || is_known,
            "{name} is linked as {versions:?}"
        );
    }
}
