//! What holds for every run: its end depends on no order, and a resume on what is
//! found alone.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use proptest::prelude::*;
use review::config::LoopConfig;
use review::machine::{BaseState, ReadReview, ReviewOp};
use review::people::Cursor;
use review::{Budget, LimitReached, Subject};
use review_config::{Config, ConfigFile, Setting, Sources};
use review_flow::{StepRecord, hash_bytes};
use review_tasks::{
    AgentClaim, CommandFailure, FailureCause, GateKind, LaneOp, LaneOptions, LaneOut, Ran, TaskOp,
    Worked,
};
use review_types::{AgentError, CriterionName, Failure, Outcome, Score, Scores, Usd, Verdict};
use serde_json::json;

use super::*;

const AT: Timestamp = Timestamp::UNIX_EPOCH;

/// The result of a call.
#[derive(Clone, Copy, Debug)]
enum Comes {
    Well,
    Badly,
    ToNothing,
}

/// Whatever a step is answered, its name decides: any order gives the same.
#[derive(Clone, Debug)]
struct World {
    seed: u8,
    tasks: usize,
    chances: [u8; 2],
}

impl World {
    fn comes(&self, step: &StepName) -> Comes {
        let hash = hash_bytes(&[&[self.seed], step.as_str().as_bytes()].concat());
        match hash.as_bytes()[0] {
            byte if byte < self.chances[0] => Comes::ToNothing,
            byte if byte < self.chances[1] => Comes::Badly,
            _ => Comes::Well,
        }
    }

    /// A plan in which each task depends on some earlier ones.
    fn plan(&self) -> TaskPlan {
        let files = (1..=self.tasks).map(|number| {
            let depends_on = (1..number).filter(|before| (usize::from(self.seed) >> before) % 3 == 0);
            let depends_on: Vec<_> = depends_on.map(|before| before.to_string()).collect();
            let depends_on = depends_on.join(", ");
            let text = format!(
                "---\ntask: {number}\nbackpressure: make {number}\ndepends_on: [{depends_on}]\n---\n# T\n"
            );
            (format!("tasks/web/{number:02}.md"), text)
        });
        let files: Vec<_> = files.collect();
        let files: Vec<_> = files
            .iter()
            .map(|(path, text)| (path, text.as_str()))
            .collect();
        TaskPlan::load("web".parse().unwrap(), "tasks/web", &files)
    }

    fn answer(&self, step: &StepName, op: RunOp) -> RunOut {
        match (op, self.comes(step)) {
            (RunOp::Plan { .. }, _) => RunOut::Plan((self.tasks > 0).then(|| self.plan())),
            (RunOp::Review(op), comes) => RunOut::Review(self.reviewed(&op, step, comes)),
            (
                RunOp::Task {
                    op: TaskOp::Status { .. },
                    ..
                },
                _,
            ) => RunOut::Task(TaskOut::Status { kept: None }),
            (RunOp::Task { .. }, comes) => RunOut::Task(TaskOut::Ran(Ran {
                failure: match comes {
                    Comes::Well => None,
                    Comes::Badly | Comes::ToNothing => Some(CommandFailure {
                        step: 1,
                        steps: 1,
                        cause: FailureCause::Exit { status: 1 },
                    }),
                },
                ..Ran::default()
            })),
        }
    }

    fn reviewed(&self, op: &ReviewOp, step: &StepName, comes: Comes) -> ReviewOut {
        match (op, comes) {
            (ReviewOp::Review(_) | ReviewOp::Apply(_), Comes::ToNothing) => {
                let failure = Failure::ModelError { status: Some(400) };
                ReviewOut::Failed(AgentError::new(failure, "no"))
            }
            (ReviewOp::Review(_), Comes::Well) => ReviewOut::Read(read(Verdict::Pass)),
            (ReviewOp::Review(_), Comes::Badly) => ReviewOut::Read(read(Verdict::NeedsRevision)),
            (ReviewOp::Apply(_), _) => ReviewOut::Applied {
                after: Some(state(step.as_str())),
                decided: None,
            },
            (other, _) => panic!("{other:?}"),
        }
    }
}

