//! Loops between simulated reviewers and appliers: how often honest agents are
//! stopped before they converge, and that endless ones do not pass.
//!
//! `cargo test -p review --test review simulator -- --nocapture` prints the table.
//! Every draw is a hash of the seed, the round and the defect, so a run that
//! continues after an end draws what it would have drawn without that end.

#![expect(clippy::print_stdout, reason = "the table is of interest")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use review::config::{Convergence, Keep, LoopConfig};
use review::flow::{ContentStore, Input, ManualClock, MemoryBlobs, MemoryJournal, RunLog, drive};
use review::machine::{
    LoopExecutor, LoopParts, ReviewChanges, ReviewDone, ReviewMachine, base_state,
};
use review::types::{AgentError, BlockCode, FeedbackItem, Review, Severity, Verdict};
use review::{
    Applier, ApplyReport, ApplyRequest, Fact, FactFinder, MemoryArtifact, ReviewAnswer,
    ReviewRequest, Reviewer,
};

use crate::looped::{SPEC, first_artifact, report};
use crate::support::{SEED, applied, block_on, config, item, record, reviewed, scores};

/// The number of rounds after which a run is not continued.
const HORIZON: u32 = 10;
/// The number of runs of each kind of agents.
const RUNS: u64 = 120;

/// How a kind of agents differs from honest ones.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    /// The parameters of the beta distribution of the chance that a defect is
    /// found in a round.
    recall: (f64, f64),
    /// The chance that a fix brings a new defect.
    breeds: f64,
    /// The chance that a revision is requested when nothing at the fail level is
    /// found, after the reviewer was given what does not count.
    insists: f64,
    /// Whether a revision is requested for minor items alone.
    wants_nits: bool,
    /// A critical defect that is first seen in round 4, and whether a rule finds it.
    late: Option<Late>,
    /// Whether there is a class of three to six major defects of which one new one
    /// is named in a round.
    names_class_one_by_one: bool,
    /// The issues that the reviewer makes up in each round.
    invents: Invents,
}

#[derive(Clone, Copy, PartialEq)]
enum Late {
    Proved,
    Unproved,
}

#[derive(Clone, Copy, PartialEq)]
enum Invents {
    Nothing,
    /// Two minor items.
    Nits,
    /// Three items, seven of ten called major.
    NitsCalledMajor,
    /// Up to three critical and major items.
    Blockers,
    /// The opposite of what was asked for in the previous round, in other words.
    Opposite,
    /// A critical item in an answer that says pass.
    CriticalInPass,
}

const HONEST: Kind = Kind {
    name: "honest",
    recall: (1.2, 0.8),
    breeds: 0.1,
    insists: 0.0,
    wants_nits: false,
    late: None,
    names_class_one_by_one: false,
    invents: Invents::Nothing,
};

const HONEST_KINDS: [Kind; 8] = [
    HONEST,
    Kind {
        name: "asks for a revision for nits",
        wants_nits: true,
        insists: 0.1,
        ..HONEST
    },
    Kind {
        name: "weak (recall .4)",
        recall: (0.8, 1.2),
        ..HONEST
    },
    Kind {
        name: "strong (recall .8)",
        recall: (1.6, 0.4),
        ..HONEST
    },
    Kind {
        name: "late blocker, proved",
        late: Some(Late::Proved),
        ..HONEST
    },
    Kind {
        name: "late blocker, unproved",
        late: Some(Late::Unproved),
        ..HONEST
    },
    Kind {
        name: "fixes breed (60 %)",
        breeds: 0.6,
        ..HONEST
    },
    Kind {
        name: "class, instance by instance",
        names_class_one_by_one: true,
        ..HONEST
    },
];

const fn inventing(name: &'static str, invents: Invents) -> Kind {
    Kind {
        name,
        invents,
        wants_nits: true,
        insists: match invents {
            Invents::Nits => 0.25,
            _ => 1.0,
        },
        ..HONEST
    }
}

const ENDLESS_KINDS: [Kind; 5] = [
    inventing("new endless nits", Invents::Nits),
    inventing("nits called major (70 %)", Invents::NitsCalledMajor),
    inventing("invents blockers", Invents::Blockers),
    inventing("back and forth", Invents::Opposite),
    inventing("passes what it calls critical", Invents::CriticalInPass),
];

