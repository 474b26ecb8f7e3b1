//! What is outside the objects: tags of thinking, code fences, and verdicts in
//! prose.

use std::ops::Range;

use memchr::{memchr_iter, memchr2_iter};

use crate::Dialect;

/// Maximum number of separators between `verdict` and its value in prose.
const MAX_SEPARATORS: usize = 32;

/// A tag of thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Open,
    Close,
}

/// Returns the tags of thinking in `bytes`, each with the offset after it.
pub(crate) fn tags(bytes: &[u8]) -> impl Iterator<Item = (usize, Tag)> {
    memchr_iter(b'<', bytes).filter_map(|at| {
        let after = bytes.get(at + 1..)?;
        let (tag, name) = match after.strip_prefix(b"/") {
            Some(name) => (Tag::Close, name),
            None => (Tag::Open, after),
        };
        let known: [&[u8]; 4] = [b"thinking", b"think", b"reasoning", b"thought"];
        let word = known.into_iter().find(|word| {
            name.get(..word.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(word))
        })?;
        let behind = name.get(word.len()..)?;
        let blanks = behind
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .take(16);
        let end = blanks.count();
        let offset = bytes.len() - behind.len() + end + 1;
        (behind.get(end) == Some(&b'>')).then_some((offset, tag))
    })
}

/// A line that opens or closes a code block.
pub(crate) struct Fence {
    pub(crate) line: Range<usize>,
    /// Whether it names a language, which only an opening one does.
    pub(crate) opens: bool,
}

/// Returns the fences of code blocks in a string.
pub(crate) fn fences(text: &str) -> impl Iterator<Item = Fence> {
    let mut end = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = end;
        end += line.len();
        let trimmed = line.trim();
        let info = trimmed
            .strip_prefix("```")
            .or(trimmed.strip_prefix("~~~"))?;
        let opens = !info.trim_matches(['`', '~']).is_empty();
        let line = start..end;
        Some(Fence { line, opens })
    })
}

/// Returns the offset at which prose outside objects states that the verdict is
/// `needs_revision`, or its equivalent in the dialect.
pub(crate) fn contrary(bytes: &[u8], dialect: Dialect) -> Option<usize> {
    memchr2_iter(b'v', b'V', bytes)
        .find(|at| says_needs_revision(bytes.get(*at..).unwrap_or_default(), dialect))
}

fn says_needs_revision(bytes: &[u8], dialect: Dialect) -> bool {
    let Some(behind) = strip_word(bytes, b"verdict") else {
        return false;
    };
    let (separators, mut rest) = split_separators(behind);
    if let Some(behind) = strip_word(rest, b"is") {
        rest = split_separators(behind).1;
    } else if !states(separators) {
        return false;
    }
    if dialect == Dialect::Actionable && says_no_accept(rest) {
        return true;
    }
    let Some(rest) = strip_word(rest, b"needs") else {
        return false;
    };
    let between = rest
        .iter()
        .take_while(|byte| matches!(byte, b'_' | b'-' | b' '))
        .take(3);
    let between = between.count();
    let Some(behind) = strip_word(rest.get(between..).unwrap_or_default(), b"revision") else {
        return false;
    };
    !is_choice(behind)
}

/// Returns whether there is a verdict of documents here other than `accept`, and not
/// a choice of words.
fn says_no_accept(rest: &[u8]) -> bool {
    let words: [&[u8]; 3] = [b"refine", b"reject", b"escalate"];
    let behind = words.into_iter().find_map(|word| strip_word(rest, word));
    behind.is_some_and(|behind| {
        let decorates = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`' | b'*' | b' ');
        let next = behind.iter().take(8).find(|byte| !decorates(byte));
        let ends = !behind.first().is_some_and(u8::is_ascii_alphanumeric);
        ends && !matches!(next, Some(b'|' | b'/'))
    })
}

/// Returns whether the other word follows after a bar or slash: a choice of both is a
/// template.
fn is_choice(behind: &[u8]) -> bool {
    let decorates = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`' | b'*' | b' ');
    let skip = |bytes: &[u8]| {
        bytes
            .iter()
            .take_while(|byte| decorates(byte))
            .take(8)
            .count()
    };
    match behind.get(skip(behind)..) {
        Some([b'|' | b'/', other @ ..]) => {
            let other = other.get(skip(other)..).unwrap_or_default();
            let ends = |rest: &[u8]| !rest.first().is_some_and(u8::is_ascii_alphanumeric);
            strip_word(other, b"pass").is_some_and(ends)
        }
        _ => false,
    }
}

fn strip_word<'b>(bytes: &'b [u8], word: &[u8]) -> Option<&'b [u8]> {
    let (start, rest) = bytes.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then_some(rest)
}

