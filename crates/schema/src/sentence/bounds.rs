//! The start and end of the sentence around an object.

use super::words::{Class, Word, split};

/// Returns the lines of the sentence at the end of a string, the last one first.
pub(super) fn sentence_before(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut is_paragraph = false;
    for (above, line) in text.rsplit('\n').enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() || is_fence(trimmed) {
            is_paragraph |= above > 0 && trimmed.is_empty();
            continue;
        }
        if above > 0 && !leads_on(trimmed, is_paragraph) {
            break;
        }
        is_paragraph = false;
        let start = last_end(line);
        lines.push(line.get(start.unwrap_or(0)..).unwrap_or_default());
        if start.is_some() || above > 0 && begins_block(trimmed) {
            break;
        }
    }
    lines
}

/// Returns whether the sentence of a line continues in the next one, or in the next
/// paragraph.
fn leads_on(line: &str, is_paragraph: bool) -> bool {
    let text = line.trim_end_matches(['*', '_', '"', '`', '”', '’', '\'', ' ']);
    if text.ends_with([':', ',', '(', '-', '–', '—', '=', '…']) || text.ends_with("...") {
        return true;
    }
    if text.ends_with(['.', '!', '?']) {
        return last_end(text).is_none();
    }
    if text.ends_with(['}', ']']) {
        return false;
    }
    let last = split([text]).pop();
    last.is_some_and(|word| leads_to_object(&word))
        || is_heading(line)
        || !is_paragraph && !begins_block(line)
}

