//! The nesting of the commands of a script.
//!
//! This parses lists, pipelines, `!`, subshells, groups, `if` and `for`. If a
//! script uses anything else, or is nested too deeply, there is no tree.

use super::{Joint, SimpleCommand, Word};
use crate::Span;

/// Maximum nesting.
const MAX_DEPTH: usize = 64;

/// The pieces of a script, in the order of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A simple command, by its index.
    Command(usize),
    Joint(Joint, Span),
    Open(Span),
    Close(Span),
    Not(Span),
    Keyword(Keyword, Span),
}

/// A reserved word where a command could start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    If,
    Then,
    Elif,
    Else,
    Fi,
    For,
    Do,
    Done,
    OpenBrace,
    CloseBrace,
    /// A keyword that is not supported.
    Unread,
}

impl Keyword {
    pub(super) fn named(word: &str) -> Option<Self> {
        Some(match word {
            "if" => Self::If,
            "then" => Self::Then,
            "elif" => Self::Elif,
            "else" => Self::Else,
            "fi" => Self::Fi,
            "for" => Self::For,
            "do" => Self::Do,
            "done" => Self::Done,
            "{" => Self::OpenBrace,
            "}" => Self::CloseBrace,
            "while" | "until" | "case" | "esac" | "select" | "function" => Self::Unread,
            _ => return None,
        })
    }
}

/// Pipelines in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct List {
    pub(super) items: Vec<Item>,
    /// The `&` after the last item.
    pub(super) background: Option<Span>,
}

/// A pipeline, and how it is joined to the previous one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) joint: Joint,
    pub(super) joint_span: Span,
    pub(super) negated: bool,
    /// The first command.
    pub(super) first: ScriptNode,
    /// The commands that read from the previous one.
    pub(super) piped: Vec<ScriptNode>,
    pub(super) span: Span,
}

/// A command, simple or compound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ScriptNode {
    /// A simple command, by its index.
    Command(usize),
    /// `{ …; }`.
    Group(List),
    /// `( … )`.
    Subshell(List),
    /// `if`: conditions with their branches, and the `else` branch.
    If(Vec<(List, List)>, Option<List>),
    /// `for`: the body that runs for each word.
    For(List),
}

impl List {
    /// Parses a whole script.
    pub(super) fn read(pieces: &[Piece], commands: &[SimpleCommand<'_>]) -> Option<Self> {
        let mut reader = ScriptReader {
            rest: pieces,
            commands,
            depth: 0,
            end: 0,
        };
        let list = reader.list()?;
        reader.rest.is_empty().then_some(list)
    }

    /// Returns the span from the first to the last of its items.
    pub(super) fn span(&self) -> Span {
        match (self.items.first(), self.items.last()) {
            (Some(first), Some(last)) => Span::new(first.span.start, last.span.end),
            _ => Span::default(),
        }
    }
}

struct ScriptReader<'a> {
    rest: &'a [Piece],
    commands: &'a [SimpleCommand<'a>],
    depth: usize,
    /// The end of the last piece that was parsed.
    end: usize,
}

