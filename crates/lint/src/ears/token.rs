//! The words, commas and full stops of a sentence.

/// A token of a sentence; text in brackets is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Word(&'a str),
    Comma,
    /// The end of a sentence, or of a part that could be one.
    Stop,
}

/// Modal verbs other than `shall`.
const OTHER_MODALS: [&str; 5] = ["must", "will", "should", "may", "can"];

impl<'a> Token<'a> {
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own.eq_ignore_ascii_case(word))
    }

    /// The modal verb of this token, other than `shall`.
    pub(super) fn other_modal(&self) -> Option<&'static str> {
        let is_it = |modal: &&&str| self.is_word(modal);
        OTHER_MODALS.iter().find(is_it).copied()
    }

    /// The entry of `words` that this token is.
    pub(super) fn one_of(&self, words: &[&'static str]) -> Option<&'static str> {
        words.iter().find(|word| self.is_word(word)).copied()
    }
}

/// Splits a string into tokens.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut start = None;
    for (at, char) in text.char_indices() {
        let is_word = char.is_alphanumeric() || matches!(char, '-' | '_' | '\'' | '’' | '`');
        if is_word && depth == 0 {
            start.get_or_insert(at);
            continue;
        }
        if let Some(start) = start.take() {
            found.push(Token::Word(&text[start..at]));
        }
        let rest = &text[at + char.len_utf8()..];
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => found.push(Token::Comma),
            ';' if depth == 0 => found.push(Token::Stop),
            '.' | ':' | '!' | '?' if depth == 0 && !rest.starts_with(char::is_alphanumeric) => {
                found.push(Token::Stop);
            }
            _ => {}
        }
    }
    found.extend(start.map(|start| Token::Word(&text[start..])));
    found
}
