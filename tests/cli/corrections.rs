//! `ralph corrections`.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value as Json, json};

use crate::support::TestEnvironment;

const FILE: &str = ".claude/user-corrections.jsonl";

/// Gives each correction of the root a session of its own.
pub(crate) fn in_sessions(environment: &TestEnvironment) {
    let text = environment.read(FILE);
    let corrections = text.lines().enumerate().map(|(at, line)| {
        let mut correction: Json = serde_json::from_str(line).unwrap();
        correction["session_id"] = json!(format!("s-{at}"));
        format!("{correction}\n")
    });
    environment.write(FILE, corrections.collect::<String>());
}

/// A valid line with its agent.
fn line(agent: &str) -> Json {
    json!({
        "date": "2026-03-02",
        "timestamp": "2026-03-02T10:30:00Z",
        "agent": agent,
        "correction_type": "code_completeness",
        "ai_action": { "summary": "Wrote the upload without a limit", "file": "up.rs:4" },
        "user_correction": { "summary": "A limit of 10 MiB", "verbatim": "Cap it at 10 MiB" },
        "pattern_inferred": "missing-validation",
        "severity": "high",
        "source": "explicit",
    })
}

fn with(agent: &str, member: &str, value: Json) -> Json {
    let mut line = line(agent);
    line[member] = value;
    line
}

