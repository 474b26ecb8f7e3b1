//! What the example asks for, by the kind of project.

use std::ffi::OsStr;
use std::path::Path;

use review_process::find_program;

/// What the example asks for: a file that makes a command pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Example {
    /// What shows that the file does its work: the tests of the project, or a look
    /// at what the file prints.
    pub(super) check: &'static str,
    /// The file to write.
    pub(super) file: &'static str,
    /// The language of the file, as a code block names it.
    pub(super) language: &'static str,
    /// Its content.
    pub(super) text: &'static str,
    /// The test that the file has; `None` where it has none.
    pub(super) test: Option<&'static str>,
}

/// A kind of project.
struct Kind {
    /// Each is the file of such a project in its root.
    markers: &'static [&'static str],
    /// The program that runs its tests.
    program: &'static str,
    example: Example,
}

const KINDS: [Kind; 4] = [
    Kind {
        markers: &["Cargo.toml"],
        program: "cargo",
        example: Example {
            check: "cargo test",
            file: "tests/example.rs",
            language: "rust",
            text: "#[test]\nfn example_task() {\n    assert_eq!(2 + 2, 4);\n}",
            test: Some("example_task"),
        },
    },
    Kind {
        markers: &["go.mod"],
        program: "go",
        example: Example {
            check: "go test -v ./...",
            file: "example/example_test.go",
            language: "go",
            text: "package example\n\nimport \"testing\"\n\nfunc TestExampleTask(t *testing.T) {\n\tif 2+2 != 4 {\n\t\tt.Fail()\n\t}\n}",
            test: Some("TestExampleTask"),
        },
    },
    Kind {
        markers: &["package.json"],
        program: "node",
        // Of the runners of Node only node itself takes the file for one of its tests.
        example: Example {
            check: "node --test test/node/example.mjs",
            file: "test/node/example.mjs",
            language: "js",
            text: "import test from \"node:test\";\n\ntest(\"example_task\", () => {\n  if (2 + 2 !== 4) throw new Error(\"2 + 2\");\n});",
            test: Some("example_task"),
        },
    },
    Kind {
        markers: &["pyproject.toml", "pytest.ini", "setup.py", "setup.cfg"],
        program: "pytest",
        example: Example {
            check: "pytest",
            file: "tests/test_example.py",
            language: "python",
            text: "def test_example_task():\n    assert 2 + 2 == 4",
            test: Some("test_example_task"),
        },
    },
];

/// The example for a folder without a project.
const SCRIPT: Example = Example {
    check: "test \"$(sh hello.sh World)\" = 'Hello, World!'",
    file: "hello.sh",
    language: "sh",
    text: "echo \"Hello, $1!\"",
    test: None,
};

impl Example {
    /// The example for a folder, where programs are looked up in `search_path`, and the
    /// sentence that says what was found.
    pub(super) fn of(folder: &Path, search_path: Option<&OsStr>) -> (Self, String) {
        let mut found = KINDS.iter().filter_map(|kind| {
            let mut markers = kind.markers.iter();
            let marker = markers.find(|marker| folder.join(marker).is_file())?;
            Some((kind, marker))
        });
        let (example, found) = match found.next() {
            Some((kind, marker)) => {
                let program = find_program(Path::new(kind.program), search_path, folder);
                let lack = match program {
                    Some(_) => String::new(),
                    None => format!(", but `{}` is not on PATH", kind.program),
                };
                (kind.example, format!("found {marker}{lack}"))
            }
            None => {
                let markers = KINDS.map(|kind| kind.markers[0]).join(", ");
                (SCRIPT, format!("found no {markers}"))
            }
        };
        let found = format!("{found}; the task uses `{}`", example.check);
        (example, found)
    }

    /// The command of the task. It fails as long as the file is missing, whatever
    /// other tests there are, and says so.
    pub(super) fn command(&self) -> String {
        match self.test {
            Some(_) => format!("ls {} && {}", self.file, self.check),
            None => self.check.to_owned(),
        }
    }

    /// What is asked of the program.
    pub(super) fn requirement(&self) -> String {
        match self.test {
            Some(test) => format!("The tests MUST include one named `{test}`."),
            None => "`sh hello.sh NAME` MUST print `Hello, NAME!`.".to_owned(),
        }
    }
}
