//! Runs whose steps are carried out by another side that crashes, loses results, is late,
//! gets orders twice and goes on when its driver crashes: they end as those of a driver that
//! does all itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use review::events::RunEvent;
use review_flow::{
    ContentStore, DriveError, Executed, Executor, ManualClock, MemoryBlobs, MemoryJournal,
    Numbered, RunLog, RunRecord, Seed, Sink, Step, StepName, Stop, hash_bytes,
};
use review_types::{Hash, RunId, Timestamp};

use super::fixture::{START, plan, task};
use super::implement_properties::any_result;
use super::lane_fixture::{Course, commit, exit_1, green, machine, success, tree};
use crate::machine::{
    AwayStep, GateCommand, GateKind, LaneOp, LaneOut, Ran, TaskDone, TaskMachine, TaskOp, TaskOut,
    TaskPlan,
};

/// What happens in a run: the same for the same seed, whoever carries it out.
#[derive(Clone, Copy)]
struct World {
    seed: u64,
    /// One of this number of results is not a success; 0 for none.
    luck: u8,
}

impl World {
    fn result(self, step: &StepName, op: &LaneOp) -> LaneOut {
        let Self { seed, luck } = self;
        let passes = |command: &[String], tree: &str, kind: GateKind| {
            let run = format!("{seed}/{command:?}/{tree}/{}", kind == GateKind::Before);
            !hash_bytes(run.as_bytes()).as_bytes()[0].is_multiple_of(luck)
        };
        let passes = match op {
            _ if luck == 0 => return success(step, op),
            LaneOp::Gate {
                command: GateCommand::Task(task),
                tree,
                kind,
                ..
            } => passes(&task.commands, tree.as_str(), *kind) != (*kind == GateKind::Before),
            LaneOp::Gate { tree, kind, .. } => passes(&[], tree.as_str(), *kind),
            _ => return any_result(seed, luck, step, op),
        };
        LaneOut::Gated(if passes { green() } else { exit_1() })
    }
}

/// Home, and the side that carries out what may leave.
struct Sides {
    world: World,
    is_elsewhere: bool,
    dice: Mutex<u64>,
    /// The steps that are being carried out at home.
    at_home: Mutex<BTreeSet<StepName>>,
    /// The results that the other side keeps by the keys of their steps.
    kept: Mutex<BTreeMap<Hash, LaneOut>>,
    /// The steps in which it works, by the keys of their checkouts.
    locked: Mutex<BTreeMap<String, (Step, LaneOp)>>,
    /// The events, by their numbers.
    events: Mutex<BTreeMap<u64, RunEvent>>,
}

impl Sides {
    fn new(world: World, is_elsewhere: bool) -> Self {
        Self {
            world,
            is_elsewhere,
            dice: Mutex::new(world.seed),
            at_home: Mutex::default(),
            kept: Mutex::default(),
            locked: Mutex::default(),
            events: Mutex::default(),
        }
    }

    /// Whether something happens that happens one time in `of`.
    fn happens(&self, of: u8) -> bool {
        // A multiplier and an increment of Knuth: the high bits are as good as random.
        let mut dice = self.dice.lock().unwrap();
        *dice = dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.is_elsewhere && (*dice >> 32).is_multiple_of(u64::from(of))
    }

    async fn delay(&self) {
        while self.happens(2) {
            tokio::task::yield_now().await;
        }
    }

    /// Orders a step until a result arrives.
    async fn order(&self, step: &Step, op: &LaneOp, group: String) -> LaneOut {
        loop {
            if self.happens(4) {
                // An order that arrives twice waits for the first, and takes its result.
                let (first, second) =
                    tokio::join!(self.serve(step, op, &group), self.serve(step, op, &group));
                assert!(first.is_none() || second.is_none() || first == second);
            }
            if let Some(out) = self.serve(step, op, &group).await
                && !self.happens(4)
            {
                return out;
            }
        }
    }

    /// Carries out an order on the other side; `None` if that crashes.
    async fn serve(&self, step: &Step, op: &LaneOp, group: &String) -> Option<LaneOut> {
        while self.locked.lock().unwrap().contains_key(group) {
            tokio::task::yield_now().await;
        }
        let work = (step.clone(), op.clone());
        self.locked.lock().unwrap().insert(group.clone(), work);
        let kept = self.kept.lock().unwrap().get(&step.key).cloned();
        let out = match kept {
            Some(out) => Some(out),
            None => {
                self.delay().await;
                (!self.happens(5)).then(|| self.carried_out(step, op))
            }
        };
        self.locked.lock().unwrap().remove(group);
        out
    }

    fn carried_out(&self, step: &Step, op: &LaneOp) -> LaneOut {
        let out = self.world.result(&step.name, op);
        let before = self.kept.lock().unwrap().insert(step.key, out.clone());
        assert_eq!(before, None, "{} is carried out twice", step.name);
        out
    }

    /// The driver has crashed: some steps end with it, and others go on without it.
    fn lose_driver(&self) {
        self.at_home.lock().unwrap().clear();
        let steps = std::mem::take(&mut *self.locked.lock().unwrap());
        for (step, op) in steps.into_values() {
            let is_kept = self.kept.lock().unwrap().contains_key(&step.key);
            if !is_kept && self.happens(2) {
                self.carried_out(&step, &op);
            }
        }
    }
}