/// Returns a number from 0 to 1 that depends only on the keys: SplitMix64 over them.
fn draw(keys: [u64; 4]) -> f64 {
    let mixed = keys.into_iter().fold(0_u64, |state, key| {
        let state = (state ^ key).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^ (state >> 31)
    });
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

/// Draws from a beta distribution, by Jöhnk's algorithm.
fn beta((a, b): (f64, f64), keys: [u64; 3]) -> f64 {
    let [run, defect, what] = keys;
    for attempt in 0.. {
        let x = draw([run, defect, what, 2 * attempt]).powf(1.0 / a);
        let y = draw([run, defect, what, 2 * attempt + 1]).powf(1.0 / b);
        if x + y <= 1.0 && x + y > 0.0 {
            return x / (x + y);
        }
    }
    unreachable!("a draw is accepted at last")
}

/// Returns the severity of a defect that is introduced in a run, with the initial mix.
fn mixed(chance: f64) -> Severity {
    match chance {
        ..0.07 => Severity::Critical,
        ..0.38 => Severity::Major,
        _ => Severity::Minor,
    }
}

/// The purpose of a draw.
mod what {
    pub(super) const COUNT: u64 = 1;
    pub(super) const RECALL: u64 = 2;
    pub(super) const FOUND: u64 = 3;
    pub(super) const LABEL: u64 = 4;
    pub(super) const FALSE: u64 = 5;
    pub(super) const FIXED: u64 = 6;
    pub(super) const BREEDS: u64 = 7;
    pub(super) const REJECTED: u64 = 8;
    pub(super) const INSISTS: u64 = 9;
    pub(super) const INVENTS: u64 = 10;
    pub(super) const SECTION: u64 = 11;
}

#[derive(Clone)]
struct Defect {
    severity: Severity,
    recall: f64,
    /// The first round in which it can be found.
    from: u32,
    is_real: bool,
    is_of_class: bool,
    is_raised: bool,
    is_gone: bool,
}

/// One run: the defects of its artifact, and the agents.
struct World {
    kind: Kind,
    run: u64,
    artifact: Arc<MemoryArtifact>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    defects: BTreeMap<u64, Defect>,
    /// Whether the last round requested a revision with nothing at the fail level.
    asked_for_little: bool,
    reviews: u32,
}

impl World {
    fn new(kind: Kind, run: u64) -> Self {
        let world = Self {
            kind,
            run,
            artifact: first_artifact(),
            state: Mutex::default(),
        };
        let between = |key: u64, least: u64, most: u64| {
            let range = (most - least + 1) as f64;
            least + (draw([run, key, what::COUNT, 0]) * range) as u64
        };
        let counts = [
            (Severity::Critical, between(0, 0, 2)),
            (Severity::Major, between(1, 3, 6)),
            (Severity::Minor, between(2, 6, 12)),
        ];
        for (severity, count) in counts {
            for _ in 0..count {
                world.add(severity, 1, true);
            }
        }
        let class = match kind.names_class_one_by_one {
            true => between(3, 3, 6),
            false => 0,
        };
        for _ in 0..class {
            let id = world.add(Severity::Major, 1, true);
            world.defect(id, |defect| defect.is_of_class = true);
        }
        if kind.late.is_some() {
            let id = world.add(Severity::Critical, 4, true);
            world.defect(id, |defect| defect.recall = 1.0);
        }
        world
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn add(&self, severity: Severity, from: u32, is_real: bool) -> u64 {
        let mut state = self.state();
        let id = state.defects.len() as u64;
        let recall = beta(self.kind.recall, [self.run, id, what::RECALL]);
        let defect = Defect {
            severity,
            recall,
            from,
            is_real,
            is_of_class: false,
            is_raised: false,
            is_gone: false,
        };
        state.defects.insert(id, defect);
        id
    }

    fn defect<T>(&self, id: u64, change: impl FnOnce(&mut Defect) -> T) -> T {
        change(self.state().defects.get_mut(&id).unwrap())
    }

    fn chance(&self, id: u64, what: u64, round: u32) -> f64 {
        draw([self.run, id, what, u64::from(round) + 1_000_000])
    }

    /// Returns the severity that the reviewer gives a defect, each time the same: 85 of
    /// 100 are right.
    fn label(&self, id: u64, severity: Severity) -> Severity {
        let chance = self.chance(id, what::LABEL, 0);
        match (severity, chance < 0.85) {
            (severity, true) => severity,
            (Severity::Critical | Severity::Minor, false) => Severity::Major,
            (Severity::Major, false) if chance < 0.925 => Severity::Critical,
            (Severity::Major, false) => Severity::Minor,
            (Severity::Suggestion, false) => Severity::Minor,
        }
    }

    /// Returns the defects that the reviewer finds in a round, with their severities.
    fn finds(&self, round: u32) -> Vec<(u64, Severity)> {
        let known: Vec<_> = self.state().defects.clone().into_iter().collect();
        let mut found = BTreeSet::new();
        let mut names_class = false;
        for (id, defect) in known {
            if defect.is_gone || !defect.is_real || round < defect.from {
                continue;
            }
            if self.kind.late == Some(Late::Proved) && defect.from > 1 {
                continue;
            }
            let chance = if defect.is_raised {
                0.95
            } else {
                defect.recall
            };
            let is_found = self.chance(id, what::FOUND, round) < chance;
            let is_next = !defect.is_of_class || defect.is_raised || !names_class;
            if is_found && is_next {
                names_class |= defect.is_of_class && !defect.is_raised;
                found.insert((id, defect.severity));
            }
        }
        if self.chance(0, what::FALSE, round) < 0.3 {
            let severity = mixed(self.chance(1, what::FALSE, round));
            found.insert((self.add(severity, round, false), severity));
        }
        let mut labelled: Vec<_> = found
            .into_iter()
            .map(|(id, severity)| (id, self.label(id, severity)))
            .collect();
        labelled.extend(self.invents(round));
        for (id, _) in &labelled {
            self.defect(*id, |defect| defect.is_raised = true);
        }
        labelled
    }

    /// Returns the issues that the reviewer makes up in a round.
    fn invents(&self, round: u32) -> Vec<(u64, Severity)> {
        let invented: Vec<Severity> = match self.kind.invents {
            Invents::Nothing => Vec::new(),
            Invents::Nits => vec![Severity::Minor; 2],
            Invents::NitsCalledMajor => (0..3)
                .map(|at| match self.chance(at, what::INVENTS, round) < 0.7 {
                    true => Severity::Major,
                    false => Severity::Minor,
                })
                .collect(),
            Invents::Blockers => {
                let more = (self.chance(0, what::INVENTS, round) * 3.0) as usize;
                [Severity::Critical, Severity::Major, Severity::Major][..=more.min(2)].to_vec()
            }
            Invents::Opposite => vec![Severity::Major],
            Invents::CriticalInPass => vec![Severity::Critical],
        };
        let label = |id, severity| match self.kind.invents {
            Invents::Nits => self.label(id, severity),
            _ => severity,
        };
        let invented = invented.into_iter().map(|severity| {
            let id = self.add(severity, round, false);
            (id, label(id, severity))
        });
        invented.collect()
    }

    fn item(&self, id: u64, severity: Severity) -> FeedbackItem {
        let section = (self.chance(id, what::SECTION, 0) * 18.0) as u64;
        let section = format!("Section {section}");
        item(
            &section,
            &format!("`REQ-{id}` has no acceptance criterion"),
            "write one",
        )
        .with_severity(severity)
    }
}

/// Returns the number of the defect that an issue names.
fn named(issue: &str) -> u64 {
    let id = issue.trim_start_matches("`REQ-");
    id[..id.find('`').unwrap()].parse().unwrap()
}

#[async_trait]
impl Reviewer for &World {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let round = request.iteration;
        let found = self.finds(round);
        let is_grave = found
            .iter()
            .any(|(_, severity)| *severity <= Severity::Major);
        let mut state = self.state();
        state.reviews += 1;
        let insists = self.kind.wants_nits
            && (!state.asked_for_little
                || self.chance(0, what::INSISTS, round) < self.kind.insists);
        let asks_for_little = !is_grave && !found.is_empty() && insists;
        state.asked_for_little = asks_for_little;
        drop(state);
        let verdict =
            match is_grave && self.kind.invents != Invents::CriticalInPass || asks_for_little {
                true => Verdict::NeedsRevision,
                false => Verdict::Pass,
            };
        let items = found.iter().map(|(id, severity)| self.item(*id, *severity));
        let review = Review::new(verdict, scores([90; 4]), items.collect()).unwrap();
        Ok(reviewed(review))
    }
}

#[async_trait]
impl Applier for &World {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        let round = request.iteration;
        let mut changes = false;
        let mut statuses = BTreeMap::new();
        for (at, item) in request.items.as_slice().iter().enumerate() {
            if !item.issue().starts_with("`REQ-") {
                continue;
            }
            let id = named(item.issue());
            let is_real = self.defect(id, |defect| defect.is_real);
            let is_rejected = !is_real && self.chance(id, what::REJECTED, round) < 0.4;
            statuses.insert(at, if is_rejected { "rejected" } else { "accepted" });
            if is_rejected {
                continue;
            }
            changes = true;
            if self.chance(id, what::FIXED, round) < 0.85 {
                self.defect(id, |defect| defect.is_gone = true);
            }
            if is_real && self.chance(id, what::BREEDS, round) < self.kind.breeds {
                let severity = mixed(self.chance(id, what::BREEDS, round + 500));
                self.add(severity, round + 1, true);
            }
        }
        if changes {
            self.artifact.write(SPEC, format!("after round {round}"));
        }
        Ok(applied(report(&request, |at| statuses.get(&at).copied())))
    }
}

