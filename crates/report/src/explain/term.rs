//! Words of reports and messages that are in no closed list.

/// A word, its meaning in one sentence, and more about it.
pub(super) const TERMS: &[(&str, &str, &str)] = &[
    (
        "applier",
        "The agent that works the feedback of a reviewer into the artifact.",
        "`--applier` names it: the embedded one, which makes mechanical fixes only, a program,\n\
         or a client of a language model. It may change the artifact and nothing else.\n",
    ),
    (
        "applying",
        "The applier is working the feedback of a round into the artifact.",
        "What it changes is kept if its call ends well; else it is undone.\n",
    ),
    (
        "artifact",
        "The files that a run is about: a spec with its plan and tasks, or documents.",
        "A verdict counts only for the artifact as it was reviewed.\n",
    ),
    (
        "backpressure",
        "The command in a task's front matter that proves the task done.",
        "It must end with 0, and must run a test if it is a known test runner. It pushes back:\n\
         without its pass a task is not complete, whoever says so. Write one in the task file:\n\
         `backpressure: pytest -q tests/test_store.py`.\n",
    ),
    (
        "blocked",
        "A run is blocked when it ended without a pass and cannot go on without a user.",
        "The code in brackets says why, and `next:` what a user can do. In a task file,\n\
         `status: blocked` is a note of its author and changes nothing.\n",
    ),
    (
        "builtin",
        "The reviewer and the applier that are part of ralph: its rules, without a model.",
        "`ralph lint` shows what the rules find. A pass of theirs says nothing about what no rule\n\
         sees; as an applier they make mechanical fixes only.\n",
    ),
    (
        "bwrap",
        "The sandbox was bubblewrap.",
        "Programs see their own checkout and nothing of others, and what they leave running ends\n\
         with them. See `sandbox`.\n",
    ),
    (
        "cached",
        "The task's command passed earlier on the same files, so it did not run again.",
        "The report then says \"unchanged, recorded earlier\", and JSON `\"cached\": true`. Any\n\
         change to a file of the project runs the command again.\n",
    ),
    (
        "cap",
        "The highest score that the embedded reviewer gives for a criterion.",
        "It is 90 for completeness (`lint.completeness_cap`): rules cannot see what nobody\n\
         wrote. In `deductions` it is the cause of points that no finding cost.\n",
    ),
    (
        "claim",
        "A statement that something is done: `status: complete` in a task, or a spec's review.",
        "A claim proves nothing. `ralph gate` checks each against records, and runs what they\n\
         do not prove.\n",
    ),
    (
        "closed",
        "The check that proved a finding passes now, and the review does not raise it again.",
        "An applier that says that it fixed a proved finding does not close it.\n",
    ),
    (
        "confirmed",
        "The check that a reviewer names as proof of a finding fails, or the rule reports there.",
        "The finding is proved until that check passes or a user waives it. See `proved`.\n",
    ),
    (
        "fact",
        "A finding of the embedded rules that is given to another reviewer.",
        "An error among them overrules a pass of that reviewer.\n",
    ),
    (
        "feedback",
        "What a reviewer asks to change: a section, an issue, a suggestion.",
        "The applier is given it; `ralph findings list` follows it over the rounds.\n",
    ),
    (
        "finding",
        "An issue that a reviewer or a rule raised, followed over all rounds.",
        "`ralph findings list` shows the state of each; `waive` and `uphold` decide on one.\n",
    ),
    (
        "gate",
        "The check that all that claims to be complete is complete.",
        "`ralph gate` is for CI: it changes no file, and its exit code is the answer.\n",
    ),
    (
        "help",
        "The fix of a finding or an error.",
        "It is below what is wrong. `ralph lint --fix` makes the fixes that are safe.\n",
    ),
    (
        "hint",
        "Advice below an error, a warning or a check.",
        "It names what usually helps.\n",
    ),
    (
        "implementer",
        "The agent that writes the code of tasks.",
        "`--implementer` names it: a program, or a client of a language model. It works in a\n\
         checkout of its own; the commands of the tasks decide, whatever it says.\n",
    ),
    (
        "implementing",
        "An agent is working on a task in its checkout.",
        "When it ends, its files are taken and the command of the task runs.\n",
    ),
    (
        "independent",
        "A review is independent if no author of the artifact is a model of the reviewer's family.",
        "Models of one maker err alike. Authors are `review.author`, who wrote it before, and the\n\
         appliers of earlier rounds. The family of a model is that of `[models.NAME] family`, else\n\
         what its name says, else that of its client; where one is unknown, so is this.\n\
         `review.independence = \"require\"` takes no review that is not known to be independent.\n",
    ),
    (
        "inferred",
        "Not reported by the applier, but concluded from what it changed.",
        "Where it changed nothing at the place of an item, the item counts as rejected.\n",
    ),
    (
        "journal",
        "The file in which a run records each step before and after it is carried out.",
        "With it `ralph resume` goes on after a crash, without repeating a recorded step.\n",
    ),
    (
        "kept",
        "Left as it is: a file that `ralph init` found, or a status that a task's file has.",
        "The reason follows it.\n",
    ),
    (
        "lane",
        "The commits of a run whose tasks passed, outside of the project.",
        "They land on the branch of the user together, once the commands of all tasks pass.\n\
         `ralph land RUN` lands them at any time.\n",
    ),
    (
        "landlock",
        "The sandbox was landlock, a part of the Linux kernel.",
        "See `sandbox`.\n",
    ),
    (
        "next",
        "What a user can do now, the best step first.",
        "A line that is a command alone changes something when it is run unchanged; JSON\n\
         has it as `command`.\n",
    ),
    (
        "not_confirmed",
        "The check that a reviewer names as proof of a finding passes, or the rule reports nothing there.",
        "The finding stays as it is without proof. See `unproved`.\n",
    ),
    (
        "note",
        "Something about a finding that is good to know.",
        "It asks for nothing.\n",
    ),
    (
        "off",
        "There was no sandbox, since the user asked for none.",
        "See `sandbox`.\n",
    ),
    (
        "ok",
        "The check of `ralph doctor` found nothing wrong.",
        "A run can be started if no check is an error.\n",
    ),
    (
        "plan",
        "`IMPLEMENTATION_PLAN.md` in the folder of a unit, which lists its tasks.",
        "The tasks themselves are files beside it.\n",
    ),
    (
        "record",
        "The note that a command or a review passed, with the hash of the files it saw.",
        "As long as the hash is the same, it proves the claim; after a change it does not.\n",
    ),
    (
        "removed",
        "The folder of the run was deleted by `ralph clean`.",
        "Its journal and logs are gone; the records of what passed stay.\n",
    ),
    (
        "restored",
        "The artifact of the best round was written back, since a later one was worse.",
        "`review.keep = \"last\"` leaves what the last applier wrote.\n",
    ),
    (
        "resumed",
        "The run goes on after it had ended or was interrupted.",
        "Recorded steps are not repeated.\n",
    ),
    (
        "review",
        "The part of a run in which a reviewer judges the artifact, round by round.",
        "After it the tasks run, if it passed.\n",
    ),
    (
        "reviewed",
        "A recorded pass belongs to the spec and its tasks as they are now.",
        "After a change `ralph status` shows \"not reviewed as it is\".\n",
    ),
    (
        "reviewer",
        "The agent that judges the artifact: verdict, scores, feedback.",
        "`--reviewer` names it: the embedded rules, a program, a client of a language model, or\n\
         a model over HTTP. It may read and change nothing.\n",
    ),
    (
        "round",
        "One review of the artifact, and the work on its feedback; also called iteration.",
        "`--max-iterations` limits how many there are.\n",
    ),
    (
        "running",
        "A process is at work on the run.",
        "`ralph report` shows how far it is. In JSON its outcome is `null`.\n",
    ),
    (
        "sandbox",
        "What keeps agents, and the commands of their checkouts, from other files.",
        "`lane.sandbox` chooses it: bubblewrap (`bwrap`), the kernel's `landlock`, or `off`.\n\
         Other files can be read and not changed, but for caches, the folders of the client and\n\
         `lane.sandbox_write`. `ralph doctor` says what works here.\n",
    ),
    (
        "score",
        "A number from 0 to 100 for each criterion.",
        "Each has a minimum, which `review.criteria` can set. The embedded reviewer computes\n\
         its scores from findings: an error costs most, repeats of one rule cost less and less. `ralph lint`\n\
         and `ralph run -v` show where its points went, JSON reports have them as `deductions`.\n",
    ),
    (
        "spec",
        "The Markdown file in `specs/` that says what is to be built.",
        "`ralph run SPEC` takes its name or path.\n",
    ),
    (
        "task",
        "A file in the folder of a unit: a piece of work, and the command that proves it done.",
        "`depends_on` names the tasks that come first.\n",
    ),
    (
        "unchanged",
        "The task's command passed earlier on the same files, so it did not run again.",
        "See `cached`.\n",
    ),
    (
        "unproved",
        "The check that a reviewer names as proof of a finding passes, or could not be run.",
        "The finding stays as it is without proof. A reviewer names a check in the field `check`\n\
         of an item: a command of `[review.checks]`, the command of a complete task, or a rule.\n\
         No command of an answer is ever run.\n",
    ),
    (
        "unsandboxed",
        "No sandbox works here, so agents could write to files outside of their checkouts.",
        "Install bubblewrap, or use a kernel with landlock. `--sandbox required` refuses to run\n\
         without one.\n",
    ),
    (
        "unit",
        "A spec's folder below `tasks/`: its plan and its tasks.",
        "It belongs to the spec whose name it has (`tasks/search` to `specs/SEARCH.md`), or that\n\
         its plan or tasks name as their parent spec.\n",
    ),
];
