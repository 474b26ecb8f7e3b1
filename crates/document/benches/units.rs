//! What loading units costs, as ratios within one run.
//!
//! `cargo bench -p review-document` prints one line per figure with its limit.
//! CPU is user and system time of this process; each side of a comparison runs
//! in turn with the other, and the smallest of its runs counts.

#![allow(
    clippy::disallowed_methods,
    reason = "the bench writes the files that it reads back"
)]
#![allow(clippy::print_stdout, reason = "the figures are printed")]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a bench that cannot run has no figures"
)]

mod measure;

use std::hint::black_box;
use std::path::{Path, PathBuf};

use measure::{least, report};
use review_document::{Graph, Plan, TaskFile, Unit, UnitGraph};
use review_types::UnitId;

/// Bytes of task files of a real project, a tenth of them from each size to
/// the next.
const SIZES: [usize; 11] = [
    1876, 3339, 3718, 4248, 4604, 5086, 5301, 6007, 7413, 9380, 15624,
];
const FILES: usize = 214;
const TASKS_PER_UNIT: usize = 6;
const RUNS: usize = 25;

fn main() {
    loading_against_reading();
    many_tasks_against_few();
    many_units_against_opens();
}

fn loading_against_reading() {
    let root = std::env::temp_dir().join(format!("review-document-bench-{}", std::process::id()));
    let units = write_units(&root);
    let [read, load] = least(
        RUNS,
        [
            &mut || {
                for (_, files) in &units {
                    for file in files {
                        black_box(std::fs::read(file).unwrap());
                    }
                }
            },
            &mut || {
                let loaded: Vec<_> = units
                    .iter()
                    .map(|(id, files)| {
                        let texts = files
                            .iter()
                            .map(|file| (file.to_str().unwrap(), std::fs::read(file).unwrap()));
                        let dir = files[0].parent().unwrap().to_str().unwrap();
                        let unit = Unit::load(id.clone(), dir, texts);
                        assert_eq!(
                            unit.graph().runnable().unwrap().tasks().len(),
                            unit.tasks.len()
                        );
                        unit
                    })
                    .collect();
                let graph =
                    UnitGraph::new(loaded.iter().map(|unit| (&unit.id, unit.plan.as_ref())));
                assert_eq!(black_box(graph).faults(), []);
            },
        ],
    );
    std::fs::remove_dir_all(&root).unwrap();
    report(
        &format!("{FILES} task files: read, parse, validate, graph / read"),
        load,
        read,
        3.0,
    );
}

fn many_tasks_against_few() {
    let texts = |count: u32| -> Vec<_> {
        (1..=count)
            .map(|number| (format!("t/{number}.md"), task(number, &before(number), 300)))
            .collect()
    };
    let (few, many) = (texts(10_000), texts(100_000));
    let run = |texts: &[(String, String)]| {
        let tasks: Vec<_> = texts
            .iter()
            .map(|(path, text)| TaskFile::parse(path.as_str(), text))
            .collect();
        assert_eq!(
            Graph::new(&tasks).runnable().unwrap().tasks().len(),
            texts.len()
        );
    };
    let [few, many] = least(RUNS, [&mut || run(&few), &mut || run(&many)]);
    report("100,000 tasks / 10 x 10,000 tasks", many, few * 10, 1.5);
}

fn many_units_against_opens() {
    let plans: Vec<(UnitId, Plan)> = (0..2_000)
        .map(|unit| {
            let text = format!(
                "---\nunit: unit-{unit}\ndepends_on: [unit-{}, unit-{}]\n---\n",
                unit / 2,
                unit / 3
            );
            let text = if unit == 0 { String::new() } else { text };
            (
                format!("unit-{unit}").parse().unwrap(),
                Plan::parse("p", text),
            )
        })
        .collect();
    let file = std::env::current_exe().unwrap();
    let [opens, graph] = least(
        RUNS,
        [
            &mut || {
                for _ in 0..2_000 {
                    black_box(std::fs::File::open(&file).unwrap());
                }
            },
            &mut || {
                let graph = UnitGraph::new(plans.iter().map(|(id, plan)| (id, Some(plan))));
                assert_eq!(black_box(graph.order().count()), 2_000);
            },
        ],
    );
    report(
        "a graph of 2,000 units / 2,000 file opens",
        graph,
        opens,
        1.0,
    );
}

fn write_units(root: &Path) -> Vec<(UnitId, Vec<PathBuf>)> {
    let mut units = Vec::new();
    for (unit, sizes) in sizes().chunks(TASKS_PER_UNIT).enumerate() {
        let id = format!("unit-{unit}");
        let dir = root.join(&id);
        std::fs::create_dir_all(&dir).unwrap();
        let files = sizes.iter().zip(1..).map(|(&size, number)| {
            let file = dir.join(format!("{number:02}-task.md"));
            std::fs::write(&file, task(number, &before(number), size)).unwrap();
            file
        });
        units.push((id.parse().unwrap(), files.collect()));
    }
    units
}

fn sizes() -> Vec<usize> {
    (0..FILES)
        .map(|file| {
            let place = file * (SIZES.len() - 1) * 100 / FILES;
            let (low, part) = (SIZES[place / 100], place % 100);
            low + (SIZES[place / 100 + 1] - low) * part / 100
        })
        .collect()
}

fn before(number: u32) -> Vec<u32> {
    let mut before: Vec<_> = [number / 2, number.saturating_sub(1)].into();
    before.dedup();
    before.retain(|&other| other > 0 && other != number);
    before
}

fn task(number: u32, depends_on: &[u32], size: usize) -> String {
    let mut text = format!(
        "---\ntask: {number}\nstatus: complete\nbackpressure: \"cargo test -p shop orders_{number}\"\n\
         depends_on: {depends_on:?}\n---\n\n# Orders, part {number}\n\n**Parent spec**: `/specs/SHOP.md`\n\
         **Task**: #{number} of many in implementation plan\n\n## Objective\n\n"
    );
    let mut line = 0;
    while text.len() < size {
        line += 1;
        text += &match line % 12 {
            0 => format!("```rust\n# not a heading\nfn part_{line}() {{}}\n```\n\n"),
            6 => format!("| `orders_part_{line}` | Returns the order with all its lines |\n"),
            9 => format!("\n### Part {line}\n\n"),
            _ => format!("An order holds line {line}, its price, and the time of its change.\n"),
        };
    }
    text
}
