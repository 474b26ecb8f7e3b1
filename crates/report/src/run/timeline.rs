//! When a run did what.

use std::time::Duration;

use review_events::{
    AgentRole, AttemptCode, CallRetried, Envelope, Event, StepFinished, StepStarted,
};
use review_types::{ModelId, TaskNumber, Timestamp, Usage};

/// The spans of time of a run: its steps, and the pauses between calls. A span is added when
/// it starts and is never removed, so that the timeline of the first events of a run has the
/// first of its spans.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    spans: Vec<Span>,
    /// The steps that have no end, and the pauses with the time of their end.
    open: Vec<(usize, Option<Timestamp>)>,
    /// The times of the first and the last event: a clock that is set back ends nothing
    /// before its start.
    times: Option<(Timestamp, Timestamp)>,
}

/// A span of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The name of the step, or the role whose call is made again.
    pub(crate) name: String,
    /// The kind.
    pub(crate) kind: SpanKind,
    /// The round or task that it is a part of.
    pub(crate) group: Option<SpanGroup>,
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
    /// What its calls consumed.
    pub(crate) usage: Option<Usage>,
    /// The word for how its call failed.
    pub(crate) failure: Option<&'static str>,
}

/// The kind of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpanKind {
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
    /// It ended on its own.
    Finished,
    /// It was cut off, or its result was not needed any more.
    Interrupted,
}

/// What several spans belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SpanGroup {
    /// A round of the review.
    Round(u32),
    /// A task.
    Task(TaskNumber),
}

impl Span {
    /// Returns the first word of its name within its round or task.
    pub(crate) fn word(&self) -> &str {
        let name = self.name.rsplit('/').next().unwrap_or_default();
        name.split(['-', '.']).next().unwrap_or_default()
    }
}

impl SpanGroup {
    /// Returns its name.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Round(number) => format!("round {number}"),
            Self::Task(number) => format!("task {number}"),
        }
    }
}

impl Timeline {
    /// Returns the spans in the order of their starts.
    pub(crate) fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Returns the times of the first and the last event.
    pub fn times(&self) -> Option<(Timestamp, Timestamp)> {
        self.times
    }

    /// Returns the names of the steps that have no end.
    pub fn open_steps(&self) -> impl Iterator<Item = &str> {
        let open = self.open.iter().map(|(span, _)| &self.spans[*span]);
        let steps = open.filter(|span| span.kind == SpanKind::Step);
        steps.map(|span| span.name.as_str())
    }

    /// Takes in one event.
    pub fn take(&mut self, envelope: &Envelope) {
        let at = envelope.timestamp;
        let (first, at) = self
            .times
            .map_or((at, at), |(first, now)| (first, now.max(at)));
        self.times = Some((first, at));
        self.end_pauses(at);
        self.note_failure(envelope, at);
        match &envelope.event {
            Event::StepStarted(step) => self.start_step(step, at),
            Event::StepFinished(step) => self.finish_step(step, at),
            Event::CallRetried(retried) if retried.pause_ms > 0 => {
                self.pause(
                    retried,
                    group_of_call(envelope, retried.role, retried.iteration),
                    at,
                );
            }
            Event::RunInterrupted(_) | Event::RunFinished(_) => {
                for (span, _) in std::mem::take(&mut self.open) {
                    self.close(span, at, SpanState::Interrupted);
                }
            }
            _ => {}
        }
    }

    fn start_step(&mut self, step: &StepStarted, at: Timestamp) {
        if let Some(before) = self.open_step(&step.step) {
            self.close(before, at, SpanState::Interrupted);
        }
        let group = group_of(&step.step);
        let span = self.push(step.step.clone(), SpanKind::Step, group, at);
        self.spans[span].attempt = step.attempt;
        self.open.push((span, None));
    }

    fn finish_step(&mut self, step: &StepFinished, at: Timestamp) {
        if let Some(span) = self.open_step(&step.step) {
            self.spans[span].by.clone_from(&step.by);
            self.spans[span].usage = step.usage;
            self.close(span, at, SpanState::Finished);
        }
    }