fn read(verdict: Verdict) -> ReadReview {
    let names = ["completeness", "consistency", "testability", "architecture"];
    let scores = names.map(|name| (CriterionName::new(name).unwrap(), Score::new(90).unwrap()));
    ReadReview {
        verdict,
        scores: Scores::from_iter(scores),
        items: u32::from(verdict != Verdict::Pass),
        overall: None,
        review: hash_bytes(b"review"),
        answer: None,
        undelivered: None,
        left_unread: None,
        doubt: None,
        remarks: Vec::new(),
        proved: 0,
        vague: None,
        document: None,
        escalated: false,
        has_ids: false,
        acks: review_types::AckDifference::default(),
        check: None,
    }
}

fn state(text: &str) -> BaseState {
    BaseState {
        artifact: hash_bytes(text.as_bytes()),
        manifest: hash_bytes(&[text.as_bytes(), b"m"].concat()),
    }
}

fn machine(stages: Stages, jobs: u32) -> RunMachine {
    machine_with(stages, jobs, None)
}

fn machine_with(stages: Stages, jobs: u32, lane: Option<LaneOptions>) -> RunMachine {
    let started = RunStarted {
        spec: "specs/WEB.md".to_owned(),
        root: "/project".to_owned(),
        prompts: Vec::new(),
    };
    let review = ReviewMachine::new(LoopConfig {
        base: Some(state("at first")),
        ..LoopConfig::new(Subject::new("web", "docs/PRD.md", "specs/WEB.md"))
    });
    let options = TaskOptions {
        writes_status: true,
        jobs: NonZeroU32::new(jobs).unwrap(),
        resume: 0,
        lane,
    };
    RunMachine::new(started, review.unwrap(), stages, options)
}

fn finished(step: StepName, out: RunOut) -> Input<RunOut, RunChanges> {
    let record = StepRecord {
        out,
        at: AT,
        took_ms: 0,
        usage: None,
        by: None,
        session: None,
        undone: Vec::new(),
    };
    Input::Finished { step, record }
}

/// What a machine came to: its end, and all that it reported in any order.
fn run(
    machine: &mut RunMachine,
    world: &World,
    first: Input<RunOut, RunChanges>,
    mut next: impl FnMut(usize) -> usize,
) -> (RunDone, Vec<String>) {
    let (mut open, mut reported) = (BTreeMap::new(), Vec::new());
    let mut input = first;
    loop {
        let turn = machine.next(input);
        reported.extend(turn.notices.iter().map(|notice| format!("{notice:?}")));
        if let Some(done) = turn.done {
            reported.sort();
            return (done, reported);
        }
        for asked in turn.commands {
            let step = asked.step().clone();
            assert!(open.insert(step, asked).is_none(), "a step is open once");
        }
        let step = open
            .keys()
            .nth(next(open.len()))
            .expect("something is open")
            .clone();
        input = match open.remove(&step).expect("open") {
            Command::Do { step, op } => {
                let out = world.answer(&step, op);
                finished(step, out)
            }
            Command::Wait { step, .. } => Input::Waited { step, at: AT },
            Command::Cancel { step } => panic!("{step} is cancelled"),
        };
    }
}

fn any_world() -> impl Strategy<Value = World> {
    (any::<u8>(), 0_usize..7, 0_u8..60, 60_u8..200).prop_map(|(seed, tasks, few, more)| World {
        seed,
        tasks,
        chances: [few, more],
    })
}

fn any_stages() -> impl Strategy<Value = Stages> {
    prop::sample::select(vec![
        Stages::Review,
        Stages::ReviewThenTasks,
        Stages::ReviewAndTasks,
        Stages::Tasks,
    ])
}

