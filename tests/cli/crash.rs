//! A killed run and its resume end as an undisturbed run does.

use std::fs;
use std::path::Path;
use std::process::Command;

use review_store::StateDir;
use review_types::RunId;
use serde_json::Value;

use crate::fifo::Fifo;
use crate::scripted::{Scripted, fixing, judging, once, timeless};
use crate::support::{Ran, tries_every_case};

const KILL: &str = "kill -9 $PPID";

const CALLS: [&str; 7] = [
    "review 1", "apply 1", "review 2", "apply 2", "review 3", "task 1", "task 2",
];

/// What is left at the end of a run.
#[derive(Debug, PartialEq)]
struct End {
    report: Value,
    artifact: Vec<(String, String)>,
}

/// The end that a command shows with `--format json`.
fn shown(project: &Scripted, ran: Ran) -> End {
    End {
        report: timeless(ran.exits(0).json()),
        artifact: project.artifact(),
    }
}

fn end_of(project: &Scripted) -> End {
    let report = ["report", "latest", "--format", "json"];
    shown(project, project.environment.ralph(report))
}

fn undisturbed() -> End {
    let project = Scripted::working();
    project.run(&[]).run().exits(0);
    assert_eq!(project.calls(), CALLS);
    let end = end_of(&project);
    assert_eq!(end.report["outcome"], "passed");
    assert_eq!(end.report["iterations"].as_array().unwrap().len(), 3);
    assert_eq!(
        project.environment.read("specs/DEMO.md"),
        "# Demo\n\n## Goal\n\nA demo.\nfixed 1\nfixed 2\n"
    );
    end
}

/// The calls of a run whose call `at` was cut off and made again.
fn calls_with_again(at: usize) -> Vec<&'static str> {
    let mut calls = CALLS.to_vec();
    calls.insert(at, CALLS[at]);
    calls
}

fn only_in_call(iteration: usize, script: &str) -> String {
    format!(
        "if [ $RALPH_ITERATION = {iteration} ]; then {}; fi",
        once(script)
    )
}

#[test]
fn a_journal_that_is_damaged_is_named_and_not_gone_on_with() {
    let project = Scripted::working();
    project.run(&[]).run().exits(0);
    let journal = project.journal();
    let whole = fs::read_to_string(&journal).unwrap();
    let folder = journal.parent().unwrap().to_str().unwrap();
    let folder = folder.replace(project.environment.root().to_str().unwrap(), "[ROOT]");
    let lines: Vec<&str> = whole.lines().collect();
    let garbled = whole.replacen(lines[2], "garbled", 1);
    let other = whole.replace("review-1.1", "review-7.1");
    for (text, message) in [
        (garbled, "journal line 3: "),
        (other, "expected step review/review-1.1, found"),
        (
            String::new(),
            "the journal does not start with a run record",
        ),
    ] {
        fs::write(&journal, text).unwrap();
        for command in ["report", "resume"] {
            let ran = project.environment.ralph([command, "latest"]).exits(2);
            assert!(ran.stderr.contains(message), "{ran:#?}");
            let hint = format!("hint: the journal is in {folder}; `ralph run` starts a new run\n");
            assert!(ran.stderr.ends_with(&hint), "{ran:#?}");
            assert!(!ran.stderr.contains("go on with"), "{ran:#?}");
        }
    }
}

#[test]
fn a_kill_during_a_review_asks_that_review_alone_again() {
    let end = undisturbed();
    for round in 1..=3 {
        let project = Scripted::working();
        let kill = only_in_call(round, KILL);
        project.reviewer(&judging(&kill));
        project.run(&[]).run().exits(137);
        let report = ["report", "latest", "--format", "json"];
        let cut_off = project.environment.ralph(report).exits(0).json();
        assert_eq!(cut_off["block_reason"], "it was cut off");
        project.resume(&[]).run().exits(0);
        assert_eq!(project.calls(), calls_with_again((round - 1) * 2));
        assert_eq!(end_of(&project), end, "round {round}");
    }
}

