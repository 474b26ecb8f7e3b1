//! Runs whose calls are kept, and runs that are played from what was kept.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::scripted::{PASS, REVISE, SPEC, Scripted, fixing, judging, once};

const NEW_NOTES: &str = "if [ \"$RALPH_ITERATION\" = 1 ]; then rm -f tasks/demo/notes.md; \
                         echo new > tasks/demo/more.md; fi";

/// A project whose applier changes, makes and deletes files of the artifact.
fn project() -> Scripted {
    let project = Scripted::working();
    project.applier(&fixing(NEW_NOTES, "echo 'I fixed it' >&2"));
    project.write("tasks/demo/notes.md", "old\n");
    project
}

/// Puts the files back, and forgets all runs.
fn put_back(project: &Scripted, before: &[(String, String)]) {
    fs::remove_dir_all(project.environment.root().join(".ralph-review")).unwrap();
    for (path, _) in project.artifact() {
        fs::remove_file(project.environment.root().join(path)).unwrap();
    }
    for (path, text) in before {
        project.write(path, text);
    }
}

/// Events without what differs from run to run.
fn events(lines: &[Json]) -> Vec<Json> {
    let run = lines[0]["run"].as_str().unwrap().to_owned();
    let without_run = |line: &Json| {
        let line = line.to_string().replace(&run, "RUN");
        let mut line: Json = serde_json::from_str(&line).unwrap();
        line["timestamp"] = Json::Null;
        for time in ["seconds", "took_ms", "log"] {
            if line["payload"].get(time).is_some() {
                line["payload"][time] = Json::Null;
            }
        }
        line
    };
    // What was done so far is reported as often as there is time.
    let states = ["agent.activity", "step.output"].map(Json::from);
    let lines = lines.iter().filter(|line| !states.contains(&line["type"]));
    lines.map(without_run).collect()
}

fn recording(project: &Scripted) -> PathBuf {
    project.outside("recording")
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Records a run that passes, and puts the files back.
fn recorded(project: &Scripted) -> (Vec<(String, String)>, Vec<Json>) {
    let before = project.artifact();
    let folder = recording(project);
    let arguments = ["--format", "jsonl", "--record", folder.to_str().unwrap()];
    let told = project.run(&arguments).run().exits(0).json_lines();
    put_back(project, &before);
    project.forget_calls();
    (before, told)
}

fn replay(project: &Scripted) -> crate::support::RalphCommand<'_> {
    let folder = recording(project);
    project.run(&["--format", "jsonl", "--replay", folder.to_str().unwrap()])
}

#[test]
fn a_replay_is_the_recorded_run_without_its_agents() {
    let project = project();
    let before = project.artifact();
    let folder = recording(&project);
    let arguments = ["--format", "jsonl", "--record", folder.to_str().unwrap()];
    let told = project.run(&arguments).run().exits(0).json_lines();
    let after = project.artifact();
    assert_ne!(before, after);
    put_back(&project, &before);
    project.forget_calls();
    for name in ["judge", "fix"] {
        fs::remove_file(project.environment.bin().join(name)).unwrap();
    }
    let told_again = replay(&project).run().exits(0).json_lines();
    assert_eq!(events(&told_again), events(&told));
    assert_eq!(project.artifact(), after);
    assert_eq!(project.calls(), ["task 1", "task 2"]);
}

