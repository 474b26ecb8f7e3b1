//! What the crates of the core and a program with the engine may depend on, and how
//! much a user of the library meets; `deny.toml` says what all other dependencies
//! may be.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

/// What each crate of the core may depend on, beside its build and its tests and
/// [`SCHEMA`].
const CORE: &[(&str, &[&str])] = &[
    ("review-types", &["jiff", "serde", "thiserror"]),
    (
        "review-schema",
        &[
            "review-types",
            "review-text",
            "granit-parser",
            "memchr",
            "serde",
            "serde_json",
            "serde_path_to_error",
            "thiserror",
        ],
    ),
    (
        "review-events",
        &["review-types", "serde", "serde_json", "thiserror"],
    ),
    (
        "review-flow",
        &[
            "review-types",
            "async-trait",
            "blake3",
            "futures-util",
            "getrandom",
            "serde",
            "serde_json",
            "thiserror",
            "tokio",
        ],
    ),
    (
        "review",
        &[
            "review-types",
            "review-schema",
            "review-events",
            "review-flow",
            "review-text",
            "async-trait",
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
            "review-text",
            "blake3",
            "granit-parser",
            "percent-encoding",
            "pulldown-cmark",
            "serde",
            "serde_json",
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
            "globset",
            "regex",
            "serde",
            "strsim",
            "thiserror",
        ],
    ),
    (
        "review-text",
        &[
            "review-types",
            "aho-corasick",
            "icu_normalizer",
            "rust-stemmers",
            "strsim",
        ],
    ),
];

/// What derives the JSON schemas of the types, in every crate.
const SCHEMA: &str = "schemars";

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
            assert!(
                !is_normal || found == SCHEMA || allowed.contains(&found),
                "{name} must not depend on {found}"
            );
        }
    }
}

/// What a program without a command line does not link.
const COMMAND_LINE: &[&str] = &["clap", "clap_builder", "notify", "ralph-review"];

/// The names of the packages that a package links, its own included.
fn linked<'m>(metadata: &'m Value, name: &str) -> BTreeSet<&'m str> {
    let id_of = |package: &'m Value| text(package, "id");
    let start = packages(metadata)
        .iter()
        .find(|package| text(package, "name") == name)
        .unwrap_or_else(|| panic!("{name} is a member"));
    let nodes = metadata["resolve"]["nodes"].as_array().expect("an array");
    let mut ids = BTreeSet::from([id_of(start)]);
    let mut waiting = vec![id_of(start)];
    while let Some(id) = waiting.pop() {
        let node = nodes.iter().find(|node| text(node, "id") == id);
        let dependencies = node.and_then(|node| node["deps"].as_array());
        for dependency in dependencies.into_iter().flatten() {
            let kinds = dependency["dep_kinds"].as_array().expect("an array");
            let is_linked = kinds.iter().any(|kind| kind["kind"].is_null());
            let id = text(dependency, "pkg");
            if is_linked && ids.insert(id) {
                waiting.push(id);
            }
        }
    }
    packages(metadata)
        .iter()
        .filter(|package| ids.contains(id_of(package)))
        .map(|package| text(package, "name"))
        .collect()
}

#[test]
fn a_program_with_engine_and_report_links_no_command_line() {
    let metadata = metadata();
    let linked = linked(&metadata, "review-embedding-test");
    for needed in ["review-engine", "review-report", "tokio"] {
        assert!(linked.contains(needed), "{needed} is linked");
    }
    for name in COMMAND_LINE {
        assert!(!linked.contains(name), "{name} is linked");
    }
}

/// The most names that the root of `review` may have.
const MAX_ROOT_NAMES: usize = 40;

/// The names that the root of a library crate exports: `pub mod` and `pub use`
/// where no module is around them.
fn root_names(source: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut rest = source;
    while let Some((line, after)) = rest.split_once('\n') {
        if let Some(module) = line.strip_prefix("pub mod ") {
            names.insert(module.trim_end_matches([';', '{', ' ']));
        } else if rest.starts_with("pub use ") {
            let (item, _) = rest.split_once(';').expect("an item ends");
            let list = item.split_once('{').map_or_else(
                || item.rsplit([':', ' ']).next().unwrap_or(item),
                |(_, list)| list.trim_end_matches('}'),
            );
            names.extend(
                list.split(',')
                    .map(str::trim)
                    .filter(|name| !name.is_empty()),
            );
        }
        rest = after;
    }
    names
}

#[test]
fn the_root_of_the_library_has_at_most_40_names() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../review/src/lib.rs");
    let source = std::fs::read_to_string(source).expect("the library is there");
    let names = root_names(&source);
    assert!(
        names.contains("ReviewLoop") && names.contains("flow"),
        "{names:?}"
    );
    assert!(names.len() <= MAX_ROOT_NAMES, "{}: {names:?}", names.len());
}
