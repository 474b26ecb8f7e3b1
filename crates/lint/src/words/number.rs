//! The numbers of a string.

use review_document::Span;

/// Numbers written as words; "one" is rarely a number.
const WORDS: [&str; 15] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "half", "hundred",
    "thousand", "million", "twice", "zero",
];

/// The numbers in digits that are not part of a name: `10`, `1.5`, `1,000`, but not
/// `ES6`, `FR-2` or `#3`.
fn numbers(text: &str) -> impl Iterator<Item = Span> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text[at..].find(|c: char| c.is_ascii_digit())?;
            at = end_of_number(text, start);
            if !is_in_name(&text[..start]) {
                return Some(Span::new(start, at));
            }
        }
    })
}

/// Whether a string contains a number, in digits or as a word.
pub(crate) fn has_number(text: &str) -> bool {
    let spelled = |word: &str| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known));
    numbers(text).next().is_some() || text.split(|c: char| !c.is_alphanumeric()).any(spelled)
}

fn end_of_number(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    loop {
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(digit), _) if digit.is_ascii_digit() => at += 1,
            (Some(b'.' | b','), Some(next)) if next.is_ascii_digit() => at += 1,
            _ => return at,
        }
    }
}

/// Whether the characters before a digit make it part of a name.
fn is_in_name(before: &str) -> bool {
    let mut chars = before.chars().rev();
    match chars.next() {
        Some('-' | '_' | '/' | '.') => chars.next().is_some_and(char::is_alphabetic),
        Some('#') => true,
        last => last.is_some_and(char::is_alphabetic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_digits_outside_of_names() {
        let cases: [(&str, &[&str]); 8] = [
            ("at most 10 of 1,000.5 s.", &["10", "1,000.5"]),
            ("<5s, 1.", &["5", "1"]),
            ("ES6, FR-2, x_3, v1.2, #4", &[]),
            ("1-2", &["1", "2"]),
            ("p99 < 3ms", &["3"]),
            ("é7 8", &["8"]),
            ("a/9 -1", &["1"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let seen: Vec<_> = numbers(text)
                .map(|span| span.slice(text).unwrap())
                .collect();
            assert_eq!(seen, expected, "{text}");
        }
    }

    #[test]
    fn numbers_may_be_words() {
        assert!(has_number("Twice a day") && has_number("2 times"));
        assert!(!has_number("one or none of often"));
    }
}
