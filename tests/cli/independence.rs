//! Whether reviewers are models of another family than the authors of what they review.

use serde_json::{Value, json};

use crate::clients::play;
use crate::scripted::Scripted;

/// A project whose spec must say that it is done, and clients that know when it is.
fn project() -> Scripted {
    let project = Scripted::new(&["grep -q Demo specs/DEMO.md"]);
    for client in ["claude", "codex"] {
        let (pass, revise) = (play(client, "review-pass"), play(client, "review-revise"));
        let script = format!(
            "cat > /dev/null\n\
             if [ $RALPH_ROLE = applier ]; then echo done >> specs/DEMO.md; {pass}\n\
             elif grep -q done specs/DEMO.md; then {pass}\nelse {revise}\nfi"
        );
        project.environment.program(client, &script);
    }
    project
}

const RUN: [&str; 2] = ["run", "--format"];

fn rounds(report: &Value) -> Vec<(Value, Value)> {
    let rounds = report["iterations"].as_array().unwrap().iter();
    rounds
        .map(|round| (round["independent"].clone(), round["families"].clone()))
        .collect()
}

#[test]
fn a_report_says_whether_each_review_was_independent() {
    let families =
        |reviewer: &str, authors: &[&str]| json!({"reviewer": [reviewer], "authors": authors});
    for (reviewer, author, expected) in [
        // Nobody knows who wrote the first version.
        (
            "claude",
            None,
            [
                (Value::Null, families("anthropic", &[])),
                (json!(false), families("anthropic", &["anthropic"])),
            ],
        ),
        (
            "codex",
            Some("human"),
            [
                (json!(true), families("openai", &["human"])),
                (json!(true), families("openai", &["anthropic", "human"])),
            ],
        ),
    ] {
        let project = project();
        if let Some(author) = author {
            let config = format!("[review]\nauthor = \"{author}\"\n");
            project.environment.write("ralph.toml", config);
        }
        let agents = ["json", "--reviewer", reviewer, "--applier", "claude"];
        let run = project.environment.ralph([&RUN, &agents[..]].concat());
        let report = run.exits(0).json();
        assert_eq!(rounds(&report), expected, "{report:#}");
        let shown = project.environment.ralph(["report", "latest"]).exits(0);
        let note = "not independent: the reviewer and an author of the artifact are both \
                    anthropic models";
        let is_noted = shown.stdout.contains(note);
        assert_eq!(is_noted, reviewer == "claude", "{}", shown.stdout);
        let fact = " independent (reviewer openai, authors anthropic, human) ";
        let is_fact = shown.stdout.replace('\n', " ").contains(fact);
        assert_eq!(is_fact, reviewer == "codex", "{}", shown.stdout);
    }
}

#[test]
fn nothing_is_said_of_independence_where_it_is_off() {
    let project = project();
    let config = "[review]\nindependence = \"off\"\n";
    project.environment.write("ralph.toml", config);
    let agents = ["json", "--reviewer", "claude", "--applier", "claude"];
    let run = project.environment.ralph([&RUN, &agents[..]].concat());
    let report = run.exits(0).json();
    assert_eq!(
        rounds(&report),
        [(Value::Null, Value::Null), (Value::Null, Value::Null)]
    );
}

#[test]
fn a_reviewer_that_is_not_known_to_be_independent_is_refused_where_that_is_required() {
    for (reviewer, author, message, hint) in [
        (
            "codex",
            "",
            "codex is not known to be independent",
            "review.author = \"anthropic\", or \"human\"",
        ),
        (
            "claude:opus",
            "author = \"human\"\n",
            "claude:opus is not independent",
            "name a reviewer of another family of models",
        ),
        (
            "opencode",
            "author = \"human\"\n",
            "opencode is not known to be independent",
            "[models.NAME] family",
        ),
        ("codex", "author = \"human\"\n", "", ""),
    ] {
        let project = project();
        let config = format!("[review]\nindependence = \"require\"\n{author}");
        project.environment.write("ralph.toml", config);
        let agents = ["human", "--reviewer", reviewer, "--applier", "claude"];
        let run = project.environment.ralph([&RUN, &agents[..]].concat());
        if message.is_empty() {
            run.exits(0);
            continue;
        }
        let run = run.exits(2);
        assert!(run.stderr.contains(message), "{}", run.stderr);
        assert!(run.stderr.contains(hint), "{}", run.stderr);
    }
}

