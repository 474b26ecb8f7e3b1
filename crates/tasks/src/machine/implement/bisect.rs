//! The search for the commit that broke a command.

use crate::machine::lane::GateKind;

/// The search for the lowest commit of the lane at which a command fails, by its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bisect {
    /// The position up to which no commit is to blame; `None` until the command ran without
    /// the work of any task.
    innocent: Option<usize>,
    /// The lowest position at which it is known to fail.
    red: usize,
    /// The last position, at which it failed more than once.
    end: usize,
    run: Run,
    runs: u32,
}

/// The run that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Run {
    None,
    /// On the tip of the lane, which is not what it failed on.
    Tip,
    /// Without the work of any task.
    Base,
    Middle(usize),
    /// Once more where it failed once.
    Again,
}

/// What follows in the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BisectNext {
    /// Run the command at a position.
    Run { at: usize, kind: GateKind },
    /// The commit at this position broke it.
    Broken { at: usize },
    /// It fails without the work of any task.
    FailsBefore,
    /// It passes on the tip of the lane.
    PassesOnLane,
}

impl Bisect {
    /// Starts with the position up to which no commit is to blame, if there is one, and the
    /// last position, at which it failed unless that is to be seen.
    pub(super) fn start(innocent: Option<usize>, end: usize, fails_at_end: bool) -> Self {
        Self {
            // What passed at the end before fails there now.
            innocent: innocent.map(|at| at.min(end.saturating_sub(1))),
            red: end,
            end,
            run: match fails_at_end {
                true => Run::None,
                false => Run::Tip,
            },
            runs: 0,
        }
    }

    /// Returns the number of runs that were asked for.
    pub(super) const fn runs(&self) -> u32 {
        self.runs
    }

    /// Returns the position of the run that is under way.
    pub(super) const fn at(&self) -> usize {
        match self.run {
            Run::None | Run::Tip => self.end,
            Run::Base => 0,
            Run::Middle(at) => at,
            Run::Again => self.red,
        }
    }

    /// Returns whether the run under way repeats one on the same tree.
    pub(super) const fn is_again(&self) -> bool {
        matches!(self.run, Run::Again)
    }

    /// Begins the search.
    pub(super) fn begin(&mut self) -> BisectNext {
        match self.run {
            Run::Tip => self.ask(Run::Tip),
            Run::None | Run::Base | Run::Middle(_) | Run::Again => self.search(),
        }
    }

    /// Takes in whether the command passed.
    pub(super) fn on_ran(&mut self, passed: bool) -> BisectNext {
        match (std::mem::replace(&mut self.run, Run::None), passed) {
            (Run::Tip, true) => return BisectNext::PassesOnLane,
            (Run::Base, true) => self.innocent = Some(0),
            (Run::Base, false) => return BisectNext::FailsBefore,
            (Run::Middle(at), true) => self.innocent = Some(at),
            (Run::Middle(at), false) => self.red = at,
            // It failed and passed on one tree, so that nothing is known against it.
            (Run::Again, true) => {
                self.innocent = Some(self.red);
                self.red = self.end;
            }
            (Run::Again, false) => return BisectNext::Broken { at: self.red },
            (Run::Tip, false) | (Run::None, _) => {}
        }
        self.search()
    }

    fn search(&mut self) -> BisectNext {
        let Some(innocent) = self.innocent else {
            return match self.end {
                0 => BisectNext::FailsBefore,
                _ => self.ask(Run::Base),
            };
        };
        match self.red.saturating_sub(innocent) {
            0 | 1 if self.red < self.end => self.ask(Run::Again),
            0 | 1 => BisectNext::Broken { at: self.red },
            between => self.ask(Run::Middle(innocent + between / 2)),
        }
    }

