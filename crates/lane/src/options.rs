//! What a user decides about a lane.

use review_types::closed_list;

closed_list! {
    /// What becomes of changes in the user's files that are not committed.
    #[derive(Default)]
    Dirty {
        /// The run is refused.
        #[default]
        Refuse => "refuse",
        /// The lane starts from them.
        Include => "include",
        /// The lane starts without them.
        Ignore => "ignore",
    }
}

closed_list! {
    /// What keeps agents and commands from files outside of their checkouts.
    #[derive(Default)]
    SandboxMode {
        /// The first that works here, else none.
        #[default]
        Auto => "auto",
        /// Bubblewrap.
        Bwrap => "bwrap",
        /// Landlock.
        Landlock => "landlock",
        /// Nothing.
        Off => "off",
        /// The first that works here; without one the run is refused.
        Required => "required",
    }
}

closed_list! {
    /// Where finished work goes.
    #[derive(Default)]
    LandMode {
        /// To the target branch.
        #[default]
        Auto => "auto",
        /// To a branch of its own.
        Branch => "branch",
        /// It stays on the lane.
        Never => "never",
    }
}

closed_list! {
    /// What follows when a change weakens the tests that judge it.
    #[derive(Default)]
    TestsPolicy {
        /// The task is held until a user approves it.
        #[default]
        Hold => "hold",
        /// The change is accepted and flagged.
        Flag => "flag",
    }
}

closed_list! {
    /// Whether changes are reviewed once their commands pass.
    #[derive(Default)]
    ChangeReview {
        /// They are not.
        #[default]
        Off => "off",
        /// A reviewer is asked.
        Ask => "ask",
    }
}

closed_list! {
    /// Who picks the next of several tasks that are ready.
    #[derive(Default)]
    Pick {
        /// The order of their numbers.
        #[default]
        Ralph => "ralph",
        /// The agent that implements them.
        Agent => "agent",
    }
}
