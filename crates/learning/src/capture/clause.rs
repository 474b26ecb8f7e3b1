//! Clauses by which users object to the work of an agent, whatever it is about.
//!
//! The rules look at how a clause begins: who did what ("you swapped …"), what the user
//! wanted ("I asked for …"), what is wrong ("that is not …"), and, where the agent has just
//! written a file, what it is to leave or to undo ("don't rename …").

use crate::corrections::CorrectionType;
use crate::normal::normal;

/// Words before the first word of a clause that counts.
const LEADS: &[&str] = &[
    "actually", "again", "also", "and", "but", "hey", "hm", "hmm", "just", "nah", "no", "nope",
    "ok", "okay", "please", "so", "still", "wait", "well", "yes",
];

/// Words between a subject and its verb.
const ADVERBS: &[&str] = &[
    "again", "also", "already", "even", "have", "just", "now", "only", "simply", "still",
];

/// Words of a message that praises.
const PRAISE: &[&str] = &[
    "correctly",
    "exactly",
    "excellent",
    "good",
    "great",
    "love",
    "nice",
    "perfect",
    "perfectly",
    "right",
    "thank",
    "thanks",
    "well",
    "works",
];

/// What an agent does with words; a user who mentions it answers.
const OF_SPEECH: &[&str] = &[
    "asked",
    "explained",
    "mentioned",
    "offered",
    "pointed",
    "proposed",
    "recommended",
    "said",
    "suggested",
    "wanted",
    "wondered",
];

/// Past forms that do not end in `ed`.
const IRREGULAR: &[&str] = &[
    "broke",
    "built",
    "chose",
    "cut",
    "did",
    "forgot",
    "gave",
    "got",
    "hid",
    "kept",
    "left",
    "lost",
    "made",
    "overwrote",
    "put",
    "ran",
    "rewrote",
    "set",
    "threw",
    "took",
    "went",
    "wrote",
];

/// Present forms that end in `ed`.
const NOT_PAST: &[&str] = &[
    "embed", "exceed", "feed", "need", "proceed", "speed", "succeed",
];

/// Verbs of changes that nobody may have asked for.
const OF_SCOPE: &[&str] = &[
    "added",
    "changed",
    "committed",
    "deleted",
    "removed",
    "renamed",
    "rewrote",
    "touched",
];

/// Negations of what an agent did or may do.
const NEGATIONS: &[&str] = &[
    "can't",
    "cannot",
    "didn't",
    "don't",
    "haven't",
    "mustn't",
    "never",
    "shouldn't",
];

/// What a user wanted of the agent.
const WANTED: &[(&str, CorrectionType)] = &[
    ("i asked for", CorrectionType::ExpectationMismatch),
    ("i asked you", CorrectionType::ExpectationMismatch),
    ("i did not ask", CorrectionType::ExpectationMismatch),
    ("i did not want", CorrectionType::ExpectationMismatch),
    ("i didn't ask", CorrectionType::ExpectationMismatch),
    ("i didn't mean", CorrectionType::CommunicationGap),
    ("i didn't want", CorrectionType::ExpectationMismatch),
    ("i meant the", CorrectionType::CommunicationGap),
    ("i only wanted", CorrectionType::ExpectationMismatch),
    ("i said", CorrectionType::CommunicationGap),
    ("i told you", CorrectionType::CommunicationGap),
    ("i wanted a", CorrectionType::ExpectationMismatch),
    ("i wanted the", CorrectionType::ExpectationMismatch),
    ("i'd prefer", CorrectionType::PreferenceConflict),
    ("i would prefer", CorrectionType::PreferenceConflict),
];

/// What is said of work that is not right, after `is`.
const FAULTS: &[&str] = &[
    "a mess",
    "far too",
    "incorrect",
    "missing",
    "never",
    "not",
    "overkill",
    "redundant",
    "the wrong",
    "too",
    "unnecessary",
    "unused",
    "way too",
    "wrong",
];

/// What is no fault of the work, after `not` or `too`.
const NO_FAULTS: &[&str] = &[
    "a bug",
    "a problem",
    "all",
    "an issue",
    "bad",
    "important",
    "late to",
    "loading",
    "needed now",
    "responding",
    "sure",
    "the problem",
    "too bad",
    "urgent",
    "working",
    "yet",
];

/// Verbs of what work does that is not right.
const HARMS: &[&str] = &[
    "breaks",
    "contradicts",
    "crashes",
    "duplicates",
    "forgets",
    "ignores",
    "leaks",
    "loses",
    "misses",
    "skips",
    "violates",
];

/// What is said of work that is not done well, after `the` and its name.
const JUDGMENTS: &[&str] = &[
    "bad",
    "confusing",
    "inconsistent",
    "misleading",
    "overkill",
    "redundant",
    "ugly",
    "unnecessary",
    "unreadable",
    "unused",
];

