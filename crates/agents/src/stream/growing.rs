//! A string that arrives in pieces.

/// A string that grows up to a limit; of one that is longer nothing is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GrowingText {
    text: String,
    is_too_long: bool,
}

/// A string that is longer than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextTooLong;

impl GrowingText {
    /// Appends a piece, up to `limit` bytes in all.
    pub(crate) fn push(&mut self, piece: &str, limit: usize) {
        if self.is_too_long || piece.len() > limit.saturating_sub(self.text.len()) {
            self.is_too_long = true;
            self.text = String::new();
        } else {
            self.text.push_str(piece);
        }
    }

    /// Whether there is nothing in it.
    pub(crate) fn is_blank(&self) -> bool {
        !self.is_too_long && self.text.trim().is_empty()
    }

    /// The whole text.
    pub(crate) fn whole(self) -> Result<String, TextTooLong> {
        match self.is_too_long {
            true => Err(TextTooLong),
            false => Ok(self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_over_its_limit_stays_over_it() {
        for (pieces, is_blank, whole) in [
            (&["ab", "cd"][..], false, Ok("abcd")),
            (&[], true, Ok("")),
            (&[" ", "\n"], true, Ok(" \n")),
            (&["ab", "cde", ""], false, Err(TextTooLong)),
            (&["     "], false, Err(TextTooLong)),
        ] {
            let mut text = GrowingText::default();
            pieces.iter().for_each(|piece| text.push(piece, 4));
            assert_eq!(text.is_blank(), is_blank, "{pieces:?}");
            assert_eq!(text.whole(), whole.map(str::to_owned), "{pieces:?}");
        }
    }
}
