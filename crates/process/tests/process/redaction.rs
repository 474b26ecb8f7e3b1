//! Secret values, and streams that arrive in pieces.

use std::ffi::OsStr;
use std::sync::LazyLock;

use proptest::prelude::*;
use review_process::Redactor;
use review_process::redact::{Sensitivity, secret_values};
use review_process::{Context, Groups, Stop, run};

use crate::support::{self, sh};

fn redact(values: &[&str], text: &str) -> String {
    support::redact(&Redactor::new(values), text)
}

#[test]
fn the_start_of_a_text_ends_before_what_may_be_a_secret() {
    let redactor = Redactor::new(["secret-value-1"]);
    for (start, shown) in [
        ("the key sec", "the key "),
        ("the key secret-value-", "the key "),
        ("the key secret-value-1 now", "the key [redacted] now"),
        ("the section now", "the section now"),
        ("the key s", "the key "),
        ("the key ghp_0123", "the key "),
        ("see Bearer abc", "see "),
        ("a\n-----BEGIN RSA PRIV", "a\n"),
        ("\u{1b}[1mthe key sec\u{1b}[0mret", "the key "),
    ] {
        let clean = redactor.redact_start(start.as_bytes());
        assert_eq!(String::from_utf8(clean).unwrap(), shown, "{start}");
    }
}

#[test]
fn a_value_is_replaced_both_plain_and_json_escaped() {
    let quoted = "pass\"word\\one\n\u{1}\u{e4}\u{1f511}";
    let cases = [
        (
            vec!["hunter2-hunter2"],
            "a hunter2-hunter2b",
            "a [redacted]b",
        ),
        (
            vec!["  hunter2-hunter2\n"],
            "a hunter2-hunter2\n",
            "a [redacted]\n",
        ),
        (vec!["short67"], "a short67", "a short67"),
        (vec!["k-123456"], "sk-1234567", "s[redacted]7"),
        (
            vec!["0123456789abcdefXY"],
            "a 0123456789abcdefX",
            "a 0123456789abcdefX",
        ),
        (vec!["eight678"], "a eight678", "a [redacted]"),
        (vec![quoted], quoted, "[redacted]"),
        (
            vec![quoted],
            r#""pass\"word\\one\n\u0001ä🔑""#,
            "\"[redacted]\"",
        ),
        (
            vec![quoted],
            r#""pass\"word\\one\n\u0001\u00e4\ud83d\udd11""#,
            "\"[redacted]\"",
        ),
        (vec!["ends-with-\\"], r#""ends-with-\\""#, "\"[redacted]\""),
        (vec!["a/b/c/d/e"], r#"a\/b\/c\/d\/e"#, "[redacted]"),
        (
            vec!["p@ss w/rd:1 é"],
            "p%40ss%20w%2Frd%3A1%20%C3%A9 p%40ss%20w%2frd%3a1%20%c3%a9 p%40ss+w%2Frd%3A1+%C3%A9 p%40ss%20w/rd%3A1%20%C3%A9",
            "[redacted] [redacted] [redacted] [redacted]",
        ),
        (
            vec!["abcdefgh", "abcdefghijkl"],
            "abcdefghijklm abcdefghi",
            "[redacted]m [redacted]i",
        ),
        (
            vec!["sk-12345"],
            "sk-12345 sk-1234567890abcdefgh",
            "[redacted] [redacted]",
        ),
        (
            vec!["sk-1234567890abcdefgh with blanks"],
            "sk-1234567890abcdefgh with blanks",
            "[redacted]",
        ),
        (
            vec!["0123456789abcdefXY"],
            "0123456789abcdefXZ 0123456789abcdefXY",
            "0123456789abcdefXZ [redacted]",
        ),
    ];
    for (values, text, expected) in cases {
        assert_eq!(redact(&values, text), expected, "{values:?}");
    }
}

#[test]
fn variables_that_are_configured_as_secret_or_have_a_secret_name_are_secret() {
    let variables = [
        ("HOME", "/home/someone"),
        ("PATH", "/usr/bin:/bin"),
        ("LANG", "en_US.UTF-8"),
        ("MARKED", "marked value"),
        ("PLAIN", "plain value"),
        ("API_KEY", "key value"),
        ("npm_config_authToken", "token value"),
        ("CLIENT_SECRET", "secret value"),
        ("DB_PASSWORD", "password value"),
        ("DB_PASS", "pass value"),
        ("CLOUD_CREDENTIALS", "credentials value"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=headers value"),
        ("COMPASS", "compass value"),
        ("KEYBOARD", "keyboard value"),
        ("COPY_KEY", "/home/someone"),
    ];
    let variables = variables.map(|(name, value)| (OsStr::new(name), OsStr::new(value)));
    let values = secret_values(variables, |name| match name == "MARKED" || name == "HOME" {
        true => Sensitivity::Secret,
        false => Sensitivity::Unknown,
    });
    let expected = [
        "marked value",
        "key value",
        "token value",
        "secret value",
        "password value",
        "pass value",
        "credentials value",
        "authorization=headers value",
    ];
    assert_eq!(values, expected.map(str::as_bytes));
}

#[test]
fn a_variable_that_is_passed_on_is_secret_if_its_value_looks_like_a_key() {
    for (value, is_secret) in [
        ("needs_revision", false),
        ("needs_revision_of_the_whole_document_2024", false),
        ("claude-sonnet-4-5-20250929", false),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", false),
        ("/home/someone/projects/service2/.venv/bin", false),
        ("https://host.example:8443/v1/projects/12345", false),
        ("0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3", false),
        ("00000000000000000000000000000001", false),
        ("internationalizations", false),
        ("16C7e42F292c6912E7710c83", true),
        ("9f86d081884c7d659a2feaa0c55ad015", true),
        ("id=wJalrXUtnFEMI3K7MDENGbPxRfiCYEX", true),
        ("c2VjcmV0IHZhbHVlIG9mIGFuIGFwaTE=", true),
    ] {
        let variable = (OsStr::new("MODE"), OsStr::new(value));
        let found = secret_values([variable], |_| Sensitivity::Passed);
        assert_eq!(!found.is_empty(), is_secret, "{value}");
        let found = secret_values([variable], |_| Sensitivity::Unknown);
        assert!(found.is_empty(), "{value}");
    }
}

#[test]
fn fields_with_a_secret_name_in_a_json_variable_are_secret() {
    let config = r#" {"provider": {"own": {"options": {"apiKey": "key value",
        "baseURL": "http://h"}}}, "tokens": "none", "password": ["first one", {"of": "second one"}],
        "keyboard": "keyboard value", "token": 7}"#;
    let variables = [
        ("PATH", "first one"),
        ("CLIENT_CONFIG", config),
        ("BROKEN", "{\"apiKey\": \"broken value\""),
        ("LIST", "[\"apiKey\"]"),
    ];
    let variables = variables.map(|(name, value)| (OsStr::new(name), OsStr::new(value)));
    let mut values = secret_values(variables, |_| Sensitivity::Unknown);
    values.sort();
    assert_eq!(values, ["key value", "second one"].map(str::as_bytes));
}

