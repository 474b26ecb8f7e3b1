//! The findings of a run, as code scanning reads them.

use serde_json::{Value, json};

use crate::scripted::Scripted;

const QUOTED: &str = "The `index` is built at night.";

/// An answer with these items.
fn answer(items: &Value) -> String {
    json!({
        "verdict": "needs_revision",
        "score": {"completeness": 60, "consistency": 90, "testability": 90, "architecture": 90},
        "feedback": items,
    })
    .to_string()
}

/// A project whose reviewer raises four things, then leaves out the first of them, while
/// the applier rejects the third and calls the others fixed.
fn reviewed() -> Scripted {
    let project = Scripted::new(&["true"]);
    let spec = format!("# Demo\n\n## Goal\n\nA demo.\n\n## Index\n\n{QUOTED}\n");
    project.write("specs/A DEMO.md", spec);
    let owner = json!({
        "section": "Goal", "issue": "No owner is named", "suggestion": "name one",
        "severity": "critical",
    });
    let size = json!({
        "section": "Index", "issue": "No size is given", "suggestion": "give the size",
        "severity": "major", "quote": "the `INDEX`  is built at night",
    });
    let backup = json!({
        "section": "Index", "issue": "No backup is made", "suggestion": "make one",
        "severity": "critical", "quote": "a backup is made every day",
    });
    let wording = json!({
        "section": "Goal", "issue": "The word demo is vague", "suggestion": "say what is shown",
        "severity": "minor",
    });
    let answers = [
        json!([owner, size, backup, wording]),
        json!([size, backup, wording]),
    ];
    for (round, items) in (1..).zip(&answers) {
        let file = project.outside(&format!("answer-{round}"));
        std::fs::write(file, answer(items)).unwrap();
    }
    project.reviewer("cat > /dev/null; cat \"$HOME/answer-$RALPH_ITERATION\"");
    let report = json!({"applied_feedback": {"items": [
        {"id": "goal-01", "status": "accepted"},
        {"id": "index-02", "status": "accepted"},
        {"id": "index-03", "status": "rejected", "explanation": "the disk is mirrored"},
        {"id": "goal-04", "status": "accepted"},
    ]}});
    let edit = "sed -i 's/A demo/A demo that Ann owns/' \"$RALPH_SPEC\"";
    project.applier(&format!("cat > /dev/null\n{edit}\necho '{report}'"));
    let limit = ["specs/A DEMO.md", "--max-iterations", "2"];
    project.run(&limit).run().exits(1);
    project
}

fn log(project: &Scripted) -> Value {
    let list = ["findings", "list", "latest", "--format", "sarif"];
    project.environment.ralph(list).exits(0).json()
}

/// The result of a log whose message begins so.
fn result<'a>(log: &'a Value, issue: &str) -> &'a Value {
    let mut results = log["runs"][0]["results"].as_array().unwrap().iter();
    let is_it = |one: &&Value| one["message"]["text"].as_str().unwrap().starts_with(issue);
    results.find(is_it).unwrap()
}

#[test]
fn the_findings_of_a_run_are_results_until_a_user_waives_them() {
    let project = reviewed();
    let log = log(&project);
    each_that_is_not_fixed_has_its_place_and_its_level(&log);
    names_its_run(&project, &log);
    let entry = |severity: &str, line: u32| json!(["review", severity, "specs/A DEMO.md", line]);
    let (size, others) = (entry("major", 9), [entry("critical", 7), entry("info", 3)]);
    assert_eq!(gitlab(&project), [&[size][..], &others].concat());
    what_the_applier_rejects_is_under_review_and_what_a_user_waives_is_suppressed(&project, &log);
    assert_eq!(gitlab(&project), others, "what is waived is left out");
}