#[test]
fn every_call_is_kept_in_the_form_of_a_transcript() {
    let project = project();
    recorded(&project);
    let folder = recording(&project);
    let index = read(&folder, "index.jsonl");
    let calls: Vec<Json> = index
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let listed: Vec<_> = calls
        .iter()
        .map(|call| {
            format!(
                "{} {} {} {}",
                call["seq"], call["step"], call["try"], call["backend"]
            )
        })
        .collect();
    assert_eq!(
        listed,
        [
            r#"1 "review/review-1.1" 1 "cmd""#,
            r#"2 "review/apply-1" 1 "cmd""#,
            r#"3 "review/review-2.1" 1 "cmd""#,
            r#"4 "review/apply-2" 1 "cmd""#,
            r#"5 "review/review-3.1" 1 "cmd""#,
        ]
    );
    let case = calls[1]["case"].as_str().unwrap();
    assert_eq!(case, "002-review.apply-1-1");
    let meta: Json = serde_json::from_str(&read(&folder, &format!("{case}.meta.json"))).unwrap();
    assert_eq!((&meta["exit"], &meta["ended"]), (&0.into(), &"exit".into()));
    assert_eq!(meta["argv"], serde_json::json!(["fix"]));
    assert_eq!(meta["env"]["RALPH_ROLE"], "applier");
    assert_eq!(read(&folder, &format!("{case}.stderr")), "I fixed it\n");
    let stdin = read(&folder, &format!("{case}.stdin"));
    assert!(stdin.contains("it is not fixed"), "{stdin}");
    let review = calls[0]["case"].as_str().unwrap();
    assert_eq!(
        read(&folder, &format!("{review}.stdout")),
        format!("{REVISE}\n")
    );
    assert_eq!(read(&folder, &format!("{review}.tree.json")), "[]");
    let tree: Json = serde_json::from_str(&read(&folder, &format!("{case}.tree.json"))).unwrap();
    let changed: Vec<_> = tree
        .as_array()
        .unwrap()
        .iter()
        .map(|change| {
            let there = |key: &str| {
                if change[key].is_null() {
                    "none"
                } else {
                    "file"
                }
            };
            format!("{} {} {}", change["path"], there("before"), there("after"))
        })
        .collect();
    assert_eq!(
        changed,
        [
            r#""specs/DEMO.md" file file"#,
            r#""tasks/demo/more.md" none file"#,
            r#""tasks/demo/notes.md" file none"#,
        ]
    );
}

#[test]
fn a_failed_call_and_its_repetition_are_replayed() {
    let project = Scripted::working();
    // An agent that was killed is asked once more.
    project.reviewer(&judging(&once("kill -9 $$")));
    let (_, told) = recorded(&project);
    let retried = told
        .iter()
        .filter(|event| event["type"] == "agent.call_retried");
    assert_eq!(retried.count(), 1, "{told:#?}");
    let told_again = replay(&project).run().exits(0).json_lines();
    assert_eq!(events(&told_again), events(&told));
}

#[test]
fn a_replay_that_does_not_fit_names_the_step() {
    let fails = |spoil: &dyn Fn(&Scripted, &Path), expected: &str| {
        let project = project();
        recorded(&project);
        spoil(&project, &recording(&project));
        let ran = replay(&project).run().exits(2);
        assert!(ran.stderr.contains(expected), "{expected}: {}", ran.stderr);
        assert!(project.calls().is_empty(), "{:?}", project.calls());
    };
    let index = |folder: &Path, change: &dyn Fn(Vec<&str>) -> Vec<String>| {
        let text = read(folder, "index.jsonl");
        let lines = change(text.lines().collect());
        fs::write(folder.join("index.jsonl"), lines.join("\n")).unwrap();
    };
    let own = |lines: Vec<&str>| lines.into_iter().map(str::to_owned).collect::<Vec<_>>();
    fails(
        &|project, _| drop(project.write("specs/DEMO.md", format!("{SPEC}\nMore.\n"))),
        "step review/review-1.1 asks for something else than was recorded",
    );
    fails(
        &|_, folder| index(folder, &|lines| own(lines[..2].to_vec())),
        "step review/review-2.1 was not recorded: the recording ends before it",
    );
    fails(
        &|_, folder| index(folder, &|lines| own(lines[1..].to_vec())),
        "step review/review-1.1 was not recorded: the recording goes on with review/apply-1",
    );
    let case = "002-review.apply-1-1";
    fails(
        &|_, folder| {
            let tree = read(folder, &format!("{case}.tree.json"));
            let mut tree: Json = serde_json::from_str(&tree).unwrap();
            tree[0]["before"] = tree[0]["after"].clone();
            fs::write(folder.join(format!("{case}.tree.json")), tree.to_string()).unwrap();
        },
        "step review/apply-1 finds another specs/DEMO.md than was recorded",
    );
    fails(
        &|_, folder| fs::remove_dir_all(folder.join("blobs")).unwrap(),
        "step review/apply-1 cannot be played: what it left in specs/DEMO.md was not kept",
    );
    fails(
        &|_, folder| fs::remove_file(folder.join(format!("{case}.stdout"))).unwrap(),
        "002-review.apply-1-1.stdout: No such file",
    );
    fails(
        &|_, folder| {
            index(folder, &|lines| {
                lines
                    .iter()
                    .map(|line| line.replace(case, "../else"))
                    .collect()
            });
        },
        "\"../else\" is not a valid name of a case",
    );
    fails(
        &|_, folder| fs::write(folder.join("index.jsonl"), "{}\n").unwrap(),
        "index.jsonl is not a valid part of a recording: missing field `seq`",
    );
    fails(
        &|_, folder| {
            let run = read(folder, "run.json").replace("\"v\":1", "\"v\":2");
            fs::write(folder.join("run.json"), run).unwrap();
        },
        "run.json is not a valid part of a recording: it has version 2, and 1 is read",
    );
}

