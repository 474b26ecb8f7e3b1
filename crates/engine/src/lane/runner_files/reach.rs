//! What the commands of a task reach beside the files that they name: scripts of a
//! `package.json`, and makefiles that others include.

use std::collections::BTreeSet;

use review_document::command::{Folder, Invocation, Runner, Script, package_scripts};
use review_document::joined;
use review_document::workspace::RecipeTool;
use review_lint::Glob;
use serde_json::Value;

/// Maximum number of commands and files that are followed.
const MAX_STEPS: usize = 100;

/// What commands reach.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// The commands, with the scripts that they run.
    pub(in crate::lane) commands: Vec<String>,
    /// The scripts, each with the folder of its `package.json`.
    scripts: BTreeSet<(String, String)>,
    /// Paths and patterns.
    makefiles: BTreeSet<String>,
}

/// Reads a file of the project as it was, relative to the root.
pub(crate) trait ReadBefore {
    async fn read(&self, path: &str) -> Option<String>;
}

impl Reach {
    /// Follows commands through the files of the project as they were.
    pub(crate) async fn of(commands: &[String], files: &impl ReadBefore) -> Self {
        let mut reach = Self::default();
        let mut due: Vec<_> = commands
            .iter()
            .map(|text| (String::new(), text.clone()))
            .collect();
        let mut makefiles = BTreeSet::new();
        while let Some((folder, text)) = due.pop() {
            if reach.commands.len() >= MAX_STEPS {
                break;
            }
            let script = Script::parse(&text);
            for run in &script.invocations {
                let Some(at) = below(&folder, &run.folder) else {
                    continue;
                };
                match run.runner {
                    Runner::Make => makefiles.extend(named_makefiles(&script, run, &at)),
                    _ => {
                        for name in package_scripts(&script, run) {
                            due.extend(reach.add_script(&at, &name, files).await);
                        }
                    }
                }
            }
            reach.commands.push(text);
        }
        reach.follow_includes(makefiles, files).await;
        reach
    }

    /// Adds a script of a `package.json` with those before and after it; returns their
    /// commands.
    async fn add_script(
        &mut self,
        folder: &str,
        name: &str,
        files: &impl ReadBefore,
    ) -> Vec<(String, String)> {
        let package = joined(folder, "package.json").unwrap_or_default();
        let package = files.read(&package).await.unwrap_or_default();
        let package: Value = serde_json::from_str(&package).unwrap_or_default();
        let names = [format!("pre{name}"), name.to_owned(), format!("post{name}")];
        let mut commands = Vec::new();
        for name in names {
            let text = package["scripts"][&name].as_str().unwrap_or_default();
            if self.scripts.insert((folder.to_owned(), name)) && !text.is_empty() {
                commands.push((folder.to_owned(), text.to_owned()));
            }
        }
        commands
    }

    /// Adds makefiles, and those that they include.
    async fn follow_includes(&mut self, named: BTreeSet<String>, files: &impl ReadBefore) {
        let mut due: Vec<_> = named.into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(path) = due.pop() {
            if seen.len() >= MAX_STEPS || !seen.insert(path.clone()) {
                continue;
            }
            self.makefiles.insert(path.clone());
            let text = files.read(&path).await.unwrap_or_default();
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            for line in text.lines() {
                let mut words = line.split_whitespace();
                if !matches!(words.next(), Some("include" | "-include" | "sinclude")) {
                    continue;
                }
                let included = words.take_while(|word| !word.starts_with('#'));
                due.extend(included.filter_map(|word| joined(folder, word)));
            }
        }
    }

    /// Returns whether a file, relative to the root, is a makefile that a command reaches.
    pub(super) fn is_makefile(&self, path: &str) -> bool {
        let is_matched = |pattern: &String| {
            let glob = pattern.contains('*').then(|| pattern.parse::<Glob>());
            glob.is_some_and(|glob| glob.is_ok_and(|glob| glob.matches(path)))
        };
        self.makefiles.contains(path) || self.makefiles.iter().any(is_matched)
    }

    /// Returns the names of the scripts that are reached in a folder.
    pub(super) fn scripts(&self, folder: &str) -> Vec<String> {
        let scripts = self.scripts.iter().filter(|(of, _)| of == folder);
        scripts.map(|(_, name)| name.clone()).collect()
    }
}

/// The folder of a command in a folder.
fn below(folder: &str, inner: &Folder) -> Option<String> {
    match inner {
        Folder::Below(inner) => joined(folder, inner),
        Folder::Unknown => None,
    }
}

/// The makefiles that `make` looks for, or that its options name.
fn named_makefiles(script: &Script<'_>, run: &Invocation<'_>, folder: &str) -> Vec<String> {
    let command = script.commands().get(run.command);
    let words = command.map_or(&[][..], |command| &command.words);
    let mut names = Vec::new();
    for pair in words.windows(2) {
        if matches!(&*pair[0].text, "-f" | "--file" | "--makefile") {
            names.push(&*pair[1].text);
        }
    }
    if names.is_empty() {
        names.extend(RecipeTool::Make.file_names());
    }
    names
        .into_iter()
        .filter_map(|name| joined(folder, name))
        .collect()
}