    /// Keeps how the call of a round or task failed that ended just now.
    fn note_failure(&mut self, envelope: &Envelope, at: Timestamp) {
        let (group, failure) = match &envelope.event {
            Event::CallRetried(retried) => (
                group_of_call(envelope, retried.role, retried.iteration),
                retried.error.failure.as_str(),
            ),
            Event::ReviewerFailed(failed) => (
                group_of_call(envelope, AgentRole::Reviewer, failed.iteration),
                failed.error.failure.as_str(),
            ),
            Event::ReviewerReplaced(replaced) => (
                group_of_call(envelope, AgentRole::Reviewer, replaced.iteration),
                replaced.error.failure.as_str(),
            ),
            Event::TaskAttempted(attempt) => match attempt.code {
                code @ (AttemptCode::AgentFailed | AttemptCode::AgentUnavailable) => {
                    (Some(SpanGroup::Task(attempt.task)), code.as_str())
                }
                _ => return,
            },
            _ => return,
        };
        let mut spans = self.spans.iter_mut().rev();
        let is_call = |span: &&mut Span| {
            span.kind == SpanKind::Step
                && span.end == Some(at)
                && group.is_some()
                && span.group == group
        };
        if let Some(span) = spans.find(is_call) {
            span.failure.get_or_insert(failure);
        }
    }

    fn pause(&mut self, retried: &CallRetried, group: Option<SpanGroup>, at: Timestamp) {
        let name = retried.role.as_str().to_owned();
        let span = self.push(name, SpanKind::Wait, group, at);
        let until = at.after(Duration::from_millis(retried.pause_ms));
        self.open.push((span, Some(until)));
    }

