//! Journals with steps that are not open.

use review_flow::{
    Command, ContentStore, Executed, Executor, Input, Machine, ManualClock, MemoryJournal, Record,
    RunLog, Step, Stop, Turn, drive, run,
};

use crate::support::{Fact, block_on, record, step, texts};

/// Opens two steps, then a third; or one step twice.
struct Three {
    over: usize,
    names_twice: bool,
}

impl Machine for Three {
    type Op = ();
    type Out = ();
    type Notice = Fact;
    type Done = ();
    type Changes = ();

    fn next(&mut self, input: Input<(), ()>) -> Turn<Self> {
        let start = |path: &str| Command::Do {
            step: step(path),
            op: (),
        };
        if let Input::Finished { .. } = input {
            self.over += 1;
        }
        let second = if self.names_twice { "a" } else { "b" };
        Turn {
            notices: Vec::new(),
            commands: match (self.over, input) {
                (0, _) => vec![start("a"), start(second)],
                (2, _) => vec![start("c")],
                _ => Vec::new(),
            },
            done: (self.over == 3).then_some(()),
        }
    }
}

struct Workers;

impl Executor<Three> for Workers {
    async fn exec(&self, _: Step, (): (), _: &ContentStore) -> Result<Executed<()>, Stop> {
        Ok(Executed::local(()))
    }
}

fn driven(journal: &mut MemoryJournal, names_twice: bool) -> Result<(), String> {
    let texts = texts();
    let log = match journal.bytes().is_empty() {
        true => RunLog::create(journal, &texts, record()),
        false => RunLog::open(journal, &texts),
    };
    let mut log = log.unwrap();
    let first = Input::Start { at: log.run().at };
    let mut machine = Three {
        over: 0,
        names_twice,
    };
    let clock = ManualClock::default();
    let driven = block_on(drive(&mut machine, &Workers, &mut log, &clock, first));
    driven.map_err(|error| error.to_string())
}

#[test]
fn a_record_of_a_step_that_is_not_open_is_refused() {
    let mut journal = MemoryJournal::default();
    driven(&mut journal, false).unwrap();
    let text = String::from_utf8(journal.bytes().to_vec()).unwrap();
    for (part, other, message) in [
        (
            "\"start\":{\"step\":\"test/b\"",
            "\"start\":{\"step\":\"test/c\"",
            "the journal was written by another version or with other settings: expected one of the steps test/a, test/b, found the \
                    start of test/c",
        ),
        (
            "\"result\":{\"step\":\"test/a\"",
            "\"result\":{\"step\":\"test/c\"",
            "the journal was written by another version or with other settings: expected one of the steps test/a, test/b, found the \
                    result of test/c",
        ),
        (
            "\"result\":{\"step\":\"test/c\"",
            "\"result\":{\"step\":\"test/a\"",
            "the journal was written by another version or with other settings: expected step test/c, found the result of test/a",
        ),
    ] {
        assert!(text.contains(part), "{part} in {text}");
        let mut journal = MemoryJournal::from_bytes(text.replacen(part, other, 1).into_bytes());
        assert_eq!(driven(&mut journal, false), Err(message.to_owned()));
    }
}

#[test]
fn a_record_after_the_end_without_a_resume_is_refused() {
    let mut journal = MemoryJournal::default();
    driven(&mut journal, false).unwrap();
    let (records, _) = Record::read_all(journal.bytes()).unwrap();
    let mut bytes = journal.bytes().to_vec();
    let last = Record {
        n: records.len() as u64,
        body: records.last().unwrap().body.clone(),
    };
    last.append_to(&mut bytes).unwrap();
    let mut journal = MemoryJournal::from_bytes(bytes);
    let texts = texts();
    let mut log = RunLog::open(&mut journal, &texts).unwrap();
    let mut machine = Three {
        over: 0,
        names_twice: false,
    };
    let clock = ManualClock::default();
    let refused = block_on(run(&mut machine, &Workers, &mut log, &clock, None));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "the journal was written by another version or with other settings: expected a resume, found the result of test/c"
    );
}

#[test]
fn a_machine_that_opens_a_step_twice_is_refused() {
    let refused = driven(&mut MemoryJournal::default(), true);
    assert_eq!(refused, Err("step test/a is already open".to_owned()));
}