proptest! {
    #[test]
    fn any_number_of_jobs_and_any_order_end_in_the_same_report(
        world in any_world(),
        stages in any_stages(),
        jobs in 1_u32..9,
        order in prop::collection::vec(0_usize..8, 0..40),
    ) {
        let start = || Input::Start { at: AT };
        let alone = run(&mut machine(stages, 1), &world, start(), |_| 0);
        let mut order = order.into_iter();
        let together = run(&mut machine(stages, jobs), &world, start(), |open| {
            order.next().unwrap_or(0) % open
        });
        prop_assert_eq!(together, alone);
    }

    #[test]
    fn a_result_of_a_step_that_is_not_open_ends_the_run_blocked(
        world in any_world(),
        stages in any_stages(),
        which in 0_usize..3,
    ) {
        let mut machine = machine(stages, 2);
        machine.next(Input::Start { at: AT });
        let step = StepName::new("elsewhere", 0, "1");
        let out = [
            RunOut::Review(ReviewOut::Cut(LimitReached::RunTime)),
            RunOut::Plan(Some(world.plan())),
            RunOut::Task(TaskOut::Status { kept: None }),
        ];
        let turn = machine.next(finished(step, out[which].clone()));
        match turn.done {
            Some(done) => prop_assert!(done.finished.block_code.is_some()),
            // The review is blocked, and the tasks run in any case.
            None => prop_assert_eq!((stages, which), (Stages::ReviewAndTasks, 0)),
        }
    }
}

/// A world in which every call has the same result.
fn always(comes: Comes, tasks: usize) -> World {
    World {
        seed: 0,
        tasks,
        chances: match comes {
            Comes::Well => [0, 0],
            Comes::Badly => [0, 255],
            Comes::ToNothing => [255, 255],
        },
    }
}

fn ended(stages: Stages, world: &World) -> (RunMachine, RunDone) {
    let mut machine = machine(stages, 1);
    let (done, _) = run(&mut machine, world, Input::Start { at: AT }, |_| 0);
    (machine, done)
}

#[test]
fn the_stages_decide_whether_tasks_have_their_turn() {
    let (well, badly) = (always(Comes::Well, 2), always(Comes::Badly, 2));
    for (stages, world, outcome, has_tasks) in [
        (Stages::Review, &well, Outcome::Passed, false),
        (Stages::ReviewThenTasks, &well, Outcome::Passed, true),
        (Stages::ReviewThenTasks, &badly, Outcome::NotPassed, false),
        (Stages::ReviewAndTasks, &badly, Outcome::NotPassed, true),
        (Stages::Tasks, &badly, Outcome::NotPassed, true),
        (
            Stages::Tasks,
            &always(Comes::Well, 0),
            Outcome::Nothing,
            false,
        ),
    ] {
        let (machine, done) = ended(stages, world);
        assert_eq!(done.finished.outcome, outcome, "{stages:?}");
        assert_eq!(done.tasks.is_some(), has_tasks, "{stages:?}");
        assert_eq!(machine.has_passed(), outcome == Outcome::Passed);
    }
}

/// A configuration that sets some keys, and what that raises.
fn raised(keys: &[&str]) -> (Config, ResumeRequest) {
    let settings = keys.iter().map(|key| key.parse().unwrap());
    let settings: Vec<Setting> = settings.collect();
    let sources = Sources {
        file: &ConfigFile::new("ralph.toml", ""),
        variables: &BTreeMap::new(),
        settings: &settings,
        gone: &[],
    };
    let config = Config::resolve(sources).unwrap();
    let request = ResumeRequest {
        raised: config.raised(),
        ..ResumeRequest::default()
    };
    (config, request)
}

/// What an ended run goes on with where some keys are set again.
fn goes_on(machine: &RunMachine, found: Found, keys: &[&str]) -> Option<RunChanges> {
    let (config, request) = raised(keys);
    machine.goes_on_with(found, &request, config)
}