impl Executor<TaskMachine> for Sides {
    async fn exec(
        &self,
        step: Step,
        op: TaskOp,
        _: &ContentStore,
    ) -> Result<Executed<TaskOut>, Stop> {
        let TaskOp::Lane(op) = op else {
            return Ok(Executed::local(TaskOut::Status { kept: None }));
        };
        if self.happens(40) {
            return Err(match self.happens(2) {
                true => Stop::Interrupted,
                false => Stop::Broken("killed".to_owned()),
            });
        }
        let out = match op.away() {
            Some(away) if self.is_elsewhere => {
                let group = away
                    .group
                    .map_or("verify".to_owned(), |task| task.to_string());
                match self.order(&step, &op, group).await {
                    LaneOut::Gated(ran) => LaneOut::Gated(Ran {
                        elsewhere: true,
                        ..ran
                    }),
                    out => out,
                }
            }
            _ => {
                let is_new = self.at_home.lock().unwrap().insert(step.name.clone());
                assert!(is_new, "{} is at home twice", step.name);
                self.delay().await;
                self.at_home.lock().unwrap().remove(&step.name);
                self.world.result(&step.name, &op)
            }
        };
        Ok(Executed::local(TaskOut::Lane(out)))
    }
}

impl Sink<RunEvent> for Sides {
    fn emit(&self, event: Numbered<RunEvent>) {
        self.events.lock().unwrap().insert(event.seq, event.event);
    }
}

/// Drives a run to its end, however often its driver crashes; returns the end and the events.
async fn driven(plan: &TaskPlan, jobs: u32, sides: &Sides) -> (TaskDone, Vec<RunEvent>) {
    let mut journal = MemoryJournal::default();
    let record = RunRecord {
        run: RunId::new("r1").unwrap(),
        seed: Seed::from_bytes([7; 32]),
        at: Timestamp::UNIX_EPOCH,
        version: String::new(),
        input: serde_json::Value::Null,
        texts: Vec::new(),
    };
    let clock = ManualClock::default();
    loop {
        let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
        let mut log = match journal.bytes().is_empty() {
            true => RunLog::create(&mut journal, &texts, record.clone()).unwrap(),
            false => RunLog::open(&mut journal, &texts).unwrap(),
        };
        log.emit_to(sides);
        let mut machine = machine(plan.clone(), jobs);
        match review_flow::run(&mut machine, sides, &mut log, &clock, None).await {
            Ok(done) => {
                let events = sides.events.lock().unwrap().values().cloned().collect();
                return (done, events);
            }
            Err(DriveError::Interrupted | DriveError::Broken(_)) => {
                sides.lose_driver();
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn a_run_with_another_side_that_fails_ends_as_one_without_it() {
    let plan = plan(vec![task(1, &[]), task(2, &[1]), task(3, &[])]);
    for seed in 0..1_000 {
        let world = World {
            seed,
            luck: [0, 3, 5, 9][usize::try_from(seed % 4).unwrap()],
        };
        let jobs = if world.luck == 0 { 3 } else { 1 };
        let (home, away) = (Sides::new(world, false), Sides::new(world, true));
        let (done, events) = driven(&plan, jobs, &home).await;
        let (their_done, their_events) = driven(&plan, jobs, &away).await;
        // Of several tasks at a time, which one is first is another question.
        if jobs == 1 {
            assert_eq!(events, their_events, "seed {seed}");
        }
        assert_eq!(done, their_done, "seed {seed}");
    }
}

#[test]
fn what_a_landing_rests_on_and_what_is_of_the_user_stays_at_home() {
    let (tree, task) = (tree("t"), task(1, &[]));
    let gate = |kind| LaneOp::Gate {
        command: GateCommand::Task(task.clone()),
        tree: tree.clone(),
        kind,
        known: vec![hash_bytes(b"names")],
    };
    use GateKind::{
        Again, Alone, Before, Bisect, Configured, Failing, Fresh, Landing, Merged, Protected,
        Reverted, Together,
    };
    for kind in [Before, Merged, Again, Alone, Configured, Reverted, Failing] {
        let away = AwayStep {
            tree: Some(&tree),
            wants: vec![hash_bytes(b"names")],
            task: Some(&task),
            ..AwayStep::default()
        };
        assert_eq!(gate(kind).away(), Some(away), "{kind:?}");
    }
    for kind in [Together, Landing, Fresh, Bisect, Protected] {
        assert_eq!(gate(kind).away(), None, "{kind:?}");
    }
    let tip = commit("tip");
    for op in [
        LaneOp::Open,
        LaneOp::Carry { tip: tip.clone() },
        LaneOp::Land {
            commit: tip,
            tasks: Vec::new(),
        },
    ] {
        assert_eq!(op.away(), None);
    }
}

#[test]
fn a_command_that_passed_elsewhere_runs_here_before_it_lands() {
    for (elsewhere, runs) in [(false, 0), (true, 1)] {
        let ran = Ran {
            fresh: true,
            elsewhere,
            ..green()
        };
        // What is carried has the tree on which the command passed.
        let course = Course::drive(
            &mut machine(plan(vec![task(1, &[])]), 1),
            START,
            |step, op| match op {
                LaneOp::Gate {
                    kind: GateKind::Merged,
                    ..
                } => LaneOut::Gated(ran.clone()),
                LaneOp::Advance { tree, .. } => LaneOut::Advanced {
                    tip: commit("advanced"),
                    tree: tree.clone(),
                },
                LaneOp::Carry { tip } => LaneOut::Carried {
                    commit: tip.clone(),
                    tree: tree("task/1/snapshot.1"),
                },
                _ => success(step, op),
            },
            |_| 0,
        );
        let together = course.ops.iter().filter(|(_, op)| {
            let TaskOp::Lane(op) = op else { return false };
            matches!(&**op, LaneOp::Gate { kind, .. } if kind.decides_landing())
        });
        assert_eq!(together.count(), runs, "{:?}", course.lines);
    }
}
