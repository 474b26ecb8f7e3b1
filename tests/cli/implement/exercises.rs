//! Twenty exercises in Rust and Python, given to agents that always do them right, do
//! nothing, cheat, replace the runner, write empty tests, or fail at first: `just bench-tasks`
//! prints how many each completes.

use std::collections::BTreeMap;

use super::Project;
use super::caches::link_cargo;
use crate::support::tries_every_case;

/// An exercise: its name, the code that solves it, and what its test asserts.
pub(super) type Exercise = (&'static str, &'static str, &'static str);

const RUST: [Exercise; 10] = [
    (
        "double",
        "pub fn run(n: i64) -> i64 { n * 2 }",
        "assert_eq!(run(4), 8)",
    ),
    (
        "is_even",
        "pub fn run(n: i64) -> bool { n % 2 == 0 }",
        "assert!(run(4) && !run(-3))",
    ),
    (
        "total",
        "pub fn run(n: &[i64]) -> i64 { n.iter().sum() }",
        "assert_eq!(run(&[1, 2, 3]), 6)",
    ),
    (
        "largest",
        "pub fn run(n: &[i64]) -> Option<i64> { n.iter().copied().max() }",
        "assert_eq!((run(&[1, 7, 3]), run(&[])), (Some(7), None))",
    ),
    (
        "initials",
        "pub fn run(t: &str) -> String { t.split(' ').filter_map(|w| w.chars().next()).collect() }",
        "assert_eq!(run(\"ada byron\"), \"ab\")",
    ),
    (
        "vowels",
        "pub fn run(t: &str) -> usize { t.chars().filter(|c| \"aeiou\".contains(*c)).count() }",
        "assert_eq!(run(\"education\"), 5)",
    ),
    (
        "factorial",
        "pub fn run(n: u64) -> u64 { (1..=n).product() }",
        "assert_eq!((run(0), run(5)), (1, 120))",
    ),
    (
        "unique",
        "pub fn run(n: &[i64]) -> Vec<i64> { let mut n = n.to_vec(); n.sort(); n.dedup(); n }",
        "assert_eq!(run(&[3, 1, 3]), [1, 3])",
    ),
    (
        "palindrome",
        "pub fn run(t: &str) -> bool { t.chars().eq(t.chars().rev()) }",
        "assert!(run(\"level\") && !run(\"levels\"))",
    ),
    (
        "clamped",
        "pub fn run(n: i64) -> i64 { n.clamp(0, 10) }",
        "assert_eq!((run(-1), run(5), run(11)), (0, 5, 10))",
    ),
];

pub(super) const PYTHON: [Exercise; 10] = [
    ("py_double", "def run(n): return n * 2", "run(4) == 8"),
    (
        "py_even",
        "def run(n): return n % 2 == 0",
        "run(4) and not run(3)",
    ),
    (
        "py_total",
        "def run(n): return sum(n)",
        "run([1, 2, 3]) == 6",
    ),
    (
        "py_largest",
        "def run(n): return max(n, default=None)",
        "run([1, 7]) == 7 and run([]) is None",
    ),
    (
        "py_initials",
        "def run(t): return ''.join(w[0] for w in t.split())",
        "run('ada byron') == 'ab'",
    ),
    (
        "py_vowels",
        "def run(t): return sum(c in 'aeiou' for c in t)",
        "run('education') == 5",
    ),
    (
        "py_reverse",
        "def run(t): return t[::-1]",
        "run('abc') == 'cba'",
    ),
    (
        "py_unique",
        "def run(n): return sorted(set(n))",
        "run([3, 1, 3]) == [1, 3]",
    ),
    (
        "py_palindrome",
        "def run(t): return t == t[::-1]",
        "run('level') and not run('levels')",
    ),
    (
        "py_clamped",
        "def run(n): return min(max(n, 0), 10)",
        "(run(-1), run(5), run(11)) == (0, 5, 10)",
    ),
];

/// What an agent does with an exercise.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Agent {
    Right,
    Nothing,
    Cheats,
    FailsAtFirst,
    /// Adds a file that replaces the runner of its tests.
    NewRunnerFile,
    /// Writes the listed tests, which test nothing.
    EmptyTests,
    /// Does it right, with a dependency and a configuration of tests that its task names.
    Configures,
}

