//! How the words of a sentence qualify the object in it. Each rule returns the position
//! of the word that governs the object.

use super::words::{Class, Word};

/// Returns the position of the word in a sentence that governs an object.
pub(super) type Rule = fn(&[Word]) -> Option<usize>;

/// Returns the word before an object that qualifies or denies it.
pub(super) fn governs_from_before(words: &[Word]) -> Option<usize> {
    let start = main_clause(words);
    let clause = words.get(start..).unwrap_or_default();
    let at = condition(clause)
        .or_else(|| modal(clause))
        .or_else(|| negation(clause))
        .or_else(|| example(clause))?;
    Some(start + at)
}

/// Returns the word after an object, in its sentence, that qualifies or denies it.
pub(super) fn governs_from_after(words: &[Word]) -> Option<usize> {
    let is_link = |word: &&Word| {
        matches!(
            word.text(),
            "," | "-" | ";" | "(" | "and" | "it" | "that" | "this" | "which"
        )
    };
    let subject = words.iter().take_while(is_link).count();
    let verb = words.get(subject..).unwrap_or_default();
    let is_turn = |word: &Word| word.is(Class::Turn) || word.text() == "and";
    let end = words
        .iter()
        .position(is_turn)
        .filter(|_| names_itself(verb));
    let clause = words.get(..end.unwrap_or(words.len())).unwrap_or_default();
    let irreal = |at: &usize| is_would(&clause[*at]) && !is_idle_modal(clause, *at);
    denied_by_verb(verb)
        .map(|at| at + subject)
        .or_else(|| denied_by_relative(words))
        .or_else(|| taken_back(words))
        .or_else(|| condition(clause))
        .or_else(|| (0..clause.len()).find(irreal))
}

/// Returns the word of the next sentence that retracts an object: "This is not my
/// verdict", "That would be my answer if …", "But it is not".
pub(super) fn takes_back(words: &[Word]) -> Option<usize> {
    let first = words.first()?;
    match first.text() {
        "this" | "that" | "it" | "these" | "which" | "the" => denies_this(words),
        "i" => does_not_say_this(words),
        "if" => {
            let irreal = words
                .iter()
                .any(|word| matches!(word.text(), "were" | "had"));
            let main = |word: &Word| word.text() == "," || word.is(Class::Modal);
            (irreal && !words.iter().any(main)).then_some(0)
        }
        "not" => breaks_off(words, 1).then_some(0),
        _ if first.is(Class::Turn) || first.is(Class::AdverbialTurn) => {
            let clause = if text(words, 1) == "," { 2 } else { 1 };
            let denied = taken_back(words).filter(|at| breaks_off(words, at + 1));
            denied.or_else(|| Some(clause + takes_back(words.get(clause..)?)?))
        }
        _ => None,
    }
}

/// Returns whether words introduce the object after them as the answer: "my verdict is".
pub(super) fn gives(words: &[Word]) -> bool {
    if let [.., link, follows] = words
        && link.is(Class::Link)
        && follows.is(Class::AdverbialTurn)
    {
        return true;
    }
    let begins = |at: usize| is_at(words, at.wrapping_sub(1), Class::Link) || at == 0;
    words.last().is_none_or(|last| last.is(Class::Gives))
        && !words.iter().any(|word| word.is(Class::Doubt))
        && asserting_clause(words, begins).is_some()
}

/// Returns whether the words after an object call it the answer, or are neutral:
/// "is my verdict", "and nothing else", "as requested".
pub(super) fn names_itself(words: &[Word]) -> bool {
    match (text(words, 0), text(words, 1)) {
        ("and", next) => matches!(next, "nothing" | "that" | "this" | "here"),
        ("as", next) => matches!(next, "requested" | "asked" | "json"),
        ("is", _) => {
            let title = words
                .iter()
                .skip(1)
                .take_while(|word| word.is(Class::Title));
            let noun = 1 + title.count();
            let ends = words.get(noun + 1).is_none_or(|word| {
                word.is(Class::Link)
                    || word.is(Class::AdverbialTurn)
                    || matches!(word.text(), "on" | "for" | "of")
            });
            noun > 1 && ends && is_at(words, noun, Class::AnswerNoun)
        }
        _ => false,
    }
}

