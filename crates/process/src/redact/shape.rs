//! The shapes of keys: their prefixes and bodies.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// A kind of key.
#[derive(Debug)]
pub(super) struct Shape {
    /// The prefix.
    pub(super) anchor: &'static str,
    body: Body,
}

#[derive(Debug)]
enum Body {
    /// At least this number of bytes of a class.
    Run(Class, usize),
    /// The rest of a header, a dot, and the signed part.
    WebToken,
    /// A bearer token that does not look like prose.
    Bearer,
    /// `Basic` credentials.
    Basic,
    /// The label of a private key, followed by the key and its end line.
    PrivateKey,
}

/// The bytes of a key's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Upper,
    Alphanumeric,
    Word,
    Slug,
    Dotted,
    Base64,
    Bearer,
}

impl Class {
    pub(super) fn holds(self, byte: u8) -> bool {
        match self {
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Slug => byte.is_ascii_alphanumeric() || b"_-".contains(&byte),
            Self::Dotted => byte.is_ascii_alphanumeric() || b"_-.".contains(&byte),
            Self::Base64 => byte.is_ascii_alphanumeric() || b"_-+/=".contains(&byte),
            Self::Bearer => byte.is_ascii_alphanumeric() || b"_-.~+/=".contains(&byte),
        }
    }

    pub(super) fn run(self, text: &[u8]) -> usize {
        let end = text.iter().position(|&byte| !self.holds(byte));
        end.unwrap_or(text.len())
    }

    /// The length of the run at the start of `text`, up to `most`.
    fn run_up_to(self, text: &[u8], most: usize) -> usize {
        self.run(&text[..text.len().min(most)])
    }
}

const fn run(anchor: &'static str, class: Class, least: usize) -> Shape {
    Shape {
        anchor,
        body: Body::Run(class, least),
    }
}

const fn bearer(anchor: &'static str) -> Shape {
    Shape {
        anchor,
        body: Body::Bearer,
    }
}

const fn basic(anchor: &'static str) -> Shape {
    Shape {
        anchor,
        body: Body::Basic,
    }
}

pub(super) const SHAPES: &[Shape] = &[
    run("sk-", Class::Slug, 16),
    run("ghp_", Class::Word, 16),
    run("gho_", Class::Word, 16),
    run("ghu_", Class::Word, 16),
    run("ghs_", Class::Word, 16),
    run("ghr_", Class::Word, 16),
    run("github_pat_", Class::Word, 16),
    run("glpat-", Class::Dotted, 16),
    run("xoxa-", Class::Slug, 10),
    run("xoxb-", Class::Slug, 10),
    run("xoxp-", Class::Slug, 10),
    run("xoxr-", Class::Slug, 10),
    run("xoxs-", Class::Slug, 10),
    run("AKIA", Class::Upper, 16),
    run("ASIA", Class::Upper, 16),
    run("AIza", Class::Slug, 35),
    run("ya29.", Class::Dotted, 16),
    run("hf_", Class::Alphanumeric, 30),
    run("npm_", Class::Alphanumeric, 30),
    run("pypi-", Class::Slug, 32),
    Shape {
        anchor: "eyJ",
        body: Body::WebToken,
    },
    bearer("Bearer "),
    bearer("bearer "),
    bearer("BEARER "),
    basic("Basic "),
    basic("basic "),
    basic("BASIC "),
    Shape {
        anchor: "-----BEGIN ",
        body: Body::PrivateKey,
    },
];

/// The rest of a secret after the bytes that identify it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum More {
    Nothing,
    Run(Class),
    PrivateKey,
}

/// The maximum length of a web token's header and of `Basic` credentials, in bytes.
const MAX_PART: usize = 4096;

/// The maximum length of a key's label, in bytes.
const MAX_LABEL: usize = 64;

/// The number of bytes within which a shape is recognized.
pub(super) const LONGEST_SHAPE: usize = 2 * MAX_PART;

impl Shape {
    /// Judges an anchor at the start of `text`, with `before` in front of it. Returns the
    /// length of what identifies a secret, and what follows it.
    pub(super) fn judge(&self, before: &[u8], text: &[u8]) -> Option<(usize, More)> {
        let rest = &text[self.anchor.len()..];
        let (length, more) = match self.body {
            Body::PrivateKey => (label(rest)?, More::PrivateKey),
            _ if !is_boundary(before) => return None,
            Body::Run(class, least) => {
                let is_long = class.run_up_to(rest, least) == least;
                (is_long.then_some(least)?, More::Run(class))
            }
            Body::Bearer => (token(rest)?, More::Run(Class::Bearer)),
            Body::Basic => (credentials(rest)?, More::Nothing),
            Body::WebToken => (web_token(rest)?, More::Run(Class::Dotted)),
        };
        Some((self.anchor.len() + length, more))
    }

    /// The position at which such a key may start that ends after `text`.
    pub(super) fn open_start(&self, text: &[u8]) -> Option<usize> {
        let anchor = self.anchor.as_bytes();
        let ends = |byte: &u8| match self.body {
            Body::PrivateKey => *byte == b'\n',
            _ => byte.is_ascii_whitespace(),
        };
        let last = text.windows(anchor.len()).rposition(|part| part == anchor);
        let begun = last.filter(|at| !text[at + anchor.len()..].iter().any(ends));
        let nearest = (text.len() + 1).saturating_sub(anchor.len());
        let is_start = |at: &usize| anchor.starts_with(&text[*at..]) && is_boundary(&text[..*at]);
        begun.or_else(|| (nearest..text.len()).find(is_start))
    }
}

