//! The next steps of a report are worth taking: each command that it prints changes
//! the project or the run, and a resume that brings nothing new changes nothing.

use std::fs;

use review_report::NextStep;
use review_report::run::{RunLimits, RunReport, RunRequest, Started};
use review_test_support::http_server::{Server, answer};
use review_types::{BlockCode, Outcome};
use serde_json::{Value, json};

use crate::scripted::{PASS, REVISE, SPEC, Scripted, fixing, judging, once};
use crate::support::{Ran, TestEnvironment, short};

const KILL: &str = "kill -9 $PPID";

/// A project, and the run in it that ends as the scenario says.
struct Scenario {
    project: Scripted,
    run: Vec<String>,
    /// The model that the run asks, where it asks one.
    _server: Option<Server>,
}

impl Scenario {
    /// A reviewer and an applier that are scripts, run with these options.
    fn of_scripts(reviewer: &str, applier: &str, options: &[&str]) -> Self {
        let project = Scripted::new(&["true"]);
        project.reviewer(reviewer);
        project.applier(applier);
        let agents = ["--reviewer", "cmd:judge", "--applier", "cmd:fix"];
        Self::of(project, &[&agents[..], options].concat())
    }

    fn of(project: Scripted, options: &[&str]) -> Self {
        let words = ["run"].iter().chain(options);
        Self {
            project,
            run: words.map(|word| (*word).to_owned()).collect(),
            _server: None,
        }
    }

    fn configured(self, text: &str) -> Self {
        self.project.write("ralph.toml", text);
        self
    }

    /// A client that takes part as a script.
    fn of_client(client: &str, script: &str, options: &[&str]) -> Self {
        let project = Scripted::new(&["true"]);
        project
            .environment
            .program(client, &format!("cat > /dev/null\n{script}"));
        let agents = ["--reviewer", client, "--applier", client];
        Self::of(project, &[&agents[..], options].concat())
    }

    fn ralph<S: AsRef<std::ffi::OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Ran {
        let command = self.project.environment.command(words);
        command.env("EELS", "k3y").run()
    }

    fn start(&self) -> Ran {
        self.ralph(
            self.run
                .iter()
                .map(String::as_str)
                .chain(["--format", "json"]),
        )
    }
}

/// The run that is blocked so; `None` where no command can help, only a user.
fn blocked_by(code: BlockCode) -> Option<Scenario> {
    let revise = &format!("cat > /dev/null; echo '{REVISE}'");
    let fix = &fixing("", "");
    Some(match code {
        BlockCode::MaxIterations => Scenario::of_scripts(revise, fix, &["--max-iterations", "1"]),
        BlockCode::BelowMinimum => {
            let low = PASS.replace("\"completeness\":90", "\"completeness\":20");
            let low = format!("cat > /dev/null; echo '{low}'");
            Scenario::of_scripts(&low, fix, &[]).configured("[review]\nbelow_minimum = \"block\"\n")
        }
        BlockCode::Stagnated => Scenario::of_scripts(revise, fix, &[]),
        BlockCode::UnprovedFindings => {
            let new = REVISE.replace("it is not fixed", "REQ-'$RALPH_ITERATION' is not said");
            let new = format!("cat > /dev/null; echo '{new}'");
            Scenario::of_scripts(&new, fix, &[])
        }
        BlockCode::Unread => {
            let answer = PASS.strip_prefix('{').unwrap_or_default();
            let ended = format!("cat > /dev/null; echo '{{\"end_id\": null, {answer}'");
            Scenario::of_scripts(&ended, fix, &[])
        }
        BlockCode::Malformed => Scenario::of_scripts("echo nothing", fix, &[]),
        BlockCode::ReviewerFailed => Scenario::of_scripts("exit 1", fix, &[]),
        BlockCode::ApplierFailed => Scenario::of_scripts(revise, "exit 1", &[]),
        BlockCode::RunTime => {
            let slow = once("exec tail -f /dev/null");
            let slow = format!("{slow}\n{revise}");
            Scenario::of_scripts(&slow, fix, &["--max-time", "500ms"])
        }
        BlockCode::Budget => Scenario::of_scripts(revise, fix, &["--max-calls", "2"]),
        BlockCode::RateLimited => {
            let server = Server::always(answer(429, "retry-after: 90000\r\n", "busy"));
            let profile = format!(
                "[http.local]\napi = \"chat_completions\"\nbase_url = \"{}\"\nmodel = \"m-1\"\n\
                 key_env = \"EELS\"\n",
                server.url()
            );
            let project = Scripted::new(&["true"]);
            let scenario = Scenario::of(project, &["--reviewer", "http:local"]);
            Scenario {
                _server: Some(server),
                ..scenario.configured(&profile)
            }
        }
        BlockCode::ArtifactChanged => {
            let project = Scripted::new(&[&once("echo more >> specs/DEMO.md")]);
            project.reviewer(&format!("cat > /dev/null; echo '{PASS}'"));
            Scenario::of(project, &["--reviewer", "cmd:judge"])
        }
        BlockCode::NoChange
        | BlockCode::Oscillation
        | BlockCode::Disputed
        | BlockCode::NoBlockingFinding
        | BlockCode::Escalated
        | BlockCode::TaskFailed
        | BlockCode::Tampered
        | BlockCode::DiskFloor => return None,
    })
}