fn each_that_is_not_fixed_has_its_place_and_its_level(log: &Value) {
    let (index, goal) = ((7, 9), (3, 6));
    let told = |result: &Value| {
        let place = &result["locations"][0]["physicalLocation"];
        json!([
            result["message"]["text"],
            result["level"],
            place["artifactLocation"]["uri"],
            place["region"],
            result["properties"],
        ])
    };
    let results = log["runs"][0]["results"].as_array().unwrap();
    let told: Vec<_> = results.iter().map(told).collect();
    let uri = "specs/A%20DEMO.md";
    let region = |(first, last)| json!({"startLine": first, "endLine": last});
    assert_eq!(
        json!(told),
        json!([
            ["No size is given\ngive the size", "error", uri, region((9, 9)), {
                "severity": "major", "status": "open", "section": "Index",
                "evidence": "quoted", "quote": "The `index` is built at night",
            }],
            ["No backup is made\nmake one", "error", uri, region(index), {
                "severity": "critical", "status": "disputed", "section": "Index",
                "evidence": "misquoted",
            }],
            ["The word demo is vague\nsay what is shown", "note", uri, region(goal), {
                "severity": "minor", "status": "open", "section": "Goal",
                "evidence": "unquoted", "below_fail_level": true,
            }],
        ])
    );
}

fn what_the_applier_rejects_is_under_review_and_what_a_user_waives_is_suppressed(
    project: &Scripted,
    rejected: &Value,
) {
    assert_eq!(
        result(rejected, "No backup")["suppressions"],
        json!([{
            "kind": "external", "status": "underReview",
            "justification": "the disk is mirrored",
        }])
    );
    let size = result(rejected, "No size");
    assert_eq!(size["suppressions"], json!([]));
    let id = size["partialFingerprints"]["ralphFindingId/v1"].as_str();
    let why = "it is always small";
    let waive = [
        "findings",
        "waive",
        id.unwrap(),
        "--by",
        "ann",
        "--why",
        why,
    ];
    project.environment.ralph(waive).exits(0);
    let waived = log(project);
    let size = result(&waived, "No size");
    assert_eq!(size["properties"]["status"], "waived");
    assert_eq!(
        size["suppressions"],
        json!([{
            "kind": "external", "status": "accepted",
            "justification": "ann: it is always small",
        }])
    );
}

fn names_its_run(project: &Scripted, log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(
        log["$schema"],
        "https://json.schemastore.org/sarif-2.1.0.json"
    );
    let run = &log["runs"][0];
    let report = ["report", "latest", "--format", "json"];
    let report = project.environment.ralph(report).json();
    assert_eq!(
        run["properties"],
        json!({
            "v": 1, "run": report["run"], "outcome": "not_passed", "verdict": "needs_revision",
        })
    );
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}

#[test]
fn a_finding_about_no_part_of_a_file_has_its_first_line_for_code_scanning() {
    let project = Scripted::new(&["true"]);
    let item = json!([{
        "section": "Everywhere", "issue": "No term is defined", "suggestion": "add a glossary",
    }]);
    std::fs::write(project.outside("answer"), answer(&item)).unwrap();
    project.reviewer("cat > /dev/null; cat \"$HOME/answer\"");
    project.run(&["--no-apply"]).run().exits(1);
    let log = log(&project);
    let place = &result(&log, "No term")["locations"][0]["physicalLocation"];
    assert_eq!(
        place,
        &json!({
            "artifactLocation": {"uri": "specs/DEMO.md"},
            "region": {"startLine": 1, "endLine": 1},
        })
    );
}

/// The entries for GitLab.
fn gitlab(project: &Scripted) -> Vec<Value> {
    let list = ["findings", "list", "latest", "--format", "gitlab"];
    let entries = project.environment.ralph(list).exits(0).json();
    let entries = entries.as_array().unwrap().iter().map(|entry| {
        let (path, line) = (&entry["location"]["path"], &entry["location"]["lines"]);
        json!([entry["check_name"], entry["severity"], path, line["begin"]])
    });
    entries.collect()
}