fn text(words: &[Word], at: usize) -> &str {
    words.get(at).map_or("", Word::text)
}

fn is_at(words: &[Word], at: usize, class: Class) -> bool {
    words.get(at).is_some_and(|word| word.is(class))
}

/// Returns whether a clause is elliptical at a word: "but it is
/// not".
fn breaks_off(words: &[Word], at: usize) -> bool {
    words.get(at).is_none_or(|word| word.is(Class::Ellipsis))
}

/// Returns the start of the clause of an object: after a word such as "but"
/// that starts an assertion.
fn main_clause(words: &[Word]) -> usize {
    let begins = |at: usize| {
        let turn = at.wrapping_sub(1);
        let is_free = turn == 0 || is_at(words, turn.wrapping_sub(1), Class::Link);
        is_at(words, turn, Class::Turn) || is_at(words, turn, Class::AdverbialTurn) && is_free
    };
    asserting_clause(words, begins).unwrap_or_default()
}

/// Returns the assertion that ends with the words. `begins`
/// returns where clauses start.
fn asserting_clause(words: &[Word], begins: impl Fn(usize) -> bool) -> Option<usize> {
    let is_irreal = |word: &Word| {
        word.is(Class::Modal)
            || word.is(Class::Negation)
            || word.is(Class::Condition)
            || matches!(word.text(), "be" | "been")
    };
    let from = words.iter().rposition(is_irreal).map_or(0, |at| at + 1);
    let mut clauses = (from..=words.len()).filter(|at| begins(*at));
    // The first clause contains the others; the last one may be a title.
    let first = clauses.next();
    let last = clauses.next_back();
    let mut both = [first, last].into_iter().flatten();
    both.find(|at| states(words.get(*at..).unwrap_or_default()))
}

/// Returns whether words assert something: "my verdict is", "I find", "final verdict:".
fn states(words: &[Word]) -> bool {
    let is_adverb = |word: &&Word| word.is(Class::Adverb) || word.is(Class::AdverbialTurn);
    let plain: Vec<_> = words.iter().filter(|word| !is_adverb(word)).collect();
    let is_statement = |pair: &[&Word]| match pair {
        [subject, verb] => matches!(subject.text(), "i" | "we") && verb.is(Class::Stating),
        _ => false,
    };
    let title = words
        .iter()
        .take_while(|word| word.is(Class::Title))
        .count();
    let is_title =
        is_at(words, title, Class::AnswerNoun) && matches!(text(words, title + 1), "" | ":");
    words.iter().any(|word| word.is(Class::Finite))
        || plain.windows(2).any(is_statement)
        || is_title
}

/// Returns whether the words after a modal verb lead to another clause, which asserts.
fn gives_way(rest: &[Word]) -> bool {
    let begins = |at: usize| {
        let comma = at.wrapping_sub(1);
        text(rest, comma) == "," && !is_at(rest, comma.wrapping_sub(1), Class::Says)
    };
    asserting_clause(rest, begins).is_some()
}

/// Returns a word that makes its context conditional.
fn condition(words: &[Word]) -> Option<usize> {
    let has_will = words.iter().any(|word| word.text() == "will");
    (0..words.len()).find(|&at| {
        let (previous, next) = (text(words, at.wrapping_sub(1)), text(words, at + 1));
        let begins = matches!(previous, "" | "," | "-" | ";" | "but" | "and");
        match text(words, at) {
            "if" => !is_idle_if(words, at),
            "let" => matches!(next, "us" | "say" | "assume"),
            "provided" | "providing" => previous == "," || next == "that",
            "case" => previous == "in" && next != "of",
            "were" | "had" | "should" => begins,
            "once" | "when" | "after" | "soon" => has_will,
            _ => is_at(words, at, Class::Condition),
        }
    })
}

/// Returns whether an "if" does not make the object conditional: "if you have any
/// questions", "check if", "even if", "it would be better if".
fn is_idle_if(words: &[Word], at: usize) -> bool {
    let second = text(words, at + 2);
    let is_idle = match text(words, at + 1) {
        "you" if second == "have" => is_at(words, at + 3, Class::Question),
        "you" => is_at(words, at + 2, Class::Wish),
        "i" if second == "am" => text(words, at + 3) == "not",
        "i" => is_at(words, at + 2, Class::ReadingVerb),
        "there" => matches!(second, "is" | "are"),
        "a" => matches!(second, "bit" | "little"),
        _ => is_at(words, at + 1, Class::IdleCondition),
    };
    let modal = words.iter().take(at).position(|word| word.is(Class::Modal));
    is_idle
        || is_at(words, at.wrapping_sub(1), Class::BeforeIdleIf)
        || modal.is_some_and(|modal| is_idle_modal(words, modal))
}

