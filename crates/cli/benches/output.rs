//! What 100 MB of output cost over writing them, and the memory they take:
//! `cargo bench -p ralph-review --bench output`.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench writes files, starts programs, prints what they cost"
)]

use std::fs;
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::Command;

use review_test_support::measure::{
    Program, least_of_programs, milliseconds, peak_memory_of_children, ralph, report,
};

/// What the writer writes, at a time and in all.
const PIECE: usize = 64 * 1024;
const TOTAL: usize = 100_000_000;

const PASS: &str = r#"{"verdict":"pass","score":{"completeness":90,"consistency":90,"testability":90,"architecture":90},"feedback":[]}"#;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("stdout") => write_all(&mut stdout()),
        Some("stderr") => {
            write_all(&mut stderr());
            println!("{PASS}");
        }
        _ => compare(),
    }
}

/// Writes until the reader is gone.
fn write_all(to: &mut impl Write) {
    let line = "test parser::tests::a_line_of_output_like_many_others ... ok\n";
    let piece: Vec<u8> = line.bytes().cycle().take(PIECE).collect();
    let mut left = TOTAL;
    while left > 0 {
        let size = left.min(PIECE);
        if to.write_all(&piece[..size]).is_err() {
            return;
        }
        left -= size;
    }
}

fn compare() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    for (name, text) in [
        ("specs/DEMO.md", "# Demo\n\n## Goal\n\nA demo.\n".to_owned()),
        ("tasks/demo/01-write.md", task()),
    ] {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder)).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    // The first run finds no state.
    let reset = || {
        let _ = fs::remove_dir_all(folder.join(".ralph-review"));
    };
    let side = |command, status| Program {
        prepare: &reset,
        command,
        status,
    };
    let reviewer = |line: String| reviewed(folder, &line);
    let own = writer().display().to_string();
    let [writes, answer, stubborn, messages, task] = least_of_programs(
        15,
        [
            side(&|| writes(), 0),
            side(&|| reviewer(format!("{own} stdout")), 3),
            side(
                &|| reviewer(format!("sh -c \"trap '' TERM; exec {own} stdout\"")),
                3,
            ),
            side(&|| reviewer(format!("{own} stderr")), 0),
            side(&|| tasks(folder), 0),
        ],
    )
    .map(milliseconds);
    println!("100 MB, the writer alone: {writes:.0} ms");
    for (what, time) in [
        ("an answer, cut off", answer),
        ("an answer, written on after it was cut off", stubborn),
        ("a reviewer's messages", messages),
        ("a task's output", task),
    ] {
        report(what, (time - writes) / 1e3, 1.0, "s");
    }
    let memory = peak_memory_of_children() as f64 / f64::from(1 << 20);
    report("memory at most", memory, 32.0, "MiB");
}

fn writer() -> PathBuf {
    std::env::current_exe().expect("the path of this bench")
}

fn writes() -> Command {
    let mut command = Command::new(writer());
    command.arg("stdout");
    command
}

fn reviewed(folder: &Path, line: &str) -> Command {
    let mut command = ralph(env!("CARGO_BIN_EXE_ralph"), folder);
    command.args([
        "run",
        "--no-tasks",
        "--no-apply",
        "--reviewer",
        &format!("cmd:{line}"),
    ]);
    command
}

fn tasks(folder: &Path) -> Command {
    let mut command = ralph(env!("CARGO_BIN_EXE_ralph"), folder);
    command.args(["run", "--tasks-only"]);
    command
}

fn task() -> String {
    format!(
        "---\ntask: 1\nstatus: pending\nbackpressure: \"{} stdout\"\ndepends_on: []\n---\n\n\
         # Write\n\n**Parent spec**: `/specs/DEMO.md`\n",
        writer().display()
    )
}