fn lines(lines: &[Json]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_bad_line_is_told_with_its_place_and_the_rest_is_read() {
    let environment = TestEnvironment::new();
    let bad = with("b", "date", json!("2026-03-01"));
    environment.write(FILE, lines(&[line("a"), bad, line("c")]));
    let ran = environment
        .ralph(["corrections", "validate", "--format", "json"])
        .exits(1);
    let expected = json!({
        "v": 1,
        "files": [{
            "path": FILE,
            "count": 3,
            "valid": 2,
            "diagnostics": [{
                "line": 2,
                "pointer": "/date",
                "code": "date.mismatch",
                "severity": "error",
                "message": "does not match the timestamp: expected 2026-03-02, found 2026-03-01",
                "fix": "2026-03-02",
            }],
        }],
    });
    assert_eq!(ran.json(), expected);
    let human = environment.ralph(["corrections", "validate"]).exits(1);
    assert_eq!(
        human.stdout,
        ".claude/user-corrections.jsonl:2: /date error[date.mismatch]: \
         does not match the timestamp: expected 2026-03-02, found 2026-03-01\n\
         \x20 fix: write 2026-03-02\n\
         .claude/user-corrections.jsonl: 3 corrections, 1 not valid\n"
    );
}

#[test]
fn names_and_dates_are_fixed_in_place() {
    let environment = TestEnvironment::new();
    let date = with("a", "date", json!("2026-03-01"));
    let name = with("b", "pattern_inferred", json!("missingValidation"));
    environment.write("c.jsonl", lines(&[date, name, line("c")]) + "{\"to");
    let ran = environment
        .ralph(["corrections", "validate", "c.jsonl", "--fix"])
        .exits(1);
    assert!(
        ran.stdout.contains("fixed 2 lines of c.jsonl\n")
            && ran.stdout.contains("c.jsonl:4: error[line.torn]"),
        "{}",
        ran.stdout
    );
    let fixed = lines(&[line("a"), line("b"), line("c")]) + "{\"to";
    assert_eq!(environment.read("c.jsonl"), fixed);
    let refused = environment
        .ralph(["corrections", "validate", "-", "--fix"])
        .exits(2);
    assert!(refused.stderr.contains("standard input cannot be fixed"));
}

#[test]
fn options_make_a_correction() {
    let environment = TestEnvironment::new();
    let arguments = [
        "corrections",
        "add",
        "--agent",
        "api-dev",
        "--correction-type",
        "code_quality",
        "--ai-action",
        "Wrote it",
        "--user-correction",
        "Changed it",
        "--verbatim",
        "No",
        "--file",
        "a.rs:7",
        "--task",
        "upload",
        "--severity",
        "low",
    ];
    let ran = environment.ralph(arguments).exits(0);
    assert_eq!(ran.stdout, format!("added 1 correction to {FILE}\n"));
    let added: Json = serde_json::from_str(&environment.read(FILE)).unwrap();
    let timestamp = added["timestamp"].as_str().unwrap();
    assert_eq!(added["date"], timestamp[..10]);
    let rest = concat!(
        r#","agent":"api-dev","#,
        r#""correction_type":"code_quality","ai_action":{"summary":"Wrote it","file":"a.rs:7"},"#,
        r#""user_correction":{"summary":"Changed it","verbatim":"No"},"#,
        r#""context":{"task":"upload"},"severity":"low","source":"explicit"}"#,
        "\n"
    );
    assert!(environment.read(FILE).ends_with(rest));
    environment.ralph(&arguments[..10]).exits(0);
    environment.ralph(["corrections", "validate"]).exits(0);
    for missing in [2, 4, 6, 8] {
        let mut some = arguments.to_vec();
        some.drain(missing..missing + 2);
        environment.ralph(some).exits(2);
    }
    assert_eq!(environment.read(FILE).lines().count(), 2);
}

#[test]
fn lines_of_standard_input_are_appended_with_all_that_they_hold() {
    let environment = TestEnvironment::new();
    let extra = with("b", "reviewer", json!({ "name": "r" }));
    let bad = with("c", "source", json!("hearsay"));
    let text = lines(&[line("a"), extra.clone(), bad]);
    let ran = environment
        .command(["corrections", "add", "--format", "json"])
        .stdin(&text)
        .run()
        .exits(1);
    let report = ran.json();
    assert_eq!(
        (&report["added"], &report["path"]),
        (&json!(2), &json!(FILE))
    );
    assert_eq!(report["diagnostics"][0]["line"], 3);
    assert_eq!(environment.read(FILE), lines(&[line("a"), extra]));
    let none = environment.ralph(["corrections", "add"]).exits(2);
    assert!(none.stderr.contains("no correction to add"));
    let torn = environment
        .command(["corrections", "add"])
        .stdin("\u{feff}{\"date\":");
    assert_eq!(
        torn.run().exits(1).stderr,
        "input:1: error[learning.syntax]: invalid JSON: EOF while parsing a value at byte 8\n  \
         fix: Fix what the message names; a line of corrections is one JSON object.\n"
    );
}

#[test]
fn two_writers_at_once_lose_no_line() {
    const COUNT: usize = 2_000;
    let environment = TestEnvironment::new();
    environment.write(FILE, "{\"torn\":");
    let writers: Vec<_> = ["x", "y"]
        .into_iter()
        .map(|name| {
            let mut child = environment
                .command(["corrections", "add"])
                .into_std()
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            let mut pipe = child.stdin.take().unwrap();
            let feeder = std::thread::spawn(move || {
                for at in 0..COUNT {
                    writeln!(pipe, "{}", line(&format!("{name}{at}"))).unwrap();
                }
            });
            (child, feeder)
        })
        .collect();
    for (child, feeder) in writers {
        feeder.join().unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let text = environment.read(FILE);
    let mut found: Vec<_> = text.lines().skip(1).map(str::to_owned).collect();
    found.sort_unstable();
    let mut expected: Vec<_> = ["x", "y"]
        .iter()
        .flat_map(|name| (0..COUNT).map(move |at| line(&format!("{name}{at}")).to_string()))
        .collect();
    expected.sort_unstable();
    assert_eq!(found.len(), expected.len());
    assert!(found == expected, "a line is not as it was written");
    assert!(text.starts_with("{\"torn\":\n"));
}

/// Three corrections of one pattern, of which the first has another agent.
fn some(environment: &TestEnvironment) {
    let low = with("b", "severity", json!("low"));
    let implicit = with("b", "source", json!("implicit"));
    let text = lines(&[line("a"), low, implicit]) + "\nno\n";
    environment.write(FILE, text);
}

#[test]
fn corrections_are_listed_with_their_impact_shown_and_counted() {
    let environment = TestEnvironment::new();
    some(&environment);
    let list = |more: &[&str]| {
        let list = [&["corrections", "list", "--format", "json"], more].concat();
        environment.ralph(list).exits(0)
    };
    let ran = list(&[]);
    let found = ran.json()["corrections"].clone();
    let found = found.as_array().unwrap().iter();
    let found: Vec<_> = found.map(|one| (&one["line"], &one["impact"])).collect();
    let expected = [
        (&json!(1), &json!(1.0)),
        (&json!(2), &json!(0.3)),
        (&json!(3), &json!(0.8)),
    ];
    assert_eq!(found, expected);
    assert!(ran.stderr.contains("1 line left out"), "{}", ran.stderr);
    let shown = list(&["2"]).json();
    assert_eq!(shown["impact"], 0.3);
    assert_eq!(shown["correction"], with("b", "severity", json!("low")));
    let counted = list(&["--by", "agent"]).json();
    let of_b = json!({"count": 2, "weight": 1.8, "impact": 1.1});
    assert_eq!(counted["stats"]["groups"]["b"], of_b);
    let human = environment.ralph(["corrections", "list", "-q"]).exits(0);
    let second = "     2  2026-03-02  b  code_completeness  missing-validation  low explicit 0.30\n\
                  \x20       A limit of 10 MiB\n";
    assert!(human.stdout.contains(second), "{}", human.stdout);
}

#[test]
fn patterns_are_gathered_from_all_files_of_the_folder() {
    let environment = TestEnvironment::new();
    some(&environment);
    environment.write(
        ".claude/review-findings.jsonl",
        "{\"date\":\"2026-03-03\",\"finding\":\"Input is not validated\",\"severity\":\"nit\"}\n{}\n",
    );
    let ran = environment
        .ralph(["corrections", "list", "--by", "pattern", "--format", "json"])
        .exits(0);
    let found = ran.json();
    let pattern = &found["patterns"][0];
    assert_eq!(pattern["pattern"], "missing-validation");
    assert_eq!(pattern["count"], 4);
    assert_eq!(pattern["confidence_factors"]["count"], 0.4);
    assert_eq!(pattern["confidence_factors"]["recency"], 0.0);
    assert_eq!(pattern["status"], "observed");
    assert_eq!(pattern["affected_agents"], json!(["a", "b"]));
    assert_eq!(pattern["last_seen"], "2026-03-03");
    assert!(
        ran.stderr.contains("review-findings.jsonl:2: left out"),
        "{}",
        ran.stderr
    );
    let human = environment
        .ralph(["corrections", "list", "--by", "pattern"])
        .exits(0)
        .stdout;
    assert!(human.starts_with("missing-validation\n  "), "{human}");
    assert!(human.contains("\n  count: 4\n"), "{human}");
    let none = environment.ralph(["corrections", "import", "specs"]);
    let none = none.exits(2);
    assert!(none.stderr.contains("holds no corrections"), "{none:?}");
}

#[test]
fn where_nothing_was_corrected_yet_lists_are_empty_and_the_way_to_a_correction_is_named() {
    let environment = TestEnvironment::new();
    let note = "no corrections yet: `ralph corrections add` records one, and \
                `ralph init --hooks claude` has Claude Code record them\n";
    let json = [
        (&["list"][..], json!({"v": 1, "corrections": []})),
        (
            &["list", "--by", "pattern"],
            json!({"v": 1, "patterns": []}),
        ),
        (&["validate"], json!({"v": 1, "files": []})),
    ];
    for (command, expected) in json {
        let ran = [&["corrections"], command, &["--format", "json"]].concat();
        let ran = environment.ralph(ran).exits(0);
        assert_eq!(
            (ran.stderr.as_str(), ran.json()),
            (note, expected),
            "{command:?}"
        );
    }
    let stats = environment
        .ralph(["corrections", "list", "--by", "type"])
        .exits(0);
    assert_eq!(stats.stderr, note);
    for command in [&["list", "1"][..], &["remove", "1"]] {
        environment
            .ralph([&["corrections"], command].concat())
            .exits(4);
    }
}

#[test]
fn json_over_several_lines_is_one_error_and_adds_nothing() {
    let environment = TestEnvironment::new();
    for value in [line("a"), json!([line("a"), line("b")])] {
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        let refused = environment.command(["corrections", "add"]).stdin(pretty);
        assert_eq!(
            refused.run().exits(2).stderr,
            "error: standard input must have one JSON object a line\n  \
             hint: `jq -c .` writes an object on one line, `jq -c '.[]'` those of an array\n"
        );
    }
    assert!(!environment.root().join(FILE).exists());
}

#[test]
fn imports_at_the_same_time_promote_a_pattern_once() {
    let environment = TestEnvironment::new();
    let add = [
        "corrections",
        "add",
        "--agent",
        "a",
        "--correction-type",
        "code_completeness",
        "--ai-action",
        "x",
        "--user-correction",
        "y",
        "--pattern-inferred",
        "missing-validation",
        "--severity",
        "high",
    ];
    environment.ralph(add).exits(0);
    let recent: Json = serde_json::from_str(&environment.read(FILE)).unwrap();
    let of_services = ["s", "t", "u", "v"].map(|service| {
        let mut line = recent.clone();
        line["context"] = json!({ "service": service });
        line
    });
    environment.write(FILE, lines(&of_services));
    let promotions: usize = std::thread::scope(|scope| {
        let imports: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let import = ["corrections", "import", "--format", "json"];
                    let report = environment.ralph(import).exits(0).json();
                    report["promoted"].as_array().unwrap().len()
                })
            })
            .collect();
        imports.into_iter().map(|it| it.join().unwrap()).sum()
    });
    assert_eq!(promotions, 1);
    let log = environment.read(".claude/patterns/promotion-log.jsonl");
    assert_eq!(log.lines().count(), 1, "{log}");
}

