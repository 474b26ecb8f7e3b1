//! Closing fences with tabs behind them.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memmem};

/// The text with spaces for the tabs behind bare fences, so that no byte moves.
///
/// `CommonMark` lets tabs stand behind a closing fence; `pulldown-cmark` does
/// not take such a fence for one, and all that follows would be code.
pub(super) fn without_tabs(text: &str) -> Cow<'_, str> {
    if memchr(b'\t', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let marks = ["```", "~~~"].iter();
    let mut blanks: Vec<_> = marks.flat_map(|marks| tabs_behind(marks, text)).collect();
    if blanks.is_empty() {
        return Cow::Borrowed(text);
    }
    blanks.sort_unstable_by_key(|blank| blank.start);
    let mut spaced = String::with_capacity(text.len());
    let mut kept = 0;
    for blank in blanks {
        spaced.push_str(&text[kept..blank.start]);
        spaced.extend(std::iter::repeat_n(' ', blank.len()));
        kept = blank.end;
    }
    spaced.push_str(&text[kept..]);
    Cow::Owned(spaced)
}

/// The blanks with tabs that end a line behind a bare fence of such marks.
fn tabs_behind<'t>(marks: &'t str, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let (finder, bytes) = (memmem::Finder::new(marks), text.as_bytes());
    let mut from = 0;
    let fences = std::iter::from_fn(move || {
        let start = from + finder.find(&bytes[from..])?;
        let run = &bytes[start..];
        let length = run.iter().take_while(|&&byte| byte == run[0]).count();
        from = start + length;
        Some(from)
    });
    fences.filter_map(move |end| {
        let rest = &text[end..];
        let behind = rest.trim_start_matches([' ', '\t']);
        let blank = &rest[..rest.len() - behind.len()];
        let ends = behind.is_empty() || behind.starts_with(['\n', '\r']);
        let is_bare = ends && blank.contains('\t') && is_bare_fence(&text[..end]);
        is_bare.then(|| end..end + blank.len())
    })
}

/// The most bytes of a line that can be a fence and what stands before it.
const MAX_FENCE: usize = 200;

/// Whether a text ends with a line of three or more marks behind blanks and
/// the marks of quotes.
fn is_bare_fence(text: &str) -> bool {
    let mark = if text.ends_with('~') { '~' } else { '`' };
    let start = text.rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..];
    if line.len() > MAX_FENCE {
        return false;
    }
    let lead = line.trim_end_matches(mark);
    line.len() - lead.len() >= 3 && lead.trim_start_matches([' ', '\t', '>']).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::Outline;

    #[test]
    fn tabs_behind_bare_fences_become_spaces() {
        for (text, expected) in [
            ("```\nx\n```\t\n", "```\nx\n``` \n"),
            ("> ~~~~ \t \r\n", "> ~~~~   \r\n"),
            ("  ```\t", "  ``` "),
            ("~~~\t\n```\t\n~~~\t", "~~~ \n``` \n~~~ "),
        ] {
            assert_eq!(without_tabs(text), expected);
        }
    }

    #[test]
    fn other_tabs_stay() {
        for text in [
            "```\tgo\n",
            "``\t\n",
            "a ```\t\n",
            "```\n\tx\n```\n",
            "`~~\t\n",
        ] {
            assert!(matches!(without_tabs(text), Cow::Borrowed(_)), "{text:?}");
        }
        let long = format!("{}```\t\n", " ".repeat(MAX_FENCE));
        assert!(matches!(without_tabs(&long), Cow::Borrowed(_)));
    }

    #[test]
    fn a_fence_with_a_tab_closes_its_block() {
        let outline = Outline::parse("```\nx\n```\t\n\n# A\n");
        assert_eq!(outline.headings().len(), 1);
        assert_eq!(outline.headings().first().expect("a heading").text, "A");
    }
}
