//! The shapes of keys: their prefixes and bodies.

use super::boundary::is_boundary;

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
    Shape {
        anchor: "-----BEGIN ",
        body: Body::PrivateKey,
    },
];

/// The verdict on a match of an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Not a secret.
    Plain,
    /// It depends on further bytes.
    Undecided,
    /// A secret of at least this length, and what follows it.
    Secret(usize, More),
}

/// The rest of a secret after the bytes that identify it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum More {
    Nothing,
    Run(Class),
    PrivateKey,
}

/// The maximum length of a web token's header, in bytes.
const MAX_HEADER: usize = 4096;

/// The maximum length of a key's label, in bytes.
const MAX_LABEL: usize = 64;

impl Shape {
    /// Judges an anchor at the start of `text`, with `before` in front of it; `last`
    /// means that the stream ends with the string.
    pub(super) fn judge(&self, before: &[u8], text: &[u8], last: bool) -> Verdict {
        let rest = &text[self.anchor.len()..];
        let found = match self.body {
            Body::PrivateKey => label(rest, last).map(|length| (length, More::PrivateKey)),
            _ if !is_boundary(before) => Found::No,
            Body::Run(class, least) => {
                let length = class.run_up_to(rest, least);
                Found::when(length == least, length, rest, last).map(|at| (at, More::Run(class)))
            }
            Body::Bearer => token(rest, last).map(|length| (length, More::Run(Class::Bearer))),
            Body::WebToken => {
                web_token(rest, last).map(|length| (length, More::Run(Class::Dotted)))
            }
        };
        match found {
            Found::No => Verdict::Plain,
            Found::Perhaps => Verdict::Undecided,
            Found::Yes((length, more)) => Verdict::Secret(self.anchor.len() + length, more),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found<T> {
    No,
    Perhaps,
    Yes(T),
}

impl<T> Found<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Found<U> {
        match self {
            Self::No => Found::No,
            Self::Perhaps => Found::Perhaps,
            Self::Yes(found) => Found::Yes(change(found)),
        }
    }
}

impl Found<usize> {
    /// Judges a run of `length` bytes at the start of `text`: a run that reaches the
    /// end of an incomplete text may become longer.
    fn when(is_found: bool, length: usize, text: &[u8], last: bool) -> Self {
        match is_found {
            true => Self::Yes(length),
            false if length == text.len() && !last => Self::Perhaps,
            false => Self::No,
        }
    }
}

/// Eight bytes including a digit, or twenty of any kind.
fn token(text: &[u8], last: bool) -> Found<usize> {
    let length = Class::Bearer.run_up_to(text, 20);
    let has_digit = text[..length].iter().any(u8::is_ascii_digit);
    Found::when(length == 20 || length >= 8 && has_digit, length, text, last)
}

fn web_token(text: &[u8], last: bool) -> Found<usize> {
    const LEAST_HEADER: usize = 7;
    const LEAST_REST: usize = 16;
    let header = Class::Slug.run_up_to(text, MAX_HEADER);
    match text.get(header) {
        None if last => Found::No,
        None => Found::Perhaps,
        Some(b'.') if header >= LEAST_HEADER => {
            let rest = &text[header + 1..];
            let length = Class::Dotted.run_up_to(rest, LEAST_REST);
            Found::when(length == LEAST_REST, length, rest, last).map(|length| header + 1 + length)
        }
        Some(_) => Found::No,
    }
}

/// The rest of the first or last line of a private key, after its first word.
pub(super) fn label(text: &[u8], last: bool) -> Found<usize> {
    const DASHES: &[u8] = b"-----";
    let head = &text[..text.len().min(MAX_LABEL)];
    let is_label = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ';
    let length = head.iter().take_while(|byte| is_label(byte)).count();
    let (label, rest) = text.split_at(length);
    let is_key = label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK");
    if length == text.len() {
        return if last { Found::No } else { Found::Perhaps };
    }
    if is_key && rest.starts_with(DASHES) {
        return Found::Yes(length + DASHES.len());
    }
    let goes_on = !last && is_key && rest.len() < DASHES.len() && DASHES.starts_with(rest);
    if goes_on { Found::Perhaps } else { Found::No }
}