fn is_would(word: &Word) -> bool {
    matches!(word.text(), "would" | "'d")
}

/// Returns a modal verb, or a word for an intention, that applies to what follows.
fn modal(words: &[Word]) -> Option<usize> {
    (0..words.len()).find(|&at| {
        let rest = words.get(at + 1..).unwrap_or_default();
        match text(words, at) {
            "would" | "'d" => !is_idle_modal(words, at) && !gives_way(rest),
            "could" | "might" => is_said(rest),
            "may" => is_said(rest) && rest.iter().any(|word| word.text() == "be"),
            "should" => is_said(rest) && text(rest, 0) == "have",
            "going" | "about" => {
                matches!(text(words, at.wrapping_sub(1)), "was" | "were") && is_intended(rest)
            }
            _ => is_at(words, at, Class::Intention) && is_intended(rest),
        }
    })
}

/// Returns whether words are "to answer" and nothing else.
fn is_intended(words: &[Word]) -> bool {
    text(words, 0) == "to" && is_said(words)
}

/// Returns whether words refer to the object and to nothing else.
fn is_said(words: &[Word]) -> bool {
    let says = |word: &Word| word.is(Class::Says) || word.is(Class::Being);
    is_filler(words) && words.iter().any(says)
}

fn is_filler(words: &[Word]) -> bool {
    let fills = |word: &Word| word.is(Class::Filler) || word.is(Class::Says);
    words.iter().all(fills)
}

/// Returns whether a modal verb does not apply to the object: "would like", "would change",
/// "would be better".
fn is_idle_modal(words: &[Word], at: usize) -> bool {
    let rest = words.iter().skip(at + 1);
    let rest: Vec<_> = rest
        .filter(|word| !word.is(Class::Adverb))
        .take(4)
        .collect();
    let to_answer = |at: usize| {
        let [to, verb] = [at, at + 1].map(|at| rest.get(at));
        to.is_some_and(|to| to.text() == "to") && verb.is_some_and(|verb| verb.is(Class::Answers))
    };
    let Some(verb) = rest.first() else {
        return false;
    };
    if matches!(verb.text(), "be" | "been") {
        let quality = rest.get(1).is_some_and(|word| word.is(Class::Quality));
        return quality && !to_answer(2);
    }
    let is_had =
        text(words, at) == "'d" && (verb.text().ends_with("ed") || verb.is(Class::Participle));
    verb.is(Class::Wants) && !to_answer(1) || verb.is(Class::IdleVerb) || is_had
}

/// Returns a negation with only verbs of saying between it and the object, or one that
/// forbids something.
fn negation(words: &[Word]) -> Option<usize> {
    let forbids = text(words, 0) == "do" && text(words, 1) == "not";
    if forbids && words.len() > 2 && !is_at(words, 2, Class::IdleAdvice) && !gives_way(words) {
        return Some(1);
    }
    let at = words.iter().rposition(|word| word.is(Class::Negation))?;
    let rest = words.get(at + 1..).unwrap_or_default();
    let of_being = is_at(words, at.wrapping_sub(1), Class::Being);
    let is_bare = rest.iter().all(|word| word.text() == ":");
    let denies = match text(words, at) {
        "no" => of_being,
        "instead" => text(rest, 0) == "of",
        "rather" => text(rest, 0) == "than",
        _ => at == 0 || of_being || !is_bare,
    };
    (denies && is_filler(rest)).then_some(at)
}

/// Returns a word that makes the object an example.
fn example(words: &[Word]) -> Option<usize> {
    let at = words.iter().rposition(|word| word.is(Class::Example))?;
    let rest = words.get(at + 1..).unwrap_or_default();
    let is_known = is_at(words, at.wrapping_sub(1), Class::KnownExample);
    let fits = |word: &Word| word.is(Class::Filler) || word.is(Class::Kind);
    let of_answer = rest.iter().any(|word| word.is(Class::AnswerNoun));
    (!is_known && (rest.iter().all(fits) || of_answer) && !gives_way(rest)).then_some(at)
}

