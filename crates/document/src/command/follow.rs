//! The scripts that a command runs, as the files of the project say: shell scripts,
//! scripts of a `package.json`, recipes of a makefile or justfile.

use serde_json::Value;

use super::{Folder, Invocation, Runner, Script, is_shell};
use crate::path::joined;
use crate::workspace::RecipeTool;

/// A script that a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowedScript {
    /// The folder in which it runs, relative to the root.
    pub folder: String,
    /// Its content.
    pub text: String,
}

impl FollowedScript {
    /// Returns the scripts that one of its commands runs; none if that is not known. `read`
    /// reads a file of the project, relative to the root.
    ///
    /// ```
    /// use review_document::command::{FollowedScript, Script};
    ///
    /// let make = FollowedScript { folder: String::new(), text: "make test".to_owned() };
    /// let script = Script::parse(&make.text);
    /// let read = |path: &str| (path == "Makefile").then(|| "test:\n\t@go test ./...\n".to_owned());
    /// let behind = make.follow(&script, &script.invocations()[0], &read);
    /// assert_eq!(behind[0].text, "go test ./...");
    /// ```
    pub fn follow(
        &self,
        script: &Script<'_>,
        run: &Invocation<'_>,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> Vec<Self> {
        let Folder::Below(folder) = &run.folder else {
            return Vec::new();
        };
        let Some(folder) = joined(&self.folder, folder) else {
            return Vec::new();
        };
        let read = |path: &str| read(&joined(&folder, path)?);
        let texts = match run.runner {
            Runner::PackageScript => package_texts(script, run, &read),
            Runner::Make => recipe_texts(RecipeTool::Make, run, &read),
            Runner::Just => recipe_texts(RecipeTool::Just, run, &read),
            Runner::Script => shell_text(script, run, &read).into_iter().collect(),
            _ => Vec::new(),
        };
        let folder = |text| Self {
            folder: folder.clone(),
            text,
        };
        texts.into_iter().map(folder).collect()
    }
}

/// Returns the names of the scripts of a `package.json` that a command runs: `npm test`,
/// `npm run check`.
pub fn package_scripts(script: &Script<'_>, run: &Invocation<'_>) -> Vec<String> {
    if !run.recipes.is_empty() {
        let names = run.recipes.iter().map(|word| word.text.to_string());
        return names.collect();
    }
    let words = script.commands().get(run.command);
    let words = words.map_or(&[][..], |command| &command.words);
    let mut texts = words.iter().map(|word| &*word.text);
    let is_manager = |name: &str| matches!(name, "npm" | "yarn" | "pnpm" | "bun");
    if !texts.by_ref().any(is_manager) {
        return Vec::new();
    }
    let mut plain = texts.filter(|text| !text.starts_with('-'));
    let name = match plain.next() {
        Some("run" | "run-script") => plain.next(),
        Some("t" | "tst") => Some("test"),
        name => name,
    };
    name.map(str::to_owned).into_iter().collect()
}

