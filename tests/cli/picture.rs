//! The pictures of the manual show what `ralph demo` prints, and `ralph run` in
//! `examples/search`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::support::TestEnvironment;

const LINE: usize = 20;
const MARGIN: usize = 20;

const STYLE: &str = r"    rect { fill: #f6f8fa; stroke: #d0d7de }
    text { fill: #1f2328; white-space: pre }
    .dim { fill: #636c76 }
    .bold { font-weight: bold }
    .green { fill: #1a7f37 }
    .yellow { fill: #9a6700 }
    .cyan { fill: #1b7c83 }
    .red { fill: #cf222e }
    @media (prefers-color-scheme: dark) {
      rect { fill: #0d1117; stroke: #30363d }
      text { fill: #e6edf3 }
      .dim { fill: #8d96a0 }
      .green { fill: #3fb950 }
      .yellow { fill: #d29922 }
      .cyan { fill: #39c5cf }
      .red { fill: #f85149 }
    }
";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() && name != ".ralph-review" {
            copy(&path, &to.join(name));
        } else if path.is_file() {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

/// What a run of the example prints on a terminal, with the same times and the
/// same id whenever it runs.
fn output() -> String {
    let environment = TestEnvironment::without_project();
    copy(&repository().join("examples/search"), &environment.root());
    let ran = environment.ralph(["run", "--color", "always"]).exits(0);
    format!("\x1b[1m$ ralph run\x1b[0m\n{}", same_times(&ran.stdout))
}

fn same_times(printed: &str) -> String {
    let mut output = String::new();
    for line in printed.lines() {
        let line = match line.rsplit_once(", ") {
            Some((head, _)) if line.starts_with("  task ") => format!("{head}, 9ms\x1b[0m"),
            _ => line.to_owned(),
        };
        let line = match line.rsplit_once("run ") {
            Some((head, _)) if line.contains(" · ") => format!("{head}run 0198c3f2\x1b[0m"),
            _ => line,
        };
        output.push_str(&line);
        output.push('\n');
    }
    output
}

/// What the demo prints on a terminal, with the same folder, times and ids whenever it
/// runs.
fn demo() -> String {
    let environment = TestEnvironment::without_project();
    let command = environment.command(["demo", "--color", "always"]);
    let ran = command
        .env("RALPH_LANE_SANDBOX", "{mode='off'}")
        .run()
        .exits(0);
    let folder = Regex::new(r"\S*/ralph-demo-\w+").unwrap();
    let said = folder.replace_all(&ran.stdout, "/tmp/ralph-demo-1");
    let changing = [
        (r"commit [0-9a-f]{10}", "commit 5c1e0a9d2f"),
        (r" at [0-9a-f]{10}", " at 5c1e0a9d2f"),
        (r", \d+(\.\d+)?m?s", ", 9ms"),
        (r"run [0-9a-f]{8}", "run 0198c3f2"),
        (r"sandbox \w+", "sandbox bwrap"),
        (r"landed on \w+", "landed on main"),
    ];
    let said = changing
        .into_iter()
        .fold(said.into_owned(), |said, (found, always)| {
            let found = Regex::new(found).unwrap();
            found.replace_all(&said, always).into_owned()
        });
    format!("\x1b[1m$ ralph demo\x1b[0m\n{said}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The lines of a moving picture come after each other, and stay.
const MOVING: &str = r"    .line { opacity: 0; animation: show 0s forwards }
    @keyframes show { to { opacity: 1 } }
    @media (prefers-reduced-motion: reduce) { .line { opacity: 1; animation: none } }
";

/// How a picture shows its lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Motion {
    /// All at once.
    Still,
    /// One after the other.
    Moving,
}

/// One line as an element, with its number of columns. In a moving picture it comes after
/// `delay` tenths of a second.
fn element(line: &str, at: usize, delay: Option<usize>) -> (String, usize) {
    let (mut spans, mut columns, mut classes) = (String::new(), 0, Vec::new());
    for (index, part) in line.split("\x1b[").enumerate() {
        let text = match part.split_once('m') {
            Some((code, text)) if index > 0 => {
                match code {
                    "0" => classes.clear(),
                    "1" => classes.push("bold"),
                    "2" => classes.push("dim"),
                    "31" => classes.push("red"),
                    "32" => classes.push("green"),
                    "33" => classes.push("yellow"),
                    "36" => classes.push("cyan"),
                    other => panic!("no class for the code {other}"),
                }
                text
            }
            _ => part,
        };
        columns += text.chars().count();
        match (text, &classes[..]) {
            ("", _) => {}
            (text, []) => spans.push_str(&escaped(text)),
            (text, classes) => {
                let (class, text) = (classes.join(" "), escaped(text));
                write!(spans, "<tspan class=\"{class}\">{text}</tspan>").unwrap();
            }
        }
    }
    let (y, width) = (MARGIN + LINE * (at + 1) - 5, width(columns));
    let delay = delay.map(|tenths| {
        let (seconds, tenths) = (tenths / 10, tenths % 10);
        format!(" class=\"line\" style=\"animation-delay: {seconds}.{tenths}s\"")
    });
    let delay = delay.unwrap_or_default();
    let element = format!(
        "  <text{delay} x=\"{MARGIN}\" y=\"{y}\" textLength=\"{width}\" xml:space=\"preserve\">{spans}</text>\n"
    );
    (element, columns)
}

/// The width of some columns at this size of the font.
const fn width(columns: usize) -> usize {
    columns * 42 / 5
}

fn picture(title: &str, output: &str, motion: Motion) -> String {
    let mut delay = 0;
    let lines = output.lines().enumerate().map(|(at, line)| {
        // What is said of an attempt, and what it was, is read before the next comes.
        let is_new = line.contains("attempt") || line.contains("1. ") || line.contains("next");
        delay += if is_new { 15 } else { 3 };
        element(line, at, (motion == Motion::Moving).then_some(delay))
    });
    let lines: Vec<_> = lines.collect();
    let moving = match motion {
        Motion::Still => "",
        Motion::Moving => MOVING,
    };
    let columns = lines.iter().map(|(_, columns)| *columns).max().unwrap();
    let (width, height) = (width(columns) + 2 * MARGIN, LINE * lines.len() + 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"14\">\n  <title>{title}</title>\n  <style>\n{STYLE}{moving}  </style>\n  \
         <rect x=\"1\" y=\"1\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n",
        width - 2,
        height - 2,
    );
    for (element, columns) in lines {
        if columns > 0 {
            svg.push_str(&element);
        }
    }
    svg + "</svg>\n"
}

/// Compares a picture with what is in the repository; `just picture` writes it.
fn is_in(path: &str, drawn: &str) {
    let path = repository().join(path);
    if std::env::var_os("RALPH_WRITE_PICTURE").is_some() {
        fs::write(&path, drawn).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap();
    assert_eq!(written, drawn, "`just picture` draws it");
}

#[test]
fn the_second_run_of_the_example_runs_no_command_again() {
    let environment = TestEnvironment::without_project();
    copy(&repository().join("examples/search"), &environment.root());
    environment.ralph(["run"]).exits(0);
    let ran = environment.ralph(["run"]).exits(0);
    let tasks = ran.stdout.lines().filter(|line| line.contains("  task "));
    let tasks: Vec<_> = tasks.collect();
    assert_eq!(tasks.len(), 2, "{ran:#?}");
    for task in tasks {
        assert!(task.ends_with("unchanged, recorded earlier"), "{task}");
    }
}

#[test]
fn the_picture_of_the_first_run_is_a_real_one() {
    let drawn = picture("What ralph run prints", &output(), Motion::Still);
    is_in("docs/run.svg", &drawn);
}

#[test]
fn the_picture_of_the_readme_is_a_real_demo() {
    let drawn = picture("What ralph demo prints", &demo(), Motion::Moving);
    is_in("docs/demo.svg", &drawn);
}