#[test]
fn the_replay_of_a_killed_run_holds_its_own_events_alone() {
    let project = Scripted::new(&["true"]);
    project.reviewer(KILL);
    project.run(&[]).run().exits(137);
    let folder = project.journal();
    let folder = folder.parent().unwrap();
    let state = StateDir::open(&project.environment.root().join(".ralph-review")).unwrap();
    let run = RunId::new(folder.file_name().unwrap().to_str().unwrap()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let replayed = runtime
        .block_on(review_engine::replay(&state.run(&run)))
        .unwrap();
    let types = replayed.events.iter();
    let types: Vec<_> = types
        .map(|event| event.event.event_type().as_str())
        .collect();
    let expected = ["run.started", "spec.review.started", "step.started"];
    assert_eq!(types, expected);
}

#[test]
fn a_kill_during_an_apply_undoes_its_edit_and_applies_again() {
    let end = undisturbed();
    for round in 1..=2 {
        for is_before in [true, false] {
            let project = Scripted::working();
            let kill = only_in_call(round, &format!("{KILL}; exit"));
            let fixing = match is_before {
                true => fixing(&kill, ""),
                false => fixing("", &kill),
            };
            project.applier(&fixing);
            project.run(&[]).run().exits(137);
            project.resume(&[]).run().exits(0);
            assert_eq!(project.calls(), calls_with_again(round * 2 - 1));
            assert_eq!(end_of(&project), end, "round {round}, before {is_before}");
            assert_eq!(undone(&project), left_by(round, is_before));
        }
    }
}

/// The undone rounds in the report, with the contents that are kept.
fn undone(project: &Scripted) -> Vec<(usize, String)> {
    let report = ["report", "latest", "--format", "json"];
    let report = project.environment.ralph(report).exits(0).json();
    let undone = report["undone"].as_array().map_or(&[][..], Vec::as_slice);
    let kept = undone.iter().map(|undone| {
        let files = undone["files"].as_array().unwrap();
        assert_eq!(files.len(), 1);
        assert_eq!(files[0]["path"], "specs/DEMO.md");
        let hash = files[0]["text"].as_str().unwrap();
        let blob = format!("blobs/{hash}");
        let shown = project.environment.ralph(["report", "latest"]).exits(0);
        assert!(shown.stdout.contains(&blob), "{shown:#?}");
        let state = project.environment.root().join(".ralph-review");
        let text = fs::read_to_string(state.join(blob)).unwrap();
        let round = usize::try_from(undone["iteration"].as_u64().unwrap()).unwrap();
        (round, text)
    });
    kept.collect()
}

/// What is undone of an applier that was killed before or after its edit.
fn left_by(round: usize, is_before: bool) -> Vec<(usize, String)> {
    if is_before {
        return Vec::new();
    }
    let lines = (1..=round).map(|round| format!("fixed {round}\n"));
    let text = format!(
        "# Demo\n\n## Goal\n\nA demo.\n{}",
        lines.collect::<String>()
    );
    vec![(round, text)]
}

#[test]
fn what_a_person_wrote_before_a_resume_is_kept_though_the_resume_is_killed_too() {
    let project = Scripted::working();
    let kill = only_in_call(1, &format!("{KILL}; exit"));
    project.applier(&fixing("", &kill));
    project.run(&[]).run().exits(137);
    let spec = project.environment.root().join("specs/DEMO.md");
    let work = "# Demo\n\nAn hour of work.\n";
    fs::write(&spec, work).unwrap();
    fs::remove_file(project.outside("mark")).unwrap();
    project.applier(&fixing(&kill, ""));
    project.resume(&[]).run().exits(137);
    assert_ne!(fs::read_to_string(&spec).unwrap(), work);
    project.applier(&fixing("", ""));
    project.resume(&[]).run().exits(0);
    assert_eq!(undone(&project), [(1, work.to_owned())]);
}

#[test]
fn a_kill_during_a_task_runs_that_task_alone_again() {
    let end = undisturbed();
    for number in [1, 2] {
        let project = Scripted::working();
        let hook = project.outside(&format!("task-{number}"));
        fs::write(hook, once(KILL)).unwrap();
        project.run(&[]).run().exits(137);
        project.resume(&[]).run().exits(0);
        assert_eq!(project.calls(), calls_with_again(4 + number));
        assert_eq!(end_of(&project), end, "task {number}");
    }
}

/// A script that keeps the project and its state as they are at this call.
const KEEP: &str = "n=$(wc -l < \"$HOME/calls\"); cp -a \"$PWD\" \"$HOME/kept-$n\"";

/// The places to cut the last write of a journal at: inside its first line, or inside each
/// of them and before its line end. They are after the last start but one.
fn cuts(journal: &[u8]) -> Vec<usize> {
    let mut lines: Vec<(usize, usize)> = Vec::new();
    for line in journal.split_inclusive(|byte| *byte == b'\n') {
        let start = lines.last().map_or(0, |(_, end)| *end);
        lines.push((start, start + line.len()));
    }
    let is_start = |(start, end): &(usize, usize)| {
        let record: Value = serde_json::from_slice(&journal[*start..*end]).unwrap();
        record.get("start").is_some()
    };
    let last = lines.len() - 1;
    assert!(is_start(&lines[last]));
    let before = lines[..last].iter().rposition(is_start).unwrap_or(0);
    let written = &lines[before + 1..];
    let inside = written
        .iter()
        .map(|(start, end)| usize::midpoint(*start, *end));
    let mut all: Vec<usize> = inside.chain([journal.len() - 1]).collect();
    if !tries_every_case() {
        all.truncate(1);
    }
    all
}

fn put_back(project: &Scripted, kept: &Path) {
    let root = project.environment.root();
    fs::remove_dir_all(&root).unwrap();
    let copied = Command::new("cp").arg("-a").args([kept, &root]).status();
    assert!(copied.unwrap().success());
}

#[test]
fn a_torn_journal_comes_to_the_same_end() {
    let end = undisturbed();
    let mut shown_by_resume = end.report.clone();
    shown_by_resume.as_object_mut().unwrap().remove("feedback");
    let project = Scripted::working();
    project.reviewer(&judging(KEEP));
    project.applier(&fixing(KEEP, ""));
    for number in [1, 2] {
        fs::write(project.outside(&format!("task-{number}")), KEEP).unwrap();
    }
    project.run(&[]).run().exits(0);
    for (at, call) in CALLS.iter().enumerate() {
        let kept = project.outside(&format!("kept-{}", at + 1));
        put_back(&project, &kept);
        let journal = fs::read(project.journal()).unwrap();
        for cut in cuts(&journal) {
            put_back(&project, &kept);
            project.forget_calls();
            fs::write(project.journal(), &journal[..cut]).unwrap();
            let ran = project.resume(&["--format", "json"]).run().exits(0);
            let resumed = timeless(ran.json());
            assert_eq!(resumed, shown_by_resume, "{call}, cut at {cut}");
            assert_eq!(end_of(&project), end, "{call}, cut at {cut}");
            let calls = project.calls();
            assert!(CALLS.ends_with(&calls.iter().map(String::as_str).collect::<Vec<_>>()));
            let known = CALLS.len() - calls.len();
            assert!(
                known == at || known + 1 == at,
                "{call}, cut at {cut}: {calls:?}"
            );
        }
    }
}

#[test]
fn a_journal_that_was_cut_in_its_first_record_says_so() {
    let project = Scripted::working();
    project.reviewer(&judging(&once(KILL)));
    project.run(&[]).run().exits(137);
    let journal = fs::read(project.journal()).unwrap();
    fs::write(project.journal(), &journal[..100]).unwrap();
    let ran = project.resume(&[]).run().exits(2);
    let told =
        "error: the journal does not start with a run record; nothing was recorded\n  hint: ";
    assert!(ran.stderr.starts_with(told), "{ran:#?}");
}

#[test]
fn a_cut_off_run_says_that_a_new_limit_does_not_hold_in_it() {
    let project = Scripted::working();
    project.reviewer(&judging(&only_in_call(1, KILL)));
    project.run(&[]).run().exits(137);
    let limits = ["--max-calls", "90", "--max-time", "1h"];
    let ran = project.resume(&limits).run().exits(0);
    let warning = "goes on as it began; set run.max_calls when it has ended\n";
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
}

#[test]
fn a_program_that_a_killed_run_left_behind_is_ended_by_its_resume() {
    let project = Scripted::working();
    let events = Fifo::new(&project);
    project.reviewer(&judging(&once(&format!(
        "exec 3> {events}; {KILL}; tail -f /dev/null"
    ))));
    let run = project.run(&[]).into_std().spawn().unwrap();
    let mut left = events.open();
    assert_eq!(
        Ran::new(&project.environment, run.wait_with_output().unwrap()).code,
        137
    );
    project.resume(&[]).run().exits(0);
    assert_eq!(
        left.rest(),
        "",
        "the pipe ends with the last program that holds it"
    );
}

#[test]
fn what_stands_in_the_place_of_the_spec_is_named_and_once_removed_the_spec_is_put_back() {
    let end = undisturbed();
    for (laid, said) in [
        ("ln -s /etc/hostname", "is a symbolic link to /etc/hostname"),
        ("mkdir", "specs/DEMO.md"),
    ] {
        let project = Scripted::working();
        let lay = once(&format!("rm specs/DEMO.md; {laid} specs/DEMO.md; exit"));
        project.applier(&fixing(&lay, ""));
        let way_out = "; remove it, and the resume restores the artifact as the applier got it\n";
        for ran in [project.run(&[]).run(), project.resume(&[]).run()] {
            let ran = ran.exits(2);
            assert!(ran.stderr.contains(said), "{ran:#?}");
            assert!(ran.stderr.contains(way_out), "{ran:#?}");
        }
        let spec = project.environment.root().join("specs/DEMO.md");
        fs::remove_file(&spec)
            .or_else(|_| fs::remove_dir(&spec))
            .unwrap();
        project.resume(&[]).run().exits(0);
        assert_eq!(end_of(&project), end, "{laid}");
    }
}

#[test]
fn an_artifact_that_was_changed_after_a_kill_is_left_alone() {
    let project = Scripted::working();
    project.reviewer(&judging(&once(KILL)));
    project.run(&[]).run().exits(137);
    project.write("specs/DEMO.md", "# Mine\n");
    let ran = project.resume(&["--format", "json"]).run().exits(2);
    let report = ran.json();
    assert_eq!(report["outcome"], "error");
    assert_eq!(report["block_code"], "artifact_changed");
    assert_eq!(
        report["block_reason"],
        "another process changed the artifact during the run: specs/DEMO.md"
    );
    assert_eq!(project.environment.read("specs/DEMO.md"), "# Mine\n");
}
