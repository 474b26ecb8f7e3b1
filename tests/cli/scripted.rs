//! A project whose reviewer, applier and tasks are scripts that write down
//! when they were called.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::{RalphCommand, TestEnvironment};

/// The answer of a reviewer who is content.
pub(crate) const PASS: &str = r#"{"verdict":"pass","score":{"completeness":90,"consistency":90,"testability":90,"architecture":90},"feedback":[]}"#;

/// A pass that names the ids of its prompt, where `REVIEW_ID` and `END_ID` are they.
pub(crate) fn named_pass() -> String {
    PASS.replacen('{', r#"{"review_id":"REVIEW_ID","end_id":"END_ID","#, 1)
}

/// Prints a string with the ids of the prompt of a program in the place of `REVIEW_ID` and
/// `END_ID`; `text` is a command that prints it.
pub(crate) fn filled(text: &str) -> String {
    format!(
        r#"cat > "$HOME/asked"
R=$(sed -nE 's/^  "review_id": "(.*)",$/\1/p' "$HOME/asked")
E=$(sed -nE 's/.*Its "end_id" is "([^"]*)".*/\1/p' "$HOME/asked")
{text} | sed "s/REVIEW_ID/$R/g; s/END_ID/$E/g""#
    )
}

/// Fills the ids of a prompt into an answer to the request to a service with this body.
pub(crate) fn answering(text: &str, body: &str) -> String {
    let after = |mark: &str| {
        let behind = body.rsplit_once(mark).map_or("", |(_, behind)| behind);
        behind.split('\\').next().unwrap_or_default()
    };
    let text = text.replace("REVIEW_ID", after(r#"\"review_id\": \""#));
    text.replace("END_ID", after(r#"\"end_id\" is \""#))
}

/// The answer of a reviewer who wants one thing changed.
pub(crate) const REVISE: &str = r#"{"verdict":"needs_revision","score":{"completeness":60,"consistency":90,"testability":90,"architecture":90},"feedback":[{"section":"Goal","issue":"it is not fixed","suggestion":"fix it"}]}"#;

/// The spec that every project starts with.
pub(crate) const SPEC: &str = "# Demo\n\n## Goal\n\nA demo.\n";

/// A project with the spec `specs/DEMO.md` and the unit `tasks/demo`.
pub(crate) struct Scripted {
    pub(crate) environment: TestEnvironment,
}

impl Scripted {
    /// A project whose unit has one task for each command, each waiting for
    /// the previous one.
    pub(crate) fn new(commands: &[&str]) -> Self {
        let environment = TestEnvironment::new();
        environment.write("specs/DEMO.md", SPEC);
        let project = Self { environment };
        let plan = "---\nunit: demo\ndepends_on: []\n---\n\n# Plan\n";
        project.write("tasks/demo/IMPLEMENTATION_PLAN.md", plan);
        for (at, command) in commands.iter().enumerate() {
            let number = at + 1;
            let waits: Vec<_> = (at > 0).then_some(at).into_iter().collect();
            project.task(number, &format!("{waits:?}"), command);
        }
        project
    }

    /// A project with a reviewer who wants the spec fixed twice, an applier
    /// who does so, and two tasks, which run the scripts `task-1` and `task-2`
    /// outside the project where they exist.
    pub(crate) fn working() -> Self {
        let project = Self::new(&[]);
        for number in [1, 2] {
            let waits = if number == 1 { "[]" } else { "[1]" };
            let hook = format!("\"$HOME/task-{number}\"");
            let command = format!(
                "echo task {number} >> \"$HOME/calls\"; if [ -e {hook} ]; then . {hook}; fi"
            );
            project.task(number, waits, &command);
        }
        project.reviewer(&judging(""));
        project.applier(&fixing("", ""));
        project
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        self.environment.write(path, text)
    }

    /// Writes a task file.
    pub(crate) fn task(&self, number: usize, waits_for: &str, command: &str) {
        let command = serde_json::to_string(command).unwrap();
        self.write(
            &format!("tasks/demo/{number:02}-step.md"),
            format!(
                "---\ntask: {number}\nstatus: pending\nbackpressure: {command}\n\
                 depends_on: {waits_for}\n---\n\n# Step {number}\n\n\
                 **Parent spec**: `/specs/DEMO.md`\n"
            ),
        );
    }

    /// Makes a script the reviewer; each call of it is logged first.
    pub(crate) fn reviewer(&self, script: &str) {
        self.agent("judge", "review", script);
    }

    /// Makes a script the applier; each call of it is logged first.
    pub(crate) fn applier(&self, script: &str) {
        self.agent("fix", "apply", script);
    }

    fn agent(&self, name: &str, word: &str, script: &str) {
        let script = format!("echo {word} $RALPH_ITERATION >> \"$HOME/calls\"\n{script}");
        self.environment.program(name, &script);
    }

    /// The path of a file outside the project, which scripts may use.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.environment.home().join(name)
    }

    /// What was called so far, in order.
    pub(crate) fn calls(&self) -> Vec<String> {
        let log = fs::read_to_string(self.outside("calls")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// Forgets what was called.
    pub(crate) fn forget_calls(&self) {
        fs::write(self.outside("calls"), "").unwrap();
    }

    /// `ralph run` with the two scripts.
    pub(crate) fn run(&self, arguments: &[&str]) -> RalphCommand<'_> {
        let scripts = ["run", "--reviewer", "cmd:judge", "--applier", "cmd:fix"];
        self.environment.command([&scripts, arguments].concat())
    }

    /// `ralph resume latest`.
    pub(crate) fn resume(&self, arguments: &[&str]) -> RalphCommand<'_> {
        self.environment
            .command([&["resume", "latest"], arguments].concat())
    }

    /// The journal of the only run.
    pub(crate) fn journal(&self) -> PathBuf {
        let runs = self.environment.files(".ralph-review/runs");
        let mut journals = runs.iter().filter(|path| path.ends_with("/journal.jsonl"));
        let journal = journals.next().unwrap();
        assert_eq!(journals.next(), None);
        self.environment.root().join(journal)
    }

    /// The content of the user's files, by path.
    pub(crate) fn artifact(&self) -> Vec<(String, String)> {
        ["specs", "tasks"]
            .into_iter()
            .flat_map(|folder| self.environment.files(folder))
            .map(|path| (path.clone(), self.environment.read(&path)))
            .collect()
    }
}

/// The reviewer of [`Scripted::working`], which first runs `before`.
pub(crate) fn judging(before: &str) -> String {
    format!(
        "cat >/dev/null\n{before}\n\
         if [ \"$(grep -c fixed \"$RALPH_SPEC\")\" -ge 2 ]\n\
         then echo '{PASS}'\nelse echo '{REVISE}'\nfi"
    )
}

/// The applier of [`Scripted::working`], which runs `before` and `after`
/// around its edit.
pub(crate) fn fixing(before: &str, after: &str) -> String {
    format!(
        "cat >/dev/null\n{before}\n\
         echo \"fixed $RALPH_ITERATION\" >> \"$RALPH_SPEC\"\n{after}"
    )
}

/// A script that runs at the first call only.
pub(crate) fn once(script: &str) -> String {
    format!("if ! [ -e \"$HOME/mark\" ]; then : > \"$HOME/mark\"; {script}; fi")
}

/// A report without what differs from run to run, such as what a crash left.
pub(crate) fn timeless(mut report: Value) -> Value {
    report.as_object_mut().unwrap().remove("undone");
    report["at"] = Value::Null;
    report["took_ms"] = Value::Null;
    report["run"] = Value::Null;
    report["next"] = Value::Null;
    for iteration in report["iterations"].as_array_mut().unwrap() {
        iteration["timestamp"] = Value::Null;
    }
    for task in report["tasks"].as_array_mut().unwrap() {
        task["seconds"] = Value::Null;
        task["log"] = Value::Null;
    }
    report
}