    fn end_pauses(&mut self, at: Timestamp) {
        let is_over = |(span, until): &(usize, Option<Timestamp>)| {
            let until = until.filter(|until| *until <= at)?;
            Some((*span, until))
        };
        let over: Vec<_> = self.open.iter().filter_map(is_over).collect();
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

    /// Adds a span that starts now.
    fn push(
        &mut self,
        name: String,
        kind: SpanKind,
        group: Option<SpanGroup>,
        at: Timestamp,
    ) -> usize {
        self.spans.push(Span {
            name,
            kind,
            group,
            attempt: 1,
            start: at,
            end: None,
            state: SpanState::Open,
            by: None,
            usage: None,
            failure: None,
        });
        self.spans.len() - 1
    }

    fn close(&mut self, span: usize, at: Timestamp, state: SpanState) {
        self.open.retain(|(open, _)| *open != span);
        self.spans[span].end = Some(at);
        self.spans[span].state = state;
    }
}

/// The round or task of a step such as `review/apply-2.1` or, after a resume,
/// `task~1/7/work.2`.
fn group_of(step: &str) -> Option<SpanGroup> {
    let (stage, rest) = step.split_once('/')?;
    match stage.split('~').next()? {
        "review" => {
            let (_, number) = rest.split_once('-')?;
            let number = number.split('.').next()?;
            Some(SpanGroup::Round(number.parse().ok()?))
        }
        "task" => {
            let number = rest.split('/').next()?;
            Some(SpanGroup::Task(TaskNumber::new(number.parse().ok()?)?))
        }
        _ => None,
    }
}

/// The round or task that a call is a part of.
fn group_of_call(envelope: &Envelope, role: AgentRole, iteration: u32) -> Option<SpanGroup> {
    match (envelope.task.as_deref().and_then(numbered), role) {
        (Some(task), _) => Some(SpanGroup::Task(task)),
        (None, AgentRole::Implementer) => None,
        (None, AgentRole::Reviewer | AgentRole::Applier) => Some(SpanGroup::Round(iteration)),
    }
}

/// The task of a step, if it is one of a task.
pub(super) fn task_of(step: &str) -> Option<TaskNumber> {
    match group_of(step)? {
        SpanGroup::Task(task) => Some(task),
        SpanGroup::Round(_) => None,
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
    use review_events::{RunEnded, RunFinished, RunResumed};
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

    fn timeline(events: &[Envelope]) -> Timeline {
        let mut timeline = Timeline::default();
        events.iter().for_each(|event| timeline.take(event));
        timeline
    }

    #[test]
    fn steps_are_parts_of_their_rounds_and_tasks() {
        use SpanGroup::{Round, Task};
        use SpanKind::{Step, Wait};
        use SpanState::{Finished, Interrupted, Open};
        let seven = Some(Task(TaskNumber::new(7).unwrap()));
        let mut events = vec![
            envelope(0, None, started("review/review-1.1", 1)),
            envelope(10, None, finished("review/review-1.1")),
            envelope(10, None, retried(20)),
            envelope(30, None, started("review/review-1.2", 1)),
            envelope(40, None, interrupted()),
            envelope(100, None, started("review/review-1.2", 2)),
            envelope(110, None, finished("review/review-1.2")),
            envelope(120, None, started("task~1/7/gate.1.1", 1)),
            envelope(130, None, finished("task~1/7/gate.1.1")),
            envelope(130, None, started("lane/land-1", 1)),
        ];
        let shown = |events: &[Envelope]| -> Vec<_> {
            let spans = timeline(events).spans;
            let shown = spans.into_iter().map(|span| {
                let end = span.end.map(Timestamp::unix_ms);
                let start = span.start.unix_ms();
                (span.name, span.kind, span.group, start, end, span.state)
            });
            shown.collect()
        };
        let span = |name: &str, kind, group, start, end, state| {
            (name.to_owned(), kind, group, start, end, state)
        };
        let one = Some(Round(1));
        let review = "review/review-1.2";
        let mut expected = vec![
            span("review/review-1.1", Step, one, 0, Some(10), Finished),
            span("reviewer", Wait, one, 10, Some(30), Finished),
            span(review, Step, one, 30, Some(40), Interrupted),
            span(review, Step, one, 100, Some(110), Finished),
            span("task~1/7/gate.1.1", Step, seven, 120, Some(130), Finished),
            span("lane/land-1", Step, None, 130, None, Open),
        ];
        assert_eq!(shown(&events), expected);
        let open = timeline(&events);
        assert_eq!(open.open_steps().collect::<Vec<_>>(), ["lane/land-1"]);
        assert_eq!(open.spans()[3].attempt, 2);

        events.push(envelope(140, None, ended()));
        expected[5] = span("lane/land-1", Step, None, 130, Some(140), Interrupted);
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
        prop_oneof![
            4 => (step.clone(), 1_u32..3).prop_map(|(step, attempt)| started(step, attempt)),
            4 => step.prop_map(finished),
            1 => (0_u64..90).prop_map(retried),
            1 => Just(interrupted()),
            1 => Just(ended()),
            1 => Just(resumed()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_span_ends_before_its_start_and_those_of_a_prefix_come_first(
            steps in prop::collection::vec((-20_i64..100, any::<bool>(), any_event()), 0..40),
        ) {
            let mut at = 0;
            let events: Vec<_> = steps.into_iter().map(|(after, of_task, event)| {
                at += after;
                envelope(at, of_task.then_some("web/1"), event)
            }).collect();
            let whole = timeline(&events);
            for span in whole.spans() {
                prop_assert!(span.end.is_none_or(|end| end >= span.start), "{span:?}");
            }
            for length in 0..events.len() {
                let prefix = timeline(&events[..length]);
                for (span, later) in prefix.spans().iter().zip(whole.spans()) {
                    let same = |span: &Span| (span.name.clone(), span.kind, span.group, span.start);
                    prop_assert_eq!(same(span), same(later));
                }
                prop_assert!(prefix.spans().len() <= whole.spans().len());
            }
        }
    }
}
