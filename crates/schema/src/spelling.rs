//! The spellings of verdicts, severities, scores and placeholders.

use review_types::{Severity, Verdict};

use crate::parse::{Node, Value};

/// The verdict that an object mentions, in increasing precedence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mention {
    #[default]
    None,
    Pass,
    /// A value that is neither verdict.
    Unclear,
    NeedsRevision,
}

impl Mention {
    /// Returns the verdict in a value.
    pub(crate) fn of(node: &Node<'_>, text: &str) -> Self {
        match &node.value {
            Value::Text(word) => VerdictWord::of(word).mention(),
            Value::Object(_) | Value::List(_) => {
                let raw = node.raw(text);
                let both = Verdict::ALL.iter().all(|one| raw.contains(one.as_str()));
                if both || raw.contains("\"type\"") {
                    Self::None
                } else {
                    Self::Unclear
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => Self::Unclear,
        }
    }

    /// Returns it, with none at all as unclear.
    pub(crate) fn or_unclear(self) -> Self {
        match self {
            Self::None => Self::Unclear,
            mention => mention,
        }
    }

    /// Returns the verdict in an unquoted word.
    pub(crate) fn of_bare(rest: &str) -> Self {
        let end = rest
            .find(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '_' | '-' | ' ')))
            .unwrap_or(rest.len());
        VerdictWord::of(rest.get(..end).unwrap_or_default()).mention()
    }
}

impl From<Verdict> for Mention {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Pass => Self::Pass,
            Verdict::NeedsRevision => Self::NeedsRevision,
        }
    }
}

/// The spelling of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerdictWord {
    Exact(Verdict),
    /// In another case, or with other separators.
    Form(Verdict),
    /// Both words, or a placeholder for them.
    Template,
    Other,
}

impl VerdictWord {
    pub(crate) fn of(text: &str) -> Self {
        if let Ok(verdict) = text.parse() {
            return Self::Exact(verdict);
        }
        if let Some(verdict) = loose_verdict(text) {
            return Self::Form(verdict);
        }
        if is_placeholder(text) || lists_verdicts(text) {
            return Self::Template;
        }
        Self::Other
    }

    fn mention(self) -> Mention {
        match self {
            Self::Exact(verdict) | Self::Form(verdict) => verdict.into(),
            Self::Template => Mention::None,
            Self::Other => Mention::Unclear,
        }
    }
}

/// The spelling of a severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeverityWord {
    Exact(Severity),
    /// In another case, or in the word of another scale.
    Form(Severity),
    /// Only white space.
    Blank,
    Unknown,
}

/// The words of other scales, a line for each severity. If scales differ, a word has its most
/// severe meaning: `high` is the most severe word of `high`, `medium`, `low`.
const SEVERITY_WORDS: &str = include_str!("../data/severity-words.txt");

fn severity_words() -> impl Iterator<Item = (Severity, &'static str)> {
    let lines = SEVERITY_WORDS.lines().filter_map(|line| {
        let (severity, words) = line.split_once(": ")?;
        Some((severity.parse().ok()?, words))
    });
    lines.flat_map(|(severity, words)| words.split(' ').map(move |word| (severity, word)))
}

impl SeverityWord {
    pub(crate) fn of(text: &str) -> Self {
        if let Ok(severity) = text.parse() {
            return Self::Exact(severity);
        }
        if text.trim().is_empty() {
            return Self::Blank;
        }
        let word = text.trim().to_ascii_lowercase().replace(['-', ' '], "_");
        let synonym = || severity_words().find(|(_, known)| *known == word);
        let synonym = || synonym().map(|(severity, _)| severity);
        match word.parse().ok().or_else(synonym) {
            Some(severity) => Self::Form(severity),
            None => Self::Unknown,
        }
    }
}

fn loose_verdict(text: &str) -> Option<Verdict> {
    let text = text.trim();
    let same = |word: &str| {
        text.len() == word.len()
            && text.bytes().zip(word.bytes()).all(|(a, b)| match a {
                b'-' | b' ' | b'\t' | b'\n' => b == b'_',
                _ => a.to_ascii_lowercase() == b,
            })
    };
    let mut known = Verdict::ALL.iter().copied();
    known.find(|one| same(one.as_str()))
}

