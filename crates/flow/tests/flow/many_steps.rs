//! Machines with several open steps: any order of their results and any kill
//! lead to the same end.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Mutex;
use std::time::Duration;

use proptest::prelude::*;
use review_flow::{
    Body, Command, ContentStore, DriveError, Executed, Executor, Input, Journal, LogError, Machine,
    ManualClock, MemoryJournal, Numbered, Record, RunLog, Step, StepName, Stop, Turn, drive, run,
};
use serde::{Deserialize, Serialize};

use crate::support::{Fact, Facts, block_on, record, step, texts};

/// The kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    Called,
    Local,
    Pause,
}

/// A step of a graph.
#[derive(Clone, Debug)]
struct Node {
    kind: Kind,
    /// The steps that must finish before it.
    after: BTreeSet<usize>,
    /// How often it yields before it ends.
    turns: usize,
}

/// Steps that depend on earlier ones, and how many may be open.
#[derive(Clone, Debug)]
struct Graph {
    nodes: Vec<Node>,
    most_open: usize,
}

fn any_graph() -> impl Strategy<Value = Graph> {
    let kind = prop_oneof![6 => Just(Kind::Called), 1 => Just(Kind::Local), 1 => Just(Kind::Pause)];
    let node = (
        kind,
        prop::collection::btree_set(0_usize..12, 0..3),
        0_usize..9,
    );
    (prop::collection::vec(node, 1..12), 1_usize..9).prop_map(|(nodes, most_open)| {
        let nodes = nodes.into_iter().enumerate();
        let nodes = nodes.map(|(at, (kind, after, turns))| Node {
            kind,
            after: after.into_iter().filter(|before| *before < at).collect(),
            turns,
        });
        Graph {
            nodes: nodes.collect(),
            most_open,
        }
    })
}

fn name(at: usize) -> StepName {
    step(format_args!("{at}/work.1"))
}

/// Goes through a graph.
struct Walker<'a> {
    graph: &'a Graph,
    open: BTreeMap<StepName, usize>,
    over: BTreeSet<usize>,
    /// The outcome of each step.
    outs: BTreeMap<usize, u64>,
    /// All requested steps, input by input.
    asked: Vec<Vec<Command<(usize, Kind)>>>,
}

impl<'a> Walker<'a> {
    fn new(graph: &'a Graph) -> Self {
        Self {
            graph,
            open: BTreeMap::new(),
            over: BTreeSet::new(),
            outs: BTreeMap::new(),
            asked: Vec::new(),
        }
    }

    fn close(&mut self, step: &StepName) -> usize {
        let at = self.open.remove(step).expect("only open steps end");
        self.over.insert(at);
        at
    }
}

impl Machine for Walker<'_> {
    type Op = (usize, Kind);
    type Out = u64;
    type Notice = Fact;
    type Done = BTreeMap<usize, u64>;
    type Changes = ();

    fn next(&mut self, input: Input<u64, ()>) -> Turn<Self> {
        let mut notices = Vec::new();
        match input {
            Input::Start { .. } => notices.push(Fact("started".to_owned())),
            Input::Finished { step, record } => {
                let at = self.close(&step);
                self.outs.insert(at, record.out);
                notices.push(Fact(format!("{at} is {}", record.out)));
            }
            Input::Waited { step, .. } => {
                let at = self.close(&step);
                notices.push(Fact(format!("{at} is over")));
            }
            Input::Signal { .. } | Input::Resumed { .. } => panic!("neither happens"),
        }
        let mut commands = Vec::new();
        for (at, node) in self.graph.nodes.iter().enumerate() {
            let step = name(at);
            let is_new = !self.over.contains(&at) && !self.open.contains_key(&step);
            let has_room = self.open.len() < self.graph.most_open;
            if is_new && has_room && node.after.is_subset(&self.over) {
                self.open.insert(step.clone(), at);
                commands.push(match node.kind {
                    Kind::Called | Kind::Local => Command::Do {
                        step,
                        op: (at, node.kind),
                    },
                    Kind::Pause => Command::Wait {
                        step,
                        delay: Duration::from_secs(1),
                    },
                });
            }
        }
        self.asked.push(commands.clone());
        let is_done = self.open.is_empty();
        if is_done {
            notices.push(Fact("done".to_owned()));
        }
        Turn {
            notices,
            commands,
            done: is_done.then(|| self.outs.clone()),
        }
    }

    fn is_local((_, kind): &(usize, Kind)) -> bool {
        *kind == Kind::Local
    }
}