#[test]
fn a_gate_that_requires_independence_believes_only_such_a_review() {
    let project = project();
    let config = |independence: &str, author: &str| {
        let config = format!(
            "reviewer = \"codex\"\napplier = \"claude\"\n[review]\n\
             independence = \"{independence}\"\n{author}\n[gate]\nrequire_independence = true\n"
        );
        project.environment.write("ralph.toml", config);
    };
    let gate = |exit| {
        let gate = ["gate", "--offline", "--format", "json"];
        project.environment.ralph(gate).exits(exit).json()["specs"][0]["review"].clone()
    };
    let run = || {
        project
            .environment
            .ralph([&RUN, &["json"][..]].concat())
            .exits(0)
    };
    config("note", "");
    run();
    let review = gate(3);
    assert_eq!(review["status"], "unproven");
    assert_eq!(
        review["reason"],
        "no recorded pass of an independent review belongs to this artifact"
    );
    config("note", "author = \"human\"");
    run();
    assert_eq!(gate(0)["status"], "recorded");
}

#[test]
fn a_gate_that_requires_independence_believes_the_model_that_answered() {
    let project = project();
    let config = "reviewer = \"claude\"\n[review]\nauthor = \"openai\"\n\
                  [gate]\nrequire_independence = true\n";
    project.environment.write("ralph.toml", config);
    project
        .environment
        .write("specs/DEMO.md", "# Demo\n\n## Goal\n\nIt is done.\n");
    for (model, exit, status) in [("gpt-5.2", 3, "no_verdict"), ("chosen-opus", 0, "passed")] {
        let pass = play("claude", "review-pass");
        let script = format!("cat > /dev/null; {pass} | sed 's/chosen/{model}/g'");
        project.environment.program("claude", &script);
        let gate = project.environment.ralph(["gate", "--format", "json"]);
        let report = gate.exits(exit).json();
        assert_eq!(report["specs"][0]["review"]["status"], status, "{report:#}");
    }
}

/// A client that passes everything, as a model of its own choice.
fn answering_as(project: &Scripted, client: &str, model: &str) {
    let pass = play(client, "review-pass");
    let script = format!(
        "cat > /dev/null\necho {client} >> \"$HOME/calls\"\n{pass} | sed 's/chosen/{model}/g'"
    );
    project.environment.program(client, &script);
}

#[test]
fn a_review_by_a_model_that_is_not_independent_does_not_count_where_that_is_required() {
    for (model, reviewers, exit, calls) in [
        ("gpt-5.2", "claude", 3, &["claude"][..]),
        ("gpt-5.2", "claude,claude:opus", 0, &["claude", "claude"]),
        ("chosen-opus", "claude", 0, &["claude"]),
    ] {
        let project = project();
        let config = "[review]\nauthor = \"openai\"\nindependence = \"require\"\n";
        project.environment.write("ralph.toml", config);
        answering_as(&project, "claude", model);
        let run = ["run", "--no-apply", "--no-tasks", "--format", "json"];
        let run = [&run[..], &["--reviewer", reviewers]].concat();
        let report = project.environment.ralph(run).exits(exit).json();
        assert_eq!(project.calls(), calls, "{report:#}");
        if exit == 0 {
            assert_eq!(report["iterations"][0]["independent"], true, "{report:#}");
            continue;
        }
        assert_eq!(report["block_code"], "reviewer_failed", "{report:#}");
        assert_eq!(report["iterations"], json!([]));
        let reason = report["block_reason"].as_str().unwrap();
        let named = "the model that answered, gpt-5.2, is not independent of the authors of the \
                     artifact (its family: openai; theirs: openai)";
        assert!(reason.contains(named), "{reason}");
    }
}

#[test]
fn a_reviewer_without_a_model_is_told_that_it_is_of_no_family() {
    let project = project();
    let config = "[review]\nauthor = \"openai\"\nindependence = \"require\"\n";
    project.environment.write("ralph.toml", config);
    let run = ["run", "--no-apply", "--reviewer", "cmd:judge"];
    let run = project.environment.ralph(run).exits(2);
    let hint = "name a reviewer that asks a language model: cmd:judge is of no family";
    assert!(run.stderr.contains(hint), "{}", run.stderr);
}

#[test]
fn a_refusal_shows_whom_the_last_commit_names_as_co_author() {
    let project = project();
    project
        .environment
        .write("ralph.toml", "[review]\nindependence = \"require\"\n");
    let commit = "git init --quiet . && git add . && git -c user.name=a -c user.email=a@b commit \
                  --quiet -m one -m 'Co-authored-by: Claude <noreply@anthropic.com>'";
    let made = std::process::Command::new("sh")
        .args(["-c", commit])
        .current_dir(project.environment.root())
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let run = project
        .environment
        .ralph(["run", "--no-apply", "--reviewer", "codex"])
        .exits(2);
    let hint = "; its last commit names as co-author: Claude <noreply@anthropic.com>";
    assert!(run.stderr.contains(hint), "{}", run.stderr);
}
