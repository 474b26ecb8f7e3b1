//! What runs the gate in CI: the workflow and the job of the guide, and the action.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use review_document::yaml;
use serde_json::Value;

use crate::gate_base::{APP, CONFIG, edit, project};
use crate::implement::git;
use crate::support::TestEnvironment;

/// What a pull request writes, what is allowed, and how the gate ends.
const CASES: [(&str, &str, i32, &str); 4] = [
    (APP, "", 0, "passed"),
    ("echo 0\n", "", 1, "not_passed"),
    (CONFIG, "", 6, "tampered"),
    (CONFIG, "threshold_lowered:completeness", 0, "passed"),
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(repository().join(path)).unwrap()
}

/// The first YAML of the guide that starts so.
fn in_guide(start: &str) -> Value {
    let guide = read("docs/guides/gate-in-ci.md");
    let (_, rest) = guide.split_once(&format!("```yaml\n{start}")).unwrap();
    let (rest, _) = rest.split_once("```").unwrap();
    let text = format!("{start}{rest}");
    yaml::parse(&text).unwrap().root.to_json()
}

fn action() -> Value {
    yaml::parse(&read("action.yml")).unwrap().root.to_json()
}

fn words(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap().iter();
    list.map(|one| one.as_str().unwrap()).collect()
}

/// A job in the clone of a pull request.
struct Job {
    /// Where the clone fetches from.
    _origin: TestEnvironment,
    clone: TestEnvironment,
}

impl Job {
    /// `change` is the content of `app.sh`, or the configuration for a lower minimum;
    /// `installs` is what its `cargo` does.
    fn new(change: &str, installs: &str) -> Self {
        let origin = project();
        match change {
            CONFIG => edit(&origin, "ralph.toml", "80", "1"),
            app => drop(origin.write("app.sh", format!("# Adds.\n{app}"))),
        }
        git(&origin, &["commit", "-q", "-a", "-m", "Work"]);
        let clone = TestEnvironment::without_project();
        let from = format!("file://{}", origin.root().display());
        git(&clone, &["clone", "-q", "--branch", "work", &from, "."]);
        clone.program("cargo", installs);
        for file in ["summary.md", "output"] {
            fs::write(clone.home().join(file), "").unwrap();
        }
        Self {
            _origin: origin,
            clone,
        }
    }

    /// What `cargo install --git` of the guide does.
    fn by_guide(change: &str) -> Self {
        let job = Self::new(change, "");
        let installs = format!(
            "test \"$1 $2 $3 $5\" = 'install --locked --git {}' && ln -s '{}' '{}'",
            env!("CARGO_PKG_NAME"),
            env!("CARGO_BIN_EXE_ralph"),
            job.clone.bin().join("ralph").display()
        );
        job.clone.program("cargo", &installs);
        job
    }

    /// What `cargo install --path` of the action does.
    fn by_action(change: &str) -> Self {
        let installs = format!(
            "test \"$*\" = \"install --locked --path crates/cli --root $RUNNER_TEMP/ralph\" && \
             test -f crates/cli/Cargo.toml && mkdir -p \"$6/bin\" && ln -s '{}' \"$6/bin/ralph\"",
            env!("CARGO_BIN_EXE_ralph")
        );
        Self::new(change, &installs)
    }

    fn home(&self, file: &str) -> PathBuf {
        self.clone.home().join(file)
    }

    fn run(&self, shell: &[&str], script: &str, variables: &[(&str, &str)]) -> Output {
        Command::new(shell[0])
            .args(&shell[1..])
            .arg(script)
            .env_clear()
            .env("PATH", self.clone.search_path())
            .env("HOME", self.clone.home())
            .env("CI", "true")
            .envs(variables.iter().copied())
            .current_dir(self.clone.root())
            .output()
            .unwrap()
    }

    /// Runs a script with the variables of GitHub Actions, then these.
    fn on_github(&self, shell: &[&str], script: &str, variables: &[(&str, &str)]) -> Output {
        let [summary, output] = ["summary.md", "output"].map(|file| self.home(file));
        let temporary = self.clone.home();
        let github = [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_BASE_REF", "main"),
            ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
            ("GITHUB_OUTPUT", output.to_str().unwrap()),
            ("RUNNER_TEMP", temporary.to_str().unwrap()),
        ];
        self.run(shell, script, &[&github[..], variables].concat())
    }

