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
    call: Call<'a>,
    answer: AnswerLog<'a>,
    stderr: Option<LogFile>,
    held: Vec<u8>,
}

/// The call that a log is of.
struct Call<'a> {
    run: &'a RunDir,
    step: &'a Step,
    /// The name of a further command of the attempt.
    beside: Option<&'a str>,
}

impl Call<'_> {
    fn log(&self, output: &str) -> LogFile {
        let name = self.step.name.as_str().replace('/', ".");
        let attempt = self.step.attempt;
        self.run.log(&match self.beside {
            Some(beside) => format!("{name}-{attempt}.{beside}.{output}"),
            None => format!("{name}-{attempt}.{output}"),
        })
    }
}

/// Where an answer goes, without the secrets that are spread over its events.
#[derive(Default)]
struct AnswerLog<'a> {
    file: Option<LogFile>,
    deltas: Option<DeltaRedaction<'a>>,
}

impl AnswerLog<'_> {
    fn is_begun(&self) -> bool {
        self.file.is_some()
    }

    fn write(&mut self, call: &Call<'_>, bytes: &[u8]) -> io::Result<()> {
        let file = self.file.get_or_insert_with(|| call.log("stdout"));
        let Some(deltas) = &mut self.deltas else {
            return file.write_all(bytes);
        };
        let mut clean = Vec::with_capacity(bytes.len());
        deltas.push(bytes, &mut |bytes| clean.extend_from_slice(bytes));
        file.write_all(&clean)
    }

    fn finish(mut self, call: &Call<'_>) -> io::Result<()> {
        let mut clean = Vec::new();
        if let Some(deltas) = self.deltas.take() {
            deltas.finish(&mut |bytes| clean.extend_from_slice(bytes));
        }
        self.write(call, &clean)
    }
}

impl<'a> CallLog<'a> {
    /// The log of the attempt of a step.
    pub(crate) fn new(run: &'a RunDir, step: &'a Step) -> Self {
        Self {
            call: Call {
                run,
                step,
                beside: None,
            },
            answer: AnswerLog::default(),
            stderr: None,
            held: Vec::new(),
        }
    }

    /// The log of a further command of the attempt.
    pub(super) fn beside(run: &'a RunDir, step: &'a Step, name: &'a str) -> Self {
        let mut log = Self::new(run, step);
        log.call.beside = Some(name);
        log
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
            Stream::Stderr => {
                let file = self.stderr.get_or_insert_with(|| self.call.log("stderr"));
                file.write_all(bytes)
            }
        }
    }

    fn write_answer(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !self.answer.is_begun() && self.held.len() + bytes.len() <= HELD_BACK {
            self.held.extend_from_slice(bytes);
            return Ok(());
        }
        let held = std::mem::take(&mut self.held);
        self.answer.write(&self.call, &held)?;
        self.answer.write(&self.call, bytes)
    }

    /// Writes what is held back.
    pub(crate) fn keep(mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        self.answer.write(&self.call, &held)?;
        self.answer.finish(&self.call)
    }

    /// Writes what is held back, if anything was written.
    #[cfg(feature = "http")]
    pub(crate) fn complete(self) -> io::Result<()> {
        match self.answer.is_begun() {
            true => self.keep(),
            false => Ok(()),
        }
    }
}