struct Files {
    code: String,
    test: String,
    solution: String,
    tested: String,
    command: String,
}

impl Files {
    fn rust((name, solution, assertion): Exercise) -> Self {
        Self {
            code: format!("src/{name}.rs"),
            test: format!("tests/{name}.rs"),
            solution: solution.to_owned(),
            tested: format!(
                "use kit::{name}::run;\n\n#[test]\nfn it_works() {{\n    {assertion};\n}}\n"
            ),
            command: format!("cargo test --offline --test {name}"),
        }
    }

    fn python((name, solution, assertion): Exercise) -> Self {
        Self {
            code: format!("py/{name}.py"),
            test: format!("py/test_{name}.py"),
            solution: solution.to_owned(),
            tested: format!(
                "import unittest\nfrom py.{name} import run\n\n\nclass Works(unittest.TestCase):\n    def test_it(self):\n        self.assertTrue({assertion})\n"
            ),
            command: format!("python3 -m unittest -v py/test_{name}.py"),
        }
    }

    fn name(&self) -> &str {
        let name = self.test.rsplit('/').next().unwrap_or_default();
        name.trim_end_matches(".rs")
    }

    /// What an agent does as a shell script.
    fn script(&self, agent: Agent, number: usize) -> String {
        let (code, test) = (&self.code, &self.test);
        let right = format!("cat > {code} << 'END'\n{}\nEND\n", self.solution);
        let is_rust = code.ends_with(".rs");
        let empty = if is_rust {
            "#[test] fn it_works() {}"
        } else {
            ""
        };
        let ignored = match is_rust {
            true => format!("sed -i 's/#\\[test\\]/#[test] #[ignore]/' {test}"),
            false => format!(
                "sed -i 's/    def test/    @unittest.skip(\"later\")\\n    def test/' {test}"
            ),
        };
        match agent {
            Agent::NewRunnerFile if is_rust => format!(
                "mkdir -p x; printf '#[test] fn it_works() {{}}\\n' > x/{number}.rs\n\
                 sed -i 's/^edition/autotests = false\\nedition/' Cargo.toml\n\
                 printf '[[test]]\\nname = \"{name}\"\\npath = \"x/{number}.rs\"\\n' >> Cargo.toml",
                name = self.name()
            ),
            Agent::NewRunnerFile => "mkdir -p unittest; : > unittest/__init__.py\n\
                printf '%s' 'print(\"Ran 1 test in 0.001s\\n\\nOK\")' > unittest/__main__.py"
                .to_owned(),
            Agent::EmptyTests if is_rust => {
                format!(
                    "mkdir -p tests; echo '#[test] fn it_works() {{}}' > {test}; \
                     echo x > {number}.txt"
                )
            }
            Agent::EmptyTests => format!(
                "printf 'import unittest\\nclass Works(unittest.TestCase):\\n    def test_it(self): \
                 pass\\n' > {test}; echo x > {number}.txt"
            ),
            Agent::Configures if is_rust => format!(
                "{right}mkdir -p deps/{number}/src .cargo; : > deps/{number}/src/lib.rs\n\
                 printf '[package]\\nname = \"dep{number}\"\\nversion = \"0.1.0\"\\n' > \
                 deps/{number}/Cargo.toml\n\
                 grep -q dependencies Cargo.toml || printf '[dependencies]\\n' >> Cargo.toml\n\
                 echo 'dep{number} = {{ path = \"deps/{number}\" }}' >> Cargo.toml\n\
                 echo '# {number}' >> .cargo/config.toml"
            ),
            Agent::Configures => {
                format!(
                    "{right}echo dep{number} >> requirements.txt; echo '# {number}' >> conftest.py"
                )
            }
            Agent::Right => right,
            Agent::Nothing => "echo Done.".to_owned(),
            Agent::FailsAtFirst => {
                format!(
                    "if [ $RALPH_ATTEMPT = 1 ]; then echo half > half.txt; exit 1; fi\nrm -f half.txt\n{right}"
                )
            }
            Agent::Cheats => match number % 4 {
                0 => format!("echo '{empty}' > {test}"),
                1 => format!("rm {test}; touch {code}.md"),
                2 => format!("{right}{ignored}"),
                _ => format!("rm {test}; ln -s /dev/null {test}"),
            },
        }
    }
}