#[test]
fn a_pattern_and_its_lesson_have_one_confidence_and_one_status() {
    let environment = TestEnvironment::new();
    environment.write("ralph.toml", "[learning]\n");
    for _ in 0..3 {
        let add = [
            "corrections",
            "add",
            "--agent",
            "applier",
            "--correction-type",
            "code_completeness",
            "--ai-action",
            "Wrote the upload without a limit",
            "--user-correction",
            "Check the size of each upload before it is read",
            "--pattern-inferred",
            "missing-validation",
            "--severity",
            "high",
        ];
        environment.ralph(add).exits(0);
    }
    in_sessions(&environment);
    let pattern = || {
        let patterns = ["corrections", "list", "--by", "pattern", "--format", "json"];
        environment.ralph(patterns).exits(0).json()["patterns"][0].clone()
    };
    assert_eq!(pattern()["status"], "ready");
    let human = environment
        .ralph(["corrections", "list", "--by", "pattern"])
        .exits(0);
    assert!(human.stdout.contains("\n  status: ready\n"), "{human:#?}");
    // Fewer than `min_samples`, and all the same a pattern.
    let import = environment.ralph(["corrections", "import"]).exits(0);
    assert!(import.stdout.contains("\npromoted:\n"), "{import:#?}");
    assert!(
        import
            .stdout
            .ends_with("next:\ndecide on what is proposed:\nralph learn review\n"),
        "{import:#?}"
    );
    let list = environment.ralph(["learn", "show", "--format", "json"]);
    let list = list.exits(0).json();
    let lesson = &list["lessons"][0]["lesson"];
    assert_eq!(lesson["pattern"], "missing-validation", "{list:#}");
    assert_eq!(lesson["status"], "proposed");
    let seen = pattern();
    assert_eq!(seen["status"], "proposed");
    assert_eq!(seen["count"], lesson["occurrences"]);
    for key in ["count", "source_quality"] {
        let factor = |factors: &Json| factors[key].as_f64().unwrap();
        let (seen, lesson) = (&seen["confidence_factors"], &lesson["factors"]);
        assert!((factor(seen) - factor(lesson)).abs() < 0.001, "{key}");
    }
    let again = environment.ralph(["corrections", "import", "--format", "json"]);
    let again = again.exits(0).json();
    assert_eq!(
        (&again["promoted"], &again["proposed"]),
        (&json!([]), &json!([]))
    );
    let analysis = environment.ralph(["learn", "run", "--format", "json"]);
    let analysis = analysis.exits(0).json();
    assert_eq!(analysis["agents"][0]["patterns"], 1);
    assert_eq!(analysis["agents"][0]["proposed"], json!([]));
}

