//! How much of `ralph` there is to know. A number here rises only where what is added is
//! worth more than that nobody has to know it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::help::COMMANDS;
use crate::support::TestEnvironment;

/// What is counted, and how many there may be.
const MOST: &[(&str, usize)] = &[
    ("commands", 47),
    ("options", 79),
    ("keys", 59),
    ("events", 36),
    ("words", 139),
    ("Block codes", 20),
    ("Attempts", 18),
    ("Change flags", 6),
    ("Landing", 8),
    ("Start", 9),
    ("Call failures", 12),
];

fn repository(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The long options in the help of all commands.
fn options(environment: &TestEnvironment) -> BTreeSet<String> {
    let mut options = BTreeSet::new();
    for command in COMMANDS {
        let help = environment.ralph([*command, &["-h"]].concat()).exits(0);
        let lines = help.stdout.lines().map(str::trim_start);
        let named = lines.filter(|line| line.starts_with('-'));
        options.extend(named.filter_map(|line| {
            let option = line.split([' ', ',']).find(|word| word.starts_with("--"))?;
            Some(option.to_owned())
        }));
    }
    options
}

/// The words in a section of the page of codes; those of all sections for `words`.
fn words<'p>(page: &'p str, section: &str) -> BTreeSet<&'p str> {
    let sections = page.split("\n## ").skip(1);
    let of_section = sections.filter(|text| section == "words" || text.starts_with(section));
    of_section
        .flat_map(str::lines)
        .filter_map(|line| line.strip_prefix("### "))
        .collect()
}

fn found(environment: &TestEnvironment, what: &str) -> BTreeSet<String> {
    match what {
        "commands" => {
            let is_group = |words: &&&[&str]| {
                let mut others = COMMANDS.iter();
                **words != ["learn"]
                    && others.any(|other| other.len() > words.len() && other.starts_with(words))
            };
            let commands = COMMANDS.iter().filter(|words| !is_group(words));
            commands.map(|words| words.join(" ")).collect()
        }
        "options" => options(environment),
        "keys" => {
            let shown = environment.ralph(["config", "--format", "json"]).exits(0);
            let shown = shown.json();
            let keys = shown["keys"].as_array().unwrap().iter();
            keys.map(|key| key["key"].as_str().unwrap().to_owned())
                .collect()
        }
        "events" => {
            let schema: Value =
                serde_json::from_str(&repository("schemas/event.schema.json")).unwrap();
            let types = schema["$defs"]["EventType"]["oneOf"].as_array().unwrap();
            let types = types.iter().map(|word| word["const"].as_str().unwrap());
            types.map(str::to_owned).collect()
        }
        section => {
            let page = repository("docs/reference/codes.md");
            let found = words(&page, section).into_iter();
            found.map(str::to_owned).collect()
        }
    }
}

#[test]
fn there_is_no_more_to_know_than_is_agreed() {
    let environment = TestEnvironment::new();
    let mut wrong = Vec::new();
    for (what, most) in MOST {
        let found = found(&environment, what);
        if found.len() != *most {
            wrong.push(format!(
                "{what}: {} in place of {most}: {found:?}",
                found.len()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
