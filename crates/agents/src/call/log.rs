//! What a call leaves in the folder of the run.

use std::io::{self, Write};

use review::Step;
use review_process::Stream;
use review_store::{LogFile, RunDir};

use crate::deltas::DeltaRedaction;

/// Bytes of an output that a call gives before they are in a log: a file costs
/// more than all else that is done for a call, and the journal holds the answer
/// of one that succeeds.
const HELD_BACK: usize = 8 * 1024;

/// The outputs of an attempt of a step, each in a file of its own. The first
/// bytes of an answer are held back until there are more, or the call failed.
pub(crate) struct CallLog<'a> {
    answer: AnswerLog<'a>,
    stderr: LogFile,
    held: Vec<u8>,
}

/// Where an answer goes, without the secrets that are spread over its events.
struct AnswerLog<'a> {
    file: LogFile,
    deltas: Option<DeltaRedaction<'a>>,
    is_begun: bool,
}

impl AnswerLog<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.is_begun = true;
        let Some(deltas) = &mut self.deltas else {
            return self.file.write_all(bytes);
        };
        let mut clean = Vec::with_capacity(bytes.len());
        deltas.push(bytes, &mut |bytes| clean.extend_from_slice(bytes));
        self.file.write_all(&clean)
    }

    fn finish(mut self) -> io::Result<()> {
        let mut clean = Vec::new();
        if let Some(deltas) = self.deltas.take() {
            deltas.finish(&mut |bytes| clean.extend_from_slice(bytes));
        }
        self.file.write_all(&clean)
    }
}

impl<'a> CallLog<'a> {
    /// The log of the attempt of a step.
    pub(crate) fn new(run: &RunDir, step: &Step) -> Self {
        Self::named(run, step, "")
    }

    /// The log of a further command of the attempt.
    pub(super) fn beside(run: &RunDir, step: &Step, name: &str) -> Self {
        Self::named(run, step, &format!(".{name}"))
    }

    fn named(run: &RunDir, step: &Step, suffix: &str) -> Self {
        let log = |output: &str| {
            let name = step.name.as_str().replace('/', ".");
            run.log(&format!("{name}-{}{suffix}.{output}", step.attempt))
        };
        Self {
            answer: AnswerLog {
                file: log("stdout"),
                deltas: None,
                is_begun: false,
            },
            stderr: log("stderr"),
            held: Vec::new(),
        }
    }

    /// The log of an answer that comes in events.
    pub(crate) fn of_events(mut self, deltas: DeltaRedaction<'a>) -> Self {
        self.answer.deltas = Some(deltas);
        self
    }

    /// Takes the next bytes of one output.
    pub(crate) fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        match stream {
            Stream::Stdout => self.write_answer(bytes),
            Stream::Stderr => self.stderr.write_all(bytes),
        }
    }

    fn write_answer(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !self.answer.is_begun && self.held.len() + bytes.len() <= HELD_BACK {
            self.held.extend_from_slice(bytes);
            return Ok(());
        }
        let held = std::mem::take(&mut self.held);
        self.answer.write(&held)?;
        self.answer.write(bytes)
    }

    /// Writes what is held back.
    pub(crate) fn keep(mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        self.answer.write(&held)?;
        self.answer.finish()
    }

    /// Writes what is held back, if anything was written.
    #[cfg(feature = "http")]
    pub(crate) fn complete(self) -> io::Result<()> {
        match self.answer.is_begun {
            true => self.keep(),
            false => Ok(()),
        }
    }
}
