//! The manual in `docs/` is complete, and names nothing that does not exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::help::COMMANDS;
use crate::support::TestEnvironment;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    let path = repository().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The Markdown files in a folder and below it, by their path in `docs/`.
fn pages(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let page = path.strip_prefix(repository().join("docs")).unwrap();
            found.push(page.to_str().unwrap().to_owned());
        }
    }
    found
}

/// The words of a closed list in a schema.
fn words_of(schema: &str, definition: &str) -> Vec<String> {
    let schema: Value = serde_json::from_str(&read(&format!("schemas/{schema}"))).unwrap();
    let words = schema["$defs"][definition]["oneOf"].as_array().unwrap();
    let words = words.iter().map(|word| word["const"].as_str().unwrap());
    words.map(str::to_owned).collect()
}

#[test]
fn the_summary_lists_every_page_once() {
    let summary = read("docs/SUMMARY.md");
    let mut listed: Vec<_> = summary
        .split("](")
        .skip(1)
        .map(|rest| rest.split_once(')').unwrap().0.to_owned())
        .collect();
    listed.sort();
    let mut there = pages(&repository().join("docs"));
    there.retain(|page| page != "SUMMARY.md");
    there.sort();
    assert_eq!(listed, there);
}

/// The Markdown files of a folder, without those in folders below it.
fn markdown_in(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(repository().join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| name.ends_with(".md"))
        .map(|name| format!("{folder}/{name}"))
        .collect()
}

#[test]
fn every_link_of_the_documentation_leads_somewhere() {
    let environment = TestEnvironment::new();
    let mut files: Vec<_> = ["docs", "examples", "specs", "tasks"]
        .map(str::to_owned)
        .into();
    files.extend(markdown_in("."));
    for name in fs::read_dir(repository().join("crates")).unwrap() {
        let name = name.unwrap().file_name().into_string().unwrap();
        files.extend(markdown_in(&format!("crates/{name}")));
    }
    let lint = ["lint", "--select", "L3", "--format", "jsonl"].map(str::to_owned);
    let ran = environment
        .command([&lint[..], &files].concat())
        .env("RALPH_STATE_DIR", environment.root().join("state"))
        .in_folder(repository())
        .run();
    let found: Vec<_> = ran
        .json_lines()
        .into_iter()
        .filter(|line| line["rule"] == "L3")
        .map(|line| format!("{}: {}", line["path"], line["message"]))
        .collect();
    assert_eq!((ran.code, found), (0, Vec::new()), "{}", ran.stderr);
}

#[test]
fn a_page_links_to_no_file_outside_the_book() {
    for page in pages(&repository().join("docs")) {
        let depth = page.matches('/').count();
        let outside = format!("]({}", "../".repeat(depth + 1));
        let text = read(&format!("docs/{page}"));
        assert!(!text.contains(&outside), "{page}");
    }
}

#[test]
fn each_place_where_to_look_is_there_and_there_are_few() {
    let page = read("ARCHITECTURE.md");
    let (_, table) = page.split_once("## Where to look").unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| ")).count();
    assert!(rows <= 26, "{rows} lines with the head");
    let quoted = table.split('`').skip(1).step_by(2);
    let starts = ["crates/", "docs/", "tests/"];
    let paths = quoted.filter(|path| starts.iter().any(|start| path.starts_with(start)));
    let paths: Vec<_> = paths.collect();
    assert!(!paths.is_empty(), "{table}");
    for path in paths {
        assert!(repository().join(path).exists(), "{path}");
    }
}

#[test]
fn every_command_has_a_heading_in_the_manual() {
    let page = read("docs/reference/commands.md");
    let headings: BTreeSet<_> = page
        .lines()
        .filter_map(|line| line.strip_prefix("### ralph "))
        .collect();
    let commands: Vec<_> = COMMANDS.iter().map(|words| words.join(" ")).collect();
    let groups = |command: &&String| {
        let prefix = format!("{command} ");
        // `ralph learn` alone shows where learning is.
        **command == "learn" || !commands.iter().any(|other| other.starts_with(&prefix))
    };
    let expected: BTreeSet<_> = commands.iter().filter(groups).map(String::as_str).collect();
    assert_eq!(headings, expected);
}

#[test]
fn the_documentation_names_no_command_that_does_not_exist() {
    let mut files = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    files.extend(
        pages(&repository().join("docs"))
            .iter()
            .map(|page| format!("docs/{page}")),
    );
    let mut known: BTreeSet<_> = COMMANDS.iter().map(|words| words[0]).collect();
    known.insert("help");
    // It is started by `ssh`, and hidden.
    known.insert("step");
    for file in files {
        let text = read(&file);
        for rest in text
            .split("`ralph ")
            .chain(text.split("\n$ ralph "))
            .skip(1)
        {
            let word: String = rest
                .chars()
                .take_while(|c| c.is_ascii_lowercase())
                .collect();
            assert!(
                word.is_empty() || known.contains(&*word),
                "{file}: ralph {word}"
            );
        }
    }
}

#[test]
fn every_event_is_in_the_manual() {
    let page = read("docs/reference/events.md");
    for event in words_of("event.schema.json", "EventType") {
        assert!(page.contains(&format!("| `{event}` |")), "{event}");
    }
}

#[test]
fn every_format_is_in_the_manual() {
    let page = read("docs/reference/file-formats.md");
    let (_, page) = page.split_once("## Formats with a schema").unwrap();
    let list = TestEnvironment::new().ralph(["schema"]).exits(0).stdout;
    for line in list.lines() {
        let name = line.split_whitespace().next().unwrap();
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}
