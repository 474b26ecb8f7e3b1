//! The relevant words around an object, and their classes.

use std::collections::HashMap;
use std::sync::LazyLock;

macro_rules! classes {
    ($($(#[$doc:meta])* $class:ident = $words:literal,)*) => {
        /// The classes of words. A word may have several.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Class {
            $($(#[$doc])* $class,)*
        }

        /// The words of each class.
        const CLASSES: &[(Class, &str)] = &[$((Class::$class, $words)),*];
    };
}

classes! {
    /// Words that introduce a condition. "if" and others depend on their context.
    Condition = "assume assuming hypothetical hypothetically if imagine pretend suppose supposing \
        theoretically theory unless until",
    /// Modal verbs.
    Modal = "'d could may might should would",
    /// Words that deny what follows.
    Negation = "hardly instead neither never no nor not rather without",
    /// Words that start a new clause.
    Turn = "; but except however",
    /// Words that start a new clause if only a comma precedes them.
    AdverbialTurn = "although anyway hence nevertheless nonetheless overall sadly so still therefore \
        though thus unfortunately yet",
    /// Words that join two answers.
    Joiner = ", ; and nor or then",
    /// Words that may precede a new clause.
    Link = "( , - : ; and but",
    /// Verbs that assert something, with any subject.
    Finite = "am are follows here is passes reads stands",
    /// Verbs that assert something with "I" as their subject.
    Stating = "accept answer approve conclude find give judge pass return submit vote",
    /// Words before the noun of a title: "my final verdict:".
    Title = ", a final here its my our overall so the",
    /// Forms of "to be".
    Being = "am are be been being is was were",
    /// Nouns for an answer.
    AnswerNoun = "answer assessment case conclusion decision json judgement judgment object output \
        pass reply response result review verdict",
    /// Verbs whose object may be an answer.
    Says = "accept accepted answer answered answering approve approved be been call called \
        choose chosen conclude concluded deserve deserved earn earned emit emitted get give \
        given giving got have is issue issued justified justify look made make merit offer \
        output pass passed pick print printed produce produced provide put receive received \
        replied reply report reported respond responded responding return returned returning \
        said say saying send sent state stated submit submitted take use used warrant was \
        write written yield",
    /// Words between a verb and its object.
    Filler = "( , - : a about along an and answer artifact as assessment at back below by \
        conclusion decision document end final following follows for from here in it its \
        json judgement judgment just like likely lines maybe me my now object of on one only \
        or our out output pass perhaps plan probably real really reply response result \
        review same similar simply so something spec specification such text than that the \
        their them then these this to true up us verdict way with word words yet you your",
    /// Words between a modal verb and the main verb.
    Adverb = "actually also certainly definitely even ever further have just likely much never not \
        only perhaps personally possibly probably really simply still then therefore thus \
        very",
    /// Verbs of answering.
    Answers = "accept answer approve call conclude give pass reply respond return say",
    /// Verbs of wishing: "would like".
    Wants = "appreciate appreciated expect expected hope hoped like liked love loved prefer \
        preferred want wanted welcome welcomed",
    /// Adjectives after "would be" about the reviewer.
    Feeling = "able delighted glad happy pleased",
    /// Adjectives after "would be" about something else.
    Quality = "able beneficial better clearer delighted easier glad good great happy helpful nice \
        nicer pleased simpler stronger useful worth",
    /// Verbs after "would" that are not about an answer.
    IdleVerb = "add advise ask benefit block break cause change delay encourage fail gain help \
        hinder improve keep lead let need prevent recommend reject remove request require \
        revise stop strengthen suggest",
    /// Forms after "'d" for "had".
    Participle = "been found read seen thought",
    /// Words that make an intention no act.
    Intention = "decline declined failed hesitate hoped inclined intended meant refuse refused \
        reluctant supposed tempted unable wanted wish wished",
    /// Words before an "if" that means "whether" or "although".
    BeforeIdleIf = "as ask asked check checked checking decide determine do even happen happens know \
        look looked see seen sure tell test tested unclear verified verify wonder wondered",
    /// Objects of "if you have any questions".
    Question = "a additional an any comments concerns doubts feedback further more objections other \
        question questions",
    /// Verbs of "if you need more".
    Wish = "'d are disagree like need prefer require want wish would",
    /// Verbs of "if I read it right".
    ReadingVerb = "may read recall remember see understand understood",
    /// Words after an "if" without effect: "if needed".
    IdleCondition = "any anyone anything applicable necessary needed possible questions required so \
        wanted",
    /// Words for an example.
    Example = "e.g eg example examples illustration instance sample",
    /// Words before an example that the reviewer was given.
    KnownExample = "above given no that the this your",
    /// Kinds of answers.
    Kind = "correct failing good negative passing perfect positive possible typical valid",
    /// Words after "is" that deny an answer.
    Denial = "false fictional hypothetical incorrect invalid just merely never not only untrue \
        wrong",
    /// Subjects of a clause that retracts an answer.
    Subject = ", answer are artifact can could did do document does had has have i is it plan spec \
        specification that the there they this verdict was we were will would you",
    /// Verbs that may end an elliptical clause.
    Auxiliary = "are can could did do does had has have is was were will would",
    /// Denials without effect when alone: "This is only …".
    WeakDenial = "just merely never not only",
    /// Words of doubt about the sentence.
    Doubt = "absurd almost considered doubt early far hope let mistake nearly premature wish \
        wrong",
    /// Words directly before an object that is introduced as the answer.
    Gives = "accept am answer are as assessment below conclude decision final find follows give \
        go here is json judgement judgment now object output reply response result return \
        review stands submit verdict vote with",
    /// Words that identify a sentence as English.
    English = "a an and anything are as but by for i is it my never no not of or that the this to \
        was we with you your",
    /// Verbs of advice that is not about an answer: "do not worry".
    IdleAdvice = "add be change expect forget hesitate mind worry",
    /// Words that may end an elliptical clause: "but it is not".
    Ellipsis = "( , - ; complete correct done enough finished fixed good here now quite ready really \
        right so that there true yet",
    /// Words of a pass.
    Passing = "accept acceptable accepted approval approve approved pass passed passes ready",
    /// Abbreviations whose period ends no sentence.
    Abbreviation = "approx cf e.g eg etc fig i.e ie resp sec vs",
}

impl Class {
    const fn bit(self) -> u64 {
        1 << self as u64
    }
}

/// Returns the classes of each known word, as bits.
static KNOWN: LazyLock<HashMap<&str, u64>> = LazyLock::new(|| {
    let mut known = HashMap::new();
    for (class, words) in CLASSES {
        for word in words.split_whitespace() {
            *known.entry(word).or_default() |= class.bit();
        }
    }
    known
});

/// A word in lower case, or a mark that divides clauses.
#[derive(Clone, Debug)]
pub(super) struct Word {
    text: String,
    classes: u64,
}

impl Word {
    pub(super) fn of(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            classes: KNOWN.get(text).copied().unwrap_or_default(),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is(&self, class: Class) -> bool {
        self.classes & class.bit() != 0
    }
}

/// Returns the words of some lines, with the marks that divide clauses. Contractions are
/// expanded: "isn't" is "is not".
pub(super) fn split<'t>(lines: impl IntoIterator<Item = &'t str>) -> Vec<Word> {
    let mut words = Vec::new();
    for line in lines {
        let line = line.replace('’', "'").to_lowercase().replace("--", " - ");
        let mut rest = line.as_str();
        while let Some(first) = rest.chars().next() {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '.' | '_' | '-');
            let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(length.max(first.len_utf8()));
            rest = after;
            match word {
                "," | ";" | ":" | "(" | "-" => words.push(Word::of(word)),
                "–" | "—" => words.push(Word::of("-")),
                _ if !word.contains(char::is_alphanumeric) => {}
                _ => push(word.trim_matches(['\'', '.', '-', '_']), &mut words),
            }
        }
    }
    words
}

/// Adds a word, or the two of a contraction.
fn push(word: &str, words: &mut Vec<Word>) {
    let pair = match word {
        "cannot" | "can't" => ["can", "not"],
        "won't" => ["will", "not"],
        _ => match word.rsplit_once('\'') {
            Some((first, "t")) => [first.strip_suffix('n').unwrap_or(first), "not"],
            Some((first, "d")) => [first, "'d"],
            Some((first, "ll")) => [first, "will"],
            Some((first, "m")) => [first, "am"],
            Some((first, "re")) => [first, "are"],
            Some((
                first @ ("he" | "here" | "it" | "she" | "that" | "there" | "this" | "what" | "who"),
                "s",
            )) => [first, "is"],
            Some((first, _)) => [first, ""],
            None => [word, ""],
        },
    };
    let written = pair.into_iter().filter(|word| !word.is_empty());
    words.extend(written.map(Word::of));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contractions_are_expanded_and_marks_are_words() {
        for (text, expected) in [
            ("It isn’t Good, is it?", "it is not good , is it"),
            (
                "I can't, cannot and won't",
                "i can not , can not and will not",
            ),
            (
                "I'd say we'll, I'm, you're",
                "i 'd say we will , i am , you are",
            ),
            (
                "it's the spec's `needs_revision` -- e.g. (v1.2)",
                "it is the spec needs_revision - e.g ( v1.2",
            ),
            ("well-known — \"quoted\" … 'so'", "well-known - quoted so"),
        ] {
            let words = split([text]);
            let words: Vec<_> = words.iter().map(Word::text).collect();
            assert_eq!(words.join(" "), expected);
        }
    }

    #[test]
    fn a_word_may_be_of_several_classes() {
        let not = Word::of("not");
        assert!(not.is(Class::Negation) && not.is(Class::Adverb) && !not.is(Class::Modal));
        assert!(CLASSES.len() <= 64);
    }
}
