//! A named pipe through which a script tells a test that it runs. Waiting for
//! it is waiting for the event, and its end is the end of all who hold it.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::Command;

use crate::scripted::Scripted;

/// A pipe that is not open yet. It is shown as the path for a script.
pub(crate) struct Fifo(PathBuf);

impl Fifo {
    /// A pipe outside the project.
    pub(crate) fn new(project: &Scripted) -> Self {
        let path = project.outside("fifo");
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        Self(path)
    }

    /// Waits until a script has opened the pipe for writing.
    pub(crate) fn open(&self) -> Events {
        Events(BufReader::new(File::open(&self.0).unwrap()))
    }
}

impl fmt::Display for Fifo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

/// What scripts write into a pipe.
pub(crate) struct Events(BufReader<File>);

impl Events {
    /// The next line.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// All that comes until no process holds the pipe any more.
    pub(crate) fn rest(&mut self) -> String {
        let mut rest = String::new();
        self.0.read_to_string(&mut rest).unwrap();
        rest
    }
}
