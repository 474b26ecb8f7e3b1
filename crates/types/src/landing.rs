//! How agents work on tasks, and why finished work is not on the target branch.

use crate::closed_list;

closed_list!(
    /// What keeps agents from files outside of their checkouts.
    SandboxKind {
        /// Bubblewrap.
        Bwrap => "bwrap",
        /// Landlock.
        Landlock => "landlock",
        /// Nothing, as the user asked.
        Off => "off",
        /// Nothing, since no sandbox works here.
        Unsandboxed => "unsandboxed",
    }
);

closed_list!(
    /// Why finished work is on the lane and not on the target branch.
    LandCode {
        /// Landing was not asked for.
        Never => "never",
        /// The target moved while the work was being landed.
        TargetMoved => "target_moved",
        /// Git cannot move the branch or write the user's files now.
        TargetBusy => "target_busy",
        /// A file of the user, who did not commit it so, is where a file of the work goes.
        DirtyOverlap => "dirty_overlap",
        /// The work does not fit the target as it is now.
        Conflict => "conflict",
        /// A task broke a command that passed without its change.
        Red => "red",
        /// A command fails on the target, and no task broke it.
        TargetRed => "target_red",
        /// A commit of the work could not be signed.
        SignFailed => "sign_failed",
    }
);

closed_list!(
    /// Why no run starts, or goes on, in which agents implement tasks.
    StartCode {
        /// No git that is new enough is installed.
        NoGit => "no_git",
        /// Git does not trust the repository.
        SourceUnsafe => "source_unsafe",
        /// No branch has a commit to land on.
        NoTarget => "no_target",
        /// A merge, rebase, cherry-pick or revert is not finished.
        Unmerged => "unmerged",
        /// Git does not know the user's name.
        NoIdentity => "no_identity",
        /// Objects of the branch are missing.
        BaseIncomplete => "base_incomplete",
        /// Files have changes that are not committed, or that are too large to be included.
        Dirty => "dirty",
        /// No sandbox works that the user asked for.
        SandboxMissing => "sandbox_missing",
        /// The folder with the work of a run was removed.
        LaneGone => "lane_gone",
    }
);
