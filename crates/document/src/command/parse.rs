//! Parses tokens into simple commands.

use super::lex::{Lexer, Token};
use super::{Joint, Redirect, Script, SimpleCommand, Word, meaning};
use crate::Span;

/// Typical maximum number of words of a command.
const USUAL_WORDS: usize = 8;

/// Words that are not programs where a command could start.
const KEYWORDS: [&str; 10] = [
    "if", "then", "elif", "else", "fi", "for", "do", "done", "{", "}",
];

/// Those after which words may be patterns or names.
const UNCLEAR: [&str; 6] = ["while", "until", "case", "esac", "select", "function"];

/// Splits a script into simple commands.
pub(super) fn script(text: &str) -> Script<'_> {
    let mut parser = Parser::default();
    let mut lexer = Lexer::new(text);
    for token in lexer.by_ref() {
        parser.read(token);
    }
    parser.finish_command();
    let mut script = parser.script;
    script.is_unfinished = lexer.unfinished;
    script.ending = parser.joint;
    script.invocations = meaning::invocations(&script.commands, script.is_compound);
    script
}

#[derive(Default)]
struct Parser<'a> {
    script: Script<'a>,
    joint: (Joint, Span),
    open: Option<SimpleCommand<'a>>,
    negated: bool,
    /// Where `!` before the current command is.
    negated_at: Option<usize>,
    redirect: Option<bool>,
    /// Whether the previous token was `(`.
    opened: bool,
}

impl<'a> Parser<'a> {
    fn read(&mut self, token: Token<'a>) {
        match token {
            Token::Joint(joint, span) => self.join(joint, span),
            Token::Open => {
                // A function, an array or arithmetic.
                self.script.unclear |= self.open.is_some() || self.opened;
                self.bracket();
                self.opened = true;
                return;
            }
            Token::Close => self.bracket(),
            Token::Redirect { writes, file } => {
                self.redirect = file.then_some(writes);
                self.command();
            }
            Token::Word(word) => self.word(word),
        }
        self.opened = false;
    }

    fn bracket(&mut self) {
        self.script.is_compound = true;
        let joint = self.joint;
        if self.finish_command() {
            self.joint = (Joint::Then, joint.1);
        }
    }

    fn join(&mut self, joint: Joint, span: Span) {
        let finished = self.finish_command();
        let continues = self.joint.0 != Joint::Start && joint == Joint::Then;
        if finished || (!continues && !self.script.commands.is_empty()) {
            self.joint = (joint, span);
        }
    }

    /// The current command.
    fn command(&mut self) -> &mut SimpleCommand<'a> {
        let (joint, joint_span) = self.joint;
        let negated = std::mem::take(&mut self.negated);
        let command = self.open.get_or_insert_with(|| SimpleCommand {
            joint,
            joint_span,
            negated: false,
            assignments: Vec::new(),
            words: Vec::with_capacity(USUAL_WORDS),
            redirects: Vec::new(),
            span: Span::default(),
        });
        command.negated |= negated;
        command
    }

    fn word(&mut self, word: Word<'a>) {
        if let Some(writes) = self.redirect.take() {
            let command = self.command();
            extend(command, word.span);
            command.redirects.push(Redirect {
                writes,
                target: word,
            });
            return;
        }
        let first = self.open.as_ref().is_none_or(|open| open.words.is_empty());
        if first && self.reserved(&word) {
            return;
        }
        let command = self.command();
        extend(command, word.span);
        if first && is_assignment(&word.text) {
            command.assignments.push(word);
        } else {
            command.words.push(word);
        }
    }

    /// Returns whether a word that could be a program is a keyword.
    fn reserved(&mut self, word: &Word<'_>) -> bool {
        if word.span.len() != word.text.len() {
            return false;
        }
        if word.text == "!" {
            self.negated = !self.negated;
            self.negated_at.get_or_insert(word.span.start);
            return true;
        }
        let is_unclear = UNCLEAR.contains(&&*word.text);
        let is_keyword = is_unclear || KEYWORDS.contains(&&*word.text);
        self.script.is_compound |= is_keyword;
        self.script.unclear |= is_unclear;
        is_keyword && !matches!(&*word.text, "for" | "case" | "select" | "function")
    }

    /// Ends the current command; returns whether there was one.
    fn finish_command(&mut self) -> bool {
        self.redirect = None;
        self.negated = false;
        let negated_at = self.negated_at.take();
        match self.open.take() {
            Some(mut command) => {
                command.span.start = negated_at.unwrap_or(command.span.start);
                self.script.commands.push(command);
                self.joint = (Joint::Start, Span::default());
                true
            }
            None => false,
        }
    }
}

fn extend(command: &mut SimpleCommand<'_>, span: Span) {
    if command.span.is_empty() {
        command.span = span;
    }
    command.span.end = span.end;
}

/// Returns whether a word before the program sets a variable.
pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}
