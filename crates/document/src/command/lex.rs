//! Splits shell source into tokens.

use std::borrow::Cow;

use super::{Joint, Word};
use crate::Span;

/// A token of the shell's grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Word(Word<'a>),
    Joint(Joint, Span),
    Open,
    Close,
    /// A redirection; its file is the next word unless it names a descriptor.
    Redirect {
        writes: bool,
        file: bool,
    },
}

/// An iterator over the tokens of a script.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    heredocs: Vec<Cow<'a, str>>,
    /// Whether a quote or substitution was open at the end.
    pub(super) unfinished: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            heredocs: Vec::new(),
            unfinished: false,
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips `text` if it comes next.
    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// Skips past the next `end`, or to the end of the input.
    fn skip_past(&mut self, end: &str) {
        match self.rest().find(end) {
            Some(length) => self.at += length + end.len(),
            None => {
                self.at = self.text.len();
                self.unfinished = true;
            }
        }
    }

    /// Skips to the next ASCII character that is `special`; returns the skipped
    /// text.
    fn until(&mut self, special: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().position(special);
        let text = &rest[..length.unwrap_or(rest.len())];
        self.at += text.len();
        text
    }

    fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.eat("\\\n") || self.eat("\\\r\n") => {}
                Some('#') => {
                    let line = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.at += line;
                }
                _ => return,
            }
        }
    }

    fn operator(&mut self) -> Option<Token<'a>> {
        let start = self.at;
        let opens = |c| {
            matches!(
                c,
                '&' | '|' | ';' | '\n' | '(' | ')' | '<' | '>' | '0'..='9'
            )
        };
        if !self.rest().starts_with(opens) {
            return None;
        }
        let joint = |joint, at| Some(Token::Joint(joint, Span::new(start, at)));
        for (text, kind) in [
            ("&&", Joint::And),
            ("||", Joint::Or),
            ("|&", Joint::Pipe),
            ("|", Joint::Pipe),
            (";;", Joint::Then),
            (";", Joint::Then),
        ] {
            if self.eat(text) {
                return joint(kind, self.at);
            }
        }
        if self.eat("\n") {
            let end = self.at;
            self.skip_heredocs();
            return joint(Joint::Then, end);
        }
        for (text, token) in [("(", Token::Open), (")", Token::Close)] {
            if self.eat(text) {
                return Some(token);
            }
        }
        if let Some(redirect) = self.redirect() {
            return Some(redirect);
        }
        if self.eat("&") {
            return joint(Joint::Background, self.at);
        }
        None
    }

    fn redirect(&mut self) -> Option<Token<'a>> {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let mark = &self.rest()[digits..];
        let known = [
            ("&>>", true),
            ("&>", true),
            (">>", true),
            (">|", true),
            (">&", true),
            (">", true),
            ("<<<", false),
            ("<<-", false),
            ("<<", false),
            ("<&", false),
            ("<>", true),
            ("<", false),
        ];
        let &(text, writes) = known.iter().find(|(text, _)| mark.starts_with(text))?;
        self.at += digits + text.len();
        if text.ends_with('&') {
            let target = self.rest().bytes();
            let number = target
                .take_while(|b| b.is_ascii_digit() || *b == b'-')
                .count();
            self.at += number;
            return Some(Token::Redirect {
                writes: writes && number == 0,
                file: number == 0,
            });
        }
        if matches!(text, "<<" | "<<-") {
            self.blanks();
            let word = self.word();
            self.heredocs.push(word.text);
        } else if text == "<<<" {
            self.blanks();
            self.word();
        }
        Some(Token::Redirect {
            writes,
            file: !text.starts_with("<<"),
        })
    }

    fn skip_heredocs(&mut self) {
        for end in std::mem::take(&mut self.heredocs) {
            loop {
                let line = self.rest().split('\n').next().unwrap_or_default();
                self.at = (self.at + line.len() + 1).min(self.text.len());
                if line.trim() == end {
                    break;
                }
                if self.at == self.text.len() {
                    self.unfinished = true;
                    break;
                }
            }
        }
    }

    fn word(&mut self) -> Word<'a> {
        let mut word = Word {
            text: Cow::Borrowed(""),
            span: Span::empty(self.at),
            expands: false,
            globs: false,
        };
        while let Some(next) = self.peek() {
            match next {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\'' => self.single_quotes(&mut word),
                '"' => self.double_quotes(&mut word),
                '\\' => self.escape(&mut word),
                '$' | '`' => self.expansion(&mut word),
                _ => self.plain(&mut word),
            }
        }
        word.span.end = self.at;
        word
    }

    /// Copies literal characters, or a pattern.
    fn plain(&mut self, word: &mut Word<'a>) {
        let special = |c: u8| {
            let ends = matches!(c, b' ' | b'\t' | b'\r' | b'\n' | b'(' | b')' | b'<' | b'>');
            let joins = matches!(c, b';' | b'&' | b'|');
            let quotes = matches!(c, b'\'' | b'"' | b'\\' | b'$' | b'`');
            ends || joins || quotes
        };
        let text = self.until(special);
        word.globs |= text.bytes().any(|c| matches!(c, b'*' | b'?' | b'['));
        word.text += text;
    }

    fn single_quotes(&mut self, word: &mut Word<'a>) {
        self.at += 1;
        let start = self.at;
        self.skip_past("'");
        let inner = &self.text[start..self.at];
        word.text += inner.strip_suffix('\'').unwrap_or(inner);
    }

    fn double_quotes(&mut self, word: &mut Word<'a>) {
        self.at += 1;
        while let Some(next) = self.peek() {
            match next {
                '"' => {
                    self.at += 1;
                    return;
                }
                '$' | '`' => self.expansion(word),
                '\\' if self.rest()[1..].starts_with(['\n', '"', '\\', '$', '`']) => {
                    self.escape(word);
                }
                '\\' => {
                    self.at += 1;
                    word.text += "\\";
                }
                _ => word.text += self.until(|c| matches!(c, b'"' | b'$' | b'`' | b'\\')),
            }
        }
        self.unfinished = true;
    }

    fn escape(&mut self, word: &mut Word<'a>) {
        self.at += 1;
        if self.eat("\n") {
            return;
        }
        let start = self.at;
        self.at += self.peek().map_or(0, char::len_utf8);
        word.text += &self.text[start..self.at];
    }

    /// Copies `$name`, `${…}`, `$(…)` or backticks as they are written.
    fn expansion(&mut self, word: &mut Word<'a>) {
        let start = self.at;
        if self.eat("$(") {
            self.substitution();
        } else if self.eat("${") {
            self.skip_past("}");
        } else if self.eat("`") {
            self.skip_past("`");
        } else {
            self.at += 1;
            let named = |c: char| c.is_alphanumeric() || "_?!#@*$-".contains(c);
            if !self.peek().is_some_and(named) {
                word.text += "$";
                return;
            }
        }
        word.expands = true;
        word.text += &self.text[start..self.at];
    }

    /// Skips past the `)` that closes a substitution.
    fn substitution(&mut self) {
        let mut depth = 1_usize;
        while depth > 0 {
            let Some(next) = self.peek() else {
                self.unfinished = true;
                return;
            };
            self.at += next.len_utf8();
            match next {
                '(' => depth += 1,
                ')' => depth -= 1,
                '\'' => self.skip_past("'"),
                '"' => self.skip_past("\""),
                '\\' => self.at += self.peek().map_or(0, char::len_utf8),
                _ => {}
            }
        }
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.blanks();
        self.peek()?;
        if let Some(operator) = self.operator() {
            return Some(operator);
        }
        Some(Token::Word(self.word()))
    }
}
