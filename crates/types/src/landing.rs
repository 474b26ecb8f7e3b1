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
        /// Another git process holds a lock, or a merge or rebase is not finished.
        TargetBusy => "target_busy",
        /// The target is checked out in another folder.
        TargetElsewhere => "target_elsewhere",
        /// A file that git does not track is where a file of the work goes.
        InTheWay => "in_the_way",
        /// Git may not write the user's files or repository, or has no space for it.
        TargetReadonly => "target_readonly",
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

closed_list!(
    /// Why no run starts, or goes on, in which agents implement tasks.
    StartCode {
        /// There is no git.
        NoGit => "no_git",
        /// Git is too old.
        GitTooOld => "git_too_old",
        /// The project is in no git work tree, and a branch is asked for.
        NoRepository => "no_repository",
        /// Git does not trust the repository.
        SourceUnsafe => "source_unsafe",
        /// No branch is checked out and none was named.
        NoTarget => "no_target",
        /// The branch has no commit.
        NoBaseCommit => "no_base_commit",
        /// A merge, rebase, cherry-pick or revert is not finished.
        Unmerged => "unmerged",
        /// Git does not know the user's name.
        NoIdentity => "no_identity",
        /// Objects of the branch are missing.
        BaseIncomplete => "base_incomplete",
        /// Files have changes that are not committed.
        Dirty => "dirty",
        /// Changes that are not committed are too large to be included.
        DirtyTooLarge => "dirty_too_large",
        /// No sandbox works that the user asked for.
        SandboxMissing => "sandbox_missing",
        /// The folder with the work of a run was removed.
        LaneGone => "lane_gone",
    }
);
