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
        /// Another git process holds a lock.
        TargetBusy => "target_busy",
        /// The target is checked out in another folder.
        TargetElsewhere => "target_elsewhere",
        /// A file that git does not track is where a file of the work goes.
        InTheWay => "in_the_way",
        /// A file of the work has changes that are not committed.
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
