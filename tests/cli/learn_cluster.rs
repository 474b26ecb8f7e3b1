//! `ralph learn cluster`.

use serde_json::{Value as Json, json};

use crate::support::TestEnvironment;

/// Feedback about three things, one of them said once, in the shapes that are
/// read.
fn feedback() -> String {
    let entry = |id: &str, issue: &str, correction: &str| {
        json!({
            "id": id, "agent": "applier", "timestamp": "2026-03-01T12:30:05Z",
            "type": "review_rejection",
            "details": {"error_message": issue, "correction": correction},
        })
    };
    let lines = [
        entry("a", "No timeout in src/a.rs", "Set a deadline"),
        json!({"id": "b", "issue": "The walrus is pink", "correction": "Paint the walrus"}),
        entry("c", "src/b.rs:12 lacks a timeout", "Set deadlines"),
        json!({"id": 4, "text": "A pink walrus, painted"}),
        json!({"message": "timeouts: no deadline is set"}),
        entry("f", "Zebras", "Count the stripes"),
        json!({"id": "g", "issue": "walrus, pink", "correction": "paint it"}),
    ];
    let lines: Vec<String> = lines.iter().map(Json::to_string).collect();
    format!("{}\nno json\n\n[]\n", lines.join("\n"))
}

fn lines(text: &str) -> Vec<Json> {
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("lines of JSON")
}

#[test]
fn each_piece_of_feedback_is_told_with_its_cluster() {
    let environment = TestEnvironment::new();
    environment.write("in.jsonl", feedback());
    let command = [
        "learn", "cluster", "--input", "in.jsonl", "--format", "jsonl",
    ];
    let ran = environment.ralph(command).exits(0);
    let said = [
        (json!("a"), 1),
        (json!("b"), 0),
        (json!("c"), 1),
        (json!(4), 0),
        (json!(5), 1),
        (json!("f"), -1),
        (json!("g"), 0),
    ];
    // Each of these clusters is about a single issue.
    let expected =
        said.map(|(id, cluster)| json!({"v": 1, "id": id, "cluster": cluster, "issue": cluster}));
    assert_eq!(lines(&ran.stdout), expected);
    assert!(
        ran.stderr
            .contains("2 lines of in.jsonl left out; line 8: expected"),
        "{}",
        ran.stderr
    );
    assert_eq!(environment.ralph(command).stdout, ran.stdout);
}

#[test]
fn clusters_are_told_with_their_size_and_what_one_piece_says() {
    let environment = TestEnvironment::new();
    environment.write("in.jsonl", feedback());
    let command = ["learn", "cluster", "--input", "in.jsonl"];
    let ran = environment.ralph(command).exits(0);
    assert_eq!(
        ran.stdout,
        "   0       3  The walrus is pink\n   \
         1       3  No timeout in src/a.rs\n\
         7 entries: 2 clusters, 1 in none\n"
    );
    let ran = environment
        .ralph([
            "learn", "cluster", "--input", "in.jsonl", "--format", "json",
        ])
        .exits(0);
    let report: Json = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(report["v"], 1);
    assert_eq!(
        report["clusters"][1],
        json!({"cluster": 1, "size": 3, "example": "No timeout in src/a.rs"})
    );
    assert_eq!(
        report["entries"][5],
        json!({"id": "f", "cluster": -1, "issue": -1})
    );
}

#[test]
fn smaller_groups_are_clusters_where_one_says_so() {
    let environment = TestEnvironment::new();
    environment.write("in.jsonl", feedback());
    let of = |least: &str| {
        let command = [
            "learn",
            "cluster",
            "--input",
            "in.jsonl",
            "--format",
            "jsonl",
            "--min-cluster-size",
            least,
        ];
        let ran = environment.ralph(command).exits(0);
        let clusters = lines(&ran.stdout).into_iter();
        clusters
            .map(|line| line["cluster"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("1"), [1, 0, 1, 0, 1, 2, 0]);
    assert_eq!(of("4"), [-1; 7]);
}

#[test]
fn words_of_ones_own_mean_the_same() {
    let environment = TestEnvironment::new();
    let said = ["quokka", "wombat", "numbat"].map(|word| json!({"text": word}).to_string());
    environment.write("in.jsonl", said.join("\n"));
    let command = [
        "learn", "cluster", "--input", "in.jsonl", "--format", "jsonl",
    ];
    let clusters = |arguments: &[&str]| {
        let ran = environment.ralph(command.iter().chain(arguments)).exits(0);
        let lines = lines(&ran.stdout).into_iter();
        lines
            .map(|line| line["cluster"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(clusters(&[]), [-1, -1, -1]);
    environment.write("own.txt", "marsupial: quokka wombat numbat\n");
    assert_eq!(clusters(&["--lexicon", "own.txt"]), [0, 0, 0]);
    environment.write(".git/HEAD", "");
    environment.write(
        ".aiwg/lexicon.txt",
        "# mine\nmarsupial: quokka wombat numbat\n",
    );
    assert_eq!(clusters(&[]), [0, 0, 0]);
    environment.write("bad.txt", "marsupial: quokka\nwombat\n");
    let ran = environment
        .ralph(command.iter().chain(&["--lexicon", "bad.txt"]))
        .exits(2);
    let told = "line 2 is not a concept; expected `NAME: WORD WORD`";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}

#[test]
fn a_file_without_feedback_and_one_that_is_not_there_are_told() {
    let environment = TestEnvironment::new();
    environment.write("in.jsonl", "\n");
    let command = [
        "learn", "cluster", "--input", "in.jsonl", "--format", "jsonl",
    ];
    let ran = environment.ralph(command).exits(4);
    assert_eq!(ran.stdout, "");
    let ran = environment
        .ralph(["learn", "cluster", "--input", "none.jsonl"])
        .exits(2);
    assert!(
        ran.stderr.contains("cannot read none.jsonl"),
        "{}",
        ran.stderr
    );
}
