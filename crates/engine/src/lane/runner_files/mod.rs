//! The files that configure or replace a runner of tests. An agent that changes them decides
//! how its own work is judged, so a gate runs with them as they were.
//!
//! Which files these are is data, in `table.toml`. Of files that have other settings as
//! well, only the values of some keys count, however they are written. What a command
//! reaches (scripts of a `package.json`, makefiles that others include) depends on the
//! command.

mod reach;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use review_document::command::{Runner, Script, SimpleCommand};
use review_document::joined;
use review_lint::Glob;
use serde::Deserialize;

pub(crate) use reach::{Reach, ReadBefore};
use values::Settings;

/// What configures or replaces the runners of the tests of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    tests: Vec<Glob>,
    files: Vec<Glob>,
    #[serde(default)]
    modules: Vec<String>,
    #[serde(default)]
    mixed: Vec<MixedFile>,
}

/// A file of which only some keys configure a runner.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MixedFile {
    file: String,
    keys: Vec<String>,
    #[serde(default)]
    only_existing: bool,
    #[serde(default)]
    scripts: bool,
    #[serde(default)]
    sources: Vec<String>,
}

static TABLE: LazyLock<BTreeMap<String, Language>> =
    LazyLock::new(|| toml::from_str(include_str!("table.toml")).unwrap_or_default());

/// How a change of a file concerns runners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunnerEffect {
    /// It does not.
    None,
    /// It does, and changes nothing else.
    Alone,
    /// It does, and changes something else as well.
    WithOthers,
}

/// A file that may configure or replace a runner.
#[derive(Debug)]
pub(crate) struct RunnerFile {
    /// `None` for one that a command reaches, whatever the language of its tests.
    language: Option<&'static Language>,
    mixed: Option<&'static MixedFile>,
}

impl RunnerFile {
    /// Finds the entry of a file, relative to the root, in the table or in what a command
    /// reaches.
    pub(crate) fn find(path: &str, reach: &Reach) -> Option<Self> {
        if reach.is_makefile(path) {
            return Some(Self {
                language: None,
                mixed: None,
            });
        }
        TABLE.values().find_map(|language| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let mixed = language.mixed.iter().find(|mixed| mixed.file == name);
            let is_whole = language.files.iter().any(|glob| glob.matches(path))
                || is_module(path, &language.modules);
            (is_whole || mixed.is_some()).then_some(Self {
                language: Some(language),
                mixed,
            })
        })
    }

    /// Returns how a change of its content concerns runners; `None` is a file that does not
    /// exist, or is not a regular file.
    pub(crate) fn effect(
        &self,
        path: &str,
        [before, after]: [Option<&[u8]>; 2],
        reach: &Reach,
    ) -> RunnerEffect {
        let Some(mixed) = self.mixed else {
            return RunnerEffect::Alone;
        };
        if mixed.only_existing && before.is_none() {
            return RunnerEffect::None;
        }
        let read = |content: Option<&[u8]>| match content {
            Some(content) => Settings::read(path, content),
            None => Some(Settings::default()),
        };
        let (Some(before), Some(after)) = (read(before), read(after)) else {
            // What cannot be read cannot be compared.
            return RunnerEffect::Alone;
        };
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let scripts = match mixed.scripts {
            true => reach.scripts(folder),
            false => Vec::new(),
        };
        let split = |settings: Settings| settings.split(&mixed.keys, &scripts, &mixed.sources);
        let ((old, others_before), (new, others_after)) = (split(before), split(after));
        match (old == new, others_before == others_after) {
            (true, _) => RunnerEffect::None,
            (false, true) => RunnerEffect::Alone,
            (false, false) => RunnerEffect::WithOthers,
        }
    }

    /// Returns whether files have tests in its language that these commands run.
    pub(super) fn has_tests(&self, commands: &[String], files: &[PathBuf]) -> bool {
        let Some(language) = self.language else {
            return true;
        };
        let files: Vec<_> = files.iter().filter_map(|path| path.to_str()).collect();
        let is_test = |path: &str| language.tests.iter().any(|glob| glob.matches(path));
        let scripts = commands.iter().map(|command| Script::parse(command));
        scripts
            .into_iter()
            .any(|script| runs_tests(&script, &files, &is_test))
    }
}

/// Returns whether a path is a module of this name, in any folder: Python finds it first.
fn is_module(path: &str, modules: &[String]) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some((stem, "py" | "pyc" | "so" | "pyd")) = name
        .split_once('.')
        .map(|(stem, rest)| (stem, rest.rsplit('.').next().unwrap_or(rest)))
    else {
        return false;
    };
    let is_one = |part: &str| modules.iter().any(|module| module == part);
    is_one(stem) || folder.split('/').any(is_one)
}

/// Returns whether a script runs one of the tests among these files: those that it names, or
/// all below its folder if it names none.
fn runs_tests(script: &Script<'_>, files: &[&str], is_test: &dyn Fn(&str) -> bool) -> bool {
    let enters_folder = |command: &SimpleCommand<'_>| {
        let program = command.program();
        program.is_some_and(|program| matches!(program.name, "cd" | "pushd" | "popd"))
    };
    script.invocations.iter().any(|run| {
        let command = &script.commands()[run.command];
        if enters_folder(command) {
            return false;
        }
        let words = command.words.iter();
        let words: Vec<&str> = words.map(|word| &*word.text).collect();
        let folder = run.folder.join("").unwrap_or_default();
        let is_cargo = matches!(run.runner, Runner::CargoTest | Runner::CargoNextest);
        let targets = words
            .windows(2)
            .filter(|pair| is_cargo && pair[0] == "--test");
        let targets: Vec<_> = targets
            .map(|pair| format!("tests/{}.rs", pair[1]))
            .collect();
        if !targets.is_empty() {
            let is_target = |file: &&str| {
                let mut targets = targets.iter();
                targets.any(|target| Path::new(file).ends_with(target))
            };
            return files.iter().any(is_target);
        }
        let named = words.iter().skip(1).filter_map(|word| {
            let path = word.split("::").next().unwrap_or(word);
            let path = joined(&folder, path).filter(|_| !path.starts_with('-'))?;
            let is_named = is_test(&path) || files.iter().any(|file| is_below(file, &path));
            (is_named && !path.is_empty() && path != folder).then_some(path)
        });
        let mut named: Vec<_> = named.collect();
        if named.is_empty() {
            named.push(folder);
        }
        let runs = |file: &&&str| named.iter().any(|path| is_below(file, path));
        files.iter().filter(runs).any(|file| is_test(file))
    })
}

/// Returns whether a file is a path, or below it.
fn is_below(file: &str, path: &str) -> bool {
    Path::new(file).starts_with(path)
}

#[cfg(test)]
mod tests;