/// What a review goes on with, where it does.
fn review(changes: Option<RunChanges>) -> Option<ReviewChanges> {
    let changes = changes?;
    assert!(matches!(changes.stage, StageChanges::Review { .. }));
    Some(changes.of_review())
}

#[test]
fn a_resume_goes_on_with_what_changed_and_with_nothing_else() {
    let same = || Found {
        artifact: Some(state("at first")),
        ..Found::default()
    };
    let changed = || Found {
        artifact: Some(state("changed")),
        ..Found::default()
    };
    let rounds = "review.max_iterations=9";
    let (passed, _) = ended(Stages::ReviewThenTasks, &always(Comes::Well, 1));
    assert_eq!(goes_on(&passed, changed(), &[rounds]), None);

    let (failed, done) = ended(Stages::ReviewThenTasks, &always(Comes::ToNothing, 1));
    assert_eq!(done.finished.block_code, Some(BlockCode::ReviewerFailed));
    let again = goes_on(&failed, same(), &[]);
    assert_eq!(review(again), Some(ReviewChanges::default()));

    let (blocked, done) = ended(Stages::ReviewThenTasks, &always(Comes::Badly, 1));
    assert_eq!(done.finished.block_code, Some(BlockCode::MaxIterations));
    let last = || Found {
        artifact: Some(BaseState {
            artifact: done.artifact.unwrap(),
            ..state("of the last apply")
        }),
        ..Found::default()
    };
    for too_little in [
        &[][..],
        &["review.max_iterations=3"],
        &["run.max_calls=500", "run.max_time=9s", "review.patience=9"],
    ] {
        assert_eq!(
            goes_on(&blocked, last(), too_little),
            None,
            "{too_little:?}"
        );
    }
    let comments_until = Cursor {
        run: 7,
        findings: 0,
    };
    let commented = Found {
        comments_until: Some(comments_until),
        ..last()
    };
    for (found, keys, changes) in [
        (
            last(),
            &[rounds][..],
            ReviewChanges {
                max_iterations: Some(9),
                ..ReviewChanges::default()
            },
        ),
        (
            commented,
            &[],
            ReviewChanges {
                comments_until: Some(comments_until),
                ..ReviewChanges::default()
            },
        ),
        (
            changed(),
            &["run.max_calls=7", "run.max_cost=2", "review.patience=0"],
            ReviewChanges {
                base: Some(state("changed")),
                patience: Some(0),
                budget: Some(Budget {
                    max_calls: Some(7),
                    max_tokens: None,
                    max_cost: Some(Usd::from_micro(2_000_000)),
                }),
                ..ReviewChanges::default()
            },
        ),
        (
            changed(),
            &["run.max_calls=unlimited"],
            ReviewChanges {
                base: Some(state("changed")),
                budget: Some(Budget::default()),
                ..ReviewChanges::default()
            },
        ),
    ] {
        let goes_on = goes_on(&blocked, found, keys);
        assert_eq!(review(goes_on), Some(changes));
    }
}

#[test]
fn a_resume_journals_the_configuration_that_holds_and_which_keys_are_new() {
    let (blocked, _) = ended(Stages::ReviewThenTasks, &always(Comes::Badly, 1));
    let changed = Found {
        artifact: Some(state("changed")),
        ..Found::default()
    };
    let keys = ["run.max_time=3h", "task.jobs=4", "review.keep=last"];
    let changes = goes_on(&blocked, changed, &keys).unwrap();
    let journaled = serde_json::to_value(&changes).unwrap();
    assert_eq!(journaled["raised"], json!(["run.max_time", "task.jobs"]));
    assert_eq!(journaled["config"]["run"]["max_time"], json!("3h"));
    assert_eq!(journaled["config"]["task"]["jobs"], json!(4));
    let read: RunChanges = serde_json::from_value(journaled).unwrap();
    assert_eq!(read.max_time(), Some(Duration::from_secs(3 * 60 * 60)));
}

