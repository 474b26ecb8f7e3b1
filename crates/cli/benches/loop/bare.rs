//! What a round asks of the system, and nothing else: the two programs with
//! their pipes, the synced journal and the files of a round, in the sizes that
//! they have. Nothing is read out of an answer, checked, decided or reported.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a call takes, in bytes.
#[derive(Clone, Copy)]
struct Sizes {
    prompt: usize,
    /// Its result in the journal, with the start of the next call.
    result: usize,
}

const REVIEW: Sizes = Sizes {
    prompt: 3_800,
    result: 380,
};

const APPLY: Sizes = Sizes {
    prompt: 1_860,
    result: 1_180,
};

/// Bytes of a feedback document.
const FEEDBACK: usize = 1_280;

/// The note about the program that runs.
const NOTE: [u8; 64] = [b' '; 64];

/// A run of a number of rounds in the current folder, with its files in `state`.
pub(crate) fn run(rounds: u32, state: &Path) {
    let mut run = Bare::new(state);
    for round in 1..=rounds {
        if round > 1 {
            read_artifact();
            run.call("./fix", APPLY);
            read_artifact();
            run.record(APPLY);
        }
        read_artifact();
        run.call("./judge", REVIEW);
        look_at_artifact();
        run.record(REVIEW);
        run.write_feedback(round);
    }
}

struct Bare {
    feedback: PathBuf,
    journal: File,
    child: File,
}

impl Bare {
    fn new(state: &Path) -> Self {
        let feedback = state.join("feedback");
        fs::create_dir_all(&feedback).expect("a state folder");
        Self {
            feedback,
            journal: new_file(&state.join("journal.jsonl")),
            child: new_file(&state.join("child")),
        }
    }

    fn call(&self, program: &str, sizes: Sizes) {
        let mut child = Command::new(program)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        self.child.write_all_at(&NOTE, 0).expect("a note");
        let mut stdin = child.stdin.take().expect("a pipe");
        // Neither program reads its prompt, so the pipe may be broken.
        let _broken = stdin.write_all(&vec![b'x'; sizes.prompt]);
        drop(stdin);
        let mut read = Vec::new();
        let stdout = child.stdout.take().expect("a pipe");
        let stderr = child.stderr.take().expect("a pipe");
        stdout.chain(stderr).read_to_end(&mut read).expect("output");
        child.wait().expect("the end of the program");
        self.child.write_all_at(&NOTE, 0).expect("a note");
    }

    fn record(&mut self, sizes: Sizes) {
        let record = vec![b'x'; sizes.result];
        self.journal.write_all(&record).expect("a record");
        self.journal.sync_data().expect("a sync");
    }

    fn write_feedback(&self, round: u32) {
        let fresh = self.feedback.join(format!("{round:03}.tmp"));
        let text = [b'x'; FEEDBACK];
        new_file(&fresh).write_all(&text).expect("a document");
        let path = fresh.with_extension("json");
        fs::rename(fresh, path).expect("its name");
    }
}

fn new_file(path: &Path) -> File {
    let mut options = OpenOptions::new();
    let options = options.write(true).create_new(true).mode(0o600);
    options.open(path).expect("a new file")
}

/// No link on the way to the artifact leads out of the root.
fn look_at_artifact() {
    for path in ["specs", "specs/DEMO.md"] {
        fs::symlink_metadata(path).expect("the artifact");
    }
}

fn read_artifact() {
    look_at_artifact();
    fs::read("specs/DEMO.md").expect("the artifact");
}
