//! What was found, in the formats of programs.

use review_embedding_test::Workspace;
use review_lint::RuleChoice;
use review_report::json as line;
use review_report::lint::{LintReport, github, gitlab, sarif};
use review_store::Overlay;
use serde_json::{Value as Json, json};

use crate::lint::{TASK, linting, project};

/// Calls `work` with the report of a whole project.
fn reported<T>(workspace: &Workspace, work: impl FnOnce(&LintReport<'_>) -> T) -> T {
    linting(workspace, "", &RuleChoice::default(), &[], |linting| {
        let checked = linting.check(&Overlay::default()).unwrap();
        work(&checked.report(&workspace.root()))
    })
}

fn parsed(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

#[test]
fn each_finding_is_an_annotation() {
    let workspace = project();
    let text = reported(&workspace, |report| github(report, &workspace.root()));
    let kinds: Vec<_> = text
        .lines()
        .map(|line| line.split_once(',').unwrap().0)
        .collect();
    assert_eq!(
        kinds,
        [
            "::error file=specs/CACHE.md",
            "::error file=tasks/cache/01-store.md",
            "::error file=tasks/cache/01-store.md"
        ]
    );
}

#[test]
fn a_sarif_log_holds_rules_and_results() {
    let workspace = project();
    let note = "# Note\n\n## Empty\n\n<!-- What? -->\n\n## Full\n\nText.\n";
    workspace.write("specs/A NOTE.md", note).unwrap();
    let log = reported(&workspace, |report| {
        parsed(&sarif(report, &workspace.root()))
    });
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(
        log["$schema"],
        "https://json.schemastore.org/sarif-2.1.0.json"
    );
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    assert_eq!(run["properties"]["v"], 1);
    assert_eq!(run["properties"]["verdict"], "needs_revision");
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "ralph");
    let results = run["results"].as_array().unwrap();
    let rules = driver["rules"].as_array().unwrap();
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(result["message"]["text"].is_string());
    }
    let told: Vec<_> = results
        .iter()
        .map(|result| {
            let file = &result["locations"][0]["physicalLocation"]["artifactLocation"];
            (&result["ruleId"], &result["level"], &file["uri"])
        })
        .collect();
    let task = "tasks/cache/01-store.md";
    assert_eq!(
        json!(told),
        json!([
            ["S2", "error", "specs/CACHE.md"],
            ["B2", "error", task],
            ["G2", "error", task],
            ["S1", "warning", "specs/A%20NOTE.md"],
        ])
    );
}

#[test]
fn a_result_has_its_region_and_its_fingerprint() {
    let workspace = project();
    let text = TASK.replace("\"true\"", "cargo test || true");
    workspace.write("tasks/cache/01-store.md", &text).unwrap();
    let (findings, log) = reported(&workspace, |report| {
        let findings = parsed(&line(report))["findings"].take();
        (findings, parsed(&sarif(report, &workspace.root())))
    });
    let run = &log["runs"][0];
    let find = |list: &Json, key: &str| {
        let list = list.as_array().unwrap().iter();
        let mut found = list.filter(|one| one[key] == "B2");
        found.next().unwrap().clone()
    };
    let (finding, result) = (find(&findings, "rule"), find(&run["results"], "ruleId"));
    let file = json!({ "uri": "tasks/cache/01-store.md" });
    let region = json!({ "startLine": 4, "startColumn": 26, "endLine": 4 });
    assert_eq!(
        result["locations"],
        json!([{ "physicalLocation": { "artifactLocation": file, "region": region } }])
    );
    assert_eq!(
        result["partialFingerprints"],
        json!({ "ralphFindingId/v1": finding["id"] })
    );
    let rule = find(&run["tool"]["driver"]["rules"], "id");
    assert_eq!(rule["name"], "vacuous-backpressure");
    assert_eq!(rule["defaultConfiguration"]["level"], "error");
    assert_eq!(rule["properties"]["tags"], json!(["testability"]));
    let page = rule["help"]["markdown"].as_str().unwrap();
    assert!(page.contains("## What it does"), "{page}");
}

#[test]
fn gitlab_gets_each_finding_with_its_rule_and_its_line() {
    let workspace = project();
    let (report, log) = reported(&workspace, |report| {
        let root = workspace.root();
        (
            parsed(&gitlab(report, &root)),
            parsed(&sarif(report, &root)),
        )
    });
    let entries: Vec<_> = report
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| json!([entry["check_name"], entry["severity"], entry["location"]]))
        .collect();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let expected: Vec<_> = results
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            let (path, line) = (
                &place["artifactLocation"]["uri"],
                &place["region"]["startLine"],
            );
            assert_eq!(result["level"], "error");
            json!([result["ruleId"], "major", { "path": path, "lines": { "begin": line } }])
        })
        .collect();
    assert_eq!(entries, expected);
    assert_eq!(entries.len(), 3);
}