/// Eight bytes including a digit, or twenty of any kind.
fn token(text: &[u8]) -> Option<usize> {
    let length = Class::Bearer.run_up_to(text, 20);
    let has_digit = text[..length].iter().any(u8::is_ascii_digit);
    (length == 20 || length >= 8 && has_digit).then_some(length)
}

/// A user name and a password in base64.
fn credentials(text: &[u8]) -> Option<usize> {
    let length = Class::Base64.run_up_to(text, MAX_PART);
    let padding = text[..length]
        .iter()
        .rev()
        .take_while(|byte| **byte == b'=');
    let bare = &text[..length - padding.count()];
    let decoded = STANDARD_NO_PAD.decode(bare);
    let decoded = decoded.or_else(|_| URL_SAFE_NO_PAD.decode(bare)).ok()?;
    let decoded = String::from_utf8(decoded).ok()?;
    let is_pair = decoded.contains(':') && !decoded.contains(char::is_control);
    is_pair.then_some(length)
}

fn web_token(text: &[u8]) -> Option<usize> {
    const LEAST_HEADER: usize = 7;
    const LEAST_REST: usize = 16;
    let header = Class::Slug.run_up_to(text, MAX_PART);
    let rest = text[header..].strip_prefix(b".")?;
    let is_token =
        header >= LEAST_HEADER && Class::Dotted.run_up_to(rest, LEAST_REST) == LEAST_REST;
    is_token.then_some(header + 1 + LEAST_REST)
}

/// The rest of the first or last line of a private key, after its first word.
fn label(text: &[u8]) -> Option<usize> {
    const DASHES: &[u8] = b"-----";
    let head = &text[..text.len().min(MAX_LABEL)];
    let is_label = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ';
    let length = head.iter().take_while(|byte| is_label(byte)).count();
    let (label, rest) = text.split_at(length);
    let is_key = label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK");
    (is_key && rest.starts_with(DASHES)).then_some(length + DASHES.len())
}

/// The length of the content of a private key, plain or in a JSON string, up to its end
/// line, and whether it has ended.
pub(super) fn private_key(text: &[u8]) -> (usize, bool) {
    const END: &[u8] = b"-----END ";
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..];
        let step = match byte {
            b'-' if rest.starts_with(END) => match label(&rest[END.len()..]) {
                Some(length) => return (at + END.len() + length, true),
                None => Some(1),
            },
            b'\\' => line_break(rest),
            _ => is_in_key(byte).then_some(1),
        };
        match step {
            Some(step) => at += step,
            None => return (at, true),
        }
    }
    (at, false)
}

/// Base64, headers, and line prefixes of a listing or a diff.
fn is_in_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"+/=-:,|>#".contains(&byte)
}

/// The length of an escaped line break or slash, escaped up to three more times.
fn line_break(text: &[u8]) -> Option<usize> {
    const MOST: usize = 8;
    let escapes = text
        .iter()
        .take_while(|byte| **byte == b'\\')
        .take(MOST + 1);
    let escapes = escapes.count();
    let is_break = matches!(text.get(escapes), Some(b'n' | b'r' | b't' | b'/'));
    (escapes <= MOST && is_break).then_some(escapes + 1)
}

/// The number of bytes that [`is_boundary`] reads.
pub(super) const CONTEXT: usize = 16;

/// Whether a word can start after `before`. The letters at the end of an escape (`
/// `, `\u003d`, `%3D`, the end of a terminal colour) are not part of the word.
pub(super) fn is_boundary(before: &[u8]) -> bool {
    let before = &before[before.len().saturating_sub(CONTEXT)..];
    match before.last() {
        Some(last) if last.is_ascii_alphanumeric() || *last == b'_' => ends_escape(before),
        _ => true,
    }
}

fn ends_escape(before: &[u8]) -> bool {
    match before {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [.., b'\\', b'u', a, b, c, d] if all_hex(&[*a, *b, *c, *d]) => true,
        [.., b'\\', b'x', a, b] | [.., b'%', a, b] if all_hex(&[*a, *b]) => true,
        [parameters @ .., b'm'] => {
            let is_parameter = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
            let length = parameters.iter().rev().take_while(is_parameter).count();
            parameters[..parameters.len() - length].ends_with(b"[")
        }
        _ => false,
    }
}

fn all_hex(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::is_boundary;

    #[test]
    fn a_key_starts_at_a_word_boundary() {
        let cases: [(&[u8], bool); 16] = [
            (b"", true),
            (b" ", true),
            (b"KEY=", true),
            (b"\"", true),
            (b"-", true),
            (b"\xff", true),
            (b"ta", false),
            (b"7", false),
            (b"_", false),
            (b"line\\n", true),
            (b"line n", false),
            (b"a\\u003d", true),
            (b"a\\u00zz", false),
            (b"a%3D", true),
            (b"\x1b[1;31m", true),
            (b"1;31m", false),
        ];
        for (before, expected) in cases {
            assert_eq!(is_boundary(before), expected, "{before:?}");
        }
    }
}