#[test]
fn tasks_that_did_not_pass_run_again_in_any_case() {
    let world = World {
        chances: [0, 0],
        ..always(Comes::Well, 1)
    };
    let failing = always(Comes::Badly, 1);
    for stages in [Stages::ReviewThenTasks, Stages::Tasks] {
        let mut machine = machine(stages, 1);
        let mut of_review = Input::Start { at: AT };
        let done = loop {
            let turn = machine.next(of_review);
            if let Some(done) = turn.done {
                break done;
            }
            let Some(Command::Do { step, op }) = turn.commands.into_iter().next() else {
                panic!("a step is asked for");
            };
            let answering = match op {
                RunOp::Task { .. } => &failing,
                RunOp::Review(_) | RunOp::Plan { .. } => &world,
            };
            let out = answering.answer(&step, op);
            of_review = finished(step, out);
        };
        assert_eq!(done.finished.block_code, Some(BlockCode::TaskFailed));
        let found = Found {
            artifact: Some(state("at first")),
            ..Found::default()
        };
        let changes = goes_on(&machine, found, &[]).expect("they run again");
        let tasks = StageChanges::Tasks(TaskChanges::default());
        assert_eq!(changes.stage, tasks);
        let resumed = Input::Resumed {
            resume: 1,
            changes,
            at: AT,
        };
        let (done, reported) = run(&mut machine, &world, resumed, |_| 0);
        assert_eq!(done.finished.outcome, Outcome::Passed);
        assert!(reported.iter().any(|notice| notice.starts_with("Resumed")));
    }
}

/// The result of an operation on a lane on which all succeeds.
fn implemented(op: &LaneOp) -> LaneOut {
    let digits = "a".repeat(40);
    match op {
        LaneOp::Open => LaneOut::Opened {
            opened: None,
            tip: digits.parse().unwrap(),
            tree: digits.parse().unwrap(),
        },
        LaneOp::Pick { tasks, .. } => LaneOut::Picked(tasks.first().map(|first| first.task)),
        LaneOp::Checkout { .. } => LaneOut::CheckedOut,
        LaneOp::Work { .. } => LaneOut::Worked(Worked::Done {
            says: AgentClaim::Done,
            beside: None,
            left_running: false,
        }),
        LaneOp::Snapshot { .. } => LaneOut::Snapshot {
            commit: digits.parse().unwrap(),
            tree: digits.parse().unwrap(),
            files: 1,
            fault: None,
            restored: Vec::new(),
        },
        LaneOp::Merge { .. } => LaneOut::Merged {
            trees: review_tasks::MergedTrees::of(digits.parse().unwrap()),
        },
        LaneOp::Account { .. } => LaneOut::Accounted {
            entries: Vec::new(),
            more: 0,
        },
        LaneOp::Gate { kind, .. } => LaneOut::Gated(Ran {
            failure: (*kind == GateKind::Before).then_some(CommandFailure {
                step: 1,
                steps: 1,
                cause: FailureCause::Exit { status: 1 },
            }),
            ..Ran::default()
        }),
        LaneOp::Advance { .. } | LaneOp::Complete { .. } => LaneOut::Advanced {
            tip: digits.parse().unwrap(),
            tree: digits.parse().unwrap(),
        },
        LaneOp::Carry { .. } => LaneOut::Carried {
            commit: digits.parse().unwrap(),
            tree: digits.parse().unwrap(),
        },
        LaneOp::Land { .. } => LaneOut::Landed {
            branch: "main".to_owned(),
            is_checked_out: true,
        },
        LaneOp::Record { .. } => LaneOut::Recorded,
        LaneOp::WriteChange { .. } | LaneOp::Review { .. } => panic!("changes are not reviewed"),
    }
}

