//! `ralph doctor`.

use serde_json::Value;

use crate::support::{Ran, TestEnvironment};

/// State and message of the check of a name.
fn check(ran: &Ran, name: &str) -> Option<(String, String)> {
    let diagnosis = ran.json();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let checks = diagnosis["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == name)?;
    Some((text(&check["state"]), text(&check["message"])))
}

fn of(state: &str, message: &str) -> Option<(String, String)> {
    Some((state.to_owned(), message.to_owned()))
}

#[test]
fn a_quiet_doctor_prints_its_result_alone() {
    let environment = TestEnvironment::new();
    let all = environment.ralph(["doctor"]).stdout;
    let quiet = environment.ralph(["doctor", "-q"]).stdout;
    assert_eq!(quiet.lines().count(), 1);
    assert!(all.contains(&format!("\n{}", quiet)), "{all}");
}

#[test]
fn a_fresh_project_is_usable() {
    let environment = TestEnvironment::new();
    let bash = environment.program("bash", "exit 0");
    let git = environment.program("git", "echo 0123abcd");
    let ran = environment.ralph(["doctor", "--format", "json"]).exits(0);
    assert_eq!(ran.json()["usable"], true);
    let path = |path: &std::path::Path| environment.normalized(path.to_str().unwrap());
    assert_eq!(check(&ran, "bash"), of("ok", &path(&bash)));
    assert_eq!(check(&ran, "git"), of("ok", &path(&git)));
    assert_eq!(
        check(&ran, "configuration"),
        of("ok", "every key and value is known")
    );
    assert_eq!(
        check(&ran, "state folder"),
        of("ok", "[ROOT]/.ralph-review can be written")
    );
    assert_eq!(check(&ran, "reviewer"), of("ok", "builtin"));
    assert_eq!(check(&ran, "applier"), of("ok", "builtin"));
    assert_eq!(check(&ran, "specs"), of("warning", "no spec in specs/"));
    let shown = environment.ralph(["doctor"]).exits(0).stdout;
    let end = "\nNo errors, 1 warning.\nnext:\nwrite a first spec and task:\nralph init\n\
               see what ralph does, without a key:\nralph demo\n";
    assert!(shown.ends_with(end), "{shown}");
    environment.write("specs/A.md", "# A\n");
    let shown = environment.ralph(["doctor"]).exits(0).stdout;
    assert!(shown.contains("specs: 1 spec\n"), "{shown}");
    assert!(
        shown.contains("\nEverything that a run needs is here.\n"),
        "{shown}"
    );
}

#[test]
fn a_folder_without_a_project_stays_as_it_is() {
    let environment = TestEnvironment::without_project();
    environment.ralph(["doctor"]).exits(0);
    assert_eq!(environment.files(""), [""; 0]);
}

#[test]
fn it_ends_with_the_commands_that_fit_the_folder() {
    let environment = TestEnvironment::without_project();
    let next = || {
        let command = environment.command(["doctor"]);
        let shown = command.run().exits(0).stdout;
        let (_, steps) = shown.split_once("\nnext:\n").unwrap();
        let commands = steps.lines().filter(|line| line.starts_with("ralph "));
        commands.map(str::to_owned).collect::<Vec<_>>()
    };
    environment.write("TODO.md", "- [x] Cards\n");
    assert_eq!(next(), ["ralph init", "ralph demo"]);
    environment.write("TODO.md", "- [ ] Cards\n");
    assert_eq!(next(), ["ralph import TODO.md"]);
    let prd = environment.write("prd.json", "{}");
    let both = ["ralph import prd.json", "ralph import TODO.md"];
    assert_eq!(next(), both);
    std::fs::remove_file(prd).unwrap();
    environment.write("specs/CASH.md", "# Cash\n");
    let run = "ralph run specs/CASH.md";
    assert_eq!(next(), ["ralph status", run, "ralph gate"]);
    environment.write("specs/CARDS.md", "# Cards\n");
    assert_eq!(next(), ["ralph status", "ralph gate"]);
}

#[test]
fn the_clients_that_are_installed_and_the_variables_that_programs_see_are_shown() {
    let environment = TestEnvironment::new();
    environment.program("codex", "echo codex-cli 0.169.0");
    environment.write("ralph.toml", "[agent]\npass_env = [\"MODE\", \"ABSENT\"]\n");
    let ran = environment
        .command(["doctor", "--format", "json"])
        .env("MODE", "strict")
        .run()
        .exits(0);
    assert_eq!(
        check(&ran, "agents"),
        of(
            "ok",
            "installed: codex codex-cli 0.169.0; \
             not installed: opencode, claude, gemini; \
             without a client: builtin, cmd:PROGRAM, acp:COMMAND, http:PROFILE"
        )
    );
    assert_eq!(
        check(&ran, "environment"),
        of("warning", "agent.pass_env names ABSENT, which is not set")
    );
    let shown = environment.ralph(["doctor"]).exits(0).stdout;
    let absent = "warning: environment: agent.pass_env names ABSENT, which is not set\n";
    assert!(shown.contains(absent), "{shown}");
}

#[test]
fn a_reviewer_is_checked_before_it_is_configured() {
    let environment = TestEnvironment::new();
    let doctor =
        |reviewer| environment.ralph(["doctor", "--reviewer", reviewer, "--format", "json"]);
    let missing = doctor("claude").exits(1);
    let (state, message) = check(&missing, "reviewer").unwrap();
    assert_eq!(state, "error");
    assert!(
        message.starts_with("claude: program \"claude\" was not found"),
        "{message}"
    );
    let checks = missing.json()["checks"].clone();
    let hints = checks.as_array().unwrap().iter();
    let hints: Vec<_> = hints.filter_map(|check| check["hint"].as_str()).collect();
    let install = "npm install --global @anthropic-ai/claude-code";
    assert!(
        hints.iter().any(|hint| hint.ends_with(install)),
        "{hints:?}"
    );
    environment.program("claude", "echo 2.1.197");
    let found = doctor("claude").exits(0);
    assert_eq!(
        check(&found, "reviewer"),
        of("ok", "claude, version 2.1.197")
    );
    let unknown = doctor("http:none").exits(1);
    let (state, message) = check(&unknown, "configuration").unwrap();
    assert_eq!(state, "error");
    assert!(message.contains("http:none"), "{message}");
    doctor("cmd:./judge.sh").exits(1);
    environment.program("judge", "exit 0");
    doctor("cmd:judge").exits(0);
}

#[test]
fn a_configuration_that_cannot_be_used_is_an_error() {
    let environment = TestEnvironment::new();
    environment.write(
        "ralph.toml",
        "[review]\nmax_iteration = 3\npatience = \"x\"\n",
    );
    let ran = environment.ralph(["doctor"]).exits(1);
    assert!(
        ran.stdout.contains(
            "error: configuration: the configuration ralph.toml cannot be used: \
             ralph.toml:2: unknown key `review.max_iteration`; \
             ralph.toml:3: `review.patience`: expected an integer from 0, found string \"x\"\n"
        ),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.ends_with("A run needs 1 thing fixed.\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn the_state_folder_is_seen_from_where_it_is_named() {
    let environment = TestEnvironment::new();
    environment.write("src/x.txt", "");
    let folder = |named: Option<&str>| {
        let command = environment.command(["doctor", "--format", "json"]);
        let command = match named {
            Some(named) => command.env("RALPH_STATE_DIR", named),
            None => command,
        };
        let (_, message) = check(&command.in_folder("src").run(), "state folder").unwrap();
        message
    };
    assert_eq!(folder(None), "[ROOT]/.ralph-review can be written");
    assert_eq!(folder(Some("own")), "[ROOT]/src/own can be written");
    environment.write("ralph.toml", "state_dir = \"kept\"\n");
    assert_eq!(folder(None), "[ROOT]/kept can be written");
}
