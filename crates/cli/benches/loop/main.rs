//! What the loop costs over a shell that runs the same two programs as often, each by
//! the launcher of ralph: `cargo bench -p ralph-review --bench loop`. Beside it is what
//! the launcher costs, and what its system calls cost alone, of which two syncs of the
//! journal may be most.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench writes files, starts programs, prints what they cost"
)]

mod bare;

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use review_test_support::measure::{Program, least_of_programs, milliseconds, ralph, report};
use tempfile::TempDir;

const SPEC: &str = "# Demo\n\n## Goal\n\nA demo.\n";
const JUDGE: &str = r#"#!/bin/sh
echo '{"verdict":"needs_revision","score":{"completeness":60,"consistency":90,"testability":90,"architecture":90},"feedback":[{"section":"Goal","issue":"it is short","suggestion":"write more"}]}'
"#;
const FIX: &str = "#!/bin/sh\nprintf x >> specs/DEMO.md\n";
const SHELL: &str = "#!/bin/sh
left=$1
shift
\"$@\" ./judge > answer
while [ $left -gt 1 ]; do
    \"$@\" ./fix > answer
    \"$@\" ./judge > answer
    left=$((left - 1))
done
";
const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

/// Rounds of the shortest run and of a long one. More runs that are shorter
/// find a quiet moment of the machine sooner.
const ROUNDS: [u32; 2] = [1, 51];
const RUNS: usize = 41;

/// With this word the bench runs its bare rounds.
const BARE: &str = "--bare";

/// A project with a reviewer who is never content, an applier who appends a
/// byte, and a shell script that runs both.
struct Project {
    folder: TempDir,
    runs: Cell<u32>,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("specs")).expect("a folder for the spec");
        let project = Self {
            folder,
            runs: Cell::new(0),
        };
        for (name, script) in [("judge", JUDGE), ("fix", FIX), ("both", SHELL)] {
            let path = project.path(name);
            fs::write(&path, script).expect("a script");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
        }
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Brings the spec to where it was. Each run has a state of its own: some
    /// file systems take long to make a file after others were removed.
    fn reset(&self) {
        fs::write(self.path("specs/DEMO.md"), SPEC).expect("the spec");
        self.runs.set(self.runs.get() + 1);
    }

    fn run(&self, rounds: u32) -> Command {
        let mut command = ralph(RALPH, self.folder.path());
        let rounds = rounds.to_string();
        command.args([
            "run",
            "--spec",
            "specs/DEMO.md",
            "--set",
            "review.patience=0",
            "--max-iterations",
            &rounds,
        ]);
        command.args(["--reviewer", "cmd:./judge", "--applier", "cmd:./fix"]);
        command.args(["--state-dir", &format!("state-{}", self.runs.get())]);
        command
    }

    fn shell(&self, rounds: u32) -> Command {
        let mut command = Command::new(self.path("both"));
        command.arg(rounds.to_string());
        command.current_dir(self.folder.path());
        command
    }

    fn launched(&self, rounds: u32) -> Command {
        let mut command = self.shell(rounds);
        command.args([RALPH, "confine", "--"]);
        command
    }

    /// This bench, as a program that only asks the system for what a round
    /// needs.
    fn bare(&self, rounds: u32) -> Command {
        let own = std::env::current_exe().expect("the path of this program");
        let mut command = Command::new(own);
        let state = format!("bare-{}", self.runs.get());
        command.args([BARE, &rounds.to_string(), &state]);
        command.current_dir(self.folder.path());
        command
    }

    /// How often the applier of a run was called.
    fn applied(&self, rounds: u32) -> u32 {
        self.reset();
        let output = self.run(rounds).output().expect("ralph starts");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let spec = fs::read(self.path("specs/DEMO.md")).expect("the spec");
        u32::try_from(spec.len() - SPEC.len()).expect("a byte a call")
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [bare, rounds, state] = words.as_slice()
        && bare == BARE
    {
        bare::run(rounds.parse().expect("a number"), Path::new(state));
        return;
    }
    let project = Project::new();
    let [short, long] = ROUNDS;
    for rounds in ROUNDS {
        let applied = project.applied(rounds);
        assert_eq!(applied, rounds - 1, "nothing is applied after the last");
    }
    let reset = || project.reset();
    let side = |command, status| Program {
        prepare: &reset,
        command,
        status,
    };
    let costs = least_of_programs(
        RUNS,
        [
            side(&|| project.run(short), 1),
            side(&|| project.shell(short), 0),
            side(&|| project.run(long), 1),
            side(&|| project.shell(long), 0),
            side(&|| project.bare(short), 0),
            side(&|| project.bare(long), 0),
            side(&|| project.launched(short), 0),
            side(&|| project.launched(long), 0),
        ],
    );
    let [
        ours_short,
        shell_short,
        ours_long,
        shell_long,
        bare_short,
        bare_long,
        launched_short,
        launched_long,
    ] = costs.map(milliseconds);
    let rounds = f64::from(long - short);
    let shell = (shell_long - shell_short) / rounds;
    let ours = (ours_long - ours_short) / rounds;
    let bare = (bare_long - bare_short) / rounds;
    let launched = (launched_long - launched_short) / rounds;
    let round = ours - launched;
    let fixed = ours_short - launched_short - round * f64::from(short);
    println!(
        "a round: {ours:.3} ms, by the shell {shell:.3} ms, ratio {:.2}",
        ours / shell
    );
    println!(
        "its system calls alone, over the shell's: {:.3} ms",
        bare - shell
    );
    println!("its launcher, over the shell's: {:.3} ms", launched - shell);
    report("loop, a round over the launched shell's", round, 0.6, "ms");
    report("loop, fixed", fixed, 5.0, "ms");
    println!("{short} and {long} rounds: {costs:?}");
}