/// Runs a machine in which agents implement tasks, and returns its steps and its end.
/// The step `except` has another result.
fn implement(
    machine: &mut RunMachine,
    first: Input<RunOut, RunChanges>,
    world: &World,
    except: (&str, LaneOut),
) -> (Vec<String>, RunDone) {
    let (mut steps, mut input) = (Vec::new(), first);
    loop {
        let mut turn = machine.next(input);
        if let Some(done) = turn.done {
            return (steps, done);
        }
        assert_eq!(turn.commands.len(), 1, "one step is open at a time");
        input = match turn.commands.remove(0) {
            Command::Do { step, op } => {
                steps.push(step.to_string());
                let out = match op {
                    RunOp::Task { .. } if step.as_str() == except.0 => {
                        RunOut::Task(TaskOut::Lane(except.1.clone()))
                    }
                    RunOp::Task {
                        op: TaskOp::Lane(op),
                        ..
                    } => RunOut::Task(TaskOut::Lane(implemented(&op))),
                    op => world.answer(&step, op),
                };
                finished(step, out)
            }
            Command::Wait { step, .. } => {
                steps.push(format!("pause before {step}"));
                Input::Waited { step, at: AT }
            }
            Command::Cancel { step } => panic!("{step} is cancelled"),
        };
    }
}

fn lane() -> LaneOptions {
    LaneOptions {
        agents: Vec::new(),
        pick: review_lane::Pick::Ralph,
        limits: Budget::default(),
        attempts: NonZeroU32::MIN,
        retries: 2,
        tests: review_lane::TestsPolicy::Hold,
        check: None,
        check_every: NonZeroU32::MAX,
        review: None,
        seed: review_flow::Seed::from_bytes([0; 32]),
    }
}

#[test]
fn the_pause_of_a_task_belongs_to_the_task() {
    let mut machine = machine_with(Stages::Tasks, 1, Some(lane()));
    let busy = AgentError::new(
        Failure::RateLimited {
            retry_at: None,
            of_plan: false,
        },
        "busy",
    );
    let busy = ("task/1/work.1", LaneOut::Worked(Worked::Failed(busy)));
    let start = Input::Start { at: AT };
    let (steps, done) = implement(&mut machine, start, &always(Comes::Well, 1), busy);
    let pause = steps.iter().position(|step| step.starts_with("pause"));
    let pause = pause.expect("a pause");
    assert_eq!(
        steps[pause..pause + 2],
        ["pause before task/1/work.1.2", "task/1/work.1.2"]
    );
    assert_eq!(done.finished.outcome, Outcome::Passed);
}

#[test]
fn a_second_review_leaves_the_work_on_the_lane() {
    let mut machine = machine_with(Stages::ReviewThenTasks, 1, Some(lane()));
    let world = always(Comes::Well, 1);
    let not_landed = LaneOut::NotLanded {
        code: review_types::LandCode::DirtyOverlap,
        reason: "a.rs has changes".to_owned(),
    };
    let start = Input::Start { at: AT };
    let (_, done) = implement(&mut machine, start, &world, ("lane/land-1", not_landed));
    assert_eq!(done.finished.block_code, Some(BlockCode::TaskFailed));
    let changed = Found {
        artifact: Some(state("edited")),
        ..Found::default()
    };
    let changes = goes_on(&machine, changed, &[]).expect("the artifact changed");
    let resumed = Input::Resumed {
        resume: 1,
        changes,
        at: AT,
    };
    let (steps, done) = implement(&mut machine, resumed, &world, ("", LaneOut::CheckedOut));
    assert_eq!(done.finished.outcome, Outcome::Passed);
    assert!(steps[0].starts_with("review~1/"), "{steps:?}");
    let of_tasks = steps.iter().skip_while(|step| !step.starts_with("lane~1/"));
    assert_eq!(
        of_tasks.collect::<Vec<_>>(),
        [
            "lane~1/open",
            "lane~1/carry-1",
            "lane~1/gate-1.1",
            "lane~1/land-1",
            "task~1/1/record",
            "task~1/1/status",
        ]
    );
}
