//! The spellings of verdicts, severities, scores and placeholders.

use review_types::{Severity, Verdict};

use crate::parse::{Kind, Slot, decode};

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
    pub(crate) fn of(text: &str, slot: Slot) -> Self {
        match slot.kind {
            Kind::Text => VerdictWord::of(&decode(text, slot.start, slot.end)).mention(),
            Kind::Object | Kind::List => {
                let raw = text.get(slot.start..slot.end).unwrap_or_default();
                let both = Verdict::ALL.iter().all(|one| raw.contains(one.as_str()));
                if both || raw.contains("\"type\"") {
                    Self::None
                } else {
                    Self::Unclear
                }
            }
            _ => Self::Unclear,
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

/// The words of other scales. If scales differ, a word has its most severe
/// meaning: `high` is the most severe word of `high`, `medium`, `low`.
const SEVERITY_SYNONYMS: [(Severity, &[&str]); 4] = [
    (
        Severity::Critical,
        &[
            "blocker",
            "blocking",
            "error",
            "fatal",
            "high",
            "highest",
            "must_fix",
            "p0",
            "p1",
            "s0",
            "s1",
            "sev0",
            "sev1",
            "severe",
            "showstopper",
            "show_stopper",
            "urgent",
            "very_high",
        ],
    ),
    (
        Severity::Major,
        &[
            "important",
            "medium",
            "moderate",
            "normal",
            "p2",
            "s2",
            "serious",
            "sev2",
            "should_fix",
            "warn",
            "warning",
        ],
    ),
    (
        Severity::Minor,
        &[
            "cosmetic",
            "info",
            "informational",
            "low",
            "lowest",
            "nit",
            "nitpick",
            "note",
            "notice",
            "p3",
            "p4",
            "s3",
            "s4",
            "sev3",
            "sev4",
            "trivial",
            "very_low",
        ],
    ),
    (
        Severity::Suggestion,
        &["enhancement", "hint", "nice_to_have", "optional"],
    ),
];

impl SeverityWord {
    pub(crate) fn of(text: &str) -> Self {
        if let Ok(severity) = text.parse() {
            return Self::Exact(severity);
        }
        if text.trim().is_empty() {
            return Self::Blank;
        }
        let word = text.trim().to_ascii_lowercase().replace(['-', ' '], "_");
        let synonym = || {
            let found = SEVERITY_SYNONYMS
                .iter()
                .find(|(_, words)| words.contains(&&*word));
            found.map(|(severity, _)| *severity)
        };
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
    Verdict::ALL.into_iter().find(|one| same(one.as_str()))
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

/// The spelling of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScoreNumber {
    /// An integer in plain digits.
    Plain(i64),
    /// An integer in another form, such as `85.0` or `1e2`.
    Form(i64),
    /// An integer far out of range.
    TooLarge,
    /// Not an integer.
    NotWhole,
}

impl ScoreNumber {
    /// Parses a number token.
    pub(crate) fn of(text: &str) -> Self {
        let digits = text.strip_prefix('+').unwrap_or(text);
        if is_plain(digits) {
            return digits.parse().map_or(Self::TooLarge, Self::Plain);
        }
        whole_number(digits)
    }

    /// Parses the content of a string: `85`, `85%`, `85/100`.
    pub(crate) fn of_text(text: &str) -> Self {
        let text = text.trim();
        let number = text
            .strip_suffix('%')
            .or_else(|| text.strip_suffix("/100"))
            .or_else(|| text.strip_suffix("/ 100"))
            .unwrap_or(text)
            .trim_end();
        match whole_number(number) {
            Self::Plain(value) => Self::Form(value),
            other => other,
        }
    }
}

fn is_plain(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn whole_number(text: &str) -> ScoreNumber {
    let Some(decimal) = Decimal::of(text) else {
        return ScoreNumber::NotWhole;
    };
    decimal.whole()
}

/// A decimal number in its parts, without rounding.
struct Decimal<'t> {
    negative: bool,
    whole: &'t str,
    fraction: &'t str,
    exponent: i64,
}

impl<'t> Decimal<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (text, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        (!whole.is_empty() && digits(whole) && digits(fraction)).then_some(Self {
            negative,
            whole,
            fraction,
            exponent,
        })
    }

    fn whole(&self) -> ScoreNumber {
        let digits: String = [self.whole, self.fraction].concat();
        let trimmed = digits.trim_end_matches('0');
        let significant = trimmed.trim_start_matches('0');
        if significant.is_empty() {
            return ScoreNumber::Form(0);
        }
        let shift = self
            .exponent
            .saturating_sub_unsigned(self.fraction.len() as u64)
            .saturating_add_unsigned((digits.len() - trimmed.len()) as u64);
        let Ok(zeros) = u32::try_from(shift) else {
            return if shift.is_negative() {
                ScoreNumber::NotWhole
            } else {
                ScoreNumber::TooLarge
            };
        };
        let value = significant
            .parse::<i64>()
            .ok()
            .zip(10_i64.checked_pow(zeros))
            .and_then(|(digits, power)| digits.checked_mul(power));
        value.map_or(ScoreNumber::TooLarge, |value| {
            ScoreNumber::Form(if self.negative { -value } else { value })
        })
    }
}