/// A run that a client ends with its tokens.
fn out_of_tokens() -> Scenario {
    let usage = json!({"input_tokens": 90, "output_tokens": 1});
    let message = json!({"type": "assistant", "message": {"id": "m", "usage": usage}});
    let says = format!("echo '{message}'");
    Scenario::of_client("claude", &says, &["--max-tokens", "30"])
}

/// A run that a client ends that does not say what it costs.
fn out_of_money() -> Scenario {
    let answer = "tests/fixtures/clients/opencode/afp-revise.stdout";
    let answer = format!("cat '{}/../../{answer}'", env!("CARGO_MANIFEST_DIR"));
    Scenario::of_client("opencode", &answer, &["--max-cost", "100"])
}

/// A run whose client reaches no service.
fn offline() -> Scenario {
    let result = json!({
        "type": "result",
        "subtype": "success",
        "is_error": true,
        "result": "API Error: Unable to connect to API (ConnectionRefused)",
    });
    Scenario::of_client("claude", &format!("echo '{result}'; exit 1"), &[])
}

/// A run that is blocked so, where a user goes on by hand; `None` where a command does.
fn blocked_by_hand(code: BlockCode) -> Option<Scenario> {
    let revise = &format!("cat > /dev/null; echo '{REVISE}'");
    let pass = &format!("cat > /dev/null; echo '{PASS}'");
    let flip = "if grep -q flip \"$RALPH_SPEC\"; then sed -i /flip/d \"$RALPH_SPEC\"; \
                else echo flip >> \"$RALPH_SPEC\"; fi";
    let rejects = r#"echo '{"applied_feedback":{"items":[{"id":"goal-01","status":"rejected"}]}}'"#;
    Some(match code {
        BlockCode::NoChange => Scenario::of_scripts(revise, "cat > /dev/null", &[]),
        BlockCode::Oscillation => {
            Scenario::of_scripts(revise, &format!("cat > /dev/null; {flip}"), &[])
        }
        BlockCode::Disputed => Scenario::of_scripts(
            revise,
            &fixing("", rejects),
            &["--set", "review.patience=9"],
        ),
        BlockCode::NoBlockingFinding => {
            let minor = revise.replace("\"section\"", "\"severity\":\"minor\",\"section\"");
            let minor = minor.replace(":60", ":90");
            Scenario::of_scripts(&minor, &fixing("", ""), &[])
        }
        BlockCode::Escalated => {
            let document = crate::feedback::answer("escalate", "0.4");
            let escalate = format!("cat > /dev/null; echo '{document}'");
            Scenario::of_scripts(&escalate, &fixing("", ""), &[])
                .configured("[review]\ndialect = \"actionable\"\n")
        }
        BlockCode::ApplierFailed => {
            let result = json!({"type": "result", "subtype": "success", "result": "Done."});
            let stray = format!("cat > /dev/null; echo more > other.txt; echo '{result}'");
            let project = Scripted::new(&["true"]);
            project.reviewer(revise);
            project.environment.program("claude", &stray);
            Scenario::of(project, &["--reviewer", "cmd:judge", "--applier", "claude"])
        }
        BlockCode::TaskFailed => {
            let project = Scripted::new(&["false"]);
            project.reviewer(pass);
            Scenario::of(project, &["--reviewer", "cmd:judge"])
        }
        _ => return None,
    })
}