#[async_trait]
impl FactFinder for &World {
    async fn facts(&self) -> Result<Vec<Fact>, AgentError> {
        let state = self.state();
        let round = state.reviews + 1;
        let proved = state.defects.iter().filter(|(_, defect)| {
            self.kind.late == Some(Late::Proved)
                && defect.from == 4
                && defect.recall == 1.0
                && defect.from <= round
                && !defect.is_gone
        });
        let facts = proved.map(|(id, _)| Fact {
            item: self.item(*id, Severity::Critical),
            blocks: true,
        });
        Ok(facts.collect())
    }
}

/// The first end of a run, and whether it would have passed if continued.
struct Ended {
    code: Option<BlockCode>,
    reviews: u32,
    passes_later: bool,
}

impl Ended {
    /// Returns whether a run that would have passed was stopped; the end at the fail
    /// level is counted separately.
    fn is_false_stop(&self) -> bool {
        let is_stop = !matches!(
            self.code,
            None | Some(BlockCode::NoBlockingFinding | BlockCode::MaxIterations)
        );
        is_stop && self.passes_later
    }
}

/// Runs a loop to its end, and continues it until it passes or the horizon is
/// reached.
fn simulate(kind: Kind, run: u64) -> Ended {
    let world = World::new(kind, run);
    let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
    let now = world.artifact_now(&texts);
    let config = LoopConfig {
        max_iterations: HORIZON,
        convergence: Some(Convergence {
            keep: Keep::Last,
            ..Convergence::default()
        }),
        base: Some(now),
        ..config()
    };
    let facts = &world;
    let executor = LoopExecutor::new(
        &config,
        SEED,
        &world,
        &world,
        LoopParts {
            artifact: Some(&*world.artifact),
            facts: Some(&facts),
            ..LoopParts::default()
        },
    );
    let mut machine = ReviewMachine::new(config.clone()).unwrap();
    let mut journal = MemoryJournal::default();
    let mut log = RunLog::create(&mut journal, &texts, record()).unwrap();
    let clock = ManualClock::default();
    let mut input = Input::Start { at: log.run().at };
    let mut first = None;
    for resume in 1..=HORIZON {
        let done = block_on(drive(&mut machine, &executor, &mut log, &clock, input)).unwrap();
        let code = match &done {
            ReviewDone::Passed => None,
            ReviewDone::Blocked { code, .. } => Some(*code),
            ReviewDone::Approved { .. } => panic!("no user approves"),
        };
        let reviews = world.state().reviews;
        let (code_first, reviews_first) = *first.get_or_insert((code, reviews));
        let rounds = machine.rounds().len() as u32;
        if code.is_none() || rounds >= HORIZON {
            return Ended {
                code: code_first,
                reviews: reviews_first,
                passes_later: code.is_none(),
            };
        }
        let changes = ReviewChanges {
            max_iterations: Some(HORIZON),
            ..ReviewChanges::default()
        };
        let at = log.run().at;
        log.resume(&changes, at).unwrap();
        input = Input::Resumed {
            resume,
            changes,
            at,
        };
    }
    let (code, reviews) = first.unwrap();
    Ended {
        code,
        reviews,
        passes_later: false,
    }
}

