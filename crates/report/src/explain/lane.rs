//! Why attempts of agents were not accepted, and why their work is not landed.

use review_events::{AttemptCode, ChangeFlag};
use review_types::{LandCode, StartCode};

/// What the code of an attempt means in one sentence, and more about it.
pub(super) const fn attempt(code: AttemptCode) -> (&'static str, &'static str) {
    match code {
        AttemptCode::GateRed => (
            "The command of the task failed on the merged tree.",
            "It failed twice. The agent gets the end of its output for the next attempt.\n",
        ),
        AttemptCode::GateTimeout => (
            "The command of the task ran out of time on the merged tree.",
            "`task.timeout`, or `timeout:` in the front matter of the task, is the limit.\n",
        ),
        AttemptCode::NoTests => (
            "The command of the task passed on the merged tree and ran no test at all.",
            "The agent has yet to write the tests that the command selects.\n",
        ),
        AttemptCode::TestsMissing => (
            "A test of the task's Must Pass table did not run and pass on the merged tree.",
            "The agent gets a list of these tests.\n",
        ),
        AttemptCode::NoChange => (
            "The agent changed no file.",
            "That is accepted only if the agent says that the task needs no change and its\n\
             command passed before.\n",
        ),
        AttemptCode::NestedRepository => (
            "The agent made a git repository in the checkout.",
            "Its files would not be part of the commit.\n",
        ),
        AttemptCode::SubmoduleChanged => (
            "The agent changed a submodule, or files in its folder.",
            "Its commits, and files in the folder of a submodule that is not fetched, would \
             not exist outside the checkout. A change of `.gitmodules` is refused as well.\n",
        ),
        AttemptCode::EscapingLink => (
            "A symbolic link of the change leads out of the checkout.",
            "It would mean another file in every other checkout.\n",
        ),
        AttemptCode::UnreadableFile => (
            "A file of the change cannot be read.",
            "It could not become part of the commit.\n",
        ),
        AttemptCode::TooLarge => (
            "A file of the change is too large.",
            "The limit is 100 MiB.\n",
        ),
        AttemptCode::AgentFailed => (
            "The agent failed while it worked, or its call exceeded a limit.",
            "The edits of a model over HTTP that do not fit count, too. The next attempt goes\n\
             on with what it had changed.\n",
        ),
        AttemptCode::AgentUnavailable => (
            "The agent could not be called.",
            "It was called again where that can help, up to twice. The attempt counts for\n\
             nothing, and what the agent had changed is kept. If it would fail for any other\n\
             task as well, it is called for none, and they are not run. `ralph resume latest`\n\
             goes on once it can be called.\n",
        ),
        AttemptCode::Question => (
            "The agent asked a question.",
            "Answer it in the file of the task, then `ralph resume latest`.\n",
        ),
        AttemptCode::SetupFailed => (
            "The commands that prepare a checkout failed.",
            "They failed three times. Run them in a new clone to see why.\n",
        ),
        AttemptCode::TextConflict => (
            "The change conflicts with the work of another task in the same lines.",
            "The next attempt starts from the newest tree, with both sides marked.\n",
        ),
        AttemptCode::SemanticConflict => (
            "The task broke a command that passed without it, or its own fails beside other tasks.",
            "The reason names the command. Where a command fails with the work of all tasks, the\n\
             task that broke it is found by running it on commits of the lane. The next attempt\n\
             starts from the newest tree.\n",
        ),
        AttemptCode::TamperTest => (
            "The command fails once the tests that the agent changed are as they were.",
            "The task is `held`. Read the change, and accept it with `ralph approve --task`, or let the\n\
             agent try again with `ralph resume`.\n",
        ),
        AttemptCode::TestsGone => (
            "Tests that the command ran before the change are gone, or have another name.",
            "The task is `held`, even where the tests were in the file of the code. Read the\n\
             change and decide; `lane.tests_changed = \"allow\"` accepts such changes.\n",
        ),
        AttemptCode::TestsSkipped => (
            "Tests that the command ran before the change are skipped.",
            "The task is `held`. Read the change and decide; `lane.tests_changed = \"allow\"`\n\
             accepts such changes.\n",
        ),
        AttemptCode::GateNotRed => (
            "Tests that the change adds pass without the change.",
            "So they do not prove it. The task is `held`, since `task.revert_check` is `require`.\n",
        ),
        AttemptCode::BaselineRed => (
            "The listed tests pass, and only tests fail that failed before any work.",
            "The task is parked without another attempt. Fix these tests first, have the command\n\
             run the tests of the task only, or accept it with `lane.inherited = \"allow\"`.\n",
        ),
        AttemptCode::ChangeRejected => (
            "The review of the change asks for a revision.",
            "The feedback goes to the agent, whose next attempt is the next round of the review.\n\
             `ralph report` shows it; `task.review = \"off\"` accepts what the command passes.\n",
        ),
        AttemptCode::ReviewBlocked => (
            "The review of the change ended without a pass, and another round would not help.",
            "The task is parked. The code in parentheses says why. Read the feedback in the report,\n\
             make the task or the spec clearer, then `ralph resume`.\n",
        ),
        AttemptCode::ReviewFailed => (
            "No reviewer gave an answer about the change that counts.",
            "The task is parked; the code in parentheses says why. `ralph resume` has the same change\n\
             reviewed again, without another call of the agent.\n",
        ),
        AttemptCode::DroppedName => (
            "A definition or a test of one side is not in the resolution of a conflict.",
            "The agent gets a list of the missing ones, and tries again.\n",
        ),
        AttemptCode::DroppedLine => (
            "A line that one side added is not in the resolution of a conflict.",
            "The task is `held`. A line counts as there if all of its words are in one new line.\n",
        ),
        AttemptCode::UndoneDeletion => (
            "A line that one side deleted is in the resolution of a conflict.",
            "The task is `held`. Read the change and decide.\n",
        ),
        AttemptCode::SameName => (
            "Both sides of a conflict added a definition of one name, with other bodies.",
            "The task is `held`: one of them is lost or renamed. Read the change and decide.\n",
        ),
        AttemptCode::ForeignText => (
            "The resolution of a conflict has words that no side has.",
            "The task is `held`. Read the change and decide.\n",
        ),
        AttemptCode::Outside => (
            "The resolution of a conflict changes a file that has no conflict.",
            "The task is `held`. Read the change and decide.\n",
        ),
    }
}

