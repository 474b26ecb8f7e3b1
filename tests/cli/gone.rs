//! Names of earlier versions are answered with what to use, or why they are gone.

use crate::scripted::Scripted;
use crate::support::{TestEnvironment, short};

const TABLE: &str = include_str!("../../crates/cli/src/gone.txt");

/// The rows of the table: what was, and what it is now.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(" | "))
}

/// What the tests type for a row that is not a key: capitals and choices are placeholders.
fn typed(was: &str) -> Vec<String> {
    let words = was.strip_prefix("ralph ").unwrap_or(was).split(' ');
    let words = words.map(|word| match word.trim_matches(['[', ']']) {
        word if word.starts_with("--") || word.chars().all(|c| !c.is_uppercase() && c != '|') => {
            word.to_owned()
        }
        _ => "x".to_owned(),
    });
    let command = (!was.starts_with("ralph ")).then(|| "run".to_owned());
    command.into_iter().chain(words).collect()
}

#[test]
fn every_name_of_an_earlier_version_is_answered_in_one_line() {
    let environment = TestEnvironment::new();
    for (was, now) in rows() {
        let answer = format!("`{was}` is {now}");
        if was.starts_with("ralph ") || was.starts_with("--") {
            let ran = environment.ralph(typed(was)).exits(2);
            assert_eq!(ran.stderr, format!("error: {answer}\n"), "{was}");
            assert_eq!(ran.stdout, "");
            continue;
        }
        environment.write("ralph.toml", format!("{was} = 1\n"));
        let ran = environment.ralph(["config"]).exits(2);
        let place = format!("error: {answer}\n --> ralph.toml:1:");
        assert!(ran.stderr.starts_with(&place), "{was}: {}", ran.stderr);
        environment.write("ralph.toml", "");
        let variable = format!("RALPH_{}", was.replace('.', "_").to_uppercase());
        let ran = environment.command(["config"]).env(&variable, "1");
        let error = format!("error: {variable}: {answer}\n");
        let ran = ran.run().exits(2);
        assert!(ran.stderr.starts_with(&error), "{was}: {}", ran.stderr);
        let setting = format!("{was}=1");
        let ran = environment.ralph(["config", "--set", &setting]);
        let error = format!("error: {answer}\n");
        let ran = ran.exits(2);
        assert!(ran.stderr.starts_with(&error), "{was}: {}", ran.stderr);
    }
}

#[test]
fn a_journal_of_another_version_names_the_program_that_can_resume_it() {
    let project = Scripted::working();
    let report = project.run(&["--format", "json"]).run().exits(0).json();
    let run = report["run"].as_str().unwrap();
    let path = format!(".ralph-review/runs/{run}/journal.jsonl");
    let journal = project.environment.read(&path);
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(journal.contains(&version), "{journal}");
    let older = journal.replacen(&version, "\"version\":\"0.0.9+abc\"", 1);
    let older = older.replacen("\"max_iterations\":", "\"rounds\":", 1);
    project.environment.write(&path, older);
    for command in ["report", "resume"] {
        let refused = project.environment.ralph([command, "latest"]).exits(2);
        let error = format!(
            "error: run {} was made by ralph 0.0.9+abc, which can resume it\n",
            short(run)
        );
        assert!(refused.stderr.starts_with(&error), "{}", refused.stderr);
    }
}

#[test]
fn a_name_that_is_gone_is_answered_wherever_it_stands() {
    let environment = TestEnvironment::new();
    let patience = "`--patience N` is `--set review.patience=N`";
    let diff = "`ralph lint --diff` is gone: `--fix`, then `git diff`";
    for (arguments, answer) in [
        ("run A --patience=4", patience),
        ("review a.md --patience 4", patience),
        ("--quiet resume latest --patience 4", patience),
        ("--root . lint --diff", diff),
        ("--color=never lint --diff", diff),
        (
            "--root . corrections add --to x",
            "`ralph corrections add --to FILE` is gone: corrections are those of the root, \
             `--root DIR` names it",
        ),
        (
            "feedback convert --from afp --to sarif",
            "`ralph feedback convert --to sarif` is gone: `ralph findings list --format sarif` \
             is for code scanning",
        ),
        (
            "--root . corrections stats",
            "`ralph corrections stats` is `ralph corrections list --by agent|type`",
        ),
        (
            "--root . man run",
            "`ralph man` is gone: `ralph help COMMAND` says the same",
        ),
    ] {
        let ran = environment.ralph(arguments.split(' ')).exits(2);
        assert_eq!(ran.stderr, format!("error: {answer}\n"), "{arguments}");
    }
    let other = environment.ralph(["lint", "man", "--bogus"]).exits(2);
    assert!(!other.stderr.contains("`ralph man`"), "{other:#?}");
}
