//! The cost of linting relative to parsing the same Markdown, and its growth, as ratios
//! within one run.
//!
//! `cargo bench -p review-lint` prints one line per figure with its limit; `cargo bench
//! -p review-lint -- FOLDER` measures the specs and units of a project instead of the
//! generated ones. Linting includes parsing the bytes: text, outlines, front matter,
//! plans and tasks.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark reads files, prints figures, and panics when it cannot run"
)]

mod corpus;
mod hostile;

use std::hint::black_box;
use std::path::PathBuf;

use corpus::{Part, Project};
use pulldown_cmark::{Options, Parser};
use review_document::workspace::Workspace;
use review_lint::{Settings, lint};
use review_test_support::measure::{least_of_calls, report_ratio};

/// The number of runs of each side, alternating.
const RUNS: usize = 21;

fn main() {
    let folder = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    if let Some(folder) = folder {
        against_parsing(&Project::read(&PathBuf::from(folder)));
        return;
    }
    against_parsing(&Project::generated(20, 6, 1));
    for (what, small, large) in [
        ("units", [20, 6, 1], [160, 6, 1]),
        ("tasks in each unit", [5, 6, 1], [5, 48, 1]),
        ("bytes in each file", [20, 6, 1], [20, 6, 8]),
    ] {
        growth(what, small, large);
    }
    hostile::growth();
}

fn against_parsing(project: &Project) {
    let mut around = Around::of(project);
    let bodies = project.bodies();
    let [linting, parsing] = least_of_calls(
        RUNS,
        [&mut || lint_all(project, &mut around), &mut || {
            parse(&bodies)
        }],
    );
    let what = format!(
        "{} files, {} bytes: lint / parse",
        project.files(),
        project.bytes()
    );
    report_ratio(&what, linting, parsing, 6.0);
}

fn parse(bodies: &[String]) {
    for body in bodies {
        for event in Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter() {
            black_box(event);
        }
    }
}

/// The time per byte of a project that is eight times as large.
fn growth(what: &str, [units, tasks, length]: [usize; 3], large: [usize; 3]) {
    let small = Project::generated(units, tasks, length);
    let large = Project::generated(large[0], large[1], large[2]);
    let (mut around_small, mut around_large) = (Around::of(&small), Around::of(&large));
    let [few, many] = least_of_calls(
        RUNS,
        [&mut || lint_all(&small, &mut around_small), &mut || {
            lint_all(&large, &mut around_large);
        }],
    );
    let expected = few.mul_f64(large.bytes() as f64 / small.bytes() as f64);
    report_ratio(
        &format!("8 times the {what}, per byte"),
        many,
        expected,
        1.3,
    );
}

/// The workspaces of the parts of a project.
struct Around {
    workspaces: Vec<Workspace>,
    /// The bytes of all files, as read from disk; each run passes them on to the next
    /// one.
    bytes: Vec<Vec<u8>>,
}

impl Around {
    fn of(project: &Project) -> Self {
        let texts = project.parts.iter().flat_map(Part::texts);
        Self {
            workspaces: project.workspaces(),
            bytes: texts.map(String::into_bytes).collect(),
        }
    }
}

/// Lints each part and keeps only its sources, as the command does.
fn lint_all(project: &Project, around: &mut Around) {
    let mut files = std::mem::take(&mut around.bytes).into_iter();
    for (part, workspace) in project.parts.iter().zip(&mut around.workspaces) {
        workspace.documents = part.read(files.by_ref());
        workspace.unit = part.unit();
        black_box(lint(workspace, &Settings::default()));
        workspace.unit = None;
        let documents = workspace.documents.drain(..);
        around
            .bytes
            .extend(documents.map(|document| document.source.into_bytes()));
    }
}
