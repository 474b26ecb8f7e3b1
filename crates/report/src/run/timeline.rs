//! When a run did what.

use std::collections::BTreeMap;
use std::time::Duration;

use review_events::{AgentRole, CallRetried, Envelope, Event, StepFinished, StepStarted};
use review_types::{ModelId, TaskNumber, Timestamp};

/// The spans of time of a run: its rounds and tasks, their steps, and the pauses between
/// calls. A span is added when it starts and is never removed, so that the timeline of the
/// first events of a run has the first of its spans.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    spans: Vec<Span>,
    /// The spans of rounds and tasks.
    groups: BTreeMap<Group, usize>,
    /// The steps that have no end, and the pauses with the time of their end.
    open: Vec<(usize, Option<Timestamp>)>,
    /// The time of the last event: a clock that is set back ends nothing before its start.
    now: Option<Timestamp>,
}

/// A span of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The name of the step, the number of the round or task, or the role whose call is
    /// made again.
    pub(crate) name: String,
    /// The kind.
    pub(crate) kind: SpanKind,
    /// The position of the span that it is a part of; `None` for the run.
    pub(crate) parent: Option<usize>,
    /// How often it was started, including this time.
    pub(crate) attempt: u32,
    /// The time of its start.
    pub(crate) start: Timestamp,
    /// The time of its end; `None` while it is open.
    pub(crate) end: Option<Timestamp>,
    /// Whether and how it ended.
    pub(crate) state: SpanState,
    /// The model or program of a step.
    pub(crate) by: Option<ModelId>,
    /// The number of steps and pauses in it that are open.
    open_parts: usize,
    /// Whether it is a task between its start and its end.
    is_started: bool,
}

/// The kind of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpanKind {
    /// The run.
    Run,
    /// A round of its review.
    Round,
    /// A task.
    Task,
    /// A step.
    Step,
    /// The pause before a call is made again.
    Wait,
}

/// Whether and how a span ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpanState {
    /// It has not ended.
    Open,
    /// It ended by itself.
    Finished,
    /// It was cut off, or its result was not needed any more.
    Interrupted,
}

/// What several steps belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Round(u32),
    Task(TaskNumber),
}

impl Timeline {
    /// Returns the spans in the order of their starts; the first is the run.
    pub(crate) fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Returns the names of the steps that have no end.
    pub fn open_steps(&self) -> impl Iterator<Item = &str> {
        let open = self.open.iter().map(|(span, _)| &self.spans[*span]);
        let steps = open.filter(|span| span.kind == SpanKind::Step);
        steps.map(|span| span.name.as_str())
    }

    /// Takes in one event.
    pub fn take(&mut self, envelope: &Envelope) {
        let at = self
            .now
            .map_or(envelope.timestamp, |now| now.max(envelope.timestamp));
        self.now = Some(at);
        if self.spans.is_empty() {
            self.push("run".to_owned(), SpanKind::Run, None, at);
        }
        self.end_pauses(at);
        match &envelope.event {
            Event::StepStarted(step) => self.start_step(step, at),
            Event::StepFinished(step) => self.finish_step(step, at),
            Event::TaskStarted(task) => {
                let span = self.group(Group::Task(task.task), at);
                self.reopen(span);
                self.spans[span].is_started = true;
            }
            Event::TaskFinished(task) => {
                let span = self.group(Group::Task(task.task), at);
                self.spans[span].is_started = false;
                self.settle(span, at);
            }
            Event::CallRetried(retried) if retried.pause_ms > 0 => {
                let task = envelope.task.as_deref().and_then(numbered);
                self.pause(retried, task, at);
            }
            Event::RunInterrupted(_) => self.end(at, SpanState::Interrupted),
            Event::RunFinished(_) => self.end(at, SpanState::Finished),
            Event::RunResumed(_) => self.reopen(0),
            _ => {}
        }
    }

    fn start_step(&mut self, step: &StepStarted, at: Timestamp) {
        if let Some(before) = self.open_step(&step.step) {
            self.close(before, at, SpanState::Interrupted);
        }
        let group = group_of(&step.step);
        let span = self.start(step.step.clone(), SpanKind::Step, group, at);
        self.spans[span].attempt = step.attempt;
        self.open.push((span, None));
    }

