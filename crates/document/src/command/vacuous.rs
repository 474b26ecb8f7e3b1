//! Commands that succeed regardless of the code under test.

use super::outcome::{Ends, Evaluation, shell_text};
use super::tree::{Item, List, ScriptNode};
use super::{Joint, Script, Word};
use crate::Span;

/// Why a script cannot fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vacuous {
    /// None of its commands can fail.
    Whole(Span),
    /// It ends with something that replaces the previous status, from the
    /// operator on: `|| true`, `; exit 0`, `|| echo failed`.
    Tail(Span),
    /// Its last command runs in the background, from the `&` on.
    Background(Span),
}

impl Vacuous {
    /// Returns the responsible bytes of the script.
    #[must_use]
    pub const fn span(self) -> Span {
        match self {
            Self::Whole(span) | Self::Tail(span) | Self::Background(span) => span,
        }
    }

    const fn shifted(self, by: usize) -> Self {
        match self {
            Self::Whole(span) => Self::Whole(span.shifted(by)),
            Self::Tail(span) => Self::Tail(span.shifted(by)),
            Self::Background(span) => Self::Background(span.shifted(by)),
        }
    }
}

/// Returns what makes the script vacuous, if it certainly is.
pub(super) fn find(script: &Script<'_>) -> Option<Vacuous> {
    within(script, 0, false)
}

fn within(script: &Script<'_>, shells: usize, errexit: bool) -> Option<Vacuous> {
    let tree = script.tree.as_ref()?;
    let found = in_list(script, tree, shells, errexit)?;
    Some(match found {
        Vacuous::Whole(_) => Vacuous::Whole(tree.span()),
        Vacuous::Tail(_) | Vacuous::Background(_) => found,
    })
}

fn in_list(script: &Script<'_>, list: &List, shells: usize, errexit: bool) -> Option<Vacuous> {
    let mut tail = None;
    let mut evaluation = Evaluation::new(script, shells, errexit);
    let ends = evaluation.list(list, Ends::SUCCESS, &mut |item: &Item, ends: Ends| {
        if ends.may_fail() {
            tail = Some(item.joint_span.start);
        }
    });
    if ends.may_fail() || !evaluation.acts {
        return None;
    }
    if let Some(span) = list.background {
        return Some(Vacuous::Background(span));
    }
    let span = list.span();
    if let Some(start) = tail {
        return Some(Vacuous::Tail(Span::new(start, span.end)));
    }
    Some(in_only_item(script, list, shells, errexit).unwrap_or(Vacuous::Whole(span)))
}

/// Looks inside the only item that does more than prepare.
fn in_only_item(script: &Script<'_>, list: &List, shells: usize, errexit: bool) -> Option<Vacuous> {
    let (last, before) = list.items.split_last()?;
    let only_prepared = before.iter().all(|item| is_setup(script, item));
    if !last.piped.is_empty() || !only_prepared || last.negated || last.joint == Joint::Or {
        return None;
    }
    match &last.first {
        ScriptNode::Group(body) | ScriptNode::Subshell(body) | ScriptNode::For(body) => {
            in_list(script, body, shells, errexit)
        }
        ScriptNode::Command(index) => {
            let program = script.commands[*index].program()?;
            let (text, errexit) = shell_text(program)?;
            let start = verbatim(text)?;
            let inner = within(&Script::parse(&text.text), shells + 1, errexit)?;
            Some(inner.shifted(start))
        }
        ScriptNode::If(..) => None,
    }
}

fn is_setup(script: &Script<'_>, item: &Item) -> bool {
    let (ScriptNode::Command(index), true) = (&item.first, item.piped.is_empty()) else {
        return false;
    };
    let program = script.commands[*index].program();
    program.is_none_or(|program| matches!(program.name, "cd" | "set" | "export" | "unset"))
}

/// Returns the start of a word's value, if it is written literally.
fn verbatim(word: &Word<'_>) -> Option<usize> {
    let quotes = word.span.len().checked_sub(word.text.len())?;
    matches!(quotes, 0 | 2).then_some(word.span.start + quotes / 2)
}
