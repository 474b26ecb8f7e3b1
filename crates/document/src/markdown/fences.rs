//! Closing fences with tabs after them.

use std::borrow::Cow;

/// Replaces the tabs after bare fences by spaces, so that no offset changes.
///
/// `CommonMark` allows tabs after a closing fence; `pulldown-cmark` does not
/// recognize such a fence, and everything after it would be code.
pub(super) fn without_tabs(text: &str) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let mut spaced = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        if is_bare_fence(bare) {
            let (fence, behind) = line.split_at(bare.len());
            spaced.push_str(fence);
            spaced.push_str(&behind.replace('\t', " "));
        } else {
            spaced.push_str(line);
        }
    }
    Cow::Owned(spaced)
}

/// Returns whether a line is three or more fence marks after spaces and quote marks.
fn is_bare_fence(line: &str) -> bool {
    let marks = line.trim_start_matches([' ', '\t', '>']);
    let is_all = |mark: char| marks.chars().all(|char| char == mark);
    marks.len() >= 3 && (is_all('`') || is_all('~'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::Outline;

    #[test]
    fn tabs_after_bare_fences_become_spaces() {
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
    fn other_tabs_are_unchanged() {
        for text in [
            "```\tgo\n",
            "``\t\n",
            "a ```\t\n",
            "```\n\tx\n```\n",
            "`~~\t\n",
        ] {
            assert_eq!(without_tabs(text), text);
        }
    }

    #[test]
    fn a_fence_with_a_tab_closes_its_block() {
        let outline = Outline::parse("```\nx\n```\t\n\n# A\n");
        assert_eq!(outline.headings.len(), 1);
        assert_eq!(outline.headings.first().expect("a heading").text, "A");
    }
}