#[test]
fn the_password_of_a_url_is_secret() {
    let variables = [
        (
            "https_proxy",
            "http://ann:pa%73s@word%2g@proxy.example:8080/x@y",
        ),
        (
            "DATABASE",
            "see postgres://bob:open-sesame@db , https://a:b@c",
        ),
        ("NO_PASSWORD", ""),
        ("USER_ALONE", "ssh://git@host:22/x"),
        ("PATH_ALONE", "http://host:80/a:b@c"),
        ("NO_ADDRESS", "a:b@c"),
    ];
    let variables = variables.map(|(name, value)| (OsStr::new(name), OsStr::new(value)));
    let mut values = secret_values(variables, |_| Sensitivity::Unknown);
    values.retain(|value| !value.is_empty());
    let expected = [
        "ann:pa%73s@word%2g@",
        "pa%73s@word%2g",
        "pass@word%2g",
        "bob:open-sesame@",
        "open-sesame",
    ];
    assert_eq!(values, expected.map(str::as_bytes));
}

#[tokio::test]
async fn secrets_reach_neither_the_log_nor_the_capture() {
    let redactor = Redactor::new(["hunter2-hunter2"]);
    let groups = Groups::default();
    let (_stopper, stop) = tokio::sync::watch::channel(Stop::Run);
    let command = sh("printf hunter2; printf -- '-hunter2 '; echo sk-0123456789abcdef >&2");
    let context = Context::new(stop, &groups, &redactor);
    let ended = run(command, context).await.unwrap();
    assert_eq!(ended.stdout.text(), "[redacted] ");
    assert_eq!(ended.stderr.text(), "[redacted]\n");
}

#[test]
fn a_line_is_output_when_it_ends_and_a_long_one_in_parts() {
    let redactor = Redactor::new(["a value of some length", "first line\nsecond line"]);
    let out = |pieces: &[&str]| {
        let (mut redaction, mut clean) = (redactor.start(), Vec::new());
        for piece in pieces {
            redaction.push(piece.as_bytes(), &mut |bytes| {
                clean.extend_from_slice(bytes)
            });
        }
        String::from_utf8(clean).unwrap()
    };
    assert_eq!(out(&["one", " two"]), "");
    assert_eq!(out(&["one", " two\nthree"]), "one two\n");
    assert_eq!(out(&["one first line\n"]), "one ");
    assert_eq!(out(&["one first line\nsec"]), "one ");
    assert_eq!(
        out(&["one first line\nse", "ed\n"]),
        "one first line\nseed\n"
    );
    assert_eq!(
        out(&["one first line\nse", "cond line\n"]),
        "one [redacted]\n"
    );
    let long = "x".repeat(100_000);
    let shown = out(&[&long]);
    assert!((20_000..100_000).contains(&shown.len()), "{}", shown.len());
}

