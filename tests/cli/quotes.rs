//! Quotes of a reviewer are looked for in the artifact.

use serde_json::{Value, json};

use crate::scripted::Scripted;

const QUOTED: &str = "The index is\nbuilt at night.";

fn item(issue: &str, quote: Option<&str>) -> Value {
    json!({"section": "Goal", "issue": issue, "suggestion": "say how", "quote": quote})
}

/// A project whose reviewer raises these items in every round.
fn reviewed(items: &[Value]) -> Scripted {
    let project = Scripted::new(&["true"]);
    let spec = format!("# Demo\n\n## Goal\n\nA demo.\n\n## Index\n\n{QUOTED}\n");
    project.environment.write("specs/DEMO.md", spec);
    let answer = json!({
        "verdict": "needs_revision",
        "score": {"completeness": 95, "consistency": 95, "testability": 95, "architecture": 95},
        "feedback": items,
    });
    std::fs::write(project.outside("answer"), answer.to_string()).unwrap();
    project.reviewer("cat > \"$HOME/asked\"; cat \"$HOME/answer\"");
    project.applier("cat > /dev/null; echo more >> specs/DEMO.md");
    project
}

fn run(project: &Scripted, rounds: &str, arguments: &[&str]) -> Value {
    let limit = ["--max-iterations", rounds, "--format", "json"];
    let arguments = [arguments, &limit].concat();
    project.run(&arguments).run().exits(1).json()
}

#[test]
fn a_report_shows_what_was_quoted_and_what_stands_in_the_artifact() {
    let project = reviewed(&[
        item("No size is given", Some("the INDEX is built at night")),
        item(
            "No owner is named",
            Some("the owner of the index is unknown"),
        ),
        item("No backup is made", None),
    ]);
    run(&project, "1", &[]);
    let list = ["findings", "list", "latest", "--format", "json"];
    let list = project.environment.ralph(list).exits(0).json();
    let found: Vec<_> = list["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let lines = &finding["place"]["lines"]["first"];
            (&finding["evidence"], &finding["quote"], lines.as_u64())
        })
        .collect();
    assert_eq!(
        found,
        [
            (
                &json!("quoted"),
                &json!("The index is built at night"),
                Some(9)
            ),
            (&json!("misquoted"), &Value::Null, Some(3)),
            (&json!("unquoted"), &Value::Null, Some(3)),
        ],
        "{list:#}"
    );
    let shown = project.environment.ralph(["report", "latest"]).stdout;
    let line = ": the quoted words do not occur in the artifact\n";
    assert!(shown.contains(line), "{shown}");
    let id = list["findings"][0]["id"].as_str().unwrap();
    let show = ["findings", "show", id];
    let shown = project.environment.ralph(show).exits(0).stdout;
    for line in ["  quote: The index is built at night\n", "      first: 9\n"] {
        assert!(shown.contains(line), "{shown}");
    }
}

#[test]
fn a_report_shows_quotes_that_were_not_found_and_fixes_that_changed_nothing_there() {
    let quote = "the index of every zone is rebuilt at night by one job";
    let mut item = item("No backup is made", Some(quote));
    item["section"] = json!("Index");
    let project = reviewed(&[item]);
    let spec = "# Demo\n\n## Goal\n\nA demo.\n\n## Index\n\n\
                The index of each zone is rebuilt at night by one job.\n";
    project.environment.write("specs/DEMO.md", spec);
    let accepted = r#"{"applied_feedback": {"items": [{"id": "index-01", "status": "accepted"}]}}"#;
    project.applier(&format!(
        "cat > /dev/null; sed -i 's/A demo/A small demo/' specs/DEMO.md; echo '{accepted}'"
    ));
    let report = run(&project, "2", &[]);
    let finding = &report["ledger"][0];
    assert_eq!(finding["changed_at_place"], false, "{report:#}");
    let rounds = report["iterations"].as_array().unwrap();
    let known: Vec<_> = rounds
        .iter()
        .map(|round| {
            let item = &round["feedback"][0];
            assert_eq!(item["finding"], finding["id"], "{report:#}");
            assert_eq!(item["evidence"], "misquoted");
            assert_eq!(item["quote"], quote);
            assert_eq!(round["reviewer"], "cmd:judge");
            &item["known"]
        })
        .collect();
    assert_eq!(known, [&json!(false), &json!(true)]);
    let id = finding["id"].as_str().unwrap();
    let unchanged = "the applier reported a change, and made none there";
    let shown = project.environment.ralph(["report", "latest"]).stdout;
    for line in [
        format!("  quote not found {id}: the quoted words do not occur in the artifact\n"),
        format!("  not changed {id}: {unchanged}\n"),
    ] {
        assert!(shown.contains(&line), "{line}: {shown}");
    }
    let show = project.environment.ralph(["findings", "show", id]).exits(0);
    for line in ["  evidence: misquoted\n", "  changed_at_place: false\n"] {
        assert!(show.stdout.contains(line), "{line}: {}", show.stdout);
    }
}

#[test]
fn a_prompt_asks_for_quotes() {
    let project = reviewed(&[item("No size is given", None)]);
    run(&project, "1", &[]);
    let asked = std::fs::read_to_string(project.outside("asked")).unwrap();
    let rule = "The quote of an item is 6 to 20 words of the files";
    assert!(asked.contains(rule), "{asked}");
    assert!(asked.contains("\"quote\": \"...\""), "{asked}");
}

#[test]
fn an_item_without_a_quote_or_with_a_wrong_one_asks_for_a_revision() {
    for quote in [Some("the owner of the index is unknown"), None] {
        let project = reviewed(&[item("No size is given", quote)]);
        let report = run(&project, "3", &[]);
        assert_eq!(
            report["block_code"], "max_iterations",
            "{quote:?}: {report:#}"
        );
    }
}