/// What the flag of an accepted change means in one sentence, and more about it.
pub(super) const fn flag(flag: ChangeFlag) -> (&'static str, &'static str) {
    match flag {
        ChangeFlag::FlakyPass => (
            "The command failed once and passed when it ran again on the same tree.",
            "Nothing is known about why.\n",
        ),
        ChangeFlag::GreenBefore => (
            "The command of the task passed before the agent worked.",
            "So it does not prove the change.\n",
        ),
        ChangeFlag::TamperConfig => (
            "The agent changed files that decide whether a task is done; they were restored.",
            "These are the spec, the plan and the tasks, `ralph.toml`, the configuration of CI and\n\
             of test runners, and scripts that the command runs.\n",
        ),
        ChangeFlag::CheckoutChanged => (
            "While the agent worked without a sandbox, the user's files or repository changed.",
            "The user may have been at work there; nothing was undone. What has the content of a\n\
             file that the agent changed is `leak_main` instead.\n",
        ),
        ChangeFlag::LeftRunning => (
            "The agent left processes running, such as a server.",
            "They were ended with its call, also those that left its session. In bubblewrap they\n\
             end unseen, and no flag says so. With several commands at a time only those of the\n\
             agent's own group of processes are known to be its.\n",
        ),
        ChangeFlag::Crowded => (
            "Agents worked at other tasks while the command failed, before it passed.",
            "They may have had a port, a database or the processor that it needs. See\n\
             `flaky_pass`; the guide names the variables that keep tasks apart.\n",
        ),
        ChangeFlag::TestsChanged => (
            "The change removes, skips or changes tests that exist.",
            "It was accepted by a user, or since `lane.tests_changed` is `allow`.\n",
        ),
        ChangeFlag::GateNotRed => (
            "Tests that the change adds pass without the change.",
            "So they do not prove it. `task.revert_check = \"require\"` holds such a task.\n",
        ),
        ChangeFlag::BaselineRed => (
            "The command fails in tests that failed before any work, and in no other.",
            "It was accepted since `lane.inherited` is `allow`; no record says that it passed.\n",
        ),
    }
}

