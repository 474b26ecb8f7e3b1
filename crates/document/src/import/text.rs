//! Text of others: on one line, as a name, and as Markdown.

use crate::body::Body;
use review_types::one_line;

/// The longest name, in bytes.
const MAX_NAME: usize = 48;

/// Puts a string on one line, its words with single spaces between them, without characters
/// that are not to be seen.
pub(super) fn clean(text: &str) -> String {
    let unseen = |char: char| {
        char.is_control()
            || matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    one_line(&text.replace(unseen, " "))
}

/// What stands for the start of a tag and of a link, which stay as they are written.
const KEPT: [(&str, &str); 2] = [("<", "\u{e000}"), ("[", "\u{e001}")];

/// A line of Markdown as [`clean`] text, without marks of emphasis and code and without
/// escapes.
pub(super) fn plain(markdown: &str) -> String {
    let mut heading = format!("# {}", clean(markdown));
    for (char, kept) in KEPT {
        heading = heading.replace(&format!("\\{char}"), char);
        heading = heading.replace(char, kept);
    }
    let title = Body::of(&heading, None).title().map(|title| title.value);
    let mut text = title.unwrap_or(heading);
    for (char, kept) in KEPT {
        text = text.replace(kept, char);
    }
    clean(&text)
}

/// Returns a string as a name of `[a-z0-9-]`, or `fallback` where nothing of it is left.
pub fn slug(text: &str, fallback: &str) -> String {
    let mut slug = String::new();
    for char in text.chars().map(|char| char.to_ascii_lowercase()) {
        match char {
            'a'..='z' | '0'..='9' => slug.push(char),
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
        if slug.len() == MAX_NAME {
            break;
        }
    }
    match slug.trim_end_matches('-') {
        "" => fallback.to_owned(),
        slug => slug.to_owned(),
    }
}

/// A string as an id of `[A-Za-z0-9._-]`; empty where nothing of it is left.
pub(super) fn id(text: &str) -> String {
    let legal = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-');
    let parts = text
        .split(|char| !legal(char))
        .filter(|part| !part.is_empty());
    let id: String = parts
        .collect::<Vec<_>>()
        .join("-")
        .chars()
        .take(MAX_NAME)
        .collect();
    id.trim_matches(['.', '-']).to_owned()
}

/// A cleaned text in a paragraph, an item or a heading: as it is read, it is the same,
/// and it is not a link, code, comment, table, list or heading.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mut is_in_word = false;
    for (at, char) in text.char_indices() {
        let starts_block = at == 0 && matches!(char, '#' | '>' | '-' | '+' | '*' | '=' | '~' | ':')
            || at > 0 && at == digits && matches!(char, '.' | ')');
        let next = text[at..].chars().nth(1);
        let is_mark = match char {
            '_' => !(is_in_word && next.is_some_and(char::is_alphanumeric)),
            char => matches!(char, '\\' | '`' | '*' | '<' | '[' | ']' | '|' | '&'),
        };
        if starts_block || is_mark {
            escaped.push('\\');
        }
        escaped.push(char);
        is_in_word = char.is_alphanumeric();
    }
    escaped
}