/// Openings of an answer to a question of the agent.
const ANSWERS: &[&str] = &[
    "continue",
    "go ahead",
    "go on",
    "i am",
    "i do",
    "i don't",
    "i have",
    "i haven't",
    "i never",
    "i think",
    "i'm",
    "idea",
    "it works",
    "it's fine",
    "need",
    "not necessary",
    "not now",
    "not yet",
    "nothing",
    "problem",
    "rush",
    "thank",
    "thanks",
    "that's all",
    "that's fine",
    "that is fine",
    "there",
    "worries",
];

/// Words after `no` that make it an objection also without a comma.
const AFTER_NO: &[&str] = &[
    "don't", "i", "it", "keep", "leave", "no", "not", "that", "that's", "this", "use", "we", "you",
];

/// Verbs that a user forbids for reasons other than the work.
const NOT_FORBIDDEN: &[&str] = &[
    "bother", "care", "forget", "hesitate", "know", "mind", "need", "stop", "think", "tried",
    "wait", "worry", "you",
];

/// Returns the type of correction that a message is by one of its clauses; `after_work`
/// says whether the agent wrote a file just before.
pub(super) fn objection(text: &str, after_work: bool) -> Option<CorrectionType> {
    let all = normal(text);
    if all.split(' ').any(|word| PRAISE.contains(&word)) {
        return None;
    }
    if let Some(opening) = opening(text, &all) {
        return Some(opening);
    }
    let clauses = clauses(text);
    clauses.iter().find_map(|clause| {
        let words: Vec<&str> = clause.split_whitespace().collect();
        let leads = words.iter().take_while(|word| LEADS.contains(word)).count();
        let words = &words[leads..];
        let found = accusation(words)
            .or_else(|| wish(words))
            .or_else(|| fault(words));
        found.or_else(|| after_work.then(|| order(words, text)).flatten())
    })
}

/// The clauses of a text, in normal form.
fn clauses(text: &str) -> Vec<String> {
    let parts = text.split(['!', '?', ';', ':', ',', '\n', '(', ')', '\u{2014}']);
    let parts = parts
        .flat_map(|part| part.split(". "))
        .flat_map(|part| part.split(" - "));
    parts.map(normal).collect()
}

/// A message that opens with dissent and goes on with something else than an answer.
fn opening(text: &str, all: &str) -> Option<CorrectionType> {
    let mut words = all.split_whitespace();
    let (first, second) = (words.next()?, words.next()?);
    let rest = all.trim_start().strip_prefix(first)?.trim();
    let is_answer = || ANSWERS.iter().any(|answer| starts_with(rest, answer));
    match first {
        "no" | "nope" | "nah" => {
            let is_set_off =
                text.trim_start()[first.len()..].starts_with([',', '.', ':', ';', '!']);
            let objects = is_set_off || AFTER_NO.contains(&second);
            (objects && !is_answer()).then_some(CorrectionType::ApproachRejection)
        }
        "wrong" => (second != "window" && second != "chat").then_some(CorrectionType::CodeQuality),
        "not" => matches!(second, "again" | "like").then_some(CorrectionType::ApproachRejection),
        "still" => matches!(second, "missing" | "no" | "not" | "wrong")
            .then_some(CorrectionType::CodeCompleteness),
        "too" => Some(CorrectionType::ApproachRejection),
        _ => None,
    }
}

/// "You swapped …", "you didn't …", "you're ignoring …".
fn accusation(words: &[&str]) -> Option<CorrectionType> {
    let (subject, rest) = words.split_first()?;
    let adverbs = rest
        .iter()
        .take_while(|word| ADVERBS.contains(word))
        .count();
    let (verb, behind) = rest.get(adverbs..)?.split_first()?;
    let is_next = |list: &[&str]| behind.first().is_some_and(|next| list.contains(next));
    match *subject {
        "you" if NEGATIONS.contains(verb) => Some(CorrectionType::CodeCompleteness),
        "you" if *verb == "should" && is_next(&["have", "not", "never"]) => {
            Some(CorrectionType::ExpectationMismatch)
        }
        "you" if *verb == "are" && behind.first().is_some_and(|next| is_progress(next)) => {
            Some(CorrectionType::ApproachRejection)
        }
        "your" => is_deficient(rest).then_some(CorrectionType::CodeQuality),
        "you're" if is_progress(verb) => Some(CorrectionType::ApproachRejection),
        "you" if is_past(verb) && !behind.is_empty() && !is_next(&["it"]) => {
            Some(match OF_SCOPE.contains(verb) {
                true => CorrectionType::ExpectationMismatch,
                false => CorrectionType::CodeQuality,
            })
        }
        _ => None,
    }
}

/// "Your test checks nothing", "your fix breaks the import"; not "your fix breaks nothing".
fn is_deficient(words: &[&str]) -> bool {
    let is_negative = |word: &&&str| {
        matches!(**word, "doesn't" | "don't" | "never" | "nothing") || HARMS.contains(*word)
    };
    words.iter().filter(is_negative).count() == 1
}