fn lists_verdicts(text: &str) -> bool {
    let mut parts = text
        .split(['|', '/', ','])
        .flat_map(|part| part.split(" or "));
    let quotes = ['"', '\'', '`', ' '];
    let mut count = 0;
    parts.all(|part| {
        count += 1;
        loose_verdict(part.trim_matches(quotes)).is_some()
    }) && count > 1
}

/// Returns whether a string is a placeholder: dots, `<name>`, `string`.
pub(crate) fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    match text.as_bytes() {
        [] => false,
        [b'<', .., b'>'] => !text.contains('\n'),
        b"string" => true,
        _ => is_dots(text),
    }
}

/// Returns whether there is nothing but dots.
pub(crate) fn is_dots(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| matches!(c, '.' | '…'))
}

/// Returns whether the rest of the input continues a placeholder, a choice or a range:
/// a template fails at such a place, an answer does not.
pub(crate) fn goes_on_as_template(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    rest.starts_with(['<', '|', '…', '.', '-'])
}

/// A number as a score is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScoreNumber {
    /// An integer.
    pub(crate) value: f64,
    /// Whether it is written in plain digits.
    pub(crate) is_plain: bool,
}

impl ScoreNumber {
    /// Parses a number token that is an integer.
    pub(crate) fn of(token: &str) -> Option<Self> {
        let value: f64 = token.parse().ok()?;
        let digits = token.trim_start_matches(['+', '-']);
        let fraction = token.split_once('.').map_or("", |(_, fraction)| fraction);
        let is_rounded = !fraction.contains(['e', 'E']) && fraction.contains(|c| c != '0');
        (value.fract() == 0.0 && !is_rounded).then_some(Self {
            value,
            is_plain: digits.bytes().all(|byte| byte.is_ascii_digit()),
        })
    }