#[test]
fn a_recording_starts_in_a_folder_that_is_empty() {
    let project = Scripted::working();
    project.write("recording/notes.md", "mine");
    let ran = project.run(&["--record", "recording"]).run().exits(2);
    assert!(
        ran.stderr
            .contains("recording cannot be created: it is not empty"),
        "{}",
        ran.stderr
    );
    let ran = project.run(&["--replay", "nowhere"]).run().exits(2);
    assert!(
        ran.stderr.contains("nowhere cannot be read"),
        "{}",
        ran.stderr
    );
    assert!(project.calls().is_empty());
    let both = ["review", "specs/DEMO.md", "ralph.toml", "--record", "new"];
    let ran = project.environment.ralph(both).exits(2);
    assert!(
        ran.stderr.contains("a recording is of one loop"),
        "{}",
        ran.stderr
    );
    let both = ["--record", "a", "--replay", "b"];
    project.run(&both).run().exits(2);
}

#[test]
fn a_recording_holds_no_secret_and_blames_nobody_for_itself() {
    let project = Scripted::new(&[]);
    project.write(
        "ralph.toml",
        "[agent]\nread_only_proof = true\npass_env = [\"DEMO_TOKEN\", \"DEMO_URL\"]\n",
    );
    project.reviewer(&format!(
        "cat >&2; echo $DEMO_TOKEN >&2; echo $DEMO_URL >&2; echo '{PASS}'"
    ));
    project.write(
        "specs/DEMO.md",
        format!("{SPEC}\nThe token is hush-hush-hush.\n"),
    );
    let run = project.run(&["--record", "kept", "--no-apply"]);
    let run = run.env("DEMO_TOKEN", "hush-hush-hush");
    let run = run.env("DEMO_URL", "db://u:otter-otter@h");
    run.run().exits(0);
    let files = project.environment.files("kept");
    assert!(files.len() > 5, "{files:?}");
    for file in files {
        let text = project.environment.read(&file);
        assert!(!text.contains("hush-hush-hush"), "{file}: {text}");
        assert!(!text.contains("otter-otter"), "{file}: {text}");
    }
}

#[test]
fn a_file_with_a_secret_is_not_kept() {
    let project = Scripted::new(&[]);
    project.reviewer(&judging(""));
    project.applier(&fixing("echo \"$DEMO_TOKEN fixed\" >> \"$RALPH_SPEC\"", ""));
    project.write("ralph.toml", "[agent]\npass_env = [\"DEMO_TOKEN\"]\n");
    let before = project.artifact();
    let run = project.run(&["--record", "../kept"]);
    run.env("DEMO_TOKEN", "hush-hush-hush").run().exits(0);
    put_back(&project, &before);
    let ran = project.run(&["--replay", "../kept"]).run().exits(2);
    let expected = "what it left in specs/DEMO.md was not kept, since there is a secret in it";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}

