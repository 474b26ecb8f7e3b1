//! The phrases, and their occurrences in a string.

/// A vague phrase.
#[derive(Debug)]
pub(super) struct Phrase {
    /// Its words in lower case, separated by one blank.
    pub(super) text: &'static str,
    /// The same words as a slice.
    words: &'static [&'static str],
    pub(super) role: Role,
}

/// The role of a phrase in its clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It comes first: "consider …".
    Opening,
    /// It follows the subject: "… could be better".
    Predicate,
}

/// The number of initial letters that are looked up.
const LETTERS: usize = 3;

/// The phrases of one kind.
#[derive(Debug)]
pub(super) struct List {
    pub(super) phrases: &'static [Phrase],
    /// The first, second and third letters of the phrases, in either case.
    letters: [[bool; 256]; LETTERS],
}

impl List {
    const fn new(phrases: &'static [Phrase]) -> Self {
        let mut letters = [[false; 256]; LETTERS];
        let mut at = 0;
        while at < phrases.len() * LETTERS {
            let letter = phrases[at / LETTERS].text.as_bytes()[at % LETTERS];
            letters[at % LETTERS][letter as usize] = true;
            letters[at % LETTERS][letter.to_ascii_uppercase() as usize] = true;
            at += 1;
        }
        Self { phrases, letters }
    }

    /// Whether a phrase may start at these bytes.
    fn may_start(&self, bytes: &[u8]) -> bool {
        let [first, second, third, ..] = bytes else {
            return false;
        };
        let is_letter = |at: usize, byte: &u8| self.letters[at][usize::from(*byte)];
        is_letter(0, first) && is_letter(1, second) && is_letter(2, third)
    }
}

const fn opening(text: &'static str, words: &'static [&'static str]) -> Phrase {
    let role = Role::Opening;
    Phrase { text, words, role }
}

const fn predicate(text: &'static str, words: &'static [&'static str]) -> Phrase {
    let role = Role::Predicate;
    Phrase { text, words, role }
}

pub(super) static VAGUE: List = List::new(&[
    predicate("could be better", &["could", "be", "better"]),
    predicate("needs improvement", &["needs", "improvement"]),
    opening("consider changing", &["consider", "changing"]),
    predicate("might want to", &["might", "want", "to"]),
    predicate("should probably", &["should", "probably"]),
]);

pub(super) static ADVISORY: List = List::new(&[
    opening("think about", &["think", "about"]),
    opening("consider", &["consider"]),
    opening("maybe", &["maybe"]),
    opening("perhaps", &["perhaps"]),
    opening("you might", &["you", "might"]),
]);

/// Returns the phrases of `list` in `text`, each with its byte offset.
pub(super) fn matches<'t>(
    list: &'static List,
    text: &'t str,
) -> impl Iterator<Item = (&'static Phrase, usize)> + 't {
    let mut in_word = false;
    let bytes = text.bytes().enumerate();
    let starts = bytes.filter_map(move |(at, byte)| {
        let was_in_word = std::mem::replace(&mut in_word, IS_WORD[usize::from(byte)]);
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        (!was_in_word && list.may_start(rest)).then_some(at)
    });
    starts.filter_map(move |at| {
        let is_here = |phrase: &&Phrase| is_at(phrase, text, at);
        list.phrases.iter().find(is_here).map(|phrase| (phrase, at))
    })
}

/// The bytes of a word; characters that are not ASCII are examined next to a phrase.
static IS_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let c = byte as u8;
        table[byte] = c.is_ascii_alphanumeric() || c == b'_';
        byte += 1;
    }
    table
};

/// Whether the words of a phrase are at byte `at`, none of them part of a longer word.
fn is_at(phrase: &Phrase, text: &str, at: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let Some((before, mut rest)) = text.split_at_checked(at) else {
        return false;
    };
    for (number, word) in phrase.words.iter().enumerate() {
        if number > 0 {
            let behind = rest.trim_start();
            if behind.len() == rest.len() {
                return false;
            }
            rest = behind;
        }
        match rest.split_at_checked(word.len()) {
            Some((here, behind)) if here.eq_ignore_ascii_case(word) => rest = behind,
            _ => return false,
        }
    }
    !before.ends_with(is_part) && !rest.starts_with(is_part)
}