/// Takes a step, and runs its commands in turn; each changes something.
fn do_by_hand(scenario: &Scenario, text: &str) {
    let project = &scenario.project;
    if text.contains("edit specs/DEMO.md") {
        let edited = format!(
            "{}\nIt is short.\n",
            project.environment.read("specs/DEMO.md")
        );
        project.write("specs/DEMO.md", edited);
    }
    if text.starts_with("make task 1 pass") {
        project.task(1, "[]", "true");
    }
    let commands = text.split('`').skip(1).step_by(2);
    let acts = |command: &&str| {
        command.starts_with("ralph ") && !command.starts_with("ralph findings list")
    };
    for command in commands.filter(acts) {
        let words = words(command).into_iter().map(|word| match &*word {
            "NAME" => "ann".to_owned(),
            "TEXT" => "Keep it short.".to_owned(),
            _ => word,
        });
        let before = state(&project.environment);
        let ran = scenario.ralph(words);
        assert!(before != state(&project.environment), "{command}: {ran:#?}");
        assert!(!ran.stderr.contains("error"), "{command}: {ran:#?}");
    }
}

#[test]
fn each_step_by_hand_after_a_blocked_run_changes_something() {
    for code in BlockCode::ALL.iter().copied() {
        let mut at = 0;
        while let Some(scenario) = blocked_by_hand(code) {
            let exit = code.outcome().exit_code().get();
            let report = scenario.start().exits(exit.into()).json();
            assert_eq!(report["block_code"], code.as_str(), "{report:#}");
            let texts = texts(&report);
            let Some(text) = texts.get(at) else { break };
            do_by_hand(&scenario, text);
            at += 1;
        }
    }
}

#[test]
fn what_is_left_to_a_user_is_decided_also_where_nothing_may_be_applied() {
    let mut scenario = blocked_by_hand(BlockCode::Escalated).unwrap();
    scenario.run.push("--no-apply".to_owned());
    let report = scenario.start().exits(1).json();
    let text = texts(&report)[0];
    assert!(text.starts_with("accept it: `ralph approve "), "{text}");
    do_by_hand(&scenario, text);
    let shown = scenario.ralph(["report", "latest", "--format", "json"]);
    assert_eq!(shown.json()["outcome"], "approved", "{shown:#?}");
}

/// The files of a project, the journals of its runs, and what users said about them. What
/// else is in the state folder does not count: locks, logs and caches.
fn state(environment: &TestEnvironment) -> Vec<(String, Vec<u8>)> {
    let files = environment.files("").into_iter();
    let counts = |path: &String| {
        let is_kept = ["/journal.jsonl", "/inbox.jsonl"].map(|name| path.ends_with(name));
        !path.starts_with(".ralph-review/")
            || path.starts_with(".ralph-review/findings/")
            || is_kept.contains(&true)
    };
    let read = |path: String| {
        let bytes = fs::read(environment.root().join(&path)).unwrap();
        (path, bytes)
    };
    files.filter(counts).map(read).collect()
}

/// The commands of `next` in a report.
fn commands(report: &Value) -> Vec<String> {
    let steps = report["next"].as_array().unwrap().iter();
    let commands = steps.filter_map(|step| step["command"].as_str());
    commands.map(str::to_owned).collect()
}

/// The words of a command after `ralph`.
fn words(command: &str) -> Vec<String> {
    let words = shell_words::split(command).unwrap();
    assert_eq!(words[0], "ralph", "{command}");
    words[1..].to_vec()
}