#[test]
fn what_a_reviewer_did_beside_the_artifact_is_done_again() {
    let project = Scripted::new(&[]);
    project.write("ralph.toml", "[agent]\nread_only_proof = true\n");
    project.write("src.rs", "mine\n");
    let writes = format!("cat > /dev/null; echo theirs > src.rs; echo '{PASS}'");
    project.reviewer(&writes);
    let run = ["--format", "jsonl", "--record", "../kept"];
    let told = project.run(&run).run().exits(3).json_lines();
    let tree = project.environment.root().join("../kept");
    let tree: Json =
        serde_json::from_str(&read(&tree, "001-review.review-1.1-1.tree.json")).unwrap();
    assert_eq!(tree[0]["path"], "src.rs");
    assert_eq!(tree.as_array().unwrap().len(), 1);
    let replay = ["--format", "jsonl", "--replay", "../kept"];
    let ran = project.run(&replay).run().exits(2);
    assert!(
        ran.stderr
            .contains("finds another src.rs than was recorded"),
        "{}",
        ran.stderr
    );
    project.write("src.rs", "mine\n");
    let told_again = project.run(&replay).run().exits(3).json_lines();
    assert_eq!(events(&told_again), events(&told));
    assert_eq!(project.environment.read("src.rs"), "theirs\n");
}

#[test]
fn a_call_that_was_cut_off_with_the_run_is_not_listed() {
    let project = Scripted::working();
    project.applier("kill -INT $PPID; exec tail -f /dev/null");
    project.run(&["--record", "../kept"]).run().exits(130);
    let kept = project.environment.root().join("../kept");
    let index = read(&kept, "index.jsonl");
    let steps: Vec<Json> = index
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(steps.len(), 1);
    assert_eq!(steps[0]["step"], "review/review-1.1");
}

#[test]
fn a_run_whose_recording_is_gone_does_not_go_on() {
    let project = Scripted::working();
    let gone = once("rm -r \"$RALPH_ROOT/../kept\"");
    project.reviewer(&judging(&gone));
    let ran = project.run(&["--record", "../kept"]).run().exits(2);
    assert!(
        ran.stderr.contains("the recording cannot be kept"),
        "{}",
        ran.stderr
    );
    assert_eq!(project.calls(), ["review 1"]);
    // What was done so far is in the journal.
    project.resume(&[]).run().exits(0);
}

#[test]
fn a_replayed_pass_does_not_count_for_the_gate() {
    let project = project();
    recorded(&project);
    replay(&project).run().exits(0);
    let records = project.environment.files(".ralph-review/records");
    assert_eq!(
        records,
        [
            ".ralph-review/records/demo/1.json",
            ".ralph-review/records/demo/2.json"
        ]
    );
}

#[test]
fn a_recorded_call_of_a_client_is_one_for_agents_replay() {
    let project = Scripted::new(&[]);
    let transcripts =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/transcripts");
    let stream = transcripts.join("claude/review-pass.stdout");
    project.environment.program(
        "claude",
        &format!(
            "cat > /dev/null; sed 's/\"input_tokens\":100/\"input_tokens\":1600/' '{}'",
            stream.display()
        ),
    );
    let run = [
        "run",
        "--reviewer",
        "claude",
        "--no-apply",
        "--record",
        "../kept",
    ];
    project.environment.ralph(run).exits(0);
    let case = "../kept/001-review.review-1.1-1";
    let read = ["agents", "replay", "claude", case];
    let replayed = project.environment.ralph(read).exits(0).json();
    assert_eq!(replayed["outcome"], "answer", "{replayed}");
    let replay = [
        "run",
        "--reviewer",
        "claude",
        "--no-apply",
        "--replay",
        "../kept",
    ];
    project.environment.program("claude", "exit 9");
    project.environment.ralph(replay).exits(0);
}
