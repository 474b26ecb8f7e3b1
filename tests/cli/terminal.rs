//! What a user sees on a terminal, with the real binary on a pseudo terminal.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::num::NonZeroU16;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Child, ExitStatus};

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::fifo::Fifo;
use crate::scripted::{PASS, REVISE, Scripted};
use crate::signals::signal;
use crate::support::{RalphCommand, short};

/// The rows of every terminal.
const ROWS: NonZeroU16 = NonZeroU16::new(24).unwrap();

/// How often the screen may change before it is what is expected.
const MAX_READS: u32 = 200;

/// `ralph` on a terminal.
pub(crate) struct Terminal {
    pub(crate) ralph: Child,
    /// The side of the user.
    user: File,
    screen: vt100::Parser,
}

impl Terminal {
    /// Starts a command on a terminal with this many columns.
    pub(crate) fn start(command: RalphCommand<'_>, columns: u16) -> Self {
        let size = Winsize {
            ws_row: ROWS.get(),
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        // No other program may inherit the side of the user.
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let user = openpt(flags).unwrap();
        grantpt(&user).unwrap();
        unlockpt(&user).unwrap();
        let name = ptsname(&user, Vec::new()).unwrap();
        let mut ours = OpenOptions::new();
        ours.custom_flags(OFlags::NOCTTY.bits().cast_signed());
        let terminal = ours.read(true).write(true).open(name.to_str().unwrap());
        let terminal = terminal.unwrap();
        tcsetwinsize(&terminal, size).unwrap();
        let mut command = command.env("TERM", "xterm-256color").into_std();
        let side = || terminal.try_clone().unwrap();
        command.stdin(side()).stdout(side()).stderr(side());
        let ralph = command.spawn().unwrap();
        // Only the command holds its side now, so that the end of it is seen.
        drop((command, terminal));
        Self {
            ralph,
            user: user.into(),
            screen: vt100::Parser::new(ROWS, NonZeroU16::new(columns).unwrap(), 1000),
        }
    }

    /// Takes in what was written since; false when nothing comes any more.
    fn read(&mut self) -> bool {
        let mut bytes = [0; 4096];
        // The end of a terminal is an error.
        let read = self.user.read(&mut bytes).unwrap_or(0);
        self.screen.process(&bytes[..read]);
        read > 0
    }

    /// The lines of the screen that are not blank.
    pub(crate) fn lines(&self) -> Vec<String> {
        let screen = self.screen.screen();
        let (_, columns) = screen.size();
        let lines = screen.rows(0, columns.get());
        let lines = lines.map(|line| line.trim_end().to_owned());
        lines.filter(|line| !line.is_empty()).collect()
    }

    /// Waits until the last lines of the screen are these, apart from the time.
    pub(crate) fn ends_with(&mut self, expected: &[&str]) {
        for _ in 0..MAX_READS {
            let lines = stills(&self.lines());
            if lines.ends_with(&expected.iter().map(ToString::to_string).collect::<Vec<_>>()) {
                return;
            }
            if !self.read() {
                break;
            }
        }
        panic!("{expected:#?} is not the end of {:#?}", self.lines());
    }

    /// Closes the terminal, and waits for the end.
    pub(crate) fn hang_up(mut self) -> ExitStatus {
        self.user = File::open("/dev/null").unwrap();
        self.ralph.wait().unwrap()
    }

    /// Waits for the end, and returns the last screen.
    pub(crate) fn end(&mut self) -> (ExitStatus, Vec<String>) {
        while self.read() {}
        let status = self.ralph.wait().unwrap();
        (status, self.lines())
    }
}

impl Drop for Terminal {
    /// Ends the command also where a test fails.
    fn drop(&mut self) {
        let _ = self.ralph.kill();
        let _ = self.ralph.wait();
    }
}

/// A line of the screen without its spinner and with `T` for the time so far.
pub(crate) fn still(line: &str) -> String {
    let line = line.trim_start_matches(|char: char| ('\u{2800}'..='\u{28ff}').contains(&char));
    let words = line.split(' ').map(|word| {
        let time = word.strip_suffix('s').unwrap_or_default();
        match !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit()) {
            true => "T",
            false => word,
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn stills(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| still(line)).collect()
}

/// A script that prints a line and goes on when the test lets it.
fn saying(line: &str, gate: &Fifo, then: &str) -> String {
    format!("echo '{line}' >&2\nread go < {gate}\n{then}")
}

/// Lets the script that waits at `gate` go on.
pub(crate) fn open(gate: &Fifo) {
    let mut gate = OpenOptions::new()
        .write(true)
        .open(gate.to_string())
        .unwrap();
    writeln!(gate, "go").unwrap();
}

/// A project whose reviewer revises once and passes then; both agents, and the task,
/// wait for the test.
pub(crate) fn waiting() -> (Scripted, Fifo) {
    let project = Scripted::new(&[]);
    let gate = Fifo::new(&project);
    let answer =
        format!("if [ $RALPH_ITERATION = 1 ]; then echo '{REVISE}'; else echo '{PASS}'; fi");
    project.reviewer(&saying("I read the spec and its tasks", &gate, &answer));
    let fix = "echo fixed >> specs/DEMO.md; echo done";
    project.applier(&saying("I fix the goal", &gate, fix));
    let test = format!(
        "echo 'test index::keeps_the_order ... ok'\nread go < {gate}\n\
         echo 'test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out'"
    );
    project.environment.program("index-tests", &test);
    project.task(1, "[]", "index-tests");
    (project, gate)
}

/// The calls of a review at 80 columns.
pub(crate) const CALLS: [&str; 3] = [
    " round 1 of 10 · reviewing · T of 10m · I read the spec and its tasks",
    " round 1 of 10 · applying · T of 10m · I fix the goal · cmd:fix",
    " round 2 of 10 · reviewing · T of 10m · I read the spec and its tasks",
];

/// The same at 42 columns.
const CALLS_AT_42: [&str; 3] = [
    " round 1 of 10 · reviewing · T of 10m",
    " round 1 of 10 · applying · T of 10m",
    " round 2 of 10 · reviewing · T of 10m",
];

#[test]
fn a_review_is_watched_in_every_round_and_leaves_no_line_behind() {
    let at_120 = [
        " round 1 of 10 · reviewing · T of 10m · I read the spec and its tasks · cmd:judge",
        CALLS[1],
        " round 2 of 10 · reviewing · T of 10m · I read the spec and its tasks · cmd:judge",
    ];
    for (columns, calls) in [(42, CALLS_AT_42), (80, CALLS), (120, at_120)] {
        let (project, gate) = waiting();
        let mut terminal = Terminal::start(project.run(&["--no-tasks"]), columns);
        for call in calls {
            terminal.ends_with(&[call]);
            open(&gate);
        }
        let (status, lines) = terminal.end();
        assert!(status.success(), "{lines:#?}");
        assert!(lines.iter().all(|line| still(line) == *line), "{lines:#?}");
        assert!(lines.contains(&"passed".to_owned()), "{lines:#?}");
    }
}

#[test]
fn tasks_are_watched_with_their_tests_and_last_line() {
    for (columns, shown) in [
        (42, " task 1 · testing · T of 10m · Step 1"),
        (
            80,
            " task 1 · testing · T of 10m · Step 1 · 1 test · test …",
        ),
        (
            120,
            " task 1 · testing · T of 10m · Step 1 · 1 test · test index::keeps_the_order ... ok",
        ),
    ] {
        let (project, gate) = waiting();
        let mut terminal = Terminal::start(project.run(&["--tasks-only"]), columns);
        terminal.ends_with(&[shown]);
        open(&gate);
        let (status, lines) = terminal.end();
        assert!(status.success(), "{lines:#?}");
        assert!(lines.iter().all(|line| still(line) == *line), "{lines:#?}");
    }
}

#[test]
fn a_gate_is_watched_and_leaves_no_line_behind() {
    let (project, gate) = waiting();
    let text = project.environment.read("tasks/demo/01-step.md");
    let claims = text.replace("pending", "complete");
    assert_ne!(claims, text);
    project.write("tasks/demo/01-step.md", claims);
    let mut terminal = Terminal::start(project.environment.command(["gate"]), 80);
    terminal.ends_with(&[" task 1 · testing · T of 10m · Step 1 · 1 test · test …"]);
    open(&gate);
    let (status, lines) = terminal.end();
    assert!(status.success(), "{lines:#?}");
    let screen = lines.join("\n");
    assert!(screen.contains("passed  task 1 Step 1  1 test"), "{screen}");
    assert!(!screen.contains("index-tests"), "{screen}");
}

#[test]
fn an_echo_of_the_terminal_does_not_move_the_lines() {
    let (project, gate) = waiting();
    for columns in [78, 80] {
        let mut terminal = Terminal::start(project.run(&["--no-tasks"]), columns);
        terminal.ends_with(&[CALLS[0]]);
        let mut typed = &terminal.user;
        // What is typed is echoed where the cursor is.
        typed.write_all(b"^C").unwrap();
        terminal.ends_with(&[CALLS[0]]);
        open(&gate);
        for call in &CALLS[1..] {
            terminal.ends_with(&[call]);
            open(&gate);
        }
        let (_, lines) = terminal.end();
        let screen = lines.join("\n");
        assert!(!screen.contains("reviewing"), "{columns}: {screen}");
        assert!(!screen.contains("I read"), "{columns}: {screen}");
    }
}

#[test]
fn an_interrupted_call_leaves_no_line_behind() {
    let (project, gate) = waiting();
    let mut terminal = Terminal::start(project.run(&["--no-tasks"]), 80);
    for call in &CALLS[..2] {
        terminal.ends_with(&[call]);
        open(&gate);
    }
    terminal.ends_with(&[CALLS[2]]);
    signal("INT", &terminal.ralph);
    let (status, lines) = terminal.end();
    assert_eq!(status.code(), Some(130));
    let last = &lines[lines.iter().position(|line| line == "interrupted").unwrap()..];
    assert!(last.iter().any(|line| line == "next:"), "{lines:#?}");
    let screen = lines.join("\n");
    assert!(!screen.contains("I read"), "{screen}");
    assert!(!screen.contains("reviewing"), "{screen}");
}

#[test]
fn the_report_wraps_between_words_and_scores() {
    let (project, gate) = waiting();
    let mut terminal = Terminal::start(project.run(&["--no-tasks"]), 42);
    for call in CALLS_AT_42 {
        terminal.ends_with(&[call]);
        open(&gate);
    }
    let (_, lines) = terminal.end();
    let from = lines
        .iter()
        .position(|line| line.contains("round 2"))
        .unwrap();
    assert_eq!(
        lines[from..from + 3],
        [
            "  round 2  pass  architecture 90",
            "    completeness 90  consistency 90",
            "    testability 90",
        ]
    );
    let run = project.journal();
    let run = short(run.parent().unwrap().file_name().unwrap().to_str().unwrap());
    let line = lines.iter().find(|line| line.contains(run));
    assert_eq!(line.map(|line| line.trim()), Some(run), "{lines:#?}");
}