    fn finish_step(&mut self, step: &StepFinished, at: Timestamp) {
        if let Some(span) = self.open_step(&step.step) {
            self.spans[span].by.clone_from(&step.by);
            self.close(span, at, SpanState::Finished);
        }
    }

    fn pause(&mut self, retried: &CallRetried, task: Option<TaskNumber>, at: Timestamp) {
        let group = match (task, retried.role) {
            (Some(task), _) => Some(Group::Task(task)),
            (None, AgentRole::Implementer) => None,
            (None, AgentRole::Reviewer | AgentRole::Applier) => {
                Some(Group::Round(retried.iteration))
            }
        };
        let name = retried.role.as_str().to_owned();
        let span = self.start(name, SpanKind::Wait, group, at);
        let until = at.after(Duration::from_millis(retried.pause_ms));
        self.open.push((span, Some(until)));
    }

    fn end_pauses(&mut self, at: Timestamp) {
        let is_over = |(span, until): &(usize, Option<Timestamp>)| {
            let until = until.filter(|until| *until <= at)?;
            Some((*span, until))
        };
        let mut over: Vec<_> = self.open.iter().filter_map(is_over).collect();
        // A round ends with the last of them.
        over.sort_by_key(|(_, until)| *until);
        for (span, until) in over {
            self.close(span, until, SpanState::Finished);
        }
    }

    fn open_step(&self, name: &str) -> Option<usize> {
        let mut open = self.open.iter().map(|(span, _)| *span);
        open.find(|span| {
            let span = &self.spans[*span];
            span.kind == SpanKind::Step && span.name == name
        })
    }

    fn push(
        &mut self,
        name: String,
        kind: SpanKind,
        parent: Option<usize>,
        at: Timestamp,
    ) -> usize {
        self.spans.push(Span {
            name,
            kind,
            parent,
            attempt: 1,
            start: at,
            end: None,
            state: SpanState::Open,
            by: None,
            open_parts: 0,
            is_started: false,
        });
        self.spans.len() - 1
    }

    /// Returns the span of a group, which starts with the first of its parts.
    fn group(&mut self, group: Group, at: Timestamp) -> usize {
        self.reopen(0);
        if let Some(span) = self.groups.get(&group) {
            return *span;
        }
        let (name, kind) = match group {
            Group::Round(number) => (number.to_string(), SpanKind::Round),
            Group::Task(number) => (number.to_string(), SpanKind::Task),
        };
        let span = self.push(name, kind, Some(0), at);
        self.groups.insert(group, span);
        span
    }

    /// Starts a step or a pause.
    fn start(
        &mut self,
        name: String,
        kind: SpanKind,
        group: Option<Group>,
        at: Timestamp,
    ) -> usize {
        self.reopen(0);
        let parent = group.map_or(0, |group| {
            let span = self.group(group, at);
            self.reopen(span);
            self.spans[span].open_parts += 1;
            span
        });
        self.push(name, kind, Some(parent), at)
    }

    /// Ends a step or a pause.
    fn close(&mut self, span: usize, at: Timestamp, state: SpanState) {
        self.open.retain(|(open, _)| *open != span);
        self.spans[span].end = Some(at);
        self.spans[span].state = state;
        if let Some(group) = self.spans[span].parent.filter(|parent| *parent > 0) {
            self.spans[group].open_parts -= 1;
            self.settle(group, at);
        }
    }

    fn reopen(&mut self, span: usize) {
        self.spans[span].end = None;
        self.spans[span].state = SpanState::Open;
    }

    /// Ends a round or task in which nothing is open.
    fn settle(&mut self, group: usize, at: Timestamp) {
        let group = &mut self.spans[group];
        if group.open_parts == 0 && !group.is_started {
            group.end = Some(at);
            group.state = SpanState::Finished;
        }
    }

    /// Ends the run, and cuts off what is open in it.
    fn end(&mut self, at: Timestamp, state: SpanState) {
        for (span, _) in std::mem::take(&mut self.open) {
            self.spans[span].state = SpanState::Interrupted;
        }
        for span in self.spans.iter_mut().filter(|span| span.end.is_none()) {
            (span.open_parts, span.is_started) = (0, false);
            span.end = Some(at);
            if span.state == SpanState::Open {
                span.state = state;
            }
        }
    }
}

