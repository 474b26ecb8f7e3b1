//! The state of a task after its turn.

use review_events::TaskState;

/// All states.
pub(super) const STATES: [TaskState; 12] = [
    TaskState::Passed,
    TaskState::OnLane,
    TaskState::Landed,
    TaskState::Parked,
    TaskState::Held,
    TaskState::Failed,
    TaskState::TimedOut,
    TaskState::NoTests,
    TaskState::TestsMissing,
    TaskState::NoCommand,
    TaskState::Skipped,
    TaskState::NotRun,
];

/// What a state means in one sentence, and more about it.
pub(super) const fn explain(state: TaskState) -> (&'static str, &'static str) {
    match state {
        TaskState::Passed => (
            "The task's command passed.",
            "It ended with 0, and if it is a known test runner, at least one test ran. Where that\n\
             names its tests, those of the task's Must Pass table ran and passed; where it does\n\
             not, the report says why that is not known.\n",
        ),
        TaskState::OnLane => (
            "An agent's work on the task passed and is not on the target branch yet.",
            "It is a commit on the lane, which the run keeps outside your checkout. Tasks that\n\
             depend on it may start from there. The report says why it is not landed.\n",
        ),
        TaskState::Landed => (
            "An agent's work on the task passed and is on the target branch.",
            "The commands of all tasks passed together on the commit that was landed.\n",
        ),
        TaskState::Parked => (
            "No attempt of an agent at the task was accepted, and there are no further ones.",
            "The report lists each attempt with its reason. The last one is kept: the next\n\
             attempt starts from it. Make the task file clearer or answer the question in it,\n\
             then `ralph resume latest` gives the task new attempts.\n",
        ),
        TaskState::Held => (
            "A user has to decide on the change of an agent: it weakens tests, or resolves a conflict its own way.",
            "Nothing of the change is on the lane. Read it, and accept it with `ralph approve latest\n\
             --task ID --by NAME --why TEXT`, or let the agent try again with `ralph resume\n\
             latest`. `may_change` in the file of a task opens tests that it is to change.\n",
        ),
        TaskState::Failed => (
            "The task's command ended with a failure, or the artifact changed while it ran.",
            "The report shows the end of its output and names the log with all of it.\n",
        ),
        TaskState::TimedOut => (
            "The task's command ran out of time.",
            "The limit is 10 minutes, `task.timeout` in the configuration, or `timeout:` in the\n\
             task's front matter. The command and all it had started were ended.\n",
        ),
        TaskState::NoTests => (
            "The task's command passed and ran no test at all.",
            "A filter that matches nothing passes in every test runner, and proves nothing.\n\
             Make the filter match, or name the test that is to be written.\n",
        ),
        TaskState::TestsMissing => (
            "The task's command passed, and a test of its Must Pass table did not run and pass.",
            "The test runner named every test that passed, and this one was not among them: it\n\
             failed, was skipped, or did not run at all. Write the test or widen the filter of the\n\
             command; if the name in the table is wrong, correct it. `store::keeps` is also found\n\
             as the end of a longer name, and `test_keeps` with all its parameters.\n",
        ),
        TaskState::NoCommand => (
            "The task has no command.",
            "Without `backpressure:` in its front matter nothing can show that a task is done.\n",
        ),
        TaskState::Skipped => (
            "Something that the task depends on did not pass.",
            "It has its turn once that passes.\n",
        ),
        TaskState::NotRun => (
            "The run ended before the task's turn.",
            "`ralph resume latest` goes on with it.\n",
        ),
    }
}
