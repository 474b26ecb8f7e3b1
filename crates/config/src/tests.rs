//! Keys, layers and faults together.

use std::collections::BTreeMap;
use std::ffi::OsString;

use review_document::Position;
use review_lane::SandboxMode;

use crate::*;

fn variables(variables: &[(&str, &str)]) -> BTreeMap<OsString, OsString> {
    let each = |(name, value): &(&str, &str)| (name.into(), value.into());
    variables.iter().map(each).collect()
}

fn resolve(text: &str, set: &[(&str, &str)]) -> Result<Config, ConfigError> {
    resolve_with(text, set, &[])
}

const GONE: &[GoneKey] = &[GoneKey {
    name: "review.stamina",
    now: "`review.patience`",
}];

fn resolve_with(
    text: &str,
    set: &[(&str, &str)],
    settings: &[&str],
) -> Result<Config, ConfigError> {
    let settings: Vec<Setting> = settings.iter().map(|it| it.parse().unwrap()).collect();
    resolve_all(text, set, &settings)
}

fn resolve_all(
    text: &str,
    set: &[(&str, &str)],
    settings: &[Setting],
) -> Result<Config, ConfigError> {
    let sources = Sources {
        file: &ConfigFile::new("ralph.toml", text),
        variables: &variables(set),
        settings,
        gone: GONE,
    };
    Config::resolve(sources)
}

fn load(text: &str, set: &[(&str, &str)]) -> Result<Config, String> {
    resolve(text, set).map_err(|error| written(&error))
}

/// An error with all its faults, on lines of their own.
fn written(error: &ConfigError) -> String {
    let mut text = String::new();
    for fault in &error.in_file {
        let Position { line, column } = fault.position;
        let place = format!("--> {}:{line}:{column}", error.file.name());
        text.push_str(&format!("error: {}\n{place}\n", fault.message));
        if let Some(help) = &fault.help {
            text.push_str(&format!("= help: {help}\n"));
        }
    }
    text.push_str(&format!("error: {error}\n"));
    text
}

/// The values that are not defaults, with their origins.
fn shown_values(config: &Config) -> Vec<(&'static str, String, String)> {
    config
        .entries()
        .filter(|(_, _, origin)| **origin != Origin::Default)
        .map(|(key, value, origin)| (&*key.name, value.to_string(), origin.to_string()))
        .collect()
}

