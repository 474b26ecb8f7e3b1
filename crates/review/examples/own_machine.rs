//! A machine of your own: it counts the words of three strings, two at a time, and a
//! second process repeats no recorded step.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use review::flow::{
    self, Clock as _, Command, ContentStore, DriveError, Executed, Executor, Input, Machine,
    MemoryBlobs, MemoryJournal, MissingContent, Notice, Numbered, RunLog, RunRecord, Seed, Sink,
    Step, StepName, Stop, SystemClock, Turn,
};
use review::types::RunId;
use serde::{Deserialize, Serialize};

const TEXTS: [&str; 3] = ["one", "one two", "one two three"];
const AT_A_TIME: usize = 2;

/// Decides which text is counted next. It has no clock and no files.
#[derive(Default)]
struct Counting {
    asked: usize,
    counts: Vec<usize>,
}

/// An operation: count the words of the string at this position.
#[derive(Serialize, Deserialize)]
struct Count(usize);

/// A notice of the machine.
struct Counted(usize);

impl Notice for Counted {
    type Event = Self;

    fn event(self, _: &ContentStore) -> Result<Self, MissingContent> {
        Ok(self)
    }
}

impl Machine for Counting {
    type Op = Count;
    type Out = usize;
    type Notice = Counted;
    type Done = usize;
    type Changes = ();

    fn next(&mut self, input: Input<usize, ()>) -> Turn<Self> {
        let mut notices = Vec::new();
        if let Input::Finished { record, .. } = input {
            self.counts.push(record.out);
            notices.push(Counted(record.out));
        }
        let mut commands = Vec::new();
        while self.asked < TEXTS.len() && self.asked - self.counts.len() < AT_A_TIME {
            commands.push(Command::Do {
                step: StepName::new("count", 0, self.asked),
                op: Count(self.asked),
            });
            self.asked += 1;
        }
        let is_done = self.counts.len() == TEXTS.len();
        Turn {
            notices,
            commands,
            done: is_done.then(|| self.counts.iter().sum()),
        }
    }
}

/// Runs the steps.
#[derive(Default)]
struct Counter {
    calls: AtomicUsize,
    /// The words that were reported.
    words: AtomicUsize,
}

impl Sink<Counted> for Counter {
    fn emit(&self, event: Numbered<Counted>) {
        self.words.fetch_add(event.event.0, Ordering::Relaxed);
    }
}

impl Executor<Counting> for Counter {
    async fn exec(
        &self,
        _: Step,
        Count(at): Count,
        _: &ContentStore,
    ) -> Result<Executed<usize>, Stop> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let words = TEXTS[at].split_whitespace();
        Ok(Executed::local(words.count()))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
    let mut journal = MemoryJournal::default();
    let counter = Counter::default();
    let record = RunRecord {
        run: RunId::new("words")?,
        seed: Seed::random()?,
        at: SystemClock.now(),
        version: "1".to_owned(),
        input: serde_json::Value::Null,
        texts: Vec::new(),
    };
    let mut log = RunLog::create(&mut journal, &texts, record)?;
    log.emit_to(&counter);
    assert_eq!(words(&counter, &mut log).await?, 6);
    assert_eq!(counter.words.load(Ordering::Relaxed), 6);
    drop(log);

    let mut log = RunLog::open(&mut journal, &texts)?;
    assert_eq!(words(&counter, &mut log).await?, 6);
    assert_eq!(counter.calls.into_inner(), 3, "each string is counted once");
    Ok(())
}

async fn words(counter: &Counter, log: &mut RunLog<'_, Counted>) -> Result<usize, DriveError> {
    flow::run(&mut Counting::default(), counter, log, &SystemClock, None).await
}