#[test]
fn a_line_without_an_end_is_held_back_in_bounded_memory() {
    let redactor = Redactor::new(["a value of some length"]);
    let hostile = [
        "eyJ",
        "-----BEGIN ",
        "sk-.",
        "sk-0123456789abcdefg",
        "Bearer ",
        "Basic ",
        "a value",
        "\\",
        "-----BEGIN A PRIVATE KEY.",
        "-----BEGIN A PRIVATE KEY-----",
        "\u{1b}[",
    ];
    for piece in hostile {
        let (mut redaction, mut pushed, mut held) = (redactor.start(), 0, 0);
        for _ in 0..20_000 {
            pushed += piece.len();
            held += piece.len();
            redaction.push(piece.as_bytes(), &mut |bytes| held -= held.min(bytes.len()));
        }
        let debug = format!("{redaction:?}").len();
        assert!(debug < 2_000_000, "{piece}: {debug} for {pushed}");
        redaction.finish(&mut |_| {});
    }
}

#[test]
fn escape_sequences_are_removed_before_secrets_are_looked_for() {
    for (text, expected) in [
        ("hunter2\u{1b}[0m-hunter2", "[redacted]"),
        (
            "\u{1b}[1mhun\u{1b}]8;;x\u{7}ter2-hunter2\u{1b}[m!",
            "[redacted]!",
        ),
        ("ghp_0123456\u{1b}[31m789abcdef", "[redacted]"),
        ("\u{1b}[31mred\u{1b}[0m", "red"),
    ] {
        assert_eq!(redact(&["hunter2-hunter2"], text), expected, "{text:?}");
    }
}

#[test]
fn a_redactor_for_nothing_passes_everything_on_at_once() {
    let text = b"a\x1b[1m sk-0123456789abcdefgh\0\xff";
    let none = Redactor::none();
    let (mut redaction, mut out) = (none.start(), Vec::new());
    redaction.push(text, &mut |bytes| out.extend_from_slice(bytes));
    assert_eq!(out, text);
}

/// Pieces of secrets and of strings that only start like one.
fn fragment() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "sk-.",
        "ghp_",
        "AKIA",
        "eyJhbGciOiJI",
        ".",
        "Bearer ",
        "-----BEGIN ",
        "-----END ",
        "RSA PRIVATE KEY",
        "-----",
        "0123456789abcdef",
        "ABCDEFGHIJKLMNOP",
        "hunter2",
        "-hunter2",
        "\\n",
        "\\\\",
        "\"",
        " ",
        "\n",
        "m",
        "\u{1b}[0",
        "\u{e4}",
        "%3",
        "D",
        "_",
        "\u{1b}[",
        "\u{1b}]",
        "line one\nline two",
        "line one",
        "\nline",
        " two",
        "Basic ",
        "dXNlcjpwYXNzd29yZA==",
    ]);
    prop_oneof![8 => known.prop_map(str::to_owned), 1 => ".{0,8}"]
}

static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| {
    Redactor::new([
        "hunter2-hunter2",
        "hunter2-hunter2-0123456789abcdef",
        "m\"hunter2",
        "line one\nline two",
    ])
});

proptest! {
    #[test]
    fn any_split_gives_the_same_result(
        fragments in prop::collection::vec(fragment(), 0..40),
        cuts in prop::collection::vec(1_usize..24, 1..40),
    ) {
        let text = fragments.concat();
        let mut pieces = Vec::new();
        let mut redaction = REDACTOR.start();
        let (mut rest, mut cuts) = (text.as_bytes(), cuts.iter().cycle());
        while let Some(&cut) = cuts.next().filter(|_| !rest.is_empty()) {
            let (piece, others) = rest.split_at(cut.min(rest.len()));
            redaction.push(piece, &mut |bytes| pieces.extend_from_slice(bytes));
            rest = others;
        }
        redaction.finish(&mut |bytes| pieces.extend_from_slice(bytes));
        let whole = REDACTOR.redact(text.as_bytes());
        prop_assert_eq!(String::from_utf8_lossy(&pieces), String::from_utf8_lossy(&whole));
    }

    #[test]
    fn a_value_is_never_output(before in ".{0,20}", after in ".{0,20}", value in "[a-z0-9/+]{8,40}") {
        let clean = redact(&[&value], &format!("{before} {value} {after}"));
        prop_assert!(!clean.contains(&value));
    }

    #[test]
    fn a_text_without_secrets_is_unchanged(text in "[a-zA-Z .,\\n]{0,200}") {
        prop_assume!(!text.contains("earer ") && !text.contains("BEARER ") && !text.contains("eyJ"));
        prop_assert_eq!(REDACTOR.redact(text.as_bytes()), text.as_bytes());
    }
}