impl World {
    fn artifact_now(&self, texts: &ContentStore) -> review::machine::BaseState {
        use review::Artifact as _;
        let now = self.artifact.snapshot(Some(texts)).unwrap();
        base_state(&now, texts).unwrap()
    }
}

/// The results of all runs of a kind, in percent.
struct Row {
    passed: f64,
    reviews: f64,
    false_stops: f64,
    at_fail_level: f64,
    codes: BTreeMap<&'static str, f64>,
}

fn row(kind: Kind) -> Row {
    let ended: Vec<_> = (0..RUNS).map(|run| simulate(kind, run)).collect();
    let percent = |count: usize| 100.0 * count as f64 / RUNS as f64;
    let share =
        |holds: &dyn Fn(&Ended) -> bool| percent(ended.iter().filter(|ended| holds(ended)).count());
    let mut codes = BTreeMap::new();
    for code in ended.iter().filter_map(|ended| ended.code) {
        *codes.entry(code.as_str()).or_insert(0.0) += percent(1);
    }
    Row {
        passed: share(&|ended| ended.code.is_none()),
        reviews: ended
            .iter()
            .map(|ended| f64::from(ended.reviews))
            .sum::<f64>()
            / RUNS as f64,
        false_stops: share(&Ended::is_false_stop),
        at_fail_level: share(&|ended| ended.code == Some(BlockCode::NoBlockingFinding)),
        codes,
    }
}