fn leads_to_object(word: &Word) -> bool {
    use Class::{Being, Example, Filler, Modal, Negation, Says};
    let classes = [Being, Example, Filler, Modal, Negation, Says];
    classes.into_iter().any(|class| word.is(class))
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

fn is_heading(line: &str) -> bool {
    line.starts_with('#') || line.starts_with("**") && line.ends_with("**")
}

/// Returns whether a line starts an item of a list, a row of a table or a log entry.
fn begins_block(line: &str) -> bool {
    let is_item = ["- ", "* ", "+ ", "• "]
        .iter()
        .any(|mark| line.starts_with(mark));
    is_item || line.starts_with(['[', '|', '{']) || line.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the offset after the last end of a sentence in a line.
fn last_end(line: &str) -> Option<usize> {
    let ends = line
        .char_indices()
        .rev()
        .filter(|(_, c)| matches!(c, '.' | '!' | '?'));
    ends.map(|(at, c)| (at, at + c.len_utf8()))
        .find(|(at, end)| ends_sentence(line, *at, *end))
        .map(|(_, end)| end)
}

/// Returns whether the mark from `at` to `end` ends a sentence: it is followed by white
/// space and is not part of an ellipsis, an abbreviation or the number of an item.
fn ends_sentence(line: &str, at: usize, end: usize) -> bool {
    let closers = ['"', '\'', '”', '’', ')', ']', '*', '_', '`'];
    let after = line
        .get(end..)
        .unwrap_or_default()
        .trim_start_matches(closers);
    if !(after.is_empty() || after.starts_with(char::is_whitespace)) {
        return false;
    }
    let before = line.get(..at).unwrap_or_default();
    if line.get(at..end) != Some(".") {
        return true;
    }
    if before.ends_with('.') {
        return false;
    }
    let word = before
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next();
    let word = word.unwrap_or_default().to_ascii_lowercase();
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    !(Word::of(&word).is(Class::Abbreviation) || is_number && before.trim_start() == word)
}

/// Returns what follows an object: the rest of its sentence, and the next sentence.
pub(super) fn sentences_after(text: &str) -> (&str, &str) {
    let text = text.split('{').next().unwrap_or_default();
    let skip = |c: char| c.is_whitespace() || is_closer(c);
    let text = text.trim_start_matches(skip);
    let (rest, after) = if text.starts_with(char::is_uppercase) {
        ("", text)
    } else if text.starts_with(['>', '|', '#', '[', '}'])
        || text.starts_with('<') && !text.starts_with("<-")
    {
        ("", "")
    } else {
        split_sentence(text)
    };
    (rest, split_sentence(after.trim_start_matches(skip)).0)
}

/// Returns whether a character closes a quotation or a bracket around an object, or is
/// a space within its line.
pub(super) fn is_closer(c: char) -> bool {
    matches!(
        c,
        ' ' | '\t' | '"' | '\'' | '“' | '”' | '‘' | '’' | '`' | '*' | '_' | '~' | ')' | ']'
    )
}

/// Returns the first sentence of a string and what follows it.
fn split_sentence(text: &str) -> (&str, &str) {
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if from > 0 && (trimmed.is_empty() || is_fence(trimmed) || begins_block(trimmed)) {
            break;
        }
        let marks = line
            .char_indices()
            .filter(|(_, c)| matches!(c, '.' | '!' | '?'));
        let mut ends = marks.map(|(at, c)| (at, at + c.len_utf8()));
        if let Some((_, end)) = ends.find(|(at, end)| ends_sentence(line, *at, *end)) {
            return text.split_at(from + end);
        }
        from += line.len();
    }
    text.split_at(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_before_an_object_includes_lines_that_lead_to_it() {
        for (text, expected) in [
            ("I read it. My verdict is ", "My verdict is"),
            ("Good! Really? So ", "So"),
            ("If it were good\nI say ", "If it were good|I say"),
            ("If it were good.\nI say ", "I say"),
            ("If it were good\n\nI say ", "I say"),
            ("If it were good:\n\n", "If it were good:"),
            ("If it were good,\n\nI say ", "If it were good,|I say"),
            ("I would answer with\n\n", "I would answer with"),
            ("I would\n\nnot\n\n", "I would|not"),
            ("Perhaps ...\n\n", "Perhaps ..."),
            ("Say e.g.\n", "Say e.g."),
            ("Say e.g. this: ", "Say e.g. this:"),
            ("It costs 3.\nyes ", "yes"),
            ("1. If so,\n", "1. If so,"),
            ("## If it were good\n\n", "## If it were good"),
            ("**If it were good**\n\n", "**If it were good**"),
            ("**If** it were good\n\n", ""),
            ("- If it were good\nyes ", "yes"),
            ("Notes:\n- if it were good:\n", "- if it were good:"),
            ("[a] if so:\n[b] is ", "[a] if so:|[b] is"),
            ("if so\n```json\n", "if so"),
            ("if good\n\n~~~\n", ""),
            ("if so:\n~~~\n", "if so:"),
            ("if {so}\n", ""),
            ("[if so]\n", ""),
        ] {
            let lines: Vec<_> = sentence_before(text).into_iter().rev().collect();
            assert_eq!(
                lines.join("|").trim().replace(" |", "|"),
                expected,
                "{text:?}"
            );
        }
    }

    #[test]
    fn the_rest_of_a_sentence_ends_where_another_one_starts() {
        for (text, expected) in [
            (" is it. Next one. Third.", ("is it.", "Next one.")),
            ("` is it", ("is it", "")),
            ("\nNext one.\n", ("", "Next one.")),
            (". Next one", (".", "Next one")),
            (", e.g. so. Next.", (", e.g. so.", "Next.")),
            (", if so\nor so", (", if so\nor so", "")),
            (", if so\n\nNext", (", if so\n", "Next")),
            (", if so\n- item", (", if so\n", "- item")),
            (", if so\n```\nNext", (", if so\n", "Next")),
            ("- end\n- item", ("- end\n", "- item")),
            (" or {if so}", ("or ", "")),
            ("</answer> if so", ("", "")),
            ("<- not this", ("<- not this", "")),
            ("> if so", ("", "")),
            ("} if so", ("", "")),
        ] {
            assert_eq!(sentences_after(text), expected, "{text:?}");
        }
    }
}