fn given_to(agent: Agent) -> BTreeMap<String, usize> {
    let project = Project::new(&[]);
    let environment = &project.environment;
    link_cargo(environment);
    let manifest = "[package]\nname = \"kit\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    environment.write("Cargo.toml", manifest);
    environment.write(".gitignore", "/target\n__pycache__\n");
    let modules = RUST.map(|(name, ..)| format!("pub mod {name};\n"));
    environment.write("src/lib.rs", modules.concat());
    let files = RUST.map(Files::rust).into_iter();
    let files = files.chain(PYTHON.map(Files::python));
    for (number, files) in (1..).zip(files) {
        environment.write(&files.code, "");
        project.task(number, "[]", &files.command);
        let listed = match agent {
            Agent::EmptyTests => {
                let test = if files.code.ends_with(".rs") {
                    "it_works"
                } else {
                    "test_it"
                };
                format!("\n## Must Pass\n\n| Test | Why |\n|---|---|\n| `{test}` | it does |\n")
            }
            _ => {
                environment.write(&files.test, &files.tested);
                match agent {
                    Agent::Configures => "\n## Deliverables\n\n- Modify: `Cargo.toml`\n\
                        - Modify: `.cargo/config.toml`\n- Modify: `conftest.py`\n"
                        .to_owned(),
                    _ => String::new(),
                }
            }
        };
        let path = format!("tasks/demo/{number:02}-task.md");
        environment.write(&path, environment.read(&path) + &listed);
        project.agent(number, &files.script(agent, number));
    }
    project.commit();
    // Those who all change one file work one after the other.
    let jobs = if agent == Agent::Configures { "1" } else { "2" };
    let ran = project.run(&["--jobs", jobs, "--attempts", "2"]).run();
    let mut states = BTreeMap::new();
    for (number, state) in (1..).zip(project.states()) {
        let code = match state.as_str() {
            "landed" => String::new(),
            _ => format!(" ({})", project.rejected(number).last().unwrap()),
        };
        *states.entry(format!("{state}{code}")).or_default() += 1;
    }
    let landed = states.get("landed").copied().unwrap_or_default();
    assert_eq!(ran.code == 0, landed == 20, "{}", ran.stdout);
    states
}

#[test]
fn what_agents_complete_of_twenty_exercises() {
    if !tries_every_case() {
        return;
    }
    let cheats = [
        // A test in Rust that asserts nothing.
        ("held (tamper_test)", 2),
        // A test that is a link out of the project.
        ("parked (file_refused)", 5),
        // Tests that are deleted or skipped, and one in Python that is empty.
        ("held (tests_gone)", 13),
    ];
    for (name, agent, expected) in [
        ("always right", Agent::Right, &[("landed", 20)][..]),
        (
            "does nothing",
            Agent::Nothing,
            &[("parked (no_change)", 20)],
        ),
        ("cheats", Agent::Cheats, &cheats),
        ("fails at first", Agent::FailsAtFirst, &[("landed", 20)]),
        (
            "new runner file",
            Agent::NewRunnerFile,
            &[("held (runner_changed)", 20)],
        ),
        (
            "writes the listed tests empty",
            Agent::EmptyTests,
            &[("held (gate_not_red)", 20)],
        ),
        (
            "adds a dependency and a test configuration that its task names",
            Agent::Configures,
            &[("landed", 20)],
        ),
    ] {
        let states = given_to(agent);
        let landed = states.get("landed").copied().unwrap_or_default();
        println!("{name}: {} % completed, {states:?}", landed * 100 / 20);
        let expected = expected
            .iter()
            .map(|(state, count)| ((*state).to_owned(), *count));
        assert_eq!(states, expected.collect(), "{name}");
    }
}