/// Ends each step after its turns, and records which it ran.
struct Workers<'a> {
    graph: &'a Graph,
    done: Mutex<Vec<StepName>>,
}

impl<'a> Workers<'a> {
    fn new(graph: &'a Graph) -> Self {
        Self {
            graph,
            done: Mutex::default(),
        }
    }
}

impl Executor<Walker<'_>> for Workers<'_> {
    async fn exec(
        &self,
        step: Step,
        (at, _): (usize, Kind),
        texts: &ContentStore,
    ) -> Result<Executed<u64>, Stop> {
        self.done.lock().unwrap().push(step.name.clone());
        for _ in 0..self.graph.nodes[at].turns {
            tokio::task::yield_now().await;
        }
        texts.put(step.name.as_str().as_bytes());
        Ok(Executed::local(at as u64 * 7))
    }
}

/// Runs nothing.
struct Nobody;

impl Executor<Walker<'_>> for Nobody {
    async fn exec(
        &self,
        _: Step,
        _: (usize, Kind),
        _: &ContentStore,
    ) -> Result<Executed<u64>, Stop> {
        Err(Stop::Broken("nobody works".to_owned()))
    }
}

/// A journal whose process dies in one of its writes, with half of the write done or
/// none.
struct Mortal<'a> {
    inner: &'a mut MemoryJournal,
    good: usize,
    torn: bool,
}

impl Journal for Mortal<'_> {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        self.inner.read()
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.inner.truncate(len)
    }

    fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        match self.good.checked_sub(1) {
            Some(good) => {
                self.good = good;
                self.inner.append(lines)
            }
            None if self.torn => {
                self.inner.append(&lines[..lines.len() / 2])?;
                Err(io::ErrorKind::StorageFull.into())
            }
            None => Err(io::ErrorKind::StorageFull.into()),
        }
    }
}

/// The result of a run: its end, its events by number, and the steps that ran.
#[derive(Debug)]
struct Ended {
    done: BTreeMap<usize, u64>,
    events: Vec<Numbered<Fact>>,
    carried_out: Vec<StepName>,
}

impl Ended {
    fn facts(&self) -> Vec<Fact> {
        let facts = self.events.iter().map(|event| event.event.clone());
        let mut facts: Vec<_> = facts.collect();
        facts.sort();
        facts
    }
}

/// Runs one process; `None` when it died.
fn live(
    graph: &Graph,
    journal: &mut dyn Journal,
    facts: &Facts,
    workers: &Workers<'_>,
) -> Option<BTreeMap<usize, u64>> {
    let texts = texts();
    let is_new = !journal.read().unwrap().contains(&b'\n');
    if is_new {
        journal.truncate(0).unwrap();
    }
    let log = match is_new {
        true => RunLog::create(journal, &texts, record()),
        false => RunLog::open(journal, &texts),
    };
    let mut log = log.unwrap();
    log.emit_to(facts);
    let mut walker = Walker::new(graph);
    let clock = ManualClock::default();
    match block_on(run(&mut walker, workers, &mut log, &clock, None)) {
        Ok(done) => Some(done),
        Err(DriveError::Log(LogError::Io { .. })) => None,
        Err(error) => panic!("{error:?}"),
    }
}

fn by_number(events: Vec<Numbered<Fact>>) -> Vec<Numbered<Fact>> {
    let mut by_number = BTreeMap::new();
    for event in events {
        if let Some(other) = by_number.insert(event.seq, event.clone()) {
            assert_eq!(other, event, "two events of a number");
        }
    }
    by_number.into_values().collect()
}

/// Runs a graph with as many processes as needed: each dies in a write.
fn run_to_end(graph: &Graph, journal: &mut MemoryJournal, lives: &[(usize, bool)]) -> Ended {
    let (facts, mut carried_out) = (Facts::default(), Vec::new());
    let mut lives = lives.iter();
    loop {
        let workers = Workers::new(graph);
        let recorded = results(journal);
        let done = match lives.next() {
            Some((good, torn)) => {
                let mut mortal = Mortal {
                    inner: journal,
                    good: *good,
                    torn: *torn,
                };
                live(graph, &mut mortal, &facts, &workers)
            }
            None => live(graph, journal, &facts, &workers),
        };
        let steps = workers.done.into_inner().unwrap();
        for step in &steps {
            assert!(!recorded.contains(step), "{step} was recorded");
        }
        carried_out.extend(steps);
        if let Some(done) = done {
            return Ended {
                done,
                events: by_number(facts.all()),
                carried_out,
            };
        }
    }
}

