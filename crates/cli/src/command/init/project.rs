//! The project that the example is written for: its kind, and the test that the
//! example asks for.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use review_document::command::{Script, SimpleCommand};
use review_engine::PackageManager;
use review_process::find_program;
use serde_json::Value as Json;

/// A kind of project, by the file in its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Cargo,
    Go,
    Npm,
    Pytest,
}

/// What the example asks for: a file that makes a command pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Example {
    /// What shows that the file does its work: the tests of the project, or a look
    /// at what the file prints.
    pub(super) check: &'static str,
    /// The file to write.
    pub(super) file: &'static str,
    /// The language of the file, as a code block names it.
    pub(super) language: &'static str,
    /// Its text.
    pub(super) text: &'static str,
    /// The test that the file has; `None` where it has none.
    pub(super) test: Option<&'static str>,
    /// What is asked of the program, as a requirement.
    pub(super) requirement: String,
}

impl Example {
    /// A test of 2 + 2, for projects whose tests `check` runs.
    fn test(
        check: &'static str,
        file: &'static str,
        language: &'static str,
        text: &'static str,
        test: &'static str,
    ) -> Self {
        Self {
            check,
            file,
            language,
            text,
            test: Some(test),
            requirement: format!("The tests MUST include one named `{test}`."),
        }
    }

    /// A script, for a folder without a project.
    fn script() -> Self {
        Self {
            check: "test \"$(sh hello.sh World)\" = 'Hello, World!'",
            file: "hello.sh",
            language: "sh",
            text: "echo \"Hello, $1!\"",
            test: None,
            requirement: "`sh hello.sh NAME` MUST print `Hello, NAME!`.".to_owned(),
        }
    }

    /// The command of the task. It fails as long as the file is missing, whatever
    /// other tests there are, and says so.
    pub(super) fn command(&self) -> String {
        match self.test {
            Some(_) => format!("ls {} && {}", self.file, self.check),
            None => self.check.to_owned(),
        }
    }
}

impl Kind {
    const ALL: [Self; 4] = [Self::Cargo, Self::Go, Self::Npm, Self::Pytest];

    const fn markers(self) -> &'static [&'static str] {
        match self {
            Self::Cargo => &["Cargo.toml"],
            Self::Go => &["go.mod"],
            Self::Npm => &["package.json"],
            Self::Pytest => &["pyproject.toml", "pytest.ini", "setup.py", "setup.cfg"],
        }
    }
}

/// A project that was found.
struct Project {
    kind: Kind,
    /// The file by which it was found.
    marker: &'static str,
    /// What runs its tests.
    test: &'static str,
    /// The test runner that its script `test` starts, if it has one.
    runner: Option<&'static str>,
    usable: Usable,
}

impl Project {
    fn example(&self) -> Example {
        match self.kind {
            Kind::Cargo => Example::test(
                self.test,
                "tests/example.rs",
                "rust",
                "#[test]\nfn example_task() {\n    assert_eq!(2 + 2, 4);\n}",
                "example_task",
            ),
            Kind::Go => Example::test(
                self.test,
                "example/example_test.go",
                "go",
                "package example\n\nimport \"testing\"\n\nfunc TestExampleTask(t *testing.T) {\n\tif 2+2 != 4 {\n\t\tt.Fail()\n\t}\n}",
                "TestExampleTask",
            ),
            Kind::Npm => self.example_of_node(),
            Kind::Pytest => Example::test(
                self.test,
                "tests/test_example.py",
                "python",
                "def test_example_task():\n    assert 2 + 2 == 4",
                "test_example_task",
            ),
        }
    }

    /// A test for the runner of the project: each has its own way to the function
    /// that takes a test.
    fn example_of_node(&self) -> Example {
        let (file, text) = match self.runner {
            Some("node") => (
                "test/example.test.mjs",
                "import test from \"node:test\";\n\ntest(\"example_task\", () => {\n  if (2 + 2 !== 4) throw new Error(\"2 + 2\");\n});",
            ),
            Some("vitest") => (
                "test/example.test.mjs",
                "import { test } from \"vitest\";\n\ntest(\"example_task\", () => {\n  if (2 + 2 !== 4) throw new Error(\"2 + 2\");\n});",
            ),
            Some("mocha") => (
                "test/example.test.js",
                "it(\"example_task\", () => {\n  if (2 + 2 !== 4) throw new Error(\"2 + 2\");\n});",
            ),
            _ => (
                "test/example.test.js",
                "test(\"example_task\", () => {\n  if (2 + 2 !== 4) throw new Error(\"2 + 2\");\n});",
            ),
        };
        Example::test(self.test, file, "js", text, "example_task")
    }
}

/// Whether the tests of a project can be run here.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Usable {
    Yes,
    /// Its command is right, and needs this first.
    Later(String),
    /// It has no command, for this reason.
    No(&'static str),
}

/// The script `test` of a `package.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TestScript {
    /// The programs that it starts, without what the shell itself does.
    programs: Vec<String>,
    /// The test runner among them, where its tests have a form of their own.
    runner: Option<&'static str>,
}

impl TestScript {
    const RUNNERS: [&str; 3] = ["node", "vitest", "mocha"];