/// Takes each command of a report, and compares what was there before and after.
fn each_changes_something(scenario: &Scenario, report: &Value) {
    let commands = commands(report);
    assert!(!commands.is_empty(), "{report:#}");
    for command in commands {
        let before = state(&scenario.project.environment);
        let ran = scenario.ralph(words(&command));
        let after = state(&scenario.project.environment);
        assert!(before != after, "{command}: {ran:#?}");
        assert!(!ran.stderr.contains("error"), "{command}: {ran:#?}");
    }
}

/// What the report of a run that ended so says to do next.
fn steps_after(outcome: Outcome, code: Option<BlockCode>) -> Vec<NextStep> {
    let mut report = RunReport::new(RunRequest {
        limits: RunLimits {
            applies: true,
            ..RunLimits::default()
        },
        ..RunRequest::default()
    });
    report.run = Some(review_types::RunId::new("0199").unwrap());
    report.outcome = Some(outcome);
    report.block_code = code;
    report.suggest(Started {
        command: &[],
        folder: None,
        run: None,
        root: ".",
        options: &[],
        is_kept: true,
    });
    report.next
}

#[test]
fn each_command_after_a_blocked_run_changes_something() {
    for code in BlockCode::ALL.iter().copied() {
        let Some(scenario) = blocked_by(code) else {
            let steps = steps_after(code.outcome(), Some(code));
            assert!(!steps.is_empty(), "{code}");
            assert!(steps.iter().all(|step| step.command.is_none()), "{code}");
            continue;
        };
        let ran = scenario
            .start()
            .exits(code.outcome().exit_code().get().into());
        let report = ran.json();
        assert_eq!(report["block_code"], code.as_str(), "{report:#}");
        if code == BlockCode::UnprovedFindings {
            let rounds = json!({"spent": 4, "allowed": 3});
            assert_eq!(report["unproved_rounds"], rounds, "{report:#}");
            let decide = *texts(&report).last().unwrap();
            let step = "decide on what `ralph findings list ";
            assert!(decide.starts_with(step), "{decide}");
        }
        each_changes_something(&scenario, &report);
    }
    for (scenario, exit) in [(out_of_tokens(), 5), (out_of_money(), 5), (offline(), 3)] {
        let report = scenario.start().exits(exit).json();
        each_changes_something(&scenario, &report);
    }
}

/// The sentences of `next` in a report.
fn texts(report: &Value) -> Vec<&str> {
    let steps = report["next"].as_array().unwrap().iter();
    steps.map(|step| step["text"].as_str().unwrap()).collect()
}

#[test]
fn a_call_that_reached_its_limit_is_made_again_with_twice_that_limit() {
    for option in ["--call-timeout", "--idle-timeout"] {
        let slow = "exec tail -f /dev/null";
        let scenario = Scenario::of_scripts(slow, &fixing("", ""), &[option, "100ms"]);
        let report = scenario.start().exits(3).json();
        let run = short(report["run"].as_str().unwrap());
        let resume = format!("ralph resume {run} {option} 200ms");
        assert_eq!(commands(&report), [resume]);
        each_changes_something(&scenario, &report);
        let again = scenario.ralph(["report", "latest", "--format", "json"]);
        let resume = format!("ralph resume {run} {option} 400ms");
        assert_eq!(commands(&again.json()), [resume]);
    }
}

#[test]
fn a_change_of_a_reviewer_is_undone_before_the_run_goes_on() {
    let writes = once("echo more >> specs/DEMO.md");
    let scenario = Scenario::of_scripts(&judging(&writes), &fixing("", ""), &[]);
    let report = scenario.start().exits(3).json();
    let run = short(report["run"].as_str().unwrap());
    let text = format!(
        "undo what the reviewer changed, and keep it from editing files, then `ralph resume {run}`"
    );
    assert_eq!(texts(&report), [text]);
    scenario.project.write("specs/DEMO.md", SPEC);
    scenario.ralph(["resume", run]).exits(0);
}