/// What the code of a landing means in one sentence, and more about it.
pub(super) const fn landing(code: LandCode) -> (&'static str, &'static str) {
    match code {
        LandCode::Never => ("Landing was not asked for.", "The work is on the lane.\n"),
        LandCode::TargetMoved => (
            "The target branch moved while the work was being landed.",
            "It was tried four times, each time with all commands.\n",
        ),
        LandCode::TargetBusy => (
            "Another git process holds a lock of the repository.",
            "Wait until it ends, or remove the lock of a process that died.\n",
        ),
        LandCode::TargetReadonly => (
            "Git may not write the user's files or repository.",
            "Nothing was changed. Give the user of the run the right to write what the report\n\
             names, then `ralph land latest`.\n",
        ),
        LandCode::TargetElsewhere => (
            "The target branch is checked out in another folder.",
            "Switch that folder to another branch.\n",
        ),
        LandCode::InTheWay => (
            "A file that git does not track is where a file of the work goes.",
            "Move or remove the file that the report names.\n",
        ),
        LandCode::DirtyOverlap => (
            "A file of the work has changes that are not committed.",
            "Commit or stash the changes of the files that the report names.\n",
        ),
        LandCode::Conflict => (
            "The work does not fit the target branch as it is now.",
            "Both changed the same lines of the files that the report names.\n",
        ),
        LandCode::Red => (
            "A task broke a command that passed without its change.",
            "It went back to its agent as often as `task.returns` allows; the report names the\n\
             task and the command.\n",
        ),
        LandCode::TargetRed => (
            "A command of a task, or that of `lane.check`, fails, and no task broke it.",
            "It fails without the work of any task, or with what the target branch got since the\n\
             run started. Make it pass on the target, then `ralph land` lands the work.\n",
        ),
        LandCode::SignFailed => (
            "A commit of the work could not be signed.",
            "`commit.gpgSign` is set, so the commits that land are signed as yours are. Make\n\
             `git commit -S` work without a question, then `ralph land latest`. A run with\n\
             `lane.sign = \"never\"` lands commits without signatures.\n",
        ),
    }
}

/// What the code of a run that did not start means in one sentence, and more about it.
pub(super) const fn start(code: StartCode) -> (&'static str, &'static str) {
    match code {
        StartCode::NoGit => (
            "Git was not found.",
            "Agents implement tasks in checkouts that git makes, also where the project has no\n\
             repository. Install git 2.34 or newer, or run without `--implementer`.\n",
        ),
        StartCode::GitTooOld => (
            "Git is older than 2.34.",
            "Install a newer one. Before 2.38 files are merged one by one.\n",
        ),
        StartCode::NoRepository => (
            "A branch is asked for, and the project is in no git work tree.",
            "Without `--target`, `--land branch` and `--branch` finished work is written to the\n\
             files of the project.\n",
        ),
        StartCode::SourceUnsafe => (
            "Git refuses the repository, since it belongs to another user.",
            "The message is git's own, with the command that makes an exception.\n",
        ),
        StartCode::NoTarget => (
            "No branch is checked out, so finished work has no target.",
            "Switch to a branch, or name one with `--target`.\n",
        ),
        StartCode::NoBaseCommit => (
            "The branch that is named has no commit to start from.",
            "Commit the project first.\n",
        ),
        StartCode::Unmerged => (
            "A merge, rebase, cherry-pick or revert is not finished.",
            "Finish or abort it: there is no state of the files that agents could start from.\n",
        ),
        StartCode::NoIdentity => (
            "Git does not know who commits.",
            "Set `user.name` and `user.email` with `git config`: they are the author of what\n\
             lands.\n",
        ),
        StartCode::BaseIncomplete => (
            "The repository is a partial clone and lacks objects of the branch.",
            "`git fetch --refetch --no-filter` brings them: checkouts have all files of the\n\
             branch.\n",
        ),
        StartCode::Dirty => (
            "Files of the project have changes that are not committed.",
            "Commit or stash them, or choose: `--dirty include` has agents work on them,\n\
             `--dirty ignore` hides them. The spec, the plan and the tasks may have changes.\n",
        ),
        StartCode::DirtyTooLarge => (
            "A file that is not committed is too large for `--dirty include`.",
            "The limit is 100 MiB. Commit it, have git ignore it, or choose `--dirty ignore`.\n",
        ),
        StartCode::SandboxMissing => (
            "No sandbox works that `lane.sandbox` asks for.",
            "`ralph doctor` says which one works here. Install bubblewrap, or choose `auto`.\n",
        ),
        StartCode::LaneGone => (
            "The folder with the checkouts and the commits of the run was removed.",
            "What has landed is safe. A new run implements the tasks that are not complete.\n",
        ),
    }
}
