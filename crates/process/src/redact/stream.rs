//! Replaces secrets in a stream that arrives in pieces of any size.

use super::boundary::CONTEXT;
use super::shape::{Class, Found, More, Verdict, label};
use super::{REPLACEMENT, Redactor, Rule};

/// The treatment of the next bytes of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// They are not secret.
    Plain(&'a [u8]),
    /// A secret starts, which is replaced by [`REPLACEMENT`].
    Secret,
    /// This number of bytes belongs to the last secret.
    Hidden(usize),
}

/// Receives the treated bytes.
type Out<'a> = dyn FnMut(Piece<'_>) + 'a;

/// Receives redacted bytes.
type Clean<'a> = dyn FnMut(&[u8]) + 'a;

/// Writes redacted bytes.
fn clean(piece: Piece<'_>, out: &mut Clean<'_>) {
    match piece {
        Piece::Plain(bytes) => out(bytes),
        Piece::Secret => out(REPLACEMENT.as_bytes()),
        Piece::Hidden(_) => {}
    }
}

/// A stream that is being redacted.
#[derive(Clone, Debug)]
pub struct Redaction<'a> {
    redactor: &'a Redactor,
    /// Processed bytes for context, then bytes that are held back.
    buffer: Vec<u8>,
    done: usize,
    more: More,
}

/// The action after a step.
enum Step {
    Again,
    Wait,
}

impl<'a> Redaction<'a> {
    pub(super) fn new(redactor: &'a Redactor) -> Self {
        Self {
            redactor,
            buffer: Vec::new(),
            done: 0,
            more: More::Nothing,
        }
    }

    /// Adds bytes and outputs what is decided.
    pub fn push(&mut self, bytes: &[u8], out: &mut Clean<'_>) {
        self.push_to(bytes, &mut |piece| clean(piece, out));
    }

    /// Adds bytes and reports the treatment of those that are decided.
    pub fn push_to(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        self.buffer.extend_from_slice(bytes);
        self.advance(false, out);
        let kept = self.done.saturating_sub(CONTEXT);
        self.buffer.drain(..kept);
        self.done -= kept;
    }

    /// Ends the stream and outputs the bytes that were held back.
    pub fn finish(self, out: &mut Clean<'_>) {
        self.finish_to(&mut |piece| clean(piece, out));
    }

    /// Ends the stream and reports the treatment of the bytes that were held back.
    pub fn finish_to(mut self, out: &mut Out<'_>) {
        self.advance(true, out);
    }

    fn advance(&mut self, last: bool, out: &mut Out<'_>) {
        while self.done < self.buffer.len() {
            let step = match self.more {
                More::Nothing => self.search(last, out),
                More::Run(class) => self.skip_run(class, out),
                More::PrivateKey => self.skip_private_key(last, out),
            };
            if let Step::Wait = step {
                return;
            }
        }
    }

    /// Outputs the string up to the next secret, or up to the last position at which one
    /// may start.
    fn search(&mut self, last: bool, out: &mut Out<'_>) -> Step {
        let (buffer, redactor) = (&self.buffer, self.redactor);
        let certain = match last {
            true => buffer.len(),
            false => redactor.first_open_end(buffer),
        };
        let mut from = self.done;
        while let Some(anchor) = redactor.find(&buffer[from..]) {
            let at = from + anchor.start;
            if at >= certain {
                break;
            }
            match anchor.judge(buffer, at, last) {
                Verdict::Plain => from = at + 1,
                Verdict::Undecided => {
                    self.give(at, out);
                    return Step::Wait;
                }
                Verdict::Secret(length, more) => {
                    self.give(at, out);
                    out(Piece::Secret);
                    self.hide(length, out);
                    self.more = more;
                    return Step::Again;
                }
            }
        }
        self.give(certain, out);
        Step::Wait
    }

    fn give(&mut self, end: usize, out: &mut Out<'_>) {
        if end > self.done {
            out(Piece::Plain(&self.buffer[self.done..end]));
            self.done = end;
        }
    }

    fn hide(&mut self, length: usize, out: &mut Out<'_>) {
        out(Piece::Hidden(length));
        self.done += length;
    }

    fn skip_run(&mut self, class: Class, out: &mut Out<'_>) -> Step {
        self.hide(class.run(&self.buffer[self.done..]), out);
        if self.done < self.buffer.len() {
            self.more = More::Nothing;
        }
        Step::Again
    }