    /// Parses the content of a string: `85`, `85%`, `85/100`.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        let text = text.trim();
        let number = text
            .strip_suffix('%')
            .or_else(|| text.strip_suffix("/100"))
            .or_else(|| text.strip_suffix("/ 100"))
            .unwrap_or(text)
            .trim_end();
        let is_digit = |c: char| c.is_ascii_digit();
        let is_number = number.trim_start_matches('-').starts_with(is_digit);
        let found = Self::of(number).filter(|_| is_number && number.ends_with(is_digit))?;
        Some(Self {
            is_plain: false,
            ..found
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_has_one_word_with_several_spellings() {
        use Verdict::{NeedsRevision, Pass};
        for (text, word) in [
            ("pass", VerdictWord::Exact(Pass)),
            ("needs_revision", VerdictWord::Exact(NeedsRevision)),
            (" PASS\n", VerdictWord::Form(Pass)),
            ("Needs Revision", VerdictWord::Form(NeedsRevision)),
            ("needs-revision", VerdictWord::Form(NeedsRevision)),
            ("pass|needs_revision", VerdictWord::Template),
            ("needs_revision | pass", VerdictWord::Template),
            ("pass or needs_revision", VerdictWord::Template),
            ("\"pass\" or \"needs_revision\"", VerdictWord::Template),
            ("<verdict>", VerdictWord::Template),
            ("...", VerdictWord::Template),
            ("passed", VerdictWord::Other),
            ("approve", VerdictWord::Other),
            ("pass with comments", VerdictWord::Other),
            ("needs_revision, cannot pass", VerdictWord::Other),
            ("pa-s", VerdictWord::Other),
            ("'pass'", VerdictWord::Other),
            ("pass|approve", VerdictWord::Other),
            ("", VerdictWord::Other),
        ] {
            assert_eq!(VerdictWord::of(text), word, "{text:?}");
        }
    }

    #[test]
    fn a_severity_has_four_words_and_those_of_other_scales() {
        use Severity::{Critical, Major, Minor, Suggestion};
        for severity in Severity::ALL {
            let word = severity.as_str();
            assert_eq!(SeverityWord::of(word), SeverityWord::Exact(*severity));
            let upper = word.to_ascii_uppercase();
            assert_eq!(SeverityWord::of(&upper), SeverityWord::Form(*severity));
        }
        for (text, severity) in [
            (" Critical\n", Critical),
            ("Blocker", Critical),
            ("HIGH", Critical),
            ("error", Critical),
            ("P1", Critical),
            ("must fix", Critical),
            ("show-stopper", Critical),
            ("medium", Major),
            ("Warning", Major),
            ("P2", Major),
            ("low", Minor),
            ("nit", Minor),
            ("info", Minor),
            ("P3", Minor),
            ("nice to have", Suggestion),
        ] {
            assert_eq!(
                SeverityWord::of(text),
                SeverityWord::Form(severity),
                "{text:?}"
            );
        }
        for text in ["", " \n"] {
            assert_eq!(SeverityWord::of(text), SeverityWord::Blank, "{text:?}");
        }
        for text in [
            "catastrophic",
            "critical|major|minor|suggestion",
            "major/critical",
            "not critical",
            "9.8",
            "none",
            "...",
        ] {
            assert_eq!(SeverityWord::of(text), SeverityWord::Unknown, "{text:?}");
        }
    }

    #[test]
    fn each_word_of_another_scale_is_listed_once_in_normalized_form() {
        let words = severity_words().map(|(_, word)| word);
        let mut words: Vec<_> = words.chain(Severity::WORDS.iter().copied()).collect();
        let count = words.len();
        assert_eq!(count, 54);
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
        assert!(words.iter().all(|word| word.to_ascii_lowercase() == *word));
        assert!(words.iter().all(|word| !word.contains(['-', ' '])));
    }

    #[test]
    fn an_unquoted_word_is_a_mention() {
        for (text, mention) in [
            ("pass, x", Mention::Pass),
            ("needs_revision}", Mention::NeedsRevision),
            ("Needs Revision\n", Mention::NeedsRevision),
            ("maybe", Mention::Unclear),
            ("<x>", Mention::Unclear),
        ] {
            assert_eq!(Mention::of_bare(text), mention, "{text:?}");
        }
    }

    #[test]
    fn scores_are_integers() {
        for (token, value, is_plain) in [
            ("85", 85.0, true),
            ("+85", 85.0, true),
            ("-10", -10.0, true),
            ("-0", 0.0, true),
            ("85.0", 85.0, false),
            ("85.000", 85.0, false),
            ("1e2", 100.0, false),
            ("1E+2", 100.0, false),
            ("0.85e2", 85.0, false),
            ("8500e-2", 85.0, false),
            ("-1.0", -1.0, false),
            ("0.0", 0.0, false),
            ("1e30", 1e30, false),
            ("18446744073709551701", 1.844_674_407_370_955_2e19, true),
        ] {
            let expected = ScoreNumber { value, is_plain };
            assert_eq!(ScoreNumber::of(token), Some(expected), "{token}");
        }
        for token in [
            "1e+",
            "85.5",
            "0.85",
            "85.00000000000000000001",
            "1e-1",
            "1e400",
            "NaN",
            "-Infinity",
        ] {
            assert_eq!(ScoreNumber::of(token), None, "{token}");
        }
    }

    #[test]
    fn scores_in_strings_have_three_forms() {
        for text in [
            "85", " 85 ", "85%", "85 %", "85/100", "85 / 100", "85.0", "8.5e1",
        ] {
            let (value, is_plain) = (85.0, false);
            let expected = ScoreNumber { value, is_plain };
            assert_eq!(ScoreNumber::of_text(text), Some(expected), "{text:?}");
        }
        for text in [
            "8/10", "85/1000", "85.5%", "N/A", "", "%", "1.", ".5", "1e", "+85", "inf", "NaN", "-",
        ] {
            assert_eq!(ScoreNumber::of_text(text), None, "{text:?}");
        }
    }

    #[test]
    fn placeholders_are_dots_or_names_in_angle_brackets() {
        for text in ["...", " … ", "<issue>", "string"] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in ["", "  ", "a <b>", "<a> is open", "strings", "..a"] {
            assert!(!is_placeholder(text), "{text}");
        }
    }
}
