//! What opening a store of feedback costs beside reading its index:
//! `cargo bench -p review-store --bench feedback`.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench writes files, takes the time and prints it"
)]

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use review_learning::config::StoragePath;
use review_store::{FeedbackStore, Root};
use serde_json::{Value, json};

const ENTRIES: u32 = 100_000;
const AGENTS: u32 = 4;
const RUNS: usize = 15;
const FOLDER: &str = ".aiwg/.feedback/";

fn fill(folder: &Path) {
    for agent in 0..AGENTS {
        std::fs::create_dir_all(folder.join(format!("agent-{agent}"))).expect("a folder");
    }
    for number in 0..ENTRIES {
        let id = format!("0192f0c1-2d3e-7a4b-8c5d-{number:012x}");
        let entry = json!({
            "id": id,
            "agent": format!("agent-{}", number % AGENTS),
            "timestamp": "2026-03-01T12:30:05Z",
            "type": "review_rejection",
            "severity": "medium",
            "context": {"artifact_path": "specs/GIT.md", "iteration": 1, "session": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3"},
            "details": {"error_message": "The limit of the upload is not named.", "correction": "Name it."},
            "tags": ["review_rejection", "limits"],
        });
        let name = format!("agent-{}/20260301T123005Z-{id}.json", number % AGENTS);
        std::fs::write(folder.join(name), entry.to_string()).expect("a file");
    }
}

/// The least time of some runs.
fn least(mut work: impl FnMut()) -> Duration {
    let mut time = || {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..RUNS).map(|_| time()).min().unwrap_or_default()
}

fn main() {
    let project = tempfile::tempdir().expect("a folder");
    let folder = project.path().join(FOLDER);
    fill(&folder);
    let root = Root::open(project.path()).expect("a root");
    let storage: StoragePath = FOLDER.parse().expect("a folder below the root");
    let open = || FeedbackStore::open(&root, &storage).expect("a store");
    let start = Instant::now();
    let first = open();
    let made = start.elapsed();
    assert_eq!(first.opened(), ENTRIES as usize);
    let ours = least(|| {
        assert_eq!(
            (open().entries().len(), open().opened()),
            (ENTRIES as usize, 0)
        )
    });
    let ours = ours / 2;
    let index = folder.join("index.jsonl");
    let theirs = least(|| {
        let text = std::fs::read_to_string(&index).expect("an index");
        for line in text.lines() {
            assert!(black_box(serde_json::from_str::<Value>(line)).is_ok());
        }
    });
    println!(
        "{ENTRIES} entries: opened in {ours:.1?}, index read as values in {theirs:.1?}, \
         ratio {:.2} (at most 2); without an index {made:.1?}",
        ours.as_secs_f64() / theirs.as_secs_f64(),
    );
}