impl ScriptReader<'_> {
    fn next(&mut self) -> Option<Piece> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        self.end = self.end.max(self.span(first).end);
        Some(first)
    }

    fn span(&self, piece: Piece) -> Span {
        match piece {
            Piece::Command(index) => self.commands[index].span,
            Piece::Joint(_, span)
            | Piece::Open(span)
            | Piece::Close(span)
            | Piece::Not(span)
            | Piece::Keyword(_, span) => span,
        }
    }

    fn skip_separators(&mut self) {
        while let Some(Piece::Joint(Joint::Then, _)) = self.rest.first() {
            self.next();
        }
    }

    /// Parses up to the end or to something that cannot start a command.
    fn list(&mut self) -> Option<List> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut list = List::default();
        let mut joint = (Joint::Start, Span::empty(self.end));
        loop {
            self.skip_separators();
            if !self.can_begin() {
                break;
            }
            list.items.push(self.item(joint)?);
            let Some(&Piece::Joint(kind, span)) = self.rest.first() else {
                joint = (Joint::Start, Span::default());
                break;
            };
            self.next();
            joint = (kind, span);
        }
        self.depth -= 1;
        match joint.0 {
            Joint::And | Joint::Or | Joint::Pipe => return None,
            Joint::Background => list.background = Some(joint.1),
            Joint::Start | Joint::Then => {}
        }
        (!list.items.is_empty()).then_some(list)
    }

    fn can_begin(&self) -> bool {
        use Keyword::{CloseBrace, Do, Done, Elif, Else, Fi, Then};
        !matches!(
            self.rest.first(),
            None | Some(
                Piece::Close(_)
                    | Piece::Keyword(Then | Elif | Else | Fi | Do | Done | CloseBrace, _)
            )
        )
    }

    fn item(&mut self, (joint, joint_span): (Joint, Span)) -> Option<Item> {
        let start = self.span(*self.rest.first()?).start;
        let mut negated = false;
        while let Some(Piece::Not(_)) = self.rest.first() {
            self.next();
            negated = !negated;
        }
        let first = self.node()?;
        let mut piped = Vec::new();
        while let Some(Piece::Joint(Joint::Pipe, _)) = self.rest.first() {
            self.next();
            self.skip_separators();
            piped.push(self.node()?);
        }
        Some(Item {
            joint,
            joint_span,
            negated,
            first,
            piped,
            span: Span::new(start, self.end),
        })
    }

    fn node(&mut self) -> Option<ScriptNode> {
        let node = match self.next()? {
            Piece::Command(index) => return self.command(index),
            Piece::Open(open) => {
                let arithmetic =
                    |piece: &Piece| matches!(piece, Piece::Open(next) if next.start == open.end);
                if self.rest.first().is_some_and(arithmetic) {
                    return None;
                }
                let body = self.list()?;
                let Piece::Close(_) = self.next()? else {
                    return None;
                };
                ScriptNode::Subshell(body)
            }
            Piece::Keyword(Keyword::OpenBrace, _) => {
                ScriptNode::Group(self.body(Keyword::CloseBrace)?)
            }
            Piece::Keyword(Keyword::If, _) => self.condition()?,
            Piece::Keyword(Keyword::For, _) => {
                let Piece::Command(_) = self.next()? else {
                    return None;
                };
                self.skip_separators();
                self.keyword(Keyword::Do)?;
                ScriptNode::For(self.body(Keyword::Done)?)
            }
            Piece::Close(_) | Piece::Not(_) | Piece::Joint(..) | Piece::Keyword(..) => return None,
        };
        self.redirects()?;
        Some(node)
    }

    /// Parses a plain simple command: not a function, not an array, and not a
    /// condition in double brackets that contains operators.
    fn command(&self, index: usize) -> Option<ScriptNode> {
        let words = &self.commands[index].words;
        let is = |word: Option<&Word<'_>>, text| word.is_some_and(|word| word.text == text);
        let is_cut = is(words.first(), "[[") && !is(words.last(), "]]");
        let is_followed = matches!(self.rest.first(), Some(Piece::Open(_)));
        (!is_cut && !is_followed).then_some(ScriptNode::Command(index))
    }

    fn condition(&mut self) -> Option<ScriptNode> {
        let mut branches = Vec::new();
        loop {
            let condition = self.body(Keyword::Then)?;
            let body = self.list()?;
            branches.push((condition, body));
            let Piece::Keyword(keyword, _) = self.next()? else {
                return None;
            };
            match keyword {
                Keyword::Elif => {}
                Keyword::Else => {
                    let otherwise = self.body(Keyword::Fi)?;
                    return Some(ScriptNode::If(branches, Some(otherwise)));
                }
                Keyword::Fi => return Some(ScriptNode::If(branches, None)),
                _ => return None,
            }
        }
    }

    /// Parses a list with the keyword after it.
    fn body(&mut self, end: Keyword) -> Option<List> {
        let list = self.list()?;
        self.keyword(end)?;
        Some(list)
    }

    fn keyword(&mut self, expected: Keyword) -> Option<()> {
        matches!(self.next()?, Piece::Keyword(found, _) if found == expected).then_some(())
    }

    /// Skips the redirections of a compound command.
    fn redirects(&mut self) -> Option<()> {
        let Some(&Piece::Command(index)) = self.rest.first() else {
            return Some(());
        };
        let command = &self.commands[index];
        if !command.words.is_empty() || !command.assignments.is_empty() {
            return None;
        }
        self.next();
        Some(())
    }
}