/// Returns the separators at the start of `bytes` and what follows them. Everything
/// but letters, digits and brackets separates.
fn split_separators(bytes: &[u8]) -> (&[u8], &[u8]) {
    let separates =
        |byte: &u8| !byte.is_ascii_alphanumeric() && !matches!(byte, b'{' | b'}' | b'[' | b']');
    let some = bytes.iter().take_while(|byte| separates(byte));
    bytes.split_at(some.take(MAX_SEPARATORS).count())
}

/// Returns whether separators assert what follows them: a single space and a
/// comparison do not.
fn states(separators: &[u8]) -> bool {
    let only_blanks = separators.iter().all(|byte| matches!(byte, b' ' | b'\t'));
    !only_blanks
        && !separators
            .windows(2)
            .any(|pair| pair == b"==" || pair == b"!=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_four_names_and_two_directions() {
        let text = b"<think> </THINK> <thinking > </reasoning><thought></thought><thinker><think";
        let found: Vec<_> = tags(text).collect();
        assert_eq!(
            found,
            [
                (7, Tag::Open),
                (16, Tag::Close),
                (28, Tag::Open),
                (41, Tag::Close),
                (50, Tag::Open),
                (60, Tag::Close),
            ],
        );
    }

    #[test]
    fn fences_are_lines_with_or_without_a_language() {
        let text = "a ``` b\n  ```json\n{}\n```\n~~~~\n~~~ x\n````";
        let found: Vec<_> = fences(text)
            .map(|fence| (fence.line, fence.opens))
            .collect();
        assert_eq!(
            found,
            [
                (8..18, true),
                (21..25, false),
                (25..30, false),
                (30..36, true),
                (36..40, false),
            ],
        );
    }

    #[test]
    fn prose_may_contain_needs_revision() {
        for text in [
            "verdict: needs_revision",
            "My Verdict is needs revision.",
            "the verdict is: `needs_revision`",
            "**Verdict:** **Needs Revision**",
            "\"verdict\":\"needs_revision\"",
            "\\\"verdict\\\": \\\"needs_revision\\\"",
            "verdict = 'needs-revision'",
            "overdue, verdict\n\nNEEDS_REVISION",
            "verdict → needs_revision",
            "verdict: needs_revision | completeness: 50",
            "**Verdict:** needs_revision / see below",
            "| verdict | needs_revision |",
            "verdict: needs_revision | passable",
        ] {
            assert!(
                contrary(text.as_bytes(), Dialect::Verdict).is_some(),
                "{text}"
            );
        }
        for text in [
            "verdict: pass",
            "verdict pass, not needs_revision",
            "a verdict that needs_revision",
            "verdict: needs_revision|pass",
            "verdict: `needs_revision` / `pass`",
            "verdictneeds_revision",
            "verdict: needs nothing",
            "a verdict needs_revision",
            "if verdict == \"needs_revision\" then",
            "while verdict != 'needs_revision'",
            "verdict",
        ] {
            assert_eq!(contrary(text.as_bytes(), Dialect::Verdict), None, "{text}");
        }
    }

    #[test]
    fn prose_may_contain_a_rejection() {
        for (text, says) in [
            ("verdict: refine", true),
            ("The verdict is **reject**.", true),
            ("Verdict: `escalate`", true),
            ("verdict: needs_revision", true),
            ("verdict: refine | reject", false),
            ("verdict: \"refine\"/\"reject\"", false),
            ("verdict: refinement", false),
            ("verdict: accept", false),
            ("we refine the verdict", false),
        ] {
            let found = contrary(text.as_bytes(), Dialect::Actionable);
            assert_eq!(found.is_some(), says, "{text}");
        }
        assert_eq!(contrary(b"verdict: refine", Dialect::Verdict), None);
    }
}
