//! What `ralph lint` found, for programs.

use serde_json::{Value, json};

use crate::lint::{codes, project};
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
    for (format, value, in_stdout) in [
        ("json", "false", 0),
        ("json", "1", 0),
        ("github", "true", 4),
    ] {
        let lint = environment.command(["lint", "--format", format]);
        let ran = lint.env("GITHUB_ACTIONS", value).run().exits(1);
        assert_eq!(ran.stderr, "", "{format} {value}");
        let annotations = ran.stdout.lines().filter(|line| line.starts_with("::"));
        assert_eq!(annotations.count(), in_stdout, "{format} {value}");
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
fn findings_of_several_roots_are_told_apart_and_judged_by_the_configuration_of_each() {
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
    environment.write("two/ralph.toml", "[lint]\nignore = [\"S2\"]\n");
    let judged = environment
        .ralph(["lint", "--format", "json", "one", "two"])
        .exits(1);
    let expected = [(json!("one"), json!("specs/A.md"))];
    assert_eq!(places(&judged.json()), expected);
    for root in ["one", "two"] {
        assert!(!environment.root().join(root).join(".ralph-review").exists());
    }
}