fn is_progress(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ing") && word != "going"
}

fn is_past(word: &str) -> bool {
    let is_regular = word.len() > 3 && word.ends_with("ed") && !NOT_PAST.contains(&word);
    (is_regular || IRREGULAR.contains(&word)) && !OF_SPEECH.contains(&word)
}

/// "I asked for …", "we never …".
fn wish(words: &[&str]) -> Option<CorrectionType> {
    let clause = words.join(" ");
    let wanted = WANTED
        .iter()
        .find(|(opening, _)| starts_with(&clause, opening));
    if let Some((_, correction_type)) = wanted {
        return Some(*correction_type);
    }
    let is_rule = matches!(words, ["we", "always" | "don't" | "never" | "only", _, ..])
        || matches!(words, ["we", "do", "not", _, ..]);
    is_rule.then_some(CorrectionType::PreferenceConflict)
}

/// "That is not …", "this breaks …", "it must not …".
fn fault(words: &[&str]) -> Option<CorrectionType> {
    let (subject, rest) = words.split_first()?;
    let (subject, rest) = match subject.strip_suffix("'s") {
        Some(subject) => (subject, [&["is"], rest].concat()),
        None => (*subject, rest.to_vec()),
    };
    let (verb, behind) = rest.split_first()?;
    let said = behind.join(" ");
    let is_of_work = matches!(subject, "that" | "this");
    let is_fault = match *verb {
        "is" | "was" if is_of_work => FAULTS.iter().any(|fault| {
            let more = said
                .strip_prefix(fault)
                .filter(|more| !more.starts_with(char::is_alphanumeric));
            more.is_some_and(|more| !NO_FAULTS.iter().any(|no| starts_with(more.trim(), no)))
        }),
        "isn't" | "wasn't" if is_of_work => !NO_FAULTS.iter().any(|no| starts_with(&said, no)),
        "doesn't" if is_of_work => matches!(
            behind.first(),
            Some(&("belong" | "do" | "follow" | "handle"))
        ),
        "must" | "should" | "shouldn't" | "mustn't" => is_of_work || subject == "it",
        harm => is_of_work && HARMS.contains(&harm),
    };
    is_fault.then_some(CorrectionType::CodeQuality)
}

/// "Don't rename …", "undo the …", "leave … alone", "use this, not that",
/// "we use this, not that", "the names are bad".
fn order(words: &[&str], text: &str) -> Option<CorrectionType> {
    let (first, rest) = words.split_first()?;
    let next = *rest.first()?;
    let has = |word: &str| rest.contains(&word);
    match *first {
        "don't" | "never" if !NOT_FORBIDDEN.contains(&next) => {
            Some(CorrectionType::PreferenceConflict)
        }
        "do" if next == "not" && !rest.get(1).is_some_and(|verb| NOT_FORBIDDEN.contains(verb)) => {
            Some(CorrectionType::PreferenceConflict)
        }
        "stop" if is_progress(next) => Some(CorrectionType::PreferenceConflict),
        "only" => Some(CorrectionType::ExpectationMismatch),
        "undo" | "revert" if matches!(next, "all" | "it" | "that" | "the" | "this" | "your") => {
            Some(CorrectionType::ApproachRejection)
        }
        "leave" if has("alone") => Some(CorrectionType::ExpectationMismatch),
        "put" if has("back") => Some(CorrectionType::ExpectationMismatch),
        "keep" if has("old") || has("original") || has("existing") => {
            Some(CorrectionType::ApproachRejection)
        }
        "use" if contrasts(text) => Some(CorrectionType::ApproachRejection),
        "we" if contrasts(text) => Some(CorrectionType::PreferenceConflict),
        "i" if matches!(next, "need" | "want") && contrasts(text) => {
            Some(CorrectionType::ExpectationMismatch)
        }
        "the" if is_judgment(rest) => Some(CorrectionType::CodeQuality),
        _ if text.contains(" you added") || text.contains(" you wrote") => {
            Some(CorrectionType::ExpectationMismatch)
        }
        _ => None,
    }
}

/// "…, not npm"; not "…, not now".
fn contrasts(text: &str) -> bool {
    let behind = text.split_once(", not ").map(|(_, behind)| behind);
    behind.is_some_and(|behind| {
        !["now", "sure", "yet"].contains(&behind.split_whitespace().next().unwrap_or_default())
    })
}

/// "… names are bad".
fn is_judgment(words: &[&str]) -> bool {
    let mut pairs = words.windows(2);
    pairs.any(|pair| matches!(pair[0], "are" | "is") && JUDGMENTS.contains(&pair[1]))
}

/// Whether a text begins with these words.
fn starts_with(text: &str, words: &str) -> bool {
    text.strip_prefix(words)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}