#[test]
fn what_is_imported_again_is_counted_once_and_promoted_once() {
    let environment = TestEnvironment::new();
    let now = environment
        .ralph([
            "corrections",
            "add",
            "--agent",
            "a",
            "--correction-type",
            "code_completeness",
            "--ai-action",
            "x",
            "--user-correction",
            "y",
            "--pattern-inferred",
            "missing-validation",
            "--severity",
            "high",
        ])
        .exits(0);
    assert_eq!(now.stdout, format!("added 1 correction to {FILE}\n"));
    let recent: Json = serde_json::from_str(&environment.read(FILE)).unwrap();
    let also = |service: &str| {
        let mut line = recent.clone();
        line["context"] = json!({ "service": service });
        line
    };
    environment.write(
        FILE,
        lines(&[recent.clone(), also("s"), also("t"), also("u"), also("t")]),
    );
    environment.write(
        ".claude/patterns/patterns.json",
        r#"{"patterns": {"missing-validation": {"owner": "me", "count": 77}}}"#,
    );
    let first = environment
        .ralph(["corrections", "import", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(first["promoted"][0]["pattern"], "missing-validation");
    let counts = json!([{"path": FILE, "count": 5, "counted": 4}]);
    assert_eq!(first["files"], counts);
    let second = environment
        .ralph(["corrections", "import", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(second["promoted"], json!([]));
    let read = |name: &str| -> Json {
        let text = environment.read(format!(".claude/patterns/{name}"));
        serde_json::from_str(&text).unwrap()
    };
    let pattern = read("patterns.json")["patterns"]["missing-validation"].clone();
    assert_eq!(
        (&pattern["count"], &pattern["owner"]),
        (&json!(4), &json!("me"))
    );
    assert_eq!(pattern["promoted_to_runbook"], false);
    assert_eq!(pattern["trend"], "new");
    assert_eq!(
        read("trends.json")["service_breakdown"],
        json!({"s": 1, "t": 1, "u": 1})
    );
    assert_eq!(read("promotion-log.jsonl")["trigger"], "threshold");
    environment.write(".claude/patterns/patterns.json", "{");
    let kept = environment.ralph(["corrections", "import"]).exits(2);
    assert!(
        kept.stderr.contains("as JSON, which is left unchanged"),
        "{kept:?}"
    );
}