    /// Runs a step of the action with values of its inputs.
    fn step(&self, step: usize, inputs: &[(&str, &str)], variables: &[(&str, &str)]) -> Output {
        let action = action();
        let step = &action["runs"]["steps"][step];
        let repository = repository();
        let given = |expression: &str| {
            let name = expression
                .strip_prefix("${{ ")
                .and_then(|rest| rest.strip_suffix(" }}"))
                .unwrap();
            match name.strip_prefix("inputs.") {
                Some(input) => {
                    let mut inputs = inputs.iter();
                    let found = inputs.find(|(name, _)| *name == input);
                    let default = action["inputs"][input]["default"].as_str().unwrap();
                    found.map_or(default, |(_, value)| *value).to_owned()
                }
                None => {
                    assert_eq!(name, "github.action_path");
                    repository.to_str().unwrap().to_owned()
                }
            }
        };
        let env = step["env"].as_object().unwrap().iter();
        let env: Vec<_> = env
            .map(|(name, value)| (name.as_str(), given(value.as_str().unwrap())))
            .collect();
        let env = env.iter().map(|(name, value)| (*name, value.as_str()));
        let env: Vec<_> = env.chain(variables.iter().copied()).collect();
        let shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"];
        self.on_github(&shell, step["run"].as_str().unwrap(), &env)
    }
}

#[test]
fn the_workflow_of_the_guide_gates_a_pull_request() {
    let workflow = in_guide("name: gate\n");
    let steps = workflow["jobs"]["gate"]["steps"].as_array().unwrap();
    let commands: Vec<_> = steps
        .iter()
        .filter_map(|step| step.get("run")?.as_str())
        .collect();
    assert_eq!(commands.len(), 2, "{commands:#?}");
    for (change, allow, exit, outcome) in CASES {
        let job = Job::by_guide(change);
        let shell = ["/bin/sh", "-ec"];
        let allow = [("RALPH_GATE_ALLOW", allow)];
        let ran = job.on_github(&shell, &commands.join("\n"), &allow);
        assert_eq!(ran.status.code(), Some(exit), "{change}: {ran:#?}");
        let summary = fs::read_to_string(job.home("summary.md")).unwrap();
        let heading = format!("### ralph gate: {outcome}\n");
        assert!(summary.starts_with(&heading), "{change}: {summary}");
        let report = job.clone.read("gate.xml");
        assert!(report.contains("<testsuites name=\"ralph gate\""));
    }
}

#[test]
fn the_job_of_the_guide_gates_a_merge_request_of_gitlab() {
    let gitlab = in_guide("gate:\n");
    let script = words(&gitlab["gate"]["script"]).join("\n");
    let reports = &gitlab["gate"]["artifacts"]["reports"];
    let names = ["junit", "codequality"].map(|kind| reports[kind].as_str().unwrap());
    for (change, allow, exit, _) in CASES {
        let job = Job::by_guide(change);
        let root = job.clone.root();
        let variables = [
            ("GITLAB_CI", "true"),
            ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
            ("CI_PROJECT_DIR", root.to_str().unwrap()),
            ("RALPH_GATE_ALLOW", allow),
        ];
        let ran = job.run(&["/bin/sh", "-ec"], &script, &variables);
        assert_eq!(ran.status.code(), Some(exit), "{change}: {ran:#?}");
        let [junit, quality] = names.map(|name| job.clone.read(name));
        assert!(junit.contains("<testsuites name=\"ralph gate\""));
        let quality: Value = serde_json::from_str(&quality).unwrap();
        let quality = quality.as_array().unwrap().iter();
        let checks: BTreeSet<_> = quality
            .map(|entry| entry["check_name"].as_str().unwrap().to_owned())
            .collect();
        let expected = match exit {
            0 => BTreeSet::new(),
            1 => BTreeSet::from(["claim_failed".to_owned()]),
            _ => BTreeSet::from(["threshold_lowered".to_owned()]),
        };
        assert_eq!(checks, expected, "{change}");
    }
}