fn parse_exponent(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', ..] => (true, text.get(1..)?),
        [b'+', ..] => (false, text.get(1..)?),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // All exponents beyond this range have the same result.
    let size = digits
        .parse::<i64>()
        .unwrap_or(i64::MAX / 2)
        .min(i64::MAX / 2);
    Some(if negative { -size } else { size })
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
        let words = SEVERITY_SYNONYMS.iter().flat_map(|(_, words)| *words);
        let mut words: Vec<_> = words
            .copied()
            .chain(Severity::WORDS.iter().copied())
            .collect();
        let count = words.len();
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
    fn scores_are_integers_without_rounding() {
        use ScoreNumber::{Form, NotWhole, Plain, TooLarge};
        for (text, number) in [
            ("85", Plain(85)),
            ("+85", Plain(85)),
            ("-10", Plain(-10)),
            ("-0", Plain(0)),
            ("85.0", Form(85)),
            ("85.000", Form(85)),
            ("1e2", Form(100)),
            ("1E+2", Form(100)),
            ("1e+", NotWhole),
            ("0.85e2", Form(85)),
            ("8500e-2", Form(85)),
            ("-1.0", Form(-1)),
            ("0.0", Form(0)),
            ("0e99999999999999999999", Form(0)),
            ("85.5", NotWhole),
            ("0.85", NotWhole),
            ("85.00000000000000000001", NotWhole),
            ("1e-1", NotWhole),
            ("1e-99999999999999999999", NotWhole),
            ("1e99999999999999999999", TooLarge),
            ("1e30", TooLarge),
            ("18446744073709551701", TooLarge),
        ] {
            assert_eq!(ScoreNumber::of(text), number, "{text}");
        }
    }

    #[test]
    fn scores_in_strings_have_three_forms() {
        use ScoreNumber::{Form, NotWhole};
        for (text, number) in [
            ("85", Form(85)),
            (" 85 ", Form(85)),
            ("85%", Form(85)),
            ("85 %", Form(85)),
            ("85/100", Form(85)),
            ("85 / 100", Form(85)),
            ("85.0", Form(85)),
            ("150", Form(150)),
            ("8/10", NotWhole),
            ("85/1000", NotWhole),
            ("85.5%", NotWhole),
            ("N/A", NotWhole),
            ("", NotWhole),
            ("%", NotWhole),
            ("1.", NotWhole),
            (".5", NotWhole),
            ("1e", NotWhole),
            ("+85", NotWhole),
        ] {
            assert_eq!(ScoreNumber::of_text(text), number, "{text:?}");
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