fn package_texts(
    script: &Script<'_>,
    run: &Invocation<'_>,
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<String> {
    let package = read("package.json").unwrap_or_default();
    let package = package.trim_start_matches('\u{feff}');
    let package: Value = serde_json::from_str(package).unwrap_or_default();
    let text = |name: &String| Some(package["scripts"][name].as_str()?.to_owned());
    package_scripts(script, run)
        .iter()
        .filter_map(text)
        .collect()
}

/// Returns the commands of a recipe and of those that it needs.
fn recipe_texts(
    tool: RecipeTool,
    run: &Invocation<'_>,
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut files = tool.file_names().iter();
    let Some(file) = files.find_map(|name| read(name)) else {
        return Vec::new();
    };
    let mut due: Vec<_> = run
        .recipes
        .iter()
        .map(|word| word.text.to_string())
        .collect();
    let mut seen = Vec::new();
    let mut lines = Vec::new();
    while let Some(name) = due.pop() {
        if seen.contains(&name) {
            continue;
        }
        let mut is_inside = false;
        for line in file.trim_start_matches('\u{feff}').lines() {
            if line.starts_with([' ', '\t']) {
                let command = line.trim().trim_start_matches(['@', '-', '+']);
                lines.extend(is_inside.then(|| command.to_owned()));
            } else if let Some((head, needed)) = line.split_once(':') {
                let mut names = head.trim_start_matches('@').split_whitespace();
                is_inside = !needed.starts_with('=')
                    && match tool {
                        RecipeTool::Make => names.any(|one| one == name),
                        RecipeTool::Just => names.next() == Some(&name),
                    };
                let needed = needed.split_whitespace().map(str::to_owned);
                due.extend(needed.filter(|_| is_inside));
            }
        }
        seen.push(name);
    }
    match lines.is_empty() {
        true => Vec::new(),
        false => vec![lines.join("\n")],
    }
}

/// Returns the content of the shell script that a command runs: `sh t.sh`, `./t.sh`, `sh -c`.
fn shell_text(
    script: &Script<'_>,
    run: &Invocation<'_>,
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let program = script.commands().get(run.command)?.program()?;
    let Some(file) = program.script_file() else {
        let mut words = program.args.iter();
        let inline = words.find(|word| !word.text.starts_with('-'))?;
        return program.is_shell().then(|| inline.text.to_string());
    };
    let text = read(&file.text)?;
    let first = text.lines().next().unwrap_or_default();
    let interpreter = first.strip_prefix("#!").unwrap_or("sh");
    let is_known = program.is_shell() || interpreter.split([' ', '/']).any(is_shell);
    is_known.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn behind(command: &str, files: &[(&str, &str)]) -> Vec<(String, String)> {
        let from = FollowedScript {
            folder: String::new(),
            text: command.to_owned(),
        };
        let script = Script::parse(&from.text);
        let read = |path: &str| {
            let found = files.iter().find(|(name, _)| *name == path);
            found.map(|(_, text)| (*text).to_owned())
        };
        let runs = script.invocations().iter();
        let scripts = runs.flat_map(|run| from.follow(&script, run, &read));
        scripts.map(|one| (one.folder, one.text)).collect()
    }

    #[test]
    fn the_scripts_that_a_command_runs_are_those_of_the_files_that_it_names() {
        let package = "\u{feff}{\"scripts\": {\"test\": \"jest\", \"e2e\": \"playwright test\"}}";
        let makefile = "X := a:b\nall: build\nbuild:\n\tcc a.c\ntest check: build\n\t@-pytest -q\n";
        let justfile = "set shell := [\"bash\"]\ntest arg='x': build\n    go test ./...\nbuild:\n    go build\n";
        for (command, file, text, expected) in [
            ("npm test", "package.json", package, ("", "jest")),
            (
                "cd web && yarn e2e",
                "web/package.json",
                package,
                ("web", "playwright test"),
            ),
            ("pnpm run test", "package.json", package, ("", "jest")),
            (
                "make check",
                "Makefile",
                makefile,
                ("", "pytest -q\ncc a.c"),
            ),
            (
                "make -C api test",
                "api/Makefile",
                makefile,
                ("api", "pytest -q\ncc a.c"),
            ),
            (
                "just test",
                "justfile",
                justfile,
                ("", "go test ./...\ngo build"),
            ),
            ("sh -e t.sh", "t.sh", "pytest\n", ("", "pytest\n")),
            (
                "./t",
                "t",
                "#!/usr/bin/env bash\ngo vet\n",
                ("", "#!/usr/bin/env bash\ngo vet\n"),
            ),
            ("bash -c 'go test'", "t", "", ("", "go test")),
        ] {
            let expected = [(expected.0.to_owned(), expected.1.to_owned())];
            assert_eq!(behind(command, &[(file, text)]), expected, "{command}");
        }
    }

    #[test]
    fn what_a_command_runs_is_not_known_without_its_file_or_of_another_language() {
        for (command, file, text) in [
            (
                "npm test",
                "web/package.json",
                "{\"scripts\": {\"test\": \"jest\"}}",
            ),
            ("npm test", "package.json", "no JSON"),
            ("make test", "Makefile", "build:\n\tcc a.c\n"),
            ("make", "Makefile", "build:\n\tcc a.c\n"),
            ("./t", "t", "#!/usr/bin/env python3\nimport pytest\n"),
            ("cd $HOME && sh t.sh", "t.sh", "pytest\n"),
            ("sh ../t.sh", "t.sh", "pytest\n"),
        ] {
            assert_eq!(behind(command, &[(file, text)]), [], "{command}");
        }
    }
}
