//! Scripts that tests run as programs.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a program that can be run at once, also while other threads start programs.
///
/// A file cannot be run while some process has it open for writing (`ETXTBSY`), and a
/// process that another thread starts has the files of this one until it runs its
/// program. So another process writes it.
///
/// # Panics
///
/// If the file cannot be written.
pub fn write_program(path: &Path, text: &str) {
    let mut shell = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut input = shell.stdin.take().expect("it is piped");
    input.write_all(text.as_bytes()).expect("a reader");
    drop(input);
    assert!(shell.wait().expect("a child").success(), "{path:?}");
}