#[test]
fn the_agents_of_the_run_are_checked_not_the_configured_ones() {
    let scenario = blocked_by(BlockCode::ReviewerFailed).unwrap();
    let report = scenario.start().exits(3).json();
    let text = "or check the agents first: `ralph doctor --reviewer cmd:judge --applier cmd:fix`";
    assert_eq!(texts(&report)[1], text);
    let doctor = ["doctor", "--reviewer", "cmd:judge", "--applier", "cmd:fix"];
    let ran = scenario.ralph(doctor).exits(0);
    for agent in ["ok: reviewer: cmd:judge", "ok: applier: cmd:fix"] {
        assert!(ran.stdout.contains(agent), "{ran:#?}");
    }
}

#[test]
fn a_run_whose_spec_is_gone_is_not_resumed_and_calls_nobody() {
    let scenario = blocked_by(BlockCode::MaxIterations).unwrap();
    scenario.start().exits(1);
    fs::remove_file(scenario.project.environment.root().join("specs/DEMO.md")).unwrap();
    let before = state(&scenario.project.environment);
    let calls = scenario.project.calls();
    let resume = ["resume", "latest", "--max-iterations", "4"];
    let ran = scenario.ralph(resume).exits(2);
    assert_eq!(
        ran.stderr,
        "error: [ROOT]/specs/DEMO.md no longer exists, and the run is about it\n  \
         hint: restore it, or start a new run where it is now\n"
    );
    assert_eq!(calls, scenario.project.calls());
    assert!(before == state(&scenario.project.environment));
}

#[test]
fn a_resume_that_brings_nothing_new_prints_the_block_and_changes_nothing() {
    let by_code = |(code, too_little)| (blocked_by(code).unwrap(), code.as_str(), too_little);
    let codes = [
        (BlockCode::MaxIterations, &["--max-calls", "90"][..]),
        (BlockCode::MaxIterations, &["--max-iterations", "1"]),
        (BlockCode::BelowMinimum, &["--max-time", "9h"]),
        (BlockCode::Stagnated, &["--max-calls", "90"]),
        (BlockCode::Stagnated, &["--max-iterations", "2"]),
        (BlockCode::UnprovedFindings, &["--set", "review.patience=9"]),
        (BlockCode::Budget, &["--max-calls", "2"]),
        (BlockCode::Budget, &["--max-iterations", "90"]),
        (BlockCode::RunTime, &["--max-time", "1ms"]),
    ];
    let tokens = (out_of_tokens(), "tokens", &["--max-tokens", "40"][..]);
    for (scenario, code, too_little) in codes.into_iter().map(by_code).chain([tokens]) {
        let ended = scenario.start();
        let before = state(&scenario.project.environment);
        for options in [&[][..], too_little] {
            let resume = [&["resume", "latest", "--format", "json"][..], options].concat();
            let resumed = scenario.ralph(resume).exits(ended.code);
            assert_eq!(resumed.json(), ended.json(), "{code} {options:?}");
            let after = state(&scenario.project.environment);
            assert!(before == after, "{code} {options:?}");
        }
    }
}

#[test]
fn a_stagnated_run_goes_on_with_more_patience() {
    let scenario = blocked_by(BlockCode::Stagnated).unwrap();
    let ended = scenario.start().exits(1).json();
    assert_eq!(ended["iterations"].as_array().unwrap().len(), 4);
    assert_eq!(ended["best"]["iteration"], 4);
    let resume = [
        "resume",
        "latest",
        "--format",
        "json",
        "--set",
        "review.patience=2",
    ];
    let resumed = scenario.ralph(resume).exits(1).json();
    assert_eq!(resumed["block_code"], "stagnated", "{resumed:#}");
    assert_eq!(resumed["iterations"].as_array().unwrap().len(), 7);
    let refused = scenario.ralph(["resume", "latest", "--set", "review.keep=last"]);
    let error = "error: a run keeps its `review.keep`\n  hint: --set may change ";
    let refused = refused.exits(2);
    assert!(refused.stderr.starts_with(error), "{}", refused.stderr);
}

