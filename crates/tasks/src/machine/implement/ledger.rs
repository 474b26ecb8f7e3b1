//! What the calls of agents consume: reserved before a call, settled after it.

use std::collections::BTreeMap;
use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};

use review::Budget;
use review::machine::Consumed;
use review::{Allowance, LimitReached};
use review_types::{TaskNumber, Usage};

/// Why no further call starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::machine) enum NoCalls {
    /// A limit allows none, for this reason.
    Limit(LimitReached, String),
    /// The agent could not be called for this task.
    Unavailable(TaskNumber),
}

impl fmt::Display for NoCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit(_, reason) => f.write_str(reason),
            Self::Unavailable(task) => write!(
                f,
                "the agent could not be called for task {task}, and is called for no other"
            ),
        }
    }
}

/// The calls of a run, and what they may consume together.
#[derive(Clone, Debug)]
pub(in crate::machine) struct CallFunds {
    limits: Budget,
    /// The calls of the run, and what they consumed.
    pub(in crate::machine) consumed: Consumed,
    /// How many calls may run at a time.
    jobs: NonZeroU32,
    /// What the calls that run may consume, by task; the call that picks a task has none.
    reserved: BTreeMap<Option<TaskNumber>, Allowance>,
    /// Why no further call starts, if none does.
    pub(in crate::machine) closed: Option<NoCalls>,
}

impl CallFunds {
    pub(super) fn new(limits: Budget, jobs: NonZeroU32) -> Self {
        Self {
            limits,
            consumed: Consumed::default(),
            jobs,
            reserved: BTreeMap::new(),
            closed: None,
        }
    }

    /// Starts no further call, since the agent could not be called for a task.
    pub(super) fn close(&mut self, task: TaskNumber) {
        self.closed.get_or_insert(NoCalls::Unavailable(task));
    }

    /// Whether a call could start now; if not, none will.
    pub(super) fn has_more(&mut self) -> bool {
        if self.closed.is_none() {
            let exhausted = self.consumed.exhausted(&self.limits);
            self.closed = exhausted.map(|(limit, reason)| NoCalls::Limit(limit, reason));
        }
        self.closed.is_none()
    }

    /// Reserves a part of what is left for the call that picks a task; `None` if no other
    /// call could follow it.
    pub(super) fn reserve_pick(&mut self) -> Option<Allowance> {
        let mut after = self.consumed;
        after.start();
        let is_last = after.exhausted(&self.limits).is_some();
        if is_last { None } else { self.reserve(None) }
    }

    /// Reserves a part of what is left for the call of a task; `None` if none is.
    pub(super) fn reserve(&mut self, task: impl Into<Option<TaskNumber>>) -> Option<Allowance> {
        if !self.has_more() {
            return None;
        }
        let mut left = self.consumed.left(&self.limits);
        for reserved in self.reserved.values() {
            left = left.without(reserved);
        }
        let jobs = u64::from(self.jobs.get());
        let running = u64::try_from(self.reserved.len()).unwrap_or(u64::MAX);
        let free = NonZeroU64::new(jobs.saturating_sub(running));
        let allowance = left.part_of(free.unwrap_or(NonZeroU64::MIN));
        self.consumed.start();
        self.reserved.insert(task.into(), allowance);
        Some(allowance)
    }

    /// Adds what the call of a task consumed. A call that cost nothing may have no
    /// usage.
    pub(super) fn settle(
        &mut self,
        task: impl Into<Option<TaskNumber>>,
        usage: Option<&Usage>,
        is_free: bool,
    ) {
        let was_open = self.reserved.remove(&task.into()).is_some();
        if was_open && (usage.is_some() || !is_free) {
            self.consumed.settle(usage);
        }
    }

    /// The ledger of a resumed run, with limits and jobs that may be new.
    pub(super) fn resumed(self, limits: Budget, jobs: NonZeroU32) -> Self {
        let mut consumed = self.consumed;
        consumed.forgive();
        Self {
            consumed,
            ..Self::new(limits, jobs)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(max_calls: Option<u32>, max_tokens: Option<u64>, jobs: u32) -> CallFunds {
        let limits = Budget {
            max_calls,
            max_tokens: max_tokens.and_then(NonZeroU64::new),
            max_cost: None,
        };
        CallFunds::new(limits, NonZeroU32::new(jobs).unwrap())
    }

    fn task(number: u32) -> TaskNumber {
        TaskNumber::new(number).unwrap()
    }

    fn used(tokens: u64) -> Usage {
        Usage {
            input_tokens: tokens,
            ..Usage::default()
        }
    }

    fn tokens(allowance: Option<Allowance>) -> Option<u64> {
        allowance.and_then(|allowance| allowance.tokens)
    }

    #[test]
    fn calls_count_when_they_start() {
        let mut ledger = ledger(Some(2), None, 3);
        assert!(ledger.reserve(task(1)).is_some());
        assert!(ledger.reserve(task(2)).is_some());
        assert_eq!(ledger.reserve(task(3)), None);
        let reason = "all 2 calls of the run are used up".to_owned();
        assert_eq!(
            ledger.closed.as_ref(),
            Some(&NoCalls::Limit(LimitReached::Calls, reason))
        );
        let mut raised = ledger.resumed(
            Budget {
                max_calls: Some(3),
                ..Budget::default()
            },
            NonZeroU32::MIN,
        );
        assert!(raised.reserve(task(3)).is_some());
        assert!(!raised.has_more());
    }

    #[test]
    fn calls_that_run_at_a_time_cannot_exceed_the_limit_together() {
        let mut ledger = ledger(None, Some(900), 3);
        assert_eq!(tokens(ledger.reserve(task(1))), Some(300));
        assert_eq!(tokens(ledger.reserve(task(2))), Some(300));
        ledger.settle(task(1), Some(&used(100)), false);
        // 900 less 100 consumed and 300 reserved, for two more at a time.
        assert_eq!(tokens(ledger.reserve(task(3))), Some(250));
        ledger.settle(task(2), Some(&used(300)), false);
        ledger.settle(task(3), Some(&used(500)), false);
        assert_eq!(ledger.reserve(task(4)), None);
    }

    #[test]
    fn a_call_that_did_not_start_costs_nothing_and_one_of_unknown_cost_is_the_last() {
        let mut ledger = ledger(None, Some(900), 1);
        assert!(ledger.reserve(task(1)).is_some());
        ledger.settle(task(1), None, true);
        assert_eq!(tokens(ledger.reserve(task(1))), Some(900));
        ledger.settle(task(1), None, false);
        assert_eq!(ledger.reserve(task(1)), None);
        assert!(matches!(
            ledger.closed.as_ref(),
            Some(NoCalls::Limit(LimitReached::Tokens, _))
        ));
    }
}