    fn skip_private_key(&mut self, last: bool, out: &mut Out<'_>) -> Step {
        match private_key(&self.buffer[self.done..], last) {
            Skipped::SoFar(length) => {
                self.hide(length, out);
                Step::Wait
            }
            Skipped::All(length) => {
                self.hide(length, out);
                self.more = More::Nothing;
                Step::Again
            }
        }
    }
}

/// A match of an anchor, and its rules.
struct Place<'a> {
    start: usize,
    rules: &'a [Rule],
}

impl Redactor {
    /// The first position from which the string is a prefix of an anchor.
    fn first_open_end(&self, text: &[u8]) -> usize {
        let nearest = (text.len() + 1).saturating_sub(self.reach);
        let is_open = |at: &usize| {
            let end = &text[*at..];
            let longer = self
                .anchors
                .iter()
                .filter(|anchor| anchor.len() > end.len());
            longer.into_iter().any(|anchor| anchor.starts_with(end))
        };
        (nearest..text.len()).find(is_open).unwrap_or(text.len())
    }

    fn find(&self, text: &[u8]) -> Option<Place<'_>> {
        let found = self.search.find(text)?;
        Some(Place {
            start: found.start(),
            rules: &self.rules[found.pattern().as_usize()],
        })
    }
}

impl Place<'_> {
    /// The combined verdict of all rules: the longest secret, once no rule needs more
    /// bytes.
    fn judge(&self, buffer: &[u8], at: usize, last: bool) -> Verdict {
        let (before, text) = buffer.split_at(at);
        let mut verdict = Verdict::Plain;
        for rule in self.rules {
            let next = match rule {
                Rule::Value(value) => value_at(value, text, last),
                Rule::Shape(shape) => shape.judge(before, text, last),
            };
            verdict = match (verdict, next) {
                (Verdict::Undecided, _) | (_, Verdict::Undecided) => Verdict::Undecided,
                (one, Verdict::Plain) | (Verdict::Plain, one) => one,
                (Verdict::Secret(a, more), Verdict::Secret(b, more_b)) => {
                    let more = if more == More::Nothing { more_b } else { more };
                    Verdict::Secret(a.max(b), more)
                }
            };
        }
        verdict
    }
}

fn value_at(value: &[u8], text: &[u8], last: bool) -> Verdict {
    if text.starts_with(value) {
        Verdict::Secret(value.len(), More::Nothing)
    } else if !last && value.starts_with(text) {
        Verdict::Undecided
    } else {
        Verdict::Plain
    }
}

enum Skipped {
    /// This number of bytes belongs to the key, and the rest is not known yet.
    SoFar(usize),
    /// The key ends after this number of bytes.
    All(usize),
}

/// Skips the content of a private key, plain or in a JSON string, up to its end line.
fn private_key(text: &[u8], last: bool) -> Skipped {
    const END: &[u8] = b"-----END ";
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..];
        let step = match byte {
            b'-' if !last && END.starts_with(rest) => return Skipped::SoFar(at),
            b'-' if rest.starts_with(END) => match label(&rest[END.len()..], last) {
                Found::Yes(length) => return Skipped::All(at + END.len() + length),
                Found::Perhaps => return Skipped::SoFar(at),
                Found::No => Some(1),
            },
            b'\\' => match line_break(rest) {
                Found::Perhaps if !last => return Skipped::SoFar(at),
                Found::Yes(length) => Some(length),
                Found::Perhaps | Found::No => None,
            },
            _ => is_in_key(byte).then_some(1),
        };
        match step {
            Some(step) => at += step,
            None => return Skipped::All(at),
        }
    }
    Skipped::SoFar(at)
}

/// Base64, headers, and line prefixes of a listing or a diff.
fn is_in_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"+/=-:,|>#".contains(&byte)
}

/// An escaped line break or slash, escaped up to three more times.
fn line_break(text: &[u8]) -> Found<usize> {
    const MOST: usize = 8;
    let escapes = text
        .iter()
        .take(MOST + 1)
        .take_while(|&&byte| byte == b'\\')
        .count();
    match text.get(escapes) {
        _ if escapes > MOST => Found::No,
        None => Found::Perhaps,
        Some(b'n' | b'r' | b't' | b'/') => Found::Yes(escapes + 1),
        Some(_) => Found::No,
    }
}