    const fn ask(&mut self, run: Run) -> BisectNext {
        self.run = run;
        self.runs += 1;
        BisectNext::Run {
            at: self.at(),
            kind: match run {
                Run::Base => GateKind::Before,
                Run::Again => GateKind::Fresh,
                Run::None | Run::Tip | Run::Middle(_) => GateKind::Bisect,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Searches with the results of `passes` at each position, and returns the end and the
    /// runs, by what they are for.
    fn search(
        mut bisect: Bisect,
        mut passes: impl FnMut(usize) -> bool,
    ) -> (BisectNext, Vec<(usize, GateKind)>) {
        let mut runs = Vec::new();
        let mut next = bisect.begin();
        while let BisectNext::Run { at, kind } = next {
            assert_eq!(at, bisect.at());
            runs.push((at, kind));
            next = bisect.on_ran(passes(at));
        }
        assert_eq!(bisect.runs() as usize, runs.len());
        (next, runs)
    }

    #[test]
    fn the_search_halves_what_can_be_to_blame_and_looks_twice_at_the_culprit() {
        use GateKind::{Before, Bisect as Middle, Fresh};
        // The first innocent position, the last, the culprit, and the runs.
        for (innocent, end, culprit, runs) in [
            (Some(0), 1, 1, vec![]),
            (Some(1), 2, 2, vec![]),
            (Some(0), 2, 1, vec![(1, Middle), (1, Fresh)]),
            (Some(0), 2, 2, vec![(1, Middle)]),
            (Some(0), 5, 3, vec![(2, Middle), (3, Middle), (3, Fresh)]),
            (Some(0), 5, 5, vec![(2, Middle), (3, Middle), (4, Middle)]),
            (Some(3), 5, 5, vec![(4, Middle)]),
            (None, 2, 2, vec![(0, Before), (1, Middle)]),
            // It passed there before.
            (Some(2), 2, 2, vec![]),
        ] {
            let found = search(Bisect::start(innocent, end, true), |at| at < culprit);
            let broken = BisectNext::Broken { at: culprit };
            assert_eq!(found, (broken, runs), "{innocent:?} {end} {culprit}");
        }
    }

    #[test]
    fn no_task_is_to_blame_for_what_fails_before_or_passes_on_the_lane() {
        let failing = |innocent, end| Bisect::start(innocent, end, true);
        let runs = vec![(0, GateKind::Before)];
        assert_eq!(
            search(failing(None, 3), |_| false),
            (BisectNext::FailsBefore, runs)
        );
        assert_eq!(
            search(failing(None, 0), |_| false),
            (BisectNext::FailsBefore, vec![])
        );
        let elsewhere = Bisect::start(Some(0), 3, false);
        let runs = vec![(3, GateKind::Bisect)];
        assert_eq!(
            search(elsewhere, |_| true),
            (BisectNext::PassesOnLane, runs)
        );
    }

    #[test]
    fn a_commit_at_which_it_fails_and_passes_is_not_to_blame() {
        let mut ran = Vec::new();
        let found = search(Bisect::start(Some(0), 4, true), |at| {
            // It fails once at 2, by chance.
            let passes = at < 4 && (at != 2 || ran.contains(&2));
            ran.push(at);
            passes
        });
        assert_eq!(found.0, BisectNext::Broken { at: 4 });
    }

    proptest! {
        #[test]
        fn the_culprit_is_found_in_the_logarithm_of_the_commits(
            (innocent, end, culprit) in (0usize..40, 1usize..200).prop_flat_map(|(innocent, more)| {
                let end = innocent + more;
                (Just(innocent), Just(end), innocent + 1..=end)
            }),
        ) {
            let (next, runs) = search(Bisect::start(Some(innocent), end, true), |at| at < culprit);
            prop_assert_eq!(next, BisectNext::Broken { at: culprit });
            let searched = runs.iter().filter(|(_, kind)| *kind == GateKind::Bisect).count();
            let most = (end - innocent).next_power_of_two().ilog2() as usize;
            prop_assert!(searched <= most, "{searched} runs for {} commits", end - innocent);
            prop_assert_eq!(runs.len() - searched, usize::from(culprit < end));
        }

        #[test]
        fn whatever_the_runs_show_the_search_ends_with_a_commit_that_may_be_to_blame(
            innocent in prop::option::of(0usize..20),
            end in 1usize..20,
            results in prop::collection::vec(any::<bool>(), 60),
        ) {
            let mut results = results.into_iter();
            let (next, runs) = search(Bisect::start(innocent, end, true), |_| results.next().unwrap());
            match next {
                BisectNext::Broken { at } => prop_assert!((1..=end).contains(&at)),
                other => prop_assert_eq!((other, innocent), (BisectNext::FailsBefore, None)),
            }
            prop_assert!(runs.len() <= 60);
        }
    }
}