fn print_row(kind: Kind, row: &Row) {
    let codes = row.codes.iter();
    let codes: Vec<_> = codes
        .map(|(code, share)| format!("{code} {share:.1}"))
        .collect();
    println!(
        "{:32} {:6.1} {:7.1} {:11.1} {:14.1}   {}",
        kind.name,
        row.passed,
        row.reviews,
        row.false_stops,
        row.at_fail_level,
        codes.join(", ")
    );
}

/// Returns the rows of all kinds, computed in parallel.
fn table(kinds: &[Kind]) -> Vec<Row> {
    println!(
        "{:32} {:>6} {:>7} {:>11} {:>14}   ends (%)",
        "", "pass %", "reviews", "false stop %", "fail level %"
    );
    let rows: Vec<_> = std::thread::scope(|scope| {
        let rows: Vec<_> = kinds
            .iter()
            .map(|kind| scope.spawn(|| row(*kind)))
            .collect();
        rows.into_iter().map(|row| row.join().unwrap()).collect()
    });
    for (kind, row) in kinds.iter().zip(&rows) {
        print_row(*kind, row);
    }
    rows
}

#[test]
fn honest_agents_are_seldom_stopped_before_they_converge() {
    for (kind, row) in HONEST_KINDS.iter().zip(table(&HONEST_KINDS)) {
        // Fixes that breed defects bring something new in every round.
        let most = match kind {
            Kind {
                names_class_one_by_one: true,
                ..
            } => 10.0,
            Kind { breeds, .. } if *breeds > HONEST.breeds => 15.0,
            _ => 3.0,
        };
        assert!(
            row.false_stops <= most,
            "{}: {}",
            kind.name,
            row.false_stops
        );
        assert!(row.passed >= 75.0, "{}: {}", kind.name, row.passed);
    }
}

#[test]
fn reviewers_that_never_end_do_not_pass_and_are_stopped_before_the_limit() {
    for (kind, row) in ENDLESS_KINDS.iter().zip(table(&ENDLESS_KINDS)) {
        // With only nits left, the result is a pass by the reviewer's own verdict.
        let most = if kind.invents == Invents::Nits {
            100.0
        } else {
            0.0
        };
        assert!(row.passed <= most, "{}: {}", kind.name, row.passed);
        assert!(row.reviews < 9.0, "{}: {}", kind.name, row.reviews);
    }
}