/// The round or task of a step such as `review/apply-2.1` or, after a resume,
/// `task~1/7/work.2`.
fn group_of(step: &str) -> Option<Group> {
    let (stage, rest) = step.split_once('/')?;
    match stage.split('~').next()? {
        "review" => {
            let (_, number) = rest.split_once('-')?;
            let number = number.split('.').next()?;
            Some(Group::Round(number.parse().ok()?))
        }
        "task" => {
            let number = rest.split('/').next()?;
            Some(Group::Task(TaskNumber::new(number.parse().ok()?)?))
        }
        _ => None,
    }
}

/// The task of a step, if it is one of a task.
pub(super) fn task_of(step: &str) -> Option<TaskNumber> {
    match group_of(step)? {
        Group::Task(task) => Some(task),
        Group::Round(_) => None,
    }
}

/// The number of the task that an envelope names.
fn numbered(task: &str) -> Option<TaskNumber> {
    let (_, number) = task.rsplit_once('/').unwrap_or_default();
    TaskNumber::new(number.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use review_events::{RunEnded, RunFinished, RunResumed, TaskFinished, TaskStarted, TaskState};
    use review_types::{AgentError, Failure, Outcome, RunId};

    use super::*;

    fn envelope(ms: i64, task: Option<&str>, event: Event) -> Envelope {
        Envelope {
            run: RunId::new("0199").unwrap(),
            seq: None,
            timestamp: Timestamp::from_unix_ms(ms),
            unit: None,
            task: task.map(str::to_owned),
            event,
        }
    }

    fn started(step: &str, attempt: u32) -> Event {
        Event::StepStarted(StepStarted {
            step: step.to_owned(),
            attempt,
        })
    }

    fn finished(step: &str) -> Event {
        Event::StepFinished(StepFinished {
            step: step.to_owned(),
            took_ms: 1,
            by: None,
            usage: None,
        })
    }

    fn retried(pause_ms: u64) -> Event {
        Event::CallRetried(CallRetried {
            role: AgentRole::Reviewer,
            iteration: 1,
            error: AgentError::new(Failure::PermissionDenied, "busy"),
            pause_ms,
        })
    }

    fn interrupted() -> Event {
        Event::RunInterrupted(RunEnded {
            reason: "interrupted".to_owned(),
        })
    }

    fn ended() -> Event {
        Event::RunFinished(RunFinished {
            outcome: Outcome::Passed,
            block_code: None,
            block_reason: String::new(),
        })
    }

    fn resumed() -> Event {
        Event::RunResumed(RunResumed {
            resume: 1,
            artifact_changed: false,
            max_calls: None,
            max_tokens: None,
            max_cost: None,
            max_time_ms: None,
            max_iterations: None,
        })
    }

    fn task_started(task: TaskNumber) -> Event {
        Event::TaskStarted(TaskStarted {
            task,
            title: "Index".to_owned(),
            command: "true".to_owned(),
            tasks: 2,
        })
    }

    fn task_finished(task: TaskNumber) -> Event {
        Event::TaskFinished(TaskFinished {
            task,
            title: "Index".to_owned(),
            state: TaskState::Passed,
            tests_run: None,
            must_pass: None,
            took_ms: 1,
            cached: false,
            changed_tree: false,
            reason: String::new(),
            tail: String::new(),
            log: None,
            because_of: Vec::new(),
        })
    }

    fn timeline(events: &[Envelope]) -> Timeline {
        let mut timeline = Timeline::default();
        events.iter().for_each(|event| timeline.take(event));
        timeline
    }

    #[test]
    fn steps_are_parts_of_their_rounds_and_tasks() {
        use SpanKind::{Round, Run, Step, Task, Wait};
        use SpanState::{Finished, Interrupted, Open};
        let seven = TaskNumber::new(7).unwrap();
        let mut events = vec![
            envelope(0, None, started("review/review-1.1", 1)),
            envelope(10, None, finished("review/review-1.1")),
            envelope(10, None, retried(20)),
            envelope(30, None, started("review/review-1.2", 1)),
            envelope(40, None, interrupted()),
            envelope(100, None, started("review/review-1.2", 2)),
            envelope(110, None, finished("review/review-1.2")),
            envelope(110, None, task_started(seven)),
            envelope(120, None, started("task~1/7/gate.1.1", 1)),
            envelope(130, None, finished("task~1/7/gate.1.1")),
            envelope(130, None, started("lane/land-1", 1)),
        ];
        let shown = |events: &[Envelope]| -> Vec<_> {
            let spans = timeline(events).spans;
            let shown = spans.into_iter().map(|span| {
                let end = span.end.map(Timestamp::unix_ms);
                let start = span.start.unix_ms();
                (span.name, span.kind, span.parent, start, end, span.state)
            });
            shown.collect()
        };
        let span = |name: &str, kind, parent, start, end, state| {
            (name.to_owned(), kind, parent, start, end, state)
        };
        let review = "review/review-1.2";
        let mut expected = vec![
            span("run", Run, None, 0, None, Open),
            span("1", Round, Some(0), 0, Some(110), Finished),
            span("review/review-1.1", Step, Some(1), 0, Some(10), Finished),
            span("reviewer", Wait, Some(1), 10, Some(30), Finished),
            span(review, Step, Some(1), 30, Some(40), Interrupted),
            span(review, Step, Some(1), 100, Some(110), Finished),
            span("7", Task, Some(0), 110, None, Open),
            span("task~1/7/gate.1.1", Step, Some(6), 120, Some(130), Finished),
            span("lane/land-1", Step, Some(0), 130, None, Open),
        ];
        assert_eq!(shown(&events), expected);
        let open = timeline(&events);
        assert_eq!(open.open_steps().collect::<Vec<_>>(), ["lane/land-1"]);
        assert_eq!(open.spans()[5].attempt, 2);

        events.push(envelope(140, None, task_finished(seven)));
        events.push(envelope(140, None, ended()));
        expected[0] = span("run", Run, None, 0, Some(140), Finished);
        expected[6] = span("7", Task, Some(0), 110, Some(140), Finished);
        expected[8] = span("lane/land-1", Step, Some(0), 130, Some(140), Interrupted);
        assert_eq!(shown(&events), expected);
    }

    fn any_event() -> impl Strategy<Value = Event> {
        let step = prop_oneof![
            Just("review/review-1.1"),
            Just("review/apply-1"),
            Just("review~1/review-2.1"),
            Just("task/1/work.1"),
            Just("task/2/gate.1.1"),
            Just("lane/open"),
            Just("task/plan"),
        ];
        let task = (1_u32..3).prop_map(|number| TaskNumber::new(number).unwrap());
        prop_oneof![
            4 => (step.clone(), 1_u32..3).prop_map(|(step, attempt)| started(step, attempt)),
            4 => step.prop_map(finished),
            1 => task.clone().prop_map(task_started),
            1 => task.prop_map(task_finished),
            1 => (0_u64..90).prop_map(retried),
            1 => Just(interrupted()),
            1 => Just(ended()),
            1 => Just(resumed()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn spans_are_inside_their_parents_and_those_of_a_prefix_come_first(
            steps in prop::collection::vec((-20_i64..100, any::<bool>(), any_event()), 0..40),
        ) {
            let mut at = 0;
            let events: Vec<_> = steps.into_iter().map(|(after, of_task, event)| {
                at += after;
                envelope(at, of_task.then_some("web/1"), event)
            }).collect();
            let whole = timeline(&events);
            for (position, span) in whole.spans().iter().enumerate() {
                prop_assert!(span.end.is_none_or(|end| end >= span.start), "{span:?}");
                prop_assert_eq!(span.parent.is_none(), position == 0);
                if let Some(parent) = span.parent {
                    prop_assert!(parent < position);
                    let parent = &whole.spans()[parent];
                    prop_assert!(parent.start <= span.start, "{parent:?} {span:?}");
                    let is_inside = parent.end.is_none_or(|end| span.end.is_some_and(|own| own <= end));
                    prop_assert!(is_inside, "{parent:?} {span:?}");
                }
            }
            for length in 0..events.len() {
                let prefix = timeline(&events[..length]);
                for (span, later) in prefix.spans().iter().zip(whole.spans()) {
                    let same = |span: &Span| (span.name.clone(), span.kind, span.parent, span.start);
                    prop_assert_eq!(same(span), same(later));
                }
                prop_assert!(prefix.spans().len() <= whole.spans().len());
            }
        }
    }
}