#[test]
fn a_file_sets_what_it_names_and_nothing_else() {
    let text = r#"
reviewer = "cmd:./judge.sh --fast"
[review]
max_iterations = 0x10
patience = 0
criteria = [{ name = "clarity", description = "Is clear" }]
[agent]
pass_env = ["TOKEN_A", "TOKEN_B"]
call_timeout = "90s"
[run]
max_calls = "unlimited"
[lint]
ignore = ["B", "self-dependency"]
fail_level = "warning"
per_file_ignores = { "specs/*" = ["S"] }
[lint.severities]
B4 = "error"
g = "info"
"#;
    let config = load(text, &[]).unwrap();
    let expected = [
        ("agent.call_timeout", "\"1m30s\"", "ralph.toml:9"),
        ("agent.pass_env", r#"["TOKEN_A","TOKEN_B"]"#, "ralph.toml:8"),
        ("lint.fail_level", "\"warning\"", "ralph.toml:14"),
        ("lint.ignore", r#"["B","G2"]"#, "ralph.toml:13"),
        (
            "lint.per_file_ignores",
            r#"{"specs/*":["S"]}"#,
            "ralph.toml:15",
        ),
        (
            "lint.severities",
            r#"{"B4":"error","G":"info"}"#,
            "ralph.toml:16",
        ),
        (
            "review.criteria",
            r#"[{"description":"Is clear","min_score":70,"name":"clarity"}]"#,
            "ralph.toml:6",
        ),
        ("review.max_iterations", "16", "ralph.toml:4"),
        ("review.patience", "0", "ralph.toml:5"),
        ("reviewer", "\"cmd:./judge.sh --fast\"", "ralph.toml:2"),
        ("run.max_calls", "\"unlimited\"", "ralph.toml:11"),
    ];
    let expected = expected.map(|(key, value, at)| (key, value.to_owned(), at.to_owned()));
    assert_eq!(shown_values(&config), expected);
    assert!(config.lint(&[]).select.unwrap().len() > 2);
}

#[test]
fn an_option_beats_a_setting_a_setting_a_variable_and_a_variable_the_file() {
    let text = "[review]\nmax_iterations = 4\npatience = 5\n[run]\nmax_time = \"3h\"\n";
    let set = [
        ("RALPH_REVIEW_MAX_ITERATIONS", "6"),
        ("RALPH_REVIEW_PATIENCE", "7"),
        ("RALPH_RUN_MAX_TIME", ""),
        ("RALPH_RUN_MAX_CALLS", "3"),
        ("RALPH_ROLE", "reviewer"),
    ];
    let settings = [
        "review.max_iterations=8",
        "review.patience=9",
        "review.patience=10",
    ];
    let settings = settings.map(|setting| setting.parse().unwrap());
    let option = Setting::of_option("--max-iterations", "review.max_iterations", Some(11));
    let settings: Vec<_> = settings.into_iter().chain(option).collect();
    let config = resolve_all(text, &set, &settings).unwrap();
    let expected = [
        ("review.max_iterations", "11", "--max-iterations"),
        ("review.patience", "10", "--set"),
        ("run.max_calls", "3", "RALPH_RUN_MAX_CALLS"),
        ("run.max_time", "\"3h\"", "ralph.toml:5"),
    ];
    let expected = expected.map(|(key, value, at)| (key, value.to_owned(), at.to_owned()));
    assert_eq!(shown_values(&config), expected);
}

#[test]
fn the_selector_that_names_fewer_rules_has_the_last_word() {
    use review_lint::{Rule, Severity};
    let text = "[lint]\nselect = [\"S\", \"G\", \"+F1\"]\n\
                ignore = [\"G\", \"S1\"]\n\
                [lint.severities]\nS2 = \"info\"\nS = \"warning\"\nALL = \"error\"\n";
    let lint = load(text, &[]).unwrap().lint(&[]);
    assert!(lint.selects(Rule::UndecidedText) && lint.selects(Rule::BadFrontMatter));
    assert!(!lint.selects(Rule::EmptySection) && !lint.selects(Rule::SelfDependency));
    assert!(!lint.selects(Rule::NoBackpressure));
    let severity = |rule| lint.severities.get(&rule).copied();
    assert_eq!(severity(Rule::UndecidedText), Some(Severity::Info));
    assert_eq!(severity(Rule::UnclosedFence), Some(Severity::Warning));
    assert_eq!(severity(Rule::NoBackpressure), Some(Severity::Error));
    let all = load("", &[]).unwrap().lint(&[]);
    assert_eq!(all.select, None);
    for (text, is_on) in [
        ("select = [\"+S\"]", true),
        ("select = [\"S\"]", false),
        ("ignore = [\"R\"]\nselect = [\"+R2\"]", true),
    ] {
        let lint = load(&format!("[lint]\n{text}\n"), &[]).unwrap().lint(&[]);
        assert_eq!(lint.selects(Rule::VagueWord), is_on, "{text}");
    }
    let none = load("[lint]\nselect = []\n", &[]).unwrap().lint(&[]);
    assert_eq!(none.select.map(|rules| rules.len()), Some(0));
}

#[test]
fn tables_of_rules_are_set_by_variables_in_json() {
    use review_lint::{Rule, Severity};
    let lint = load(
        "",
        &[
            ("RALPH_LINT_SEVERITIES", r#"{"empty-section": "error"}"#),
            ("RALPH_LINT_PER_FILE_IGNORES", r#"{"*.md": ["S3"]}"#),
        ],
    );
    let lint = lint.unwrap().lint(&[]);
    assert_eq!(
        lint.severities.get(&Rule::EmptySection),
        Some(&Severity::Error)
    );
    assert!(lint.ignores_in("a/b.md", Rule::UnclosedFence));
}

#[test]
fn a_wrong_variable_is_reported_by_the_place_in_it() {
    for (name, text, message) in [
        (
            "RALPH_REVIEW_KEEP",
            "worst",
            ": unknown value `worst`, expected `best` or `last`",
        ),
        (
            "RALPH_LINT_SEVERITIES",
            "S1=error",
            ": expected a table, found string \"S1=error\"",
        ),
        (
            "RALPH_LINT_PER_FILE_IGNORES",
            r#"{"*": "S1"}"#,
            ".*: expected an array, found string \"S1\"",
        ),
        (
            "RALPH_LINT_SELECT",
            "S, B77",
            "[1]: unknown rule \"B77\"; did you mean `B7`?",
        ),
        (
            "RALPH_AGENT_PASS_ENV",
            r#"["A", 1]"#,
            "[1]: expected a string, found integer `1`",
        ),
        (
            "RALPH_AGENT_PASS_ENV",
            "A=B",
            "[0]: the name of a variable must be at least one character, and none of them `=`, got \"A=B\"",
        ),
        (
            "RALPH_REVIEW_CRITERIA",
            "{",
            "[0]: expected a table, found string \"{\"",
        ),
        (
            "RALPH_REVIEW_CRITERIA",
            r#"[{"name":"a"}]"#,
            "[0]: missing field `description`",
        ),
        (
            "RALPH_HTTP",
            "[]",
            ": expected a table, found string \"[]\"",
        ),
        (
            "RALPH_HTTP",
            r#"{"a": {"api": "messages", "model": "m", "key_env": "sk-x"}}"#,
            ".a.key_env: must be the name of a variable that holds the key, never the key itself",
        ),
    ] {
        let error = load("", &[(name, text)]).unwrap_err();
        let first = error.lines().next();
        assert_eq!(first, Some(&*format!("error: {name}{message}")), "{text}");
    }
}

#[test]
fn profiles_and_models_are_shown_with_what_they_have() {
    let text = "[http.a]\napi = \"messages\"\nmodel = \"m\"\n\
                [http.\"b.2\"]\napi = \"chat_completions\"\nmodel = \"n\"\n\
                base_url = \"http://localhost:11434/v1/\"\nkey_env = \"K\"\n\
                max_tokens = 9\nstructured_output = false\n\
                [models.\"a/b\"]\nwindow = 200_000\ninput = 3\noutput = 15.5\n\
                cache_read = \"0.3\"\ncache_write = 0.000001\n[models.c]\n";
    let config = load(text, &[]).unwrap();
    let [http, models] = [
        serde_json::json!({
            "a": {"api": "messages", "model": "m", "structured_output": true},
            "b.2": {"api": "chat_completions", "model": "n", "base_url": "http://localhost:11434/v1",
                "key_env": "K", "max_tokens": 9, "structured_output": false},
        }),
        serde_json::json!({
            "a/b": {"window": 200_000, "input": "3.00", "output": "15.50",
                "cache_read": "0.30", "cache_write": "0.000001"},
            "c": {},
        }),
    ]
    .map(|value| value.to_string());
    let shown: Vec<_> = shown_values(&config)
        .into_iter()
        .map(|(name, value, _)| (name, value))
        .collect();
    assert_eq!(shown, [("http", http.clone()), ("models", models.clone())]);
    let read_back = load("", &[("RALPH_HTTP", &http), ("RALPH_MODELS", &models)]).unwrap();
    assert_eq!(read_back.http, config.http);
    assert_eq!(read_back.models, config.models);
}

#[test]
fn a_number_of_a_variable_may_have_a_sign_and_zeros_in_front() {
    for text in ["7", "+7", "007"] {
        let config = load("", &[("RALPH_REVIEW_PATIENCE", text)]).unwrap();
        assert_eq!(config.review.patience, 7);
    }
}

#[test]
fn learning_is_a_table_whose_absent_keys_have_defaults() {
    use review_learning::config::LearningConfig;
    assert_eq!(load("", &[]).unwrap().learning, None);
    let table = "[learning.learning_pipeline.analysis]\nmin_samples = 7\n";
    let mut expected = LearningConfig::default();
    expected.learning_pipeline.analysis.min_samples = 7;
    assert_eq!(load(table, &[]).unwrap().learning, Some(expected.clone()));
    let text = r#"{"learning_pipeline": {"analysis": {"min_samples": 7}}}"#;
    let config = load("", &[("RALPH_LEARNING", text)]).unwrap();
    assert_eq!(config.learning, Some(expected));
    let config = load(table, &[("RALPH_LEARNING", "none")]).unwrap();
    assert_eq!(config.learning, None);
}

#[test]
fn every_default_is_read_back_from_its_own_text() {
    let defaults = load("", &[]).unwrap();
    for (key, value, _) in defaults.entries() {
        let text = match &value {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let variable = key.variable.clone();
        let config = load("", &[(&variable, &text)]).unwrap();
        let values = |config: &Config| config.entries().map(|it| it.1).collect::<Vec<_>>();
        assert_eq!(values(&config), values(&defaults), "{variable}={text}");
        let set = (&*key.name, value.to_string(), variable);
        assert_eq!(shown_values(&config), [set]);
    }
}

#[test]
fn all_faults_are_reported_at_once_with_their_places() {
    let text = "reviewr = \"builtin\"\n[review]\nmax_iterations = 0\ncriteria = [1]\n";
    let error = resolve(text, &[("RALPH_AGENT_IDLE_TIMEOUT", "soon")]).unwrap_err();
    let help = "`ralph schema config` lists the keys and what they mean";
    let ConfigError {
        file,
        in_file,
        outside_file,
        help: told,
    } = error;
    assert_eq!(told, help);
    assert_eq!((file.name(), file.text()), ("ralph.toml", text));
    let fault = |span, (line, column), message: &str, help: Option<&str>| FileFault {
        span,
        position: Position { line, column },
        message: message.to_owned(),
        help: help.map(str::to_owned),
    };
    let unknown = "unknown key `reviewr`";
    let range = "`review.max_iterations`: expected an integer from 1, found integer `0`";
    let table = "`review.criteria[0]`: expected a table, found integer `1`";
    let expected = [
        fault(0..7, (1, 1), unknown, Some("did you mean `reviewer`?")),
        fault(46..47, (3, 18), range, None),
        fault(60..61, (4, 13), table, None),
    ];
    assert_eq!(in_file, expected);
    let message = "RALPH_AGENT_IDLE_TIMEOUT: \"soon\" is not a duration: write 90s, 10m or 2h";
    assert_eq!(outside_file, [message]);
}

#[test]
fn a_setting_is_toml_else_a_string_and_may_be_an_entry_of_a_table() {
    let text = "[models.a]\ninput = 1\n";
    for (setting, key, value) in [
        ("review.patience=5", "review.patience", "5"),
        ("run.max_time = 90s", "run.max_time", "\"1m30s\""),
        ("run.max_calls=unlimited", "run.max_calls", "\"unlimited\""),
        ("lane.target=2024", "lane.target", "\"2024\""),
        ("lint.ignore=B1, L3", "lint.ignore", "[\"B1\",\"L3\"]"),
        ("lint.ignore=['B1', 'L3']", "lint.ignore", "[\"B1\",\"L3\"]"),
        ("review.check=a = 'b'", "review.check", "\"a = 'b'\""),
        ("color=\"never\"", "color", "\"never\""),
        (
            "models.\"b.1\".input=2",
            "models",
            "{\"a\":{\"input\":\"1.00\"},\"b.1\":{\"input\":\"2.00\"}}",
        ),
        (
            "models={c = {input = 3}}",
            "models",
            "{\"c\":{\"input\":\"3.00\"}}",
        ),
    ] {
        let config = resolve_with(text, &[], &[setting]);
        let config = config.unwrap_or_else(|error| panic!("{setting}: {error}"));
        let set = (key, value.to_owned(), "--set".to_owned());
        assert!(shown_values(&config).contains(&set), "{setting}");
    }
}

#[test]
fn a_setting_that_cannot_be_used_says_why() {
    for (setting, message) in [
        (
            "review.patience=x",
            "--set review.patience: expected an integer from 0, found string \"x\"",
        ),
        (
            "review.patence=3",
            "unknown key `review.patence` of --set; did you mean `review.patience`?",
        ),
        ("review.stamina=3", "`review.stamina` is `review.patience`"),
        (
            "models.a.inptu=3",
            "--set models.a.inptu: unknown field `inptu`, expected one of `window`, `input`, `output`, \
             `cache_read`, `cache_write`",
        ),
    ] {
        let error = resolve_with("", &[], &[setting]).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    for text in ["review.patience", "=3", "a b=3", ""] {
        assert_eq!(text.parse::<Setting>(), Err(SettingError), "{text}");
    }
}

#[test]
fn an_array_is_no_table_whose_fields_it_lists() {
    for (text, place) in [
        ("[lane]\nsandbox = [\"off\"]\n", "`lane.sandbox`"),
        ("[models]\nm = [1, 2, 3, 4, 5]\n", "`models.m`"),
        (
            "[review]\ncriteria = [[\"a\", 1]]\n",
            "`review.criteria[0]`",
        ),
    ] {
        let error = load(text, &[]).unwrap_err();
        let expected = format!("error: {place}: expected a table, found an array\n");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn a_key_that_is_gone_is_answered_in_file_and_variable() {
    let error = load("[review]\nstamina = 3\n", &[]).unwrap_err();
    assert_eq!(
        error,
        "error: `review.stamina` is `review.patience`\n--> ralph.toml:2:1\n\
         error: the configuration ralph.toml cannot be used\n"
    );
    let error = load("", &[("RALPH_REVIEW_STAMINA", "3")]).unwrap_err();
    assert_eq!(
        error,
        "error: RALPH_REVIEW_STAMINA: `review.stamina` is `review.patience`\n"
    );
    load("", &[("RALPH_REVIEW_STAMINA", "")]).unwrap();
}

#[test]
fn a_backend_without_its_profile_names_the_one_that_was_meant() {
    let profile = "[http.local]\napi = \"messages\"\nmodel = \"m\"\n";
    for (reviewer, profile, help) in [
        ("http:locl", profile, "did you mean `http:local`?"),
        (
            "http:big",
            "",
            "add [http.big] with `api` and `model` to ralph.toml",
        ),
    ] {
        let error = resolve(profile, &[("RALPH_REVIEWER", reviewer)]).unwrap_err();
        let name = reviewer.trim_start_matches("http:");
        let message = format!("backend `{reviewer}`: table [http.{name}] not found");
        assert_eq!(error.to_string(), message);
        assert_eq!(error.help, help);
    }
}

#[test]
fn the_message_about_a_memory_key_says_what_it_may_not_be() {
    for key in ["1x", "criteria", "a-b", ""] {
        let error = load(&format!("[feedback]\nmemory_key = \"{key}\""), &[]).unwrap_err();
        let message = format!(
            "error: `feedback.memory_key`: a field for earlier feedback must be at most 64 ASCII \
             letters, digits and _, which start with no digit and are not another field of a \
             request, got \"{key}\"\n"
        );
        assert!(error.starts_with(&message), "{error}");
    }
}

#[test]
fn a_wrong_entry_of_a_table_is_reported_on_its_own_line() {
    for (text, place) in [
        ("[lint.severities]\nB4 = \"info\"\nB99x = \"info\"", "3:1"),
        ("[lint.severities]\nB4 = \"info\"\n\nS1 = 1", "4:1"),
        (
            "[lint.per_file_ignores]\n\"*\" = [\"S\"]\n\"x\" = [\"Q9x\"]",
            "3:8",
        ),
        (
            "[lint.per_file_ignores]\n\"*\" = [\"S\"]\n\"[\" = []",
            "3:1",
        ),
        ("[lint]\nignore = [\"S\"]\nselect = [\"Q9x\"]", "3:11"),
        (
            "[http.a]\nmodel = \"m\"\n\n[http.b]\napi = \"messages\"",
            "1:7",
        ),
        ("[http.a]\nmodel = \"m\"\napii = \"gemini\"", "3:1"),
        ("[models.\"a/b\"]\nwindow = 1\ninput = \"x\"", "3:1"),
        (
            "[[review.criteria]]\nname = \"a\"\ndescription = \"b\"\nmin_score = 101",
            "4:1",
        ),
        (
            "[learning]\nversion = \"1.0.0\"\n[learning.prompt_evolution]\nstorage_path = \"..\"",
            "4:1",
        ),
    ] {
        let error = load(text, &[]).unwrap_err();
        let line = error.lines().nth(1).unwrap_or_default();
        assert_eq!(line.trim(), format!("--> ralph.toml:{place}"), "{error}");
    }
}

#[test]
fn a_file_that_is_not_toml_has_no_other_fault() {
    let error = load("reviewr = 1\n[lint\nselect = [\n", &[]).unwrap_err();
    assert!(
        error.starts_with("error: unclosed table, expected `]`\n"),
        "{error}"
    );
    assert!(!error.contains("unknown key"), "{error}");
}

#[test]
fn a_wrong_value_is_reported_with_what_is_expected() {
    for (text, first) in [
        ("[review", "error: unclosed table, expected `]`"),
        ("review = 3", "error: `review` must be a table"),
        (
            "[lint.select]",
            "error: `lint.select`: expected an array, found a table",
        ),
        (
            "[lint]\nseverities = { B4 = \"off\" }",
            "error: `lint.severities.B4`: unknown value `off`, expected one of `info`, `warning`, `error`",
        ),
        (
            "[lint.severities]\nB4 = 1",
            "error: `lint.severities.B4`: expected a string, found integer `1`",
        ),
        (
            "[lint.severities]\nB99x = \"error\"",
            "error: `lint.severities.B99x`: unknown rule \"B99x\"; did you mean `B9`?",
        ),
        (
            "[lint.per_file_ignores]\n\"specs/[z-a].md\" = [\"S\"]",
            "error: `lint.per_file_ignores.specs/[z-a].md`: error parsing glob 'specs/[z-a].md': invalid range; 'z' > 'a'",
        ),
        (
            "[lint]\nper_file_ignores = { \"[\" = [] }",
            "error: `lint.per_file_ignores.[`: error parsing glob '[': unclosed character class; missing ']'",
        ),
        (
            "[learning.learning_pipeline.analysis]\nmin_samples = -5",
            "error: `learning.learning_pipeline.analysis.min_samples`: expected an integer from 1, found -5",
        ),
        (
            "learning = 7",
            "error: `learning`: must be a table with the keys of .aiwg/agent-learning.yaml, or \"none\"",
        ),
        (
            "[lint]\nrequired_sections = [\"Goal\", \" \"]",
            "error: `lint.required_sections[1]`: a value must be more than blanks, got \" \"",
        ),
        (
            "[lint]\nper_file_ignores = { \"*\" = \"S1\" }",
            "error: `lint.per_file_ignores.*`: expected an array, found string \"S1\"",
        ),
        (
            "[lint]\nselect = [\"B77\"]",
            "error: `lint.select[0]`: unknown rule \"B77\"; did you mean `B7`?",
        ),
        (
            "[agent]\npass_env = [\"A=B\"]",
            "error: `agent.pass_env[0]`: the name of a variable must be at least one character, and none of them `=`, got \"A=B\"",
        ),
        ("[reviw]\nx = 1", "error: unknown key `reviw`"),
        ("[lint]\npatience = 1", "error: unknown key `lint.patience`"),
        (
            "applier = \"gpt\"",
            "error: `applier`: \"gpt\" is not a backend; use builtin, cmd:PROGRAM, opencode, claude, codex, gemini, acp:COMMAND or http:PROFILE",
        ),
        (
            "[review]\ncriteria = []",
            "error: `review.criteria`: criteria must name at least one criterion",
        ),
        (
            "[review]\ncriteria = [{name = \"a\"}]",
            "error: `review.criteria[0]`: missing field `description`",
        ),
        (
            "[review]\ncriteria = [1]",
            "error: `review.criteria[0]`: expected a table, found integer `1`",
        ),
        (
            "[[review.criteria]]\nname = 1\ndescription = \"b\"",
            "error: `review.criteria[0].name`: expected a string, found integer `1`",
        ),
        (
            "[[review.criteria]]\nname = \"a\"\ndescription = \"b\"\nmin_score = 101",
            "error: `review.criteria[0].min_score`: must be between 0 and 100 (0-100), got 101",
        ),
        (
            "http = 3",
            "error: `http`: expected a table, found integer `3`",
        ),
        (
            "[http]\na = 1",
            "error: `http.a`: expected a table, found integer `1`",
        ),
        (
            "[http.a]\nmodel = \"m\"",
            "error: `http.a`: missing field `api`",
        ),
        (
            "[http.a]\napi = \"messages\"",
            "error: `http.a`: missing field `model`",
        ),
        (
            "[http.a]\napi = \"openai\"",
            "error: `http.a.api`: unknown value `openai`, expected one of `messages`, `chat_completions`, `responses`",
        ),
        (
            "[http.a]\napi = \"messages\"\nmodel = \"m\"\nbase_url = \"x\"",
            "error: `http.a.base_url`: must be an address such as https://api.example.com/v1, without name, password, query or fragment",
        ),
        (
            "[http.a]\napi = \"messages\"\nmodel = \"m\"\nmax_tokens = 0",
            "error: `http.a.max_tokens`: expected an integer from 1, found integer `0`",
        ),
        (
            "[http.a]\napi = \"messages\"\nmodel = \"m\"\nstructured_output = 1",
            "error: `http.a.structured_output`: expected a boolean, found integer `1`",
        ),
        (
            "[http.a]\napi = \"messages\"\nmodel = \"a b\"",
            "error: `http.a.model`: \"a b\" is not a valid name of a model",
        ),
        (
            "[http.\"a b\"]\napi = \"messages\"\nmodel = \"m\"",
            "error: `http.a b`: \"a b\" is not a valid name of a profile; write `http:NAME`, where ralph.toml has a table [http.NAME]",
        ),
        (
            "[models.m]\ninput = -1",
            "error: `models.m.input`: must be a number of US dollars such as 2.5, with at most six decimals",
        ),
        (
            "[models.m]\noutput = true",
            "error: `models.m.output`: must be a number of US dollars such as 2.5, with at most six decimals",
        ),
        (
            "[models.m]\nwindow = 0",
            "error: `models.m.window`: expected an integer from 1, found integer `0`",
        ),
        (
            "[models]\nm = 1",
            "error: `models.m`: expected a table, found integer `1`",
        ),
        (
            "[review]\ncriteria = [{nam = \"a\"}]",
            "error: `review.criteria[0].nam`: unknown field `nam`, expected one of `name`, `description`, `min_score`",
        ),
    ] {
        let error = load(text, &[]).unwrap_err();
        assert_eq!(error.lines().next(), Some(first), "{text}\n{error}");
    }
}

#[test]
fn a_wrong_criterion_is_reported_at_its_place() {
    let text = "[[review.criteria]]\nname = \"a\"\ndescription = \"b\"\n\n[[review.criteria]]\nname = \"c\"\n";
    let error = load(text, &[]).unwrap_err();
    let place = error.lines().nth(1).map(str::trim);
    assert_eq!(place, Some("--> ralph.toml:5:1"), "{error}");
}

#[test]
fn a_value_that_is_not_a_string_in_toml_is_not_read_as_one() {
    for text in [
        "state_dir = nan",
        "state_dir = 99999999999999999999",
        "[review]\ncheck = 07:32:00",
        "[run]\nmax_time = 00:10:00",
        "[agent]\npass_env = [1979-05-27]",
        "[http.a]\napi = \"messages\"\nmodel = 1979-05-27",
    ] {
        let error = load(text, &[]).unwrap_err();
        let message = "must not be a date, a time, nan, inf or an integer beyond 64 bits\n";
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn an_unknown_key_is_led_to_the_table_it_belongs_to() {
    let help = |text| {
        let error = load(text, &[]).unwrap_err();
        let help = error.lines().find_map(|line| line.split_once("= help: "));
        help.map(|(_, help)| help.to_owned())
    };
    for (text, expected) in [
        (
            "max_iteration = 3",
            Some("did you mean `review.max_iterations`?"),
        ),
        (
            "[lint]\nkeep = \"last\"",
            Some("did you mean `review.keep`?"),
        ),
        ("[reviw]\nx = 1", Some("did you mean `review`?")),
        ("[zzzzz]\nx = 1", None),
        ("[http.a]\napii = \"gemini\"", Some("did you mean `api`?")),
        (
            "[http.a]\napi = \"chat_completion\"",
            Some("did you mean `chat_completions`?"),
        ),
        ("[models.m]\ninputs = 1", Some("did you mean `input`?")),
        (
            "[[review.criteria]]\nnam = \"a\"",
            Some("did you mean `name`?"),
        ),
    ] {
        assert_eq!(help(text), expected.map(str::to_owned), "{text}");
    }
}

#[test]
fn the_work_of_an_implementer_is_configured_in_two_tables() {
    let text = "[task]\nimplementer = \"claude:opus\"\nattempts = 5\n\
                [lane]\ndirty = \"include\"\nland = \"branch\"\ntarget = \"next\"\n\
                setup = [\"npm ci\", \"make, all\"]\ntests = \"flag\"\n\
                may_change = [\"tests/*.py\"]\n\
                check = \"make check\"\nsandbox = { mode = \"off\", hide = [\"~/.ssh\"] }\n";
    let config = load(text, &[("RALPH_LANE_LAND", "never")]).unwrap();
    let expected = [
        ("lane.check", "\"make check\"", "ralph.toml:11"),
        ("lane.dirty", "\"include\"", "ralph.toml:5"),
        ("lane.land", "\"never\"", "RALPH_LANE_LAND"),
        ("lane.may_change", "[\"tests/*.py\"]", "ralph.toml:10"),
        (
            "lane.sandbox",
            "{\"hide\":[\"~/.ssh\"],\"mode\":\"off\",\"write\":[]}",
            "ralph.toml:12",
        ),
        ("lane.setup", "[\"npm ci\",\"make, all\"]", "ralph.toml:8"),
        ("lane.target", "\"next\"", "ralph.toml:7"),
        ("lane.tests", "\"flag\"", "ralph.toml:9"),
        ("task.attempts", "5", "ralph.toml:3"),
        ("task.implementer", "\"claude:opus\"", "ralph.toml:2"),
    ];
    let expected = expected.map(|(key, value, at)| (key, value.to_owned(), at.to_owned()));
    assert_eq!(shown_values(&config), expected);

    let words =
        "[task]\nimplementer = \"none\"\n[lane]\ntarget = \"current\"\nsandbox.mode = \"bwrap\"\n";
    let config = load(words, &[]).unwrap();
    let none = (
        &config.task.implementer,
        &config.lane.target,
        &config.lane.check,
    );
    assert_eq!(none, (&None, &None, &None));
    assert_eq!(config.lane.sandbox.mode, SandboxMode::Bwrap);
    assert_eq!(config.task.attempts.get(), 3);
}

#[test]
fn a_word_for_the_table_of_the_sandbox_is_answered_with_its_mode() {
    let answer = "expected a table, found string \"off\"; write `sandbox.mode = \"off\"` \
                  (variable: RALPH_LANE_SANDBOX=\"{mode='off'}\")";
    let in_file = load("[lane]\nsandbox = \"off\"\n", &[]).unwrap_err();
    let fault = format!("error: `lane.sandbox`: {answer}\n--> ralph.toml:2:11\n");
    assert!(in_file.starts_with(&fault), "{in_file}");
    let variable = load("", &[("RALPH_LANE_SANDBOX", "off")]).unwrap_err();
    let fault = format!("error: RALPH_LANE_SANDBOX: {answer}\n");
    assert!(variable.starts_with(&fault), "{variable}");
    let meant = load("", &[("RALPH_LANE_SANDBOX", "{mode='off'}")]).unwrap();
    assert_eq!(meant.lane.sandbox.mode, SandboxMode::Off);
}

#[test]
fn a_wrong_value_of_a_lane_is_reported_where_it_is() {
    let text = "[task]\nimplementer = \"cloude\"\nattempts = 0\n\
                [lane]\ndirty = \"keep\"\ntarget = \"a b\"\nsetup = [\"make\", \" \"]\nsandbox = { hide = [\"\"] }\n";
    assert_eq!(
        load(text, &[]).unwrap_err(),
        "error: `task.implementer`: \"cloude\" is not a backend; did you mean claude?\n\
         --> ralph.toml:2:15\n\
         error: `task.attempts`: expected an integer from 1, found integer `0`\n--> ralph.toml:3:12\n\
         error: `lane.dirty`: unknown value `keep`, expected one of `refuse`, `include`, `ignore`\n--> ralph.toml:5:9\n\
         error: `lane.target`: the name of a branch must be one that git takes, got \"a b\"\n--> ralph.toml:6:10\n\
         error: `lane.setup[1]`: a value must be more than blanks, got \" \"\n--> ralph.toml:7:18\n\
         error: `lane.sandbox.hide[0]`: a value must be more than blanks, got \"\"\n--> ralph.toml:8:21\n\
         error: the configuration ralph.toml cannot be used\n"
    );
}