/// Returns the word that denies an object, which is the subject: "is not", "is only an
/// example", "could be", "once".
fn denied_by_verb(words: &[Word]) -> Option<usize> {
    let denies = |word: &Word| word.is(Class::Denial) || word.is(Class::Example);
    match text(words, 0) {
        "not" | "never" | "once" | "until" | "when" | "had" | "were" | "could" | "might"
        | "should" | "may" => Some(0),
        "only" => matches!(text(words, 1), "when" | "once" | "after").then_some(0),
        _ if is_at(words, 0, Class::Being) => words.iter().take(4).position(denies),
        _ => None,
    }
}

/// Returns the "not" in a relative clause with "which" after an object.
fn denied_by_relative(words: &[Word]) -> Option<usize> {
    let which = words
        .iter()
        .take(2)
        .position(|word| word.text() == "which")?;
    let relative = words.iter().enumerate().skip(which);
    let mut relative = relative.take_while(|(_, word)| word.text() != ",");
    relative
        .find(|(_, word)| word.text() == "not")
        .map(|(at, _)| at)
}

/// Returns the "not" after "but it is": the object is retracted.
fn taken_back(words: &[Word]) -> Option<usize> {
    let denial = |turn: usize| {
        let rest = words.iter().skip(turn + 1);
        let subject = rest.take_while(|word| word.is(Class::Subject)).take(5);
        let (length, has_verb) = subject.fold((0, false), |(length, has_verb), word| {
            (length + 1, has_verb || word.is(Class::Auxiliary))
        });
        let at = turn + 1 + length;
        let denies = matches!(text(words, at), "not" | "no");
        (denies && (has_verb || breaks_off(words, at + 1))).then_some(at)
    };
    let mut turns = (0..words.len()).filter(|at| is_at(words, *at, Class::Turn));
    turns.find_map(denial)
}

/// Returns the word by which a sentence such as "This is not my verdict" or "That would be
/// my answer" retracts what it refers to.
fn denies_this(words: &[Word]) -> Option<usize> {
    let is_verb = |word: &Word| word.is(Class::Being) || word.is(Class::Modal);
    let verb = words.iter().take(5).position(is_verb)?;
    let points = |word: &Word| word.is(Class::Filler) || word.text() == "above";
    if !words.iter().take(verb).skip(1).all(points) {
        return None;
    }
    let rest = words.get(verb + 1..).unwrap_or_default();
    if text(rest, 0) == "what" {
        let modal = verb + 1 + rest.iter().position(|word| word.is(Class::Modal))?;
        return (!is_idle_modal(words, modal)).then_some(modal);
    }
    let is_irreal = is_at(words, verb, Class::Modal);
    let is_denied = is_at(rest, 0, Class::Denial);
    let is_wrong = is_denied && !is_at(rest, 0, Class::WeakDenial);
    let is_example = is_denied && rest.iter().take(4).any(|word| word.is(Class::Example));
    let says_what = |word: &&Word| {
        use Class::{AnswerNoun, Being, Denial, Filler};
        [AnswerNoun, Being, Denial, Filler]
            .into_iter()
            .any(|class| word.is(class))
    };
    let mut what = rest.iter().take_while(says_what);
    let of_answer = (is_irreal || is_denied) && what.any(|word| word.is(Class::AnswerNoun));
    let at = if is_irreal { verb } else { verb + 1 };
    (is_wrong || is_example || of_answer).then_some(at)
}

/// Returns the word by which "I would say this if …" or "I cannot say that" retracts
/// the object.
fn does_not_say_this(words: &[Word]) -> Option<usize> {
    let is_irreal = |word: &Word| word.is(Class::Modal) || word.is(Class::Negation);
    let at = words.iter().take(3).position(is_irreal)?;
    let mut rest = words.iter().skip(at + 1);
    let _said = rest.by_ref().take(3).find(|word| word.is(Class::Says))?;
    let object = rest.find(|word| !word.is(Class::Says))?;
    matches!(object.text(), "this" | "that" | "so" | "it").then_some(at)
}
