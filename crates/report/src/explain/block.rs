//! The block codes.

use review_types::BlockCode;

/// What a code means in one sentence, and what to do about it.
pub(super) const fn explain(code: BlockCode) -> (&'static str, &'static str) {
    match code {
        BlockCode::MaxIterations => (
            "Every allowed round was used and none passed.",
            "Read the feedback of the last round, fix the artifact by hand, or allow more\n\
             rounds: `ralph resume latest --max-iterations 20`.\n",
        ),
        BlockCode::BelowMinimum => (
            "The reviewer says pass, but a score is below its minimum.",
            "This happens with `below_minimum = \"block\"`. With `revise`, the default, the\n\
             missing points become feedback; with `accept` they are ignored.\n",
        ),
        BlockCode::NoChange => (
            "The applier left the artifact as it was.",
            "Another round would say the same. The embedded applier fixes only what can be\n\
             fixed mechanically: edit the artifact by hand, or name an applier with\n\
             `--applier-cmd PROGRAM`; then `ralph resume latest`.\n",
        ),
        BlockCode::Stagnated => (
            "No blocking finding was closed for too many rounds.",
            "Each of the last rounds raised all findings of the previous round again that keep\n\
             the artifact from passing. Further rounds cost and do not help. The artifact of\n\
             the best round is on disk. Read the findings (`ralph findings list`), then edit\n\
             the artifact by hand, waive a finding (`ralph findings waive ID`) or give guidance\n\
             (`ralph guide`), and `ralph resume latest`. `--max-iterations N` or `--set review.patience=N`\n\
             goes on without any of these: N such rounds in a row, 0 for any number.\n",
        ),
        BlockCode::Oscillation => (
            "The artifact or its scores go back and forth.",
            "Two demands of the reviewer contradict each other. Decide which one holds,\n\
             write it into the artifact, and resume the run.\n",
        ),
        BlockCode::Disputed => (
            "Reviewer and applier disagree on a finding.",
            "A user must decide: waive the finding, or fix what it names.\n",
        ),
        BlockCode::NoBlockingFinding => (
            "The reviewer wants a revision but names nothing that blocks.",
            "All that it names is below `review.fail_level`, was waived or is out of scope, also\n\
             when it was asked once more (unless `review.below_fail_level` is `block`). Read its\n\
             last answer: edit the artifact and resume, or approve it as it is with\n\
             `ralph approve RUN --by NAME`. For a new run `review.below_fail_level = \"accept\"`\n\
             makes such a round a pass where all that it names is below the fail level.\n",
        ),
        BlockCode::UnprovedFindings => (
            "Too many rounds brought only new findings that nothing proves.",
            "After the first rounds (`review.free_rounds`) a reviewer may ask for only a few\n\
             revisions (`review.unproved_rounds`) in which every finding that blocks is new and\n\
             no rule, check or user has confirmed one: such a review may never end. The open\n\
             findings are in the report. Decide on each: `ralph findings uphold ID --by NAME\n\
             --why TEXT` makes it count, `ralph findings waive` leaves it out; then\n\
             `ralph resume latest` goes on, with as many such rounds again. Without a decision\n\
             `ralph resume latest --max-iterations N` goes on.\n",
        ),
        BlockCode::Escalated => (
            "The reviewer handed the decision to a user.",
            "Read its last answer and decide.\n",
        ),
        BlockCode::TaskFailed => (
            "A task's backpressure command failed.",
            "The report shows the end of its output and names the log with all of it.\n\
             Fix what it checks, then `ralph resume latest`: tasks with a passing record\n\
             of the same tree are not run again.\n",
        ),
        BlockCode::TestsChanged => (
            "An agent removed, skipped or weakened tests that exist.",
            "The task is `held`, and nothing of that change is on the lane or the target branch.\n\
             Other tasks went on. Read the change and accept it with `ralph approve latest --task\n\
             ID --by NAME --why TEXT`; or correct the task file, then `ralph resume latest` gives\n\
             the task new attempts.\n",
        ),
        BlockCode::NotLanded => (
            "Finished work of agents is not on the target branch.",
            "It is on the lane, where nothing is lost. The report names the reason as a code, such\n\
             as `dirty_overlap`. Remove the reason, then `ralph resume latest` tries again.\n",
        ),
        BlockCode::LeakMain => (
            "An agent wrote files of its checkout to the user's checkout as well.",
            "No sandbox kept it from that. All agents were stopped, and nothing was undone: look\n\
             at the files that the report names, undo what is not wanted, then\n\
             `ralph resume latest`. `ralph doctor` says which sandbox works here.\n",
        ),
        BlockCode::DiskFloor => (
            "Less space is free than `lane.disk_floor` where the checkouts of agents are.",
            "No checkout or command was started any more. Finished work is on the lane. Free some\n\
             space, such as with `ralph clean`, then `ralph resume latest`.\n",
        ),
        BlockCode::Malformed => (
            "The reviewer's answers stayed malformed.",
            "No verdict could be read, also after asking again. `ralph verdict --explain`\n\
             shows why an answer cannot be read; `review.retry_on_malformed` allows more\n\
             tries.\n",
        ),
        BlockCode::Unread => (
            "No reviewer is known to have received the text that it judged.",
            "It was asked again, and so were the other reviewers of the chain; no answer counts, a\n\
             pass or not. The report says what shows it: how much of its prompt the reviewer read,\n\
             how many tokens its service counted, or that it does not see the mark at the end of\n\
             the prompt, or how much it opened of the files that the prompt names. Where the prompt\n\
             was cut, the model's context is often too small: give it a larger one (Ollama:\n\
             `num_ctx`), or review fewer files at once. Then `ralph resume latest` asks again. With\n\
             `review.reading = \"require\"` a review does not count either where nothing shows that\n\
             the text arrived: no `end_id`, no count of tokens, and no right answers to the questions\n\
             about it. `ralph resume latest --reading ask` counts it.\n",
        ),
        BlockCode::ReviewerFailed => (
            "The reviewer could not be asked.",
            "The report names how the call ended; `ralph explain` knows the word. Fix the\n\
             cause, then `ralph resume latest`.\n",
        ),
        BlockCode::Offline => (
            "The model's service of the reviewer or applier could not be reached.",
            "No other reviewer of the chain gave an answer either. Look at the network, the proxy\n\
             (`HTTPS_PROXY`) and the address of the service, then `ralph resume latest`.\n\
             `agent.connect_timeout` is how long an agent may only wait for the network. A chain\n\
             that ends with `builtin` or a program of your own goes on offline.\n",
        ),
        BlockCode::ApplierFailed => (
            "The applier could not be run to its end, or its edits did not fit.",
            "What it had changed was undone and kept aside: the report names each file with\n\
             the place of its content in the state folder, and how the call ended. Fix the\n\
             cause, then `ralph resume latest`.\n",
        ),
        BlockCode::OutOfScopeChange => (
            "The applier changed files that are not the artifact's.",
            "The report lists those that were restored, and those that were left as they are:\n\
             another program changed them at the same time, they are links, or there was no\n\
             room to keep what they held (64 MiB). An applier may change the files under\n\
             review and nothing else, unless `agent.apply_scope` is `root`.\n",
        ),
        BlockCode::NothingChecked => (
            "No rule of the embedded reviewer had anything to look at.",
            "Without anything to look at there is no verdict. The embedded reviewer needs a\n\
             Markdown file or a unit with task files; for anything else name a reviewer\n\
             with `--reviewer-cmd PROGRAM`.\n",
        ),
        BlockCode::RunTime => (
            "The run's time is used up.",
            "Go on with more: `ralph resume latest --max-time 4h`.\n",
        ),
        BlockCode::Cost => (
            "The run's money is used up.",
            "Raise the limit and resume the run.\n",
        ),
        BlockCode::Tokens => (
            "The run's tokens are used up.",
            "Raise the limit and resume the run.\n",
        ),
        BlockCode::Calls => (
            "The run's calls are used up.",
            "Go on with more: `ralph resume latest --max-calls 20`.\n",
        ),
        BlockCode::RateLimited => (
            "The agent's rate limit lasts longer than the run may wait.",
            "Wait for it to end, then `ralph resume latest`.\n",
        ),
        BlockCode::ArtifactChanged => (
            "Another program changed the artifact during the run.",
            "Nothing was overwritten, and the verdict counts for nothing, since it is about\n\
             an artifact that no longer exists. Start a new run.\n",
        ),
    }
}