#[test]
fn a_raised_limit_of_time_is_known_to_later_reports() {
    let project = Scripted::new(&["true"]);
    project.reviewer("exec tail -f /dev/null");
    let ran = project.run(&["--max-time", "200ms"]).run().exits(5);
    assert!(
        ran.next_command().unwrap().ends_with(" --max-time 400ms"),
        "{ran:#?}"
    );
    project.resume(&["--max-time", "500ms"]).run().exits(5);
    for again in ["report", "resume"] {
        let shown = project.environment.ralph([again, "latest"]);
        assert!(
            shown.next_command().unwrap().ends_with(" --max-time 1s"),
            "{shown:#?}"
        );
    }
}

#[test]
fn each_outcome_of_a_run_leads_on_or_is_the_end() {
    for outcome in Outcome::ALL.iter().copied() {
        match outcome {
            Outcome::Passed | Outcome::Approved => {
                assert_eq!(steps_after(outcome, None), [], "{outcome}");
            }
            Outcome::Nothing => {
                let steps = steps_after(outcome, None);
                assert!(steps.iter().all(|step| step.command.is_none()), "{steps:?}");
            }
            // These have a code, and no run ends as tampered.
            Outcome::NotPassed | Outcome::NoVerdict | Outcome::Limit | Outcome::Tampered => {}
            Outcome::Interrupted | Outcome::Error => {
                let reviewer = judging(&once(KILL));
                let scenario = Scenario::of_scripts(&reviewer, &fixing("", ""), &[]);
                scenario.start().exits(137);
                let report = scenario.ralph(["report", "latest", "--format", "json"]);
                each_changes_something(&scenario, &report.exits(0).json());
                let steps = steps_after(outcome, None);
                assert_eq!(steps[0].command.as_deref(), Some("ralph resume 0199"));
            }
        }
    }
}

#[test]
fn a_run_that_may_not_apply_leads_to_one_that_may() {
    let revise = format!("echo '{REVISE}'");
    let scenario = Scenario::of_scripts(&revise, &fixing("", ""), &["--no-apply"]);
    let report = scenario.start().exits(1).json();
    each_changes_something(&scenario, &report);
}

#[test]
fn each_command_after_a_gate_changes_something() {
    let bare = TestEnvironment::new();
    bare.write("other/notes.txt", "notes");
    let unproved = TestEnvironment::new();
    unproved.write("specs/DEMO.md", SPEC);
    for (environment, gate, code) in [
        (&bare, &["gate"][..], 4),
        (&bare, &["gate", "--root", "other"], 4),
        (&unproved, &["gate", "--offline"], 3),
    ] {
        let gate = [gate, &["--format", "json"]].concat();
        let report = environment.ralph(&gate).exits(code).json();
        let commands = commands(&report);
        assert_eq!(commands.len(), 1, "{report:#}");
        let before = state(environment);
        let ran = environment.ralph(words(&commands[0]));
        assert!(before != state(environment), "{commands:?}: {ran:#?}");
        let again = environment.ralph(&gate);
        assert!(again.json() != report, "{gate:?}: {again:#?}");
    }
}

#[test]
fn commands_work_from_the_folder_that_they_are_printed_in() {
    let scenario = blocked_by(BlockCode::MaxIterations).unwrap();
    let environment = &scenario.project.environment;
    environment.write("elsewhere/specs/OTHER.md", SPEC);
    let from = |folder: &str, words: &[&str]| {
        let command = environment.command(words).in_folder(folder);
        command.run()
    };
    let run: Vec<_> = scenario.run.iter().map(String::as_str).collect();
    let spec = ["--spec", "../specs/DEMO.md", "--format", "json"];
    let report = from("elsewhere", &[&run[..], &spec].concat())
        .exits(1)
        .json();
    let id = report["run"].as_str().unwrap();
    let path = environment.root().join(".ralph-review/runs").join(id);
    let resume = |run: &str| format!("ralph resume {run} --max-iterations 4");
    let absolute = resume(path.to_str().unwrap());
    assert_eq!(commands(&report), [environment.normalized(&absolute)]);
    let relative = format!("../.ralph-review/runs/{id}");
    for (folder, run) in [("elsewhere", relative.as_str()), ("", short(id))] {
        let named = from(folder, &["report", run, "--format", "json"]);
        assert_eq!(commands(&named.exits(0).json()), [resume(run)]);
    }
    let before = state(environment);
    let words = words(&absolute);
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    from("elsewhere", &words).exits(1);
    assert!(before != state(environment));
    from(
        "specs",
        &[&run[..], &["--no-apply", "--spec", "DEMO"]].concat(),
    )
    .exits(1);
    let again = environment.ralph(["report", "latest", "--format", "json"]);
    let again = commands(&again.json());
    let repeated = format!("cd [ROOT]/specs && ralph {} --spec DEMO", run.join(" "));
    assert_eq!(again, [repeated]);
}

