//! Models over HTTP as implementers: their edits are made in the checkout.

use serde_json::{Value, json};

use super::Project;
use crate::support::Ran;
use review_test_support::http_server::{Server, stream};

/// A model that gives these answers one after another.
fn model(answers: Vec<Value>) -> Server {
    Server::new(move |call| {
        let said = json!({"choices": [{"delta": {"content": answers[call].to_string()},
            "finish_reason": "stop"}]});
        stream(&format!("data: {said}\n\ndata: [DONE]\n\n"))
    })
}

fn run(project: &Project, server: &Server) -> Ran {
    let environment = &project.environment;
    environment.write(
        "ralph.toml",
        format!(
            "[http.local]\napi = \"chat_completions\"\nbase_url = \"{}\"\nmodel = \"m-1\"\n",
            server.url()
        ),
    );
    project.commit();
    let arguments = ["run", "DEMO", "--tasks-only", "--implementer", "http:local"];
    let run = environment.command(arguments);
    run.run()
}

/// The prompt of a call.
fn prompt(server: &Server, call: usize) -> String {
    let body: Value = serde_json::from_str(&server.asked()[call].body).unwrap();
    body["messages"][0]["content"].as_str().unwrap().to_owned()
}

#[test]
fn the_edits_of_a_model_are_gated_and_land() {
    let edits = |search: &str| {
        json!({"outcome": "done", "text": "Wrote it.", "edits": [
            {"path": "seed/numbers.txt", "search": search, "replace": "1\n", "content": null},
            {"path": "1.txt", "content": "1\n"},
        ]})
    };
    let red = json!({"outcome": "done", "edits": [{"path": "1.txt", "content": "2\n"}]});
    let server = model(vec![edits("nowhere"), red, edits("zero\n")]);
    let project = Project::new(&["[]"]);
    project.environment.write("seed/numbers.txt", "zero\n");
    project.environment.write("other.txt", "not named\n");
    let task = "tasks/demo/01-task.md";
    let text = project.environment.read(task).replace(
        "Write the file.",
        "Write `1.txt`, and change `seed/numbers.txt`.",
    );
    project.environment.write(task, text);
    run(&project, &server).exits(0);
    assert_eq!(project.environment.read("seed/numbers.txt"), "1\n");
    assert_eq!(project.log(), ["Task 1", "Start"]);
    assert_eq!(project.rejected(1), ["agent_failed", "gate_red"]);
    assert_eq!(
        project.report()["tasks"][0]["attempts"][0]["reason"],
        "no edit was made: edits[0].search: is not in the file; copy it from there, blanks and \
         line ends included"
    );
    let first = prompt(&server, 0);
    for part in [
        "file tasks/demo/01-task.md>>>\n",
        "list of the files>>>\nother.txt\nralph.toml\nseed/numbers.txt\nspecs/DEMO.md\n",
        "file seed/numbers.txt>>>\nzero\n",
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    assert!(!first.contains("not named"), "{first}");
    assert!(prompt(&server, 1).contains("no edit was made"));
    // The work of the last attempt is in the checkout.
    let third = prompt(&server, 2);
    assert!(third.contains("file 1.txt>>>\n2\n"), "{third}");
}

#[test]
fn the_edits_of_a_model_stay_in_its_checkout() {
    let project = Project::new(&["[]"]);
    let outside = project.environment.home().join("outside.txt");
    let edit = |path: &str| {
        let edits = [json!({"path": path, "content": "x"})];
        json!({"outcome": "done", "text": "", "edits": edits})
    };
    let server = model(vec![
        edit(outside.to_str().unwrap()),
        edit("../../outside.txt"),
        edit(".git/hooks/post-checkout"),
    ]);
    let ran = run(&project, &server).exits(1);
    assert!(ran.stdout.contains("parked task 1"), "{}", ran.stdout);
    assert_eq!(project.rejected(1), ["agent_failed"; 3]);
    assert!(!outside.exists());
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_model_asks_its_question() {
    let project = Project::new(&["[]"]);
    let question = json!({"outcome": "question", "text": "Which number?", "edits": []});
    let server = model(vec![question]);
    run(&project, &server).exits(1);
    assert_eq!(project.rejected(1), ["question"]);
}
