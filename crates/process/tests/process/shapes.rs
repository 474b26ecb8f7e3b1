//! Strings that are recognized as keys.

use review_process::Redactor;

use crate::support;

fn redact(text: &str) -> String {
    support::redact(&Redactor::default(), text)
}

const LETTERS: &str = "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0FeDcBaQ";

#[test]
fn every_known_shape_is_replaced_anywhere() {
    let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl";
    let keys = [
        format!("sk-{LETTERS}"),
        format!("sk-ant-api03-{LETTERS}-_{LETTERS}"),
        format!("sk-proj-{LETTERS}"),
        format!("ghp_{LETTERS}"),
        format!("gho_{LETTERS}"),
        format!("ghu_{LETTERS}"),
        format!("ghs_{LETTERS}"),
        format!("ghr_{LETTERS}"),
        format!("github_pat_11ABC_{LETTERS}"),
        "glpat-Zx9Yw8Vu7Ts6Rq5Po4Nm".to_owned(),
        "xoxb-123456789012-abcdef".to_owned(),
        "xoxa-2-123456789012".to_owned(),
        "xoxp-123456789012-abcdef".to_owned(),
        "xoxr-123456789012-abcdef".to_owned(),
        "xoxs-123456789012-abcdef".to_owned(),
        "AKIAIOSFODNN7EXAMPLE".to_owned(),
        "ASIAIOSFODNN7EXAMPLE".to_owned(),
        format!("AIza{}", &LETTERS[..35]),
        format!("ya29.a0{LETTERS}"),
        format!("hf_{}", &LETTERS[..34]),
        format!("npm_{}", &LETTERS[..36]),
        format!("pypi-AgEIcHlwaS5vcmc{LETTERS}"),
        token.to_owned(),
    ];
    for key in keys {
        for (before, after) in [
            ("", ""),
            ("key: ", "\n"),
            ("{\"a\":\"", "\"}"),
            ("A=", "&b"),
            ("\\n", "\\n"),
        ] {
            let expected = format!("{before}[redacted]{after}");
            assert_eq!(redact(&format!("{before}{key}{after}")), expected);
        }
    }
}

#[test]
fn a_bearer_is_replaced_with_its_token() {
    let cases = [
        (
            "Authorization: Bearer abc123def456\r\n",
            "Authorization: [redacted]\r\n",
        ),
        (
            "authorization: bearer a.b-c~d+e/f=g_hijklmnop ok",
            "authorization: [redacted] ok",
        ),
        ("Bearer of bad news", "Bearer of bad news"),
        (
            "Bearer authentication is asked for.",
            "Bearer authentication is asked for.",
        ),
        ("Bearer abc123", "Bearer abc123"),
    ];
    for (text, expected) in cases {
        assert_eq!(redact(text), expected);
    }
}

#[test]
fn basic_credentials_are_replaced() {
    for (text, expected) in [
        (
            "Authorization: Basic dXNlcjpwYXNzd29yZA==\r\n",
            "Authorization: [redacted]\r\n",
        ),
        (
            "authorization: basic dXNlcjp0b2tlbg, ok",
            "authorization: [redacted], ok",
        ),
        ("{\"a\":\"Basic OnRva2Vu\"}", "{\"a\":\"[redacted]\"}"),
        (
            "Basic authentication is asked for.",
            "Basic authentication is asked for.",
        ),
        ("Basic dXNlcg==", "Basic dXNlcg=="),
        ("Basic knowledge", "Basic knowledge"),
    ] {
        assert_eq!(redact(text), expected);
    }
}

#[test]
fn a_private_key_is_replaced_up_to_its_last_line() {
    let body = "Proc-Type: 4,ENCRYPTED\n\nMIIEpAIBAAKCAQEA+/x=\nAbCd==\n";
    for label in [
        "RSA PRIVATE KEY",
        "PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        let key = format!("-----BEGIN {label}-----\n{body}-----END {label}-----");
        assert_eq!(redact(&format!("a\n{key}\nb {{}}")), "a\n[redacted]\nb {}");
        for escaped in [key.replace('\n', "\\n"), key.replace('\n', "\\\\r\\\\n")] {
            let json = format!("{{\"key\":\"{escaped}\\n\",\"b\":1}}");
            assert_eq!(redact(&json), "{\"key\":\"[redacted]\\n\",\"b\":1}");
        }
    }
}

#[test]
fn a_truncated_private_key_hides_only_what_looks_like_one() {
    let begin = "-----BEGIN PRIVATE KEY-----";
    let cases = [
        (format!("{begin}\nMIIE"), "[redacted]"),
        (
            format!("\"{begin}\\\"\", {{\"verdict\":1}}"),
            "\"[redacted]\\\"\", {\"verdict\":1}",
        ),
        (format!("`{begin}` begins it"), "`[redacted]` begins it"),
        (
            format!("{begin}\n-----END -----END PRIVATE KEY----- x"),
            "[redacted] x",
        ),
        (
            format!("{begin}\\\\\\\\\\\\\\\\\\n"),
            "[redacted]\\\\\\\\\\\\\\\\\\n",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(redact(&text), expected, "{text}");
    }
}

#[test]
fn text_that_only_resembles_a_key_is_unchanged() {
    let long = "a".repeat(5000);
    let texts = [
        "the task-management-system-of-the-unit",
        "sk-short",
        "ghp_short",
        "npm_config_user_agent_and_other_variables",
        "hf_hub_download_with_a_long_function_name",
        "AKIAshort AIzashort xoxb-1 glpat-1 ya29.x",
        "pypi-publish-workflow",
        "XAKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9",
        "eyJhbGciOiJIUzI1NiJ9. The next sentence",
        "eyJ.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----",
        "-----BEGIN PRIVATE KEY----",
        "-----BEGIN private key-----",
        "-----BEGIN ",
        &format!("eyJ{long}.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"),
        &format!("-----BEGIN {}PRIVATE KEY-----", "A".repeat(64)),
    ];
    for text in texts {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn a_nonce_matches_no_shape() {
    let redactor = Redactor::default();
    let mut digits = Vec::new();
    for seed in 0..2000_u64 {
        let mut state = seed;
        digits.clear();
        for _ in 0..4 {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            digits.extend(format!("{:016x}", mixed ^ (mixed >> 27)).into_bytes());
        }
        let hex = String::from_utf8(digits.clone()).unwrap();
        let uuid = format!(
            "{}-{}-4{}-a{}-{}",
            &hex[..8],
            &hex[8..12],
            &hex[13..16],
            &hex[17..20],
            &hex[20..32]
        );
        let text = format!(
            "<artifact-{hex}>\nreview_id: {uuid}\n</artifact-{hex}>\n{{\"review_id\":\"{uuid}\"}}"
        );
        assert_eq!(redactor.redact(text.as_bytes()), text.as_bytes());
    }
}
