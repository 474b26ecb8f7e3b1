//! `ralph config`, and configuration errors as every command shows them.

use serde_json::json;

use crate::support::TestEnvironment;

#[test]
fn each_value_is_shown_with_its_origin() {
    let environment = TestEnvironment::new();
    environment.write("ralph.toml", "[review]\nmax_iterations = 5\npatience = 6\n");
    let ran = environment
        .command([
            "config",
            "--format",
            "json",
            "--state-dir",
            "elsewhere",
            "--set",
            "review.keep=last",
            "--set",
            "review.check=cargo test",
        ])
        .env("RALPH_REVIEW_PATIENCE", "7")
        .env("RALPH_AGENT_PASS_ENV", "A_TOKEN, B_TOKEN")
        .run()
        .exits(0);
    let shown = ran.json();
    assert_eq!(shown["v"], 1);
    let find = |name: &str| {
        let keys = shown["keys"].as_array().unwrap().iter();
        let key = keys.clone().find(|key| key["key"] == name).unwrap();
        (
            key["value"].clone(),
            key["origin"].as_str().unwrap().to_owned(),
        )
    };
    for (name, value, origin) in [
        ("review.max_iterations", json!(5), "ralph.toml:2"),
        ("review.patience", json!(7), "RALPH_REVIEW_PATIENCE"),
        (
            "agent.pass_env",
            json!(["A_TOKEN", "B_TOKEN"]),
            "RALPH_AGENT_PASS_ENV",
        ),
        ("state_dir", json!("elsewhere"), "--state-dir"),
        ("review.keep", json!("last"), "--set"),
        ("review.check", json!("cargo test"), "--set"),
        ("run.max_time", json!("2h"), "default"),
        ("reviewer", json!("builtin"), "default"),
    ] {
        assert_eq!(find(name), (value, origin.to_owned()), "{name}");
    }
}

#[test]
fn the_table_has_one_line_a_key() {
    let environment = TestEnvironment::new();
    environment.write("ralph.toml", "[lint]\nignore = [\"B4\"]\n");
    let table = environment.ralph(["config"]).exits(0).stdout;
    let line = |name: &str| {
        let line = table.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        line("lint.ignore"),
        ["lint.ignore", "[\"B4\"]", "ralph.toml:2"]
    );
    assert_eq!(line("task.timeout"), ["task.timeout", "\"10m\"", "default"]);
    assert!(
        table.contains("[completeness >= 70, consistency >= 70"),
        "{table}"
    );
}

#[test]
fn an_unknown_key_is_shown_where_it_stands() {
    let environment = TestEnvironment::new();
    environment.write("ralph.toml", "[review]\npatence = 3\n");
    for command in [&["config"][..], &["lint"]] {
        environment.write("specs/A.md", "# A\n\nText.\n");
        let ran = environment.ralph(command).exits(2);
        assert_eq!(ran.stdout, "");
        assert_eq!(
            ran.stderr,
            "error: unknown key `review.patence`\n\
             \x20--> ralph.toml:2:1\n\
             \x20 |\n\
             2 | patence = 3\n\
             \x20 | ^^^^^^^\n\
             \x20 |\n\
             \x20 = help: did you mean `review.patience`?\n\
             error: the configuration ralph.toml cannot be used\n\
             \x20 hint: `ralph schema config` lists the keys and what they mean\n"
        );
    }
}

#[test]
fn another_file_can_be_named_and_must_be_there() {
    let environment = TestEnvironment::new();
    environment.write("ralph.toml", "[review]\nmax_iterations = 5\n");
    environment.write("ci.toml", "color = \"never\"\n");
    let shown = |arguments: &[&str]| {
        let ran = environment
            .ralph([&["config"], arguments].concat())
            .exits(0);
        let line = ran
            .stdout
            .lines()
            .find(|line| line.starts_with("review.max_iterations"));
        line.unwrap().split_whitespace().nth(1).unwrap().to_owned()
    };
    assert_eq!(shown(&[]), "5");
    assert_eq!(shown(&["--config", "ci.toml"]), "10");
    let missing = environment
        .ralph(["config", "--config", "no.toml"])
        .exits(2);
    assert!(
        missing
            .stderr
            .starts_with("error: cannot read no.toml\n  cause: "),
        "{}",
        missing.stderr
    );
}

#[test]
fn the_root_above_is_found_from_a_folder_below() {
    let environment = TestEnvironment::new();
    environment.write("ralph.toml", "[review]\nmax_iterations = 9\n");
    environment.write("src/deep/x.txt", "");
    let ran = environment
        .command(["config"])
        .in_folder("src/deep")
        .run()
        .exits(0);
    let line = ran
        .stdout
        .lines()
        .find(|line| line.starts_with("review.max_iterations"));
    assert!(line.unwrap().ends_with("[ROOT]/ralph.toml:2"), "{line:?}");
    let other = TestEnvironment::new();
    other.write("ralph.toml", "[review]\nmax_iterations = 8\n");
    let root = other.root();
    let ran = environment
        .command(["config", "--root", root.to_str().unwrap()])
        .run()
        .exits(0);
    assert!(ran.stdout.contains(" 8 "), "{}", ran.stdout);
}

#[test]
fn colours_are_there_only_when_asked_for() {
    let environment = TestEnvironment::new();
    let plain = environment.ralph(["config"]).exits(0).stdout;
    assert!(!plain.contains('\u{1b}'));
    let colored = environment
        .ralph(["config", "--color", "always"])
        .exits(0)
        .stdout;
    assert!(colored.contains("\u{1b}[1m"));
    environment.write("ralph.toml", "color = \"always\"\n");
    let configured = environment.ralph(["config"]).exits(0).stdout;
    assert!(configured.contains("\u{1b}[1m"));
    let never = environment
        .ralph(["config", "--color", "never"])
        .exits(0)
        .stdout;
    assert!(!never.contains('\u{1b}'));
}

#[test]
fn an_unknown_key_of_learning_is_refused_by_each_command() {
    let environment = TestEnvironment::new();
    let table = "[learning.learning_pipeline.approval_gate]\napprovers = [\"bob\"]\n";
    environment.write("ralph.toml", table);
    for command in [&["learn", "review"][..], &["learn", "run"], &["run"]] {
        let ran = environment.ralph(command.iter().copied()).exits(2);
        let expected = "unknown key \"approval_gate\"";
        assert!(ran.stderr.contains(expected), "{command:?}: {}", ran.stderr);
    }
}