#[test]
fn guidance_that_nobody_would_read_is_refused() {
    for (reviewer, task, end) in [(PASS, "true", "passed"), (PASS, "false", "task_failed")] {
        let project = Scripted::new(&[task]);
        project.reviewer(&format!("echo '{reviewer}'"));
        project.run(&[]).run();
        let before = state(&project.environment);
        let guide = ["guide", "latest", "Be brief."];
        let refused = project.environment.ralph(guide).exits(2);
        let message = format!(" is finished ({end}); guidance not recorded\n");
        assert!(refused.stderr.contains(&message), "{refused:#?}");
        assert_eq!(before, state(&project.environment));
    }
    let environment = TestEnvironment::new();
    environment.write("specs/A.md", "# A\n\n## Goal\n\nTBD\n");
    environment.ralph(["run"]).exits(1);
    let refused = environment.ralph(["guide", "latest", "Be brief."]).exits(2);
    let message = " are builtin, which read no guidance\n  hint: write it into the spec";
    assert!(refused.stderr.contains(message), "{refused:#?}");
    let refused = environment
        .ralph(["guide", "latest", "--task", "9", "Be brief."])
        .exits(2);
    assert!(refused.stderr.contains(" had no turn; "), "{refused:#?}");
    let stop = once("kill -INT $PPID; exec tail -f /dev/null");
    let tasks = Scripted::new(&[&stop]);
    tasks.environment.ralph(["run", "--tasks-only"]).exits(130);
    let refused = tasks
        .environment
        .ralph(["guide", "latest", "Be brief."])
        .exits(2);
    let message = " has no review, whose rounds read guidance\n  hint: write it into";
    assert!(refused.stderr.contains(message), "{refused:#?}");
    let calls = blocked_by(BlockCode::Budget).unwrap();
    let ended = calls.start().exits(5).json();
    let guided = calls.ralph(["guide", "latest", "Be brief."]).exits(0);
    assert_eq!(
        guided.stdout,
        format!("next:\ngo on with the run:\n{}\n", commands(&ended)[0])
    );
}

#[test]
fn a_run_that_was_cut_off_counts_all_its_tasks_and_is_named_by_the_next_run() {
    let stop = once("kill -INT $PPID; exec tail -f /dev/null");
    let project = Scripted::new(&["true", &stop, "true"]);
    let tasks = ["run", "--tasks-only"];
    let ran = project.environment.ralph(tasks).exits(130);
    assert!(ran.stdout.contains("1 of 3 tasks passed"), "{ran:#?}");
    let report = ["report", "latest", "--format", "json"];
    let report = project.environment.ralph(report).exits(0).json();
    let states = report["tasks"].as_array().unwrap().iter();
    let states: Vec<_> = states
        .map(|task| task["status"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["passed", "not_run", "not_run"]);
    let run = short(report["run"].as_str().unwrap());
    let told = format!(
        "run {run} of specs/DEMO.md was interrupted; `ralph resume {run}` goes on with it\n"
    );
    for is_told in [true, false] {
        let ran = project.environment.ralph(tasks).exits(0);
        assert_eq!(ran.stderr.contains(&told), is_told, "{ran:#?}");
    }
}