    /// Reads a `package.json`; the error says what it lacks. `npm init` writes a script
    /// that fails; it does not count.
    fn of(package: &[u8]) -> Result<Self, &'static str> {
        let package = package
            .strip_prefix("\u{feff}".as_bytes())
            .unwrap_or(package);
        let package: Result<Json, _> = serde_json::from_slice(package);
        let package = package.map_err(|_| "it is not valid JSON")?;
        let text = package["scripts"]["test"].as_str().unwrap_or_default();
        if text.trim().is_empty() || text.contains("no test specified") {
            return Err("it has no script `test`");
        }
        let script = Script::parse(text);
        let started = script.commands().iter().filter_map(SimpleCommand::program);
        let started: Vec<_> = started.map(|program| program.name).collect();
        Ok(Self {
            programs: script
                .programs()
                .map(|word| word.text.to_string())
                .collect(),
            runner: Self::RUNNERS
                .into_iter()
                .find(|runner| started.contains(runner)),
        })
    }
}

/// A folder that may be a project, and the programs that there are.
pub(super) struct Folder {
    path: PathBuf,
    search_path: Option<OsString>,
}

impl Folder {
    /// The folder at `path`, where programs are looked up in `search_path`.
    pub(super) fn new(path: &Path, search_path: Option<&OsStr>) -> Self {
        Self {
            path: path.to_owned(),
            search_path: search_path.map(OsStr::to_owned),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.path.join(name).is_file()
    }

    fn finds(&self, program: &str) -> bool {
        let search_path = self.search_path.as_deref();
        find_program(Path::new(program), search_path, &self.path).is_some()
    }

    /// The project of a kind, if its file is here.
    fn project(&self, kind: Kind) -> Option<Project> {
        let marker = kind.markers().iter().find(|marker| self.has(marker))?;
        let mut runner = None;
        let (test, usable) = match kind {
            Kind::Cargo => ("cargo test", self.usable("cargo", &[])),
            Kind::Go => ("go test ./...", self.usable("go", &[])),
            Kind::Pytest => ("pytest", self.usable("pytest", &[])),
            Kind::Npm => {
                let manager = PackageManager::of_node(&self.path);
                let package = review_store::read_file(&self.path.join(marker));
                let script = TestScript::of(&package.unwrap_or_default());
                let usable = match &script {
                    Ok(script) => self.usable(manager.program, &script.programs),
                    Err(why) => Usable::No(why),
                };
                runner = script.ok().and_then(|script| script.runner);
                (manager.test.unwrap_or_default(), usable)
            }
        };
        Some(Project {
            kind,
            marker,
            test,
            runner,
            usable,
        })
    }

    /// Whether tests can be run by a program that starts others.
    fn usable(&self, program: &str, started: &[String]) -> Usable {
        if !self.finds(program) {
            return Usable::Later(format!("`{program}` is not on PATH"));
        }
        let is_here = |program: &String| {
            self.has(&format!("node_modules/.bin/{program}")) || self.finds(program)
        };
        match started.iter().find(|program| !is_here(program)) {
            Some(program) => Usable::Later(format!("`{program}` is not installed")),
            None => Usable::Yes,
        }
    }

    /// The example for this folder, and the sentence that says what was found.
    /// A project whose tests run comes first, then one that lacks a program.
    pub(super) fn example(&self) -> (Example, String) {
        let projects: Vec<_> = Kind::ALL
            .into_iter()
            .filter_map(|kind| self.project(kind))
            .collect();
        let by = |wanted: fn(&Usable) -> bool| {
            let mut projects = projects.iter();
            projects.find(|project| wanted(&project.usable))
        };
        let chosen = by(|usable| *usable == Usable::Yes)
            .or_else(|| by(|usable| matches!(usable, Usable::Later(_))));
        let example = chosen.map_or_else(Example::script, Project::example);
        let mut found: Vec<_> = projects
            .iter()
            .map(|project| match &project.usable {
                Usable::Yes => format!("found {}", project.marker),
                Usable::Later(why) => format!("found {}, but {why}", project.marker),
                Usable::No(why) => format!("found {}, but {why}", project.marker),
            })
            .collect();
        if found.is_empty() {
            let markers: Vec<_> = Kind::ALL.iter().map(|kind| kind.markers()[0]).collect();
            found.push(format!("found no {}", markers.join(", ")));
        }
        found.push(format!("the task uses `{}`", example.check));
        (example, found.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_of_a_script_are_those_that_the_shell_starts() {
        let read = |script: &str| {
            let package = serde_json::json!({"scripts": {"test": script}});
            TestScript::of(package.to_string().as_bytes())
        };
        for (script, programs, runner) in [
            ("vitest run", &["vitest"][..], Some("vitest")),
            ("NODE_ENV=test A=b mocha -R dot", &["mocha"], Some("mocha")),
            ("cd web && npx vitest run", &["npx"], Some("vitest")),
            ("set -e; export A=b; jest", &["jest"], None),
            ("exit 0", &[], None),
            ("./test.sh", &[], None),
            ("if true; then node --test; fi", &["node"], Some("node")),
        ] {
            let expected = TestScript {
                programs: programs.iter().map(ToString::to_string).collect(),
                runner,
            };
            assert_eq!(read(script), Ok(expected), "{script}");
        }
        let none = "it has no script `test`";
        assert_eq!(
            read("echo \"Error: no test specified\" && exit 1"),
            Err(none)
        );
        assert_eq!(read(" "), Err(none));
        for (package, why) in [
            (r#"{"scripts":{"build":"x"}}"#, none),
            ("\u{feff}{}", none),
            ("{ // a comment\n}", "it is not valid JSON"),
            ("", "it is not valid JSON"),
        ] {
            assert_eq!(TestScript::of(package.as_bytes()), Err(why), "{package}");
        }
    }
}
