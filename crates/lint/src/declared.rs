//! Names in commands that must be declared: package scripts, recipes, targets and Cargo
//! packages.

use review_document::command::{Folder, Invocation, Runner, Word};
use review_document::near;
use review_document::workspace::{RecipeFile, RecipeTool, Workspace};
use review_types::excerpt;

use crate::facts::{Facts, Step};

/// The maximum number of names that are searched for a similar one.
const MAX_NEAR: usize = 2000;

/// The maximum number of undeclared names that are examined; further ones add no
/// information.
const MAX_MISSING: usize = 256;

/// A name that is not declared.
pub(crate) struct Missing<'s> {
    pub(crate) word: &'s Word<'s>,
    /// The kind of declaration.
    pub(crate) what: &'static str,
    /// The file or place in which it should be declared.
    pub(crate) place: String,
    /// The most similar declared name.
    pub(crate) near: Option<String>,
}

/// The declarations of the project, and those that its documents announce.
pub(crate) struct Declared<'f, 'a> {
    facts: &'f Facts<'a>,
    looked: usize,
    missing: usize,
}

impl<'f, 'a> Declared<'f, 'a> {
    pub(crate) fn new(facts: &'f Facts<'a>) -> Self {
        Self {
            facts,
            looked: 0,
            missing: 0,
        }
    }

    /// The number of names that were looked up.
    pub(crate) fn looked(&self) -> usize {
        self.looked
    }

    /// The names in an invocation that are neither declared nor added by a task.
    pub(crate) fn missing<'s>(
        &mut self,
        step: &'s Step<'_>,
        run: &'s Invocation<'_>,
    ) -> Vec<Missing<'s>> {
        let program = step.script.commands()[run.command].program();
        match program.map_or("", |program| program.name) {
            "cargo" => self.packages(run),
            _ if run.runner == Runner::Just => self.recipes(run, RecipeTool::Just),
            _ if run.runner == Runner::Make => self.recipes(run, RecipeTool::Make),
            _ => self.scripts(run),
        }
    }

    /// The words for which `is_declared` is false, up to a limit.
    fn undeclared<'s>(
        &mut self,
        words: &'s [Word<'s>],
        is_declared: impl Fn(&str) -> bool,
    ) -> Vec<&'s Word<'s>> {
        self.looked += words.len();
        let unknown = words.iter().filter(|word| !is_declared(&word.text));
        let room = MAX_MISSING - self.missing;
        let unknown: Vec<_> = unknown.take(room).collect();
        self.missing += unknown.len();
        unknown
    }

    /// Scripts missing from the nearest `package.json`.
    fn scripts<'s>(&mut self, run: &'s Invocation<'_>) -> Vec<Missing<'s>> {
        let node = &self.facts.workspace.node;
        let found = nearest(&run.folder, |folder| {
            node.iter().find(|package| package.folder == folder)
        });
        let Some(package) = found else {
            return Vec::new();
        };
        let file = join(&package.folder, "package.json");
        let words = self.undeclared(&run.recipes, |name| {
            package.scripts.iter().any(|script| script == name)
        });
        self.in_file(words, &file, "script", &package.scripts)
    }

    /// Recipes missing from the nearest justfile or from the makefile of the folder.
    fn recipes<'s>(&mut self, run: &'s Invocation<'_>, tool: RecipeTool) -> Vec<Missing<'s>> {
        let Workspace { recipes, paths, .. } = self.facts.workspace;
        let at = |folder: &str| {
            recipes
                .iter()
                .find(|file| file.tool == tool && file.folder == folder)
        };
        let (what, found) = match tool {
            RecipeTool::Just => ("recipe", nearest(&run.folder, at)),
            RecipeTool::Make => ("target", run.folder.join("").and_then(|folder| at(&folder))),
        };
        let Some(file) = found.filter(|file| file.is_whole) else {
            return Vec::new();
        };
        let names = tool.file_names().iter();
        let mut candidates = names.map(|name| join(&file.folder, name));
        let Some(path) = candidates.find(|path| paths.is_file(path)) else {
            return Vec::new();
        };
        let mut words = self.undeclared(&run.recipes, |name| {
            let names = &file.names;
            names
                .binary_search_by(|other| other.as_str().cmp(name))
                .is_ok()
        });
        if tool == RecipeTool::Make {
            words.retain(|word| !is_implicit(self.facts.workspace, file, &word.text));
        }
        self.in_file(words, &path, what, &file.names)
    }

    /// Packages of `cargo -p` that no manifest declares.
    fn packages<'s>(&mut self, run: &'s Invocation<'_>) -> Vec<Missing<'s>> {
        let facts = self.facts;
        let Workspace { cargo, paths, .. } = facts.workspace;
        let Folder::Below(folder) = &run.folder else {
            return Vec::new();
        };
        let is_inner = !folder.is_empty() && paths.is_file("Cargo.toml");
        let is_root = paths.is_file(&join(folder, "Cargo.toml"));
        if cargo.is_empty() || !run.paths.is_empty() || is_inner || !is_root {
            return Vec::new();
        }
        let mut words = self.undeclared(&run.packages, |name| {
            let legal = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
            !name.chars().all(legal) || cargo.iter().any(|package| package.name == name)
        });
        words.retain(|word| word.is_literal() && !is_package_folder(facts, &word.text));
        let names = cargo.iter().map(|package| package.name.as_str());
        let names: Vec<_> = names.take(MAX_NEAR).collect();
        let missing = |word: &'s Word<'s>| Missing {
            word,
            what: "package",
            place: "the Cargo workspace".to_owned(),
            near: nearest_name(&word.text, names.iter().copied()),
        };
        words.into_iter().map(missing).collect()
    }

    /// The words as missing names of a file, unless the unit may change the file.
    fn in_file<'s>(
        &self,
        words: Vec<&'s Word<'s>>,
        file: &str,
        what: &'static str,
        names: &[String],
    ) -> Vec<Missing<'s>> {
        if words.is_empty() || self.facts.mentions().has(file) {
            return Vec::new();
        }
        let names = || names.iter().take(MAX_NEAR).map(String::as_str);
        let missing = |word: &'s Word<'s>| Missing {
            word,
            what,
            place: format!("`{}`", excerpt(file, 120)),
            near: nearest_name(&word.text, names()),
        };
        words.into_iter().map(missing).collect()
    }
}

