//! The secret values in environment variables, and their notations.

use std::borrow::Cow;
use std::ffi::OsStr;

use percent_encoding::percent_decode;
use serde_json::Value;

/// The setting of a variable in the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sensitivity {
    /// Nothing: only its name tells whether its value is secret.
    Unknown,
    /// Agents see it, so its value is also secret if it looks like a key.
    Passed,
    /// Its value is secret.
    Secret,
}

/// The ends of names whose values are secret.
const SECRET_NAMES: [&str; 10] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "_PASS",
    "_HEADERS",
];

/// The shortest run of letters and digits that looks like a key.
const MIN_KEY: usize = 20;

/// The least information of a key, in bits for each byte.
const MIN_ENTROPY: f64 = 3.0;

/// Returns the values of variables that are secret: by the configuration of
/// them, or since their names end in `KEY`, `TOKEN`, `SECRET`, `PASSWORD`, `PASSWD`,
/// `PASSPHRASE`, `CREDENTIAL`, `CREDENTIALS`, `_PASS` or `_HEADERS`. If a variable holds a JSON
/// object, the strings in fields with such names are secret; if it holds a URL with a
/// password, such as that of a proxy, the password is. The values of `HOME`, `PATH` and
/// `LANG` are never secret, even in other variables.
pub fn secret_values<'a>(
    variables: impl IntoIterator<Item = (&'a OsStr, &'a OsStr)>,
    sensitivity: impl Fn(&OsStr) -> Sensitivity,
) -> Vec<Cow<'a, [u8]>> {
    let (public, others): (Vec<_>, Vec<_>) = variables
        .into_iter()
        .map(|(name, value)| (name, value.as_encoded_bytes()))
        .partition(|(name, _)| is_public(name));
    let mut values = Vec::new();
    for (name, value) in others {
        let is_secret = match sensitivity(name) {
            Sensitivity::Unknown => false,
            Sensitivity::Passed => looks_like_a_key(value),
            Sensitivity::Secret => true,
        };
        if is_secret || has_secret_name(name.as_encoded_bytes()) {
            values.push(Cow::Borrowed(value));
        }
        add_password(value, &mut values);
        if value.trim_ascii_start().starts_with(b"{")
            && let Ok(object) = serde_json::from_slice(value)
        {
            add_members(&object, false, &mut values);
        }
    }
    values.retain(|value| public.iter().all(|(_, known)| *known != &**value));
    values
}

/// Adds the password of a URL, together with the user name, since a short one alone is
/// not a secret; both as written and unescaped.
fn add_password<'a>(address: &'a [u8], found: &mut Vec<Cow<'a, [u8]>>) {
    let Some(scheme) = address.windows(3).position(|bytes| bytes == b"://") else {
        return;
    };
    let rest = &address[scheme + 3..];
    let is_end = |byte: &u8| matches!(byte, b'/' | b'?' | b'#') || byte.is_ascii_whitespace();
    let authority = &rest[..rest.iter().position(is_end).unwrap_or(rest.len())];
    let Some(at) = authority.iter().rposition(|byte| *byte == b'@') else {
        return;
    };
    let Some(colon) = authority[..at].iter().position(|byte| *byte == b':') else {
        return;
    };
    let password = &authority[colon + 1..at];
    found.extend([&authority[..=at], password].map(Cow::Borrowed));
    if password.contains(&b'%') {
        found.push(percent_decode(password).into());
    }
}

/// Adds the strings in fields with a secret name, including nested ones.
fn add_members(value: &Value, is_secret: bool, found: &mut Vec<Cow<'_, [u8]>>) {
    match value {
        Value::String(text) if is_secret => found.push(Cow::Owned(text.clone().into_bytes())),
        Value::Array(items) => {
            for item in items {
                add_members(item, is_secret, found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                add_members(member, is_secret || has_secret_name(name.as_bytes()), found);
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_public(name: &OsStr) -> bool {
    ["HOME", "PATH", "LANG"]
        .iter()
        .any(|public| name == *public)
}

fn has_secret_name(name: &[u8]) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_NAMES
        .iter()
        .any(|end| name.ends_with(end.as_bytes()))
}

/// Whether a value has a long run of letters and digits that looks random. Words, paths
/// and names of models have separators, and no such run.
fn looks_like_a_key(value: &[u8]) -> bool {
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"+=".contains(byte);
    value
        .split(|byte| !is_key(byte))
        .any(|run| run.len() >= MIN_KEY && is_mixed(run) && entropy(run) >= MIN_ENTROPY)
}

fn is_mixed(run: &[u8]) -> bool {
    run.iter().any(u8::is_ascii_digit) && run.iter().any(u8::is_ascii_alphabetic)
}

/// The information of the bytes by how often each occurs, in bits for each byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for &byte in bytes {
        counts[usize::from(byte)] += 1;
    }
    let total: f64 = counts.iter().copied().map(f64::from).sum();
    let shares = counts.iter().filter(|count| **count > 0);
    let shares = shares.map(|&count| f64::from(count) / total);
    shares.map(|share| -share * share.log2()).sum()
}

/// The notations of a value: plain, in a JSON string with or without escaped slashes, in
/// an ASCII-only JSON string, and percent-encoded as libraries do it.
pub(super) fn notations(value: &[u8]) -> Vec<Vec<u8>> {
    let mut notations = vec![value.to_vec()];
    // A byte for each character, so that also what is not UTF-8 is found.
    let json = json_escaped(value.iter().copied().map(char::from).collect());
    for json in [json.replace('/', "\\/"), json] {
        let bytes = json.chars().filter_map(|byte| u8::try_from(byte).ok());
        notations.push(bytes.collect());
    }
    if let Ok(text) = std::str::from_utf8(value) {
        notations.push(json_ascii(text).into_bytes());
    }
    for plain in ["", "/", "!'()*", "!'()*/", "!$&'()*+,/:;=?@"] {
        for (digits, blank) in [(UPPER, "%20"), (LOWER, "%20"), (UPPER, "+")] {
            notations.push(percent_encoded(value, plain, digits, blank));
        }
    }
    notations
}

const UPPER: &[u8; 16] = b"0123456789ABCDEF";
const LOWER: &[u8; 16] = b"0123456789abcdef";

/// Percent-encodes all but letters, digits, `-._~` and `plain`.
fn percent_encoded(value: &[u8], plain: &str, digits: &[u8; 16], blank: &str) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(value.len());
    for &byte in value {
        match byte {
            b' ' => encoded.extend(blank.as_bytes()),
            b'-' | b'.' | b'_' | b'~' => encoded.push(byte),
            _ if byte.is_ascii_alphanumeric() || plain.as_bytes().contains(&byte) => {
                encoded.push(byte);
            }
            _ => {
                let digit = |at: u8| digits[usize::from(at)];
                encoded.extend([b'%', digit(byte >> 4), digit(byte & 15)]);
            }
        }
    }
    encoded
}

fn json_escaped(text: String) -> String {
    let json = Value::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}

fn json_ascii(text: &str) -> String {
    let mut ascii = String::new();
    for character in json_escaped(text.to_owned()).chars() {
        if character.is_ascii() {
            ascii.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                ascii.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    ascii
}