#[test]
fn the_action_gates_a_pull_request_and_names_its_log_where_it_decided() {
    for (change, allow, exit, outcome) in CASES {
        let job = Job::by_action(change);
        let installed = job.step(0, &[], &[]);
        assert_eq!(installed.status.code(), Some(0), "{installed:#?}");
        let ran = job.step(1, &[], &[("RALPH_GATE_ALLOW", allow)]);
        assert_eq!(ran.status.code(), Some(exit), "{change}: {ran:#?}");
        let summary = fs::read_to_string(job.home("summary.md")).unwrap();
        let heading = format!("### ralph gate: {outcome}\n");
        assert!(summary.starts_with(&heading), "{change}: {summary}");
        let log = job.home("ralph/gate.sarif");
        let output = fs::read_to_string(job.home("output")).unwrap();
        assert_eq!(output, format!("sarif={}\n", log.display()));
        let log: Value = serde_json::from_str(&fs::read_to_string(log).unwrap()).unwrap();
        let invocation = &log["runs"][0]["invocations"][0];
        assert_eq!(invocation["exitCode"], exit, "{change}");
    }
}

#[test]
fn each_line_of_an_input_of_the_action_is_one_argument_that_no_shell_reads() {
    let job = Job::by_action(APP);
    job.step(0, &[], &[]);
    let inputs = [
        (
            "args",
            "--offline\n--output\njunit=$(touch made) $HOME.xml\n",
        ),
        ("spec", "DEMO\n"),
    ];
    let ran = job.step(1, &inputs, &[("GITHUB_BASE_REF", "")]);
    assert_eq!(ran.status.code(), Some(3), "{ran:#?}");
    assert!(job.clone.root().join("$(touch made) $HOME.xml").exists());
    assert!(!job.clone.root().join("made").exists());
    assert_eq!(fs::read_to_string(job.home("output")).unwrap(), "");
    let unknown = job.step(1, &[("spec", "--offline")], &[]);
    let message = String::from_utf8(unknown.stderr).unwrap();
    assert_eq!(unknown.status.code(), Some(2), "{message}");
    assert!(message.contains("--offline"), "{message}");
}

#[test]
fn the_action_fails_where_it_is_another_version() {
    for (version, exit, message) in [
        ("", 0, ""),
        (env!("CARGO_PKG_VERSION"), 0, ""),
        ("9.9.9", 2, ", not 9.9.9\n"),
    ] {
        let job = Job::by_action(APP);
        let ran = job.step(0, &[("version", version)], &[]);
        assert_eq!(ran.status.code(), Some(exit), "{version}: {ran:#?}");
        let stderr = String::from_utf8(ran.stderr).unwrap();
        assert!(stderr.ends_with(message), "{version}: {stderr}");
    }
}

#[test]
fn no_script_of_the_action_holds_an_expression_and_the_guide_names_its_inputs() {
    let action = action();
    assert_eq!(action["runs"]["using"], "composite");
    for step in action["runs"]["steps"].as_array().unwrap() {
        assert_eq!(step["shell"], "bash");
        let script = step["run"].as_str().unwrap();
        assert!(!script.contains("${{"), "{script}");
    }
    let inputs: BTreeSet<_> = action["inputs"].as_object().unwrap().keys().collect();
    assert_eq!(
        inputs.into_iter().collect::<Vec<_>>(),
        ["args", "spec", "version"]
    );
    let workflow =
        in_guide("name: gate\non: pull_request\npermissions:\n  contents: read\n  security");
    let steps = &workflow["jobs"]["gate"]["steps"];
    assert_eq!(steps[1]["uses"], "OWNER/ralph@main");
    for input in steps[1]["with"].as_object().unwrap().keys() {
        assert!(action["inputs"].get(input).is_some(), "{input}");
    }
    let log = "${{ steps.gate.outputs.sarif }}";
    assert_eq!(action["outputs"]["sarif"]["value"], log);
    assert_eq!(steps[2]["with"]["sarif_file"], log);
}
