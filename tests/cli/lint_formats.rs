//! What `ralph lint` found, for programs.

use serde_json::{Value, json};

use crate::lint::{TASK, codes, project};
use crate::support::TestEnvironment;

#[test]
fn in_github_actions_findings_become_annotations_beside_the_output() {
    let environment = project();
    environment.write(
        "specs/NOTE.md",
        "# Note\n\n## Empty\n\n<!-- What? -->\n\n## Full\n\nText.\n",
    );
    let ran = environment
        .command(["lint", "--format", "json"])
        .env("GITHUB_ACTIONS", "true")
        .run()
        .exits(1);
    assert_eq!(codes(&ran), ["S2", "B2", "G2", "S1"]);
    let lines: Vec<_> = ran.stderr.lines().collect();
    assert_eq!(lines.len(), 4, "{}", ran.stderr);
    let begin = "::error file=tasks/cache/01-store.md,line=5,endLine=5,col=";
    assert!(lines[2].starts_with(begin), "{}", lines[2]);
    assert!(
        lines[2].contains(",title=G2 self-dependency::"),
        "{}",
        lines[2]
    );
    let begin = "::warning file=specs/NOTE.md,line=3,";
    assert!(lines[3].starts_with(begin), "{}", lines[3]);
}

#[test]
fn only_true_says_that_this_is_github_actions() {
    for (value, lines) in [("true", 3), ("false", 0), ("", 0), ("1", 0)] {
        let ran = project()
            .command(["lint", "--format", "json"])
            .env("GITHUB_ACTIONS", value)
            .run()
            .exits(1);
        assert_eq!(ran.stderr.lines().count(), lines, "{value}: {}", ran.stderr);
    }
}

#[test]
fn code_hosts_get_paths_from_the_checkout() {
    let environment = TestEnvironment::new();
    environment.write("part/specs/A.md", "# A\n\nTBD\n");
    environment.write("part/ralph.toml", "");
    let part = environment.root().join("part");
    let begin = |workspace: &std::path::Path| {
        let run = |format| {
            environment
                .command(["lint", "--format", format])
                .env("GITHUB_WORKSPACE", workspace.to_str().unwrap())
                .in_folder(&part)
                .run()
                .exits(1)
        };
        let result = &run("sarif").json()["runs"][0]["results"][0];
        let location = &result["locations"][0]["physicalLocation"]["artifactLocation"];
        let annotation = run("github").stdout;
        let (path, _) = annotation.split_once(',').unwrap();
        (location["uri"].clone(), path.to_owned())
    };
    let inside = (
        json!("part/specs/A.md"),
        "::error file=part/specs/A.md".to_owned(),
    );
    assert_eq!(begin(&environment.root()), inside);
    let own = (json!("specs/A.md"), "::error file=specs/A.md".to_owned());
    for elsewhere in ["/nowhere", "part", ""] {
        assert_eq!(begin(elsewhere.as_ref()), own, "{elsewhere}");
    }
}

#[test]
fn findings_of_several_roots_are_told_apart() {
    let environment = TestEnvironment::new();
    for root in ["one", "two"] {
        environment.write(format!("{root}/ralph.toml"), "");
        environment.write(format!("{root}/specs/A.md"), "# A\n\nTBD\n");
    }
    let both = environment
        .ralph(["lint", "--format", "json", "one", "two"])
        .exits(1);
    let places = |report: &Value| -> Vec<_> {
        let findings = report["findings"].as_array().unwrap().iter();
        findings
            .map(|one| (one["root"].clone(), one["path"].clone()))
            .collect()
    };
    let path = json!("specs/A.md");
    let expected = [(json!("one"), path.clone()), (json!("two"), path.clone())];
    assert_eq!(places(&both.json()), expected);
    let lines = environment
        .ralph(["lint", "--format", "jsonl", "one", "two"])
        .exits(1);
    assert_eq!(lines.json_lines()[1]["root"], "two");
    let one = environment
        .ralph(["lint", "--format", "json", "one"])
        .exits(1);
    assert_eq!(places(&one.json()), [(Value::Null, path)]);
}

#[test]
fn annotations_are_a_format_of_their_own() {
    let environment = project();
    let plain = environment.ralph(["lint", "--format", "github"]).exits(1);
    let kinds: Vec<_> = plain
        .stdout
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
    let action = environment
        .command(["lint", "--format", "github"])
        .env("GITHUB_ACTIONS", "true")
        .run()
        .exits(1);
    assert_eq!(
        (action.stdout, action.stderr),
        (plain.stdout, String::new())
    );
}

#[test]
fn a_sarif_log_holds_rules_and_results() {
    let environment = project();
    environment.write(
        "specs/A NOTE.md",
        "# Note\n\n## Empty\n\n<!-- What? -->\n\n## Full\n\nText.\n",
    );
    let ran = environment.ralph(["lint", "--format", "sarif"]).exits(1);
    let log = ran.json();
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
    let environment = project();
    let text = TASK.replace("\"true\"", "cargo test || true");
    environment.write("tasks/cache/01-store.md", text);
    let findings = environment.ralph(["lint", "--format", "json"]).json()["findings"].clone();
    let log = environment.ralph(["lint", "--format", "sarif"]).json();
    let run = &log["runs"][0];
    let find = |list: &Value, key: &str| {
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
    let environment = project();
    let report = environment
        .ralph(["lint", "--format", "gitlab"])
        .exits(1)
        .json();
    let entries: Vec<_> = report
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| json!([entry["check_name"], entry["severity"], entry["location"]]))
        .collect();
    let log = environment.ralph(["lint", "--format", "sarif"]).json();
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