/// Returns the steps whose results are in a journal.
fn results(journal: &MemoryJournal) -> BTreeSet<StepName> {
    let (records, _) = Record::read_all(journal.bytes()).unwrap();
    let results = records.into_iter().filter_map(|record| match record.body {
        Body::Result(result) => Some(result.step),
        _ => None,
    });
    results.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_order_and_any_kill_end_in_the_same_report(
        graph in any_graph(),
        lives in prop::collection::vec((0_usize..9, any::<bool>()), 0..6),
    ) {
        let alone = Graph { most_open: 1, ..graph.clone() };
        let golden = run_to_end(&alone, &mut MemoryJournal::default(), &[]);
        let mut journal = MemoryJournal::default();
        let killed = run_to_end(&graph, &mut journal, &lives);
        prop_assert_eq!(&killed.done, &golden.done);
        prop_assert_eq!(killed.facts(), golden.facts());
        let texts = texts();
        let mut log = RunLog::open(&mut journal, &texts).unwrap();
        let again = Facts::default();
        log.emit_to(&again);
        log.emit_replayed();
        let mut walker = Walker::new(&graph);
        let clock = ManualClock::default();
        let replayed = block_on(run(&mut walker, &Nobody, &mut log, &clock, None)).unwrap();
        prop_assert_eq!(&replayed, &killed.done);
        prop_assert_eq!(again.all(), killed.events);
        for step in golden.carried_out {
            prop_assert!(texts.get(&review_flow::hash_bytes(step.as_str().as_bytes())).is_ok());
        }
    }

    #[test]
    fn every_prefix_of_a_journal_asks_for_the_same_steps(graph in any_graph()) {
        let mut journal = MemoryJournal::default();
        run_to_end(&graph, &mut journal, &[]);
        let texts = texts();
        let asked_in = |bytes: &[u8]| {
            let mut journal = MemoryJournal::from_bytes(bytes.to_vec());
            let mut log = RunLog::open(&mut journal, &texts).unwrap();
            let mut walker = Walker::new(&graph);
            let first = Input::Start { at: log.run().at };
            let clock = ManualClock::default();
            // The end does not matter: no step runs where the journal stops.
            let _ = block_on(drive(&mut walker, &Nobody, &mut log, &clock, first));
            walker.asked
        };
        let whole = asked_in(journal.bytes());
        let ends = journal.bytes().iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        for (end, _) in ends {
            let prefix = &journal.bytes()[..=end];
            let asked = asked_in(prefix);
            let (records, _) = Record::read_all(prefix).unwrap();
            let is_input = |body: &Body| matches!(body, Body::Result(_) | Body::Waited(_));
            let inputs = records.iter().filter(|record| is_input(&record.body)).count();
            // A pause may end after what was recorded.
            prop_assert!(asked.len() > inputs);
            prop_assert_eq!(&asked[..=inputs], &whole[..=inputs]);
        }
    }
}

#[test]
fn one_write_holds_a_result_and_the_starts_that_follow_from_it() {
    let node = |after: &[usize]| Node {
        kind: Kind::Called,
        after: after.iter().copied().collect(),
        turns: 0,
    };
    let graph = Graph {
        nodes: vec![node(&[]), node(&[0]), node(&[0]), node(&[1, 2])],
        most_open: 8,
    };
    let mut journal = MemoryJournal::default();
    let mut counting = Counting {
        inner: &mut journal,
        writes: Vec::new(),
    };
    live(
        &graph,
        &mut counting,
        &Facts::default(),
        &Workers::new(&graph),
    )
    .unwrap();
    // The run with the first start; its result with the two starts after it; a
    // result while the other step is open; a result with the last start; the end.
    assert_eq!(counting.writes, [2, 3, 1, 2, 1]);
}

/// A journal that counts the lines of each write.
struct Counting<'a> {
    inner: &'a mut MemoryJournal,
    writes: Vec<usize>,
}

impl Journal for Counting<'_> {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        self.inner.read()
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.inner.truncate(len)
    }

    fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        let lines_in = lines.split_inclusive(|byte| *byte == b'\n').count();
        self.writes.push(lines_in);
        self.inner.append(lines)
    }
}