/// Whether `make` needs no explicit rule for a target: the target is an existing file,
/// or a built-in rule makes it, such as from `target.c`.
fn is_implicit(workspace: &Workspace, file: &RecipeFile, name: &str) -> bool {
    let target = join(&file.folder, name);
    let (folder, base) = target.rsplit_once('/').unwrap_or(("", &target));
    let files = workspace.paths.below(folder).iter();
    let mut sources = files.filter_map(|path| {
        let name = path.get(folder.len()..)?.trim_start_matches('/');
        let (stem, extension) = name.split_once('.')?;
        (!extension.contains('/')).then_some(stem)
    });
    workspace.paths.contains(&target) || sources.any(|stem| stem == base)
}

/// Whether a package of this name may be in a manifest that was not read or that the
/// unit adds.
fn is_package_folder(facts: &Facts<'_>, name: &str) -> bool {
    let paths = &facts.workspace.paths;
    let mut manifests = paths.named("Cargo.toml");
    let is_new = |path: &str| path.ends_with("/Cargo.toml") && !paths.is_file(path);
    let mut mentions = facts.mentions().iter();
    manifests.any(|path| path.rsplit('/').nth(1) == Some(name))
        || mentions.any(|path| is_new(path) || path.split('/').any(|part| part == name))
}

fn nearest_name<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let near = near::nearest(name, names, 1);
    near.first().map(|near| (*near).to_owned())
}

/// Returns the value of `at` for the folder or the nearest parent folder that has one.
fn nearest<'t, T>(folder: &Folder, at: impl Fn(&str) -> Option<&'t T>) -> Option<&'t T> {
    let Folder::Below(folder) = folder else {
        return None;
    };
    let mut folder = folder.as_str();
    loop {
        if let Some(found) = at(folder) {
            return Some(found);
        }
        if folder.is_empty() {
            return None;
        }
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}
